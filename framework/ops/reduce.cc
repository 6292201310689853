#include <rhyton/framework/ops/reduce.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/attribute_text.h>
#include <rhyton/framework/ops/broadcasting.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/extremum.h>
#include <rhyton/framework/ops/listeners.h>
#include <rhyton/framework/ops/op_kind.h>
#include <rhyton/framework/ops/op_tables.h>
#include <rhyton/framework/ops/promotion.h>
#include <rhyton/framework/ops/shaping.h>

namespace rhyton {
inline namespace ops {
namespace {

bool contains(const std::vector<int>& axes, int axis) { return std::binary_search(axes.begin(), axes.end(), axis); }

std::vector<int> reduced_axes(const std::vector<int>& axes, int rank) {
  std::vector<int> result;
  if (axes.empty()) {
    for (int axis = 0; axis < rank; ++axis) result.push_back(axis);
    return result;
  }
  for (const int axis : axes) result.push_back(normalize_axis(axis, rank));
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

class SumOp final : public ReduceOp {
 public:
  /// `widens`: sums of a half type are float32.
  SumOp(std::vector<int> axes, bool keepdims, bool widens) : ReduceOp(std::move(axes), keepdims), widens_(widens) {}
  std::string_view name() const override { return "Sum"; }

  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override {
    TensorSpec sum = ReduceOp::infer(inputs)[0];
    if (widens_ && is_half(sum.dtype)) sum.dtype = DType::float32;
    return {sum};
  }

  std::string attributes() const override {
    return ReduceOp::attributes() + (widens_ ? ", " + attribute("dtype", DType::float32) : "");
  }

  std::vector<Tensor> gradient(const GradientArguments& arguments) const override {
    const Tensor& x = arguments.inputs[0];
    const Tensor dy = cast(with_joined_axes(arguments.output_gradients[0], x.shape()), x.dtype());
    // If the batch was summed, dy does not carry it: the gradient must take it from x, or it could not be sliced.
    return {contains(axes, 0) ? broadcast_like(dy, x) : broadcast_to(dy, x.shape())};
  }

 protected:
  BatchRule joined_batch() const override { return BatchRule::sums(); }

 private:
  bool widens_;
};

class ExtremumOp final : public ReduceOp {
 public:
  ExtremumOp(bool largest, std::vector<int> axes, bool keepdims)
      : ReduceOp(std::move(axes), keepdims), largest_(largest) {}
  std::string_view name() const override { return largest_ ? "Max" : "Min"; }

  std::vector<Tensor> gradient(const GradientArguments& arguments) const override {
    const Tensor& x = arguments.inputs[0];
    const Tensor y = with_joined_axes(arguments.outputs[0], x.shape());
    const Tensor dy = with_joined_axes(arguments.output_gradients[0], x.shape());
    const Tensor chosen = cast(equal(x, y), x.dtype());
    return {chosen * (dy / sum(chosen, axes, true))};
  }

 private:
  bool largest_;
};

class ProdOp final : public ReduceOp {
 public:
  using ReduceOp::ReduceOp;
  std::string_view name() const override { return "Prod"; }

  std::vector<Tensor> gradient(const GradientArguments& arguments) const override {
    const Tensor& x = arguments.inputs[0];
    const Tensor dy = with_joined_axes(arguments.output_gradients[0], x.shape());
    // The product of the others: with one zero it is nonzero only for that element, with more zeros for none.
    const Tensor is_zero = equal(x, 0.0);
    const Tensor nonzero = where(is_zero, 1.0, x);
    const Tensor product = prod(nonzero, axes, true);
    const Tensor zeros = sum(cast(is_zero, x.dtype()), axes, true);
    const Tensor others = where(equal(zeros, 0.0), product / nonzero,
                                where(logical_and(is_zero, equal(zeros, 1.0)), product, zeros_like(nonzero)));
    return {dy * others};
  }
};

class BoolReduceOp final : public ReduceOp {
 public:
  BoolReduceOp(bool is_all, std::vector<int> axes, bool keepdims)
      : ReduceOp(std::move(axes), keepdims), is_all_(is_all) {}
  std::string_view name() const override { return is_all_ ? "All" : "Any"; }
  std::vector<Tensor> gradient(const GradientArguments&) const override { return {Tensor()}; }

 private:
  bool is_all_;
};

}  // namespace

std::vector<TensorSpec> ReduceOp::infer(std::span<const TensorSpec> inputs) const {
  Shape shape;
  for (int axis = 0; axis < inputs[0].shape.rank(); ++axis) {
    if (!contains(axes, axis)) {
      shape.push_back(inputs[0].shape[axis]);
    } else if (keepdims) {
      shape.push_back(1);
    }
  }
  return {{shape, inputs[0].dtype}};
}

BatchRule ReduceOp::batch_rule(std::span<const TensorSpec>, std::span<const int> batch_axes) const {
  const int batch = batch_axes[0];
  if (contains(axes, batch)) return joined_batch();
  if (keepdims) return BatchRule::maps(batch);
  return BatchRule::maps(batch - static_cast<int>(std::lower_bound(axes.begin(), axes.end(), batch) - axes.begin()));
}

std::string ReduceOp::attributes() const { return attribute("axes", axes) + ", " + attribute("keepdims", keepdims); }

Tensor ReduceOp::with_joined_axes(const Tensor& y, const Shape& input) const {
  if (keepdims) return y;
  Shape shape = input;
  for (const int axis : axes) shape[axis] = 1;
  return reshape(y, shape);
}

std::vector<TensorSpec> ArgExtremumOp::infer(std::span<const TensorSpec> inputs) const {
  const Shape& shape = inputs[0].shape;
  if (shape[axis] == 0)
    throw InvalidArgumentError("Reduction axis " + std::to_string(axis) + " is empty in shape " + bracketed(shape));
  if (shape[axis] > std::numeric_limits<std::int32_t>::max()) {
    throw InvalidArgumentError("Positions along axis " + std::to_string(axis) + " of shape " + bracketed(shape) +
                               " do not fit int32");
  }
  return {{shape.slice(0, axis).concatenate(shape.slice(axis + 1, shape.rank())), DType::int32}};
}

std::vector<Tensor> ArgExtremumOp::gradient(const GradientArguments&) const { return {Tensor()}; }

BatchRule ArgExtremumOp::batch_rule(std::span<const TensorSpec>, std::span<const int> batch_axes) const {
  if (batch_axes[0] == axis) return BatchRule::mixes();
  return BatchRule::maps(batch_axes[0] - (batch_axes[0] > axis ? 1 : 0));
}

std::string ArgExtremumOp::attributes() const { return attribute("axis", axis); }

/// Sums and products of narrow integers and of bools are 32 bits wide.
static Tensor wide_enough(const Tensor& x) {
  if (x.is_empty() || !is_short(x.dtype())) return x;
  return cast(x, is_unsigned(x.dtype()) ? DType::uint32 : DType::int32);
}

static Tensor as_truth(const Tensor& x) { return x.is_empty() ? x : cast(x, DType::bool_); }

Tensor sum(const Tensor& x, const std::vector<int>& axes, bool keepdims) {
  return call<SumOp>({wide_enough(x)}, reduced_axes(axes, x.rank()), keepdims, false);
}

Tensor sum(const Tensor& x, const std::vector<int>& axes, bool keepdims, DType dtype) {
  if (!is_half(x.dtype()) || dtype != DType::float32) return cast(sum(cast(x, dtype), axes, keepdims), dtype);
  return call<SumOp>({x}, reduced_axes(axes, x.rank()), keepdims, true);
}

Tensor mean(const Tensor& x, const std::vector<int>& axes, bool keepdims) {
  // As in Keras, whatever `floatx()` is.
  if (!is_floating(x.dtype())) return mean(cast(x, DType::float32), axes, keepdims);
  double count = 1.0;
  for (const int axis : reduced_axes(axes, x.rank())) count *= static_cast<double>(x.shape()[axis]);
  // As in Keras: in float16 the sum could overflow where the mean does not.
  if (is_half(x.dtype())) return cast(sum(x, axes, keepdims, DType::float32) * (1.0 / count), x.dtype());
  return sum(x, axes, keepdims) * (1.0 / count);
}

Tensor reduce_max(const Tensor& x, const std::vector<int>& axes, bool keepdims) {
  if (!x.is_empty() && x.dtype() == DType::bool_) return any(x, axes, keepdims);
  return call<ExtremumOp>({x}, true, reduced_axes(axes, x.rank()), keepdims);
}

Tensor reduce_min(const Tensor& x, const std::vector<int>& axes, bool keepdims) {
  if (!x.is_empty() && x.dtype() == DType::bool_) return all(x, axes, keepdims);
  return call<ExtremumOp>({x}, false, reduced_axes(axes, x.rank()), keepdims);
}

/// As in Keras on TensorFlow: in a compiled function it is not an error.
static void require_elements(const Tensor& x, const std::string& what) {
  if (x.size() > 0 || !executing_eagerly()) return;
  throw InvalidArgumentError("Cannot compute the " + what + " of an empty tensor.");
}

Tensor max(const Tensor& x, const std::vector<int>& axes, bool keepdims) {
  require_elements(x, "max");
  return reduce_max(x, axes, keepdims);
}

Tensor min(const Tensor& x, const std::vector<int>& axes, bool keepdims) {
  require_elements(x, "min");
  return reduce_min(x, axes, keepdims);
}

Tensor prod(const Tensor& x, const std::vector<int>& axes, bool keepdims) {
  return call<ProdOp>({wide_enough(x)}, reduced_axes(axes, x.rank()), keepdims);
}

Tensor all(const Tensor& x, const std::vector<int>& axes, bool keepdims) {
  return call<BoolReduceOp>({as_truth(x)}, true, reduced_axes(axes, x.rank()), keepdims);
}

Tensor any(const Tensor& x, const std::vector<int>& axes, bool keepdims) {
  return call<BoolReduceOp>({as_truth(x)}, false, reduced_axes(axes, x.rank()), keepdims);
}

static Tensor arg_extremum(const Tensor& x, bool largest, std::optional<int> axis) {
  const Tensor elements = axis ? x : reshape(x, {-1});
  return call<ArgExtremumOp>({elements}, largest, normalize_axis(axis.value_or(0), elements.rank()));
}

Tensor argmax(const Tensor& x, std::optional<int> axis) { return arg_extremum(x, true, axis); }
Tensor argmin(const Tensor& x, std::optional<int> axis) { return arg_extremum(x, false, axis); }

Moments moments(const Tensor& x, const std::vector<int>& axes, bool keepdims) {
  if (!is_floating(x.dtype())) return moments(cast(x, DType::float32), axes, keepdims);
  const std::vector<int> joined = reduced_axes(axes, x.rank());
  const Tensor center = mean(x, joined, true);
  const Tensor spread = mean(squared_difference(x, center), joined, keepdims);
  return {keepdims ? center : reshape(center, spread.shape()), spread};
}

Tensor variance(const Tensor& x, const std::vector<int>& axes, bool keepdims) {
  return moments(x, axes, keepdims).variance;
}

Tensor logsumexp(const Tensor& x, const std::vector<int>& axes, bool keepdims) {
  if (!is_floating(x.dtype())) return logsumexp(to_floating(x), axes, keepdims);
  const Tensor largest = stop_gradient(reduce_max(x, axes, true));
  // A row of -inf, or one with +inf, must not give NaN.
  const Tensor shift = where(isfinite(largest), largest, 0.0);
  const Tensor total = log(sum(exp(x - shift), axes, keepdims));
  return total + (keepdims ? shift : reshape(shift, total.shape()));
}

Tensor sum_to_shape(const Tensor& x, const Shape& shape) {
  if (x.shape() == shape) return x.without_mask();
  if (!(broadcast_shapes(shape, x.shape()) == x.shape())) {
    throw InvalidArgumentError("Incompatible shapes: " + bracketed(shape) + " vs. " + bracketed(x.shape()));
  }
  const int added = x.rank() - shape.rank();
  std::vector<int> axes;
  for (int axis = 0; axis < x.rank(); ++axis) {
    if (axis < added || (shape[axis - added] == 1 && x.shape()[axis] != 1)) axes.push_back(axis);
  }
  const Tensor total = axes.empty() ? x : sum(x, axes, true);
  return reshape(total, shape);
}

}  // namespace ops
bool is_sum(const Op& op) { return dynamic_cast<const ops::SumOp*>(&op) != nullptr; }

OpTable reduce_table() {
  return {
      OpEntry{"Sum", 1, 1,
              [](const OpDescription& op) -> OpPtr {
                const bool widens = op.attributes.has("dtype");
                op.require(!widens || op.attributes.dtype("dtype") == DType::float32, "sums of dtype float32");
                return std::make_shared<const SumOp>(op.attributes.axes("axes", op.rank()),
                                                     op.attributes.flag("keepdims"), widens);
              }},
      OpEntry{"Max", 1, 1,
              [](const OpDescription& op) -> OpPtr {
                return std::make_shared<const ExtremumOp>(true, op.attributes.axes("axes", op.rank()),
                                                          op.attributes.flag("keepdims"));
              }},
      OpEntry{"Min", 1, 1,
              [](const OpDescription& op) -> OpPtr {
                return std::make_shared<const ExtremumOp>(false, op.attributes.axes("axes", op.rank()),
                                                          op.attributes.flag("keepdims"));
              }},
      OpEntry{"Prod", 1, 1,
              [](const OpDescription& op) -> OpPtr {
                return std::make_shared<const ProdOp>(op.attributes.axes("axes", op.rank()),
                                                      op.attributes.flag("keepdims"));
              }},
      OpEntry{"All", 1, 1,
              [](const OpDescription& op) -> OpPtr {
                return std::make_shared<const BoolReduceOp>(true, op.attributes.axes("axes", op.rank()),
                                                            op.attributes.flag("keepdims"));
              }},
      OpEntry{"Any", 1, 1,
              [](const OpDescription& op) -> OpPtr {
                return std::make_shared<const BoolReduceOp>(false, op.attributes.axes("axes", op.rank()),
                                                            op.attributes.flag("keepdims"));
              }},
      OpEntry{"ArgMax", 1, 1,
              [](const OpDescription& op) -> OpPtr {
                return std::make_shared<const ArgExtremumOp>(true, op.attributes.axis("axis", op.rank()));
              }},
      OpEntry{"ArgMin", 1, 1,
              [](const OpDescription& op) -> OpPtr {
                return std::make_shared<const ArgExtremumOp>(false, op.attributes.axis("axis", op.rank()));
              }},
  };
}

}  // namespace rhyton
