#include <rhyton/layers/activations.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/gather.h>
#include <rhyton/framework/ops/parametric_elementwise.h>
#include <rhyton/framework/ops/promotion.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/ops/softmax.h>

namespace rhyton::activations {
namespace {

/// x limited to [0, highest], without a gradient at 0 and `highest`: TensorFlow differentiates relu6 and the
/// activations based on it this way, while tf.clip_by_value passes the gradient there.
Tensor limited(const Tensor& x, double highest) {
  // Integers have no gradient, and ClipByValueOp has no kernel for some of them.
  if (!is_floating(x.dtype())) return ops::clip_by_value(x, 0, static_cast<int>(highest));
  return call<ops::ClipByValueOp>({x}, 0.0, highest, true);
}

}  // namespace

Tensor linear(const Tensor& x) { return x; }

Tensor relu(const Tensor& x) { return ops::relu(x); }

Tensor relu(const Tensor& x, double negative_slope, double max_value, double threshold) {
  const bool is_limited = max_value != std::numeric_limits<double>::infinity();
  if (negative_slope != 0 && !is_limited && threshold == 0) return ops::leaky_relu(x, negative_slope);
  Tensor y;
  if (threshold == 0 && max_value == 6) {
    y = relu6(x);  // Keras's choice, which differs from the general case in the gradient at 6
  } else {
    y = threshold != 0 ? ops::where(ops::greater(x, threshold), x, 0.0) : ops::relu(x);
    if (is_limited) y = ops::clip_by_value(y, 0.0, max_value);
  }
  if (negative_slope != 0) {
    const Tensor below = ops::relu(ops::subtract(threshold, x));
    y = ops::subtract(y, ops::multiply(below, negative_slope));
  }
  return y;
}

Tensor relu6(const Tensor& x) { return limited(x, 6.0); }

Tensor leaky_relu(const Tensor& x) { return ops::leaky_relu(x, 0.2); }
Tensor leaky_relu(const Tensor& x, double negative_slope) { return ops::leaky_relu(x, negative_slope); }

Tensor elu(const Tensor& x) { return ops::elu(x, 1.0); }
Tensor elu(const Tensor& x, double alpha) { return ops::elu(x, alpha); }

Tensor selu(const Tensor& x) {
  constexpr double alpha = 1.6732632423543772;
  constexpr double scale = 1.0507009873554805;
  return ops::multiply(call<ops::EluOp>({x}, alpha, true), scale);  // at 0 the slope is `scale`
}

Tensor celu(const Tensor& x) { return celu(x, 1.0); }
Tensor celu(const Tensor& x, double alpha) {
  // The gradient at 0 is 2 as in TensorFlow: maximum and minimum both pass it at a tie.
  const Tensor above = ops::maximum(x, 0.0);
  const Tensor below = ops::minimum(x, 0.0);
  return ops::add(above, ops::multiply(ops::expm1(ops::divide(below, alpha)), alpha));
}

Tensor gelu(const Tensor& x) { return ops::gelu(x, false); }
Tensor gelu(const Tensor& x, bool approximate) { return ops::gelu(x, approximate); }

Tensor silu(const Tensor& x) { return ops::silu(x); }
Tensor hard_silu(const Tensor& x) { return ops::multiply(x, hard_sigmoid(x)); }

Tensor sigmoid(const Tensor& x) { return ops::sigmoid(x); }
Tensor hard_sigmoid(const Tensor& x) { return limited(ops::add(ops::multiply(x, 1.0 / 6.0), 0.5), 1.0); }
Tensor log_sigmoid(const Tensor& x) { return ops::negative(ops::softplus(ops::negative(x))); }
Tensor sparse_sigmoid(const Tensor& x) {
  const Tensor line = ops::multiply(ops::add(x, 1.0), 0.5);
  return ops::where(ops::less_equal(x, -1.0), 0.0, ops::where(ops::greater_equal(x, 1.0), 1.0, line));
}

Tensor tanh(const Tensor& x) { return ops::tanh(x); }
Tensor hard_tanh(const Tensor& x) { return ops::clip_by_value(x, -1.0, 1.0); }
Tensor tanh_shrink(const Tensor& x) { return ops::subtract(x, ops::tanh(x)); }

Tensor soft_shrink(const Tensor& x) { return soft_shrink(x, 0.5); }
Tensor soft_shrink(const Tensor& x, double threshold) {
  const Tensor below = ops::where(ops::less(x, -threshold), ops::add(x, threshold), 0.0);
  return ops::where(ops::greater(x, threshold), ops::subtract(x, threshold), below);
}

Tensor hard_shrink(const Tensor& x) { return hard_shrink(x, 0.5); }
Tensor hard_shrink(const Tensor& x, double threshold) {
  return ops::where(ops::greater(ops::abs(x), threshold), x, 0.0);
}

Tensor threshold(const Tensor& x, double threshold, double default_value) {
  return ops::where(ops::greater(x, threshold), x, default_value);
}

Tensor softplus(const Tensor& x) { return ops::softplus(x); }
Tensor softsign(const Tensor& x) { return call<ops::SoftsignOp>({to_floating(x)}); }

Tensor squareplus(const Tensor& x) { return squareplus(x, 4.0); }
Tensor squareplus(const Tensor& x, double b) {
  return ops::multiply(ops::add(x, ops::sqrt(ops::add(ops::square(x), b))), 0.5);
}

Tensor sparse_plus(const Tensor& x) {
  const Tensor parabola = ops::multiply(ops::square(ops::add(x, 1.0)), 0.25);
  return ops::where(ops::less_equal(x, -1.0), 0.0, ops::where(ops::less(x, 1.0), parabola, x));
}

Tensor exponential(const Tensor& x) { return ops::exp(x); }
Tensor mish(const Tensor& x) { return ops::multiply(x, ops::tanh(ops::softplus(x))); }

namespace {

/// Applies `function` along `axes` of x, which are moved to the end and merged into one axis.
Tensor along_joined_axes(const Tensor& x, const std::vector<int>& axes, Tensor (*function)(const Tensor&, int)) {
  if (axes.empty()) throw ValueError("`axis` must be an integer or a list of at least one. Received: axis=[]");
  std::vector<int> order;
  for (int axis = 0; axis < x.rank(); ++axis) {
    const bool joined = std::any_of(axes.begin(), axes.end(),
                                    [&](int candidate) { return normalize_axis(candidate, x.rank()) == axis; });
    if (!joined) order.push_back(axis);
  }
  const int kept = static_cast<int>(order.size());
  for (const int axis : axes) order.push_back(normalize_axis(axis, x.rank()));
  const Tensor transposed = ops::transpose(x, order);
  Shape rows = transposed.shape().slice(0, kept);
  rows.push_back(transposed.shape().slice(kept, x.rank()).size());
  const Tensor y = ops::reshape(function(ops::reshape(transposed, rows), -1), transposed.shape());
  std::vector<int> back(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) back[static_cast<std::size_t>(order[i])] = static_cast<int>(i);
  return ops::transpose(y, back);
}

}  // namespace

Tensor softmax(const Tensor& x) { return ops::softmax(x, -1); }
Tensor softmax(const Tensor& x, int axis) { return ops::softmax(x, axis); }
Tensor softmax(const Tensor& x, const std::vector<int>& axes) { return along_joined_axes(x, axes, &ops::softmax); }

Tensor log_softmax(const Tensor& x) { return ops::log_softmax(x, -1); }
Tensor log_softmax(const Tensor& x, int axis) { return ops::log_softmax(x, axis); }
Tensor log_softmax(const Tensor& x, const std::vector<int>& axes) {
  return along_joined_axes(x, axes, &ops::log_softmax);
}

Tensor sparsemax(const Tensor& x) { return sparsemax(x, -1); }
Tensor sparsemax(const Tensor& x, int axis) {
  const int last = x.rank() - 1;
  if (const int front = normalize_axis(axis, x.rank()); front != last) {
    std::vector<int> order(static_cast<std::size_t>(x.rank()));
    std::iota(order.begin(), order.end(), 0);
    std::swap(order[static_cast<std::size_t>(front)], order.back());
    return ops::transpose(sparsemax(ops::transpose(x, order), -1), order);
  }
  // Whether z_j precedes or is z_i when z is sorted in descending order.
  const Tensor z = ops::stop_gradient(x);
  const Tensor own = ops::expand_dims(z, last + 1);
  const Tensor others = ops::expand_dims(z, last);
  const Tensor places = ops::range(z.shape()[last]);
  const Tensor not_behind = ops::greater_equal(ops::expand_dims(places, 1), ops::expand_dims(places, 0));
  const Tensor is_before =
      ops::logical_or(ops::greater(others, own), ops::logical_and(ops::equal(others, own), not_behind));
  const Tensor before = ops::cast(is_before, x.dtype());
  const Tensor rank = ops::sum(before, {last + 1});
  // Selected, not multiplied: 0 times an infinite logit is NaN.
  const Tensor total = ops::sum(ops::where(is_before, others, 0.0), {last + 1});
  const Tensor supports = ops::cast(ops::greater(z, ops::divide(ops::subtract(total, 1.0), rank)), x.dtype());
  // Keras uses the sum of all cumulative sums of the support; the definition uses only the last one.
  const Tensor times = ops::sum(ops::multiply(before, ops::expand_dims(supports, last + 1)), {last});
  const Tensor counted = ops::where(ops::greater(times, 0.0), x, 0.0);
  const Tensor excess = ops::subtract(ops::sum(ops::multiply(counted, times), {last}, true), 1.0);
  // At 0 the gradient passes, as through Keras's maximum.
  return ops::maximum(ops::subtract(x, ops::divide(excess, ops::sum(supports, {last}, true))), 0.0);
}

Tensor glu(const Tensor& x) { return glu(x, -1); }
Tensor glu(const Tensor& x, int axis) {
  if (x.shape().at(axis) % 2 != 0) {
    throw ValueError("axis size must be divisible by 2. Received: x.shape=" + x.shape().to_string() +
                     " with axis=" + std::to_string(axis));
  }
  const std::vector<Tensor> halves = ops::split(x, 2, axis);
  return ops::multiply(halves[0], ops::sigmoid(halves[1]));
}

}  // namespace rhyton::activations
