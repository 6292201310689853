// rhyton predict: computes the outputs of a model for arrays in files.

#include <memory>
#include <set>
#include <string>
#include <vector>

#include <rhyton/apps/rhyton/arrays.h>
#include <rhyton/apps/rhyton/commands.h>
#include <rhyton/apps/rhyton/data_options.h>
#include <rhyton/apps/rhyton/json_output.h>
#include <rhyton/apps/rhyton/messages.h>
#include <rhyton/apps/rhyton/model_files.h>
#include <rhyton/rhyton.h>

namespace rhyton::tool {
namespace {

struct PredictArguments {
  DataOptions data;
  std::string output;
};

/// Makes names unique, since the outputs of one layer have the same name: "split", "split_1", ….
std::vector<std::string> distinct(const std::vector<std::string>& names) {
  std::set<std::string> taken;
  std::vector<std::string> result;
  for (const std::string& name : names) {
    std::string candidate = name;
    for (int number = 1; !taken.insert(candidate).second; ++number) candidate = name + "_" + std::to_string(number);
    result.push_back(candidate);
  }
  return result;
}

void run(const PredictArguments& options) {
  if (options.output.empty() && !options.data.as_json) {
    throw CLI::ValidationError("--output", "give a file for the predictions, or --json to print them");
  }
  if (!options.output.empty()) {
    require_array_file(options.output);
    require_folder_of(options.output);
  }
  const ChosenDevice device(options.data);
  const models::Model model = load_uncompiled(options.data.model);
  const std::vector<std::string> names = distinct(model.output_names());
  if (names.size() > 1 && options.output.ends_with(".npy")) {
    throw ValueError(options.output + ": the model has " + std::to_string(names.size()) + " outputs, " +
                     quoted_list(names) + ", which an .npz file can hold, but no .npy file");
  }
  const std::vector<Tensor> x = read_inputs(options.data, model);
  const std::vector<Tensor> y = naming_file(
      options.data.model, [&] { return model.predict_many(x, {.batch_size = options.data.batch_size, .verbose = 0}); });
  if (!options.output.empty()) write_arrays(options.output, names, y);
  if (options.data.as_json) {
    io::Json outputs = io::Json::object();
    for (std::size_t i = 0; i < y.size(); ++i) outputs[names[i]] = to_json(y[i]);
    print(outputs);
  }
}

}  // namespace

void add_predict(CLI::App& app) {
  CLI::App* const command = app.add_subcommand("predict", "Computes the outputs of a model");
  const auto options = std::make_shared<PredictArguments>();
  add_data_options(*command, options->data, false);
  command->add_option("--output", options->output,
                      "The .npy file to write; several outputs go to an .npz file under their names");
  command->callback([options] { run(*options); });
}

}  // namespace rhyton::tool
