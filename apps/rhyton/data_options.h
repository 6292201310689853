#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <rhyton/rhyton.h>

namespace rhyton::tool {

/// The options of all commands that compute: a model, arrays, a batch size, a device.
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

/// Adds MODEL, --input, --scale, --batch-size, --device and --json, and --target and --sample-weight if `with_targets`.
void add_data_options(CLI::App& command, DataOptions& options, bool with_targets);

/// Reads `--input` and `--scale`, one tensor per input. Throws as `input_ports` and `read_arrays` do.
std::vector<Tensor> read_inputs(const DataOptions& options, const models::Model& model);
/// Reads `--target`, one tensor per output.
std::vector<Tensor> read_targets(const DataOptions& options, const models::Model& model);
/// Reads `--sample-weight`: one tensor per output, or none if it is not given.
training::Tensors read_sample_weights(const DataOptions& options, const models::Model& model);

/// During its lifetime, ops run on the device given by `--device`; if none is given, on the default device.
class ChosenDevice {
 public:
  explicit ChosenDevice(const DataOptions& options) {
    if (!options.device.empty()) scope_.emplace(options.device);
  }

 private:
  std::optional<DeviceScope> scope_;
};

}  // namespace rhyton::tool
