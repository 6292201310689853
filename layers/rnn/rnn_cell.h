#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <rhyton/layers/layer.h>

namespace rhyton::layers {

/// What a cell computes in one step: its output, and one state per entry of `state_size`.
struct CellResult {
  Tensor output;
  std::vector<Tensor> states;
};

/// One step of a sequence: the inputs [batch, ...] and the states before the step.
using CellStep = std::function<CellResult(const Tensor& inputs, const std::vector<Tensor>& states)>;

/// A sequence for a cell that computes all steps at once.
struct CellSequence {
  /// [batch, steps, ...].
  Tensor inputs;
  /// One per entry of `state_size`; none for zeros.
  std::vector<Tensor> initial_states = {};
  /// bool [batch, steps], empty for none.
  Tensor mask = {};
  bool go_backwards = false;
  bool zero_output_for_mask = false;
  bool return_sequences = true;
  bool training = false;
};

/// The outputs of all steps.
struct CellSequenceResult {
  /// [batch, ...]: that of the step that is computed last.
  Tensor last_output;
  /// [batch, steps, ...], at the positions of their inputs; empty if only the last output is asked for.
  Tensor outputs;
  /// After the last step.
  std::vector<Tensor> states;
};

/// The base class of the cells of recurrent layers. A custom cell derives from it, overrides `class_name`,
/// `state_size`, `build` and `step`, and is wrapped by `make_layer<MyCell>(…)`:
///
/// ```
/// class MinimalCell final : public layers::RNNCellImpl {
///  public:
///   explicit MinimalCell(std::int64_t units) : RNNCellImpl(layers::LayerOptions()), units_(units) {}
///   std::string class_name() const override { return "MinimalCell"; }
///   std::vector<std::int64_t> state_size() const override { return {units_}; }
///   void build(const std::vector<Shape>& inputs) override {
///     kernel_ = add_weight({.shape = {inputs[0].at(-1), units_}, .name = "kernel"});
///   }
///   layers::CellResult step(const Tensor& x, const std::vector<Tensor>& states, bool) override {
///     const Tensor y = tanh(add(matmul(x, kernel_), states[0]));
///     return {.output = y, .states = {y}};
///   }
///   …
/// };
/// layers::RNN rnn(layers::make_layer<MinimalCell>(32));
/// ```
///
/// Called by itself, `cell.call_many({x}, {.args = {Argument{h, c}}})`, a cell has the outputs [output, state, ...].
class RNNCellImpl : public LayerImpl {
 public:
  using LayerImpl::LayerImpl;

  /// The length of each state; the states of nested cells stand side by side.
  virtual std::vector<std::int64_t> state_size() const = 0;
  /// The length of the output. The default is that of the first state.
  virtual std::int64_t output_size() const;

  /// One step: inputs [batch, features], one state [batch, size] per entry of `state_size`.
  virtual CellResult step(const Tensor& inputs, const std::vector<Tensor>& states, bool training) = 0;

  /// The states before the first step for inputs like these, [batch, features]. The default is zeros of the dtype that
  /// the cell computes in.
  virtual std::vector<Tensor> get_initial_state(const Tensor& inputs) const;

  // For inputs that are no vectors. The batch axis may be -1.

  /// The shape of each state for inputs of one step of this shape. The default is [batch, size].
  virtual std::vector<Shape> state_shapes(const Shape& step) const;
  /// The shape of the output for inputs of one step of this shape. The default is [batch, output_size].
  virtual Shape output_shape(const Shape& step) const;

  /// The inputs must have a batch axis.
  void check_inputs(const std::vector<Shape>& inputs) const override;

  // What a recurrent layer calls.

  /// The steps of one sequence, whose inputs are like these, [batch, ...]. What is the same for all steps, such as
  /// dropout masks, is made here. The default calls the cell.
  virtual CellStep start_sequence(const Tensor& inputs, bool training);
  /// Whether `call_sequence` can be called; false by default.
  virtual bool computes_sequences(bool training) const;
  /// All steps at once.
  virtual CellSequenceResult call_sequence(const CellSequence& sequence);

  /// Throws ValueError, naming `caller`, unless there is a state of the right shape for each entry of `state_size`, for
  /// inputs of one step of this shape. Unknown lengths, and one sample in place of a batch, fit.
  void require_states(const LayerImpl& caller, const Shape& step, const std::vector<Shape>& states) const;

  std::vector<std::string> call_parameters() const override { return {"inputs", "states"}; }
  /// `step`. Throws TypeError without states, and the errors of `require_states`.
  std::vector<Tensor> call_with(const BoundArguments& arguments, bool training) override;
};

/// Builds a cell for inputs of one step of this shape if it is not built, with the layers that it calls. Throws the
/// errors of a call.
void build_cell(const Layer& cell, const Shape& step);

/// States for inputs like these: one sample in place of a batch is repeated.
std::vector<Tensor> states_of_batch(const Tensor& inputs, std::vector<Tensor> states);

std::vector<Tensor> cast_all(std::vector<Tensor> tensors, DType dtype);

/// The shapes of tensors.
std::vector<Shape> shapes_of_states(const std::vector<Tensor>& states);

/// The cell that a handle holds; null if it holds none.
RNNCellImpl* as_cell(const Layer& layer);
/// A layer as messages of Keras name it: "<Dense name=dense, built=False>".
std::string described_layer(const Layer& layer);

/// The cell that a handle holds. Throws ValueError in Keras's words for a layer that is no cell.
RNNCellImpl& cell_of(const Layer& layer);

}  // namespace rhyton::layers
