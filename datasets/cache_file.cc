#include <rhyton/datasets/cache_file.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <rhyton/datasets/pipeline_stage.h>
#include <rhyton/datasets/tf_record.h>
#include <rhyton/framework/error.h>

namespace rhyton::datasets {
namespace {

constexpr std::string_view first_record = "rhyton cache 1";

void put(std::string& text, std::int64_t number) {
  text.append(reinterpret_cast<const char*>(&number), sizeof(number));
}

/// The element as bytes: for each part the number of tensors, for each tensor dtype, rank, lengths and elements.
std::string record_of(const Batch& element) {
  std::string record;
  for (const auto part : {&Batch::x, &Batch::y, &Batch::sample_weight}) {
    put(record, static_cast<std::int64_t>((element.*part).size()));
    for (const Tensor& tensor : element.*part) {
      put(record, static_cast<std::int64_t>(tensor.dtype()));
      put(record, tensor.rank());
      for (const std::int64_t length : tensor.shape()) put(record, length);
      record.append(static_cast<const char*>(tensor.raw_data()), tensor.spec().bytes());
    }
  }
  return record;
}

/// Reads a record from the front. Throws IOError for one that does not have the tensors of `spec`.
class ElementReader {
 public:
  ElementReader(std::string_view record, const std::filesystem::path& file) : rest_(record), file_(file) {}

  Batch read(const BatchSpec& spec) {
    Batch element = {.x = tensors(spec.x),
                     .y = tensors(spec.y),
                     .sample_weight = tensors(spec.sample_weight),
                     .x_names = spec.x_names,
                     .y_names = spec.y_names};
    require(rest_.empty());
    return element;
  }

 private:
  std::vector<Tensor> tensors(const std::vector<TensorSpec>& specs) {
    require(number() == static_cast<std::int64_t>(specs.size()));
    std::vector<Tensor> all;
    for (const TensorSpec& spec : specs) {
      require(number() == static_cast<std::int64_t>(spec.dtype) && number() == spec.shape.rank());
      Shape shape = spec.shape;
      std::size_t bytes = size_of(spec.dtype);
      for (int axis = 0; axis < shape.rank(); ++axis) {
        const std::int64_t length = number();
        require(length >= 0);
        require(length == 0 || bytes <= rest_.size() / static_cast<std::size_t>(length));
        bytes *= static_cast<std::size_t>(length);
        shape = shape.with(axis, length);
      }
      require(bytes <= rest_.size());
      Tensor tensor = Tensor::uninitialized(shape, spec.dtype);
      if (bytes > 0) std::memcpy(tensor.mutable_raw_data(), rest_.data(), bytes);
      rest_.remove_prefix(bytes);
      all.push_back(std::move(tensor));
    }
    return all;
  }

  std::int64_t number() {
    std::int64_t value = 0;
    require(rest_.size() >= sizeof(value));
    std::memcpy(&value, rest_.data(), sizeof(value));
    rest_.remove_prefix(sizeof(value));
    return value;
  }

  void require(bool holds) const {
    if (holds) return;
    throw IOError(
        fmt::format("The elements in the cache \"{}\" have other dtypes or ranks than those of the "
                    "pipeline. Remove the file if the pipeline has changed.",
                    file_.string()));
  }

  std::string_view rest_;
  const std::filesystem::path& file_;
};

class CachedInFile final : public Stage {
 public:
  CachedInFile(const Dataset& source, std::filesystem::path file) : Stage(source), file_(std::move(file)) {}

  Elements iterator(std::uint64_t pass) const override {
    if (std::filesystem::exists(file_)) return from_file();
    return elements([from = shared(source().iterator(pass)), file = file_,
                     writer = std::shared_ptr<TFRecordWriter>()]() mutable -> std::optional<Batch> {
      if (from == nullptr) return std::nullopt;
      if (writer == nullptr) {
        writer = std::make_shared<TFRecordWriter>(file);
        writer->write(first_record);
      }
      std::optional<Batch> element = from->next();
      if (element) {
        writer->write(record_of(*element));
      } else {
        writer->close();
        from = nullptr;
      }
      return element;
    });
  }

 private:
  Elements from_file() const {
    auto reader = std::make_shared<TFRecordReader>(file_);
    const std::optional<std::string> first = reader->next();
    if (first != first_record) {
      throw IOError(fmt::format("\"{}\" is not the cache of a pipeline.", file_.string()));
    }
    return elements([reader, file = file_, spec = element_spec()]() -> std::optional<Batch> {
      const std::optional<std::string> record = reader->next();
      if (!record) return std::nullopt;
      return ElementReader(*record, file).read(spec);
    });
  }

  std::filesystem::path file_;
};

}  // namespace

Pipeline cached_in_file(const Dataset& source, const std::filesystem::path& file) {
  return pipeline<CachedInFile>(source, file);
}

Pipeline Pipeline::cache(const std::filesystem::path& file) const { return cached_in_file(*this, file); }

}  // namespace rhyton::datasets
