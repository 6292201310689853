// rhyton evaluate: the loss and the metrics of a model on arrays in files.

#include <memory>

#include <rhyton/apps/rhyton/arrays.h>
#include <rhyton/apps/rhyton/commands.h>
#include <rhyton/apps/rhyton/data_options.h>
#include <rhyton/apps/rhyton/json_output.h>
#include <rhyton/apps/rhyton/messages.h>
#include <rhyton/apps/rhyton/model_files.h>
#include <rhyton/rhyton.h>

namespace rhyton::tool {
namespace {

void run(const DataOptions& options) {
  const ChosenDevice device(options);
  const models::Model model = load_model(options.model);
  if (!model.is_compiled()) {
    throw ValueError(options.model + ": the file does not say which loss and metrics the model was compiled with");
  }
  const std::vector<Tensor> x = read_arrays(options.inputs, input_ports(model), "--input");
  const std::vector<Tensor> y = read_arrays(options.targets, output_ports(model), "--target");
  const callbacks::Logs logs = naming_file(options.model, [&] {
    return model.evaluate(x, y, {.batch_size = options.batch_size, .verbose = options.as_json ? 0 : 1});
  });
  if (options.as_json) print(to_json(logs));
}

}  // namespace

void add_evaluate(CLI::App& app) {
  CLI::App* const command = app.add_subcommand("evaluate", "Computes the loss and the metrics of a model");
  const auto options = std::make_shared<DataOptions>();
  add_data_options(*command, *options, true);
  command->callback([options] { run(*options); });
}

}  // namespace rhyton::tool
