#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <rhyton/framework/by_name.h>
#include <rhyton/framework/ops/ctc.h>
#include <rhyton/framework/tensor/dtype.h>
#include <rhyton/layers/argument.h>
#include <rhyton/layers/operations/activations.h>
#include <rhyton/layers/operations/windows.h>
#include <rhyton/layers/symbolic_tensor.h>

// The functions of keras.ops for neural networks on symbolic tensors: operations of a functional model. Each has the
// parameters of the function of tensors and throws as it does, where the lengths are known. Other arguments that may be
// tensors are constants of the model if they are not symbolic.

namespace rhyton {
inline namespace ops {

// --- Activations

/// max(x, 0).
layers::SymbolicTensor relu(const layers::SymbolicTensor& x);
/// x where x > 0, else negative_slope · x.
layers::SymbolicTensor leaky_relu(const layers::SymbolicTensor& x, double negative_slope = 0.2);
/// x where x > 0, else alpha · (e^x - 1).
layers::SymbolicTensor elu(const layers::SymbolicTensor& x, double alpha = 1.0);
/// x · Φ(x), where Φ of the normal distribution is approximated by tanh, or without `approximate` computed by erf, as
/// `activations::gelu` does.
layers::SymbolicTensor gelu(const layers::SymbolicTensor& x, bool approximate = true);
/// x · sigmoid(x).
layers::SymbolicTensor silu(const layers::SymbolicTensor& x);
/// 1 / (1 + e^-x).
layers::SymbolicTensor sigmoid(const layers::SymbolicTensor& x);
/// log(1 + e^x).
layers::SymbolicTensor softplus(const layers::SymbolicTensor& x);
/// e^x / Σ e^x along `axis`.
layers::SymbolicTensor softmax(const layers::SymbolicTensor& x, int axis = -1);
/// log softmax(x).
layers::SymbolicTensor log_softmax(const layers::SymbolicTensor& x, int axis = -1);

// Those of `rhyton::activations`, of tensors and symbolic tensors.
using activations::celu;
using activations::glu;
using activations::hard_shrink;
using activations::hard_sigmoid;
using activations::hard_silu;
using activations::hard_tanh;
using activations::log_sigmoid;
using activations::relu6;
using activations::selu;
using activations::soft_shrink;
using activations::softsign;
using activations::sparse_plus;
using activations::sparse_sigmoid;
using activations::sparsemax;
using activations::squareplus;
using activations::tanh_shrink;
using activations::threshold;

// --- Codes of classes

/// A new last axis of length `depth` that is 1 at the index and 0 elsewhere.
layers::SymbolicTensor one_hot(const layers::SymbolicTensor& indices, std::int64_t depth, DType dtype = DType::float32);
/// The same with the new axis at position `axis` of the result.
layers::SymbolicTensor one_hot(const layers::SymbolicTensor& x, std::int64_t num_classes, int axis,
                               DType dtype = DType::float32);
/// 1 for each class that occurs: [B, N] -> [B, num_classes].
layers::SymbolicTensor multi_hot(const layers::SymbolicTensor& x, std::int64_t num_classes, int axis = -1,
                                 DType dtype = DType::float32);

// --- Normalization

/// Mean and biased variance.
struct SymbolicMoments {
  layers::SymbolicTensor mean;
  layers::SymbolicTensor variance;
};

/// Mean and biased variance over the axes, by default over all.
SymbolicMoments moments(const layers::SymbolicTensor& x, const std::vector<int>& axes = {}, bool keepdims = false);
/// x / max(norm, epsilon), with the norm of that order along `axis`.
layers::SymbolicTensor normalize(const layers::SymbolicTensor& x, int axis = -1, int order = 2,
                                 std::optional<double> epsilon = std::nullopt);
/// (x - mean) / √(variance + epsilon) · gamma + beta over the last axes of x, those of `gamma`.
layers::SymbolicTensor layer_normalization(const layers::SymbolicTensor& x, const layers::Argument& gamma,
                                           const layers::Argument& beta, double epsilon);
/// Fields in the order of `keras.ops.rms_normalization`. `scale` may be a symbolic tensor or a tensor.
struct SymbolicRmsNormOptions {
  ByName by_name = ByName();
  layers::Argument scale = {};
  /// All axes where it is empty.
  std::vector<int> axis = {-1};
  /// `config::epsilon()` where it is not given.
  std::optional<double> epsilon = std::nullopt;
};

/// x / √(mean(x²) + epsilon) · scale, with the mean over the axes.
layers::SymbolicTensor rms_normalization(const layers::SymbolicTensor& x, const SymbolicRmsNormOptions& options = {});
/// (x - mean) / √(variance + epsilon) · scale + offset, with one element of each per element of x's `axis`. The offset
/// and the scale may be None.
layers::SymbolicTensor batch_normalization(const layers::SymbolicTensor& x, const layers::Argument& mean,
                                           const layers::Argument& variance, int axis,
                                           const layers::Argument& offset = {}, const layers::Argument& scale = {},
                                           double epsilon = 1e-3);

// --- Signals

/// 20 log10(max_val) - 10 log10 of the mean of the squared differences.
layers::SymbolicTensor psnr(const layers::SymbolicTensor& x1, const layers::Argument& x2, double max_val);
layers::SymbolicTensor psnr(const Tensor& x1, const layers::SymbolicTensor& x2, double max_val);

// --- Attention

/// Fields in the order of `keras.ops.dot_product_attention`. `bias` and `mask` may be symbolic tensors or tensors.
struct SymbolicAttentionOptions {
  ByName by_name = ByName();
  layers::Argument bias = {};
  layers::Argument mask = {};
  std::optional<double> scale = std::nullopt;
  bool is_causal = false;
  std::optional<bool> flash_attention = std::nullopt;
  std::optional<double> attn_logits_soft_cap = std::nullopt;
};

/// softmax(query keyᵀ scale + bias) value for each head, of query [batch, queries, heads, size], key [batch, keys, key
/// heads, size] and value [batch, keys, key heads, value size]. Throws ValueError in Keras's words for other ranks.
layers::SymbolicTensor dot_product_attention(const layers::SymbolicTensor& query, const layers::Argument& key,
                                             const layers::Argument& value,
                                             const SymbolicAttentionOptions& options = {});

// --- Crossentropies: as in Keras the shapes are equal, so that those of constants have no unknown lengths beside them.

/// Per element -(target ln p + (1 - target) ln(1 - p)), with p = output or its sigmoid.
layers::SymbolicTensor binary_crossentropy(const layers::Argument& target, const layers::SymbolicTensor& output,
                                           bool from_logits = false);
layers::SymbolicTensor binary_crossentropy(const layers::SymbolicTensor& target, const Tensor& output,
                                           bool from_logits = false);
/// -Σ target ln p along `axis`, with p = output divided by its sum, or its softmax.
layers::SymbolicTensor categorical_crossentropy(const layers::Argument& target, const layers::SymbolicTensor& output,
                                                bool from_logits = false, int axis = -1);
layers::SymbolicTensor categorical_crossentropy(const layers::SymbolicTensor& target, const Tensor& output,
                                                bool from_logits = false, int axis = -1);
/// -ln p of the class that is the target, with p = output or its softmax.
layers::SymbolicTensor sparse_categorical_crossentropy(const layers::Argument& target,
                                                       const layers::SymbolicTensor& output, bool from_logits = false,
                                                       int axis = -1);
layers::SymbolicTensor sparse_categorical_crossentropy(const layers::SymbolicTensor& target, const Tensor& output,
                                                       bool from_logits = false, int axis = -1);

// --- Sequences of labels

/// Per sample -ln of the probability of the labels `target` [batch, labels] of logits [batch, length, classes], of
/// which `target_length` and `output_length` [batch] count.
layers::SymbolicTensor ctc_loss(const layers::Argument& target, const layers::SymbolicTensor& output,
                                const layers::Argument& target_length, const layers::Argument& output_length,
                                int mask_index = 0);
/// The labels that logits [batch, length, classes] stand for, and their scores.
std::pair<layers::SymbolicTensor, layers::SymbolicTensor> ctc_decode(const layers::SymbolicTensor& inputs,
                                                                     const layers::Argument& sequence_lengths,
                                                                     const CtcDecodeOptions& options = {});

}  // namespace ops
}  // namespace rhyton
