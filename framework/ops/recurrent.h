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
RecurrentResult recurrent(const RecurrentTensors& tensors, const RecurrentAttributes& attributes);

}  // namespace ops
}  // namespace rhyton
