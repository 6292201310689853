#pragma once

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rhyton::datasets {

/// The source of labels: the folders' names, a list, or none.
class FolderLabels {
 public:
  /// From the folders' names.
  FolderLabels() = default;
  /// The same for "inferred". Throws ValueError in Keras's words for another text.
  FolderLabels(const char* inferred);                                                 // NOLINT
  FolderLabels(std::nullopt_t) : kind_(Kind::none) {}                                 // NOLINT
  FolderLabels(std::vector<int> list) : kind_(Kind::list), list_(std::move(list)) {}  // NOLINT
  FolderLabels(std::initializer_list<int> list) : kind_(Kind::list), list_(list) {}   // NOLINT

  bool are_inferred() const { return kind_ == Kind::inferred; }
  bool are_none() const { return kind_ == Kind::none; }
  /// One per file, in the order of `image_folder`.
  const std::vector<int>& list() const { return list_; }

 private:
  enum class Kind : std::uint8_t { inferred, none, list };
  Kind kind_ = Kind::inferred;
  std::vector<int> list_;
};

/// The image files of a folder.
struct ImageFolder {
  std::vector<std::string> file_paths;
  /// One per file, or empty.
  std::vector<std::int32_t> labels;
  /// Empty without labels.
  std::vector<std::string> class_names;
};

/// Lists the files below `directory` that end in .bmp, .gif, .jpeg, .jpg or .png, in Keras's order. With inferred
/// labels, each folder directly in `directory` is a class, in the order of `class_names` or sorted by name; folders
/// whose name begins with a dot are skipped. Throws NotFoundError if there is no such folder; ValueError in Keras's
/// words if class names or labels do not match the folder.
ImageFolder image_folder(const std::filesystem::path& directory, const FolderLabels& labels,
                         const std::vector<std::string>& class_names, bool follow_links);

}  // namespace rhyton::datasets
