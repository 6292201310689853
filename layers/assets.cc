#include <rhyton/layers/assets.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include <rhyton/framework/error.h>

namespace rhyton::layers {

namespace fs = std::filesystem;

void save_assets(const AssetHolder& holder, const std::string& folder) {
  std::error_code failure;
  fs::create_directories(folder, failure);
  for (const auto& [name, content] : holder.assets()) {
    const fs::path path = fs::path(folder) / name;
    std::ofstream file(path, std::ios::binary);
    file << content;
    if (!file.flush()) throw IOError("Cannot write the file " + path.string());
  }
}

void load_assets(AssetHolder& holder, const std::string& folder) {
  holder.set_assets([&](const std::string& name) -> std::optional<std::string> {
    std::ifstream file(fs::path(folder) / name, std::ios::binary);
    if (!file) return std::nullopt;
    std::ostringstream content;
    content << file.rdbuf();
    return std::move(content).str();
  });
}

}  // namespace rhyton::layers
