#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <rhyton/framework/ops/op.h>

namespace rhyton {
inline namespace ops {

/// A convolution, or a gradient of one, with the OHWI kernel layout [Cout, KH, KW, Cin / groups] instead of Keras's
/// [KH, KW, Cin / groups, Cout]: libraries for GPUs need it for images with channels last. Its name is that of the
/// convolution with the prefix "Ohwi". Passes create it from ops that have been differentiated before.
class OhwiConvolutionOp final : public Op {
 public:
  /// `convolution`: Conv2D, FusedConv2D, FusedConv2DMaxPool, Conv2DInputGradient or Conv2DKernelGradient; see
  /// `is_possible`.
  explicit OhwiConvolutionOp(OpPtr convolution);

  /// Whether that op can have the OHWI kernel layout.
  static bool is_possible(const Op& op);

  const Op& convolution() const { return *convolution_; }
  /// The index of the input that is the kernel; -1 where output 0 is its gradient.
  int kernel_input() const { return kernel_input_; }
  /// The inputs in the layout of `convolution`.
  std::vector<TensorSpec> keras_inputs(std::span<const TensorSpec> inputs) const;
  /// The inputs in the layout of this op, from those of `convolution`.
  std::vector<TensorSpec> own_inputs(std::span<const TensorSpec> keras_inputs) const;

  std::string_view name() const override { return name_; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  double flops(std::span<const TensorSpec> inputs, std::span<const TensorSpec> outputs) const override;
  std::string attributes() const override { return convolution_->attributes(); }
  DType kernel_dtype(std::span<const TensorSpec> inputs) const override { return convolution_->kernel_dtype(inputs); }

 private:
  OpPtr convolution_;
  int kernel_input_;
  std::string name_;
};

/// The op as a OhwiConvolutionOp; null if it is none.
const OhwiConvolutionOp* as_ohwi(const Op& op);

/// The OHWI shape of a kernel of Keras's layout, and the inverse.
Shape in_ohwi(const Shape& kernel);
Shape with_filters_last(const Shape& kernel);

/// The permutations of `transpose` for these two.
std::vector<int> hwio_to_ohwi();
std::vector<int> ohwi_to_hwio();

}  // namespace ops
}  // namespace rhyton
