#pragma once

#include <string>
#include <string_view>

#include <rhyton/framework/ops/attribute_text.h>
#include <rhyton/framework/ops/elementwise_op.h>

// The elementwise ops whose kernels read attributes, and those that activations outside of this folder are made of.
// Programs call the functions in elementwise.h.

namespace rhyton {
inline namespace ops {

/// Input: x.
class LeakyReluOp final : public UnaryOp {
 public:
  explicit LeakyReluOp(double negative_slope) : negative_slope(negative_slope) {}
  std::string_view name() const override { return "LeakyRelu"; }
  std::string attributes() const override { return attribute("negative_slope", negative_slope); }

  const double negative_slope;

 protected:
  Tensor derivative(const Tensor& x, const Tensor& y, const Tensor& dy) const override;
};

/// Inputs: dy, x.
class LeakyReluGradOp final : public BinaryOp {
 public:
  explicit LeakyReluGradOp(double negative_slope) : negative_slope(negative_slope) {}
  std::string_view name() const override { return "LeakyReluGrad"; }
  std::string attributes() const override { return attribute("negative_slope", negative_slope); }

  const double negative_slope;

 protected:
  Tensor left_derivative(const Tensor& a, const Tensor& b, const Tensor& y, const Tensor& dy) const override;
};

/// Input: x.
class EluOp final : public UnaryOp {
 public:
  /// The gradient at 0 and NaN is that of 0 from below, `alpha`, or with `zero_is_above` that from above, 1.
  explicit EluOp(double alpha, bool zero_is_above = false) : alpha(alpha), zero_is_above(zero_is_above) {}
  std::string_view name() const override { return "Elu"; }
  std::string attributes() const override { return attribute("alpha", alpha); }

  const double alpha;
  const bool zero_is_above;

 protected:
  Tensor derivative(const Tensor& x, const Tensor& y, const Tensor& dy) const override;
};

/// Inputs: dy, x.
class EluGradOp final : public BinaryOp {
 public:
  explicit EluGradOp(double alpha) : alpha(alpha) {}
  std::string_view name() const override { return "EluGrad"; }
  std::string attributes() const override { return attribute("alpha", alpha); }

  const double alpha;

 protected:
  Tensor left_derivative(const Tensor& a, const Tensor& b, const Tensor& y, const Tensor& dy) const override;
  Tensor right_derivative(const Tensor& a, const Tensor& b, const Tensor& y, const Tensor& dy) const override;
};

/// Input: x. The result is x / (1 + |x|), whose derivative 1 / (1 + |x|)² is 0 at infinity.
class SoftsignOp final : public UnaryOp {
 public:
  std::string_view name() const override { return "Softsign"; }

 protected:
  Tensor derivative(const Tensor& x, const Tensor& y, const Tensor& dy) const override;
};

/// Input: x.
class GeluOp final : public UnaryOp {
 public:
  explicit GeluOp(bool approximate) : approximate(approximate) {}
  std::string_view name() const override { return "Gelu"; }
  std::string attributes() const override { return attribute("approximate", approximate); }

  const bool approximate;

 protected:
  Tensor derivative(const Tensor& x, const Tensor& y, const Tensor& dy) const override;
};

/// Inputs: dy, x.
class GeluGradOp final : public BinaryOp {
 public:
  explicit GeluGradOp(bool approximate) : approximate(approximate) {}
  std::string_view name() const override { return "GeluGrad"; }
  std::string attributes() const override { return attribute("approximate", approximate); }

  const bool approximate;

 protected:
  Tensor left_derivative(const Tensor& a, const Tensor& b, const Tensor& y, const Tensor& dy) const override;
  Tensor right_derivative(const Tensor& a, const Tensor& b, const Tensor& y, const Tensor& dy) const override;
};

/// Input: x.
class ClipByValueOp final : public UnaryOp {
 public:
  /// The gradient at `lowest` and `highest` themselves is 1, or with `flat_at_borders` 0.
  ClipByValueOp(double lowest, double highest, bool flat_at_borders = false)
      : lowest(lowest), highest(highest), flat_at_borders(flat_at_borders) {}
  std::string_view name() const override { return "ClipByValue"; }
  std::string attributes() const override { return attribute("lowest", lowest) + ", " + attribute("highest", highest); }

  const double lowest;
  const double highest;
  const bool flat_at_borders;

 protected:
  Tensor derivative(const Tensor& x, const Tensor& y, const Tensor& dy) const override;
};

/// Inputs: dy and the result y of a ClipByValueOp without a gradient at its bounds. The result is dy between them, and
/// 0 · dy elsewhere.
class ClipByValueGradOp final : public BinaryOp {
 public:
  ClipByValueGradOp(double lowest, double highest) : lowest(lowest), highest(highest) {}
  std::string_view name() const override { return "ClipByValueGrad"; }
  std::string attributes() const override { return attribute("lowest", lowest) + ", " + attribute("highest", highest); }

  const double lowest;
  const double highest;

 protected:
  Tensor left_derivative(const Tensor& a, const Tensor& b, const Tensor& y, const Tensor& dy) const override;
};

/// Input: x, of which only shape and dtype matter.
class FullLikeOp final : public UnaryOp {
 public:
  explicit FullLikeOp(double value) : value(value) {}
  std::string_view name() const override { return "FullLike"; }
  std::string attributes() const override { return attribute("value", value); }

  const double value;
};

}  // namespace ops
}  // namespace rhyton
