#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <rhyton/framework/backends/gpu/recurrent/backward_steps.h>
#include <rhyton/framework/backends/gpu/recurrent/kernels.h>
#include <rhyton/framework/backends/gpu/recurrent/recurrent_call.h>
#include <rhyton/framework/backends/gpu/recurrent/sequence_kernels.h>
#include <rhyton/framework/backends/gpu/recurrent/step_product.h>
#include <rhyton/framework/backends/gpu/recurrent/weights.h>
#include <rhyton/framework/ops/recurrent.h>

namespace rhyton::gpu {
namespace {

/// The products of a step, and scratch memory.
template <class T>
struct BackwardPlan {
  using Number = Computed<T>;

  bool is_one_kernel;
  WorkspaceParts parts;
  StepWeights<T> weights;
  MatrixProduct of_gates;
  MatrixProduct of_candidate;
  Number* dh;
  Number* dc = nullptr;
  Number* factors;
  Number* product;
  Number* candidate_factor = nullptr;
  Number* dreset = nullptr;
  std::byte* scratch;

  BackwardPlan(const RecurrentAttributes& cell, std::int64_t batch, std::int64_t units, void* workspace)
      : is_one_kernel(gpu::is_one_kernel(cell, batch, units, sizeof(Number))),
        parts(workspace),
        weights(cell, units, is_one_kernel, parts),
        of_gates(step_product(dtype_of<Number>, batch, weights.columns, units, true)),
        of_candidate(step_product(dtype_of<Number>, batch, units, units, true)) {
    dh = parts.take<Number>(batch * units);
    if (cell.cell == RecurrentCell::lstm) dc = parts.take<Number>(batch * units);
    factors = parts.take<Number>(batch * weights.columns);
    product = parts.take<Number>(batch * units);
    if (weights.is_split) {
      candidate_factor = parts.take<Number>(batch * units);
      dreset = parts.take<Number>(batch * units);
    }
    std::size_t bytes = is_one_kernel ? 0 : workspace_bytes_of(of_gates);
    if (weights.is_split) bytes = std::max(bytes, workspace_bytes_of(of_candidate));
    scratch = parts.take<std::byte>(static_cast<std::int64_t>(bytes));
  }
};

template <class T>
std::size_t backward_workspace(const Op& op, Kernel::Specs inputs, Kernel::Specs) {
  const Shape& h = inputs[1].shape;
  return BackwardPlan<T>(static_cast<const RecurrentGradOp&>(op).cell, h[0], h[2], nullptr).parts.bytes();
}

template <class T>
void run_step(GpuStream& stream, const RecurrentAttributes& cell, const BackwardPlan<T>& plan,
              const Computed<T>* weights, const BackwardStep<T>& step) {
  const auto launch_units = [&](const auto& function) {
    launch_on_rows(stream, "RecurrentGrad", function, step.place.batch, step.place.units);
  };
  if (cell.cell == RecurrentCell::lstm) {
    launch_units(LstmBackward<T>{step});
  } else if (cell.cell == RecurrentCell::simple_rnn) {
    launch_units(SimpleBackward<T>{step});
  } else if (cell.reset_after) {
    launch_units(GruBackward<T>{step});
  } else {
    launch_units(CandidateBackward<T>{step, plan.candidate_factor});
    multiply_step(stream, plan.of_candidate, plan.candidate_factor, plan.weights.of_candidate, plan.dreset,
                  plan.scratch);
    launch_units(ResetBackward<T>{step, plan.dreset});
  }
  if (step.is_product_read()) {
    multiply_step(stream, plan.of_gates, plan.factors, weights, plan.product, plan.scratch);
  }
}

template <class Cell, class Number>
void run_all_steps(GpuStream& stream, const Cell& cell, const Sequences& sequences, const Number* weights,
                   Number* product) {
  launch_sequences(
      sequences.batch, sequences.units, cell.step.factor_columns, [&](auto samples, const LaunchShape& shape) {
        launch(stream, "RecurrentGrad", shape, &run_backward_sequences<decltype(samples)::value, Cell, Number>, cell,
               sequences, weights, product);
      });
}

template <class T>
void run_backward(const KernelArguments& arguments) {
  const auto& op = arguments.attributes<RecurrentGradOp>();
  const RecurrentCall<T, RecurrentGradOperands> call = {arguments, op.operands()};
  const auto& position = call.position;
  const Sequences sequences = call.sequences(position.h, op.cell.reverse);
  const std::int64_t states = sequences.states();
  if (states == 0) return;
  GpuStream& stream = stream_of(arguments);
  const BackwardPlan<T> plan(op.cell, sequences.batch, sequences.units, arguments.workspace);
  const Computed<T>* const weights = plan.weights.prepare(stream, call.input(position.recurrent_kernel));
  copy_states(stream, plan.dh, call.input(position.dfinal_h), states);
  if (op.is_lstm()) copy_states(stream, plan.dc, call.input(position.dfinal_c), states);
  BackwardStep<T> step = {.place = sequences.place(-1),
                          .functions = StepFunctions(op.cell),
                          .gates = call.input(position.gates),
                          .h = call.input(position.h),
                          .residual = call.input(position.residual),
                          .initial_h = call.input(position.initial_h),
                          .initial_c = call.input(position.initial_c),
                          .dh_all = call.input(position.dh),
                          .dprojected = call.output(position.dprojected),
                          .drecurrent = call.output(position.drecurrent),
                          .dh = plan.dh,
                          .dc = plan.dc,
                          .product = plan.product,
                          .factors = plan.factors,
                          .factor_columns = plan.weights.columns};
  if (!plan.is_one_kernel) {
    for (std::int64_t i = sequences.steps - 1; i >= 0; --i) {
      step.place = sequences.place(i);
      run_step(stream, op.cell, plan, weights, step);
    }
  } else if (op.is_lstm()) {
    run_all_steps(stream, LstmBackward<T>{step}, sequences, weights, plan.product);
  } else if (op.cell.cell == RecurrentCell::gru) {
    run_all_steps(stream, GruBackward<T>{step}, sequences, weights, plan.product);
  } else {
    run_all_steps(stream, SimpleBackward<T>{step}, sequences, weights, plan.product);
  }
  if (position.dinitial_h >= 0) {
    step.place = sequences.place(-1);
    launch_on_rows(stream, "RecurrentGrad", InitialGradient<T>{step, call.output(position.dinitial_h)}, sequences.batch,
                   sequences.units);
  }
  if (position.dinitial_c >= 0) copy_states(stream, call.output(position.dinitial_c), plan.dc, states);
}

template <class... T>
void add_all(KernelTable& table) {
  (table.add("RecurrentGrad", dtype_of<T>, {.run = &run_backward<T>, .workspace_bytes = &backward_workspace<T>}), ...);
}

}  // namespace

void register_recurrent_gradient_kernels(KernelTable& table) { add_all<float, double, Half, BFloat16>(table); }

}  // namespace rhyton::gpu
