#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <rhyton/framework/ops/op.h>

// Random numbers as pure functions of a key and a counter: the same two give the same bits, on any number of threads.
// `key` is fixed when a function is called (it belongs to a layer); `counter`, an int64 scalar tensor, is read when the
// op runs (it counts the calls or steps), so that a graph draws new numbers each time. No gradient. Numbers of float16
// and bfloat16 are rounded from float32, so that the upper limit may occur.

namespace rhyton {
inline namespace ops {

/// Numbers in [minval, maxval), all equally likely.
Tensor random_uniform(const Shape& shape, std::uint64_t key, const Tensor& counter, double minval = 0.0,
                      double maxval = 1.0, DType dtype = DType::float32);
/// The normal distribution.
Tensor random_normal(const Shape& shape, std::uint64_t key, const Tensor& counter, double mean = 0.0,
                     double stddev = 1.0, DType dtype = DType::float32);
/// The normal distribution; numbers more than two deviations from the mean are drawn again.
Tensor truncated_normal(const Shape& shape, std::uint64_t key, const Tensor& counter, double mean = 0.0,
                        double stddev = 1.0, DType dtype = DType::float32);

/// Numbers in [0, 1) of x's shape and dtype. In a graph they follow x's batch, and an element's number depends on its
/// position in the whole batch: dropout's mask. `first_sample`: the position of x's first sample, where x is a
/// replica's part of a batch.
Tensor random_uniform_like(const Tensor& x, std::uint64_t key, const Tensor& counter, std::int64_t first_sample = 0);

/// The factors of dropout: 0 for a fraction `rate`, in [0, 1], of the elements of `like` and 1 / (1 - rate) for the
/// others, in the dtype of `like`, whose values do not matter. The other arguments are those of `random_uniform_like`.
Tensor dropout_factors(const Tensor& like, double rate, std::uint64_t key, const Tensor& counter,
                       std::int64_t first_sample = 0);

Tensor random_uniform(const Shape& shape, std::uint64_t key, std::int64_t counter, double minval = 0.0,
                      double maxval = 1.0, DType dtype = DType::float32);
Tensor random_normal(const Shape& shape, std::uint64_t key, std::int64_t counter, double mean = 0.0,
                     double stddev = 1.0, DType dtype = DType::float32);
Tensor truncated_normal(const Shape& shape, std::uint64_t key, std::int64_t counter, double mean = 0.0,
                        double stddev = 1.0, DType dtype = DType::float32);
Tensor random_uniform_like(const Tensor& x, std::uint64_t key, std::int64_t counter);

/// The op of the functions with a shape. Input: counter.
class RandomOp final : public Op {
 public:
  enum class Distribution { uniform, normal, truncated_normal };

  /// `first` and `second` are the limits of a uniform distribution, else mean and deviation.
  RandomOp(Distribution distribution, const Shape& shape, std::uint64_t key, double first, double second, DType dtype)
      : distribution(distribution), shape(shape), key(key), first(first), second(second), dtype(dtype) {}

  std::string_view name() const override;
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  std::vector<Tensor> gradient(const GradientArguments& arguments) const override;
  std::string attributes() const override;
  DType kernel_dtype(std::span<const TensorSpec>) const override { return dtype; }

  const Distribution distribution;
  const Shape shape;
  const std::uint64_t key;
  const double first;
  const double second;
  const DType dtype;
};

/// The op of random_uniform_like. Inputs: x, counter.
class RandomUniformLikeOp final : public Op {
 public:
  explicit RandomUniformLikeOp(std::uint64_t key, std::int64_t first_sample = 0)
      : key(key), first_sample(first_sample) {}

  std::string_view name() const override { return "RandomUniformLike"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  std::vector<Tensor> gradient(const GradientArguments& arguments) const override;
  BatchRule batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const override;
  std::string attributes() const override;

  const std::uint64_t key;
  const std::int64_t first_sample;
};

}  // namespace ops
}  // namespace rhyton
