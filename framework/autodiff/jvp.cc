#include <rhyton/framework/autodiff/jvp.h>

#include <cstddef>
#include <string>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>

namespace rhyton {
inline namespace ops {
namespace {

/// Primals and tangents with a derivative.
struct Directions {
  std::vector<Tensor> sources;
  std::vector<Tensor> tangents;
};

Directions directions_of(const std::vector<Tensor>& primals, const std::vector<Tensor>& tangents) {
  if (primals.size() != tangents.size()) {
    throw ValueError("`jvp` takes one tangent for each primal. Received: " + std::to_string(tangents.size()) + " for " +
                     std::to_string(primals.size()));
  }
  Directions directions;
  for (std::size_t i = 0; i < primals.size(); ++i) {
    if (primals[i].shape() != tangents[i].shape()) {
      throw ValueError("A tangent of `jvp` has the shape of its primal. Received: " + tangents[i].shape().to_string() +
                       " for " + primals[i].shape().to_string());
    }
    if (!is_floating(primals[i].dtype())) continue;
    directions.sources.push_back(primals[i]);
    directions.tangents.push_back(cast(tangents[i], primals[i].dtype()));
  }
  return directions;
}

/// The tangent of a result that the tape recorded.
Tensor tangent_of(GradientTape& tape, const Tensor& result, const Directions& directions) {
  if (!is_floating(result.dtype())) return {};
  // The gradients are Jᵀ c for the gradient c of the result: the derivative of their product with the tangents t with
  // respect to c is J t.
  const Tensor cotangent = zeros_like(result);
  GradientTape outer;
  outer.watch(cotangent);
  const std::vector<Tensor> gradients = tape.gradient(result, directions.sources, cotangent);
  Tensor product;
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    if (gradients[i].is_empty()) continue;
    const Tensor part = sum(gradients[i] * directions.tangents[i]);
    product = product.is_empty() ? part : product + part;
  }
  return product.is_empty() ? Tensor() : outer.gradient(product, cotangent);
}

}  // namespace

std::pair<std::vector<Tensor>, std::vector<Tensor>> jvp(
    const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& fun, const std::vector<Tensor>& primals,
    const std::vector<Tensor>& tangents) {
  const Directions directions = directions_of(primals, tangents);
  GradientTape tape({.persistent = true});
  for (const Tensor& source : directions.sources) tape.watch(source);
  const std::vector<Tensor> results = fun(primals);
  tape.stop_recording();
  std::vector<Tensor> changes;
  for (const Tensor& result : results) changes.push_back(tangent_of(tape, result, directions));
  return {results, changes};
}

std::pair<Tensor, Tensor> jvp(const std::function<Tensor(const Tensor&)>& fun, const Tensor& primal,
                              const Tensor& tangent) {
  const auto [results, changes] = jvp([&](const std::vector<Tensor>& x) { return std::vector<Tensor>{fun(x.at(0))}; },
                                      std::vector<Tensor>{primal}, std::vector<Tensor>{tangent});
  return {results.at(0), changes.at(0)};
}

}  // namespace ops
}  // namespace rhyton
