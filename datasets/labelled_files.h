#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <rhyton/datasets/dataset.h>
#include <rhyton/datasets/labelled_folder.h>

namespace rhyton::datasets {

/// The arguments that functions for folders of files have in common: see `ImageDatasetOptions`.
struct LabelledFilesOptions {
  FolderLabels labels;
  std::optional<std::string> label_mode;
  std::vector<std::string> class_names;
  std::int64_t batch_size = 32;
  bool shuffle = true;
  std::optional<std::int64_t> seed;
  std::optional<double> validation_split;
  bool follow_links = false;
  bool verbose = true;
};

/// These arguments among those of a function for one kind of files.
template <class Options>
LabelledFilesOptions labelled_files_options(const Options& options, std::int64_t batch_size) {
  return {.labels = options.labels,
          .label_mode = options.label_mode,
          .class_names = options.class_names,
          .batch_size = batch_size,
          .shuffle = options.shuffle,
          .seed = options.seed,
          .validation_split = options.validation_split,
          .follow_links = options.follow_links,
          .verbose = options.verbose};
}

/// Throws ValueError for "both", which the function of that name gives.
void require_one_subset(const std::optional<std::string>& subset, const char* function_for_both);

/// The files of a data set with their labels, and their order in each pass.
class LabelledFiles {
 public:
  /// All files below `directory`. Throws as `image_dataset_from_directory`, except if there are none.
  LabelledFiles(const std::filesystem::path& directory, const FileKind& kind, const LabelledFilesOptions& options,
                const std::optional<std::string>& subset);

  /// "training", "validation", or all if not given.
  /// Throws ValueError in Keras's words if there are none.
  LabelledFiles subset(const std::optional<std::string>& subset) const;
  struct Splits;
  /// Both subsets, of which that for validation is not shuffled. Throws ValueError in Keras's words if one has no files.
  Splits splits() const;

  const LabelledFolder& folder() const { return folder_; }
  std::int64_t samples() const { return static_cast<std::int64_t>(folder_.file_paths.size()); }
  std::int64_t batch_size() const { return options_.batch_size; }
  std::int64_t batches() const { return (samples() + batch_size() - 1) / batch_size(); }

  /// The targets of batches: one tensor, or none without labels.
  std::vector<TensorSpec> label_specs() const;
  /// Writes the label of that file to a row of the targets of a batch.
  void write_label(std::size_t file, Batch& batch, std::int64_t row) const;
  /// The files in the order of that pass.
  std::vector<std::size_t> order_of(std::uint64_t pass) const;

 private:
  void shuffle();
  LabelledFiles part_named(const std::string& subset) const;
  // `part`: "", "training " or "validation ".
  void require_some(const std::string& part) const;
  std::int64_t classes() const { return static_cast<std::int64_t>(folder_.class_names.size()); }

  std::filesystem::path directory_;
  FileKind kind_;
  LabelledFilesOptions options_;
  LabelledFolder folder_;
  std::uint64_t seed_ = 0;
};

struct LabelledFiles::Splits {
  LabelledFiles train;
  LabelledFiles validation;
};

}  // namespace rhyton::datasets
