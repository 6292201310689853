#include <rhyton/framework/ops/recurrent.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include <rhyton/framework/ops/attribute_text.h>
#include <rhyton/framework/ops/broadcasting.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/ops/op_tables.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>

namespace rhyton {
inline namespace ops {
namespace {

constexpr std::array<std::pair<std::string_view, RecurrentActivation>, 5> activation_names = {
    {{"linear", RecurrentActivation::linear},
     {"relu", RecurrentActivation::relu},
     {"sigmoid", RecurrentActivation::sigmoid},
     {"hard_sigmoid", RecurrentActivation::hard_sigmoid},
     {"tanh", RecurrentActivation::tanh}}};

std::string text_of(RecurrentActivation activation) {
  for (const auto& [name, value] : activation_names) {
    if (value == activation) return std::string(name);
  }
  return "unknown";
}

std::string text_of(RecurrentCell cell) {
  switch (cell) {
    case RecurrentCell::simple_rnn:
      return "simple_rnn";
    case RecurrentCell::lstm:
      return "lstm";
    case RecurrentCell::gru:
      return "gru";
  }
  return "unknown";
}

/// Hands out positions one after the other.
class Positions {
 public:
  explicit Positions(int first) : next_(first) {}
  int take_if(bool is_there) { return is_there ? next_++ : -1; }

 private:
  int next_;
};

std::size_t at(int position) { return static_cast<std::size_t>(position); }

/// Checks the shapes of an op's inputs.
class ShapeCheck {
 public:
  ShapeCheck(std::string_view op, std::span<const TensorSpec> inputs) : op_(op), inputs_(inputs) {}

  void require(int position, std::string_view what, const Shape& expected) const {
    if (position < 0) return;
    const TensorSpec& input = inputs_[at(position)];
    if (input.shape == expected) return;
    throw InvalidArgumentError("Expected " + std::string(what) + " of shape " + bracketed(expected) + ", but got " +
                               bracketed(input.shape) + " [Op:" + std::string(op_) + "]");
  }

  void require_rank(int position, std::string_view what, int rank) const {
    const Shape& shape = inputs_[at(position)].shape;
    if (shape.rank() == rank) return;
    throw InvalidArgumentError("Expected " + std::string(what) + " of rank " + std::to_string(rank) + ", but got " +
                               bracketed(shape) + " [Op:" + std::string(op_) + "]");
  }

  /// All inputs have the dtype of the first, except the mask.
  void require_dtypes(int mask) const {
    const DType dtype = inputs_[0].dtype;
    if (!is_floating(dtype)) {
      throw InvalidArgumentError("Expected tensors of a floating dtype, but got " +
                                 std::string(message_name_of(dtype)) + " [Op:" + std::string(op_) + "]");
    }
    for (std::size_t i = 1; i < inputs_.size(); ++i) {
      require_dtype(op_, inputs_, i, i == at(mask) ? DType::bool_ : dtype);
    }
  }

 private:
  std::string_view op_;
  std::span<const TensorSpec> inputs_;
};

/// Maps if all inputs but those of the list, which are -1 or the positions of weights, carry the batch on axis 0.
BatchRule rule_of_samples(std::span<const int> batch_axes, std::initializer_list<int> weights) {
  for (std::size_t i = 0; i < batch_axes.size(); ++i) {
    bool is_weight = false;
    for (const int weight : weights) is_weight = is_weight || static_cast<int>(i) == weight;
    if (batch_axes[i] != (is_weight ? -1 : 0)) return BatchRule::mixes();
  }
  return BatchRule::maps(0);
}

/// The state h before each step, [batch, steps, units].
Tensor previous_states(const Tensor& h, const Tensor& initial, bool reverse) {
  const std::int64_t steps = h.shape()[1];
  if (steps == 0) return h;
  const Tensor others = reverse ? slice_axis(h, 1, 1, steps) : slice_axis(h, 1, 0, steps - 1);
  if (initial.is_empty()) {
    const std::pair<std::int64_t, std::int64_t> border = reverse ? std::pair(0, 1) : std::pair(1, 0);
    return pad(others, {{0, 0}, border, {0, 0}});
  }
  const Tensor first = expand_dims(initial, 1);
  return concatenate(reverse ? std::vector<Tensor>{others, first} : std::vector<Tensor>{first, others}, 1);
}

}  // namespace

std::optional<RecurrentActivation> recurrent_activation_of(std::string_view name) {
  for (const auto& [known, value] : activation_names) {
    if (known == name) return value;
  }
  return std::nullopt;
}

int recurrent_gates(RecurrentCell cell) {
  switch (cell) {
    case RecurrentCell::simple_rnn:
      return 1;
    case RecurrentCell::lstm:
      return 4;
    case RecurrentCell::gru:
      return 3;
  }
  throw InvalidArgumentError("Unknown recurrent cell");
}

// --- What both ops share

std::string RecurrentBaseOp::attributes() const {
  return "cell=" + text_of(cell.cell) + ", activation=" + text_of(cell.activation) +
         ", recurrent_activation=" + text_of(cell.recurrent_activation) + ", " +
         attribute("reset_after", cell.reset_after) + ", " + attribute("reverse", cell.reverse) + ", " +
         attribute("has_bias", options.has_bias) + ", " + attribute("has_initial_h", options.has_initial_h) + ", " +
         attribute("has_initial_c", options.has_initial_c) + ", " + attribute("has_mask", options.has_mask);
}

// The product with the recurrent kernel: [batch, steps, units] with [units, gates · units], or its transposed form.
double RecurrentBaseOp::flops(std::span<const TensorSpec>, std::span<const TensorSpec> outputs) const {
  std::int64_t elements = 0;
  for (const TensorSpec& output : outputs) elements = std::max(elements, output.shape.size());
  const bool is_forward = dynamic_cast<const RecurrentOp*>(this) != nullptr;
  const std::int64_t units = outputs[0].shape.at(-1) / (is_forward ? 1 : recurrent_gates(cell.cell));
  return 2.0 * static_cast<double>(elements) * static_cast<double>(units);
}

// --- The recurrence

RecurrentOperands RecurrentOp::operands() const {
  RecurrentOperands result;
  Positions inputs(2);
  result.recurrent_bias = inputs.take_if(options.has_bias);
  result.initial_h = inputs.take_if(options.has_initial_h);
  result.initial_c = inputs.take_if(options.has_initial_c);
  result.mask = inputs.take_if(options.has_mask);
  Positions outputs(2);
  result.final_c = outputs.take_if(is_lstm());
  result.gates = outputs.take_if(true);
  result.residual = outputs.take_if(is_lstm() || resets_after());
  return result;
}

std::vector<TensorSpec> RecurrentOp::infer(std::span<const TensorSpec> inputs) const {
  const RecurrentOperands position = operands();
  const ShapeCheck check(name(), inputs);
  check.require_dtypes(position.mask);
  check.require_rank(position.projected, "projected inputs", 3);
  check.require_rank(position.recurrent_kernel, "a recurrent kernel", 2);
  const std::int64_t batch = inputs[0].shape[0];
  const std::int64_t steps = inputs[0].shape[1];
  const std::int64_t units = inputs[1].shape[0];
  const std::int64_t columns = units * recurrent_gates(cell.cell);
  check.require(position.recurrent_kernel, "a recurrent kernel", {units, columns});
  check.require(position.projected, "projected inputs", {batch, steps, columns});
  check.require(position.recurrent_bias, "a recurrent bias", {columns});
  check.require(position.initial_h, "an initial state h", {batch, units});
  check.require(position.initial_c, "an initial state c", {batch, units});
  check.require(position.mask, "a mask", {batch, steps});
  if ((options.has_initial_c && !is_lstm()) || (options.has_bias && !resets_after())) {
    throw InvalidArgumentError(
        "Only the lstm has a state c, only the gru with reset_after a recurrent bias [Op:" + std::string(name()) + "]");
  }
  const DType dtype = inputs[0].dtype;
  const TensorSpec state{{batch, units}, dtype};
  const TensorSpec states{{batch, steps, units}, dtype};
  std::vector<TensorSpec> outputs = {states, state};
  if (position.final_c >= 0) outputs.push_back(state);
  outputs.push_back(inputs[0]);
  if (position.residual >= 0) outputs.push_back(states);
  return outputs;
}

BatchRule RecurrentOp::batch_rule(std::span<const TensorSpec>, std::span<const int> batch_axes) const {
  const RecurrentOperands position = operands();
  return rule_of_samples(batch_axes, {position.recurrent_kernel, position.recurrent_bias});
}

bool RecurrentOp::may_overwrite(std::size_t input, std::size_t output) const {
  const RecurrentOperands position = operands();
  return input == at(position.projected) && output == at(position.gates);
}

std::vector<Tensor> RecurrentOp::gradient(const GradientArguments& arguments) const {
  const RecurrentOperands position = operands();
  const auto input = [&](int i) { return i < 0 ? Tensor() : arguments.inputs[at(i)]; };
  const auto output = [&](int i) { return i < 0 ? Tensor() : arguments.outputs[at(i)]; };
  const auto output_gradient = [&](int i) { return i < 0 ? Tensor() : arguments.output_gradients[at(i)]; };
  const auto is_needed = [&](int i) { return i >= 0 && arguments.needed[at(i)]; };
  if (!output_gradient(position.gates).is_empty() || !output_gradient(position.residual).is_empty()) {
    return composed_gradient(arguments);
  }
  const Tensor gates = output(position.gates);
  const Tensor h = output(position.h);
  const Tensor dh = output_gradient(position.h);
  const Tensor dfinal_h = output_gradient(position.final_h);
  const Tensor dfinal_c = output_gradient(position.final_c);
  std::vector<Tensor> gradients(arguments.inputs.size());
  if (dh.is_empty() && dfinal_h.is_empty() && dfinal_c.is_empty()) return gradients;

  std::vector<Tensor> operands = {gates, h, input(position.recurrent_kernel)};
  for (const Tensor& tensor : {output(position.residual), input(position.initial_h), input(position.initial_c),
                               input(position.mask), dh, dfinal_h, dfinal_c}) {
    if (!tensor.is_empty()) operands.push_back(tensor);
  }
  const auto op = std::make_shared<const RecurrentGradOp>(cell, options, !dh.is_empty(), !dfinal_h.is_empty(),
                                                          !dfinal_c.is_empty());
  const std::vector<Tensor> results = rhyton::apply(op, operands);
  const RecurrentGradOperands of = op->operands();
  const auto result = [&](int i) { return i < 0 ? Tensor() : results[at(i)]; };
  const Tensor drecurrent = result(of.drecurrent >= 0 ? of.drecurrent : of.dprojected);
  if (is_needed(position.projected)) gradients[at(position.projected)] = result(of.dprojected);
  if (is_needed(position.initial_h)) gradients[at(position.initial_h)] = result(of.dinitial_h);
  if (is_needed(position.initial_c)) gradients[at(position.initial_c)] = result(of.dinitial_c);
  if (is_needed(position.recurrent_bias)) gradients[at(position.recurrent_bias)] = sum(drecurrent, {0, 1});
  if (is_needed(position.recurrent_kernel)) {
    const Tensor previous = previous_states(h, input(position.initial_h), cell.reverse);
    Tensor& gradient = gradients[at(position.recurrent_kernel)];
    if (cell.cell == RecurrentCell::gru && !cell.reset_after) {
      // The candidate's product has another factor: the state that the reset gate has multiplied.
      const std::int64_t units = h.shape()[2];
      const Tensor reset = slice_axis(gates, 2, units, 2 * units) * previous;
      gradient = concatenate({matmul_kernel_gradient(previous, slice_axis(drecurrent, 2, 0, 2 * units)),
                              matmul_kernel_gradient(reset, slice_axis(drecurrent, 2, 2 * units, 3 * units))},
                             1);
    } else {
      gradient = matmul_kernel_gradient(previous, drecurrent);
    }
  }
  return gradients;
}

// --- Its gradient

std::string RecurrentGradOp::attributes() const {
  return RecurrentBaseOp::attributes() + ", " + attribute("has_dh", has_dh) + ", " +
         attribute("has_dfinal_h", has_dfinal_h) + ", " + attribute("has_dfinal_c", has_dfinal_c);
}

RecurrentGradOperands RecurrentGradOp::operands() const {
  RecurrentGradOperands result;
  Positions inputs(3);
  result.residual = inputs.take_if(is_lstm() || resets_after());
  result.initial_h = inputs.take_if(options.has_initial_h);
  result.initial_c = inputs.take_if(options.has_initial_c);
  result.mask = inputs.take_if(options.has_mask);
  result.dh = inputs.take_if(has_dh);
  result.dfinal_h = inputs.take_if(has_dfinal_h);
  result.dfinal_c = inputs.take_if(has_dfinal_c);
  Positions outputs(1);
  result.drecurrent = outputs.take_if(resets_after());
  result.dinitial_h = outputs.take_if(options.has_initial_h);
  result.dinitial_c = outputs.take_if(options.has_initial_c);
  return result;
}

std::vector<TensorSpec> RecurrentGradOp::infer(std::span<const TensorSpec> inputs) const {
  const RecurrentGradOperands position = operands();
  const ShapeCheck check(name(), inputs);
  check.require_dtypes(position.mask);
  check.require_rank(position.h, "states h", 3);
  const Shape& h = inputs[at(position.h)].shape;
  const std::int64_t columns = h[2] * recurrent_gates(cell.cell);
  const Shape state = {h[0], h[2]};
  check.require(position.gates, "gates", {h[0], h[1], columns});
  check.require(position.recurrent_kernel, "a recurrent kernel", {h[2], columns});
  check.require(position.residual, "residuals", h);
  check.require(position.initial_h, "an initial state h", state);
  check.require(position.initial_c, "an initial state c", state);
  check.require(position.mask, "a mask", {h[0], h[1]});
  check.require(position.dh, "a gradient of h", h);
  check.require(position.dfinal_h, "a gradient of the final h", state);
  check.require(position.dfinal_c, "a gradient of the final c", state);
  std::vector<TensorSpec> outputs = {inputs[0]};
  if (position.drecurrent >= 0) outputs.push_back(inputs[0]);
  if (position.dinitial_h >= 0) outputs.push_back({state, inputs[0].dtype});
  if (position.dinitial_c >= 0) outputs.push_back({state, inputs[0].dtype});
  return outputs;
}

BatchRule RecurrentGradOp::batch_rule(std::span<const TensorSpec>, std::span<const int> batch_axes) const {
  return rule_of_samples(batch_axes, {operands().recurrent_kernel});
}

bool RecurrentGradOp::may_overwrite(std::size_t input, std::size_t output) const {
  const RecurrentGradOperands position = operands();
  return input == at(position.gates) && output == at(position.dprojected);
}

// --- The function

RecurrentResult recurrent(const RecurrentTensors& tensors, const RecurrentAttributes& attributes) {
  const RecurrentOptions options = {.has_bias = !tensors.recurrent_bias.is_empty(),
                                    .has_initial_h = !tensors.initial_h.is_empty(),
                                    .has_initial_c = !tensors.initial_c.is_empty(),
                                    .has_mask = !tensors.mask.is_empty()};
  std::vector<Tensor> inputs = {tensors.projected, tensors.recurrent_kernel};
  for (const Tensor& tensor : {tensors.recurrent_bias, tensors.initial_h, tensors.initial_c, tensors.mask}) {
    if (!tensor.is_empty()) inputs.push_back(tensor);
  }
  const auto op = std::make_shared<const RecurrentOp>(attributes, options);
  const std::vector<Tensor> outputs = rhyton::apply(op, inputs);
  const RecurrentOperands position = op->operands();
  RecurrentResult result;
  result.h = outputs[at(position.h)];
  result.final_h = outputs[at(position.final_h)];
  if (position.final_c >= 0) result.final_c = outputs[at(position.final_c)];
  return result;
}

}  // namespace ops
namespace {

RecurrentActivation activation_of(AttributeReader& attributes, std::string_view name) {
  const std::string_view text = attributes.word(name);
  for (const auto& [known, value] : activation_names) {
    if (known == text) return value;
  }
  attributes.fail("'" + std::string(name) + "' is unknown");
}

RecurrentAttributes cell_of(AttributeReader& attributes) {
  RecurrentAttributes cell;
  const std::string_view text = attributes.word("cell");
  bool is_known = false;
  for (const RecurrentCell known : {RecurrentCell::simple_rnn, RecurrentCell::lstm, RecurrentCell::gru}) {
    if (text_of(known) != text) continue;
    cell.cell = known;
    is_known = true;
  }
  if (!is_known) attributes.fail("'cell' is unknown");
  cell.activation = activation_of(attributes, "activation");
  cell.recurrent_activation = activation_of(attributes, "recurrent_activation");
  cell.reset_after = attributes.flag("reset_after");
  cell.reverse = attributes.flag("reverse");
  return cell;
}

RecurrentOptions options_of(AttributeReader& attributes) {
  return {.has_bias = attributes.flag("has_bias"),
          .has_initial_h = attributes.flag("has_initial_h"),
          .has_initial_c = attributes.flag("has_initial_c"),
          .has_mask = attributes.flag("has_mask")};
}

}  // namespace

OpTable recurrent_table() {
  return {
      OpEntry{"Recurrent", 2, 6,
              [](const OpDescription& op) -> OpPtr {
                const RecurrentAttributes cell = cell_of(op.attributes);
                const RecurrentOptions options = options_of(op.attributes);
                const auto made = std::make_shared<const RecurrentOp>(cell, options);
                const RecurrentOperands at = made->operands();
                op.require_inputs(1U + static_cast<std::size_t>(std::max({at.recurrent_kernel, at.recurrent_bias,
                                                                          at.initial_h, at.initial_c, at.mask})));
                return made;
              }},
      OpEntry{"RecurrentGrad", 3, 11,
              [](const OpDescription& op) -> OpPtr {
                const RecurrentAttributes cell = cell_of(op.attributes);
                const RecurrentOptions options = options_of(op.attributes);
                const bool has_dh = op.attributes.flag("has_dh");
                const bool has_dfinal_h = op.attributes.flag("has_dfinal_h");
                const bool has_dfinal_c = op.attributes.flag("has_dfinal_c");
                const auto made =
                    std::make_shared<const RecurrentGradOp>(cell, options, has_dh, has_dfinal_h, has_dfinal_c);
                const RecurrentGradOperands at = made->operands();
                op.require_inputs(
                    1U + static_cast<std::size_t>(std::max({at.recurrent_kernel, at.residual, at.initial_h,
                                                            at.initial_c, at.mask, at.dh, at.dfinal_h, at.dfinal_c})));
                return made;
              }},
  };
}

}  // namespace rhyton
