#include <rhyton/models/training/batches.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>
#include <utility>

#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/random/philox.h>
#include <rhyton/framework/tensor/string_dtype.h>
#include <rhyton/framework/tensor/string_tensor.h>

namespace rhyton::training {
namespace {

std::int64_t samples_of(const Tensor& array) {
  if (!array.is_concrete() || array.rank() == 0) {
    throw ValueError("Arrays for training, evaluation and prediction must have at least one axis, the samples.");
  }
  return array.shape()[0];
}

bool is_string(const Tensor& array) { return array.dtype() == string_dtype; }

/// "'x' sizes: 3, 4\n'y' sizes: 5\n"
std::string sizes_of(const BatchParts<Tensor>& arrays) {
  std::string text;
  for_each_part(
      [&](const char* name, const std::vector<Tensor>& part) {
        if (part.empty()) return;
        text += std::string("'") + name + "' sizes: ";
        for (std::size_t i = 0; i < part.size(); ++i) text += (i > 0 ? ", " : "") + std::to_string(samples_of(part[i]));
        text += "\n";
      },
      arrays);
  return text;
}

}  // namespace

std::vector<TensorSpec> specs_of(const std::vector<Tensor>& tensors) {
  std::vector<TensorSpec> specs;
  for (const Tensor& tensor : tensors) specs.push_back(tensor.spec());
  return specs;
}

std::size_t sample_bytes(const Tensor& array) {
  return array.spec().bytes() / static_cast<std::size_t>(std::max<std::int64_t>(1, array.shape()[0]));
}

Batches::Batches(BatchParts<Tensor> arrays, std::int64_t batch_size)
    : parts_(std::move(arrays)), arrays_(flat(parts_)), batch_size_(batch_size) {
  if (arrays_.empty()) throw ValueError("No data was given.");
  samples_ = samples_of(arrays_.front());
  for (const Tensor& array : arrays_) {
    if (samples_of(array) != samples_) {
      throw ValueError("Data cardinality is ambiguous. Make sure all arrays contain the same number of samples." +
                       sizes_of(parts_));
    }
  }
  if (samples_ == 0) throw ValueError("The data is empty: the arrays have 0 samples.");
  if (batch_size <= 0) {
    throw ValueError("`batch_size` must be a positive integer. Received: batch_size=" + std::to_string(batch_size));
  }
  batch_size_ = std::min(batch_size_, samples_);
  pointers_.resize(arrays_.size());
}

std::int64_t Batches::size_of(std::int64_t batch) const {
  return std::min(batch_size_, samples_ - batch * batch_size_);
}

void Batches::shuffle(std::uint64_t key) {
  permutation_.resize(static_cast<std::size_t>(samples_));
  std::iota(permutation_.begin(), permutation_.end(), std::int64_t{0});
  // Fisher-Yates shuffle.
  random::PhiloxSequence random(key);
  for (std::int64_t i = samples_ - 1; i > 0; --i) {
    const auto j = static_cast<std::size_t>(random.next_below(static_cast<std::uint64_t>(i) + 1));
    std::swap(permutation_[static_cast<std::size_t>(i)], permutation_[j]);
  }
  if (gathered_.empty()) {
    for (const TensorSpec& spec : flat(specs(batch_size_))) {
      gathered_.push_back(spec.dtype == string_dtype ? Tensor() : Tensor::uninitialized(spec.shape, spec.dtype));
    }
  }
}

const std::vector<const void*>& Batches::pointers(std::int64_t batch) {
  const std::int64_t first = batch * batch_size_;
  if (permutation_.empty()) {
    for (std::size_t a = 0; a < arrays_.size(); ++a) {
      if (is_string(arrays_[a])) continue;
      pointers_[a] = static_cast<const std::byte*>(arrays_[a].raw_data()) +
                     static_cast<std::size_t>(first) * sample_bytes(arrays_[a]);
    }
    return pointers_;
  }
  const std::int64_t count = size_of(batch);
  for (std::size_t a = 0; a < arrays_.size(); ++a) {
    if (is_string(arrays_[a])) continue;
    const std::size_t bytes = sample_bytes(arrays_[a]);
    const auto* from = static_cast<const std::byte*>(arrays_[a].raw_data());
    auto* to = static_cast<std::byte*>(gathered_[a].mutable_raw_data());
    for (std::int64_t i = 0; i < count; ++i) {
      const auto sample = static_cast<std::size_t>(permutation_[static_cast<std::size_t>(first + i)]);
      std::memcpy(to + static_cast<std::size_t>(i) * bytes, from + sample * bytes, bytes);
    }
    pointers_[a] = to;
  }
  return pointers_;
}

BatchParts<Tensor> Batches::tensors(std::int64_t batch) {
  auto from = pointers(batch).begin();
  auto array = arrays_.begin();
  return map_parts(specs(size_of(batch)), [&](const TensorSpec& spec) {
    const Tensor& whole = *array++;
    if (is_string(whole)) {
      ++from;
      return strings(StringTensor::of(whole), batch);
    }
    Tensor tensor = Tensor::uninitialized(spec.shape, spec.dtype);
    std::memcpy(tensor.mutable_raw_data(), *from++, spec.bytes());
    return tensor;
  });
}

Tensor Batches::strings(const StringTensor& array, std::int64_t batch) const {
  const std::int64_t first = batch * batch_size_;
  const std::int64_t count = size_of(batch);
  if (permutation_.empty()) return array.slice(first, first + count);
  return array.gather({permutation_.data() + first, static_cast<std::size_t>(count)});
}

BatchParts<Tensor> Batches::arrays_on(LogicalDevice& device) const {
  return map_parts(parts_, [&](const Tensor& array) { return array.to(device); });
}

std::size_t Batches::bytes() const {
  std::size_t bytes = 0;
  for (const Tensor& array : arrays_) bytes += array.spec().bytes();
  return bytes;
}

Tensor Batches::order() const {
  if (!permutation_.empty()) return Tensor::from_data(Shape{samples_}, permutation_);
  std::vector<std::int64_t> order(static_cast<std::size_t>(samples_));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  return Tensor::from_data(Shape{samples_}, order);
}

BatchParts<TensorSpec> Batches::specs(std::int64_t samples) const {
  return map_parts(parts_, [&](const Tensor& array) {
    return TensorSpec{array.shape().with(0, samples), array.dtype()};
  });
}

SplitArrays split_arrays(const BatchParts<Tensor>& arrays, std::int64_t split) {
  const auto rows = [](const Tensor& array, std::int64_t first, std::int64_t last) -> Tensor {
    if (is_string(array)) return StringTensor::of(array).slice(first, last);
    return Tensor::from_storage(array.shape().with(0, last - first), array.dtype(), array.storage(),
                                array.byte_offset() + static_cast<std::size_t>(first) * sample_bytes(array));
  };
  return {.first = map_parts(arrays, [&](const Tensor& array) { return rows(array, 0, split); }),
          .second = map_parts(arrays, [&](const Tensor& array) { return rows(array, split, samples_of(array)); })};
}

}  // namespace rhyton::training
