#include <rhyton/layers/rnn/conv_lstm_cell.h>

#include <algorithm>
#include <utility>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/ops/spatial_convolution.h>
#include <rhyton/framework/tensor/checked_arithmetic.h>
#include <rhyton/layers/named_weights.h>
#include <rhyton/layers/rnn/forget_bias.h>
#include <rhyton/layers/rnn/step_loop.h>

namespace rhyton::layers {
namespace {

constexpr int gate_count = 4;

/// As Python prints a tuple, and as NumPy prints an array.
std::string tuple_text(const std::vector<std::int64_t>& values) { return Shape(values).to_string(); }
std::string array_text(const std::vector<std::int64_t>& values) {
  std::string text;
  for (const std::int64_t value : values) text += (text.empty() ? "" : " ") + std::to_string(value);
  return "[" + text + "]";
}

/// [batch, steps, ...] -> [batch · steps, ...].
Tensor steps_as_samples(const Tensor& x) {
  const Shape& shape = x.shape();
  return reshape(x, Shape({shape[0] * shape[1]}).concatenate(shape.slice(2, shape.rank())));
}
/// [batch · steps, ...] -> [batch, steps, ...], with the batch and steps of that shape.
Tensor samples_as_steps(const Tensor& x, const Shape& sequences) {
  return reshape(x, sequences.slice(0, 2).concatenate(x.shape().slice(1, x.rank())));
}

/// Whether the lengths are equal; an unknown one fits any.
bool fits_image(const Shape& image, const Shape& expected) {
  return std::equal(image.begin(), image.end(), expected.begin(), expected.end(),
                    [](std::int64_t a, std::int64_t b) { return a < 0 || a == b; });
}

/// x times each mask, side by side as channels; x without masks.
Tensor masked(const Tensor& x, const std::vector<Tensor>& masks) {
  if (masks.empty()) return x;
  std::vector<Tensor> products;
  for (const Tensor& mask : masks) products.push_back(multiply(x, mask));
  return concatenate(products, -1);
}

/// Each gate convolves the channels that have its mask.
std::int64_t groups_for(const std::vector<Tensor>& masks) { return masks.empty() ? 1 : gate_count; }

}  // namespace

ConvLSTMCellImpl::ConvLSTMCellImpl(const ConvLSTMCellArguments& arguments, const std::string& dtype)
    : DropoutRNNCellImpl({.name = "conv_lstm_cell", .dtype = dtype}, rate_of_gates(arguments.dropout),
                         rate_of_gates(arguments.recurrent_dropout), gate_count),
      arguments_(arguments) {
  create_random_state(arguments.seed);
}

WindowAxis ConvLSTMCellImpl::window(std::size_t axis, std::int64_t length) const {
  return {length, arguments_.kernel_size[axis], arguments_.strides[axis], arguments_.dilation_rate[axis],
          arguments_.padding};
}

Shape ConvLSTMCellImpl::output_shape(const Shape& step) const {
  Shape result = step;
  result[normalize_axis(arguments_.layout.channel_axis(), step.rank())] = arguments_.filters;
  for (std::size_t i = 0; i < arguments_.kernel_size.size(); ++i) {
    std::int64_t& length = result[arguments_.layout.first_spatial_axis() + static_cast<int>(i)];
    if (length >= 0) length = window(i, length).output;
  }
  return result;
}

void ConvLSTMCellImpl::check_inputs(const std::vector<Shape>& inputs) const {
  const Shape& step = inputs.at(0);
  const Shape image = step.slice(1, step.rank());
  const ImageLayout& layout = arguments_.layout;
  const int first = layout.first_spatial_axis();
  const auto rank = static_cast<int>(arguments_.kernel_size.size());
  if (image_.rank() > 0) {
    if (fits_image(image, image_)) return;
    throw ValueError("Input 0 with name 'None' of layer '" + name() +
                     "' is incompatible with the layer: expected shape=" + Shape({-1}).concatenate(image_).to_string() +
                     ", found shape=" + step.to_string());
  }
  for (int axis = first; axis < first + rank; ++axis) {
    if (step[axis] >= 0) continue;
    throw ValueError(
        "ConvLSTM layers only support static input shapes for the spatial dimension. Received invalid input shape: "
        "input_shape=" +
        step.to_string());
  }
  const std::int64_t channels = step.at(layout.channel_axis());
  if (channels < 0) {
    throw ValueError(
        "The channel dimension of the inputs (last axis) should be defined. Found None. Full input shape received: "
        "input_shape=" +
        step.to_string());
  }
  const Shape output = output_shape(step);
  if (std::all_of(output.begin() + first, output.begin() + first + rank, [](std::int64_t n) { return n > 0; })) return;
  const Shape kernel = Shape(arguments_.kernel_size).concatenate({channels, arguments_.filters});
  throw ValueError("Computed output size would be zero or negative. Received `inputs shape=" + step.to_string() +
                   "`, `kernel shape=" + kernel.to_string() + "`, `dilation_rate=" +
                   array_text(arguments_.dilation_rate) + "`, `strides=" + tuple_text(arguments_.strides) +
                   "`, `padding=" + std::string(name_of(arguments_.padding)) + "`.");
}

void ConvLSTMCellImpl::build(const std::vector<Shape>& inputs) {
  const Shape& step = inputs.at(0);
  const Shape window(arguments_.kernel_size);
  const std::int64_t outputs = checked_multiply<std::int64_t>(gate_count, arguments_.filters);
  kernel_ =
      add_weight(kernel_weight(arguments_, window.concatenate({step.at(arguments_.layout.channel_axis()), outputs})));
  recurrent_kernel_ = add_weight({.shape = window.concatenate({arguments_.filters, outputs}),
                                  .initializer = arguments_.recurrent_initializer,
                                  .regularizer = arguments_.recurrent_regularizer,
                                  .constraint = arguments_.recurrent_constraint,
                                  .name = "recurrent_kernel"});
  if (arguments_.use_bias) {
    bias_ = add_weight({.shape = {outputs},
                        .initializer = arguments_.unit_forget_bias ? with_forget_bias(arguments_.bias_initializer)
                                                                   : arguments_.bias_initializer,
                        .regularizer = arguments_.bias_regularizer,
                        .constraint = arguments_.bias_constraint,
                        .name = "bias"});
  }
  image_ = step.slice(1, step.rank());
}

Tensor ConvLSTMCellImpl::project(const Tensor& images, std::int64_t groups) const {
  const Tensor projected = convolution(images, to_compute_dtype(kernel_),
                                       {.strides = arguments_.strides,
                                        .padding = arguments_.padding,
                                        .dilation_rate = arguments_.dilation_rate,
                                        .groups = groups});
  return bias_.is_empty() ? projected : add(projected, to_compute_dtype(bias_));
}

CellStep ConvLSTMCellImpl::start_recurrence(const Tensor& state, bool training) const {
  const std::vector<Tensor> masks = recurrent_dropout_masks(state, training);
  const std::vector<std::int64_t> ones(arguments_.kernel_size.size(), 1);
  const ConvolutionAttributes attributes = {
      .strides = ones, .padding = Padding::same, .dilation_rate = ones, .groups = groups_for(masks)};
  return [this, masks, attributes, kernel = to_compute_dtype(recurrent_kernel_)](
             const Tensor& projected, const std::vector<Tensor>& states) -> CellResult {
    const std::vector<Tensor> parts =
        split(add(projected, convolution(masked(states[0], masks), kernel, attributes)), gate_count, -1);
    const Tensor input = arguments_.recurrent_activation(parts[0]);
    const Tensor forget = arguments_.recurrent_activation(parts[1]);
    const Tensor c = add(multiply(forget, states[1]), multiply(input, arguments_.activation(parts[2])));
    const Tensor h = multiply(arguments_.recurrent_activation(parts[3]), arguments_.activation(c));
    return {.output = h, .states = {h, c}};
  };
}

CellStep ConvLSTMCellImpl::start_sequence(const Tensor& inputs, bool training) {
  const ImageLayout layout = arguments_.layout;
  const std::vector<Tensor> masks = dropout_masks(layout.to_channels_last(inputs), training);
  const CellStep recurrence = start_recurrence(layout.to_channels_last(get_initial_state(inputs).front()), training);
  return [this, layout, masks, recurrence](const Tensor& x, const std::vector<Tensor>& states) -> CellResult {
    const Tensor images = layout.to_channels_last(to_compute_dtype(x));
    const CellResult result = recurrence(project(masked(images, masks), groups_for(masks)),
                                         {layout.to_channels_last(states[0]), layout.to_channels_last(states[1])});
    return {.output = layout.from_channels_last(result.output),
            .states = {layout.from_channels_last(result.states[0]), layout.from_channels_last(result.states[1])}};
  };
}

CellSequenceResult ConvLSTMCellImpl::call_sequence(const CellSequence& sequence) {
  const ImageLayout& layout = arguments_.layout;
  const Tensor first = squeeze(slice_axis(sequence.inputs, 1, 0, 1), {1});
  const std::vector<Tensor> masks = dropout_masks(layout.to_channels_last(first), sequence.training);
  std::vector<Tensor> masks_of_steps;
  for (const Tensor& mask : masks) masks_of_steps.push_back(expand_dims(mask, 1));

  const Shape& steps = sequence.inputs.shape();
  const Tensor images = layout.to_channels_last(steps_as_samples(to_compute_dtype(sequence.inputs)));
  const Tensor inputs = steps_as_samples(masked(samples_as_steps(images, steps), masks_of_steps));

  CellSequence projected = sequence;
  projected.inputs = samples_as_steps(project(inputs, groups_for(masks)), steps);
  if (projected.initial_states.empty()) projected.initial_states = get_initial_state(first);
  for (Tensor& state : projected.initial_states) state = layout.to_channels_last(to_compute_dtype(state));
  CellSequenceResult result =
      step_loop(start_recurrence(projected.initial_states.front(), sequence.training), projected);

  result.last_output = layout.from_channels_last(result.last_output);
  for (Tensor& state : result.states) state = layout.from_channels_last(state);
  if (!result.outputs.is_empty()) {
    const Shape output_steps = result.outputs.shape();
    result.outputs = samples_as_steps(layout.from_channels_last(steps_as_samples(result.outputs)), output_steps);
  }
  return result;
}

}  // namespace rhyton::layers
