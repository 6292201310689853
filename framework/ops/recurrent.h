#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <rhyton/framework/ops/op.h>

// The recurrence of the built-in recurrent cells over all time steps, as one op: forward and backward of a layer then
// share one sliced phase. The product of the inputs with the kernel is not part of it: it is one product for the rows
// of all steps. Other cells are loops of ops (ops/scan.h).

namespace rhyton {
inline namespace ops {

/// The built-in cells. Their gates stand side by side on the last axis, in Keras's order: simple_rnn has one, lstm has
/// input, forget, cell and output gate, gru has update gate, reset gate and candidate.
enum class RecurrentCell { simple_rnn, lstm, gru };

/// The functions that kernels compute within a step; each has a derivative that follows from its value.
enum class RecurrentActivation { linear, relu, sigmoid, hard_sigmoid, tanh };

/// The function with that name of Keras ("tanh"), nothing if it is none of these.
std::optional<RecurrentActivation> recurrent_activation_of(std::string_view name);

/// The number of gates of a cell: 1, 4, 3.
int recurrent_gates(RecurrentCell cell);

struct RecurrentAttributes {
  RecurrentCell cell = RecurrentCell::lstm;
  RecurrentActivation activation = RecurrentActivation::tanh;
  /// Of gates. Unused by simple_rnn.
  RecurrentActivation recurrent_activation = RecurrentActivation::sigmoid;
  /// gru: whether the reset gate multiplies the product with the recurrent kernel (true) or its input (false).
  bool reset_after = false;
  /// Whether the last step is computed first. The outputs stay at the positions of their inputs.
  bool reverse = false;

  bool operator==(const RecurrentAttributes&) const = default;
};

struct RecurrentTensors {
  /// [batch, steps, gates · units]: the product of the inputs with the kernel, plus the bias.
  Tensor projected;
  /// [units, gates · units].
  Tensor recurrent_kernel;
  /// [gates · units], added to the recurrent product: gru with `reset_after` only. None if empty.
  Tensor recurrent_bias = {};
  /// [batch, units]; zeros if empty.
  Tensor initial_h = {};
  /// [batch, units], lstm only; zeros if empty.
  Tensor initial_c = {};
  /// bool [batch, steps]: the states stay as they are at steps where it is false. All true if empty.
  Tensor mask = {};
};

struct RecurrentResult {
  /// [batch, steps, units]: the state h after each step.
  Tensor h;
  /// [batch, units]: the state after the step that is computed last; the initial state where there are no steps.
  Tensor final_h;
  /// The same of the cell state, lstm only.
  Tensor final_c;
};

/// Applies a built-in cell to all steps. Throws InvalidArgumentError for tensors whose shapes do not fit.
///
/// simple_rnn: h = f(x + h U). lstm: i, f, o = s(...), c = f c + i a(...), h = o a(c). gru: z, r = s(...),
/// h = z h + (1 - z) a(x + r (h U + b)) with `reset_after`, else a(x + (r h) U). Here a is `activation`, s is
/// `recurrent_activation`. Sources: Hochreiter & Schmidhuber (1997), https://doi.org/10.1162/neco.1997.9.8.1735; Cho et
/// al., https://arxiv.org/abs/1406.1078.
///
/// Half types are computed in float32.
RecurrentResult recurrent(const RecurrentTensors& tensors, const RecurrentAttributes& attributes);

// --- The ops whose attributes kernels read

/// The optional inputs that an op has.
struct RecurrentOptions {
  bool has_bias = false;
  bool has_initial_h = false;
  bool has_initial_c = false;
  bool has_mask = false;
};

/// The recurrence and its gradient.
class RecurrentBaseOp : public Op {
 public:
  RecurrentBaseOp(const RecurrentAttributes& cell, const RecurrentOptions& options) : cell(cell), options(options) {}
  std::string attributes() const override;
  double flops(std::span<const TensorSpec> inputs, std::span<const TensorSpec> outputs) const override;

  bool is_lstm() const { return cell.cell == RecurrentCell::lstm; }
  /// Whether the gru's candidate has a recurrent product of its own, which the reset gate multiplies.
  bool resets_after() const { return cell.cell == RecurrentCell::gru && cell.reset_after; }

  const RecurrentAttributes cell;
  const RecurrentOptions options;
};

/// The positions of inputs and outputs, -1 for those that are not there.
struct RecurrentOperands {
  int projected = 0;
  int recurrent_kernel = 1;
  int recurrent_bias = -1;
  int initial_h = -1;
  int initial_c = -1;
  int mask = -1;

  int h = 0;
  int final_h = 1;
  int final_c = -1;
  int gates = 2;
  int residual = -1;
};

/// Inputs and outputs are those of RecurrentOperands, in this order. Further outputs than those of `recurrent`, for the
/// gradient: gates [batch, steps, gates · units], the values of the gates' functions; residual [batch, steps, units]:
/// the cell states of the lstm, for the gru with `reset_after` the candidate's h U + b. In masked steps the gates and
/// the residual of the gru are 0.
class RecurrentOp final : public RecurrentBaseOp {
 public:
  using RecurrentBaseOp::RecurrentBaseOp;
  std::string_view name() const override { return "Recurrent"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  std::vector<Tensor> gradient(const GradientArguments& arguments) const override;
  BatchRule batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const override;
  bool may_overwrite(std::size_t input, std::size_t output) const override;

  RecurrentOperands operands() const;

 private:
  /// The gradient where gates or residual have one, as in second derivatives: the steps are composed of ops, and those
  /// are differentiated. Defined in autodiff/recurrent_derivatives.cc.
  std::vector<Tensor> composed_gradient(const GradientArguments& arguments) const;
};

/// The positions of inputs and outputs of the gradient, -1 for those that are not there.
struct RecurrentGradOperands {
  int gates = 0;
  int h = 1;
  int recurrent_kernel = 2;
  int residual = -1;
  int initial_h = -1;
  int initial_c = -1;
  int mask = -1;
  /// The gradients of h, final_h and final_c.
  int dh = -1;
  int dfinal_h = -1;
  int dfinal_c = -1;

  int dprojected = 0;
  int drecurrent = -1;
  int dinitial_h = -1;
  int dinitial_c = -1;
};

/// Inputs and outputs are those of RecurrentGradOperands, in this order. dprojected is the gradient of the projected
/// inputs, which is that of the recurrent product too, except for the gru with `reset_after`: there drecurrent is the
/// latter. The gradients of initial states exist for those that are there.
class RecurrentGradOp final : public RecurrentBaseOp {
 public:
  RecurrentGradOp(const RecurrentAttributes& cell, const RecurrentOptions& options, bool has_dh, bool has_dfinal_h,
                  bool has_dfinal_c)
      : RecurrentBaseOp(cell, options), has_dh(has_dh), has_dfinal_h(has_dfinal_h), has_dfinal_c(has_dfinal_c) {}
  std::string_view name() const override { return "RecurrentGrad"; }
  std::string attributes() const override;
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  /// Composed of ops. Defined in autodiff/recurrent_derivatives.cc.
  std::vector<Tensor> gradient(const GradientArguments& arguments) const override;
  BatchRule batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const override;
  bool may_overwrite(std::size_t input, std::size_t output) const override;

  RecurrentGradOperands operands() const;

  const bool has_dh;
  const bool has_dfinal_h;
  const bool has_dfinal_c;
};

}  // namespace ops
}  // namespace rhyton
