#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::training {

/// The shape and dtype of each tensor.
std::vector<TensorSpec> specs_of(const std::vector<Tensor>& tensors);
/// The bytes of one sample, of which an array has `array.shape()[0]`.
std::size_t sample_bytes(const Tensor& array);

/// Arrays of the same number of samples, dealt out in batches.
class Batches {
 public:
  /// Throws ValueError in Keras's words when the arrays have different numbers of samples, or none.
  Batches(const std::vector<Tensor>& x, const std::vector<Tensor>& y, const std::vector<Tensor>& sample_weight,
          std::int64_t batch_size);

  std::int64_t samples() const { return samples_; }
  std::int64_t batch_size() const { return batch_size_; }
  /// The number of batches, the last of which may be short.
  std::int64_t count() const { return (samples_ + batch_size_ - 1) / batch_size_; }
  std::int64_t size_of(std::int64_t batch) const;

  /// Puts the samples into a new order, a function of the key.
  void shuffle(std::uint64_t key);

  /// The elements of a batch of every array: x, y, sample weights. Valid until the next call.
  const std::vector<const void*>& pointers(std::int64_t batch);
  /// The same as tensors of their own.
  std::vector<Tensor> tensors(std::int64_t batch);
  /// The arrays whole, on that device; their bytes together; and the order that the samples are dealt out in, as int64
  /// numbers on the host.
  std::vector<Tensor> arrays_on(LogicalDevice& device) const;
  std::size_t bytes() const;
  Tensor order() const;

  /// The arrays' specs with another number of samples.
  std::vector<TensorSpec> specs(std::int64_t samples) const;

 private:
  std::vector<Tensor> arrays_;
  std::int64_t samples_ = 0;
  std::int64_t batch_size_;
  // Empty while the samples are in their own order: batches are then read where they lie.
  std::vector<std::int64_t> permutation_;
  std::vector<Tensor> gathered_;
  std::vector<const void*> pointers_;
};

/// The samples [0, split) and [split, n) of each array.
struct SplitArrays {
  std::vector<Tensor> first;
  std::vector<Tensor> second;
};
SplitArrays split_arrays(const std::vector<Tensor>& arrays, std::int64_t split);

}  // namespace rhyton::training
