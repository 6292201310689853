// rhyton plot: draws a model, or a training history, as an SVG picture.

#include <memory>
#include <string>
#include <string_view>

#include <rhyton/apps/rhyton/commands.h>
#include <rhyton/apps/rhyton/history_plot.h>
#include <rhyton/apps/rhyton/messages.h>
#include <rhyton/apps/rhyton/model_files.h>
#include <rhyton/apps/rhyton/model_plot.h>
#include <rhyton/rhyton.h>

namespace rhyton::tool {
namespace {

struct PlotOptions {
  std::string input;
  std::string output;
  bool expand_nested = false;
};

/// Plots a history, or the config.json of a model.
std::string plot_json(const PlotOptions& options) {
  const std::vector<std::byte> bytes = io::read_file(options.input);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const io::Json json = io::Json::parse(text, options.input);
  if (json.contains("class_name")) return plot_model(model_from_config(options.input), options.expand_nested);
  return plot_history(json);
}

void run(const PlotOptions& options) {
  if (!options.output.ends_with(".svg")) {
    throw CLI::ValidationError("--output", options.output + " is not an .svg file");
  }
  require_folder_of(options.output);
  const std::string picture = naming_file(options.input, [&] {
    if (kind_of(options.input) == FileKind::json) return plot_json(options);
    return plot_model(load_uncompiled(options.input), options.expand_nested);
  });
  naming_file(options.output, [&] { io::write_file(options.output, std::string_view(picture)); });
}

}  // namespace

void add_plot(CLI::App& app) {
  CLI::App* const command = app.add_subcommand("plot", "Draws the layers of a model, or the curves of a training");
  const auto options = std::make_shared<PlotOptions>();
  command->add_option("FILE", options->input, "A .keras or .h5 file, or the .json file of train --history")->required();
  command->add_option("--output", options->output, "The .svg file to write")->required();
  command->add_flag("--expand-nested", options->expand_nested, "Show the layers of nested models too");
  command->callback([options] { run(*options); });
}

}  // namespace rhyton::tool
