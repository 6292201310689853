#pragma once

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rhyton::datasets {

/// Where labels come from: the folders' names, a list, or there are none.
class FolderLabels {
 public:
  /// From the folders' names.
  FolderLabels() = default;
  /// Of "inferred" the same. Throws ValueError in Keras's words for another text.
  FolderLabels(const char* inferred);                                                 // NOLINT
  FolderLabels(std::nullopt_t) : kind_(Kind::none) {}                                 // NOLINT
  FolderLabels(std::vector<int> list) : kind_(Kind::list), list_(std::move(list)) {}  // NOLINT
  FolderLabels(std::initializer_list<int> list) : kind_(Kind::list), list_(list) {}   // NOLINT

  bool are_inferred() const { return kind_ == Kind::inferred; }
  bool are_none() const { return kind_ == Kind::none; }
  /// One for each file, in the order of `image_folder`.
  const std::vector<int>& list() const { return list_; }

 private:
  enum class Kind : std::uint8_t { inferred, none, list };
  Kind kind_ = Kind::inferred;
  std::vector<int> list_;
};

/// The image files of a folder.
struct ImageFolder {
  std::vector<std::string> file_paths;
  /// One for each file, or none at all.
  std::vector<std::int32_t> labels;
  /// Empty without labels.
  std::vector<std::string> class_names;
};

/// The files below `directory` that end in .bmp, .gif, .jpeg, .jpg or .png, in Keras's order. With inferred labels,
/// each folder directly in `directory` is a class, in the order of `class_names` or else of their names; folders whose
/// name begins with a dot are none. Throws NotFoundError where there is no such folder; ValueError in Keras's words
/// where class names or labels do not fit what is there.
ImageFolder image_folder(const std::filesystem::path& directory, const FolderLabels& labels,
                         const std::vector<std::string>& class_names, bool follow_links);

}  // namespace rhyton::datasets
