#include <tuple>

#include <rhyton/framework/ops/recurrent.h>
#include <rhyton/tests/framework/ops/conformance_case.h>

namespace rhyton::conformance {
namespace {

using Inputs = std::vector<Tensor>;

/// Which of the optional tensors a case has.
struct Parts {
  bool bias = false;
  bool states = false;
  bool mask = false;
};

/// 5 samples of `steps` steps. The mask has gaps at both ends and between, and one sample has no step at all.
Case recurrence(const std::string& name, const RecurrentAttributes& attributes, const Parts& parts, std::int64_t steps,
                std::int64_t units) {
  const std::int64_t batch = 5;
  const std::int64_t columns = units * recurrent_gates(attributes.cell);
  const bool has_c = parts.states && attributes.cell == RecurrentCell::lstm;
  Case result;
  result.name = name;
  const auto add = [&](const Shape& shape, double size) {
    result.inputs.push_back({.shape = shape, .lowest = -size, .highest = size});
  };
  add({batch, steps, columns}, 1.5);
  add({units, columns}, 0.8);
  if (parts.bias) add({columns}, 0.5);
  if (parts.states) add({batch, units}, 0.9);
  if (has_c) add({batch, units}, 0.9);
  if (parts.mask) {
    Input mask{.shape = {batch, steps}, .dtype = DType::bool_};
    for (std::int64_t i = 0; i < batch * steps; ++i) mask.values.push_back((i * 7 % 5 < 3) && i / steps != 2 ? 1 : 0);
    result.inputs.push_back(mask);
  }
  result.call = [=](const Inputs& x) {
    std::size_t next = 2;
    RecurrentTensors tensors{.projected = x[0], .recurrent_kernel = x[1]};
    if (parts.bias) tensors.recurrent_bias = x[next++];
    if (parts.states) tensors.initial_h = x[next++];
    if (has_c) tensors.initial_c = x[next++];
    if (parts.mask) tensors.mask = x[next++];
    const RecurrentResult y = recurrent(tensors, attributes);
    std::vector<Tensor> outputs = {y.h, y.final_h};
    if (!y.final_c.is_empty()) outputs.push_back(y.final_c);
    return outputs;
  };
  result.tolerance = 4e-6;
  result.half_tolerance = 32.0;
  return result;
}

}  // namespace

std::vector<Case> recurrent_cases() {
  using enum RecurrentCell;
  using Activation = RecurrentActivation;
  std::vector<Case> cases;
  for (const auto& [name, cell, reset_after] :
       {std::tuple("simple_rnn", simple_rnn, false), std::tuple("lstm", lstm, false),
        std::tuple("gru_reset_before", gru, false), std::tuple("gru_reset_after", gru, true)}) {
    // Not captured as bindings, which Clang 14 refuses.
    const auto add = [&cases, name = std::string(name), cell = cell, reset_after = reset_after](
                         const std::string& suffix, RecurrentAttributes attributes, Parts parts, std::int64_t steps,
                         std::int64_t units) {
      attributes.cell = cell;
      attributes.reset_after = reset_after;
      parts.bias = parts.bias && reset_after;
      cases.push_back(recurrence(name + "_" + suffix, attributes, parts, steps, units));
    };
    add("plain", {}, {}, 4, 3);
    add("whole", {}, {.bias = true, .states = true, .mask = true}, 4, 3);
    add("reverse", {.reverse = true}, {.bias = true, .states = true, .mask = true}, 3, 5);
    add("mask_alone", {}, {.bias = true, .mask = true}, 3, 2);
    add("one_unit", {}, {.bias = true, .states = true}, 3, 1);
    add("one_step", {}, {.states = true}, 1, 4);
    add("no_step", {}, {.states = true}, 0, 4);
    add("many_units", {}, {.bias = true}, 2, 17);
    add("hard_sigmoid", {.activation = Activation::linear, .recurrent_activation = Activation::hard_sigmoid},
        {.bias = true}, 2, 3);
    add("sigmoid_linear", {.activation = Activation::sigmoid, .recurrent_activation = Activation::linear}, {}, 2, 3);
    add("tanh_tanh", {.activation = Activation::tanh, .recurrent_activation = Activation::tanh}, {}, 2, 3);
    add("relu", {.activation = Activation::relu}, {}, 2, 3);
  }
  return cases;
}

}  // namespace rhyton::conformance
