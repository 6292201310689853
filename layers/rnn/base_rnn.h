#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <rhyton/layers/input_spec.h>
#include <rhyton/layers/rnn/rnn.h>
#include <rhyton/layers/rnn/rnn_cell.h>

namespace rhyton::layers {

/// The base of recurrent layers: applies the cell, its sublayer "cell", to all steps.
class RNNImpl : public LayerImpl {
 public:
  /// `rank` is that of the sequences, at least 3 if it is not given. Throws ValueError in Keras's words for a layer
  /// that is no cell.
  RNNImpl(const Layer& cell, const RNNOptions& options, std::optional<int> rank = std::nullopt);

  std::string class_name() const override { return RNN::keras_name; }
  /// The rank of the sequences.
  InputSpec input_spec() const { return {.ndim = rank_, .min_ndim = 3}; }
  void check_inputs(const std::vector<Shape>& inputs) const override;
  std::vector<std::string> build_parameters() const override { return {"sequences", "initial_state"}; }
  void build(const std::vector<Shape>& inputs) override;
  bool is_built_for_batch() const override { return options_.stateful; }
  bool supports_masking() const override { return true; }
  std::vector<Tensor> compute_mask(const std::vector<Tensor>& inputs, const std::vector<Tensor>& masks) const override;
  std::vector<std::string> call_parameters() const override { return {"sequences", "initial_state", "mask"}; }
  std::vector<Tensor> call_with(const BoundArguments& arguments, bool training) override;
  /// `call_with`, but outputs of all steps stay at the positions of their inputs also where the layer goes backwards.
  std::vector<Tensor> call_in_input_order(const BoundArguments& arguments, bool training);
  io::Json get_config() const override;

  /// The options that all recurrent layers have.
  const RNNOptions& options() const { return options_; }
  /// For wrappers.
  void set_zero_output_for_mask(bool is_zero) { options_.zero_output_for_mask = is_zero; }
  const Layer& cell_layer() const { return cell_; }
  RNNCellImpl& cell() const { return cell_of(cell_); }
  /// Of a stateful layer that is built.
  const std::vector<Variable>& states() const { return states_; }
  /// Sets the states of a stateful layer to zeros.
  void reset_state() const;

 protected:
  std::vector<TensorSpec> infer_outputs(const BoundArguments& arguments) override;
  /// The arguments that all layers have, without those of RNN.
  io::Json layer_config() const { return LayerImpl::get_config(); }
  /// Called before the steps are computed one by one.
  virtual void check_loop() const {}
  /// The configuration of a derived class with the options that changed since it was made.
  io::Json with_changes(io::Json config) const;

 private:
  /// Throws ValueError for a batch other than that of the states, for states and for a mask of other shapes.
  void check_arguments(const Shape& sequences, const std::vector<Shape>& states, const std::vector<Shape>& masks) const;
  std::vector<Tensor> initial_states(const Tensor& sequences, const std::vector<Tensor>& given) const;
  CellSequenceResult call_cell(CellSequence sequence) const;

  Layer cell_;
  RNNOptions options_;
  std::optional<int> rank_;
  std::vector<Variable> states_;
  /// The number of features, once it is built for sequences of vectors.
  std::optional<std::int64_t> features_;
};

/// The options that all recurrent layers have among those of one class.
template <class Options>
RNNOptions rnn_options(const Options& options) {
  return {.return_sequences = options.return_sequences,
          .return_state = options.return_state,
          .go_backwards = options.go_backwards,
          .stateful = options.stateful,
          .unroll = options.unroll,
          .zero_output_for_mask = options.zero_output_for_mask,
          .name = options.name,
          .dtype = options.dtype,
          .trainable = options.trainable,
          .activity_regularizer = options.activity_regularizer};
}

}  // namespace rhyton::layers
