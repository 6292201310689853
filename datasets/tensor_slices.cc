#include <rhyton/datasets/tensor_slices.h>

#include <cstddef>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include <rhyton/datasets/element_parts.h>
#include <rhyton/framework/device/logical_device.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/tensor/string_dtype.h>
#include <rhyton/framework/tensor/string_tensor.h>

namespace rhyton::datasets {
namespace {

Tensor on_host(const Tensor& array) {
  if (array.device().is_host()) return array;
  Tensor copy = Tensor::uninitialized(array.shape(), array.dtype());
  std::memcpy(copy.mutable_raw_data(), array.raw_data(), array.spec().bytes());
  return copy;
}

StringTensor string_slice(const StringTensor& strings, std::int64_t sample) {
  return strings.slice(sample, sample + 1).reshape(strings.shape().slice(1, strings.rank()));
}

class SliceIterator final : public BatchIterator {
 public:
  SliceIterator(Batch arrays, std::int64_t samples) : arrays_(std::move(arrays)), samples_(samples) {}

  std::optional<Batch> next() override {
    if (next_ == samples_) return std::nullopt;
    const auto sample = static_cast<std::size_t>(next_++);
    return map_tensors<Batch>(arrays_, [&](const Tensor& array) -> Tensor {
      if (array.dtype() == string_dtype)
        return string_slice(StringTensor::of(array), static_cast<std::int64_t>(sample));
      const TensorSpec spec = {.shape = array.shape().slice(1, array.rank()), .dtype = array.dtype()};
      return Tensor::from_storage(spec.shape, spec.dtype, array.storage(), array.byte_offset() + sample * spec.bytes());
    });
  }

 private:
  Batch arrays_;
  std::int64_t samples_;
  std::int64_t next_ = 0;
};

}  // namespace

TensorSlices::TensorSlices(const Batch& arrays) {
  if (arrays.x.empty()) throw ValueError("`from_tensor_slices` needs at least one array as x.");
  arrays.x_names.require_fitting(arrays.x.size(), "x");
  arrays.y_names.require_fitting(arrays.y.size(), "y");
  samples_ = -1;
  arrays_ = map_tensors<Batch>(arrays, [&](const Tensor& array) {
    if (!array.is_concrete())
      throw ValueError("`from_tensor_slices` needs arrays with values, but got an empty tensor.");
    if (array.rank() == 0) throw ValueError("Unbatching a tensor is only supported for rank >= 1");
    if (samples_ >= 0 && array.shape()[0] != samples_) {
      throw ValueError(fmt::format("The arrays of `from_tensor_slices` have different numbers of samples: {} and {}.",
                                   samples_, array.shape()[0]));
    }
    samples_ = array.shape()[0];
    return on_host(array);
  });
  spec_ = map_tensors<BatchSpec>(arrays_, [](const Tensor& array) {
    return TensorSpec{.shape = array.shape().slice(1, array.rank()), .dtype = array.dtype()};
  });
}

std::unique_ptr<BatchIterator> TensorSlices::iterator(std::uint64_t /*pass*/) const {
  return std::make_unique<SliceIterator>(arrays_, samples_);
}

}  // namespace rhyton::datasets
