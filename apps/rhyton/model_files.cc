#include <rhyton/apps/rhyton/model_files.h>

#include <filesystem>

#include <rhyton/apps/rhyton/messages.h>

namespace rhyton::tool {

FileKind kind_of(const std::string& path) {
  if (path.ends_with(".keras")) return FileKind::keras;
  if (path.ends_with(".weights.h5")) return FileKind::weights_h5;
  if (path.ends_with(".h5") || path.ends_with(".hdf5")) return FileKind::legacy_h5;
  return path.ends_with(".json") ? FileKind::json : FileKind::other;
}

models::Model load_model(const std::string& path) {
  return naming_file(path, [&] { return models::load_model(path); });
}

void require_folder_of(const std::string& path) {
  std::error_code ignored;
  const std::filesystem::path folder = std::filesystem::absolute(path).parent_path();
  if (!std::filesystem::is_directory(folder, ignored)) throw NotFoundError(path + ": there is no such folder");
  if (std::filesystem::is_directory(path, ignored)) throw IOError(path + ": is a folder");
}

}  // namespace rhyton::tool
