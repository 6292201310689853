#include <rhyton/framework/ops/recurrent.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <rhyton/framework/backends/gpu/recurrent/forward_steps.h>
#include <rhyton/framework/backends/gpu/recurrent/kernels.h>
#include <rhyton/framework/backends/gpu/recurrent/recurrent_call.h>
#include <rhyton/framework/backends/gpu/recurrent/sequence_kernels.h>
#include <rhyton/framework/backends/gpu/recurrent/step_product.h>
#include <rhyton/framework/backends/gpu/recurrent/weights.h>

namespace rhyton::gpu {
namespace {

/// The products of a step, and scratch memory. States are kept there in the type in which they are computed.
template <class T>
struct ForwardPlan {
  using Number = Computed<T>;

  bool is_one_kernel;
  WorkspaceParts parts;
  StepWeights<T> weights;
  MatrixProduct of_states;
  MatrixProduct of_candidate;
  Number* h;
  Number* c = nullptr;
  Number* product;
  Number* reset = nullptr;
  Number* candidate = nullptr;
  std::byte* scratch;

  ForwardPlan(const RecurrentAttributes& cell, std::int64_t batch, std::int64_t units, void* workspace)
      : is_one_kernel(gpu::is_one_kernel(cell, batch, units, sizeof(Number))),
        parts(workspace),
        weights(cell, units, false, parts),
        of_states(step_product(dtype_of<Number>, batch, units, weights.columns, false)),
        of_candidate(step_product(dtype_of<Number>, batch, units, units, false)) {
    h = parts.take<Number>(batch * units);
    if (cell.cell == RecurrentCell::lstm) c = parts.take<Number>(batch * units);
    product = parts.take<Number>(batch * weights.columns);
    if (weights.is_split) {
      reset = parts.take<Number>(batch * units);
      candidate = parts.take<Number>(batch * units);
    }
    std::size_t bytes = is_one_kernel ? 0 : workspace_bytes_of(of_states);
    if (weights.is_split) bytes = std::max(bytes, workspace_bytes_of(of_candidate));
    scratch = parts.take<std::byte>(static_cast<std::int64_t>(bytes));
  }
};

template <class T>
std::size_t forward_workspace(const Op& op, Kernel::Specs inputs, Kernel::Specs) {
  return ForwardPlan<T>(static_cast<const RecurrentOp&>(op).cell, inputs[0].shape[0], inputs[1].shape[0], nullptr)
      .parts.bytes();
}

template <class T>
void run_step(GpuStream& stream, const RecurrentAttributes& cell, const ForwardPlan<T>& plan,
              const Computed<T>* weights, const ForwardStep<T>& step) {
  const auto launch_units = [&](const auto& function) {
    launch_on_rows(stream, "Recurrent", function, step.place.batch, step.place.units);
  };
  if (step.has_product) multiply_step(stream, plan.of_states, plan.h, weights, plan.product, plan.scratch);
  if (cell.cell == RecurrentCell::lstm) return launch_units(LstmForward<T>{step});
  if (cell.cell == RecurrentCell::simple_rnn) return launch_units(SimpleForward<T>{step});
  if (cell.reset_after) return launch_units(GruForward<T>{step});
  launch_units(ResetForward<T>{step, plan.reset});
  if (step.has_product) {
    multiply_step(stream, plan.of_candidate, plan.reset, plan.weights.of_candidate, plan.candidate, plan.scratch);
  }
  launch_units(CandidateForward<T>{step, plan.candidate});
}

template <class Cell, class Number>
void run_all_steps(GpuStream& stream, const Cell& cell, const Sequences& sequences, const Number* weights,
                   bool has_initial_h) {
  launch_sequences(sequences.batch, sequences.units, cell.step.product_columns,
                   [&](auto samples, const LaunchShape& shape) {
                     launch(stream, "Recurrent", shape, &run_forward_sequences<decltype(samples)::value, Cell, Number>,
                            cell, sequences, weights, has_initial_h);
                   });
}

template <class T>
void run_forward(const KernelArguments& arguments) {
  const auto& op = arguments.attributes<RecurrentOp>();
  const RecurrentCall<T, RecurrentOperands> call = {arguments, op.operands()};
  const auto& position = call.position;
  const Sequences sequences = call.sequences(position.projected, op.cell.reverse);
  const std::int64_t states = sequences.states();
  if (states == 0) return;
  GpuStream& stream = stream_of(arguments);
  const ForwardPlan<T> plan(op.cell, sequences.batch, sequences.units, arguments.workspace);
  const Computed<T>* const weights = plan.weights.prepare(stream, call.input(position.recurrent_kernel));
  copy_states(stream, plan.h, call.input(position.initial_h), states);
  if (op.is_lstm()) copy_states(stream, plan.c, call.input(position.initial_c), states);
  const bool has_initial_h = op.options.has_initial_h;
  ForwardStep<T> step = {.place = sequences.place(0),
                         .functions = StepFunctions(op.cell),
                         .projected = call.input(position.projected),
                         .bias = call.input(position.recurrent_bias),
                         .h_all = call.output(position.h),
                         .gates = call.output(position.gates),
                         .residual = call.output(position.residual),
                         .product = plan.product,
                         .product_columns = plan.weights.columns,
                         .has_product = has_initial_h,
                         .h = plan.h,
                         .c = plan.c};
  if (!plan.is_one_kernel) {
    for (std::int64_t i = 0; i < sequences.steps; ++i) {
      step.place = sequences.place(i);
      step.has_product = i > 0 || has_initial_h;
      run_step(stream, op.cell, plan, weights, step);
    }
  } else if (op.is_lstm()) {
    run_all_steps(stream, LstmForward<T>{step}, sequences, weights, has_initial_h);
  } else if (op.cell.cell == RecurrentCell::gru) {
    run_all_steps(stream, GruForward<T>{step}, sequences, weights, has_initial_h);
  } else {
    run_all_steps(stream, SimpleForward<T>{step}, sequences, weights, has_initial_h);
  }
  copy_states(stream, call.output(position.final_h), plan.h, states);
  if (op.is_lstm()) copy_states(stream, call.output(position.final_c), plan.c, states);
}

template <class... T>
void add_all(KernelTable& table) {
  (table.add("Recurrent", dtype_of<T>, {.run = &run_forward<T>, .workspace_bytes = &forward_workspace<T>}), ...);
}

}  // namespace

void register_recurrent_kernels(KernelTable& table) {
  add_all<float, double, Half, BFloat16>(table);
  register_recurrent_gradient_kernels(table);
}

}  // namespace rhyton::gpu
