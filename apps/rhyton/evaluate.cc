// rhyton evaluate: computes the loss and the metrics of a model on arrays in files.

#include <memory>
#include <string>
#include <vector>

#include <rhyton/apps/rhyton/commands.h>
#include <rhyton/apps/rhyton/compile_options.h>
#include <rhyton/apps/rhyton/data_options.h>
#include <rhyton/apps/rhyton/json_output.h>
#include <rhyton/apps/rhyton/messages.h>
#include <rhyton/rhyton.h>

namespace rhyton::tool {
namespace {

struct EvaluateArguments {
  DataOptions data;
  CompileArguments compile;
};

void run(const EvaluateArguments& options) {
  const Overrides overrides = overrides_of(options.compile);
  const ChosenDevice device(options.data);
  const std::string& path = options.data.model;
  const models::Model model = load_to_train(path, overrides, false);
  if (!model.is_compiled()) {
    throw ValueError(path +
                     ": the file does not contain the loss and metrics of the model: give --loss, and "
                     "--metrics");
  }
  const std::vector<Tensor> x = read_inputs(options.data, model);
  const std::vector<Tensor> y = read_targets(options.data, model);
  const training::Tensors sample_weight = read_sample_weights(options.data, model);
  const callbacks::Logs logs = naming_file(path, [&] {
    return model.evaluate(x, y,
                          {.batch_size = options.data.batch_size,
                           .verbose = options.data.as_json ? 0 : 1,
                           .sample_weight = sample_weight});
  });
  if (options.data.as_json) print(to_json(logs));
}

}  // namespace

void add_evaluate(CLI::App& app) {
  CLI::App* const command = app.add_subcommand(
      "evaluate", "Computes the loss and the metrics of a model: those of the file, unless they are given");
  const auto options = std::make_shared<EvaluateArguments>();
  add_data_options(*command, options->data, true);
  add_compile_options(*command, options->compile, false);
  command->callback([options] { run(*options); });
}

}  // namespace rhyton::tool
