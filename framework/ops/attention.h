#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <rhyton/framework/by_name.h>
#include <rhyton/framework/ops/op.h>

// Scaled dot-product attention as one op, whose memory is linear in the number of positions: the scores of all pairs of
// positions are never stored. The gradient computes them again, part by part, from the logarithms of their sums.

namespace rhyton {
inline namespace ops {

/// Fields in the order of `keras.ops.dot_product_attention`.
struct DotProductAttentionOptions {
  ByName by_name = ByName();
  /// Added to the scores. Broadcasts to [batch, heads, queries, keys]. None if empty.
  Tensor bias = {};
  /// bool: false where a query must not use a key. Broadcasts to [batch, heads, queries, keys]. All true if empty.
  Tensor mask = {};
  /// The factor of the scores, 1 / sqrt(head size) unless set.
  std::optional<double> scale = std::nullopt;
  /// Whether query i uses keys 0 … i only.
  bool is_causal = false;
  /// Accepted for compatibility: both values compute the same.
  std::optional<bool> flash_attention = std::nullopt;
  /// Scores are limited to c tanh(score / c) with this c. Not limited unless set.
  std::optional<double> attn_logits_soft_cap = std::nullopt;
};

/// softmax(query keyᵀ scale + bias) value, for each head (`keras.ops.dot_product_attention`).
///
/// Shapes: query [batch, queries, heads, size], key [batch, keys, key heads, size], value [batch, keys, key heads,
/// value size] -> [batch, queries, heads, value size]. The key heads divide the heads: each serves heads / key heads
/// consecutive ones. A bias of -infinity hides a key, as a mask does; a query that may use no key gets the mean of all
/// values. Integers are converted to `floatx()`. Half types are computed in float32.
/// Throws ValueError or InvalidArgumentError for tensors whose ranks or lengths do not fit.
///
/// Sources: Vaswani et al., https://arxiv.org/abs/1706.03762; Dao et al., https://arxiv.org/abs/2205.14135; Rabe &
/// Staats, https://arxiv.org/abs/2112.05682.
Tensor dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                             const DotProductAttentionOptions& options = {});

// --- The op that layers apply

/// Dropout of the probabilities: those with a number below `rate` are dropped, the others divided by 1 - rate. The
/// numbers are those of `random_uniform_like` for a tensor [batch, heads, queries, keys].
struct AttentionDropout {
  double rate = 0;
  std::uint64_t key = 0;
  /// The position of the first sample, where the tensors are a replica's part of a batch.
  std::int64_t first_sample = 0;

  bool operator==(const AttentionDropout&) const = default;
};

struct AttentionAttributes {
  double scale = 1;
  bool is_causal = false;
  /// 0: scores are not limited.
  double soft_cap = 0;
  /// Whether a query that may use no key gets zeros (as Keras's layers where they store the scores), not the mean of
  /// all values.
  bool zero_where_hidden = false;
  AttentionDropout dropout = {};

  bool operator==(const AttentionAttributes&) const = default;
};

struct AttentionTensors {
  Tensor query;
  Tensor key;
  Tensor value;
  /// Rank 4, each axis 1 or that of [batch, heads, queries, keys]. None if empty.
  Tensor bias = {};
  /// bool, as `bias`. None if empty.
  Tensor mask = {};
  /// int64 scalar, the number of the dropout's draw. Empty without dropout.
  Tensor draw = {};
};

/// As `dot_product_attention`, with dropout. On devices without a kernel of the op it is composed of ops that store the
/// scores.
Tensor attention(const AttentionTensors& tensors, const AttentionAttributes& attributes);

/// The outputs of AttentionOp.
struct AttentionResult {
  Tensor output;
  Tensor sums;
};

/// The same composed of ops that store the scores.
AttentionResult composed_attention(const AttentionTensors& tensors, const AttentionAttributes& attributes);

/// The limited scores plus bias, [batch, heads, queries, keys], before masks; float32 for half types.
Tensor attention_scores(const AttentionTensors& tensors, const AttentionAttributes& attributes);

/// bool [queries, keys]: whether query i may use key j <= i.
Tensor causal_mask(std::int64_t queries, std::int64_t keys);

/// True where a query may use a key, of a shape that broadcasts to [batch, heads, queries, keys]; empty if everywhere.
/// A bias of -infinity hides a key, as a mask does.
Tensor attention_visibility(const AttentionTensors& tensors, const AttentionAttributes& attributes);

/// The optional inputs that an op has.
struct OptionalAttentionInputs {
  bool has_bias = false;
  bool has_mask = false;
  bool has_draw = false;
};

/// The positions of inputs, -1 for those that are not there.
struct AttentionOperands {
  int query = 0;
  int key = 1;
  int value = 2;
  int output = -1;
  int sums = -1;
  int gradient = -1;
  int bias = -1;
  int mask = -1;
  int draw = -1;
};

/// What attention and its gradient share.
class AttentionBaseOp : public Op {
 public:
  AttentionBaseOp(const AttentionAttributes& attention, const OptionalAttentionInputs& options)
      : attention(attention), options(options) {}
  std::string attributes() const override;
  BatchRule batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const override;

  virtual AttentionOperands operands() const = 0;

  const AttentionAttributes attention;
  const OptionalAttentionInputs options;

 protected:
  /// Throws InvalidArgumentError for ranks, lengths and dtypes that do not fit.
  void check(std::span<const TensorSpec> inputs) const;
};

/// Inputs: query, key, value, then bias, mask and draw if there are any. Outputs: the result, and for the gradient the
/// largest score and the sum of the exponentials relative to it [batch, heads, queries, 2], float32 for half types. Not
/// one logarithm of both: scores may be so large that it had no digits for the sum. The sum is 0 for a query that may
/// use no key.
class AttentionOp final : public AttentionBaseOp {
 public:
  using AttentionBaseOp::AttentionBaseOp;
  std::string_view name() const override { return "Attention"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  std::vector<Tensor> gradient(const GradientArguments& arguments) const override;
  double flops(std::span<const TensorSpec> inputs, std::span<const TensorSpec> outputs) const override;
  AttentionOperands operands() const override;

 private:
  /// The gradient where the bias needs one or the sums have one: of the op composed of others. Defined in
  /// autodiff/attention_derivatives.cc.
  std::vector<Tensor> composed_gradient(const GradientArguments& arguments) const;
};

/// Inputs: query, key, value, the result, the sums, the gradient of the result, then bias, mask and
/// draw if there are any. Outputs: the gradients of query, key and value.
class AttentionGradOp final : public AttentionBaseOp {
 public:
  using AttentionBaseOp::AttentionBaseOp;
  std::string_view name() const override { return "AttentionGrad"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  /// Composed of ops. Defined in autodiff/attention_derivatives.cc.
  std::vector<Tensor> gradient(const GradientArguments& arguments) const override;
  double flops(std::span<const TensorSpec> inputs, std::span<const TensorSpec> outputs) const override;
  AttentionOperands operands() const override;
};

}  // namespace ops
}  // namespace rhyton
