#pragma once

#include <cstddef>
#include <cstdint>

#include <rhyton/framework/backends/cpu/recurrent/step_product.h>
#include <rhyton/framework/ops/recurrent.h>

namespace rhyton::cpu {

/// What the recurrent kernel and that of its gradient know of a call. `Operands`: the positions of the op's inputs and
/// outputs, -1 for those that it does not have.
template <class T, class Operands>
struct RecurrentCall {
  /// `sequences`: the position of an input [samples, steps, ...].
  RecurrentCall(const KernelArguments& given, const RecurrentAttributes& attributes, const Operands& positions,
                int sequences)
      : arguments(given),
        cell(attributes),
        position(positions),
        samples(view(sequences).shape()[0]),
        steps(view(sequences).shape()[1]),
        units(view(position.recurrent_kernel).shape()[0]),
        columns(units * recurrent_gates(cell.cell)),
        rows(recurrent_rows<T>(view(position.recurrent_kernel).shape())),
        initial_h(input(position.initial_h)),
        initial_c(input(position.initial_c)),
        mask(position.mask < 0 ? nullptr : view(position.mask).template as<const bool>()) {}

  const TensorView& view(int i) const { return arguments.inputs[static_cast<std::size_t>(i)]; }
  const T* input(int i) const { return i < 0 ? nullptr : view(i).template as<const T>(); }
  T* output(int i) const { return i < 0 ? nullptr : arguments.outputs[static_cast<std::size_t>(i)].template as<T>(); }

  bool is_lstm() const { return cell.cell == RecurrentCell::lstm; }
  bool is_gru() const { return cell.cell == RecurrentCell::gru; }

  /// The position in time of the step that is computed as that number.
  std::int64_t time_of(std::int64_t step) const { return cell.reverse ? steps - 1 - step : step; }

  /// Whether the states pass unchanged through the step at that position, sample * steps + time.
  bool is_masked(std::int64_t at) const { return mask != nullptr && !mask[at]; }

  /// The state before a step: in `states` [samples, steps, units], or the initial one, or `zeros`.
  const T* before(const T* states, const T* initial, const T* zeros, std::int64_t sample, std::int64_t step) const {
    if (step > 0) return states + (sample * steps + time_of(step - 1)) * units;
    return initial == nullptr ? zeros : initial + sample * units;
  }

  const KernelArguments& arguments;
  const RecurrentAttributes& cell;
  const Operands position;
  const std::int64_t samples;
  const std::int64_t steps;
  const std::int64_t units;
  const std::int64_t columns;
  /// How many samples go through the steps together.
  const int rows;
  const T* const initial_h;
  const T* const initial_c;
  const bool* const mask;
};

}  // namespace rhyton::cpu
