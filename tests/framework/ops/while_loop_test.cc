#include <cmath>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rhyton/framework/ops/control_flow.h>
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
using test::compiled;
using test::expect_compiled_equals_eager;
using test::expect_right_gradients;
using test::random_tensor;
using test::with_gradients;

Tensor number(std::int32_t value) { return Tensor::scalar(value); }

/// y = y · sin(y) + w, n times, with n a tensor.
Tensors iterate(const Tensors& in) {
  const Tensors results = while_loop([&](const Tensors& now) { return now[0] < in[0]; },
                                     [&](const Tensors& now) {
                                       return Tensors{now[0] + 1, now[1] * sin(now[1]) + in[2]};
                                     },
                                     Tensors{number(0), in[1]});
  return {results[1], results[0]};
}

// keras.ops.while_loop(lambda x, y: x < 10, lambda x, y: (x + 1, y + 1), (0, 1)) is (10, 11),
// with maximum_iterations=3 (3, 4), with 0 or -1 (0, 1).
TEST(WhileLoop, RepeatsWhileTheConditionHolds) {
  for (const auto& [limit, expected] : std::vector<std::pair<std::optional<std::int64_t>, std::vector<double>>>{
           {std::nullopt, {10, 11}}, {3, {3, 4}}, {0, {0, 1}}, {-1, {0, 1}}, {100, {10, 11}}}) {
    const graph::Function f = [limit = limit](const Tensors& in) {
      return while_loop([](const Tensors& now) { return now[0] < 10; },
                        [](const Tensors& now) {
                          return Tensors{now[0] + 1, now[1] + 1};
                        },
                        Tensors{in[0], in[1]}, limit);
    };
    for (const Tensors& results : {f({number(0), number(1)}), compiled(f, {number(0), number(1)})}) {
      EXPECT_EQ((std::vector<double>{results[0].item(), results[1].item()}), expected);
    }
  }
}

TEST(WhileLoop, TakesASingleTensor) {
  const graph::Function f = [](const Tensors& in) {
    return Tensors{while_loop([](const Tensor& x) { return x < 10; }, [](const Tensor& x) { return x + 1; }, in[0])};
  };
  EXPECT_EQ(f({number(0)}).front().item(), 10.0);
  EXPECT_EQ(compiled(f, {number(0)}).front().item(), 10.0);
}

// keras.ops.while_loop(lambda x: x - 3, lambda x: x + 1, ops.array(0)) is 3.
TEST(WhileLoop, TakesNumbersAsConditions) {
  const graph::Function f = [](const Tensors& in) {
    return Tensors{while_loop([](const Tensor& x) { return x - 3; }, [](const Tensor& x) { return x + 1; }, in[0])};
  };
  EXPECT_EQ(f({number(0)}).front().item(), 3.0);
  EXPECT_EQ(compiled(f, {number(0)}).front().item(), 3.0);
}

TEST(WhileLoop, HasTheGradientOfTheIterationsThatRan) {
  for (const std::int32_t iterations : {0, 1, 4}) {
    SCOPED_TRACE(iterations);
    const Tensors inputs{number(iterations), random_tensor({2, 3}, 1), random_tensor({3}, 2)};
    expect_compiled_equals_eager(iterate, inputs);
    expect_right_gradients(iterate, inputs);
  }
}

TEST(WhileLoop, HasTheGradientUpToTheMaximumOfIterations) {
  const graph::Function f = [](const Tensors& in) {
    return Tensors{while_loop([](const Tensor& x) { return sum(x) < 100.0; },
                              [&](const Tensor& x) { return x * in[1] + 1.0; }, in[0], 3)};
  };
  expect_right_gradients(f, {random_tensor({3}, 1), random_tensor({3}, 2)});
}

TEST(WhileLoop, RunsAsOftenAsEachRunNeeds) {
  const Tensor x = random_tensor({2, 3}, 1);
  const Tensor w = random_tensor({3}, 2);
  graph::Executable executable(test::traced(with_gradients(iterate), {number(0), x, w}));
  for (const std::int32_t iterations : {3, 0, 7, 1}) {
    const Tensors expected = with_gradients(iterate)({number(iterations), x, w});
    const Tensors actual = executable({number(iterations), x, w});
    for (std::size_t i = 0; i < expected.size(); ++i) test::expect_close_to_largest(actual[i], expected[i], 1e-5);
  }
}

TEST(WhileLoop, HasTheGradientOfAConditionalBody) {
  const graph::Function f = [](const Tensors& in) {
    const Tensors results =
        while_loop([](const Tensors& now) { return now[0] < 4; },
                   [&](const Tensors& now) {
                     const Tensor next = cond(
                         sum(now[1]) > 0.5, [&] { return now[1] * in[1]; }, [&] { return sin(now[1]) + in[1]; });
                     return Tensors{now[0] + 1, next};
                   },
                   Tensors{number(0), in[0]});
    return Tensors{results[1]};
  };
  expect_right_gradients(f, {random_tensor({3}, 1), random_tensor({3}, 2, 0.5, 1.0)});
}

TEST(WhileLoop, Nests) {
  // The inner loop runs as often as the number of the outer iteration.
  const graph::Function f = [](const Tensors& in) {
    const Tensors results = while_loop([&](const Tensors& now) { return now[0] < in[0]; },
                                       [&](const Tensors& now) {
                                         const Tensors inner =
                                             while_loop([&](const Tensors& own) { return own[0] < now[0]; },
                                                        [&](const Tensors& own) {
                                                          return Tensors{own[0] + 1, sin(own[1]) * in[2] + now[1]};
                                                        },
                                                        Tensors{number(0), now[1]});
                                         return Tensors{now[0] + 1, inner[1]};
                                       },
                                       Tensors{number(0), in[1]});
    return Tensors{results[1]};
  };
  expect_right_gradients(f, {number(3), random_tensor({2}, 1), random_tensor({2}, 2)});
}

TEST(WhileLoop, WithinABranch) {
  const graph::Function f = [](const Tensors& in) {
    return Tensors{cond(
        in[0] > 2, [&] { return iterate(in).front(); }, [&] { return in[1] * in[2]; })};
  };
  for (const std::int32_t iterations : {1, 4}) {
    expect_right_gradients(f, {number(iterations), random_tensor({2, 3}, 1), random_tensor({3}, 2)});
  }
}

TEST(WhileLoop, WhatItDoesNotUseHasNoGradient) {
  const graph::Function f = [](const Tensors& in) {
    GradientTape tape({.persistent = true});
    tape.watch(in[0]);
    tape.watch(in[1]);
    // in[1] decides only how often the body runs.
    const Tensor y =
        while_loop([&](const Tensor& x) { return x < in[1]; }, [](const Tensor& x) { return x * 2.0; }, in[0]);
    EXPECT_TRUE(tape.gradient(y, in[1]).is_empty());
    return Tensors{tape.gradient(y, in[0])};
  };
  EXPECT_EQ(compiled(f, {Tensor::scalar(1.0f), Tensor::scalar(10.0f)}).front().item(), 16.0);
}

TEST(WhileLoop, AssignsVariables) {
  const Variable total(Tensor::scalar(0.0f), {.trainable = false});
  const Variable counter(Tensor::scalar(std::int64_t{0}), {.trainable = false});
  const graph::Function f = [&](const Tensors& in) {
    total.assign_add(Tensor::scalar(100.0f));
    const Tensors results = while_loop([&](const Tensors& now) { return now[0] < in[0]; },
                                       [&](const Tensors& now) {
                                         const Tensor drawn = random_uniform({2}, 3, counter.value());
                                         counter.assign(counter.value() + 1);
                                         total.assign_add(sum(drawn) + now[1]);
                                         return Tensors{now[0] + 1, total.value()};
                                       },
                                       Tensors{number(0), in[1]});
    return Tensors{results[1], total.value(), counter.value() * 2};
  };
  const auto results_from = [&](const auto& call) {
    total.assign(Tensor::scalar(0.0f));
    counter.assign(Tensor::scalar(std::int64_t{0}));
    Tensors all;
    for (const std::int32_t iterations : {2, 0, 3}) {
      for (const Tensor& tensor : call({number(iterations), Tensor::scalar(1.0f)})) all.push_back(tensor.clone());
    }
    all.push_back(total.value());
    all.push_back(counter.value());
    return all;
  };
  graph::Executable executable(test::traced(f, {number(0), Tensor::scalar(1.0f)}));
  const Tensors planned = results_from([&](const Tensors& in) { return executable(in); });
  EXPECT_TRUE(test::same_bits(planned, results_from(f)));
  EXPECT_EQ(planned.back().item(), 5.0);
}

TEST(WhileLoop, RefusesAConditionThatAssigns) {
  const Variable counter(Tensor::scalar(0), {.trainable = false});
  const graph::Function f = [&](const Tensors& in) {
    return Tensors{while_loop(
        [&](const Tensor& x) {
          counter.assign_add(Tensor::scalar(1));
          return x < 3;
        },
        [](const Tensor& x) { return x + 1; }, in[0])};
  };
  EXPECT_EQ(f({number(0)}).front().item(), 3.0);
  EXPECT_EQ(counter.value().item(), 4.0);
  EXPECT_THAT(test::message_of<NotImplementedError>([&] { compiled(f, {number(0)}); }),
              ::testing::HasSubstr("only its body may assign variables"));
}

TEST(WhileLoop, RefusesTheGradientOfAVariableThatItAssigns) {
  const Variable counter(Tensor::scalar(0.0f), {.trainable = false, .path = "model/counter"});
  const Variable weight(Tensor::scalar(2.0f), {.path = "model/weight"});
  const graph::Function f = [&](const Tensors& in) {
    GradientTape tape;
    const Tensor y = while_loop([](const Tensor& x) { return x < 10.0; },
                                [&](const Tensor& x) {
                                  counter.assign_add(Tensor::scalar(1.0f));
                                  weight.assign(weight.value() + 1.0);
                                  return x * weight.value();
                                },
                                in[0]);
    return Tensors{tape.gradient(y, weight)};
  };
  EXPECT_EQ(test::message_of<NotImplementedError>([&] { compiled(f, {Tensor::scalar(1.0f)}); }),
            "The gradient of the variable \"model/weight\", which the body of a `while_loop` assigns, is not available "
            "in a compiled function.");
}

/// The derivative of iterate's gradient with respect to y and w.
graph::Function second_derivative(std::optional<std::int64_t> maximum_iterations) {
  return [maximum_iterations](const Tensors& in) {
    GradientTape tape;
    tape.watch(in[1]);
    const Tensors results = while_loop([&](const Tensors& now) { return now[0] < in[0]; },
                                       [&](const Tensors& now) {
                                         return Tensors{now[0] + 1, now[1] * sin(now[1]) * in[2]};
                                       },
                                       Tensors{number(0), in[1]}, maximum_iterations);
    return Tensors{tape.gradient(sum(results[1]), in[1])};
  };
}

TEST(WhileLoop, HasSecondDerivativesWithAMaximumOfIterations) {
  for (const std::int32_t iterations : {0, 2, 5}) {
    SCOPED_TRACE(iterations);
    expect_right_gradients(second_derivative(3), {number(iterations), random_tensor({3}, 1), random_tensor({3}, 2)});
  }
}

TEST(WhileLoop, RefusesSecondDerivativesInACompiledFunctionWithoutOne) {
  const graph::Function f = with_gradients(second_derivative(std::nullopt));
  const Tensors inputs{number(2), random_tensor({3}, 1), random_tensor({3}, 2)};
  EXPECT_EQ(f(inputs).size(), 3u);
  EXPECT_THAT(test::message_of<NotImplementedError>([&] { compiled(f, inputs); }),
              ::testing::HasSubstr("has second derivatives only with `maximum_iterations`"));
}

TEST(WhileLoop, RefusesBadLoops) {
  EXPECT_EQ(test::message_of<ValueError>([] {
              while_loop([](const Tensors&) { return number(0); }, [](const Tensors& now) { return now; }, Tensors());
            }),
            "'loop_vars' must be provided.");

  const graph::Function loses_one = [](const Tensors& in) {
    return while_loop([](const Tensors& now) { return now[0] < 10; },
                      [](const Tensors& now) { return Tensors{now[0]}; }, Tensors{in[0], in[0]});
  };
  const std::string lost =
      "The two structures don't have the same number of elements: `loop_vars` has 2 tensors, `body` "
      "of `while_loop` returned 1.";
  EXPECT_EQ(test::message_of<ValueError>([&] { loses_one({number(0)}); }), lost);
  EXPECT_EQ(test::message_of<ValueError>([&] { compiled(loses_one, {number(0)}); }), lost);

  // keras.ops.while_loop(lambda x: x < 10, lambda x: ops.cast(x, "float32") + 1, ops.array(0)) is 10. in TensorFlow's
  // eager mode, and this error in a tf.function.
  const graph::Function changes_dtype = [](const Tensors& in) {
    return Tensors{while_loop([](const Tensor& x) { return x < 10; },
                              [](const Tensor& x) { return cast(x, DType::float32) + 1; }, in[0])};
  };
  EXPECT_EQ(changes_dtype({number(0)}).front().dtype(), DType::float32);
  EXPECT_EQ(test::message_of<TypeError>([&] { compiled(changes_dtype, {number(0)}); }),
            "Loop var 0 enters the loop with type int32 but has type float32 after 1 iteration. Its type should remain "
            "constant.");

  const graph::Function grows = [](const Tensors& in) {
    return while_loop([](const Tensors& now) { return now[0] < 2; },
                      [](const Tensors& now) {
                        return Tensors{now[0] + 1, concatenate({now[1], now[1]})};
                      },
                      Tensors{in[0], in[1]});
  };
  const Tensors one{number(0), Tensor::zeros(Shape({1}))};
  EXPECT_EQ(grows(one)[1].shape(), Shape({4}));
  EXPECT_EQ(
      test::message_of<ValueError>([&] { compiled(grows, one); }),
      "Loop var 1 enters the loop with shape (1,), but has shape (2,) after one iteration. In a compiled function "
      "its shape must remain constant.");

  const graph::Function vector = [](const Tensors& in) {
    return Tensors{while_loop([](const Tensor& x) { return x < 10; }, [](const Tensor& x) { return x + 1; }, in[0])};
  };
  EXPECT_THROW(vector({Tensor::zeros(Shape({2}))}), ValueError);
  EXPECT_THROW(compiled(vector, {Tensor::zeros(Shape({2}))}), ValueError);
}

TEST(WhileLoop, HasTheSameBitsForAnyNumberOfThreads) {
  const graph::Function f = with_gradients([](const Tensors& in) {
    return Tensors{while_loop([](const Tensor& x) { return sum(abs(x)) > 1.0; },
                              [&](const Tensor& x) { return tanh(matmul(x, in[1])) * 0.5; }, in[0], 5)};
  });
  const Tensors inputs{random_tensor({300, 200}, 1), random_tensor({200, 200}, 2, -0.1, 0.1)};
  Tensors one;
  {
    const test::ThreadCount threads(1);
    one = compiled(f, inputs);
  }
  const test::ThreadCount threads(2);
  EXPECT_TRUE(test::same_bits(compiled(f, inputs), one));
}

TEST(WhileLoop, RunsInSeveralThreadsAtOnce) {
  const graph::Function f = with_gradients(iterate);
  graph::Executable executable(test::traced(f, {number(0), random_tensor({20, 3}, 1), random_tensor({3}, 2)}));
  std::vector<std::thread> threads;
  std::vector<::testing::AssertionResult> results(4, ::testing::AssertionSuccess());
  for (std::size_t t = 0; t < results.size(); ++t) {
    threads.emplace_back([&, t] {
      graph::Executable::Lease lease = executable.lease();
      for (std::uint64_t run = 0; run < 20 && results[t]; ++run) {
        const Tensors inputs{number(static_cast<std::int32_t>((run + t) % 5)), random_tensor({20, 3}, 10 * run + t),
                             random_tensor({3}, run)};
        const std::vector<const void*> elements{inputs[0].raw_data(), inputs[1].raw_data(), inputs[2].raw_data()};
        lease.run(elements);
        results[t] = test::same_bits(lease.outputs().front(), f(inputs).front());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const ::testing::AssertionResult& result : results) EXPECT_TRUE(result);
}

// keras.ops.fori_loop(0, 10, lambda i, s: s + i, 0) is 45, fori_loop(5, 2, ..., 7) is 7.
TEST(ForiLoop, CountsUpToTheLimit) {
  const auto sum_up = [](const Tensor& i, const Tensor& sum) { return sum + i; };
  EXPECT_EQ(fori_loop(0, 10, sum_up, number(0)).item(), 45.0);
  EXPECT_EQ(fori_loop(5, 2, sum_up, number(7)).item(), 7.0);
  EXPECT_EQ(fori_loop(-2, 1, sum_up, number(0)).item(), -3.0);
  EXPECT_EQ(fori_loop(number(0), number(10), sum_up, number(0)).item(), 45.0);
  EXPECT_EQ(fori_loop(number(5), number(2), sum_up, number(7)).item(), 7.0);
  EXPECT_EQ(fori_loop(3, number(5), sum_up, number(0)).item(), 7.0);
  const graph::Function f = [&](const Tensors& in) { return Tensors{fori_loop(in[0], in[1], sum_up, in[2])}; };
  EXPECT_EQ(compiled(f, {number(0), number(10), number(0)}).front().item(), 45.0);
  EXPECT_EQ(compiled(f, {number(5), number(2), number(7)}).front().item(), 7.0);
  EXPECT_THROW(fori_loop(Tensor::zeros(Shape({2})), number(2), sum_up, number(7)), ValueError);
  EXPECT_THROW(fori_loop(0, std::int64_t{1} << 40, sum_up, number(7)), ValueError);
}

TEST(ForiLoop, HasTheGradientOfAllIterations) {
  const auto step = [](const Tensor& i, const Tensors& now) {
    return Tensors{now[0] * sin(now[0]) + cast(i, now[0].dtype()), now[1] * now[0]};
  };
  const graph::Function with_numbers = [&](const Tensors& in) { return fori_loop(0, 3, step, Tensors{in[0], in[1]}); };
  expect_right_gradients(with_numbers, {random_tensor({3}, 1), random_tensor({3}, 2)});
  const graph::Function with_tensors = [&](const Tensors& in) {
    return fori_loop(in[0], in[1], step, Tensors{in[2], in[3]});
  };
  expect_right_gradients(with_tensors, {number(0), number(3), random_tensor({3}, 1), random_tensor({3}, 2)});
}

TEST(ForiLoop, WithNumbersIsSlicedWithTheBatch) {
  const graph::Function f = [](const Tensors& in) {
    return Tensors{fori_loop(
        0, 3, [](const Tensor&, const Tensor& x) { return tanh(x) * 2.0; }, in[0])};
  };
  const Tensor x = random_tensor({64, 100}, 1);
  graph::Executable executable(test::traced(f, {x}, test::Batch::first_axis));
  ASSERT_EQ(executable.plan().phases.size(), 1u);
  EXPECT_TRUE(executable.plan().phases.front().sliced);
  expect_compiled_equals_eager(f, {x}, test::Batch::first_axis, 1e-5);
}

}  // namespace
}  // namespace rhyton
