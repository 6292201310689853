#include <rhyton/datasets/audio_dataset.h>

#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include <rhyton/datasets/labelled_files.h>
#include <rhyton/datasets/pipeline_stage.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/io/atomic_file.h>
#include <rhyton/framework/io/wav.h>

namespace rhyton::datasets {
namespace {

/// The files one by one.
class AudioFiles final : public DatasetImpl {
 public:
  AudioFiles(LabelledFiles files, std::optional<std::int64_t> length) : files_(std::move(files)), length_(length) {}

  BatchSpec element_spec() const override {
    BatchSpec spec = {.x = {{Shape({length_.value_or(-1), -1}), DType::float32}}, .y = files_.label_specs()};
    for (TensorSpec& label : spec.y) label.shape = label.shape.slice(1, label.shape.rank());
    return spec;
  }

  Cardinality cardinality() const override { return static_cast<std::int64_t>(files_.folder().file_paths.size()); }

  Elements iterator(std::uint64_t pass) const override {
    return elements([files = files_, length = length_, order = files_.order_of(pass),
                     next = std::size_t{0}]() mutable -> std::optional<Batch> {
      if (next == order.size()) return std::nullopt;
      return element(files, order[next++], length);
    });
  }

 private:
  static Batch element(const LabelledFiles& files, std::size_t file, std::optional<std::int64_t> length) {
    Batch batch;
    for (const TensorSpec& spec : files.label_specs()) {
      batch.y.push_back(Tensor::uninitialized(spec.shape.with(0, 1), spec.dtype));
    }
    files.write_label(file, batch, 0);
    for (Tensor& label : batch.y) label = label.reshape(label.shape().slice(1, label.rank()));
    const std::string& path = files.folder().file_paths[file];
    const std::vector<std::byte> bytes = io::read_file(path);
    try {
      batch.x = {io::decode_wav(bytes, length).samples};
    } catch (const InvalidArgumentError& error) {
      throw IOError(fmt::format("\"{}\": {}", path, error.what()));
    }
    return batch;
  }

  LabelledFiles files_;
  std::optional<std::int64_t> length_;
};

LabelledFiles all_audio_files(const std::filesystem::path& directory, const AudioDatasetOptions& options) {
  static const FileKind audio = {.extensions = {".wav"},
                                 .files = "audio files",
                                 .samples = "audio samples",
                                 .plural = "audio files",
                                 .allowed = "Allowed format(s): ('.wav',)",
                                 .article = "The "};
  if (options.ragged && options.output_sequence_length) {
    throw ValueError("Cannot set both `ragged` and `output_sequence_length`");
  }
  if (options.sampling_rate && *options.sampling_rate <= 0) {
    throw ValueError(
        fmt::format("`sampling_rate` should be higher than 0. Received: sampling_rate={}", *options.sampling_rate));
  }
  if (options.output_sequence_length && *options.output_sequence_length < 0) {
    throw ValueError(fmt::format("`output_sequence_length` must not be negative. Received: output_sequence_length={}",
                                 *options.output_sequence_length));
  }
  if (options.sampling_rate) {
    throw NotImplementedError(
        fmt::format("`sampling_rate`: files are not resampled. Received: sampling_rate={}", *options.sampling_rate));
  }
  if (options.ragged) throw NotImplementedError("`ragged`: there are no ragged tensors. Received: ragged=True");
  return {directory, audio, labelled_files_options(options, options.batch_size.value_or(1)), options.subset};
}

AudioDataset dataset_of(const LabelledFiles& files, const AudioDatasetOptions& options) {
  Pipeline audio = pipeline<AudioFiles>(files, options.output_sequence_length);
  // As many files as a batch has, so that the next one is read during a step.
  audio = audio.prefetch(options.batch_size.value_or(1));
  if (options.batch_size) {
    audio = options.output_sequence_length ? audio.batch(*options.batch_size) : audio.padded_batch(*options.batch_size);
  }
  return {audio, std::make_shared<const LabelledFolder>(files.folder())};
}

}  // namespace

AudioDataset::AudioDataset(const Pipeline& batches, std::shared_ptr<const LabelledFolder> files)
    : Pipeline(batches), files_(std::move(files)) {}

AudioDataset audio_dataset_from_directory(const std::filesystem::path& directory, const AudioDatasetOptions& options) {
  require_one_subset(options.subset, "audio_datasets_from_directory");
  return dataset_of(all_audio_files(directory, options).subset(options.subset), options);
}

AudioDatasetSplits audio_datasets_from_directory(const std::filesystem::path& directory, AudioDatasetOptions options) {
  options.subset = "both";
  const LabelledFiles::Splits files = all_audio_files(directory, options).splits();
  return {.train = dataset_of(files.train, options), .validation = dataset_of(files.validation, options)};
}

}  // namespace rhyton::datasets
