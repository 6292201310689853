#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <rhyton/datasets/dataset.h>
#include <rhyton/datasets/image_size.h>
#include <rhyton/datasets/labelled_folder.h>
#include <rhyton/framework/by_name.h>
#include <rhyton/framework/error.h>

namespace rhyton::datasets {

class ImageDatasetImpl;

/// A data set of image files. A handle.
class ImageDataset : public Dataset {
 public:
  explicit ImageDataset(const std::shared_ptr<const ImageDatasetImpl>& impl);

  /// The names of the classes, by class index; empty without labels.
  const std::vector<std::string>& class_names() const;
  /// The files, in a fixed order: that of a data set that does not shuffle.
  const std::vector<std::string>& file_paths() const;
};

/// Arguments of `image_dataset_from_directory`. Fields in the order of Keras's signature.
struct ImageDatasetOptions {
  ByName by_name = ByName();
  /// "inferred": from the names of the folders; `std::nullopt`: none; or a list with one integer per file, for the
  /// files sorted by path.
  FolderLabels labels = "inferred";
  /// "int": int32 (batch,); "categorical": float32 (batch, classes), one-hot; "binary": float32 (batch, 1), 0 or 1;
  /// `std::nullopt`: no targets.
  std::optional<std::string> label_mode = "int";
  /// The folders that are classes, by class index; with inferred labels only. If empty, all folders sorted by name.
  std::vector<std::string> class_names = {};
  /// "rgb", "rgba" or "grayscale".
  std::string color_mode = "rgb";
  std::int64_t batch_size = 32;
  /// {height, width} that images are resized to.
  ImageSize image_size = {256, 256};
  /// Shuffles the files once, and their order again in each pass.
  bool shuffle = true;
  /// From 0 to 2³² − 1. Keras makes the same split with the same seed.
  std::optional<std::int64_t> seed = std::nullopt;
  /// The fraction of the files reserved for validation, between 0 and 1.
  std::optional<double> validation_split = std::nullopt;
  /// "training" or "validation"; required with `validation_split`.
  std::optional<std::string> subset = std::nullopt;
  /// "bilinear", "nearest", "bicubic", "area", "lanczos3", "lanczos5", "gaussian" or "mitchellcubic", as in
  /// `tf.image.resize`.
  std::string interpolation = "bilinear";
  /// Follows links to folders.
  bool follow_links = false;
  /// Crops to the largest centred part with the target's proportions, instead of distorting the image.
  bool crop_to_aspect_ratio = false;
  /// Keeps the proportions and pads the image with black.
  bool pad_to_aspect_ratio = false;
  /// Prints the number of files to the standard output.
  bool verbose = true;
};

/// Decodes and resizes the image files below a folder batch by batch (`keras.utils.image_dataset_from_directory`,
/// https://keras.io/api/data_loading/image/#imagedatasetfromdirectory-function). Batches are (x, y): x float32 (batch,
/// height, width, channels), 0 to 255, uint8 with the interpolation "nearest"; y depends on `label_mode`.
///
/// ```
/// photos/cats/*.jpg
/// photos/dogs/*.png
///
/// auto train = datasets::image_dataset_from_directory(
///     "photos", {.image_size = {64, 64}, .seed = 1, .validation_split = 0.2, .subset = "training"});
/// model.fit(train, {.epochs = 5});
/// ```
///
/// Files, their order, labels and the split are Keras's for the same seed; the order of each pass is not. During a
/// pass, background threads read and decode at most three batches ahead. A file that is not an image, damaged or too
/// large makes the pass throw IOError or ResourceExhaustedError naming it. Throws NotFoundError if there is no such
/// folder, and ValueError in Keras's words for invalid options.
ImageDataset image_dataset_from_directory(const std::filesystem::path& directory,
                                          const ImageDatasetOptions& options = {});

/// The training and the validation part of the files.
struct ImageDatasetSplits {
  ImageDataset train;
  ImageDataset validation;
};

/// The same with `subset="both"`, where Keras returns two data sets. `options.validation_split` must be given; the
/// validation part does not shuffle.
///
/// ```
/// auto [train, validation] = datasets::image_datasets_from_directory("photos", {.seed = 1, .validation_split = 0.2});
/// ```
ImageDatasetSplits image_datasets_from_directory(const std::filesystem::path& directory, ImageDatasetOptions options);

}  // namespace rhyton::datasets
