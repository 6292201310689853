#include <rhyton/datasets/file_sources.h>

#include <memory>
#include <utility>

#include <rhyton/datasets/pipeline_stage.h>
#include <rhyton/datasets/tf_record.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/io/sequential_file.h>
#include <rhyton/framework/tensor/string_dtype.h>

namespace rhyton::datasets {
namespace {

/// The strings of one file. `Reader` has `next()`, which returns them one after the other and then none.
template <class Reader>
class FileContent final : public DatasetImpl {
 public:
  FileContent(std::string path, std::string compression_type)
      : path_(std::move(path)), compression_type_(std::move(compression_type)) {}

  BatchSpec element_spec() const override { return {.x = {{.shape = {}, .dtype = string_dtype}}}; }

  Elements iterator(std::uint64_t /*pass*/) const override {
    return elements([path = path_, compression_type = compression_type_,
                     reader = std::shared_ptr<Reader>()]() mutable -> std::optional<Batch> {
      if (reader == nullptr)
        reader = std::make_shared<Reader>(path, TFRecordOptions{.compression_type = compression_type});
      std::optional<std::string> text = reader->next();
      if (!text) return std::nullopt;
      return Batch{.x = {StringTensor(std::move(*text))}};
    });
  }

 private:
  std::string path_;
  std::string compression_type_;
};

class LineReader {
 public:
  LineReader(const std::string& path, const TFRecordOptions& options)
      : file_(path, io::find_compression(options.compression_type).value()) {}

  std::optional<std::string> next() {
    std::optional<std::string> line = file_.read_line();
    if (!line) return line;
    const bool is_finished = line->ends_with('\n');
    std::erase_if(*line, [](char c) { return c == '\r' || c == '\n'; });
    // A last "\r" is no line.
    if (!is_finished && line->empty()) return std::nullopt;
    return line;
  }

 private:
  io::SequentialFile file_;
};

/// The names of files as a pipeline.
Pipeline names_of(const StringTensor& filenames) {
  return from_tensor_slices(filenames.rank() == 0 ? filenames.reshape({1}) : filenames);
}

template <class Reader>
Pipeline contents_of(const Pipeline& filenames, const FileSourceOptions& options) {
  if (!io::find_compression(options.compression_type)) throw InvalidArgumentError("Unsupported compression_type.");
  return filenames.interleave(
      [compression_type = options.compression_type](const Tensor& filename) {
        return pipeline<FileContent<Reader>>(StringTensor::of(filename).item(), compression_type);
      },
      {.cycle_length = options.num_parallel_reads.value_or(1)});
}

}  // namespace

TextLineDataset::TextLineDataset(const StringTensor& filenames, const FileSourceOptions& options)
    : Pipeline(contents_of<LineReader>(names_of(filenames), options)) {}

TextLineDataset::TextLineDataset(const Dataset& filenames, const FileSourceOptions& options)
    : Pipeline(contents_of<LineReader>(Pipeline(filenames), options)) {}

TFRecordDataset::TFRecordDataset(const StringTensor& filenames, const FileSourceOptions& options)
    : Pipeline(contents_of<TFRecordReader>(names_of(filenames), options)) {}

TFRecordDataset::TFRecordDataset(const Dataset& filenames, const FileSourceOptions& options)
    : Pipeline(contents_of<TFRecordReader>(Pipeline(filenames), options)) {}

}  // namespace rhyton::datasets
