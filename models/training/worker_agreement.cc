#include <rhyton/models/training/worker_agreement.h>

#include <cstddef>
#include <cstring>
#include <mutex>
#include <span>

#include <fmt/format.h>

#include <rhyton/framework/distribute/job_description.h>
#include <rhyton/framework/environment.h>
#include <rhyton/framework/io/checksum.h>
#include <rhyton/framework/tensor/step_mutex.h>

namespace rhyton::training {
namespace {

std::span<const std::byte> bytes_of(const Tensor& tensor) {
  return {static_cast<const std::byte*>(tensor.raw_data()), tensor.spec().bytes()};
}

std::string text_of(std::int64_t number) { return number < 0 ? "unknown" : std::to_string(number); }

}  // namespace

std::string text_of(const layers::Layer& model) {
  std::string text = model.class_name() + " with weights";
  for (const Variable& weight : model.weights()) {
    text += " " + weight.name() + " " + weight.shape().to_string() + " " + std::string(name_of(weight.dtype())) +
            (weight.trainable() ? "" : " frozen") + ";";
  }
  return text;
}

void require_same_work(const distribute::StrategyImpl& strategy, const layers::Layer& model, const WorkerPlan& plan) {
  if (strategy.processes() == nullptr) return;
  distribute::require_same(*strategy.processes(),
                           {{{"version of Rhyton", RHYTON_VERSION},
                             {"model", text_of(model)},
                             {"number of samples", text_of(plan.samples)},
                             {"batch size", text_of(plan.batch_size)},
                             {"steps per epoch", text_of(plan.steps_per_epoch)},
                             {"epochs", std::to_string(plan.epochs)},
                             {"replicas of a process", std::to_string(strategy.replicas_of_this_process())}}});
}

void require_same_position(const distribute::StrategyImpl& strategy, const callbacks::FitPosition& position) {
  if (strategy.processes() == nullptr) return;
  distribute::require_same(*strategy.processes(), "place in the training to go on from",
                           fmt::format("epoch {}, step {}, pass {}, batch {}", position.epoch, position.step,
                                       position.passes, position.batch));
}

void take_values_of_chief(const distribute::StrategyImpl& strategy, const std::vector<Variable>& variables) {
  if (strategy.processes() == nullptr) return;
  const std::unique_lock between_steps(step_mutex());
  for (const Variable& variable : variables) {
    Tensor value = variable.stored_value().clone();
    const std::size_t bytes = value.spec().bytes();
    strategy.processes()->broadcast({static_cast<std::byte*>(value.mutable_raw_data()), bytes}, 0);
    variable.set_stored_value(value);
  }
}

std::uint64_t number_of_chief(const distribute::StrategyImpl& strategy, std::uint64_t own) {
  if (strategy.processes() != nullptr) {
    strategy.processes()->broadcast(std::as_writable_bytes(std::span(&own, 1)), 0);
  }
  return own;
}

bool checks_replicas() { return is_switched_on("RHYTON_CHECK_REPLICAS"); }

void require_mirrored(distribute::StrategyImpl& strategy, const std::vector<Variable>& variables) {
  // Other models under the strategy may be training.
  std::unique_lock between_steps(step_mutex());
  strategy.variables().require_equal();
  if (strategy.processes() == nullptr) return;
  distribute::JobDescription description;
  for (const Variable& variable : variables) {
    description.entries.emplace_back(
        "value of variable '" + variable.path() + "'",
        "SHA-256 " + io::checksum(io::ChecksumKind::sha256, bytes_of(variable.stored_value())));
  }
  between_steps.unlock();
  distribute::require_same(*strategy.processes(), description);
}

}  // namespace rhyton::training
