#include <rhyton/apps/rhyton/data_options.h>

#include <limits>

#include <rhyton/apps/rhyton/arrays.h>

namespace rhyton::tool {

void add_data_options(CLI::App& command, DataOptions& options, bool with_targets) {
  command.add_option("MODEL", options.model, "A .keras or .h5 file")->required();
  command.add_option("--input", options.inputs, array_help)->required()->allow_extra_args(false);
  if (with_targets) {
    command.add_option("--target", options.targets, "What the outputs should be, given like --input")
        ->required()
        ->allow_extra_args(false);
  }
  command.add_option("--batch-size", options.batch_size, "Samples per step")
      ->capture_default_str()
      ->check(CLI::Range(std::int64_t{1}, std::numeric_limits<std::int64_t>::max()));
  command.add_option("--device", options.device, "Where to compute: /CPU:0, …");
  command.add_flag("--json", options.as_json, "Print JSON");
}

}  // namespace rhyton::tool
