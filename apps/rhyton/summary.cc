// rhyton summary: prints the layers of a model as `model.summary()` does.

#include <iostream>
#include <memory>
#include <string>

#include <rhyton/apps/rhyton/commands.h>
#include <rhyton/apps/rhyton/json_output.h>
#include <rhyton/apps/rhyton/model_files.h>
#include <rhyton/apps/rhyton/model_graph.h>
#include <rhyton/rhyton.h>

namespace rhyton::tool {
namespace {

struct SummaryArguments {
  std::string model;
  bool expand_nested = false;
  bool show_trainable = false;
  bool as_json = false;
};

std::int64_t count(const std::vector<Variable>& variables) {
  std::int64_t sum = 0;
  for (const Variable& variable : variables) sum += variable.shape().size();
  return sum;
}

/// One shape, or a list of them for several outputs; null if unknown.
io::Json output_shape(const LayerNode* node) {
  if (node == nullptr || node->outputs.empty()) return nullptr;
  const std::vector<Shape>& shapes = node->outputs.back();
  if (shapes.size() == 1) return to_json(shapes.front());
  io::Json list = io::Json::array();
  for (const Shape& shape : shapes) list.push_back(to_json(shape));
  return list;
}

io::Json describe(const models::Model& model) {
  const ModelGraph graph = graph_of(model);
  io::Json layers = io::Json::array();
  for (const layers::Layer& layer : model.layers()) {
    layers.push_back(io::Json::object({{"name", layer.name()},
                                       {"class_name", layer.class_name()},
                                       {"output_shape", output_shape(graph.find(layer))},
                                       {"params", count(layer.weights())},
                                       {"trainable", layer.trainable()}}));
  }
  const std::int64_t trainable = count(model.trainable_weights());
  const std::int64_t non_trainable = count(model.non_trainable_weights());
  const std::int64_t optimizer =
      model.is_compiled() && model.optimizer().is_built() ? count(model.optimizer().variables()) : 0;
  return io::Json::object({{"name", model.name()},
                           {"class_name", model.class_name()},
                           {"layers", layers},
                           {"total_params", trainable + non_trainable + optimizer},
                           {"trainable_params", trainable},
                           {"non_trainable_params", non_trainable},
                           {"optimizer_params", optimizer}});
}

void run(const SummaryArguments& options) {
  const models::Model model =
      load_compiled_if_possible(options.model, "The parameters of the optimizer are not counted");
  if (options.as_json) return print(describe(model));
  model.summary({.expand_nested = options.expand_nested, .show_trainable = options.show_trainable});
}

}  // namespace

void add_summary(CLI::App& app) {
  CLI::App* const command = app.add_subcommand("summary", "Shows the layers of a model and counts its weights");
  const auto options = std::make_shared<SummaryArguments>();
  command->add_option("MODEL", options->model, "A .keras or .h5 file")->required();
  command->add_flag("--expand-nested", options->expand_nested, "Show the layers of nested models too");
  command->add_flag("--show-trainable", options->show_trainable, "Show which layers are trained");
  command->add_flag("--json", options->as_json, "Print JSON");
  command->callback([options] { run(*options); });
}

}  // namespace rhyton::tool
