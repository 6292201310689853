#include <rhyton/framework/ops/custom_gradient.h>

#include <memory>
#include <string>
#include <utility>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/listeners.h>

namespace rhyton {
inline namespace ops {
namespace {

/// A call as a tape sees it: it is never executed, its outputs were computed by the function's own ops.
class CustomGradientOp final : public Op {
 public:
  using Gradient = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;

  explicit CustomGradientOp(Gradient gradient) : gradient_(std::move(gradient)) {}
  std::string_view name() const override { return "CustomGradient"; }

  std::vector<TensorSpec> infer(std::span<const TensorSpec>) const override {
    throw RuntimeError("CustomGradient cannot be called as an op.");
  }

  std::vector<Tensor> gradient(const GradientArguments& arguments) const override {
    std::vector<Tensor> upstream;
    for (std::size_t i = 0; i < arguments.outputs.size(); ++i) {
      const Tensor& given = arguments.output_gradients[i];
      upstream.push_back(given.is_empty() ? zeros_like(arguments.outputs[i]) : given);
    }
    std::vector<Tensor> gradients = gradient_(upstream);
    if (gradients.size() != arguments.inputs.size()) {
      throw ValueError("custom_gradient function expected to return " + std::to_string(arguments.inputs.size()) +
                       " gradients, but returned " + std::to_string(gradients.size()) + " instead.");
    }
    return gradients;
  }

 private:
  Gradient gradient_;
};

}  // namespace

std::function<std::vector<Tensor>(const std::vector<Tensor>&)> custom_gradient(
    std::function<WithGradient(const std::vector<Tensor>&)> f) {
  return [f = std::move(f)](const std::vector<Tensor>& arguments) {
    // Observed, so that what the gradient captures can be differentiated.
    WithGradient result = f(arguments);
    if (!result.gradient) throw ValueError("The function given to custom_gradient returned no gradient.");
    {
      // Each output becomes a tensor of its own, whose only gradient is the given one.
      const PauseObservers pause;
      for (Tensor& output : result.outputs) output = identity(output);
    }
    notify_observers(std::make_shared<const CustomGradientOp>(result.gradient), arguments, result.outputs);
    return result.outputs;
  };
}

}  // namespace ops
}  // namespace rhyton
