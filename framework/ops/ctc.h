#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <rhyton/framework/by_name.h>
#include <rhyton/framework/ops/op.h>

// Connectionist temporal classification (Graves et al., 2006): the likelihood of sequences of labels whose places in
// the output are unknown, and the sequences that an output stands for.

namespace rhyton {
inline namespace ops {

/// For each sample -ln of the probability of its labels: the sum over all alignments, in which a label takes one output
/// or several in a row, any outputs are the blank `mask_index`, and equal neighbours have a blank between them.
/// `target` [batch, labels] holds classes, of any dtype; `output` [batch, length, classes] logits; `target_length` and
/// `output_length` [batch] how much of both counts. Without `output_length` all of the output does. A negative
/// `mask_index` counts from the last class. The result is [batch], in float64 for such logits, else in float32.
///
/// As with Keras on TensorFlow, an alignment with a wrong beginning or end has e^-706.9 of its probability instead of
/// none: labels that do not fit the length of the output have a large and finite loss, and a gradient. A label that is
/// no class has the probability 1, and the blank as a label no part in the gradient of its logit; where the blank is
/// not class 0, the class below it and it itself count as one label, the class below, and -1 as the blank. A `target`
/// [batch, 0] has a loss that is ln 2 too small. The gradient has no derivative.
///
/// Throws ValueError for other ranks, in Keras's words for batches of different sizes, and for a `mask_index` that is
/// no class. (keras.ops.ctc_loss, https://keras.io/api/ops/nn/#ctcloss-function)
Tensor ctc_loss(const Tensor& target, const Tensor& output, const Tensor& target_length, const Tensor& output_length,
                int mask_index = 0);

/// Fields in the order of `keras.ops.ctc_decode`.
struct CtcDecodeOptions {
  ByName by_name = ByName();
  /// "greedy": the best class of each output. "beam_search": the most probable sequences of labels.
  std::string strategy = "greedy";
  /// The number of beginnings that a beam search keeps.
  std::int64_t beam_width = 100;
  /// The number of sequences that a beam search returns.
  std::int64_t top_paths = 1;
  /// Whether equal classes in a row are one label of the greedy strategy.
  bool merge_repeated = true;
  /// The blank. Negative ones count from the last class, which is also meant without one.
  std::optional<int> mask_index = 0;
};

/// The labels that logits [batch, length, classes] stand for, of which `sequence_lengths` [batch] outputs count: int32
/// [paths, batch, length], -1 behind the last label, and scores [batch, paths] in float64 for such logits, else in
/// float32. There is one path of the greedy strategy, whose score is the negative sum of the largest logits; those of a
/// beam search are sorted, with the logarithms of their probabilities as scores. No gradient. Throws ValueError in
/// Keras's words for another strategy, InvalidArgumentError in TensorFlow's for a length beyond the output's, for more
/// paths than `beam_width`, and for fewer sequences than paths.
/// (keras.ops.ctc_decode, https://keras.io/api/ops/nn/#ctcdecode-function)
std::pair<Tensor, Tensor> ctc_decode(const Tensor& inputs, const Tensor& sequence_lengths,
                                     const CtcDecodeOptions& options = {});

/// Inputs: logits [batch, length, classes], labels [batch, labels] and their lengths [batch] of int32, and where they
/// differ the lengths of the logits. Outputs: the loss [batch] and its gradient with respect to the logits.
class CtcLossOp final : public Op {
 public:
  explicit CtcLossOp(int mask_index) : mask_index(mask_index) {}
  std::string_view name() const override { return "CTCLoss"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  std::vector<Tensor> gradient(const GradientArguments& arguments) const override;
  BatchRule batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const override;
  std::string attributes() const override;
  double flops(std::span<const TensorSpec> inputs, std::span<const TensorSpec> outputs) const override;

  const int mask_index;
};

/// Inputs: logits [batch, length, classes] and their lengths [batch] of int32. Outputs: labels and scores.
class CtcDecodeOp final : public Op {
 public:
  CtcDecodeOp(bool is_greedy, std::int64_t beam_width, std::int64_t paths, bool merge_repeated, int mask_index)
      : is_greedy(is_greedy),
        beam_width(beam_width),
        paths(paths),
        merge_repeated(merge_repeated),
        mask_index(mask_index) {}
  std::string_view name() const override { return "CTCDecode"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  std::vector<Tensor> gradient(const GradientArguments& arguments) const override;
  std::string attributes() const override;

  const bool is_greedy;
  const std::int64_t beam_width;
  const std::int64_t paths;
  const bool merge_repeated;
  const int mask_index;
};

}  // namespace ops
}  // namespace rhyton
