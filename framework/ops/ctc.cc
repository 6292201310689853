#include <rhyton/framework/ops/ctc.h>

#include <algorithm>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/attribute_text.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/tensor/result_type.h>

namespace rhyton {
inline namespace ops {
namespace {

void require_rank(const char* argument, const Tensor& x, int rank, const char* form) {
  if (x.rank() == rank) return;
  throw ValueError("Argument `" + std::string(argument) + "` is expected to be a tensor of shape `" + form +
                   "`. Received: " + argument + ".shape=" + x.shape().to_string());
}

void require_same_batch(const char* name, const Tensor& x, const char* other_name, const Tensor& other) {
  if (x.shape()[0] == other.shape()[0]) return;
  throw ValueError("Arguments `" + std::string(name) + "` and `" + other_name +
                   "` must have the same first dimension. Received shapes: `" + x.shape().to_string() + "` and `" +
                   other.shape().to_string() + "`.");
}

/// The blank counted from the first class.
int blank_class(int mask_index, std::int64_t classes) {
  if (mask_index >= -classes && mask_index < classes) {
    return mask_index < 0 ? mask_index + static_cast<int>(classes) : mask_index;
  }
  throw ValueError("`mask_index` must be one of the " + std::to_string(classes) +
                   " classes. Received: mask_index=" + std::to_string(mask_index));
}

Tensor as_logits(const Tensor& x) { return cast(x, result_type(x.dtype(), DType::float32)); }

}  // namespace

std::vector<TensorSpec> CtcLossOp::infer(std::span<const TensorSpec> inputs) const {
  const Shape& logits = inputs[0].shape;
  return {{{logits[0]}, inputs[0].dtype}, {logits, inputs[0].dtype}};
}

std::vector<Tensor> CtcLossOp::gradient(const GradientArguments& arguments) const {
  if (!arguments.output_gradients[1].is_empty()) {
    throw NotImplementedError("The gradient of ctc_loss has no gradient defined.");
  }
  std::vector<Tensor> result(arguments.inputs.size());
  const Tensor& dy = arguments.output_gradients[0];
  if (!dy.is_empty() && arguments.needed[0]) result[0] = arguments.outputs[1] * reshape(dy, {-1, 1, 1});
  return result;
}

BatchRule CtcLossOp::batch_rule(std::span<const TensorSpec>, std::span<const int> batch_axes) const {
  const bool are_samples = std::all_of(batch_axes.begin(), batch_axes.end(), [](int axis) { return axis == 0; });
  return are_samples ? BatchRule::maps() : BatchRule::mixes();
}

std::string CtcLossOp::attributes() const { return attribute("blank_index", mask_index); }

double CtcLossOp::flops(std::span<const TensorSpec> inputs, std::span<const TensorSpec>) const {
  // Each of 2 (labels + 1) states of an output adds up to three exponentials, forwards and backwards.
  const Shape& logits = inputs[0].shape;
  const double states = 2.0 * static_cast<double>(inputs[1].shape[1] + 1);
  return static_cast<double>(logits[0] * logits[1]) * (30.0 * static_cast<double>(logits[2]) + 200.0 * states);
}

std::vector<TensorSpec> CtcDecodeOp::infer(std::span<const TensorSpec> inputs) const {
  const Shape& logits = inputs[0].shape;
  return {{{paths, logits[0], logits[1]}, DType::int32}, {{logits[0], paths}, inputs[0].dtype}};
}

std::vector<Tensor> CtcDecodeOp::gradient(const GradientArguments&) const { return {Tensor(), Tensor()}; }

std::string CtcDecodeOp::attributes() const {
  return attribute("greedy", is_greedy) + ", " + attribute("beam_width", beam_width) + ", " +
         attribute("top_paths", paths) + ", " + attribute("merge_repeated", merge_repeated) + ", " +
         attribute("blank_index", mask_index);
}

Tensor ctc_loss(const Tensor& target, const Tensor& output, const Tensor& target_length, const Tensor& output_length,
                int mask_index) {
  require_rank("target", target, 2, "(batch_size, max_length)");
  require_rank("output", output, 3, "(batch_size, max_length, num_classes)");
  require_rank("target_length", target_length, 1, "(batch_size,)");
  require_same_batch("target", target, "output", output);
  require_same_batch("target_length", target_length, "target", target);
  const int blank = blank_class(mask_index, output.shape()[2]);
  const Tensor logits = as_logits(output);
  const Tensor labels = cast(target, DType::int32);
  const Tensor length = cast(target_length, DType::int32);
  if (output_length.is_empty()) return call_many<CtcLossOp>({logits, labels, length}, blank)[0];
  require_rank("output_length", output_length, 1, "(batch_size,)");
  require_same_batch("output_length", output_length, "output", output);
  return call_many<CtcLossOp>({logits, labels, length, cast(output_length, DType::int32)}, blank)[0];
}

std::pair<Tensor, Tensor> ctc_decode(const Tensor& inputs, const Tensor& sequence_lengths,
                                     const CtcDecodeOptions& options) {
  const bool is_greedy = options.strategy == "greedy";
  if (!is_greedy && options.strategy != "beam_search") {
    throw ValueError("Invalid strategy " + options.strategy + ". Supported values are 'greedy' and 'beam_search'.");
  }
  require_rank("inputs", inputs, 3, "(batch_size, max_length, num_classes)");
  require_rank("sequence_lengths", sequence_lengths, 1, "(batch_size,)");
  require_same_batch("sequence_lengths", sequence_lengths, "inputs", inputs);
  if (!is_greedy && options.beam_width < 1) {
    throw InvalidArgumentError("beam_width must be at least 1. Received: " + std::to_string(options.beam_width) +
                               " [Op:CTCBeamSearchDecoder]");
  }
  if (!is_greedy && (options.top_paths < 1 || options.top_paths > options.beam_width)) {
    throw InvalidArgumentError("requested more paths than the beam width. [Op:CTCBeamSearchDecoder]");
  }
  const int blank = blank_class(options.mask_index.value_or(-1), inputs.shape()[2]);
  const std::vector<Tensor> results = call_many<CtcDecodeOp>(
      {as_logits(inputs), cast(sequence_lengths, DType::int32)}, is_greedy, is_greedy ? 1 : options.beam_width,
      is_greedy ? 1 : options.top_paths, options.merge_repeated, blank);
  return {results[0], results[1]};
}

}  // namespace ops
}  // namespace rhyton
