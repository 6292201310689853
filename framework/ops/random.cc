#include <rhyton/framework/ops/random.h>

#include <rhyton/framework/ops/attribute_text.h>
#include <rhyton/framework/ops/broadcasting.h>
#include <rhyton/framework/ops/elementwise.h>

namespace rhyton {
inline namespace ops {
namespace {

void require_counter(std::string_view op, const TensorSpec& counter) {
  if (counter == TensorSpec{{}, DType::int64}) return;
  throw InvalidArgumentError("The counter of " + std::string(op) +
                             " must be an int64 tensor of shape [], but it is of " +
                             std::string(name_of(counter.dtype)) + " and shape " + bracketed(counter.shape));
}

Tensor draw(RandomOp::Distribution distribution, const Shape& shape, std::uint64_t key, const Tensor& counter,
            double first, double second, DType dtype) {
  return call<RandomOp>({counter}, distribution, shape, key, first, second, dtype);
}

}  // namespace

std::string_view RandomOp::name() const {
  switch (distribution) {
    case Distribution::uniform:
      return "RandomUniform";
    case Distribution::normal:
      return "RandomNormal";
    case Distribution::truncated_normal:
      break;
  }
  return "TruncatedNormal";
}

std::vector<TensorSpec> RandomOp::infer(std::span<const TensorSpec> inputs) const {
  require_counter(name(), inputs[0]);
  return {{shape, dtype}};
}

std::vector<Tensor> RandomOp::gradient(const GradientArguments&) const { return {Tensor()}; }

std::string RandomOp::attributes() const {
  return attribute("shape", shape) + ", " + attribute("key", key) + ", " + attribute("first", first) + ", " +
         attribute("second", second) + ", " + attribute("dtype", dtype);
}

std::vector<TensorSpec> RandomUniformLikeOp::infer(std::span<const TensorSpec> inputs) const {
  require_counter(name(), inputs[1]);
  return {inputs[0]};
}

std::vector<Tensor> RandomUniformLikeOp::gradient(const GradientArguments&) const { return {Tensor(), Tensor()}; }

BatchRule RandomUniformLikeOp::batch_rule(std::span<const TensorSpec>, std::span<const int> batch_axes) const {
  // Only on the first axis does the index of the first sample determine the position of the elements in the whole.
  return batch_axes[0] == 0 && batch_axes[1] < 0 ? BatchRule::maps(0) : BatchRule::mixes();
}

std::string RandomUniformLikeOp::attributes() const {
  return attribute("key", key) + ", " + attribute("first_sample", first_sample);
}

Tensor random_uniform(const Shape& shape, std::uint64_t key, const Tensor& counter, double minval, double maxval,
                      DType dtype) {
  return draw(RandomOp::Distribution::uniform, shape, key, counter, minval, maxval, dtype);
}

Tensor random_normal(const Shape& shape, std::uint64_t key, const Tensor& counter, double mean, double stddev,
                     DType dtype) {
  return draw(RandomOp::Distribution::normal, shape, key, counter, mean, stddev, dtype);
}

Tensor truncated_normal(const Shape& shape, std::uint64_t key, const Tensor& counter, double mean, double stddev,
                        DType dtype) {
  return draw(RandomOp::Distribution::truncated_normal, shape, key, counter, mean, stddev, dtype);
}

Tensor random_uniform_like(const Tensor& x, std::uint64_t key, const Tensor& counter, std::int64_t first_sample) {
  return call<RandomUniformLikeOp>({x, counter}, key, first_sample);
}

Tensor random_uniform(const Shape& shape, std::uint64_t key, std::int64_t counter, double minval, double maxval,
                      DType dtype) {
  return random_uniform(shape, key, Tensor::scalar(counter), minval, maxval, dtype);
}

Tensor random_normal(const Shape& shape, std::uint64_t key, std::int64_t counter, double mean, double stddev,
                     DType dtype) {
  return random_normal(shape, key, Tensor::scalar(counter), mean, stddev, dtype);
}

Tensor truncated_normal(const Shape& shape, std::uint64_t key, std::int64_t counter, double mean, double stddev,
                        DType dtype) {
  return truncated_normal(shape, key, Tensor::scalar(counter), mean, stddev, dtype);
}

Tensor random_uniform_like(const Tensor& x, std::uint64_t key, std::int64_t counter) {
  return random_uniform_like(x, key, Tensor::scalar(counter));
}

Tensor dropout_factors(const Tensor& like, double rate, std::uint64_t key, const Tensor& counter,
                       std::int64_t first_sample) {
  const DType drawn = like.dtype() == DType::float64 ? DType::float64 : DType::float32;
  const Tensor numbers = random_uniform_like(cast(like, drawn), key, counter, first_sample);
  const double kept = rate < 1 ? 1 / (1 - rate) : 0.0;
  return cast(greater_equal(numbers, rate), like.dtype()) * kept;
}

}  // namespace ops
}  // namespace rhyton
