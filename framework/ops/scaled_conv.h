#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <rhyton/framework/ops/conv.h>
#include <rhyton/framework/ops/epilogue.h>

namespace rhyton {
inline namespace ops {

/// Inputs x, kernel, factor [Cout] and offset [Cout]: activation(conv2d(x, kernel) · factor + offset), a convolution
/// and the batch normalization with known moments behind it. Created by passes over a differentiated graph for the CPU;
/// it has no derivative of its own.
class ScaledConv2DOp final : public Op {
 public:
  explicit ScaledConv2DOp(Epilogue activation, const Conv2DAttributes& attributes = {},
                          ConvAlgorithm algorithm = ConvAlgorithm::direct)
      : activation_(activation), window_(attributes), algorithm_(algorithm) {}
  const Conv2DAttributes& window() const { return window_; }
  Epilogue activation() const { return activation_; }
  ConvAlgorithm algorithm() const { return algorithm_; }

  std::string_view name() const override { return "ScaledConv2D"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  BatchRule batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const override;
  double flops(std::span<const TensorSpec> inputs, std::span<const TensorSpec> outputs) const override;
  std::string attributes() const override;

 private:
  Epilogue activation_;
  Conv2DAttributes window_;
  ConvAlgorithm algorithm_;
};

}  // namespace ops
}  // namespace rhyton
