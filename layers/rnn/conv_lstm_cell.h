#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <rhyton/framework/ops/window.h>
#include <rhyton/layers/activations.h>
#include <rhyton/layers/constraints.h>
#include <rhyton/layers/image_layout.h>
#include <rhyton/layers/initializers.h>
#include <rhyton/layers/regularizers.h>
#include <rhyton/layers/rnn/dropout_rnn_cell.h>

namespace rhyton::layers {

/// The arguments of ConvLSTMCellImpl, with one entry per spatial axis where there are several.
struct ConvLSTMCellArguments {
  std::int64_t filters = 0;
  std::vector<std::int64_t> kernel_size;
  std::vector<std::int64_t> strides;
  std::vector<std::int64_t> dilation_rate;
  Padding padding = Padding::valid;
  ImageLayout layout;
  ActivationFunction activation;
  ActivationFunction recurrent_activation;
  bool use_bias = true;
  Initializer kernel_initializer;
  Initializer recurrent_initializer;
  Initializer bias_initializer;
  bool unit_forget_bias = true;
  Regularizer kernel_regularizer;
  Regularizer recurrent_regularizer;
  Regularizer bias_regularizer;
  Constraint kernel_constraint;
  Constraint recurrent_constraint;
  Constraint bias_constraint;
  double dropout = 0.0;
  double recurrent_dropout = 0.0;
  std::optional<std::int64_t> seed = std::nullopt;
};

/// The cell of ConvLSTM1D, ConvLSTM2D and ConvLSTM3D, which Keras does not make public: a step of LSTM whose products
/// are convolutions. Weights: kernel [window, channels, 4 · filters], recurrent_kernel [window, filters, 4 · filters],
/// bias [4 · filters].
class ConvLSTMCellImpl final : public DropoutRNNCellImpl {
 public:
  ConvLSTMCellImpl(const ConvLSTMCellArguments& arguments, const std::string& dtype);

  std::string class_name() const override { return "ConvLSTMCell"; }
  /// Of channels: the states are images.
  std::vector<std::int64_t> state_size() const override { return {arguments_.filters, arguments_.filters}; }
  std::vector<Shape> state_shapes(const Shape& step) const override { return {output_shape(step), output_shape(step)}; }
  Shape output_shape(const Shape& step) const override;

  /// Throws ValueError in Keras's words for images without a known size, of another size than before, or smaller than
  /// the window.
  void check_inputs(const std::vector<Shape>& inputs) const override;
  void build(const std::vector<Shape>& inputs) override;
  CellStep start_sequence(const Tensor& inputs, bool training) override;
  bool computes_sequences(bool /*training*/) const override { return true; }
  /// The convolution of the inputs is one for all steps.
  CellSequenceResult call_sequence(const CellSequence& sequence) override;

 private:
  /// For one axis of images of that length.
  WindowAxis window(std::size_t axis, std::int64_t length) const;
  /// The part of all gates that depends on the inputs: [n, ..., channels] -> [n, ..., 4 · filters]. With groups each
  /// gate has channels of its own.
  Tensor project(const Tensor& images, std::int64_t groups) const;
  /// The step after `project`, with channels last. The masks are those for states like this one.
  CellStep start_recurrence(const Tensor& state, bool training) const;

  ConvLSTMCellArguments arguments_;
  /// The shape of one image that the cell was built for.
  Shape image_;
  Variable kernel_;
  Variable recurrent_kernel_;
  Variable bias_;
};

}  // namespace rhyton::layers
