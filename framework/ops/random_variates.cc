#include <rhyton/framework/ops/random_variates.h>

#include <rhyton/framework/ops/attribute_text.h>
#include <rhyton/framework/ops/broadcasting.h>

namespace rhyton {
inline namespace ops {

std::vector<TensorSpec> RandomVariateOp::infer(std::span<const TensorSpec> inputs) const {
  const TensorSpec counter{{}, DType::int64};
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const TensorSpec expected = i + 1 == inputs.size() ? counter : TensorSpec{inputs[0].shape, DType::float64};
    if (inputs[i] == expected) continue;
    throw InvalidArgumentError("Input " + std::to_string(i) + " of " + std::string(name()) + " must be a " +
                               std::string(name_of(expected.dtype)) + " tensor of shape " + bracketed(expected.shape) +
                               ", but it is of " + std::string(name_of(inputs[i].dtype)) + " and shape " +
                               bracketed(inputs[i].shape));
  }
  return {inputs[0]};
}

std::vector<Tensor> RandomVariateOp::gradient(const GradientArguments& arguments) const {
  return std::vector<Tensor>(arguments.inputs.size());
}

std::string RandomVariateOp::attributes() const { return attribute("key", key); }

Tensor random_gamma(const Tensor& alpha, std::uint64_t key, const Tensor& counter) {
  return call<RandomVariateOp>({alpha, counter}, RandomVariateOp::Distribution::gamma, key);
}

Tensor random_binomial(const Tensor& counts, const Tensor& probabilities, std::uint64_t key, const Tensor& counter) {
  return call<RandomVariateOp>({counts, probabilities, counter}, RandomVariateOp::Distribution::binomial, key);
}

}  // namespace ops
}  // namespace rhyton
