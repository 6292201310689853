#include <rhyton/framework/ops/batches.h>

#include <rhyton/framework/ops/attribute_text.h>
#include <rhyton/framework/ops/broadcasting.h>

namespace rhyton {
inline namespace ops {

std::vector<TensorSpec> GatherSamplesOp::infer(std::span<const TensorSpec> inputs) const {
  const Shape& source = inputs[0].shape;
  if (source.rank() == 0) throw InvalidArgumentError("GatherSamples: a source without axes has no samples.");
  if (!(inputs[1] == TensorSpec{Shape{source[0]}, DType::int64}) || !(inputs[2] == TensorSpec{Shape{}, DType::int64})) {
    throw InvalidArgumentError("GatherSamples: expected an int64 permutation of shape " + bracketed(Shape{source[0]}) +
                               " and an int64 scalar, found shapes " + bracketed(inputs[1].shape) + " and " +
                               bracketed(inputs[2].shape) + ".");
  }
  return {{source.with(0, count), inputs[0].dtype}};
}

std::vector<Tensor> GatherSamplesOp::gradient(const GradientArguments&) const { return std::vector<Tensor>(3); }

std::string GatherSamplesOp::attributes() const { return attribute("count", count); }

Tensor gather_samples(const Tensor& source, const Tensor& permutation, const Tensor& first, std::int64_t count) {
  return call<GatherSamplesOp>({source, permutation, first}, count);
}

}  // namespace ops
}  // namespace rhyton
