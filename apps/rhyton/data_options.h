#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <rhyton/rhyton.h>

namespace rhyton::tool {

/// What commands that compute have in common: a model, arrays, a batch size, a device.
struct DataOptions {
  std::string model;
  std::vector<std::string> inputs;
  std::vector<std::string> scales;
  std::vector<std::string> targets;
  std::vector<std::string> sample_weights;
  std::int64_t batch_size = 32;
  std::string device;
  bool as_json = false;
};

/// Adds MODEL, --input, --scale, --batch-size, --device and --json, and --target and --sample-weight where
/// `with_targets`.
void add_data_options(CLI::App& command, DataOptions& options, bool with_targets);

/// What `--input` and `--scale` say, one tensor per input. Throws as `input_ports` and `read_arrays` do.
std::vector<Tensor> read_inputs(const DataOptions& options, const models::Model& model);
/// What `--target` says, one tensor per output.
std::vector<Tensor> read_targets(const DataOptions& options, const models::Model& model);
/// What `--sample-weight` says: one tensor per output, or none where it is not given.
training::Tensors read_sample_weights(const DataOptions& options, const models::Model& model);

/// While it lives, ops run on the device that `--device` names; where it names none, wherever they would.
class ChosenDevice {
 public:
  explicit ChosenDevice(const DataOptions& options) {
    if (!options.device.empty()) scope_.emplace(options.device);
  }

 private:
  std::optional<DeviceScope> scope_;
};

}  // namespace rhyton::tool
