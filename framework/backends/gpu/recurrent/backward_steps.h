#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include <rhyton/framework/backends/gpu/primitives/numbers.h>
#include <rhyton/framework/backends/gpu/recurrent/sequences.h>
#include <rhyton/framework/backends/gpu/recurrent/step_functions.h>

namespace rhyton::gpu {

// What precedes the product of a step of the gradient: one call for each sample and unit, which alone reads and writes
// the elements of that unit, so that `dprojected` may be `gates`.

/// The memory of a step of the gradient.
template <class T>
struct BackwardStep {
  using Number = Computed<T>;

  StepPlace place;
  StepFunctions functions;
  const T* gates;
  const T* h;
  const T* residual;
  const T* initial_h;
  const T* initial_c;
  /// The gradient of all states h, or null.
  const T* dh_all;
  T* dprojected;
  T* drecurrent;
  /// [batch, units]: the gradients of the states after the step, which become those of the states before it. Those of h
  /// lack the part that came through the product of the step after this one.
  Number* dh;
  Number* dc;
  /// That part.
  const Number* product;
  /// The gradients that this step's product multiplies, [batch, factor_columns].
  Number* factors;
  std::int64_t factor_columns;

  __device__ std::int64_t state(std::int64_t sample, std::int64_t unit) const { return sample * place.units + unit; }
  __device__ std::int64_t at(std::int64_t sample, std::int64_t unit) const {
    return place.row(sample) * place.units + unit;
  }
  __device__ std::int64_t gate(std::int64_t sample, std::int64_t unit, int number_of_gate, int gates_of_cell) const {
    return (place.row(sample) * gates_of_cell + number_of_gate) * place.units + unit;
  }

  /// The gradient of the states h before the step after this one.
  __device__ Number dh_from_after(std::int64_t sample, std::int64_t unit) const {
    const std::int64_t i = state(sample, unit);
    const bool has_product = place.after >= 0 && !place.is_masked(sample, place.after);
    return has_product ? dh[i] + product[i] : dh[i];
  }
  /// The whole gradient of the states h after this step.
  __device__ Number dh_of_step(std::int64_t sample, std::int64_t unit) const {
    const Number gradient = dh_from_after(sample, unit);
    return dh_all == nullptr ? gradient : gradient + number(dh_all[at(sample, unit)]);
  }

  /// A state before the step.
  __device__ Number before(const T* states, const T* initial, std::int64_t sample, std::int64_t unit) const {
    if (place.before >= 0) return number(states[place.row(sample, place.before) * place.units + unit]);
    return initial == nullptr ? Number(0) : number(initial[state(sample, unit)]);
  }
  __device__ Number h_before(std::int64_t sample, std::int64_t unit) const {
    return before(h, initial_h, sample, unit);
  }

  /// Whether the gradient of the states before the step is asked for.
  __host__ __device__ bool is_product_read() const { return place.before >= 0 || initial_h != nullptr; }

  __device__ void write_factor(std::int64_t sample, std::int64_t unit, int number_of_gate, Number gradient) const {
    factors[sample * factor_columns + number_of_gate * place.units + unit] = gradient;
  }
  __device__ void write_gate(std::int64_t sample, std::int64_t unit, int number_of_gate, int gates_of_cell,
                             Number gradient) const {
    dprojected[gate(sample, unit, number_of_gate, gates_of_cell)] = element<T>(gradient);
  }

  /// A masked step: the gradients of its states are those of the states before it. Products read its factors, too, but
  /// their results are not used.
  __device__ void carry(std::int64_t sample, std::int64_t unit, int gates_of_cell, int gates_of_product) const {
    dh[state(sample, unit)] = dh_of_step(sample, unit);
    for (int i = 0; i < gates_of_cell; ++i) {
      write_gate(sample, unit, i, gates_of_cell, 0);
      if (drecurrent != nullptr) drecurrent[gate(sample, unit, i, gates_of_cell)] = element<T>(0);
    }
    for (int i = 0; i < gates_of_product; ++i) write_factor(sample, unit, i, 0);
  }
};

template <class T>
struct SimpleBackward {
  BackwardStep<T> step;

  __device__ void operator()(std::int64_t sample, std::int64_t unit) const {
    using Number = Computed<T>;
    if (step.place.is_masked(sample)) return step.carry(sample, unit, 1, 1);
    const Number y = number(step.gates[step.at(sample, unit)]);
    const Number gradient = step.dh_of_step(sample, unit) * step.functions.slope_of_a(y);
    step.dh[step.state(sample, unit)] = 0;
    step.write_gate(sample, unit, 0, 1, gradient);
    step.write_factor(sample, unit, 0, gradient);
  }
};

template <class T>
struct LstmBackward {
  BackwardStep<T> step;

  __device__ void operator()(std::int64_t sample, std::int64_t unit) const {
    using Number = Computed<T>;
    if (step.place.is_masked(sample)) return step.carry(sample, unit, 4, 4);
    const StepFunctions& functions = step.functions;
    const auto gate = [&](int number_of_gate) {
      return number(step.gates[step.gate(sample, unit, number_of_gate, 4)]);
    };
    const Number i = gate(0);
    const Number f = gate(1);
    const Number g = gate(2);
    const Number o = gate(3);
    const Number output = functions.a(number(step.residual[step.at(sample, unit)]));
    const Number c_before = step.before(step.residual, step.initial_c, sample, unit);
    const std::int64_t state = step.state(sample, unit);
    const Number dh = step.dh_of_step(sample, unit);
    const Number dc = step.dc[state] + dh * o * functions.slope_of_a(output);
    step.dh[state] = 0;
    step.dc[state] = dc * f;
    const Number gradients[4] = {dc * g * functions.slope_of_s(i), dc * c_before * functions.slope_of_s(f),
                                 dc * i * functions.slope_of_a(g), dh * output * functions.slope_of_s(o)};
    for (int k = 0; k < 4; ++k) {
      step.write_gate(sample, unit, k, 4, gradients[k]);
      step.write_factor(sample, unit, k, gradients[k]);
    }
  }
};

/// With `reset_after`.
template <class T>
struct GruBackward {
  BackwardStep<T> step;

  __device__ void operator()(std::int64_t sample, std::int64_t unit) const {
    using Number = Computed<T>;
    if (step.place.is_masked(sample)) return step.carry(sample, unit, 3, 3);
    const StepFunctions& functions = step.functions;
    const Number z = number(step.gates[step.gate(sample, unit, 0, 3)]);
    const Number r = number(step.gates[step.gate(sample, unit, 1, 3)]);
    const Number candidate = number(step.gates[step.gate(sample, unit, 2, 3)]);
    const Number residual = number(step.residual[step.at(sample, unit)]);
    const Number dh = step.dh_of_step(sample, unit);
    const Number dz = dh * (step.h_before(sample, unit) - candidate) * functions.slope_of_s(z);
    const Number dcandidate = dh * (Number(1) - z) * functions.slope_of_a(candidate);
    const Number dr = dcandidate * residual * functions.slope_of_s(r);
    step.dh[step.state(sample, unit)] = dh * z;
    const Number of_inputs[3] = {dz, dr, dcandidate};
    const Number of_product[3] = {dz, dr, dcandidate * r};
    for (int i = 0; i < 3; ++i) {
      step.write_gate(sample, unit, i, 3, of_inputs[i]);
      step.drecurrent[step.gate(sample, unit, i, 3)] = element<T>(of_product[i]);
      step.write_factor(sample, unit, i, of_product[i]);
    }
  }
};

/// Without `reset_after`, before the candidate's product: all but the reset gate.
template <class T>
struct CandidateBackward {
  BackwardStep<T> step;
  /// The gradient that the candidate's product multiplies.
  Computed<T>* factor;

  __device__ void operator()(std::int64_t sample, std::int64_t unit) const {
    using Number = Computed<T>;
    const std::int64_t state = step.state(sample, unit);
    if (step.place.is_masked(sample)) {
      step.carry(sample, unit, 3, 2);
      factor[state] = 0;
      return;
    }
    const Number z = number(step.gates[step.gate(sample, unit, 0, 3)]);
    const Number candidate = number(step.gates[step.gate(sample, unit, 2, 3)]);
    const Number dh = step.dh_of_step(sample, unit);
    const Number dz = dh * (step.h_before(sample, unit) - candidate) * step.functions.slope_of_s(z);
    const Number dcandidate = dh * (Number(1) - z) * step.functions.slope_of_a(candidate);
    step.dh[state] = dh * z;
    step.write_gate(sample, unit, 0, 3, dz);
    step.write_gate(sample, unit, 2, 3, dcandidate);
    step.write_factor(sample, unit, 0, dz);
    factor[state] = dcandidate;
  }
};

/// After it: the reset gate, from the gradient of r · h.
template <class T>
struct ResetBackward {
  BackwardStep<T> step;
  const Computed<T>* dreset;

  __device__ void operator()(std::int64_t sample, std::int64_t unit) const {
    using Number = Computed<T>;
    if (step.place.is_masked(sample)) return;
    const std::int64_t state = step.state(sample, unit);
    const Number r = number(step.gates[step.gate(sample, unit, 1, 3)]);
    const Number gradient = dreset[state];
    const Number dr = gradient * step.h_before(sample, unit) * step.functions.slope_of_s(r);
    step.write_gate(sample, unit, 1, 3, dr);
    step.write_factor(sample, unit, 1, dr);
    step.dh[state] += gradient * r;
  }
};

/// At the place before all steps: the gradient of the initial states.
template <class T>
struct InitialGradient {
  BackwardStep<T> step;
  T* dinitial_h;

  __device__ void operator()(std::int64_t sample, std::int64_t unit) const {
    dinitial_h[step.state(sample, unit)] = element<T>(step.dh_from_after(sample, unit));
  }
};

}  // namespace rhyton::gpu
