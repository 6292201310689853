#include <rhyton/layers/rnn/base_rnn.h>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/input_spec.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/merging/base_merge.h>
#include <rhyton/layers/rnn/batch_zeros.h>
#include <rhyton/layers/rnn/step_loop.h>
#include <rhyton/layers/rnn/steps.h>
#include <rhyton/layers/serialization.h>

namespace rhyton::layers {
namespace {

/// The shapes of the tensors and symbolic tensors of an argument. Throws TypeError for anything else in it but None.
std::vector<Shape> shapes_in(const Argument& argument) {
  std::vector<Shape> shapes;
  for_each_leaf(argument, [&](const Argument& leaf) {
    if (leaf.is_none()) return;
    shapes.push_back(leaf.is_symbolic() ? leaf.symbolic().shape() : leaf.tensor().shape());
  });
  return shapes;
}

/// The mask as bool [batch, steps]; empty for none. One of a single sample is that of all samples.
Tensor mask_of_steps(const Tensor& mask, const Shape& sequences) {
  if (mask.is_empty()) return mask;
  const Tensor steps = cast(mask.rank() == 2 ? mask : reshape(mask, mask.shape().slice(0, 2)), DType::bool_);
  return steps.shape()[0] == sequences[0] ? steps : broadcast_to(steps, sequences.slice(0, 2));
}

}  // namespace

RNNImpl::RNNImpl(const Layer& cell, const RNNOptions& options, std::optional<int> rank)
    : LayerImpl(base_options(options)), cell_(cell), options_(options), rank_(rank) {
  cell_of(cell);
  track("cell", cell);
}

void RNNImpl::check_inputs(const std::vector<Shape>& inputs) const {
  InputSpec spec = input_spec();
  if (features_) spec.axes = {{-1, *features_}};
  check_input(*this, inputs, spec);
}

void RNNImpl::build(const std::vector<Shape>& inputs) {
  check_inputs({inputs[0]});
  const Shape step = step_shape(inputs[0]);
  build_cell(cell_, step);
  if (step.rank() == 2) features_ = step[1];
  if (!options_.stateful) return;
  if (inputs[0][0] < 0) {
    throw ValueError(
        "When using `stateful=True` in a RNN, the batch size must be static. Found dynamic batch size: "
        "sequence.shape=" +
        inputs[0].to_string());
  }
  for (const Shape& shape : cell().state_shapes(step)) {
    states_.push_back(add_state(Tensor::zeros(shape, variable_dtype()), "rnn_state", true));
  }
}

std::vector<Tensor> RNNImpl::compute_mask(const std::vector<Tensor>& /*inputs*/,
                                          const std::vector<Tensor>& masks) const {
  std::vector<Tensor> result = {options_.return_sequences && !masks.empty() ? masks.front() : Tensor()};
  if (options_.return_state) result.resize(1 + cell().state_size().size());
  return result;
}

void RNNImpl::check_arguments(const Shape& sequences, const std::vector<Shape>& states,
                              const std::vector<Shape>& masks) const {
  if (!states_.empty() && !may_be_equal(sequences[0], states_.front().shape()[0])) {
    throw ValueError(
        "If an RNN is stateful, the batch size of the input sequences must be the same as the batch size of the "
        "initial state. \n- Expected batch size: " +
        std::to_string(states_.front().shape()[0]) + "\n- Received batch size: " + std::to_string(sequences[0]) +
        " (layer \"" + name() + "\")");
  }
  if (!states.empty()) cell().require_states(*this, step_shape(sequences), states);
  for (const Shape& mask : masks) {
    const bool has_steps = mask.rank() == 2 || (mask.rank() == 3 && may_be_equal(mask[2], 1));
    const bool fits = has_steps && (mask[0] == 1 || may_be_equal(mask[0], sequences[0]));
    if (fits && may_be_equal(mask[1], sequences[1])) continue;
    throw ValueError("The `mask` passed to layer \"" + name() + "\" has the shape " + mask.to_string() +
                     ", which is incompatible with its input of shape " + sequences.to_string() +
                     ". Expected a mask of shape " + sequences.slice(0, 2).to_string() + ".");
  }
}

std::vector<TensorSpec> RNNImpl::infer_outputs(const BoundArguments& arguments) {
  const Shape sequences = shapes_in(arguments.first()).front();
  check_arguments(sequences, shapes_in(arguments["initial_state"]), shapes_in(arguments["mask"]));
  const Shape step = step_shape(sequences);
  const Shape output = cell().output_shape(step);
  std::vector<TensorSpec> specs = {
      {options_.return_sequences ? with_steps(output, sequences[1]) : output, compute_dtype()}};
  if (!options_.return_state) return specs;
  for (const Shape& shape : cell().state_shapes(step)) specs.push_back({shape, compute_dtype()});
  return specs;
}

std::vector<Tensor> RNNImpl::initial_states(const Tensor& sequences, const std::vector<Tensor>& given) const {
  if (!given.empty()) return cast_all(states_of_batch(sequences, given), cell().compute_dtype());
  std::vector<Tensor> states;
  for (const Variable& state : states_) states.push_back(cast(state.value(), cell().compute_dtype()));
  return states;
}

std::vector<Tensor> RNNImpl::call_with(const BoundArguments& arguments, bool training) {
  std::vector<Tensor> outputs = call_in_input_order(arguments, training);
  if (options_.go_backwards && options_.return_sequences) outputs.front() = reverse(outputs.front(), {1});
  return outputs;
}

std::vector<Tensor> RNNImpl::call_in_input_order(const BoundArguments& arguments, bool training) {
  Tensor sequences = arguments.tensor("sequences");
  if (is_floating(sequences.dtype())) sequences = cast(sequences, cell().compute_dtype());
  const std::vector<Tensor> given = arguments.tensors("initial_state");
  const Tensor mask = arguments.tensor("mask");
  check_arguments(sequences.shape(), shapes_in(arguments["initial_state"]), shapes_in(arguments["mask"]));
  CellSequenceResult result = call_cell({.inputs = sequences,
                                         .initial_states = initial_states(sequences, given),
                                         .mask = mask_of_steps(mask, sequences.shape()),
                                         .go_backwards = options_.go_backwards,
                                         .zero_output_for_mask = options_.zero_output_for_mask,
                                         .return_sequences = options_.return_sequences,
                                         .training = training});
  result.states = cast_all(std::move(result.states), compute_dtype());
  for (std::size_t i = 0; i < states_.size(); ++i) states_[i].assign(result.states[i]);
  std::vector<Tensor> outputs = {
      cast(options_.return_sequences ? result.outputs : result.last_output, compute_dtype())};
  if (options_.return_state) outputs.insert(outputs.end(), result.states.begin(), result.states.end());
  return outputs;
}

CellSequenceResult RNNImpl::call_cell(CellSequence sequence) const {
  const Shape step = step_shape(sequence.inputs.shape());
  const std::int64_t steps = sequence.inputs.shape()[1];
  if (steps > 0) {
    if (cell().computes_sequences(sequence.training)) return cell().call_sequence(sequence);
    check_loop();
  }
  // Only its shape and batch matter.
  const Tensor first =
      steps > 0 ? reshape(slice_axis(sequence.inputs, 1, 0, 1), step) : zeros_of_batch(sequence.inputs, step);
  if (sequence.initial_states.empty()) {
    sequence.initial_states = cast_all(cell().get_initial_state(first), cell().compute_dtype());
  }
  if (steps > 0) return step_loop(cell().start_sequence(first, sequence.training), sequence);
  const Tensor output = zeros_of_batch(sequence.inputs, cell().output_shape(step));
  return {.last_output = output,
          .outputs = Tensor::zeros(with_steps(output.shape(), 0), output.dtype()),
          .states = sequence.initial_states};
}

void RNNImpl::reset_state() const {
  for (const Variable& state : states_) state.assign(Tensor::zeros(state.shape(), state.dtype()));
}

io::Json RNNImpl::with_changes(io::Json config) const {
  config["zero_output_for_mask"] = options_.zero_output_for_mask;
  return config;
}

io::Json RNNImpl::get_config() const {
  RNNArguments arguments{options_};
  arguments.cell = cell_;
  return written(LayerImpl::get_config(), arguments);
}

}  // namespace rhyton::layers
