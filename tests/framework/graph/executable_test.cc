#include <rhyton/framework/graph/executable.h>

#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/context.h>
#include <rhyton/framework/graph/tracing.h>
#include <rhyton/framework/ops/conv.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/ops/pooling.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/ops/softmax.h>
#include <rhyton/tests/support/random_tensor.h>
#include <rhyton/tests/support/tensor_distance.h>

namespace rhyton::graph {
namespace {

using test::expect_close_to_largest;
using test::random_tensor;

// Runs `function` eagerly and as an Executable with several slicings, all with the check for expired memory.
void expect_planned_equals_eager(const std::vector<Tensor>& inputs, const Function& function) {
  const std::vector<Tensor> eager = function(inputs);
  std::vector<FunctionInput> specs;
  for (const Tensor& input : inputs) specs.push_back({input.spec(), 0});
  const Graph graph = trace(specs, function);
  for (const std::int64_t slices : {0, 1, 3, 16}) {
    for (const std::int64_t chunk : {0, 1, 2}) {
      for (const bool fuse : {false, true}) {
        SCOPED_TRACE("slices " + std::to_string(slices) + ", chunk " + std::to_string(chunk) + (fuse ? ", fused" : ""));
        Executable executable(graph, {.passes = fuse ? PassOptions() : PassOptions::without_fusion(),
                                      .plan = {.slices = slices, .samples_per_chunk = chunk, .check = true}});
        EXPECT_TRUE(is_valid(executable.plan().shared_intervals, executable.plan().shared_layout));
        for (int run = 0; run < 2; ++run) {
          const std::vector<Tensor> planned = executable(inputs);
          ASSERT_EQ(planned.size(), eager.size());
          for (std::size_t i = 0; i < planned.size(); ++i) expect_close_to_largest(planned[i], eager[i], 1e-5);
        }
      }
    }
  }
}

TEST(Executable, ElementwiseChain) {
  expect_planned_equals_eager({random_tensor({7, 5}, 1)}, [](const std::vector<Tensor>& in) {
    return std::vector<Tensor>{relu(in[0] * 2.0 + 1.0) - in[0]};
  });
}

TEST(Executable, SumsOverTheBatch) {
  expect_planned_equals_eager({random_tensor({13, 4}, 2)}, [](const std::vector<Tensor>& in) {
    return std::vector<Tensor>{sum(in[0], {0}), mean(square(in[0])), sum(in[0], {1})};
  });
}

TEST(Executable, WhatIsSummedFlowsBackIntoSlices) {
  expect_planned_equals_eager({random_tensor({9, 6}, 3)}, [](const std::vector<Tensor>& in) {
    const Moments m = moments(in[0], {0}, true);
    const Tensor normalized = (in[0] - m.mean) * rsqrt(m.variance + 1e-3);
    return std::vector<Tensor>{normalized, sum(normalized * in[0], {0})};
  });
}

TEST(Executable, OpsThatMixTheBatch) {
  expect_planned_equals_eager({random_tensor({6, 4}, 4)}, [](const std::vector<Tensor>& in) {
    const Tensor largest = max(in[0], {0}, true);
    const Tensor gram = matmul(in[0], in[0], false, true);
    return std::vector<Tensor>{in[0] - largest, matmul(gram, in[0]), transpose(in[0])};
  });
}

TEST(Executable, ReshapesAreViews) {
  expect_planned_equals_eager({random_tensor({5, 2, 3}, 5)}, [](const std::vector<Tensor>& in) {
    const Tensor flat = relu(in[0]).reshape({5, 6});
    return std::vector<Tensor>{flat * 2.0, flat.reshape({30}) + 1.0, in[0].reshape({5, 6})};
  });
}

TEST(Executable, AnOutputGivenTwiceAndAnInputAsOutput) {
  expect_planned_equals_eager({random_tensor({4, 3}, 6)}, [](const std::vector<Tensor>& in) {
    const Tensor y = in[0] + 1.0;
    return std::vector<Tensor>{y, y, in[0]};
  });
}

TEST(Executable, ConvolutionalNetworkForwardAndBackward) {
  const Variable kernel(random_tensor({3, 3, 2, 5}, 7), {.name = "kernel"});
  const Variable bias(random_tensor({5}, 8), {.name = "bias"});
  const Variable dense(random_tensor({45, 4}, 9), {.name = "dense"});
  expect_planned_equals_eager({random_tensor({10, 8, 8, 2}, 10)}, [&](const std::vector<Tensor>& in) {
    GradientTape tape;
    Tensor x = relu(conv2d(in[0], kernel) + bias);
    x = max_pool2d(x, {.pool_size = {2, 2}, .strides = {2, 2}});
    x = matmul(x.reshape({10, 45}), dense);
    const Tensor loss = mean(square(x));
    std::vector<Tensor> results = tape.gradient(loss, std::vector<Variable>{kernel, bias, dense});
    results.push_back(loss);
    return results;
  });
}

TEST(Executable, VariablesAreUpdatedInOrder) {
  const Variable a(Tensor::full({3}, 1.0), {.name = "a"});
  const Variable b(Tensor::full({3}, 10.0), {.name = "b"});
  const Graph graph = trace({}, [&](const std::vector<Tensor>&) {
    const Tensor old_a = a.value();
    a.assign(b.value());
    b.assign(old_a);
    a.assign_add(Tensor::full({3}, 0.5));
    return std::vector<Tensor>{old_a, a.value()};
  });
  Executable executable(graph, {.plan = {.check = true}});
  const std::vector<Tensor> first = executable({});
  EXPECT_EQ(first[0].to_vector(), std::vector<double>(3, 1.0));
  EXPECT_EQ(first[1].to_vector(), std::vector<double>(3, 10.5));
  EXPECT_EQ(a.stored_value().to_vector(), std::vector<double>(3, 10.5));
  EXPECT_EQ(b.stored_value().to_vector(), std::vector<double>(3, 1.0));
  executable({});
  EXPECT_EQ(a.stored_value().to_vector(), std::vector<double>(3, 1.5));
  EXPECT_EQ(b.stored_value().to_vector(), std::vector<double>(3, 10.5));
}

TEST(Executable, VariablesThatTradePlacesKeepTheirValues) {
  const Variable a(Tensor::full({2}, 1.0), {.name = "a"});
  const Variable b(Tensor::full({2}, 2.0), {.name = "b"});
  Executable swap(trace({}, [&](const std::vector<Tensor>&) {
    const Tensor old = a.value();
    a.assign(b.value());
    b.assign(old);
    return std::vector<Tensor>{};
  }));
  swap({});
  EXPECT_EQ(a.stored_value().to_vector(), std::vector<double>(2, 2.0));
  EXPECT_EQ(b.stored_value().to_vector(), std::vector<double>(2, 1.0));
}

TEST(Executable, ATensorTakenFromAVariableKeepsItsValue) {
  const Variable v(Tensor::full({2}, 1.0), {.name = "v"});
  Executable add_one(trace({}, [&](const std::vector<Tensor>&) {
    v.assign_add(Tensor::full({2}, 1.0));
    return std::vector<Tensor>{};
  }));
  const Tensor before = v.value();
  add_one({});
  EXPECT_EQ(before.to_vector(), std::vector<double>(2, 1.0));
  EXPECT_EQ(v.value().to_vector(), std::vector<double>(2, 2.0));
}

TEST(Executable, TheSameBitsForAnyNumberOfThreads) {
  const Variable kernel(random_tensor({3, 3, 3, 7}, 11), {.name = "kernel"});
  const Tensor x = random_tensor({33, 12, 12, 3}, 12);
  const Graph graph = trace({{x.spec(), 0}}, [&](const std::vector<Tensor>& in) {
    GradientTape tape;
    const Tensor y = relu(conv2d(in[0], kernel));
    const Tensor loss = mean(square(y) + y);
    return std::vector<Tensor>{tape.gradient(loss, kernel), loss};
  });
  const int threads = config::num_threads();
  std::vector<std::vector<double>> results;
  for (const int count : {1, 2, 3, 5}) {
    config::set_num_threads(count);
    Executable executable(graph);
    results.push_back(executable({x})[0].to_vector());
  }
  config::set_num_threads(threads);
  for (const auto& result : results) EXPECT_EQ(result, results.front());
}

TEST(Executable, WrongInputsAreRefused) {
  Executable executable(trace({{{{4, 3}, float32}, 0}}, [](const std::vector<Tensor>& in) { return in; }));
  EXPECT_THROW(executable({Tensor::zeros({4, 2})}), ValueError);
  EXPECT_THROW(executable({}), ValueError);
}

TEST(Executable, AnErrorInAKernelReachesTheCallerAndLeavesVariables) {
  const Variable v(Tensor::full({}, 1.0), {.name = "v"});
  const Graph graph = trace({{{{4}, int64}, 0}, {{{4, 3}, float32}, 0}}, [&](const std::vector<Tensor>& in) {
    const Tensor loss = sum(sparse_softmax_cross_entropy_with_logits(in[0], in[1]));
    v.assign_add(loss);
    return std::vector<Tensor>{loss};
  });
  Executable executable(graph);
  const Tensor logits = Tensor::zeros({4, 3});
  EXPECT_THROW(executable({Tensor::from_data<std::int64_t>({4}, {0, 1, 2, 3}), logits}), InvalidArgumentError);
  EXPECT_EQ(v.stored_value().item(), 1.0);
  executable({Tensor::from_data<std::int64_t>({4}, {0, 1, 2, 2}), logits});
  EXPECT_NEAR(v.stored_value().item(), 1.0 + 4 * std::log(3.0), 1e-5);
}

TEST(Executable, DyingTemporariesAreOverwrittenInPlace) {
  const auto chain = [](const std::vector<Tensor>& in) {
    Tensor x = in[0];
    for (int i = 0; i < 10; ++i) x = tanh(x) * 1.1;
    return std::vector<Tensor>{x};
  };
  Executable executable(
      trace({{{{64, 1000}, float32}, 0}}, chain),
      {.passes = PassOptions::without({"fuse_elementwise"}), .plan = {.slices = 4, .samples_per_chunk = 1}});
  EXPECT_LE(executable.plan().worker_bytes, 2 * 1000 * sizeof(float) + 4096);
}

TEST(Executable, PackedWeightsAreKeptUntilTheirVariableIsAssigned) {
  // Neither is a multiple of the registers, so both are packed.
  const Variable kernel(random_tensor({3, 3, 2, 17}, 1), {.name = "kernel"});
  const Variable dense(random_tensor({17 * 4, 5}, 2), {.name = "dense"});
  const auto predict = [&](const std::vector<Tensor>& in) {
    return std::vector<Tensor>{matmul(relu(conv2d(in[0], kernel)).reshape({8, 17 * 4}), dense)};
  };
  Executable executable(trace({{{{8, 4, 4, 2}, float32}, 0}}, predict), {.plan = {.check = true}});
  std::size_t kept = 0;
  for (const PlannedPhase& phase : executable.plan().phases) {
    for (const PlannedCall& call : phase.calls) kept += call.packed_from.size();
  }
  EXPECT_EQ(kept, 2U);
  const Tensor x = random_tensor({8, 4, 4, 2}, 3);
  expect_close_to_largest(executable({x})[0], predict({x})[0], 1e-5);
  expect_close_to_largest(executable({x})[0], predict({x})[0], 1e-5);
  kernel.assign(random_tensor({3, 3, 2, 17}, 4));
  expect_close_to_largest(executable({x})[0], predict({x})[0], 1e-5);
  // With another plan, in place.
  Executable training(trace({}, [&](const std::vector<Tensor>&) {
    dense.assign_sub(dense * 0.5);
    return std::vector<Tensor>{};
  }));
  training({});
  expect_close_to_largest(executable({x})[0], predict({x})[0], 1e-5);
}

TEST(Executable, PackedWeightsAreKeptBesideVectorsThatAreComputed) {
  const Variable kernel(random_tensor({3, 3, 2, 17}, 1), {.name = "kernel"});
  const Variable variance(random_tensor({17}, 2, 0.5, 1.5), {.name = "variance"});
  const auto predict = [&](const std::vector<Tensor>& in) {
    const Tensor factor = rsqrt(variance.value());
    return std::vector<Tensor>{conv2d(in[0], kernel) * factor + factor * 2.0};
  };
  Executable executable(trace({{{{8, 4, 4, 2}, float32}, 0}}, predict), {.plan = {.check = true}});
  std::size_t kept = 0;
  for (const PlannedPhase& phase : executable.plan().phases) {
    for (const PlannedCall& call : phase.calls) kept += call.packed_from.size();
  }
  EXPECT_EQ(kept, 1U) << "the kernel";
  const Tensor x = random_tensor({8, 4, 4, 2}, 3);
  expect_close_to_largest(executable({x})[0], predict({x})[0], 1e-5);
  variance.assign(random_tensor({17}, 4, 0.5, 1.5));
  expect_close_to_largest(executable({x})[0], predict({x})[0], 1e-5);
  kernel.assign(random_tensor({3, 3, 2, 17}, 5));
  expect_close_to_largest(executable({x})[0], predict({x})[0], 1e-5);
}

/// How many calls use packed weights, and how many have them made.
std::pair<int, int> packings_of(const Plan& plan) {
  std::pair<int, int> count;
  for (const PlannedPhase& phase : plan.phases) {
    for (const PlannedCall& call : phase.calls) {
      count.first += call.packed ? 1 : 0;
      count.second += call.packs ? 1 : 0;
    }
  }
  return count;
}

TEST(Executable, CallsWithTheSameWeightsPackThemOnce) {
  const Variable first(random_tensor({5, 5}, 1), {.name = "first"});
  const Variable second(random_tensor({5, 5}, 2), {.name = "second"});
  // The transposed products have another layout than the others.
  const auto predict = [&](const std::vector<Tensor>& in) {
    Tensor x = in[0];
    for (int i = 0; i < 3; ++i) x = tanh(matmul(tanh(matmul(x, first)), second));
    for (int i = 0; i < 2; ++i) x = tanh(matmul(x, first, false, true));
    return std::vector<Tensor>{x};
  };
  const auto step = [&](const std::vector<Tensor>& in) {
    std::vector<Tensor> results = predict(in);
    first.assign_sub(first * 0.5);
    second.assign_sub(second * 0.5);
    return results;
  };
  const Tensor x = random_tensor({8, 5}, 3);
  const std::vector<FunctionInput> inputs = {{{{8, 5}, float32}, 0}};
  Executable predicting(trace(inputs, predict), {.plan = {.check = true}});
  EXPECT_EQ(packings_of(predicting.plan()), std::pair(8, 3)) << "kept from run to run";
  Executable stepping(trace(inputs, step), {.plan = {.check = true}});
  EXPECT_EQ(packings_of(stepping.plan()), std::pair(8, 3)) << "made in each run";
  for (int i = 0; i < 3; ++i) {
    const Tensor expected = predict({x})[0];
    expect_close_to_largest(predicting({x})[0], expected, 1e-5);
    expect_close_to_largest(stepping({x})[0], expected, 1e-5);
  }
}

TEST(Executable, ABatchThatIsPackedIsThatOfTheRun) {
  // With so few columns the second factor is packed.
  const Variable factor(random_tensor({5, 8}, 1), {.name = "factor"});
  const auto mix = [&](const std::vector<Tensor>& in) { return std::vector<Tensor>{matmul(factor, in[0])}; };
  Executable executable(trace({{{{8, 3}, float32}, 0}}, mix), {.plan = {.check = true}});
  for (const unsigned seed : {2U, 3U, 4U}) {
    const Tensor x = random_tensor({8, 3}, seed);
    expect_close_to_largest(executable({x})[0], mix({x})[0], 1e-5);
  }
}

TEST(Executable, WideSumsOverTheBatchTakeNoPartialSums) {
  const Graph graph = trace({{{{32, 300}, float32}, 0}, {{{32, 200}, float32}, 0}}, [](const std::vector<Tensor>& in) {
    return std::vector<Tensor>{matmul_kernel_gradient(in[0], in[1])};
  });
  Executable executable(graph);
  // 240 kB: 16 of them would be 3.8 MB.
  EXPECT_LT(executable.plan().shared_bytes, 1000000U);
  const Tensor a = random_tensor({32, 300}, 1);
  const Tensor b = random_tensor({32, 200}, 2);
  expect_close_to_largest(executable({a, b})[0], matmul(a, b, true), 1e-5);
}

}  // namespace
}  // namespace rhyton::graph
