// rhyton convert: writes a model, or its weights, in another of Keras's file formats.

#include <memory>
#include <string>
#include <string_view>

#include <rhyton/apps/rhyton/commands.h>
#include <rhyton/apps/rhyton/messages.h>
#include <rhyton/apps/rhyton/model_files.h>
#include <rhyton/rhyton.h>

namespace rhyton::tool {
namespace {

struct ConvertOptions {
  std::string input;
  std::string output;
  std::string architecture;
};

constexpr const char* without_training = "The compile configuration of the model is omitted";

/// The model that config.json describes, compiled if its compile configuration can be created.
models::Model architecture_of(const std::string& path) {
  try {
    const std::vector<std::byte> bytes = io::read_file(path);
    return models::model_from_json(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  } catch (const saving::UnknownClassesError& error) {
    models::Model model = model_from_config(path);
    warn(without_training + std::string(": ") + complaint_of(path, error));
    return model;
  } catch (const Error& error) {
    throw Error(path + ": " + error.what());
  }
}

/// The model that config.json describes, with the weights of `options.input`.
models::Model put_together(const ConvertOptions& options) {
  models::Model model = architecture_of(options.architecture);
  naming_file(options.input, [&] { model.load_weights(options.input); });
  return model;
}

void check_usage(const ConvertOptions& options) {
  const FileKind from = kind_of(options.input);
  const FileKind to = kind_of(options.output);
  if (from == FileKind::other || from == FileKind::json) {
    throw CLI::ValidationError("IN", options.input + " is not a .keras, .h5 or .weights.h5 file");
  }
  if (to == FileKind::other) {
    throw CLI::ValidationError("OUT", options.output + " is not a .keras, .h5, .weights.h5 or .json file");
  }
  if (from == FileKind::weights_h5 && options.architecture.empty()) {
    throw CLI::ValidationError(
        "IN", options.input + " contains only weights: give their model with --architecture config.json");
  }
  if (from == FileKind::keras && !options.architecture.empty()) {
    throw CLI::ValidationError("--architecture", options.input + " already has an architecture");
  }
}

void run(const ConvertOptions& options) {
  check_usage(options);
  require_folder_of(options.output);
  const models::Model model =
      options.architecture.empty() ? load_compiled_if_possible(options.input, without_training) : put_together(options);
  naming_file(options.output, [&] {
    switch (kind_of(options.output)) {
      case FileKind::weights_h5:
        return model.save_weights(options.output);
      case FileKind::json:
        return io::write_file(options.output, std::string_view(model.to_json()));
      default:
        return model.save(options.output);
    }
  });
}

}  // namespace

void add_convert(CLI::App& app) {
  CLI::App* const command = app.add_subcommand("convert", "Writes a model in another form; the endings say which");
  const auto options = std::make_shared<ConvertOptions>();
  command->add_option("IN", options->input, "A .keras, .h5 or .weights.h5 file")->required();
  command->add_option("OUT", options->output, "A .keras, .h5, .weights.h5 or .json (architecture alone) file")
      ->required();
  command->add_option("--architecture", options->architecture,
                      "The config.json of the model, if IN contains only weights");
  command->callback([options] { run(*options); });
}

}  // namespace rhyton::tool
