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
  /// Without folder, and for IDX files without ".gz".
  std::string name;
  /// Of the file as the mirrors have it, packed.
  std::string sha256;
};

/// A data set of 28 × 28 images in four IDX files: what MNIST and its relatives have in common.
struct IdxDataset {
  /// As people call it: "MNIST".
  std::string title;
  /// The name of its folder among the data sets.
  std::string folder;
  /// Training images, training labels, test images, test labels.
  std::array<DatasetFile, 4> files;
  /// Addresses below which the four files lie, packed; each ends with a slash.
  std::vector<std::string> mirrors;
  /// The same data as Keras keeps them, one `.npz` file in the cache folder, where there is such a file.
  std::optional<DatasetFile> npz = std::nullopt;
  /// The address of the `.npz` file, the last resort.
  std::string npz_url = {};
};

/// Loads the data set from the first of these places that has it: `dataset_folders()`, the cache folder (there the four
/// files, then Keras's `.npz` file), the mirrors; what is downloaded stays in the cache folder. `progress` is where the
/// download's progress bar goes, or nullptr. Throws IOError naming the file when a file that is there is damaged (the
/// next place is then not tried) or when every download fails; NotFoundError when a folder has some of the files only.
Splits load_idx_dataset(const IdxDataset& dataset, std::ostream* progress);

}  // namespace rhyton::datasets
