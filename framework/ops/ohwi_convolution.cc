#include <rhyton/framework/ops/ohwi_convolution.h>

#include <optional>
#include <utility>

#include <rhyton/framework/ops/conv.h>
#include <rhyton/framework/ops/conv_max_pool.h>

namespace rhyton {
inline namespace ops {
namespace {

/// The index of a convolution's input that is its kernel, -1 where output 0 is its gradient; nothing for other ops.
std::optional<int> kernel_input_of(const Op& op) {
  if (dynamic_cast<const Conv2DInputGradientOp*>(&op) != nullptr) return 0;
  if (dynamic_cast<const Conv2DKernelGradientOp*>(&op) != nullptr) return -1;
  const bool is_forward = dynamic_cast<const Conv2DOp*>(&op) != nullptr ||
                          dynamic_cast<const FusedConv2DOp*>(&op) != nullptr ||
                          dynamic_cast<const FusedConv2DMaxPoolOp*>(&op) != nullptr;
  return is_forward ? std::optional(1) : std::nullopt;
}

template <class Layout>
std::vector<TensorSpec> with_kernel(std::span<const TensorSpec> specs, int place, const Layout& layout) {
  std::vector<TensorSpec> result(specs.begin(), specs.end());
  if (place >= 0) {
    TensorSpec& kernel = result.at(static_cast<std::size_t>(place));
    kernel.shape = layout(kernel.shape);
  }
  return result;
}

}  // namespace

OhwiConvolutionOp::OhwiConvolutionOp(OpPtr convolution) : convolution_(std::move(convolution)) {
  const std::optional<int> kernel_input = kernel_input_of(*convolution_);
  if (!kernel_input) throw InvalidArgumentError(std::string(convolution_->name()) + " is no convolution.");
  kernel_input_ = *kernel_input;
  name_ = "Ohwi" + std::string(convolution_->name());
}

bool OhwiConvolutionOp::is_possible(const Op& op) { return kernel_input_of(op).has_value(); }

std::vector<TensorSpec> OhwiConvolutionOp::keras_inputs(std::span<const TensorSpec> inputs) const {
  return with_kernel(inputs, kernel_input_, &with_filters_last);
}

std::vector<TensorSpec> OhwiConvolutionOp::own_inputs(std::span<const TensorSpec> keras_inputs) const {
  return with_kernel(keras_inputs, kernel_input_, &in_ohwi);
}

std::vector<TensorSpec> OhwiConvolutionOp::infer(std::span<const TensorSpec> inputs) const {
  return with_kernel(convolution_->infer(keras_inputs(inputs)), kernel_input_ < 0 ? 0 : -1, &in_ohwi);
}

double OhwiConvolutionOp::flops(std::span<const TensorSpec> inputs, std::span<const TensorSpec> outputs) const {
  return convolution_->flops(keras_inputs(inputs),
                             with_kernel(outputs, kernel_input_ < 0 ? 0 : -1, &with_filters_last));
}

const OhwiConvolutionOp* as_ohwi(const Op& op) { return dynamic_cast<const OhwiConvolutionOp*>(&op); }

Shape in_ohwi(const Shape& kernel) { return {kernel[3], kernel[0], kernel[1], kernel[2]}; }
Shape with_filters_last(const Shape& kernel) { return {kernel[1], kernel[2], kernel[3], kernel[0]}; }

std::vector<int> hwio_to_ohwi() { return {3, 0, 1, 2}; }
std::vector<int> ohwi_to_hwio() { return {1, 2, 3, 0}; }

}  // namespace ops
}  // namespace rhyton
