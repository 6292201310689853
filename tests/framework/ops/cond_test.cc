#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rhyton/framework/distribute/replica_group.h>
#include <rhyton/framework/ops/collectives.h>
#include <rhyton/framework/ops/control_flow.h>
#include <rhyton/framework/ops/custom_gradient.h>
#include <rhyton/framework/ops/listeners.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/ops/random.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/tensor/variable.h>
#include <rhyton/tests/framework/ops/eager_and_compiled.h>
#include <rhyton/tests/support/message_of.h>
#include <rhyton/tests/support/random_tensor.h>
#include <rhyton/tests/support/thread_count.h>

namespace rhyton {
namespace {

using Tensors = std::vector<Tensor>;
using Branch = std::function<Tensor(const Tensors&)>;
using test::compiled;
using test::expect_compiled_equals_eager;
using test::expect_right_gradients;
using test::random_tensor;
using test::with_gradients;

Tensor yes() { return Tensor::scalar(true); }
Tensor no() { return Tensor::scalar(false); }

/// x · w if the predicate holds, else sin(x), with a tensor of the surrounding code in each branch.
Tensors product_or_sine(const Tensors& in) {
  const Tensor scaled = in[1] * 2.0;
  return {cond(
      in[0], [&] { return scaled * in[2]; }, [&] { return sin(scaled) + in[2]; })};
}

TEST(Cond, CallsOneFunctionWhereThePredicateIsKnown) {
  int calls = 0;
  const auto one = [&] {
    ++calls;
    return Tensor::scalar(1.0f);
  };
  const auto two = [&] { return Tensor::scalar(2.0f); };
  EXPECT_EQ(cond(true, one, two).item(), 1.0);
  EXPECT_EQ(cond(false, one, two).item(), 2.0);
  EXPECT_EQ(cond(yes(), one, two).item(), 1.0);
  EXPECT_EQ(cond(no(), one, two).item(), 2.0);
  EXPECT_EQ(calls, 2);
}

// keras.ops.cond(ops.array(2), ...), ops.array(0.5), ops.array([True])
TEST(Cond, TakesOneElementOfAnyDtypeAndRank) {
  for (const Tensor& pred : {Tensor::scalar(std::int32_t{2}), Tensor::scalar(0.5f),
                             Tensor::from_data<bool>(Shape({1}), std::array<bool, 1>{true})}) {
    const graph::Function f = [](const Tensors& in) {
      return Tensors{cond(
          in[0], [] { return Tensor::scalar(1.0f); }, [] { return Tensor::scalar(2.0f); })};
    };
    EXPECT_EQ(f({pred}).front().item(), 1.0);
    EXPECT_EQ(compiled(f, {pred}).front().item(), 1.0);
  }
}

TEST(Cond, RefusesSeveralElementsAndNone) {
  const graph::Function f = [](const Tensors& in) {
    return Tensors{cond(
        in[0] > 0.0, [&] { return in[0]; }, [&] { return -in[0]; })};
  };
  const std::string expected =
      "The truth value of an array with more than one element is ambiguous. Use any(a) or all(a)";
  const Tensor x = random_tensor({2}, 1);
  EXPECT_EQ(test::message_of<ValueError>([&] { f({x}); }), expected);
  EXPECT_EQ(test::message_of<ValueError>([&] { compiled(f, {x}); }), expected);
  const std::string of_none =
      "The truth value of an empty array is ambiguous. Use `a.size() > 0` to check that an array is not empty.";
  const Tensor none = Tensor::zeros(Shape({0}));
  EXPECT_EQ(test::message_of<ValueError>([&] { f({none}); }), of_none);
  EXPECT_EQ(test::message_of<ValueError>([&] { compiled(f, {none}); }), of_none);
}

TEST(Cond, IsCompiledWithBothBranches) {
  for (const Tensor& pred : {yes(), no()}) {
    expect_compiled_equals_eager(product_or_sine, {pred, random_tensor({5, 3}, 1), random_tensor({3}, 2)});
    expect_right_gradients(product_or_sine, {pred, random_tensor({5, 3}, 1), random_tensor({3}, 2)});
  }
}

TEST(Cond, SelectsTheBranchInEachRun) {
  const Tensor x = random_tensor({4, 3}, 1);
  const Tensor w = random_tensor({3}, 2);
  graph::Executable executable(test::traced(with_gradients(product_or_sine), {yes(), x, w}));
  for (const bool pred : {true, false, false, true, false}) {
    const Tensors inputs{Tensor::scalar(pred), x, w};
    const Tensors expected = with_gradients(product_or_sine)(inputs);
    const Tensors actual = executable(inputs);
    for (std::size_t i = 0; i < expected.size(); ++i) test::expect_close_to_largest(actual[i], expected[i], 1e-6);
  }
}

TEST(Cond, ReturnsListsAndTensorsAsTheyAre) {
  const graph::Function f = [](const Tensors& in) {
    const std::function<Tensors()> as_they_are = [&] { return Tensors{in[1], in[2], in[1]}; };
    const std::function<Tensors()> constants = [&] {
      return Tensors{in[2], Tensor::full(Shape({2}), 7.0), zeros_like(in[1])};
    };
    return cond(in[0], as_they_are, constants);
  };
  const Tensor a = random_tensor({2}, 1);
  const Tensor b = random_tensor({2}, 2);
  EXPECT_TRUE(test::same_bits(compiled(f, {yes(), a, b}), f({yes(), a, b})));
  EXPECT_TRUE(test::same_bits(compiled(f, {no(), a, b}), f({no(), a, b})));
  expect_compiled_equals_eager(f, {yes(), a, b});
  expect_compiled_equals_eager(f, {no(), a, b});
}

TEST(Cond, APredicateThatATraceKnowsSelectsAtOnce) {
  const graph::Graph graph = test::traced(
      [](const Tensors& in) {
        return Tensors{cond(
            yes(), [&] { return in[0]; }, [&] { return in[0] * 2.0; })};
      },
      {random_tensor({2}, 1)});
  EXPECT_TRUE(graph.nodes().empty());
}

// Keras's message for symbolic tensors.
TEST(Cond, RefusesBranchesWithDifferentResults) {
  const graph::Function f = [](const Tensors& in) {
    return Tensors{cond(
        in[0], [&] { return in[1]; }, [] { return Tensor::zeros(Shape({4})); })};
  };
  const Tensor x = Tensor::zeros(Shape({3}));
  EXPECT_EQ(test::message_of<ValueError>([&] {
              compiled(f, {yes(), x});
            }),
            "`true_fn` and `false_fn` should return outputs of the same kind (struct, dtype and shape). Got [<Tensor "
            "shape=(3,), dtype=float32>] and [<Tensor shape=(4,), dtype=float32>] instead.");
  EXPECT_EQ(f({yes(), x}).front().shape(), Shape({3}));
  EXPECT_EQ(f({no(), x}).front().shape(), Shape({4}));
}

TEST(Cond, Nests) {
  const graph::Function f = [](const Tensors& in) {
    const Tensor doubled = in[2] * 2.0;
    return Tensors{cond(
        in[0],
        [&] {
          const Tensor inner = doubled + 1.0;
          return cond(
              in[1], [&] { return inner * doubled * in[3]; }, [&] { return exp(inner) - in[2]; });
        },
        [&] {
          return cond(
              in[1], [&] { return tanh(doubled); }, [&] { return doubled * in[3]; });
        })};
  };
  for (const Tensor& outer : {yes(), no()}) {
    for (const Tensor& inner : {yes(), no()}) {
      expect_right_gradients(f, {outer, inner, random_tensor({2, 2}, 1), random_tensor({2}, 2)});
    }
  }
}

TEST(Cond, HasSecondDerivatives) {
  const graph::Function f = [](const Tensors& in) {
    GradientTape tape;
    tape.watch(in[1]);
    const Tensor y = sum(cond(
        in[0], [&] { return power(in[1], 3); }, [&] { return sin(in[1]) * in[2]; }));
    return Tensors{tape.gradient(y, in[1])};
  };
  for (const Tensor& pred : {yes(), no()}) {
    expect_right_gradients(f, {pred, random_tensor({3}, 1, 0.5, 1.0), random_tensor({3}, 2)});
  }
}

TEST(Cond, WhatNoBranchDependsOnHasNoGradient) {
  const graph::Function f = [](const Tensors& in) {
    GradientTape tape({.persistent = true});
    tape.watch(in[1]);
    tape.watch(in[2]);
    const Tensor y = cond(
        in[0], [&] { return in[1] * stop_gradient(in[2]); }, [&] { return in[1]; });
    EXPECT_TRUE(tape.gradient(y, in[2]).is_empty());
    return Tensors{tape.gradient(y, in[1])};
  };
  EXPECT_EQ(compiled(f, {yes(), Tensor::scalar(2.0f), Tensor::scalar(3.0f)}).front().item(), 3.0);
}

TEST(Cond, KeepsTheGradientThatAFunctionDefines) {
  // The gradient of x is not 1 but 10 and a tensor of the function.
  const auto strange = custom_gradient([](const Tensors& x) {
    const Tensor factor = square(x[0]);
    return WithGradient{{identity(x[0])},
                        [factor](const Tensors& upstream) { return Tensors{upstream[0] * 10.0 * factor}; }};
  });
  const graph::Function f = [&](const Tensors& in) {
    return Tensors{cond(
        in[0], [&] { return strange({in[1]}).front(); }, [&] { return in[1]; })};
  };
  const Tensor x = random_tensor({3}, 1);
  expect_compiled_equals_eager(f, {yes(), x});
  expect_compiled_equals_eager(f, {no(), x});
  EXPECT_FALSE(test::same_bits(compiled(with_gradients(f), {yes(), x})[1], compiled(with_gradients(f), {no(), x})[1]));
}

TEST(Cond, FollowsConstantsThatATapeWatches) {
  const graph::Function f = [](const Tensors& in) {
    Tensor constant = Tensor::scalar(3.0f);
    GradientTape tape;
    tape.watch(constant);
    const Tensor y = cond(
        in[0], [&] { return constant * constant; }, [&] { return constant; });
    return Tensors{tape.gradient(y, constant)};
  };
  EXPECT_EQ(compiled(f, {yes()}).front().item(), 6.0);
  EXPECT_EQ(compiled(f, {no()}).front().item(), 1.0);
}

TEST(Cond, ReadsAndAssignsVariables) {
  const Variable weight(Tensor::scalar(2.0f));
  const Variable count(Tensor::scalar(0.0f), {.trainable = false});
  const graph::Function f = [&](const Tensors& in) {
    weight.assign(weight.value() + 1.0);
    GradientTape tape;
    const Tensor y = cond(
        in[0],
        [&] {
          count.assign_add(Tensor::scalar(1.0f));
          return weight.value() * in[1] + count.value();
        },
        [&] {
          weight.assign(weight.value() * 10.0);
          return weight.value() * in[1];
        });
    return Tensors{y, count.value(), weight.value(), tape.gradient(y, weight)};
  };
  const auto results_from = [&](const auto& call) {
    weight.assign(Tensor::scalar(2.0f));
    count.assign(Tensor::scalar(0.0f));
    std::vector<double> numbers;
    for (const bool pred : {true, true, false}) {
      for (const Tensor& tensor : call({Tensor::scalar(pred), Tensor::scalar(5.0f)})) numbers.push_back(tensor.item());
    }
    numbers.push_back(weight.value().item());
    numbers.push_back(count.value().item());
    return numbers;
  };
  graph::Executable executable(test::traced(f, {yes(), Tensor::scalar(5.0f)}));
  const std::vector<double> planned = results_from([&](const Tensors& in) { return executable(in); });
  // y, count, weight and the gradient of three runs, and the variables after them. An assignment has no gradient.
  EXPECT_EQ(planned, (std::vector<double>{16, 1, 3, 5, 22, 2, 4, 5, 250, 2, 50, 5, 50, 2}));
}

TEST(Cond, DrawsTheNumbersOfTheSelectedBranch) {
  const Variable counter(Tensor::scalar(std::int64_t{0}), {.trainable = false});
  const graph::Function f = [&](const Tensors& in) {
    return Tensors{cond(
        in[0],
        [&] {
          const Tensor drawn = random_uniform({3}, 7, counter.value());
          counter.assign(counter.value() + 1);
          return drawn * in[1];
        },
        [&] { return in[1]; })};
  };
  const auto results_from = [&](const auto& call) {
    counter.assign(Tensor::scalar(std::int64_t{0}));
    Tensors all;
    for (const bool pred : {true, false, true}) {
      for (const Tensor& tensor : call({Tensor::scalar(pred), Tensor::full(Shape({3}), 2.0)})) all.push_back(tensor);
    }
    return all;
  };
  graph::Executable executable(test::traced(f, {yes(), Tensor::full(Shape({3}), 2.0)}));
  const Tensors planned = results_from([&](const Tensors& in) { return executable(in); });
  EXPECT_TRUE(test::same_bits(planned, results_from(f)));
  EXPECT_FALSE(test::same_bits(planned[0], planned[2]));
}

TEST(Cond, LetsNoTensorOutButItsResult) {
  const graph::Function f = [](const Tensors& in) {
    Tensor leaked;
    const Tensor y = cond(
        in[0],
        [&] {
          leaked = in[1] * 2.0;
          return leaked;
        },
        [&] { return in[1]; });
    return Tensors{y + leaked};
  };
  EXPECT_EQ(f({yes(), Tensor::scalar(3.0f)}).front().item(), 12.0);
  EXPECT_THROW(compiled(f, {yes(), Tensor::scalar(3.0f)}), RuntimeError);
}

TEST(Cond, RefusesSumsOverReplicas) {
  const std::shared_ptr<Communicator> alone = distribute::ReplicaGroup::make(1)->member(0);
  const graph::Function f = [&](const Tensors& in) {
    const auto add_up = [&] {
      return rhyton::apply(std::make_shared<const AllReduceOp>(alone), Tensors{in[1]}).front();
    };
    return Tensors{cond(in[0], add_up, [&] { return in[1]; })};
  };
  EXPECT_EQ(test::message_of<NotImplementedError>([&] {
              compiled(f, {yes(), Tensor::scalar(3.0f)});
            }),
            "Op AllReduce cannot be called within a branch or a loop of a compiled function: all replicas must call it "
            "equally often.");
}

TEST(Cond, MayReturnNothing) {
  const Variable calls(Tensor::scalar(0), {.trainable = false});
  const graph::Function f = [&](const Tensors& in) {
    const std::function<Tensors()> count = [&] {
      calls.assign_add(Tensor::scalar(1));
      return Tensors();
    };
    const std::function<Tensors()> nothing = [] { return Tensors(); };
    EXPECT_TRUE(cond(in[0], count, nothing).empty());
    EXPECT_TRUE(cond(in[0], nothing, nothing).empty());
    return Tensors{calls.value()};
  };
  graph::Executable executable(test::traced(f, {yes()}));
  EXPECT_EQ(executable({yes()}).front().item(), 1.0);
  EXPECT_EQ(executable({no()}).front().item(), 1.0);
  EXPECT_EQ(executable({yes()}).front().item(), 2.0);
}

TEST(Cond, InShapeInferenceHasTheShapesOfItsBranches) {
  ShapeInferenceScope scope;
  const Tensor pred = scope.placeholder({Shape(), DType::bool_});
  const Tensor x = scope.placeholder({Shape({5, 3}), DType::float32});
  EXPECT_EQ(cond(
                pred, [&] { return sum(x, {1}); }, [&] { return sum(x * 2.0, {1}); })
                .shape(),
            Shape({5}));
  EXPECT_EQ(
      while_loop([](const Tensor& y) { return sum(y) < 1.0; }, [](const Tensor& y) { return y * 2.0; }, x).shape(),
      Shape({5, 3}));
}

TEST(Cond, KeepsTheBatchSlicedAroundIt) {
  const graph::Function f = [](const Tensors& in) {
    const Tensor before = tanh(in[0] * 2.0);
    const Tensor y = cond(
        sum(in[0]) > 0.0, [&] { return before * in[0]; }, [&] { return before - in[0]; });
    return Tensors{tanh(y), sum(y)};
  };
  for (const double shift : {-1.0, 1.0}) {
    const Tensor x = random_tensor({37, 5}, 1) + shift;
    expect_compiled_equals_eager(f, {x}, test::Batch::first_axis, 1e-5);
  }
}

TEST(Cond, HasTheSameBitsForAnyNumberOfThreads) {
  const graph::Function f = with_gradients([](const Tensors& in) {
    return Tensors{cond(
        in[0], [&] { return matmul(tanh(in[1]), in[2]); }, [&] { return in[1] * 2.0; })};
  });
  const Tensors inputs{yes(), random_tensor({300, 200}, 1), random_tensor({200, 200}, 2)};
  Tensors one;
  {
    const test::ThreadCount threads(1);
    one = compiled(f, inputs);
  }
  const test::ThreadCount threads(2);
  EXPECT_TRUE(test::same_bits(compiled(f, inputs), one));
}

TEST(Cond, RunsInSeveralThreadsAtOnce) {
  graph::Executable executable(
      test::traced(product_or_sine, {yes(), random_tensor({40, 30}, 1), random_tensor({30}, 2)}));
  std::vector<std::thread> threads;
  std::vector<::testing::AssertionResult> results(4, ::testing::AssertionSuccess());
  for (std::size_t t = 0; t < results.size(); ++t) {
    threads.emplace_back([&, t] {
      graph::Executable::Lease lease = executable.lease();
      for (std::uint64_t run = 0; run < 50 && results[t]; ++run) {
        const Tensors inputs{Tensor::scalar((run + t) % 3 == 0), random_tensor({40, 30}, 10 * run + t),
                             random_tensor({30}, run)};
        const std::vector<const void*> elements{inputs[0].raw_data(), inputs[1].raw_data(), inputs[2].raw_data()};
        lease.run(elements);
        results[t] = test::same_bits(lease.outputs().front(), product_or_sine(inputs).front());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const ::testing::AssertionResult& result : results) EXPECT_TRUE(result);
}

// keras.ops.switch(5, [lambda x: x, lambda x: x * 2], 3.) is 6, of -5 it is 3, of 0.7 it is 3
TEST(Switch, LimitsTheIndexToTheBranches) {
  const std::vector<Branch> branches{[](const Tensors& x) { return x[0]; },
                                     [](const Tensors& x) { return x[0] * 2.0; }};
  const graph::Function f = [&](const Tensors& in) { return Tensors{switch_(in[0], branches, {in[1]})}; };
  const Tensor three = Tensor::scalar(3.0f);
  for (const auto& [index, expected] : {std::pair{5.0f, 6.0}, {-5.0f, 3.0}, {0.7f, 3.0}, {1.0f, 6.0}}) {
    EXPECT_EQ(f({Tensor::scalar(index), three}).front().item(), expected);
    EXPECT_EQ(compiled(f, {Tensor::scalar(index), three}).front().item(), expected);
    EXPECT_EQ(switch_(static_cast<std::int64_t>(index), branches, {three}).item(), expected);
  }
}

TEST(Switch, HasTheGradientOfItsBranch) {
  const std::vector<Branch> branches{[](const Tensors& x) { return x[0] * x[1]; },
                                     [](const Tensors& x) { return sin(x[1]); },
                                     [](const Tensors& x) { return x[0] + exp(x[0]); }};
  const graph::Function f = [&](const Tensors& in) { return Tensors{switch_(in[0], branches, {in[1], in[2]})}; };
  for (std::int32_t index = 0; index < 3; ++index) {
    expect_right_gradients(f, {Tensor::scalar(index), random_tensor({3}, 1), random_tensor({3}, 2)});
  }
}

TEST(Switch, TakesATensorAsOperandAndFromAround) {
  const graph::Function f = [](const Tensors& in) {
    const std::vector<Branch> branches{[&](const Tensors& x) { return x[0] * in[1] * x[1]; },
                                       [&](const Tensors& x) { return x[0] + in[1]; }};
    return Tensors{switch_(in[0], branches, {in[1], in[1]})};
  };
  for (std::int32_t index = 0; index < 2; ++index) {
    expect_right_gradients(f, {Tensor::scalar(index), random_tensor({3}, 1)});
  }
}

TEST(Switch, RefusesBadArguments) {
  EXPECT_EQ(test::message_of<ValueError>([] { switch_(0, std::vector<Branch>()); }),
            "Must provide at least one item in 'branch_fns'");
  const std::vector<Branch> different{[](const Tensors& x) { return x[0]; },
                                      [](const Tensors&) { return Tensor::scalar(1); }};
  EXPECT_THROW(switch_(Tensor::zeros(Shape({2})), different, {Tensor::scalar(1.0f)}), ValueError);
  const graph::Function f = [&](const Tensors& in) { return Tensors{switch_(in[0], different, {in[1]})}; };
  EXPECT_EQ(test::message_of<ValueError>([&] {
              compiled(f, {Tensor::scalar(0), Tensor::scalar(1.0f)});
            }),
            "`branches[1]` and `branches[0]` should return outputs of the same kind (struct, dtype and shape). Got "
            "[<Tensor shape=(), dtype=int32>] and [<Tensor shape=(), dtype=float32>] instead.");
}

}  // namespace
}  // namespace rhyton
