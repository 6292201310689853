#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <rhyton/framework/tensor/string_tensor.h>
#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/models/training/batch_parts.h>

namespace rhyton::training {

/// The shape and dtype of each tensor.
std::vector<TensorSpec> specs_of(const std::vector<Tensor>& tensors);
/// The bytes of one sample, of which an array has `array.shape()[0]`.
std::size_t sample_bytes(const Tensor& array);

/// Arrays of the same number of samples, divided into batches.
class Batches {
 public:
  /// Throws ValueError in Keras's words if the arrays have different numbers of samples, or none.
  Batches(BatchParts<Tensor> arrays, std::int64_t batch_size);

  std::int64_t samples() const { return samples_; }
  std::int64_t batch_size() const { return batch_size_; }
  /// The number of batches, the last of which may be short.
  std::int64_t count() const { return (samples_ + batch_size_ - 1) / batch_size_; }
  std::int64_t size_of(std::int64_t batch) const;

  /// Puts the samples into a new order, a function of the key.
  void shuffle(std::uint64_t key);

  /// The addresses of the elements of a batch of every array, in the order of `flat`; null for strings. Valid until the
  /// next call.
  const std::vector<const void*>& pointers(std::int64_t batch);
  /// The batch as tensors of its own.
  BatchParts<Tensor> tensors(std::int64_t batch);
  /// The whole arrays on that device.
  BatchParts<Tensor> arrays_on(LogicalDevice& device) const;
  /// The bytes of all arrays together.
  std::size_t bytes() const;
  /// The order of the samples in the batches, int64 [samples] on the host.
  Tensor order() const;

  /// The arrays' specs with another number of samples.
  BatchParts<TensorSpec> specs(std::int64_t samples) const;

 private:
  /// The batch of an array of strings.
  Tensor strings(const StringTensor& array, std::int64_t batch) const;

  BatchParts<Tensor> parts_;
  // The same arrays in the order of `flat`, as are `gathered_` and `pointers_`.
  std::vector<Tensor> arrays_;
  std::int64_t samples_ = 0;
  std::int64_t batch_size_;
  // Empty while the samples are in their own order: batches are then read in place.
  std::vector<std::int64_t> permutation_;
  std::vector<Tensor> gathered_;
  std::vector<const void*> pointers_;
};

/// The samples [0, split) and [split, n) of each array.
struct SplitArrays {
  BatchParts<Tensor> first;
  BatchParts<Tensor> second;
};
SplitArrays split_arrays(const BatchParts<Tensor>& arrays, std::int64_t split);

}  // namespace rhyton::training
