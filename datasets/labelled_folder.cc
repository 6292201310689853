#include <rhyton/datasets/labelled_folder.h>

#include <algorithm>
#include <set>
#include <system_error>

#include <fmt/format.h>

#include <rhyton/datasets/lower_case.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/python_list.h>

namespace rhyton::datasets {
namespace {

namespace fs = std::filesystem;

bool is_of(const FileKind& kind, const std::string& file_name) {
  const std::string name = lower_case(file_name);
  return std::any_of(kind.extensions.begin(), kind.extensions.end(),
                     [&](std::string_view extension) { return name.ends_with(extension); });
}

fs::directory_iterator entries_of(const fs::path& folder) {
  std::error_code error;
  fs::directory_iterator entries(folder, error);
  if (error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory) {
    throw NotFoundError(fmt::format("no such folder: \"{}\"", folder.string()));
  }
  if (error) throw IOError(fmt::format("cannot read the folder \"{}\": {}", folder.string(), error.message()));
  return entries;
}

/// The names of the subfolders, sorted.
std::vector<std::string> folders_in(const fs::path& directory) {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : entries_of(directory)) {
    std::error_code error;
    const std::string name = entry.path().filename().string();
    if (!name.starts_with('.') && entry.is_directory(error)) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// Finds the files of a kind below a folder at any depth.
class Search {
 public:
  Search(const FileKind& kind, bool follow_links) : kind_(kind), follow_links_(follow_links) {}

  /// Sorted by folder, and within a folder by name.
  std::vector<std::string> files_below(const fs::path& top) {
    visit(top);
    std::sort(found_.begin(), found_.end());
    std::vector<std::string> paths;
    for (const auto& [folder, name] : found_) paths.push_back((fs::path(folder) / name).string());
    return paths;
  }

 private:
  void visit(const fs::path& folder) {
    // A link to a parent folder would lead to endless recursion.
    if (follow_links_ && !visited_.insert(fs::canonical(folder).string()).second) return;
    for (const fs::directory_entry& entry : entries_of(folder)) {
      std::error_code error;
      const std::string name = entry.path().filename().string();
      if (!entry.is_directory(error)) {
        if (is_of(kind_, name)) found_.emplace_back(folder.string(), name);
      } else if (follow_links_ || !entry.is_symlink(error)) {
        visit(entry.path());
      }
    }
  }

  const FileKind& kind_;
  bool follow_links_;
  std::set<std::string> visited_;
  std::vector<std::pair<std::string, std::string>> found_;
};

std::vector<std::string> classes_in(const fs::path& directory, const std::vector<std::string>& class_names) {
  std::vector<std::string> folders = folders_in(directory);
  if (class_names.empty()) return folders;
  for (const std::string& name : class_names) {
    if (!std::binary_search(folders.begin(), folders.end(), name)) {
      throw ValueError(
          "The `class_names` passed did not match the names of the subdirectories of the target directory. Expected: " +
          python_list(folders) + " (or a subset of it), but received: class_names=" + python_list(class_names));
    }
  }
  return class_names;
}

}  // namespace

void require_labels(const FolderLabels& labels, const FileKind& kind) {
  if (!labels.are_inferred() || labels.text() == "inferred") return;
  throw ValueError(fmt::format(
      "{}`labels` argument should be a list/tuple of integer labels, of the same size as the number of {} in the "
      "target "
      "directory. If you wish to infer the labels from the subdirectory names in the target directory, pass "
      "`labels=\"inferred\"`. If you wish to get a dataset that only contains {} (no labels), pass `labels=None`. "
      "Received: labels={}",
      kind.article, kind.files, kind.samples, labels.text()));
}

LabelledFolder labelled_folder(const fs::path& directory, const FileKind& kind, const FolderLabels& labels,
                               const std::vector<std::string>& class_names, bool follow_links) {
  LabelledFolder folder;
  if (labels.are_inferred()) {
    folder.class_names = classes_in(directory, class_names);
    for (std::size_t i = 0; i < folder.class_names.size(); ++i) {
      const std::vector<std::string> files = Search(kind, follow_links).files_below(directory / folder.class_names[i]);
      folder.file_paths.insert(folder.file_paths.end(), files.begin(), files.end());
      folder.labels.insert(folder.labels.end(), files.size(), static_cast<std::int32_t>(i));
    }
    return folder;
  }
  if (!class_names.empty()) {
    throw ValueError(labels.are_none()
                         ? "When `labels=None` (no labels), argument `class_names` cannot be specified."
                         : "You can only pass `class_names` if `labels=\"inferred\"`. Received: class_names=" +
                               python_list(class_names));
  }
  folder.file_paths = Search(kind, follow_links).files_below(directory);
  if (labels.are_none()) return folder;
  if (labels.list().size() != folder.file_paths.size()) {
    throw ValueError(fmt::format(
        "Expected the lengths of `labels` to match the number of files in the target directory. len(labels) is {} "
        "while we found {} files in directory {}.",
        labels.list().size(), folder.file_paths.size(), directory.string()));
  }
  folder.labels.assign(labels.list().begin(), labels.list().end());
  for (const int label : std::set<int>(folder.labels.begin(), folder.labels.end())) {
    folder.class_names.push_back(std::to_string(label));
  }
  return folder;
}

}  // namespace rhyton::datasets
