#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include <rhyton/framework/backends/gpu/primitives/numbers.h>
#include <rhyton/framework/backends/gpu/recurrent/sequences.h>
#include <rhyton/framework/backends/gpu/recurrent/step_functions.h>

namespace rhyton::gpu {

// What follows the product of a step: one call for each sample and unit, which alone reads and writes the elements of
// that unit, so that `gates` may be `projected`.

/// The memory of a step.
template <class T>
struct ForwardStep {
  using Number = Computed<T>;

  StepPlace place;
  StepFunctions functions;
  const T* projected;
  /// Of the recurrent product, or null.
  const T* bias;
  T* h_all;
  T* gates;
  T* residual;
  /// The states times the recurrent kernel, [batch, product_columns]. Not computed as long as they are zeros.
  Number* product;
  std::int64_t product_columns;
  bool has_product;
  /// [batch, units]: those before the step, which become those after it.
  Number* h;
  Number* c;

  __device__ std::int64_t state(std::int64_t sample, std::int64_t unit) const { return sample * place.units + unit; }
  __device__ std::int64_t gate(std::int64_t sample, std::int64_t unit, int number_of_gate, int gates_of_cell) const {
    return (place.row(sample) * gates_of_cell + number_of_gate) * place.units + unit;
  }

  /// The recurrent product of a gate, with its bias.
  __device__ Number recurrent(std::int64_t sample, std::int64_t unit, int number_of_gate) const {
    const std::int64_t column = number_of_gate * place.units + unit;
    const Number sum = has_product ? product[sample * product_columns + column] : Number(0);
    return bias == nullptr ? sum : sum + number(bias[column]);
  }

  __device__ void write_h(std::int64_t sample, std::int64_t unit, Number value) const {
    h[state(sample, unit)] = value;
    h_all[place.row(sample) * place.units + unit] = element<T>(value);
  }
  __device__ void write_residual(std::int64_t sample, std::int64_t unit, Number value) const {
    residual[place.row(sample) * place.units + unit] = element<T>(value);
  }

  /// A masked step, but for the residual.
  __device__ void carry(std::int64_t sample, std::int64_t unit, int gates_of_cell) const {
    write_h(sample, unit, h[state(sample, unit)]);
    for (int i = 0; i < gates_of_cell; ++i) gates[gate(sample, unit, i, gates_of_cell)] = element<T>(0);
  }
};

template <class T>
struct SimpleForward {
  ForwardStep<T> step;

  __device__ void operator()(std::int64_t sample, std::int64_t unit) const {
    if (step.place.is_masked(sample)) return step.carry(sample, unit, 1);
    const std::int64_t at = step.gate(sample, unit, 0, 1);
    const Computed<T> value = step.functions.a(number(step.projected[at]) + step.recurrent(sample, unit, 0));
    step.gates[at] = element<T>(value);
    step.write_h(sample, unit, value);
  }
};

template <class T>
struct LstmForward {
  ForwardStep<T> step;

  __device__ void operator()(std::int64_t sample, std::int64_t unit) const {
    using Number = Computed<T>;
    const std::int64_t at = step.state(sample, unit);
    const Number before = step.c[at];
    if (step.place.is_masked(sample)) {
      step.carry(sample, unit, 4);
      step.write_residual(sample, unit, before);
      return;
    }
    Number sums[4];
    for (int i = 0; i < 4; ++i) {
      sums[i] = number(step.projected[step.gate(sample, unit, i, 4)]) + step.recurrent(sample, unit, i);
    }
    const StepFunctions& functions = step.functions;
    const Number gates[4] = {functions.s(sums[0]), functions.s(sums[1]), functions.a(sums[2]), functions.s(sums[3])};
    for (int i = 0; i < 4; ++i) step.gates[step.gate(sample, unit, i, 4)] = element<T>(gates[i]);
    const Number state = gates[1] * before + gates[0] * gates[2];
    step.c[at] = state;
    step.write_residual(sample, unit, state);
    step.write_h(sample, unit, gates[3] * functions.a(state));
  }
};

/// With `reset_after`.
template <class T>
struct GruForward {
  ForwardStep<T> step;

  __device__ void operator()(std::int64_t sample, std::int64_t unit) const {
    using Number = Computed<T>;
    if (step.place.is_masked(sample)) {
      step.carry(sample, unit, 3);
      step.write_residual(sample, unit, 0);
      return;
    }
    const auto projected = [&](int i) { return number(step.projected[step.gate(sample, unit, i, 3)]); };
    const Number z = step.functions.s(projected(0) + step.recurrent(sample, unit, 0));
    const Number r = step.functions.s(projected(1) + step.recurrent(sample, unit, 1));
    const Number residual = step.recurrent(sample, unit, 2);
    const Number candidate = step.functions.a(projected(2) + r * residual);
    step.gates[step.gate(sample, unit, 0, 3)] = element<T>(z);
    step.gates[step.gate(sample, unit, 1, 3)] = element<T>(r);
    step.gates[step.gate(sample, unit, 2, 3)] = element<T>(candidate);
    step.write_residual(sample, unit, residual);
    step.write_h(sample, unit, candidate + z * (step.h[step.state(sample, unit)] - candidate));
  }
};

/// Without `reset_after`, before the candidate's product: z, which takes the place of its product, and r · h.
template <class T>
struct ResetForward {
  ForwardStep<T> step;
  Computed<T>* reset;

  __device__ void operator()(std::int64_t sample, std::int64_t unit) const {
    using Number = Computed<T>;
    const std::int64_t at = step.state(sample, unit);
    if (step.place.is_masked(sample)) {
      reset[at] = 0;
      return;
    }
    const auto value = [&](int i) {
      return step.functions.s(number(step.projected[step.gate(sample, unit, i, 3)]) + step.recurrent(sample, unit, i));
    };
    const Number z = value(0);
    const Number r = value(1);
    step.product[sample * step.product_columns + unit] = z;
    step.gates[step.gate(sample, unit, 0, 3)] = element<T>(z);
    step.gates[step.gate(sample, unit, 1, 3)] = element<T>(r);
    reset[at] = r * step.h[at];
  }
};

/// After it.
template <class T>
struct CandidateForward {
  ForwardStep<T> step;
  const Computed<T>* product;

  __device__ void operator()(std::int64_t sample, std::int64_t unit) const {
    using Number = Computed<T>;
    if (step.place.is_masked(sample)) return step.carry(sample, unit, 3);
    const std::int64_t at = step.state(sample, unit);
    const std::int64_t gate = step.gate(sample, unit, 2, 3);
    const Number z = step.product[sample * step.product_columns + unit];
    const Number of_states = step.has_product ? product[at] : Number(0);
    const Number candidate = step.functions.a(number(step.projected[gate]) + of_states);
    step.gates[gate] = element<T>(candidate);
    step.write_h(sample, unit, candidate + z * (step.h[at] - candidate));
  }
};

}  // namespace rhyton::gpu
