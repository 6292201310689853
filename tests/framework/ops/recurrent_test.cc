#include <rhyton/framework/ops/recurrent.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/graph/executable.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/tests/framework/graph/planning.h>
#include <rhyton/tests/framework/ops/kernel_checks.h>
#include <rhyton/tests/support/message_of.h>
#include <rhyton/tests/support/random_tensor.h>
#include <rhyton/tests/support/tensor_distance.h>

namespace rhyton::recurrent_tests {
namespace {

using test::expect_close_to_largest;
using test::message_of;
using test::random_tensor;
using test::same_bits;
using Tensors = std::vector<Tensor>;
using Activation = RecurrentActivation;

// --- The recurrence by an op after the other

Tensor value_of(Activation f, const Tensor& x) {
  switch (f) {
    case Activation::linear:
      return x;
    case Activation::relu:
      return maximum(x, 0.0);
    case Activation::sigmoid:
      return 1.0 / (exp(-x) + 1.0);
    case Activation::hard_sigmoid:
      return clip_by_value(x / 6.0 + 0.5, 0.0, 1.0);
    case Activation::tanh:
      return tanh(x);
  }
  throw ValueError("unknown activation");
}

/// One step: the new states from x [batch, gates · units] and the old ones.
std::pair<Tensor, Tensor> stepped(const RecurrentTensors& tensors, const RecurrentAttributes& cell, const Tensor& x,
                                  const Tensor& h, const Tensor& c) {
  const std::int64_t units = h.shape()[1];
  const auto gate = [&](const Tensor& all, int number) {
    return slice_axis(all, 1, number * units, (number + 1) * units);
  };
  Tensor product = matmul(h, tensors.recurrent_kernel);
  if (!tensors.recurrent_bias.is_empty()) product = product + tensors.recurrent_bias;
  const auto s = [&](const Tensor& y) { return value_of(cell.recurrent_activation, y); };
  const auto a = [&](const Tensor& y) { return value_of(cell.activation, y); };
  if (cell.cell == RecurrentCell::simple_rnn) return {a(x + product), c};
  if (cell.cell == RecurrentCell::lstm) {
    const Tensor sum = x + product;
    const Tensor state = s(gate(sum, 1)) * c + s(gate(sum, 0)) * a(gate(sum, 2));
    return {s(gate(sum, 3)) * a(state), state};
  }
  const Tensor z = s(gate(x, 0) + gate(product, 0));
  const Tensor r = s(gate(x, 1) + gate(product, 1));
  const Tensor of_candidate = cell.reset_after
                                  ? r * gate(product, 2)
                                  : matmul(r * h, slice_axis(tensors.recurrent_kernel, 1, 2 * units, 3 * units));
  return {z * h + (1.0 - z) * a(gate(x, 2) + of_candidate), c};
}

RecurrentResult reference(const RecurrentTensors& tensors, const RecurrentAttributes& cell) {
  const std::int64_t batch = tensors.projected.shape()[0];
  const std::int64_t steps = tensors.projected.shape()[1];
  const std::int64_t units = tensors.recurrent_kernel.shape()[0];
  const Tensor zeros = Tensor::zeros({batch, units}, tensors.projected.dtype());
  Tensor h = tensors.initial_h.is_empty() ? zeros : tensors.initial_h;
  Tensor c = tensors.initial_c.is_empty() ? zeros : tensors.initial_c;
  Tensors outputs(static_cast<std::size_t>(steps));
  for (std::int64_t i = 0; i < steps; ++i) {
    const std::int64_t time = cell.reverse ? steps - 1 - i : i;
    const Tensor x = squeeze(slice_axis(tensors.projected, 1, time, time + 1), {1});
    auto [next_h, next_c] = stepped(tensors, cell, x, h, c);
    if (!tensors.mask.is_empty()) {
      const Tensor is_there = slice_axis(tensors.mask, 1, time, time + 1);
      next_h = where(is_there, next_h, h);
      next_c = where(is_there, next_c, c);
    }
    h = next_h;
    c = next_c;
    outputs[static_cast<std::size_t>(time)] = h;
  }
  RecurrentResult result;
  result.h = steps == 0 ? Tensor::zeros({batch, 0, units}, h.dtype()) : stack(outputs, 1);
  result.final_h = h;
  if (cell.cell == RecurrentCell::lstm) result.final_c = c;
  return result;
}

// --- Comparisons

/// What a comparison varies.
struct Setting {
  RecurrentAttributes cell;
  std::int64_t batch = 3;
  std::int64_t steps = 4;
  std::int64_t units = 5;
  bool has_bias = false;
  bool has_states = false;
  std::optional<std::vector<bool>> mask = std::nullopt;
};

RecurrentTensors tensors_of(const Setting& setting, DType dtype) {
  const std::int64_t columns = setting.units * recurrent_gates(setting.cell.cell);
  const auto random = [&](const Shape& shape, std::uint64_t seed, double size) {
    return random_tensor(shape, seed, -size, size, dtype);
  };
  // Sums of many products are about as large as of few.
  const double size = 2.0 / std::sqrt(static_cast<double>(setting.units));
  RecurrentTensors tensors;
  tensors.projected = random({setting.batch, setting.steps, columns}, 1, 2.0);
  tensors.recurrent_kernel = random({setting.units, columns}, 2, size);
  if (setting.has_bias) tensors.recurrent_bias = random({columns}, 3, 0.5);
  if (setting.has_states) tensors.initial_h = random({setting.batch, setting.units}, 4, 1.0);
  if (setting.has_states && setting.cell.cell == RecurrentCell::lstm) {
    tensors.initial_c = random({setting.batch, setting.units}, 5, 1.0);
  }
  if (setting.mask) {
    tensors.mask = Tensor::zeros({setting.batch, setting.steps}, bool_);
    for (std::int64_t i = 0; i < tensors.mask.size(); ++i) {
      tensors.mask.mutable_data<bool>()[i] = (*setting.mask)[static_cast<std::size_t>(i) % setting.mask->size()];
    }
  }
  return tensors;
}

using Function = std::function<RecurrentResult(const RecurrentTensors&, const RecurrentAttributes&)>;

/// The outputs, and the gradients of all floating inputs of a weighted sum of them.
Tensors outputs_and_gradients(const Function& function, const RecurrentTensors& tensors,
                              const RecurrentAttributes& cell) {
  Tensors sources;
  for (const Tensor& tensor :
       {tensors.projected, tensors.recurrent_kernel, tensors.recurrent_bias, tensors.initial_h, tensors.initial_c}) {
    if (!tensor.is_empty()) sources.push_back(tensor);
  }
  GradientTape tape;
  for (const Tensor& source : sources) tape.watch(source);
  const RecurrentResult y = function(tensors, cell);
  Tensors results = {y.h, y.final_h};
  if (!y.final_c.is_empty()) results.push_back(y.final_c);
  Tensor total = Tensor::zeros({}, y.h.dtype());
  std::uint64_t seed = 20;
  for (const Tensor& output : results) {
    total = total + sum(output * random_tensor(output.shape(), seed++, -1.0, 1.0, output.dtype()));
  }
  for (const Tensor& gradient : tape.gradient(total, sources)) results.push_back(gradient);
  return results;
}

void expect_as_reference(const Setting& setting) {
  for (const DType dtype : {float32, float64}) {
    SCOPED_TRACE(dtype == float32 ? "float32" : "float64");
    const RecurrentTensors tensors = tensors_of(setting, dtype);
    const Tensors actual = outputs_and_gradients(&recurrent, tensors, setting.cell);
    const Tensors expected = outputs_and_gradients(&reference, tensors, setting.cell);
    ASSERT_EQ(actual.size(), expected.size());
    for (std::size_t i = 0; i < actual.size(); ++i) {
      SCOPED_TRACE("tensor " + std::to_string(i));
      if (expected[i].is_empty()) {
        // The outputs do not depend on it: there is no step.
        for (const double value : actual[i].to_vector()) EXPECT_EQ(value, 0.0);
        continue;
      }
      ASSERT_FALSE(actual[i].is_empty());
      expect_close_to_largest(actual[i], expected[i], dtype == float32 ? 3e-5 : 1e-12);
    }
  }
}

std::vector<std::pair<std::string, RecurrentAttributes>> cells() {
  return {{"simple_rnn", {.cell = RecurrentCell::simple_rnn}},
          {"lstm", {.cell = RecurrentCell::lstm}},
          {"gru", {.cell = RecurrentCell::gru}},
          {"gru with reset_after", {.cell = RecurrentCell::gru, .reset_after = true}}};
}

/// Calls function(setting) for each cell, with a trace of its name.
template <class Prepare>
void expect_all_cells_as_reference(const Prepare& prepare) {
  for (const auto& [name, cell] : cells()) {
    SCOPED_TRACE(name);
    Setting setting{.cell = cell};
    prepare(setting);
    setting.has_bias = setting.has_bias && cell.reset_after;
    expect_as_reference(setting);
  }
}

// --- Values and gradients

TEST(Recurrent, IsTheRecurrenceOfEachCell) {
  expect_all_cells_as_reference([](Setting&) {});
  expect_all_cells_as_reference([](Setting& setting) { setting.has_bias = true; });
  expect_all_cells_as_reference([](Setting& setting) { setting.has_bias = setting.has_states = true; });
}

TEST(Recurrent, RunsBackwardsInTime) {
  expect_all_cells_as_reference([](Setting& setting) {
    setting.cell.reverse = true;
    setting.has_bias = setting.has_states = true;
  });
  expect_all_cells_as_reference([](Setting& setting) {
    setting.cell.reverse = true;
    setting.mask = {true, true, true, false, true, false, false};
  });
}

TEST(Recurrent, CarriesStatesThroughMaskedSteps) {
  const bool t = true;
  const bool f = false;
  const std::vector<std::pair<std::string, std::vector<bool>>> masks = {
      {"at the end", {t, t, t, f, t, t, f, f, t, f, f, f}},
      {"at the beginning", {f, t, t, t, f, f, t, t, f, f, f, t}},
      {"between", {t, f, t, t, t, f, f, t, f, t, f, t}},
      {"a sample without steps", {t, t, t, t, f, f, f, f, t, t, f, f}},
      {"no step at all", {f}}};
  for (const auto& [name, mask] : masks) {
    for (const bool has_states : {false, true}) {
      SCOPED_TRACE(name + (has_states ? ", with states" : ""));
      expect_all_cells_as_reference([&, &mask = mask](Setting& setting) {
        setting.mask = mask;
        setting.has_bias = setting.has_states = has_states;
      });
    }
  }
}

TEST(Recurrent, HasEveryActivation) {
  for (const Activation activation :
       {Activation::linear, Activation::relu, Activation::sigmoid, Activation::hard_sigmoid, Activation::tanh}) {
    SCOPED_TRACE("activation " + std::to_string(static_cast<int>(activation)));
    expect_all_cells_as_reference([&](Setting& setting) { setting.cell.activation = activation; });
    expect_all_cells_as_reference([&](Setting& setting) { setting.cell.recurrent_activation = activation; });
  }
}

TEST(Recurrent, TakesAnyLengths) {
  for (const std::int64_t batch : {1, 2, 13, 61}) {
    for (const std::int64_t units : {1, 7, 16, 33, 70, 128}) {
      SCOPED_TRACE("batch " + std::to_string(batch) + ", units " + std::to_string(units));
      expect_all_cells_as_reference([&](Setting& setting) {
        setting.batch = batch;
        setting.units = units;
        setting.steps = 3;
        setting.has_bias = setting.has_states = true;
      });
    }
  }
  for (const std::int64_t steps : {0, 1, 9}) {
    SCOPED_TRACE("steps " + std::to_string(steps));
    expect_all_cells_as_reference([&](Setting& setting) {
      setting.steps = steps;
      setting.has_states = true;
    });
    expect_all_cells_as_reference([&](Setting& setting) { setting.steps = steps; });
  }
}

TEST(Recurrent, SharesLargeWeightsAmongMoreSamples) {
  // More than 4 MB, and more samples than share them.
  for (const auto& [name, cell] : cells()) {
    if (cell.cell == RecurrentCell::simple_rnn) continue;
    SCOPED_TRACE(name);
    expect_as_reference({.cell = cell, .batch = 101, .steps = 2, .units = 610, .has_states = true});
  }
}

TEST(Recurrent, TakesNoSample) {
  for (const auto& [name, cell] : cells()) {
    SCOPED_TRACE(name);
    const RecurrentTensors tensors = tensors_of({.cell = cell, .batch = 0}, float32);
    const Tensors results = outputs_and_gradients(&recurrent, tensors, cell);
    EXPECT_EQ(results[0].shape(), (Shape{0, 4, 5}));
    EXPECT_EQ(results[1].shape(), (Shape{0, 5}));
    EXPECT_EQ(results.back().to_vector(), std::vector<double>(static_cast<std::size_t>(results.back().size()), 0.0));
  }
}

TEST(Recurrent, KeepsNaNToItsSample) {
  for (const auto& [name, cell] : cells()) {
    SCOPED_TRACE(name);
    RecurrentTensors tensors = tensors_of({.cell = cell, .batch = 2}, float32);
    const Tensor expected = recurrent(tensors, cell).h;
    tensors.projected.mutable_data<float>()[0] = std::numeric_limits<float>::quiet_NaN();
    const Tensor actual = recurrent(tensors, cell).h;
    EXPECT_TRUE(std::isnan(actual.to_vector()[0]));
    EXPECT_TRUE(same_bits(slice_axis(actual, 0, 1, 2), slice_axis(expected, 0, 1, 2)));
  }
}

TEST(Recurrent, SaturatesWithoutOverflow) {
  const RecurrentAttributes cell = {.cell = RecurrentCell::lstm};
  const Tensor projected =
      Tensor::from_data({4, 1, 4}, std::vector<float>{1e4F, 1e4F, 1e4F, 1e4F, -1e4F, -1e4F, -1e4F, -1e4F, 200, -200,
                                                      -200, 200, INFINITY, INFINITY, INFINITY, INFINITY});
  const RecurrentTensors tensors = {.projected = projected, .recurrent_kernel = Tensor::zeros({1, 4}, float32)};
  const std::vector<double> h = recurrent(tensors, cell).h.to_vector();
  EXPECT_FLOAT_EQ(static_cast<float>(h[0]), std::tanh(1.0F));
  EXPECT_NEAR(h[1], 0.0, 1e-30);
  EXPECT_FLOAT_EQ(static_cast<float>(h[2]), std::tanh(-1.0F));
  EXPECT_FLOAT_EQ(static_cast<float>(h[3]), std::tanh(1.0F));
}

// --- Slices and threads

TEST(Recurrent, SamplesDoNotDependOnTheirNeighbours) {
  for (const auto& [name, cell] : cells()) {
    SCOPED_TRACE(name);
    const RecurrentTensors tensors = tensors_of({.cell = cell, .batch = 29, .steps = 5, .units = 19}, float32);
    const RecurrentResult whole = recurrent(tensors, cell);
    for (const auto& [first, last] : {std::pair(0, 1), std::pair(3, 10), std::pair(28, 29)}) {
      RecurrentTensors part = tensors;
      part.projected = slice_axis(tensors.projected, 0, first, last);
      EXPECT_TRUE(same_bits(recurrent(part, cell).h, slice_axis(whole.h, 0, first, last)));
    }
  }
}

TEST(Recurrent, ForwardAndBackwardAreOneSlicedPhase) {
  for (const auto& [name, cell] : cells()) {
    SCOPED_TRACE(name);
    const std::int64_t units = 6;
    const std::int64_t columns = units * recurrent_gates(cell.cell);
    const Variable kernel(random_tensor({7, columns}, 1), {.name = "kernel"});
    const Variable recurrent_kernel(random_tensor({units, columns}, 2), {.name = "recurrent_kernel"});
    const auto step = [&, cell = cell](const Tensors& in) {
      GradientTape tape;
      const RecurrentResult y =
          recurrent({.projected = matmul(in[0], kernel), .recurrent_kernel = recurrent_kernel, .mask = in[1]}, cell);
      const Tensor loss = sum(square(y.h)) + sum(square(y.final_h));
      Tensors results = tape.gradient(loss, std::vector<Variable>{kernel, recurrent_kernel});
      results.push_back(y.h);
      return results;
    };
    Tensor mask = Tensor::full({13, 4}, 1.0, bool_);
    mask.mutable_data<bool>()[5] = false;
    mask.mutable_data<bool>()[51] = false;
    const Tensors inputs = {random_tensor({13, 4, 7}, 3), mask};
    const graph::Executable executable(graph::trace(graph::batches_of(inputs), step));
    const std::vector<bool> phases = graph::phases_of(executable.plan());
    EXPECT_EQ(std::count(phases.begin(), phases.end(), true), 1);
    std::vector<std::string> calls;
    for (const graph::PlannedCall& call : executable.plan().phases[0].calls) calls.emplace_back(call.op->name());
    EXPECT_EQ(std::count(calls.begin(), calls.end(), "Recurrent"), 1);
    EXPECT_EQ(std::count(calls.begin(), calls.end(), "RecurrentGrad"), 1);
    graph::expect_planned_as_eager(inputs, step, 1e-4);
  }
}

TEST(Recurrent, GatesTakeTheMemoryOfTheProjectedInputs) {
  const RecurrentOp op({.cell = RecurrentCell::lstm}, {});
  EXPECT_TRUE(op.may_overwrite(0, 3));
  EXPECT_FALSE(op.may_overwrite(0, 0));
  EXPECT_FALSE(op.may_overwrite(1, 3));
  const RecurrentGradOp gradient({.cell = RecurrentCell::lstm}, {}, true, false, false);
  EXPECT_TRUE(gradient.may_overwrite(0, 0));
  EXPECT_FALSE(gradient.may_overwrite(3, 0));
}

TEST(Recurrent, ChunksKeepTheSamplesThatShareTheWeights) {
  // 300 KB for each sample: a chunk that stays in the cache would have two.
  const Variable recurrent_kernel(random_tensor({128, 512}, 2, -0.1, 0.1), {.name = "recurrent_kernel"});
  const auto step = [&](const Tensors& in) {
    return Tensors{sum(recurrent({.projected = in[0] * 2.0, .recurrent_kernel = recurrent_kernel}, {}).h)};
  };
  const graph::Plan plan = graph::make_plan(graph::trace({{{{96, 64, 512}, float32}, 0}}, step));
  EXPECT_GE(plan.chunk, 12);
}

// --- Errors

TEST(Recurrent, RefusesShapesThatDoNotFit) {
  const Setting setting;
  const auto message = [&](const std::function<void(RecurrentTensors&)>& change, const RecurrentAttributes& cell = {}) {
    RecurrentTensors tensors = tensors_of(setting, float32);
    change(tensors);
    return message_of<InvalidArgumentError>([&] { recurrent(tensors, cell); });
  };
  const auto zeros = [](const Shape& shape, DType dtype = float32) { return Tensor::zeros(shape, dtype); };
  EXPECT_EQ(message([&](RecurrentTensors& t) {
              t.recurrent_kernel = zeros({5, 15});
            }),
            "Expected a recurrent kernel of shape [5,20], but got [5,15] [Op:Recurrent]");
  EXPECT_EQ(message([&](RecurrentTensors& t) {
              t.projected = zeros({3, 4, 15});
            }),
            "Expected projected inputs of shape [3,4,20], but got [3,4,15] [Op:Recurrent]");
  EXPECT_EQ(message([&](RecurrentTensors& t) {
              t.projected = zeros({3, 20});
            }),
            "Expected projected inputs of rank 3, but got [3,20] [Op:Recurrent]");
  EXPECT_EQ(message([&](RecurrentTensors& t) {
              t.initial_h = zeros({2, 5});
            }),
            "Expected an initial state h of shape [3,5], but got [2,5] [Op:Recurrent]");
  EXPECT_EQ(message([&](RecurrentTensors& t) {
              t.mask = zeros({3, 5}, bool_);
            }),
            "Expected a mask of shape [3,4], but got [3,5] [Op:Recurrent]");
  EXPECT_EQ(message([&](RecurrentTensors& t) { t.recurrent_bias = zeros({20}); }),
            "Only the lstm has a state c, only the gru with reset_after a recurrent bias [Op:Recurrent]");
  EXPECT_NE(message([&](RecurrentTensors& t) {
              t.mask = zeros({3, 4});
            }).find("was expected to be a bool"),
            std::string::npos);
  EXPECT_NE(message([&](RecurrentTensors& t) {
              t.initial_h = zeros({3, 5}, float64);
            }).find("double"),
            std::string::npos);
}

TEST(Recurrent, KnowsTheNamesOfItsActivations) {
  EXPECT_EQ(recurrent_activation_of("tanh"), Activation::tanh);
  EXPECT_EQ(recurrent_activation_of("hard_sigmoid"), Activation::hard_sigmoid);
  EXPECT_EQ(recurrent_activation_of("gelu"), std::nullopt);
}

}  // namespace
}  // namespace rhyton::recurrent_tests
