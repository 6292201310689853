#pragma once

#include <array>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include <rhyton/datasets/image_data.h>
#include <rhyton/framework/error.h>

namespace rhyton::datasets {

/// One file of a data set.
struct DatasetFile {
  /// Without the folder, and for IDX files without ".gz".
  std::string name;
  /// The checksum of the compressed file on the mirrors.
  std::string sha256;
};

/// A data set of 28 × 28 images in four IDX files, such as MNIST.
struct IdxDataset {
  /// The name in messages: "MNIST".
  std::string title;
  /// The name of its folder among the data sets.
  std::string folder;
  /// Training images, training labels, test images, test labels.
  std::array<DatasetFile, 4> files;
  /// The URLs below which the four compressed files are; each ends with a slash.
  std::vector<std::string> mirrors;
  /// The same data in Keras's form, one `.npz` file in the cache folder, if there is such a file.
  std::optional<DatasetFile> npz = std::nullopt;
  /// The URL of the `.npz` file, tried last.
  std::string npz_url = {};
};

/// Loads the data set from the first of these places that has it: `dataset_folders()`, the cache folder (first the four
/// files, then Keras's `.npz` file), the mirrors; downloaded files stay in the cache folder. `progress` receives the
/// download's progress bar, or is nullptr. Throws IOError naming the file when an existing file is damaged (the next
/// place is then not tried) or when every download fails; NotFoundError when a folder has only some of the files.
Splits load_idx_dataset(const IdxDataset& dataset, std::ostream* progress);

}  // namespace rhyton::datasets
