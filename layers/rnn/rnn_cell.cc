#include <rhyton/layers/rnn/rnn_cell.h>

#include <algorithm>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/layers/call_node.h>
#include <rhyton/layers/input_spec.h>
#include <rhyton/layers/merging/base_merge.h>
#include <rhyton/layers/rnn/batch_zeros.h>

namespace rhyton::layers {
namespace {

std::vector<Tensor> flat(const CellResult& result) {
  std::vector<Tensor> outputs = {result.output};
  outputs.insert(outputs.end(), result.states.begin(), result.states.end());
  return outputs;
}

bool fits(const Shape& state, const Shape& expected) {
  if (state.rank() != expected.rank()) return false;
  for (int axis = 0; axis < state.rank(); ++axis) {
    const bool is_repeated = axis == 0 && state[axis] == 1;
    if (state[axis] >= 0 && expected[axis] >= 0 && state[axis] != expected[axis] && !is_repeated) return false;
  }
  return true;
}

}  // namespace

std::int64_t RNNCellImpl::output_size() const { return state_size().front(); }

std::vector<Shape> RNNCellImpl::state_shapes(const Shape& step) const {
  std::vector<Shape> shapes;
  for (const std::int64_t size : state_size()) shapes.push_back({step[0], size});
  return shapes;
}

Shape RNNCellImpl::output_shape(const Shape& step) const { return {step[0], output_size()}; }

void RNNCellImpl::check_inputs(const std::vector<Shape>& inputs) const { check_input(*this, inputs, {.min_ndim = 1}); }

std::vector<Tensor> RNNCellImpl::get_initial_state(const Tensor& inputs) const {
  std::vector<Tensor> states;
  const Tensor like = cast(inputs, compute_dtype());
  for (const Shape& shape : state_shapes(inputs.shape())) states.push_back(zeros_of_batch(like, shape));
  return states;
}

CellStep RNNCellImpl::start_sequence(const Tensor& /*inputs*/, bool training) {
  return [this, training](const Tensor& inputs, const std::vector<Tensor>& states) {
    std::vector<Tensor> outputs = invoke({.args = {inputs, states}}, training);
    return CellResult{.output = outputs.front(), .states = {outputs.begin() + 1, outputs.end()}};
  };
}

bool RNNCellImpl::computes_sequences(bool /*training*/) const { return false; }

CellSequenceResult RNNCellImpl::call_sequence(const CellSequence& /*sequence*/) {
  throw NotImplementedError("Layer " + class_name() + " does not have a `call_sequence()` method implemented.");
}

void RNNCellImpl::require_states(const LayerImpl& caller, const Shape& step, const std::vector<Shape>& states) const {
  const std::vector<Shape> expected = state_shapes(step);
  bool fit = states.size() == expected.size();
  for (std::size_t i = 0; fit && i < states.size(); ++i) fit = fits(states[i], expected[i]);
  if (fit) return;
  throw ValueError(
      "An `initial_state` was passed that is not compatible with `cell.state_size`. Received states of shapes " +
      shape_list_text(states) + "; expected: " + shape_list_text(expected) + " (layer \"" + caller.name() + "\")");
}

std::vector<Tensor> RNNCellImpl::call_with(const BoundArguments& arguments, bool training) {
  const Tensor inputs = arguments.tensor(call_parameters().front());
  const std::vector<Tensor> states = arguments.tensors("states");
  if (states.empty()) throw TypeError("missing a required argument: 'states' (layer \"" + name() + "\")");
  require_states(*this, inputs.shape(), shapes_of_states(states));
  return flat(step(inputs, states_of_batch(inputs, states), training));
}

void build_cell(const Layer& layer, const Shape& step) {
  RNNCellImpl& cell = cell_of(layer);
  cell.check_inputs({step});
  cell.ensure_built({step});
  const std::vector<Layer> called = cell.sublayers();
  if (std::all_of(called.begin(), called.end(), [](const Layer& each) { return each.is_built(); })) return;
  // They are built when they are called: on symbolic tensors of these shapes.
  CallNode node;
  node.outputs.push_back({step, cell.compute_dtype()});
  for (const Shape& shape : cell.state_shapes(step)) node.outputs.push_back({shape, cell.compute_dtype()});
  const auto shared = share_node(std::move(node));
  std::vector<SymbolicTensor> states;
  for (std::size_t i = 1; i < shared->outputs.size(); ++i) states.emplace_back(shared, static_cast<int>(i));
  cell.call_symbolic({.args = {SymbolicTensor(shared, 0), states}});
}

std::vector<Tensor> states_of_batch(const Tensor& inputs, std::vector<Tensor> states) {
  for (Tensor& state : states) {
    const std::int64_t batch = inputs.shape()[0];
    if (state.shape()[0] != batch) state = add(zeros_of_batch(inputs, state.shape().with(0, batch)), state);
  }
  return states;
}

std::vector<Tensor> cast_all(std::vector<Tensor> tensors, DType dtype) {
  for (Tensor& tensor : tensors) tensor = cast(tensor, dtype);
  return tensors;
}

std::vector<Shape> shapes_of_states(const std::vector<Tensor>& states) {
  std::vector<Shape> shapes;
  for (const Tensor& state : states) shapes.push_back(state.shape());
  return shapes;
}

RNNCellImpl* as_cell(const Layer& layer) { return dynamic_cast<RNNCellImpl*>(layer.impl().get()); }

std::string described_layer(const Layer& layer) {
  if (layer.is_empty()) return "None";
  return "<" + layer.class_name() + " name=" + layer.name() + ", built=" + (layer.is_built() ? "True" : "False") + ">";
}

RNNCellImpl& cell_of(const Layer& layer) {
  if (RNNCellImpl* const cell = as_cell(layer)) return *cell;
  const std::string received = " Received: cell=" + described_layer(layer);
  if (layer.is_empty()) throw ValueError("Argument `cell` should have a `call` method." + received);
  throw ValueError(
      "The RNN cell should have a `state_size` attribute (single integer or list of integers, one integer per RNN "
      "state)." +
      received);
}

}  // namespace rhyton::layers
