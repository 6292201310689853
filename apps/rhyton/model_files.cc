#include <rhyton/apps/rhyton/model_files.h>

#include <filesystem>
#include <string_view>
#include <vector>

#include <rhyton/apps/rhyton/messages.h>

namespace rhyton::tool {

FileKind kind_of(const std::string& path) {
  if (path.ends_with(".keras")) return FileKind::keras;
  if (path.ends_with(".weights.h5")) return FileKind::weights_h5;
  if (path.ends_with(".h5") || path.ends_with(".hdf5")) return FileKind::legacy_h5;
  return path.ends_with(".json") ? FileKind::json : FileKind::other;
}

std::string complaint_of(const std::string& path, const saving::UnknownClassesError& error) {
  std::string text = path + ": " + saving::described(error.unknown());
  if (error.is_of_compile_alone()) return text;
  return text + " The command line cannot add classes; `rhyton inspect` still shows the contents of the file";
}

models::Model load_uncompiled(const std::string& path) {
  try {
    return naming_file(path, [&] { return models::load_model(path, {.compile = false}); });
  } catch (const saving::UnknownClassesError& error) {
    throw Error(complaint_of(path, error));
  }
}

models::Model load_compiled_if_possible(const std::string& path, const std::string& consequence) {
  try {
    return models::load_model(path);
  } catch (const Error& error) {
    models::Model model = load_uncompiled(path);
    const auto* const unknown = dynamic_cast<const saving::UnknownClassesError*>(&error);
    warn(consequence + ": " + (unknown == nullptr ? error.what() : complaint_of(path, *unknown)));
    return model;
  }
}

models::Model model_from_config(const std::string& path) {
  try {
    return naming_file(path, [&] {
      const std::vector<std::byte> bytes = io::read_file(path);
      io::Json config =
          io::Json::parse(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()), path);
      if (config.is_object()) config.erase("compile_config");
      return models::model_from_json(config.dump());
    });
  } catch (const saving::UnknownClassesError& error) {
    throw Error(complaint_of(path, error));
  }
}

void require_folder_of(const std::string& path) {
  std::error_code ignored;
  const std::filesystem::path folder = std::filesystem::absolute(path).parent_path();
  if (!std::filesystem::is_directory(folder, ignored)) throw NotFoundError(path + ": there is no such folder");
  if (std::filesystem::is_directory(path, ignored)) throw IOError(path + ": is a folder");
}

}  // namespace rhyton::tool
