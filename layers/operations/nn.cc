// The functions of keras.ops for neural networks besides activations, on symbolic tensors.

#include <rhyton/layers/operations/nn.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <string>

#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/attention.h>
#include <rhyton/framework/ops/batch_normalization.h>
#include <rhyton/framework/ops/crossentropy.h>
#include <rhyton/framework/ops/ctc.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/indexing.h>
#include <rhyton/framework/ops/norms.h>
#include <rhyton/framework/ops/promotion.h>
#include <rhyton/framework/ops/psnr.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/rms_normalization.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/ops/softmax.h>
#include <rhyton/framework/tensor/result_type.h>
#include <rhyton/layers/operations/argument_spec.h>
#include <rhyton/layers/operations/operation.h>
#include <rhyton/layers/operations/tables.h>

namespace rhyton {
namespace layers {
namespace {

void refuse_sparse(bool sparse) {
  if (sparse) throw NotImplementedError("The argument `sparse` must be False.");
}

Tensor tensor_or_empty(const Argument& argument) { return argument.is_none() ? Tensor() : argument.tensor(); }

// --- Normalization

std::vector<Tensor> moments_of(const Tensor& x, const Argument& axes, bool keepdims, bool synchronized) {
  if (synchronized) throw NotImplementedError("The argument `synchronized` must be False.");
  const Tensor wide = is_half(x.dtype()) ? cast(x, DType::float32) : x;
  const auto [mean, variance] = moments(wide, ArgumentValue<std::vector<int>>::from(axes), keepdims);
  if (!is_half(x.dtype())) return {mean, variance};
  // As in Keras bfloat16 is limited to the range of float16, too.
  const auto narrow = [&](const Tensor& t) { return cast(clip_by_value(t, -65504.0, 65504.0), x.dtype()); };
  return {narrow(mean), narrow(variance)};
}

/// The given lengths of x at these axes, 1 elsewhere.
Shape broadcast_shape(const Tensor& x, const std::vector<int>& axes) {
  Shape shape;
  for (int axis = 0; axis < x.rank(); ++axis) {
    const bool is_kept =
        std::any_of(axes.begin(), axes.end(), [&](int kept) { return normalize_axis(kept, x.rank()) == axis; });
    shape.push_back(is_kept ? x.shape()[axis] : 1);
  }
  return shape;
}

Tensor batch_normalized(const Tensor& x, const Tensor& mean, const Tensor& variance, const Argument& offset,
                        const Argument& scale, int axis, double epsilon) {
  return batch_normalization(x, mean, variance, axis, tensor_or_empty(offset), tensor_or_empty(scale), epsilon);
}

/// The computation finds the spec.
std::vector<TensorSpec> batch_normalized_specs(const std::vector<Argument>& arguments) {
  const Shape x = spec_of(arguments.at(0)).shape;
  const Shape expected{x[normalize_axis(ArgumentValue<int>::from(arguments.at(5)), x.rank())]};
  constexpr std::array names = {"x", "mean", "variance", "offset", "scale"};
  for (std::size_t i = 1; i < names.size(); ++i) {
    if (arguments.at(i).is_none()) continue;
    const Shape shape = spec_of(arguments.at(i)).shape;
    if (shape == expected) continue;
    throw ValueError("Arguments `" + std::string(names.at(i)) +
                     "` must be a vector of length `x.shape[axis]`. Expected: `" + expected.to_string() +
                     "`. Received: `" + shape.to_string() + "`.");
  }
  return {};
}

Tensor layer_normalized(const Tensor& given, const Argument& gamma, const Argument& beta, std::vector<int> axes,
                        std::optional<double> epsilon, bool rms_scaling) {
  const Tensor x = cast(given, result_type(given.dtype(), DType::float32));
  for (int& axis : axes) axis = normalize_axis(axis, x.rank());
  const auto broadcast = [&](const Argument& weight) {
    const Tensor values = cast(weight.tensor(), x.dtype());
    const bool is_last = axes.size() == 1 && axes.front() == x.rank() - 1;
    return values.rank() == x.rank() || is_last ? values : reshape(values, broadcast_shape(x, axes));
  };
  const double least = epsilon.value_or(context().epsilon());
  const auto [mean, variance] = moments(x, axes, true);
  Tensor factor = rsqrt(variance + least);
  if (!gamma.is_none()) factor = factor * broadcast(gamma);
  if (rms_scaling) return cast(x * factor, given.dtype());
  Tensor shift = -mean * factor;
  if (!beta.is_none()) shift = shift + broadcast(beta);
  return cast(x * factor + shift, given.dtype());
}

// --- Attention

Tensor attention_of(const Tensor& query, const Tensor& key, const Tensor& value, const Argument& bias,
                    const Argument& mask, std::optional<double> scale, bool is_causal, std::optional<bool> flash,
                    std::optional<double> soft_cap) {
  return dot_product_attention(query, key, value,
                               {.bias = tensor_or_empty(bias),
                                .mask = tensor_or_empty(mask),
                                .scale = scale,
                                .is_causal = is_causal,
                                .flash_attention = flash,
                                .attn_logits_soft_cap = soft_cap});
}

/// Throws ValueError for a bias or mask that cannot broadcast to the scores.
void require_scores_shape(const std::string& name, const Argument& argument, const Shape& scores) {
  if (argument.is_none()) return;
  const Shape shape = spec_of(argument).shape;
  bool fits = shape.rank() <= scores.rank();
  for (int axis = -1; fits && axis >= -shape.rank(); --axis) {
    fits = shape[axis] == 1 || may_be_equal(shape[axis], scores[axis]);
  }
  if (fits) return;
  throw ValueError("Argument `" + name + "` must broadcast to [batch, heads, queries, keys], which are " +
                   scores.to_string() + ". Received: shape=" + shape.to_string());
}

/// Queries and keys have lengths of their own, which may both be unknown.
std::vector<TensorSpec> attention_specs(const std::vector<Argument>& arguments) {
  const TensorSpec query = spec_of(arguments.at(0));
  const TensorSpec key = spec_of(arguments.at(1));
  const TensorSpec value = spec_of(arguments.at(2));
  const Shape& q = query.shape;
  const Shape& k = key.shape;
  const Shape& v = value.shape;
  const std::string received = "Received: query.shape=" + q.to_string() + ", key.shape=" + k.to_string() +
                               ", value.shape=" + v.to_string() + ".";
  if (q.rank() != 4 || k.rank() != 4 || v.rank() != 4) {
    throw ValueError("`dot_product_attention` only supports 4D inputs. " + received);
  }
  const bool fits = may_be_equal(q[0], k[0]) && may_be_equal(k[0], v[0]) && may_be_equal(k[1], v[1]) &&
                    may_be_equal(k[2], v[2]) && may_be_equal(q[3], k[3]);
  const bool are_grouped = q[2] < 0 || k[2] < 0 || (k[2] > 0 && q[2] % k[2] == 0);
  if (!fits || !are_grouped) {
    throw ValueError("The shapes of `query`, `key` and `value` do not fit each other. " + received);
  }
  require_scores_shape("bias", arguments.at(3), {q[0], q[2], q[1], k[1]});
  require_scores_shape("mask", arguments.at(4), {q[0], q[2], q[1], k[1]});
  const DType dtype = result_type(result_type(query.dtype, key.dtype), value.dtype);
  return {{{q[0], q[1], q[2], v[3]}, floating_result_type(dtype)}};
}

/// The computation finds the spec.
std::vector<TensorSpec> signal_specs(const std::vector<Argument>& arguments) {
  if (spec_of(arguments.at(0)).shape.rank() != spec_of(arguments.at(1)).shape.rank()) {
    throw ValueError("Inputs must have the same rank");
  }
  return {};
}

// --- Crossentropies

/// The computation finds the spec. As in Keras an unknown length is equal to an unknown one alone.
std::vector<TensorSpec> crossentropy_specs(const std::vector<Argument>& arguments) {
  const Shape target = spec_of(arguments.at(0)).shape;
  const Shape output = spec_of(arguments.at(1)).shape;
  if (target == output) return {};
  throw ValueError("Arguments `target` and `output` must have the same shape. Received: target.shape=" +
                   target.to_string() + ", output.shape=" + output.to_string());
}

std::vector<TensorSpec> sparse_crossentropy_specs(const std::vector<Argument>& arguments) {
  const Shape target = spec_of(arguments.at(0)).shape;
  const Shape output = spec_of(arguments.at(1)).shape;
  if (output.rank() < 1) return {};
  const bool is_column = target.rank() == output.rank() && target.at(-1) == 1;
  const Shape classes = output.slice(0, output.rank() - 1);
  if ((is_column ? target.slice(0, target.rank() - 1) : target) == classes) return {};
  throw ValueError(
      "Arguments `target` and `output` must have the same shape up until the last dimension: target.shape=" +
      target.to_string() + ", output.shape=" + output.to_string());
}

}  // namespace

std::vector<Operation> nn_operations() {
  return {
      {"OneHot",
       "ops.nn",
       {"x"},
       {{"num_classes", {}}, {"axis", -1}, {"dtype", {}}, {"sparse", false}},
       computes([](const Tensor& x, std::int64_t num_classes, int axis, std::optional<DType> dtype, bool sparse) {
         refuse_sparse(sparse);
         return one_hot(x, num_classes, axis, dtype.value_or(DType::float32));
       })},
      {"MultiHot",
       "ops.nn",
       {"inputs"},
       {{"num_classes", {}}, {"axis", -1}, {"dtype", {}}, {"sparse", false}},
       computes([](const Tensor& x, std::int64_t num_classes, int axis, std::optional<DType> dtype, bool sparse) {
         refuse_sparse(sparse);
         return multi_hot(x, num_classes, axis, dtype.value_or(DType::float32));
       })},
      {"Moments", "ops.nn", {"x"}, {{"axes", {}}, {"keepdims", false}, {"synchronized", false}}, computes(moments_of)},
      {"Normalize",
       "ops.nn",
       {"x"},
       {{"axis", -1}, {"order", 2}, {"epsilon", {}}},
       computes([](const Tensor& given, const std::vector<int>& axes, int order, std::optional<double> epsilon) {
         if (axes.size() == 1) return normalize(given, axes.front(), order, epsilon);
         if (order < 1) {
           throw ValueError("Argument `order` must be an int >= 1. Received: order=" + std::to_string(order));
         }
         const Tensor x = to_floating(given);
         const double least = epsilon.value_or(context().epsilon());
         if (order == 2) return x * minimum(rsqrt(sum(square(x), axes, true)), 1.0 / least);
         return x / maximum(norm(x, static_cast<double>(order), axes, true), least);
       })},
      {.class_name = "BatchNorm",
       .module = "ops.nn",
       .parameters = {"x", "mean", "variance", "offset", "scale"},
       .options = {{"axis", {}}, {"epsilon", 0.001}},
       .compute = computes(batch_normalized),
       .infer = batch_normalized_specs},
      {"LayerNorm",
       "ops.nn",
       {"x", "gamma", "beta"},
       {{"axis", -1}, {"epsilon", {}}, {"rms_scaling", false}},
       computes(layer_normalized)},
      {.class_name = "RMSNorm",
       .module = "ops.nn",
       .parameters = {"x", "scale"},
       .options = {{"axis", -1}, {"epsilon", {}}},
       .compute = computes(
           [](const Tensor& x, const Argument& scale, const std::vector<int>& axes, std::optional<double> epsilon) {
             return rms_normalization(x, {.scale = tensor_or_empty(scale), .axis = axes, .epsilon = epsilon});
           }),
       .by_position = 1},
      {.class_name = "PSNR",
       .module = "ops.nn",
       .parameters = {"x1", "x2"},
       .options = {{"max_val", {}}},
       .compute = computes([](const Tensor& x1, const Tensor& x2, double max_val) { return psnr(x1, x2, max_val); }),
       .infer = signal_specs},
      {"DotProductAttention",
       "ops.nn",
       {"query", "key", "value", "bias", "mask", "scale"},
       {{"is_causal", false}, {"flash_attention", {}}, {"attn_logits_soft_cap", {}}},
       computes(attention_of),
       3,
       attention_specs},
      {.class_name = "BinaryCrossentropy",
       .module = "ops.nn",
       .parameters = {"target", "output"},
       .options = {{"from_logits", false}},
       .compute = computes([](const Tensor& target, const Tensor& output, bool from_logits) {
         return binary_crossentropy(target, output, from_logits);
       }),
       .infer = crossentropy_specs},
      {.class_name = "CategoricalCrossentropy",
       .module = "ops.nn",
       .parameters = {"target", "output"},
       .options = {{"from_logits", false}, {"axis", -1}},
       .compute = computes([](const Tensor& target, const Tensor& output, bool from_logits, int axis) {
         return categorical_crossentropy(target, output, from_logits, axis);
       }),
       .infer = crossentropy_specs},
      {.class_name = "SparseCategoricalCrossentropy",
       .module = "ops.nn",
       .parameters = {"target", "output"},
       .options = {{"from_logits", false}, {"axis", -1}},
       .compute = computes([](const Tensor& target, const Tensor& output, bool from_logits, int axis) {
         return sparse_categorical_crossentropy(target, output, from_logits, axis);
       }),
       .infer = sparse_crossentropy_specs},
      {"CTCLoss",
       "ops.nn",
       {"target", "output", "target_length", "output_length"},
       {{"mask_index", 0}},
       computes([](const Tensor& target, const Tensor& output, const Tensor& target_length, const Tensor& output_length,
                   int mask_index) { return ctc_loss(target, output, target_length, output_length, mask_index); })},
      {"CTCDecode",
       "ops.nn",
       {"inputs", "sequence_lengths"},
       {{"strategy", "greedy"}, {"beam_width", 100}, {"top_paths", 1}, {"merge_repeated", true}, {"mask_index", 0}},
       computes([](const Tensor& inputs, const Tensor& lengths, const std::string& strategy, std::int64_t beam_width,
                   std::int64_t top_paths, bool merge_repeated, std::optional<int> mask_index) {
         return ctc_decode(inputs, lengths,
                           {.strategy = strategy,
                            .beam_width = beam_width,
                            .top_paths = top_paths,
                            .merge_repeated = merge_repeated,
                            .mask_index = mask_index});
       })},
  };
}

}  // namespace layers

inline namespace ops {

using layers::Argument;
using layers::argument_of;
using layers::call_operation;
using layers::operation_output;
using layers::SymbolicTensor;

SymbolicTensor relu(const SymbolicTensor& x) { return operation_output("Relu", {x}); }
SymbolicTensor leaky_relu(const SymbolicTensor& x, double negative_slope) {
  return activations::leaky_relu(x, negative_slope);
}
SymbolicTensor elu(const SymbolicTensor& x, double alpha) { return activations::elu(x, alpha); }
SymbolicTensor gelu(const SymbolicTensor& x, bool approximate) { return activations::gelu(x, approximate); }
SymbolicTensor silu(const SymbolicTensor& x) { return activations::silu(x); }
SymbolicTensor sigmoid(const SymbolicTensor& x) { return activations::sigmoid(x); }
SymbolicTensor softplus(const SymbolicTensor& x) { return activations::softplus(x); }
SymbolicTensor softmax(const SymbolicTensor& x, int axis) { return activations::softmax(x, axis); }
SymbolicTensor log_softmax(const SymbolicTensor& x, int axis) { return activations::log_softmax(x, axis); }

SymbolicTensor one_hot(const SymbolicTensor& indices, std::int64_t depth, DType dtype) {
  return one_hot(indices, depth, -1, dtype);
}
SymbolicTensor one_hot(const SymbolicTensor& x, std::int64_t num_classes, int axis, DType dtype) {
  return operation_output("OneHot", {x}, {num_classes, axis, argument_of(dtype)});
}
SymbolicTensor multi_hot(const SymbolicTensor& x, std::int64_t num_classes, int axis, DType dtype) {
  return operation_output("MultiHot", {x}, {num_classes, axis, argument_of(dtype)});
}

SymbolicMoments moments(const SymbolicTensor& x, const std::vector<int>& axes, bool keepdims) {
  std::vector<int> reduced = axes;
  if (reduced.empty()) {
    reduced.resize(static_cast<std::size_t>(x.rank()));
    std::iota(reduced.begin(), reduced.end(), 0);
  }
  const std::vector<SymbolicTensor> outputs = call_operation("Moments", {x}, {Argument(reduced), keepdims});
  return {outputs.at(0), outputs.at(1)};
}
SymbolicTensor normalize(const SymbolicTensor& x, int axis, int order, std::optional<double> epsilon) {
  return operation_output("Normalize", {x}, {axis, order, argument_of(epsilon)});
}
SymbolicTensor layer_normalization(const SymbolicTensor& x, const Argument& gamma, const Argument& beta,
                                   double epsilon) {
  std::vector<int> axes;
  const int rank = spec_of(gamma).shape.rank();
  for (int axis = -rank; axis < 0; ++axis) axes.push_back(axis);
  return operation_output("LayerNorm", {x, gamma, beta}, {argument_of(axes), epsilon});
}
SymbolicTensor batch_normalization(const SymbolicTensor& x, const Argument& mean, const Argument& variance, int axis,
                                   const Argument& offset, const Argument& scale, double epsilon) {
  return operation_output("BatchNorm", {x, mean, variance, offset, scale}, {axis, epsilon});
}

SymbolicTensor rms_normalization(const SymbolicTensor& x, const SymbolicRmsNormOptions& options) {
  return operation_output("RMSNorm", {x, options.scale}, {argument_of(options.axis), argument_of(options.epsilon)});
}

SymbolicTensor psnr(const SymbolicTensor& x1, const Argument& x2, double max_val) {
  return operation_output("PSNR", {x1, x2}, {max_val});
}
SymbolicTensor psnr(const Tensor& x1, const SymbolicTensor& x2, double max_val) {
  return operation_output("PSNR", {x1, x2}, {max_val});
}

SymbolicTensor dot_product_attention(const SymbolicTensor& query, const Argument& key, const Argument& value,
                                     const SymbolicAttentionOptions& options) {
  const Argument flash = options.flash_attention ? Argument(*options.flash_attention) : Argument();
  return operation_output("DotProductAttention",
                          {query, key, value, options.bias, options.mask, argument_of(options.scale)},
                          {options.is_causal, flash, argument_of(options.attn_logits_soft_cap)});
}

SymbolicTensor binary_crossentropy(const Argument& target, const SymbolicTensor& output, bool from_logits) {
  return operation_output("BinaryCrossentropy", {target, output}, {from_logits});
}
SymbolicTensor binary_crossentropy(const SymbolicTensor& target, const Tensor& output, bool from_logits) {
  return operation_output("BinaryCrossentropy", {target, output}, {from_logits});
}
SymbolicTensor categorical_crossentropy(const Argument& target, const SymbolicTensor& output, bool from_logits,
                                        int axis) {
  return operation_output("CategoricalCrossentropy", {target, output}, {from_logits, axis});
}
SymbolicTensor categorical_crossentropy(const SymbolicTensor& target, const Tensor& output, bool from_logits,
                                        int axis) {
  return operation_output("CategoricalCrossentropy", {target, output}, {from_logits, axis});
}
SymbolicTensor sparse_categorical_crossentropy(const Argument& target, const SymbolicTensor& output, bool from_logits,
                                               int axis) {
  return operation_output("SparseCategoricalCrossentropy", {target, output}, {from_logits, axis});
}
SymbolicTensor sparse_categorical_crossentropy(const SymbolicTensor& target, const Tensor& output, bool from_logits,
                                               int axis) {
  return operation_output("SparseCategoricalCrossentropy", {target, output}, {from_logits, axis});
}

SymbolicTensor ctc_loss(const Argument& target, const SymbolicTensor& output, const Argument& target_length,
                        const Argument& output_length, int mask_index) {
  return operation_output("CTCLoss", {target, output, target_length, output_length}, {mask_index});
}
std::pair<SymbolicTensor, SymbolicTensor> ctc_decode(const SymbolicTensor& inputs, const Argument& sequence_lengths,
                                                     const CtcDecodeOptions& options) {
  const std::vector<SymbolicTensor> results = call_operation("CTCDecode", {inputs, sequence_lengths},
                                                             {options.strategy, options.beam_width, options.top_paths,
                                                              options.merge_repeated, argument_of(options.mask_index)});
  return {results.at(0), results.at(1)};
}

}  // namespace ops
}  // namespace rhyton
