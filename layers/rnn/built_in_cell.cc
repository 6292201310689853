#include <rhyton/layers/rnn/built_in_cell.h>

#include <rhyton/framework/ops/cumulative.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/tensor/checked_arithmetic.h>
#include <rhyton/layers/input_spec.h>
#include <rhyton/layers/named_weights.h>

namespace rhyton::layers {
namespace {

Tensor masked(const Tensor& x, const std::vector<Tensor>& masks, std::int64_t gate) {
  if (masks.empty()) return x;
  return multiply(x, masks[masks.size() == 1 ? 0 : static_cast<std::size_t>(gate)]);
}

/// One mask for all steps: [batch, features] -> [batch, 1, features].
std::vector<Tensor> for_all_steps(std::vector<Tensor> masks) {
  for (Tensor& mask : masks) mask = expand_dims(mask, 1);
  return masks;
}

/// At masked steps the output of a cell is the one before, zeros at first, whereas its state stays the initial one.
void mask_outputs(const CellSequence& sequence, CellSequenceResult& result) {
  const bool is_zero = sequence.zero_output_for_mask;
  if (sequence.mask.is_empty() || (!is_zero && sequence.initial_states.empty())) return;
  const Tensor& mask = sequence.mask;
  const std::int64_t last_step = sequence.go_backwards ? 0 : mask.shape()[1] - 1;
  const Tensor last = is_zero ? slice_axis(mask, 1, last_step, last_step + 1) : any(mask, {1}, true);
  result.last_output = where(last, result.last_output, 0);
  if (!sequence.return_sequences) return;
  // Whether a step has been computed, in the order of computation.
  const auto ordered = [&](const Tensor& x) { return sequence.go_backwards ? reverse(x, {1}) : x; };
  const auto is_begun = [&] { return ordered(greater(cumsum(cast(ordered(mask), DType::int32), 1), 0)); };
  const Tensor counts = is_zero ? mask : is_begun();
  result.outputs = where(expand_dims(counts, 2), result.outputs, 0);
}

}  // namespace

// --- Products

Tensor CellProducts::product(const Part& part, const Tensor& x) const {
  if (part.masks.size() < 2) {
    const Tensor result = matmul(masked(x, part.masks, 0), part.kernel);
    return part.bias.is_empty() ? result : add(result, part.bias);
  }
  std::vector<Tensor> parts;
  for (std::int64_t gate = 0; gate < gates_; ++gate) parts.push_back(product(part, x, gate));
  return concatenate(parts, -1);
}

Tensor CellProducts::product(const Part& part, const Tensor& x, std::int64_t gate) const {
  const std::int64_t units = part.kernel.shape()[1] / gates_;
  const Tensor kernel = slice_axis(part.kernel, 1, gate * units, (gate + 1) * units);
  const Tensor result = matmul(masked(x, part.masks, gate), kernel);
  return part.bias.is_empty() ? result : add(result, slice_axis(part.bias, 0, gate * units, (gate + 1) * units));
}

// --- Cells

BuiltInCellImpl::BuiltInCellImpl(const LayerOptions& options, const BuiltInCellSettings& settings)
    : DropoutRNNCellImpl(options, settings.dropout, settings.recurrent_dropout,
                         settings.has_masks_per_gate ? recurrent_gates(settings.kind) : 1),
      settings_(settings) {
  if (settings.units > 0) return;
  throw ValueError("Received an invalid value for argument `units`, expected a positive integer, got " +
                   std::to_string(settings.units) + ".");
}

void BuiltInCellImpl::check_inputs(const std::vector<Shape>& inputs) const {
  InputSpec spec{.ndim = 2};
  if (!kernel_.is_empty()) spec.axes = {{-1, kernel_.shape()[0]}};
  check_input(*this, inputs, spec);
}

void BuiltInCellImpl::build(const std::vector<Shape>& inputs) {
  check_inputs({inputs[0]});
  const std::int64_t width = checked_multiply(gates(), settings_.units);
  kernel_ = add_weight(kernel_weight(settings_, {inputs[0].at(-1), width}));
  recurrent_kernel_ = add_weight({.shape = {settings_.units, width},
                                  .initializer = settings_.recurrent_initializer,
                                  .regularizer = settings_.recurrent_regularizer,
                                  .constraint = settings_.recurrent_constraint,
                                  .name = "recurrent_kernel"});
  if (!settings_.use_bias) return;
  bias_ = add_weight(bias_weight(settings_, settings_.reset_after ? Shape{2, width} : Shape{width}));
}

CellProducts BuiltInCellImpl::products(const std::vector<Tensor>& masks,
                                       const std::vector<Tensor>& recurrent_masks) const {
  Tensor bias;
  Tensor recurrent_bias;
  if (!bias_.is_empty()) {
    bias = to_compute_dtype(bias_);
    if (settings_.reset_after) {
      const std::vector<Tensor> rows = unstack(bias, 0);
      bias = rows[0];
      recurrent_bias = rows[1];
    }
  }
  return {{.kernel = to_compute_dtype(kernel_), .bias = bias, .masks = masks},
          {.kernel = to_compute_dtype(recurrent_kernel_), .bias = recurrent_bias, .masks = recurrent_masks},
          gates()};
}

CellStep BuiltInCellImpl::start_sequence(const Tensor& inputs, bool training) {
  const std::vector<Tensor> masks = dropout_masks(inputs, training);
  std::vector<Tensor> recurrent_masks;
  if (training && recurrent_dropout() > 0) {
    recurrent_masks = recurrent_dropout_masks(get_initial_state(inputs).front(), training);
  }
  const CellProducts all = products(masks, recurrent_masks);
  return [this, all](const Tensor& x, const std::vector<Tensor>& states) { return compute(all, x, states); };
}

std::optional<RecurrentAttributes> BuiltInCellImpl::fused_attributes() const {
  const bool has_gates = settings_.kind != RecurrentCell::simple_rnn;
  const std::optional<RecurrentActivation> activation = recurrent_activation_of(settings_.activation.name());
  const std::optional<RecurrentActivation> of_gates =
      has_gates ? recurrent_activation_of(settings_.recurrent_activation.name()) : RecurrentActivation::sigmoid;
  if (!activation || !of_gates) return std::nullopt;
  return RecurrentAttributes{.cell = settings_.kind,
                             .activation = *activation,
                             .recurrent_activation = *of_gates,
                             .reset_after = settings_.reset_after};
}

bool BuiltInCellImpl::computes_sequences(bool training) const {
  return fused_attributes().has_value() && !(training && recurrent_dropout() > 0);
}

CellSequenceResult BuiltInCellImpl::call_sequence(const CellSequence& sequence) {
  RecurrentAttributes attributes = fused_attributes().value();
  attributes.reverse = sequence.go_backwards;
  const Tensor& x = sequence.inputs;
  const Tensor first = squeeze(slice_axis(x, 1, 0, 1), {1});
  const CellProducts all = products(for_all_steps(dropout_masks(first, sequence.training)), {});
  const bool is_lstm = settings_.kind == RecurrentCell::lstm;
  const bool has_states = !sequence.initial_states.empty();
  const RecurrentResult computed =
      recurrent({.projected = all.of_inputs(x),
                 .recurrent_kernel = all.recurrent().kernel,
                 .recurrent_bias = all.recurrent().bias,
                 .initial_h = has_states ? sequence.initial_states[0] : Tensor(),
                 .initial_c = has_states && is_lstm ? sequence.initial_states[1] : Tensor(),
                 .mask = sequence.mask},
                attributes);
  CellSequenceResult result{.last_output = computed.final_h, .outputs = {}, .states = {computed.final_h}};
  if (is_lstm) result.states.push_back(computed.final_c);
  if (sequence.return_sequences) result.outputs = computed.h;
  mask_outputs(sequence, result);
  return result;
}

}  // namespace rhyton::layers
