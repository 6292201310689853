#pragma once

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rhyton::datasets {

/// The source of labels: the folders' names, a list, or none.
class FolderLabels {
 public:
  /// From the folders' names.
  FolderLabels() = default;
  /// The same for "inferred". Functions that take labels throw ValueError in Keras's words for another text.
  FolderLabels(const char* inferred) : text_(inferred) {}                             // NOLINT
  FolderLabels(std::nullopt_t) : kind_(Kind::none) {}                                 // NOLINT
  FolderLabels(std::vector<int> list) : kind_(Kind::list), list_(std::move(list)) {}  // NOLINT
  FolderLabels(std::initializer_list<int> list) : kind_(Kind::list), list_(list) {}   // NOLINT

  bool are_inferred() const { return kind_ == Kind::inferred; }
  bool are_none() const { return kind_ == Kind::none; }
  /// One per file, in the order of `labelled_folder`.
  const std::vector<int>& list() const { return list_; }
  /// What was given as a text.
  const std::string& text() const { return text_; }

 private:
  enum class Kind : std::uint8_t { inferred, none, list };
  Kind kind_ = Kind::inferred;
  std::string text_ = "inferred";
  std::vector<int> list_;
};

/// A kind of files, in the words of Keras's messages.
struct FileKind {
  /// In lower case, sorted.
  std::vector<std::string_view> extensions;
  /// "image files", and what they are in a data set without labels: "images".
  std::string_view files;
  std::string_view samples;
  /// As what they are not found, and where that message ends: "Allowed format: .txt".
  std::string_view plural;
  std::string_view allowed;
  /// What is in front of "`labels` argument".
  std::string_view article = "";
};

/// The files of a folder.
struct LabelledFolder {
  std::vector<std::string> file_paths;
  /// One per file, or empty.
  std::vector<std::int32_t> labels;
  /// Empty without labels.
  std::vector<std::string> class_names;
};

/// Lists the files of that kind below `directory`, in Keras's order. With inferred labels, each folder directly in
/// `directory` is a class, in the order of `class_names` or sorted by name; folders whose name begins with a dot are
/// skipped. Throws NotFoundError if there is no such folder; ValueError in Keras's words if class names or labels do
/// not match the folder.
LabelledFolder labelled_folder(const std::filesystem::path& directory, const FileKind& kind, const FolderLabels& labels,
                               const std::vector<std::string>& class_names, bool follow_links);

/// Throws ValueError in Keras's words for labels given as a text other than "inferred".
void require_labels(const FolderLabels& labels, const FileKind& kind);

}  // namespace rhyton::datasets
