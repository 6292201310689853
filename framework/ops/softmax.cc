#include <rhyton/framework/ops/softmax.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include <rhyton/framework/ops/broadcasting.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/gather.h>
#include <rhyton/framework/ops/op_tables.h>
#include <rhyton/framework/ops/promotion.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>

namespace rhyton {
inline namespace ops {
namespace {

/// softmax's gradient from its output y.
Tensor softmax_gradient(const Tensor& y, const Tensor& dy) { return y * (dy - sum(dy * y, {-1}, true)); }

/// Along the last axis.
class SoftmaxOp : public Op {
 public:
  std::string_view name() const override { return "Softmax"; }

  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override {
    if (inputs[0].shape.rank() == 0) throw InvalidArgumentError("logits must have >= 1 dimension, got []");
    return {inputs[0]};
  }

  std::vector<Tensor> gradient(const GradientArguments& arguments) const override {
    return {softmax_gradient(arguments.outputs[0], arguments.output_gradients[0])};
  }

  BatchRule batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const override {
    return batch_axes[0] == inputs[0].shape.rank() - 1 ? BatchRule::mixes() : BatchRule::maps(batch_axes[0]);
  }
};

/// Along the last axis.
class LogSoftmaxOp final : public SoftmaxOp {
 public:
  std::string_view name() const override { return "LogSoftmax"; }

  std::vector<Tensor> gradient(const GradientArguments& arguments) const override {
    const Tensor& dy = arguments.output_gradients[0];
    return {dy - exp(arguments.outputs[0]) * sum(dy, {-1}, true)};
  }
};

/// Inputs: logits, labels. Outputs: loss, softmax.
class SparseSoftmaxCrossEntropyOp final : public Op {
 public:
  std::string_view name() const override { return "SparseSoftmaxCrossEntropyWithLogits"; }

  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override {
    const Shape& logits = inputs[0].shape;
    const Shape& labels = inputs[1].shape;
    if (logits.rank() == 0) throw InvalidArgumentError("logits must have >= 1 dimension, got []");
    if (!(logits.slice(0, logits.rank() - 1) == labels)) {
      throw InvalidArgumentError("logits and labels must have the same first dimension, got logits shape " +
                                 bracketed(logits) + " and labels shape " + bracketed(labels) +
                                 " [Op:SparseSoftmaxCrossEntropyWithLogits]");
    }
    const DType dtype = inputs[1].dtype;
    if (dtype != DType::int32 && dtype != DType::int64 && dtype != DType::uint8) {
      throw InvalidArgumentError("Value for attr 'Tlabels' of " + std::string(message_name_of(dtype)) +
                                 " is not in the list of allowed values: int32, int64"
                                 " [Op:SparseSoftmaxCrossEntropyWithLogits]");
    }
    return {{labels, inputs[0].dtype}, inputs[0]};
  }

  std::vector<Tensor> gradient(const GradientArguments& arguments) const override {
    const Tensor& probabilities = arguments.outputs[1];
    const Tensor& loss_gradient = arguments.output_gradients[0];
    const Tensor& softmax_output_gradient = arguments.output_gradients[1];
    Tensor result;
    if (!loss_gradient.is_empty()) {
      const Tensor targets = one_hot(arguments.inputs[1], probabilities.shape().at(-1), probabilities.dtype());
      result = (probabilities - targets) * expand_dims(loss_gradient, -1);
    }
    if (!softmax_output_gradient.is_empty()) {
      const Tensor through_softmax = softmax_gradient(probabilities, softmax_output_gradient);
      result = result.is_empty() ? through_softmax : result + through_softmax;
    }
    return {result, Tensor()};
  }

  BatchRule batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const override {
    const bool samples = batch_axes[0] == batch_axes[1] && batch_axes[0] < inputs[0].shape.rank() - 1;
    return samples ? BatchRule::maps(batch_axes[0]) : BatchRule::mixes();
  }
};

/// f of x with `axis` moved to the end and back.
template <class Function>
Tensor along_axis(const Tensor& x, int axis, const Function& f) {
  axis = normalize_axis(axis, std::max(x.rank(), 1));
  if (axis >= x.rank() - 1) return f(x);
  std::vector<int> exchanged(static_cast<std::size_t>(x.rank()));
  std::iota(exchanged.begin(), exchanged.end(), 0);
  std::swap(exchanged[static_cast<std::size_t>(axis)], exchanged.back());
  return transpose(f(transpose(x, exchanged)), exchanged);
}

}  // namespace

Tensor softmax(const Tensor& x, int axis) {
  return along_axis(to_floating(x), axis, [](const Tensor& rows) { return call<SoftmaxOp>({rows}); });
}

Tensor log_softmax(const Tensor& x, int axis) {
  return along_axis(to_floating(x), axis, [](const Tensor& rows) { return call<LogSoftmaxOp>({rows}); });
}

Tensor sparse_softmax_cross_entropy_with_logits(const Tensor& labels, const Tensor& logits) {
  return call_many<SparseSoftmaxCrossEntropyOp>({logits, labels})[0];
}

Tensor softmax_cross_entropy_with_logits(const Tensor& labels, const Tensor& logits) {
  return -sum(labels * log_softmax(logits), {-1});
}

Tensor sigmoid_cross_entropy_with_logits(const Tensor& labels, const Tensor& logits) {
  return softplus(logits) - labels * logits;
}

}  // namespace ops
OpTable softmax_table() {
  return {
      plain_op<SoftmaxOp>(1),
      plain_op<LogSoftmaxOp>(1),
      plain_op<SparseSoftmaxCrossEntropyOp>(2),
  };
}

}  // namespace rhyton
