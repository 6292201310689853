#include <cstdint>
#include <vector>

#include <rhyton/framework/autodiff/composed_gradient.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/ops/recurrent.h>
#include <rhyton/framework/ops/shaping.h>

// Second and further derivatives of the recurrence: the ops are composed of differentiable ops, step by step, and those
// are differentiated.

namespace rhyton {
inline namespace ops {
namespace {

using Activation = RecurrentActivation;
using Tensors = std::vector<Tensor>;

Tensor value_of(Activation f, const Tensor& x) {
  switch (f) {
    case Activation::relu:
      return relu(x);
    case Activation::sigmoid:
      return sigmoid(x);
    case Activation::hard_sigmoid:
      return clip_by_value(x * (1.0 / 6) + 0.5, 0.0, 1.0);
    case Activation::tanh:
      return tanh(x);
    case Activation::linear:
      break;
  }
  return x;
}

/// dy times the derivative of f where its value is y.
Tensor times_slope(Activation f, const Tensor& dy, const Tensor& y) {
  switch (f) {
    case Activation::relu:
      return where(greater(y, 0.0), dy, zeros_like(dy));
    case Activation::sigmoid:
      return dy * y * (1.0 - y);
    case Activation::hard_sigmoid:
      return where(greater(y * (1.0 - y), 0.0), dy * (1.0 / 6), zeros_like(dy));
    case Activation::tanh:
      return dy * (1.0 - y * y);
    case Activation::linear:
      break;
  }
  return dy;
}

/// What the compositions of both ops share: tensors by position, steps, gates.
class Composition {
 public:
  /// `states` is the position of an input [batch, steps, n].
  Composition(const RecurrentBaseOp& op, const Tensors& inputs, int states)
      : cell(op.cell),
        batch(inputs[static_cast<std::size_t>(states)].shape()[0]),
        steps(inputs[static_cast<std::size_t>(states)].shape()[1]),
        inputs_(inputs) {}

  Tensor input(int position) const { return position < 0 ? Tensor() : inputs_[static_cast<std::size_t>(position)]; }

  std::int64_t time_of(std::int64_t step) const { return cell.reverse ? steps - 1 - step : step; }

  /// [batch, steps, n] at one step: [batch, n].
  Tensor at(const Tensor& x, std::int64_t step) const {
    const std::int64_t time = time_of(step);
    return squeeze(slice_axis(x, 1, time, time + 1), {1});
  }

  /// The rows of all times as [batch, steps, columns].
  Tensor joined(const Tensors& rows, std::int64_t columns, DType dtype) const {
    return rows.empty() ? Tensor::zeros({batch, 0, columns}, dtype) : stack(rows, 1);
  }

  Tensor gate(const Tensor& row, std::int64_t number) const {
    const std::int64_t units = row.shape()[1] / recurrent_gates(cell.cell);
    return slice_axis(row, 1, number * units, (number + 1) * units);
  }

  /// `masked` where the step is masked.
  Tensor selected(int mask, std::int64_t step, const Tensor& x, const Tensor& masked) const {
    if (mask < 0) return x;
    const std::int64_t time = time_of(step);
    return where(slice_axis(input(mask), 1, time, time + 1), x, masked);
  }

  Tensor state_or_zeros(int position, std::int64_t units) const {
    return position < 0 ? Tensor::zeros({batch, units}, inputs_[0].dtype()) : input(position);
  }

  Tensor s(const Tensor& x) const { return value_of(cell.recurrent_activation, x); }
  Tensor a(const Tensor& x) const { return value_of(cell.activation, x); }
  Tensor ds(const Tensor& dy, const Tensor& y) const { return times_slope(cell.recurrent_activation, dy, y); }
  Tensor da(const Tensor& dy, const Tensor& y) const { return times_slope(cell.activation, dy, y); }

  const RecurrentAttributes& cell;
  const std::int64_t batch;
  const std::int64_t steps;

 private:
  const Tensors& inputs_;
};

/// The columns of the candidate in the gru's kernel.
Tensor candidate_columns(const Tensor& kernel) {
  const std::int64_t units = kernel.shape()[0];
  return slice_axis(kernel, 1, 2 * units, 3 * units);
}

/// The states, gates and residual of one step.
struct Step {
  Tensor h;
  Tensor c;
  Tensor gates;
  Tensor residual;
};

Step stepped(const Composition& all, const Tensor& x, const Tensor& kernel, const Tensor& bias, const Tensor& h,
             const Tensor& c) {
  Tensor product = matmul(h, kernel);
  if (!bias.is_empty()) product = product + bias;
  Step next;
  if (all.cell.cell == RecurrentCell::simple_rnn) {
    next.h = next.gates = all.a(x + product);
    return next;
  }
  const Tensor sum = x + product;
  if (all.cell.cell == RecurrentCell::lstm) {
    const Tensor i = all.s(all.gate(sum, 0));
    const Tensor f = all.s(all.gate(sum, 1));
    const Tensor g = all.a(all.gate(sum, 2));
    const Tensor o = all.s(all.gate(sum, 3));
    next.c = f * c + i * g;
    next.h = o * all.a(next.c);
    next.gates = concatenate({i, f, g, o}, 1);
    return next;
  }
  const Tensor z = all.s(all.gate(sum, 0));
  const Tensor r = all.s(all.gate(sum, 1));
  if (all.cell.reset_after) next.residual = all.gate(product, 2);
  const Tensor of_states = all.cell.reset_after ? r * next.residual : matmul(r * h, candidate_columns(kernel));
  const Tensor candidate = all.a(all.gate(x, 2) + of_states);
  next.h = candidate + z * (h - candidate);
  next.gates = concatenate({z, r, candidate}, 1);
  return next;
}

Tensors composed_recurrence(const RecurrentOp& op, const Tensors& inputs) {
  const RecurrentOperands position = op.operands();
  const Composition all(op, inputs, position.projected);
  const Tensor projected = all.input(position.projected);
  const Tensor kernel = all.input(position.recurrent_kernel);
  const std::int64_t units = kernel.shape()[0];
  Tensor h = all.state_or_zeros(position.initial_h, units);
  Tensor c = all.state_or_zeros(position.initial_c, units);
  const auto count = static_cast<std::size_t>(all.steps);
  Tensors states(count);
  Tensors gates(count);
  Tensors residuals(count);
  for (std::int64_t step = 0; step < all.steps; ++step) {
    const auto time = static_cast<std::size_t>(all.time_of(step));
    const Step next = stepped(all, all.at(projected, step), kernel, all.input(position.recurrent_bias), h, c);
    h = all.selected(position.mask, step, next.h, h);
    if (op.is_lstm()) c = all.selected(position.mask, step, next.c, c);
    states[time] = h;
    gates[time] = next.gates;
    residuals[time] = op.is_lstm() ? c : next.residual;
  }
  Tensors outputs = {all.joined(states, units, projected.dtype()), h};
  if (position.final_c >= 0) outputs.push_back(c);
  outputs.push_back(all.joined(gates, kernel.shape()[1], projected.dtype()));
  if (position.residual >= 0) outputs.push_back(all.joined(residuals, units, projected.dtype()));
  return outputs;
}

/// The gradients of one step: of the gates' sums, of the recurrent product, and of the states before it.
struct StepGradient {
  Tensor projected;
  Tensor recurrent;
  Tensor h;
  Tensor c;
};

StepGradient lstm_gradient(const Composition& all, const Tensor& gates, const Tensor& c, const Tensor& c_before,
                           const Tensor& kernel, const Tensor& dh, const Tensor& dc) {
  const Tensor f = all.gate(gates, 1);
  const Tensor o = all.gate(gates, 3);
  const Tensor output = all.a(c);
  const Tensor of_c = dc + all.da(dh * o, output);
  StepGradient result;
  result.projected = result.recurrent =
      concatenate({all.ds(of_c * all.gate(gates, 2), all.gate(gates, 0)), all.ds(of_c * c_before, f),
                   all.da(of_c * all.gate(gates, 0), all.gate(gates, 2)), all.ds(dh * output, o)},
                  1);
  result.c = of_c * f;
  result.h = matmul(result.recurrent, kernel, false, true);
  return result;
}

StepGradient gru_gradient(const Composition& all, const Tensor& gates, const Tensor& product, const Tensor& h_before,
                          const Tensor& kernel, const Tensor& dh) {
  const Tensor z = all.gate(gates, 0);
  const Tensor r = all.gate(gates, 1);
  const Tensor candidate = all.gate(gates, 2);
  const Tensor dz = all.ds(dh * (h_before - candidate), z);
  const Tensor dcandidate = all.da(dh * (1.0 - z), candidate);
  StepGradient result;
  if (all.cell.reset_after) {
    const Tensor dr = all.ds(dcandidate * product, r);
    result.projected = concatenate({dz, dr, dcandidate}, 1);
    result.recurrent = concatenate({dz, dr, dcandidate * r}, 1);
    result.h = dh * z + matmul(result.recurrent, kernel, false, true);
    return result;
  }
  const Tensor dreset = matmul(dcandidate, candidate_columns(kernel), false, true);
  const Tensor dr = all.ds(dreset * h_before, r);
  const Tensor of_gates = slice_axis(kernel, 1, 0, 2 * kernel.shape()[0]);
  result.projected = result.recurrent = concatenate({dz, dr, dcandidate}, 1);
  result.h = dh * z + dreset * r + matmul(concatenate({dz, dr}, 1), of_gates, false, true);
  return result;
}

Tensors composed_gradient(const RecurrentGradOp& op, const Tensors& inputs) {
  const RecurrentGradOperands position = op.operands();
  const Composition all(op, inputs, position.h);
  const Tensor gates = all.input(position.gates);
  const Tensor states = all.input(position.h);
  const Tensor residual = all.input(position.residual);
  const Tensor kernel = all.input(position.recurrent_kernel);
  const std::int64_t units = kernel.shape()[0];
  const auto before = [&](const Tensor& x, int initial, std::int64_t step) {
    return step > 0 ? all.at(x, step - 1) : all.state_or_zeros(initial, units);
  };
  Tensor dh = all.state_or_zeros(position.dfinal_h, units);
  Tensor dc = all.state_or_zeros(position.dfinal_c, units);
  const auto count = static_cast<std::size_t>(all.steps);
  Tensors dprojected(count);
  Tensors drecurrent(count);
  for (std::int64_t step = all.steps - 1; step >= 0; --step) {
    if (position.dh >= 0) dh = dh + all.at(all.input(position.dh), step);
    const Tensor row = all.at(gates, step);
    StepGradient gradient;
    if (op.is_lstm()) {
      gradient =
          lstm_gradient(all, row, all.at(residual, step), before(residual, position.initial_c, step), kernel, dh, dc);
    } else if (all.cell.cell == RecurrentCell::gru) {
      gradient = gru_gradient(all, row, all.cell.reset_after ? all.at(residual, step) : Tensor(),
                              before(states, position.initial_h, step), kernel, dh);
    } else {
      gradient.projected = gradient.recurrent = all.da(dh, row);
      gradient.h = matmul(gradient.recurrent, kernel, false, true);
    }
    const auto time = static_cast<std::size_t>(all.time_of(step));
    const Tensor zeros = zeros_like(row);
    dprojected[time] = all.selected(position.mask, step, gradient.projected, zeros);
    drecurrent[time] = all.selected(position.mask, step, gradient.recurrent, zeros);
    dh = all.selected(position.mask, step, gradient.h, dh);
    if (op.is_lstm()) dc = all.selected(position.mask, step, gradient.c, dc);
  }
  Tensors outputs = {all.joined(dprojected, kernel.shape()[1], gates.dtype())};
  if (position.drecurrent >= 0) outputs.push_back(all.joined(drecurrent, kernel.shape()[1], gates.dtype()));
  if (position.dinitial_h >= 0) outputs.push_back(dh);
  if (position.dinitial_c >= 0) outputs.push_back(dc);
  return outputs;
}

}  // namespace

std::vector<Tensor> RecurrentOp::composed_gradient(const GradientArguments& arguments) const {
  return gradients_of_composition(arguments, [&](const Tensors& inputs) { return composed_recurrence(*this, inputs); });
}

std::vector<Tensor> RecurrentGradOp::gradient(const GradientArguments& arguments) const {
  return gradients_of_composition(arguments,
                                  [&](const Tensors& inputs) { return ops::composed_gradient(*this, inputs); });
}

}  // namespace ops
}  // namespace rhyton
