#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <rhyton/datasets/labelled_folder.h>
#include <rhyton/datasets/pipeline.h>
#include <rhyton/framework/by_name.h>

namespace rhyton::datasets {

class TextDatasetImpl;

/// A data set of text files. A handle.
class TextDataset : public Pipeline {
 public:
  explicit TextDataset(const std::shared_ptr<const TextDatasetImpl>& impl);

  /// The names of the classes, by class index; empty without labels.
  const std::vector<std::string>& class_names() const;
  /// The files, in a fixed order: that of a data set that does not shuffle.
  const std::vector<std::string>& file_paths() const;
};

/// Arguments of `text_dataset_from_directory`. Fields in the order of Keras's signature.
struct TextDatasetOptions {
  ByName by_name = ByName();
  /// "inferred": from the names of the folders; `std::nullopt`: none; or a list with one integer per file, for the
  /// files sorted by path.
  FolderLabels labels = "inferred";
  /// "int": int32 (batch,); "categorical": float32 (batch, classes), one-hot; "binary": float32 (batch, 1), 0 or 1;
  /// `std::nullopt`: no targets.
  std::optional<std::string> label_mode = "int";
  /// The folders that are classes, by class index; with inferred labels only. If empty, all folders sorted by name.
  std::vector<std::string> class_names = {};
  /// `std::nullopt`: elements are single texts, of shape ().
  std::optional<std::int64_t> batch_size = 32;
  /// The bytes after which texts are cut.
  std::optional<std::int64_t> max_length = std::nullopt;
  /// Shuffles the files once, and their order again in each pass.
  bool shuffle = true;
  /// From 0 to 2³² − 1. Keras makes the same split with the same seed.
  std::optional<std::int64_t> seed = std::nullopt;
  /// The fraction of the files reserved for validation, between 0 and 1.
  std::optional<double> validation_split = std::nullopt;
  /// "training" or "validation"; required with `validation_split`.
  std::optional<std::string> subset = std::nullopt;
  /// Follows links to folders.
  bool follow_links = false;
  /// Prints the number of files to the standard output.
  bool verbose = true;
};

/// The texts of the `.txt` files below a folder, batch by batch (`keras.utils.text_dataset_from_directory`,
/// https://keras.io/api/data_loading/text/#textdatasetfromdirectory-function). Batches are (x, y): x strings (batch,);
/// y depends on `label_mode`. They go into a model with an `Input` of strings, or through `map`:
///
/// ```
/// reviews/negative/*.txt
/// reviews/positive/*.txt
///
/// auto train = datasets::text_dataset_from_directory(
///     "reviews", {.seed = 1, .validation_split = 0.2, .subset = "training"});
/// vectorize.adapt(train);
/// model.fit(train.map([&](const Tensor& texts, const Tensor& labels) { return std::pair(vectorize(texts), labels); }));
/// ```
///
/// Files, their order, labels and the split are Keras's for the same seed; the order of each pass is not. During a
/// pass, a background thread reads two batches ahead. A file that cannot be read makes the pass throw IOError naming
/// it. Throws NotFoundError if there is no such folder, and ValueError in Keras's words for invalid options.
TextDataset text_dataset_from_directory(const std::filesystem::path& directory, const TextDatasetOptions& options = {});

/// The training and the validation part of the files.
struct TextDatasetSplits {
  TextDataset train;
  TextDataset validation;
};

/// The same with `subset="both"`, where Keras returns two data sets. `options.validation_split` must be given; the
/// validation part does not shuffle.
TextDatasetSplits text_datasets_from_directory(const std::filesystem::path& directory, TextDatasetOptions options);

}  // namespace rhyton::datasets
