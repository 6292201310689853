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

/// A data set of audio files. A handle.
class AudioDataset : public Pipeline {
 public:
  AudioDataset(const Pipeline& batches, std::shared_ptr<const LabelledFolder> files);

  /// The names of the classes, by class index; empty without labels.
  const std::vector<std::string>& class_names() const { return files_->class_names; }
  /// The files, in a fixed order: that of a data set that does not shuffle.
  const std::vector<std::string>& file_paths() const { return files_->file_paths; }

 private:
  std::shared_ptr<const LabelledFolder> files_;
};

/// Arguments of `audio_dataset_from_directory`. Fields in the order of Keras's signature.
struct AudioDatasetOptions {
  ByName by_name = ByName();
  /// "inferred": from the names of the folders; `std::nullopt`: none; or a list with one integer per file, for the
  /// files sorted by path.
  FolderLabels labels = "inferred";
  /// "int": int32 (batch,); "categorical": float32 (batch, classes), one-hot; "binary": float32 (batch, 1), 0 or 1;
  /// `std::nullopt`: no targets.
  std::optional<std::string> label_mode = "int";
  /// The folders that are classes, by class index; with inferred labels only. If empty, all folders sorted by name.
  std::vector<std::string> class_names = {};
  /// `std::nullopt`: elements are single files, x of shape (samples, channels).
  std::optional<std::int64_t> batch_size = 32;
  /// Not implemented: files are not resampled. (Keras needs TensorFlow IO for it.)
  std::optional<std::int64_t> sampling_rate = std::nullopt;
  /// The number of samples to which files are cut, or filled up with zeros. If not given, the files of a batch are as long
  /// as the longest of them.
  std::optional<std::int64_t> output_sequence_length = std::nullopt;
  /// Not implemented: there are no ragged tensors.
  bool ragged = false;
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

/// The `.wav` files below a folder, batch by batch (`keras.utils.audio_dataset_from_directory`). Batches are (x, y): x
/// float32 (batch, samples, channels) from -1 to 1, zeros behind the end of shorter files; y depends on `label_mode`. The
/// files have 16-bit integers (PCM), as TensorFlow reads them.
///
/// ```
/// // words/yes/*.wav
/// // words/no/*.wav
/// auto train = datasets::audio_dataset_from_directory(
///     "words", {.output_sequence_length = 16000, .seed = 1, .validation_split = 0.2, .subset = "training"});
/// ```
///
/// Files, labels and the split are Keras's for the same seed; the order of each pass is not. During a pass, a background
/// thread reads ahead. A file that cannot be read, or is no such file, makes the pass throw IOError naming it; files with
/// different numbers of channels in a batch are filled up with zeros, but InvalidArgumentError with
/// `output_sequence_length`. Throws NotFoundError if there is no such folder; ValueError in Keras's words for invalid
/// options; NotImplementedError for `sampling_rate` and `ragged`.
AudioDataset audio_dataset_from_directory(const std::filesystem::path& directory,
                                          const AudioDatasetOptions& options = {});

/// The training and the validation part of the files.
struct AudioDatasetSplits {
  AudioDataset train;
  AudioDataset validation;
};

/// The same with `subset="both"`, where Keras returns two data sets. `options.validation_split` must be given; the
/// validation part does not shuffle.
AudioDatasetSplits audio_datasets_from_directory(const std::filesystem::path& directory, AudioDatasetOptions options);

}  // namespace rhyton::datasets
