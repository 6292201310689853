#include <rhyton/apps/rhyton/data_options.h>

#include <limits>

#include <rhyton/apps/rhyton/arrays.h>

namespace rhyton::tool {

void add_data_options(CLI::App& command, DataOptions& options, bool with_targets) {
  command.add_option("MODEL", options.model, "A .keras or .h5 file")->required();
  command.add_option("--input", options.inputs, array_help)->required()->allow_extra_args(false);
  command
      .add_option("--scale", options.scales,
                  "The factor for the input, such as 0.5 or 1/255; NAME=NUMBER selects one of several inputs")
      ->allow_extra_args(false);
  if (with_targets) {
    command.add_option("--target", options.targets, "What the outputs should be, given like --input")
        ->required()
        ->allow_extra_args(false);
    command
        .add_option("--sample-weight", options.sample_weights,
                    "The weight of each sample in the loss: an array of one number each, given like --target")
        ->allow_extra_args(false);
  }
  command.add_option("--batch-size", options.batch_size, "Samples per step")
      ->capture_default_str()
      ->check(CLI::Range(std::int64_t{1}, std::numeric_limits<std::int64_t>::max()));
  command.add_option("--device", options.device, "Where to compute: /CPU:0, …");
  command.add_flag("--json", options.as_json, "Print JSON");
}

std::vector<Tensor> read_inputs(const DataOptions& options, const models::Model& model) {
  return read_arrays(options.inputs, input_ports(model, options.scales), "--input");
}

std::vector<Tensor> read_targets(const DataOptions& options, const models::Model& model) {
  return read_arrays(options.targets, output_ports(model), "--target");
}

training::Tensors read_sample_weights(const DataOptions& options, const models::Model& model) {
  if (options.sample_weights.empty()) return {};
  return read_arrays(options.sample_weights, output_ports(model), "--sample-weight");
}

}  // namespace rhyton::tool
