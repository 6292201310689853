#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

namespace rhyton::layers {

/// What layers implement that keep files besides their weights, such as a vocabulary: in a `.keras` archive they are in
/// the folder `assets`, below the path of the layer (Keras's `save_assets` and `load_assets`).
class AssetHolder {
 public:
  /// Returns the content of the file of that name; none if there is none.
  using ReadAsset = std::function<std::optional<std::string>(const std::string& name)>;

  AssetHolder() = default;
  virtual ~AssetHolder() = default;
  AssetHolder(const AssetHolder&) = delete;
  AssetHolder& operator=(const AssetHolder&) = delete;

  /// The files by their names.
  virtual std::map<std::string, std::string> assets() const = 0;
  /// Takes over what the files hold. Throws NotFoundError for a missing one, ValueError for one that does not fit.
  virtual void set_assets(const ReadAsset& read) = 0;
};

/// Writes the files to a folder, which is created. Throws IOError.
void save_assets(const AssetHolder& holder, const std::string& folder);
/// Takes them over from there. Throws as `AssetHolder::set_assets`.
void load_assets(AssetHolder& holder, const std::string& folder);

}  // namespace rhyton::layers
