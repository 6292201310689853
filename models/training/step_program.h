#pragma once

#include <cstddef>
#include <utility>
#include <variant>

#include <rhyton/framework/distribute/replicated_executable.h>
#include <rhyton/framework/graph/executable.h>
#include <rhyton/models/training/log_form.h>
#include <rhyton/models/training/step_cache.h>

namespace rhyton::training {

/// A compiled step, for one device or for the replicas of a strategy.
class StepProgram {
 public:
  explicit StepProgram(graph::Executable executable, LogForm log_form = {})
      : program_(std::move(executable)), log_form_(std::move(log_form)) {}
  explicit StepProgram(distribute::ReplicatedExecutable executable) : program_(std::move(executable)) {}

  /// The step for one device; only if it is compiled for one.
  graph::Executable& on_device() { return std::get<graph::Executable>(program_); }
  /// The step for replicas; only if it is compiled for them.
  distribute::ReplicatedExecutable& replicated() { return std::get<distribute::ReplicatedExecutable>(program_); }

  /// What its outputs are if it does not predict.
  const LogForm& log_form() const { return log_form_; }

  std::size_t memory_bytes() const {
    return std::visit([](const auto& executable) { return executable.memory_bytes(); }, program_);
  }

 private:
  std::variant<graph::Executable, distribute::ReplicatedExecutable> program_;
  LogForm log_form_;
};

/// The compiled steps of a model, of all kinds.
using ModelStepCache = StepCache<StepProgram>;

}  // namespace rhyton::training
