#include <rhyton/datasets/text_dataset.h>

#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include <rhyton/datasets/labelled_files.h>
#include <rhyton/datasets/running_ahead.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/io/atomic_file.h>
#include <rhyton/framework/tensor/string_dtype.h>
#include <rhyton/framework/tensor/string_tensor.h>

namespace rhyton::datasets {
namespace {

std::string read_text(const std::string& path, const std::optional<std::int64_t>& max_length) {
  const std::vector<std::byte> bytes = io::read_file(path);
  std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (max_length && text.size() > static_cast<std::size_t>(*max_length)) {
    text.resize(static_cast<std::size_t>(*max_length));
  }
  return text;
}

}  // namespace

/// The files, and the form of their texts.
class TextDatasetImpl final : public DatasetImpl, public std::enable_shared_from_this<TextDatasetImpl> {
 public:
  TextDatasetImpl(LabelledFiles labelled, const TextDatasetOptions& options)
      : files(std::move(labelled)), is_batched(options.batch_size.has_value()), max_length(options.max_length) {}

  const LabelledFiles files;
  const bool is_batched;
  const std::optional<std::int64_t> max_length;

  BatchSpec element_spec() const override {
    BatchSpec spec = {.x = {{Shape({-1}), string_dtype}}, .y = files.label_specs()};
    if (is_batched) return spec;
    for (std::vector<TensorSpec>* const part : {&spec.x, &spec.y}) {
      for (TensorSpec& tensor : *part) tensor.shape = tensor.shape.slice(1, tensor.shape.rank());
    }
    return spec;
  }

  std::optional<std::int64_t> cardinality() const override { return files.batches(); }

  std::unique_ptr<BatchIterator> iterator(std::uint64_t pass) const override;

  /// The elements at these places.
  Batch batch_of(const std::vector<std::size_t>& chosen) const {
    Batch batch;
    const auto count = static_cast<std::int64_t>(chosen.size());
    for (const TensorSpec& spec : files.label_specs()) {
      batch.y.push_back(Tensor::uninitialized(spec.shape.with(0, count), spec.dtype));
    }
    std::vector<std::string> texts;
    for (const std::size_t file : chosen) {
      files.write_label(file, batch, static_cast<std::int64_t>(texts.size()));
      texts.push_back(read_text(files.folder().file_paths[file], max_length));
    }
    if (is_batched) {
      batch.x = {StringTensor(std::move(texts))};
      return batch;
    }
    batch.x = {StringTensor(std::move(texts.front()))};
    for (Tensor& label : batch.y) {
      label = Tensor::from_storage(label.shape().slice(1, label.rank()), label.dtype(), label.storage());
    }
    return batch;
  }
};

namespace {

class TextBatches final : public BatchIterator {
 public:
  TextBatches(std::shared_ptr<const TextDatasetImpl> dataset, std::vector<std::size_t> order)
      : dataset_(std::move(dataset)), order_(std::move(order)) {}

  std::optional<Batch> next() override {
    std::vector<std::size_t> chosen;
    const auto size = static_cast<std::size_t>(dataset_->files.batch_size());
    while (chosen.size() < size && next_ < order_.size()) chosen.push_back(order_[next_++]);
    if (chosen.empty()) return std::nullopt;
    return dataset_->batch_of(chosen);
  }

 private:
  std::shared_ptr<const TextDatasetImpl> dataset_;
  std::vector<std::size_t> order_;
  std::size_t next_ = 0;
};

LabelledFiles all_files(const std::filesystem::path& directory, const TextDatasetOptions& options) {
  static const FileKind texts = {.extensions = {".txt"},
                                 .files = "text files",
                                 .samples = "text samples",
                                 .plural = "text files",
                                 .allowed = "Allowed format: .txt"};
  if (options.max_length && *options.max_length < 0) {
    throw ValueError(fmt::format("`max_length` must not be negative. Received: max_length={}", *options.max_length));
  }
  return {directory, texts, labelled_files_options(options, options.batch_size.value_or(1)), options.subset};
}

const TextDatasetImpl& as_text_dataset(const DatasetImpl& impl) { return static_cast<const TextDatasetImpl&>(impl); }

}  // namespace

std::unique_ptr<BatchIterator> TextDatasetImpl::iterator(std::uint64_t pass) const {
  constexpr std::size_t batches_ahead = 2;
  return prefetched(std::make_unique<TextBatches>(shared_from_this(), files.order_of(pass)), batches_ahead);
}

TextDataset::TextDataset(const std::shared_ptr<const TextDatasetImpl>& impl) : Pipeline(impl) {}

const std::vector<std::string>& TextDataset::class_names() const {
  return as_text_dataset(impl()).files.folder().class_names;
}

const std::vector<std::string>& TextDataset::file_paths() const {
  return as_text_dataset(impl()).files.folder().file_paths;
}

TextDataset text_dataset_from_directory(const std::filesystem::path& directory, const TextDatasetOptions& options) {
  require_one_subset(options.subset, "text_datasets_from_directory");
  const LabelledFiles files = all_files(directory, options).subset(options.subset);
  return TextDataset(std::make_shared<TextDatasetImpl>(files, options));
}

TextDatasetSplits text_datasets_from_directory(const std::filesystem::path& directory, TextDatasetOptions options) {
  options.subset = "both";
  const LabelledFiles::Splits files = all_files(directory, options).splits();
  return {.train = TextDataset(std::make_shared<TextDatasetImpl>(files.train, options)),
          .validation = TextDataset(std::make_shared<TextDatasetImpl>(files.validation, options))};
}

}  // namespace rhyton::datasets
