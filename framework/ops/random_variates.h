#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <rhyton/framework/ops/op.h>

// Random numbers of distributions with a parameter for each element, as pure functions of a key and a counter like
// those of `random.h`. In float64. The numbers have no gradient with respect to the parameters.

namespace rhyton {
inline namespace ops {

/// Numbers of the gamma distribution with scale 1 and the shapes `alpha`, in float64 (Marsaglia and Tsang, A simple
/// method for generating gamma variables, 2000); NaN for a shape that is not positive.
Tensor random_gamma(const Tensor& alpha, std::uint64_t key, const Tensor& counter);

/// How many of `counts` trials succeed that do so with the `probabilities`; both of one shape, in float64 (for small
/// means by waiting times, Devroye, Non-uniform random variate generation, 1986, X.4; else Hörmann, The generation of
/// binomial random variates, 1993). NaN for negative counts and probabilities outside of [0, 1].
Tensor random_binomial(const Tensor& counts, const Tensor& probabilities, std::uint64_t key, const Tensor& counter);

/// Inputs: the parameters, of one shape, and the counter.
class RandomVariateOp final : public Op {
 public:
  enum class Distribution { gamma, binomial };

  RandomVariateOp(Distribution distribution, std::uint64_t key) : distribution(distribution), key(key) {}
  std::string_view name() const override {
    return distribution == Distribution::gamma ? "RandomGamma" : "RandomBinomial";
  }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  std::vector<Tensor> gradient(const GradientArguments& arguments) const override;
  std::string attributes() const override;

  const Distribution distribution;
  const std::uint64_t key;
};

}  // namespace ops
}  // namespace rhyton
