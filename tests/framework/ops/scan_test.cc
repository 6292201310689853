#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rhyton/framework/ops/control_flow.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/ops/scan.h>
#include <rhyton/framework/ops/sequences.h>
#include <rhyton/framework/ops/shaping.h>
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

std::pair<Tensor, Tensor> running_sum(const Tensor& sum, const Tensor& x) { return {sum + x, sum + x}; }

Tensor zero() { return Tensor::scalar(0.0f); }
Tensor one_to_four() { return Tensor::from_data<float>(Shape({4}), {1.0f, 2.0f, 3.0f, 4.0f}); }

/// A simple recurrent cell over x [steps, batch, features].
Tensors recurrence(const Tensors& in) {
  const auto [last, all] = scan(
      [&](const Tensor& h, const Tensor& x) {
        const Tensor next = tanh(matmul(x, in[2]) + matmul(h, in[3]));
        return std::pair(next, next * 2.0);
      },
      in[1], in[0]);
  return {last, all};
}

Tensors recurrence_inputs(std::int64_t steps) {
  return {random_tensor({steps, 2, 3}, 1), random_tensor({2, 4}, 2), random_tensor({3, 4}, 3),
          random_tensor({4, 4}, 4)};
}

// keras.ops.scan(lambda c, x: (c + x, c + x), 0., [1., 2., 3., 4.]) is (10, [1, 3, 6, 10]), reversed (10, [10, 9, 7,
// 4]).
TEST(Scan, CarriesAValueThroughTheRows) {
  const auto [sum, sums] = scan(running_sum, zero(), one_to_four());
  EXPECT_EQ(sum.item(), 10.0);
  EXPECT_EQ(sums.to_vector(), (std::vector<double>{1, 3, 6, 10}));
  const auto [reverse_sum, reverse_sums] = scan(running_sum, zero(), one_to_four(), {.reverse = true});
  EXPECT_EQ(reverse_sum.item(), 10.0);
  EXPECT_EQ(reverse_sums.to_vector(), (std::vector<double>{10, 9, 7, 4}));
}

TEST(Scan, TakesAnyUnrollOfKeras) {
  for (const std::variant<bool, int>& unroll : {std::variant<bool, int>(true), {false}, {1}, {3}}) {
    EXPECT_EQ(scan(running_sum, zero(), one_to_four(), {.unroll = unroll}).first.item(), 10.0);
  }
  EXPECT_EQ(test::message_of<ValueError>([] { scan(running_sum, zero(), one_to_four(), {.unroll = -1}); }),
            "`unroll` must be an positive integer or boolean. Received: unroll=-1");
}

// def fibonaccis(carry, _): a, b = carry; return (b, a + b), None
// keras.ops.scan(fibonaccis, (0, 1), length=6)[0] is (8, 13), as in Keras's own test.
TEST(Scan, NeedsNoRowsAndNoOutputs) {
  const auto [carry, ys] = scan(
      [](const Tensors& now, const Tensors& x) {
        EXPECT_TRUE(x.empty());
        return std::pair(Tensors{now[1], now[0] + now[1]}, Tensors());
      },
      Tensors{Tensor::scalar(0), Tensor::scalar(1)}, Tensors(), {.length = 6});
  EXPECT_EQ(carry[0].item(), 8.0);
  EXPECT_EQ(carry[1].item(), 13.0);
  EXPECT_TRUE(ys.empty());
  const auto [last, none] = scan(
      [](const Tensor& now, const Tensor& x) {
        EXPECT_TRUE(x.is_empty());
        return std::pair(now * 2.0, Tensor());
      },
      Tensor::scalar(1.0f), Tensor(), {.length = 3});
  EXPECT_EQ(last.item(), 8.0);
  EXPECT_TRUE(none.is_empty());
}

TEST(Scan, OutputsMayHaveAnyShapeAndDtype) {
  const auto [sum, ys] = scan(
      [](const Tensor& now, const Tensor& x) {
        return std::pair(now + x, stack({x > 2.0, now > 2.0}));
      },
      zero(), one_to_four());
  EXPECT_EQ(ys.spec(), (TensorSpec{Shape({4, 2}), DType::bool_}));
  EXPECT_EQ(ys.to_vector(), (std::vector<double>{0, 0, 0, 0, 1, 1, 1, 1}));
}

// keras.ops.scan(..., 0., xs[:0]) is (0, [] of shape (0,)).
TEST(Scan, OfNoRowsIsTheFirstCarry) {
  const graph::Function f = [](const Tensors& in) {
    const auto [carry, ys] = scan(
        [](const Tensor& now, const Tensor& x) {
          return std::pair(now + sum(x), stack({x, x}));
        },
        in[0], in[1]);
    return Tensors{carry, ys};
  };
  const Tensors inputs{Tensor::scalar(5.0f), Tensor::zeros(Shape({0, 3}))};
  for (const Tensors& results : {f(inputs), compiled(f, inputs)}) {
    EXPECT_EQ(results[0].item(), 5.0);
    EXPECT_EQ(results[1].spec(), (TensorSpec{Shape({0, 2, 3}), DType::float32}));
  }
}

TEST(Scan, IsCompiledAndDifferentiated) {
  for (const std::int64_t steps : {1, 2, 5}) {
    SCOPED_TRACE(steps);
    expect_compiled_equals_eager(recurrence, recurrence_inputs(steps), test::Batch::none, 1e-5);
    expect_right_gradients(recurrence, recurrence_inputs(steps));
  }
}

TEST(Scan, InReverseIsCompiledAndDifferentiated) {
  const graph::Function f = [](const Tensors& in) {
    const auto [carry, ys] = scan(
        [&](const Tensors& now, const Tensors& x) {
          const Tensor next = sin(now[0] + x[0]) * x[1];
          return std::pair(Tensors{next}, Tensors{next * now[0], x[0]});
        },
        Tensors{in[0]}, Tensors{in[1], in[2]}, {.reverse = true});
    return Tensors{carry[0], ys[0], ys[1]};
  };
  expect_right_gradients(f, {random_tensor({2}, 1), random_tensor({4, 2}, 2), random_tensor({4, 2}, 3)});
}

TEST(Scan, NestsWithBranches) {
  const graph::Function f = [](const Tensors& in) {
    const auto [carry, ys] = scan(
        [&](const Tensor& now, const Tensor& row) {
          const auto [inner, unused] = scan(
              [&](const Tensor& own, const Tensor& x) {
                const Tensor next = cond(
                    sum(own) > 0.0, [&] { return own * x; }, [&] { return sin(own) + x; });
                return std::pair(next, Tensor());
              },
              now, row);
          return std::pair(inner, inner + now);
        },
        in[0], in[1]);
    return Tensors{carry, ys};
  };
  expect_right_gradients(f, {random_tensor({2}, 1), random_tensor({3, 2, 2}, 2)});
}

TEST(Scan, HasSecondDerivativesInACompiledFunction) {
  const graph::Function f = [](const Tensors& in) {
    GradientTape tape;
    tape.watch(in[0]);
    const auto [carry, ys] =
        scan([](const Tensor& now, const Tensor& x) { return std::pair(sin(now) * x, now); }, in[0], in[1]);
    return Tensors{tape.gradient(sum(carry * ys), in[0])};
  };
  expect_right_gradients(f, {random_tensor({2}, 1), random_tensor({3, 2}, 2)});
}

TEST(Scan, SlicesTheBatchOfTheCarry) {
  // The rows are weights: the batch is that of the carry.
  const graph::Function f = [](const Tensors& in) {
    const auto [last, all] = scan(
        [](const Tensor& h, const Tensor& w) {
          const Tensor next = tanh(matmul(h, w));
          return std::pair(next, Tensor());
        },
        in[0], in[1]);
    return Tensors{last};
  };
  const Tensor h = random_tensor({64, 20}, 1);
  const Tensor weights = random_tensor({3, 20, 20}, 2);
  const graph::Graph graph = graph::trace({{h.spec(), 0}, {weights.spec(), -1}}, test::with_gradients(f));
  graph::Executable executable(graph, {.plan = {.check = true}});
  const Tensors expected = test::with_gradients(f)({h, weights});
  const Tensors actual = executable({h, weights});
  for (std::size_t i = 0; i < expected.size(); ++i) test::expect_close_to_largest(actual[i], expected[i], 1e-5);
  std::size_t sliced = 0;
  for (const graph::PlannedPhase& phase : executable.plan().phases) sliced += phase.sliced ? 1 : 0;
  EXPECT_EQ(sliced, 1u);
}

TEST(Scan, HasTheSameBitsForAnyNumberOfThreads) {
  const Tensors inputs{random_tensor({5, 64, 30}, 1), random_tensor({64, 40}, 2), random_tensor({30, 40}, 3),
                       random_tensor({40, 40}, 4)};
  Tensors one;
  {
    const test::ThreadCount threads(1);
    one = compiled(test::with_gradients(recurrence), inputs);
  }
  const test::ThreadCount threads(2);
  EXPECT_TRUE(test::same_bits(compiled(test::with_gradients(recurrence), inputs), one));
}

TEST(Scan, RefusesBadArguments) {
  EXPECT_EQ(test::message_of<ValueError>([] { scan(running_sum, zero(), Tensor()); }),
            "Got no `xs` to scan over and `length` not provided.");
  // As JAX says; TensorFlow: "Cannot unstack 4 tensors into a TensorArray of static size 2".
  EXPECT_EQ(test::message_of<ValueError>([] { scan(running_sum, zero(), one_to_four(), {.length = 2}); }),
            "scan got `length` argument of 2 which disagrees with leading axis sizes 4.");
  EXPECT_EQ(test::message_of<ValueError>([] { scan(running_sum, zero(), Tensor(), {.length = -1}); }),
            "`length` must not be negative. Received: length=-1");
  int calls = 0;
  const auto fewer_and_fewer = [&](const Tensors& now, const Tensors& x) {
    return std::pair(now, ++calls == 1 ? Tensors{x[0], x[0]} : x);
  };
  EXPECT_EQ(test::message_of<ValueError>([&] { scan(fewer_and_fewer, Tensors{zero()}, Tensors{one_to_four()}); }),
            "`f` of scan returned 2 outputs in one step and 1 in another.");
  EXPECT_THROW(scan(running_sum, zero(), zero()), ValueError);
  const auto of_two = [](const Tensors& now, const Tensors& x) { return std::pair(now, x); };
  EXPECT_EQ(test::message_of<ValueError>([&] {
              scan(of_two, Tensors{zero()}, Tensors{one_to_four(), Tensor::zeros(Shape({3}))});
            }),
            "scan got values with different leading axis sizes: 4 and 3.");
  EXPECT_EQ(
      test::message_of<ValueError>([] {
        scan([](const Tensor& now, const Tensor& x) { return std::pair(stack({now, now}), x); }, zero(), one_to_four());
      }),
      "The carry that `f` of scan returns must have the shape and dtype of `init`: tensor 0 has shape (2,) and "
      "dtype float32, expected shape () and dtype float32.");
  EXPECT_THROW(scan([](const Tensor& now, const Tensor& x) { return std::pair(cast(now, DType::int32), x); }, zero(),
                    one_to_four()),
               ValueError);
  EXPECT_THROW(scan([](const Tensors&, const Tensors& x) { return std::pair(Tensors(), x); }, Tensors{zero()},
                    Tensors{one_to_four()}),
               ValueError);
}

// keras.ops.map(lambda x: x * 2, [1., 2., 3., 4.]) is [2, 4, 6, 8]; vectorized_map likewise.
TEST(Map, StacksTheResultsOfTheRows) {
  const auto twice = [](const Tensor& x) { return x * 2.0; };
  EXPECT_EQ(map(twice, one_to_four()).to_vector(), (std::vector<double>{2, 4, 6, 8}));
  EXPECT_EQ(vectorized_map(twice, one_to_four()).to_vector(), (std::vector<double>{2, 4, 6, 8}));
}

// keras.ops.vectorized_map(lambda x: ops.array(3.), xs) is [3, 3, 3, 3].
TEST(Map, TakesFunctionsThatIgnoreTheirArgument) {
  EXPECT_EQ(vectorized_map([](const Tensor&) { return Tensor::scalar(3.0f); }, one_to_four()).to_vector(),
            (std::vector<double>{3, 3, 3, 3}));
}

TEST(Map, IsCompiledAndDifferentiated) {
  const graph::Function f = [](const Tensors& in) {
    return map([&](const Tensors& x) { return Tensors{x[0] * x[1] + in[2], sum(sin(x[0]))}; }, Tensors{in[0], in[1]});
  };
  for (const std::int64_t rows : {1, 4}) {
    expect_right_gradients(f, {random_tensor({rows, 2}, 1), random_tensor({rows, 2}, 2), random_tensor({2}, 3)});
  }
}

// keras.ops.vectorized_map(lambda x: x * 2, xs[:0]) has shape (0,).
TEST(Map, OfNoRowsHasNoRows) {
  const auto outer = [](const Tensor& x) { return stack({x, x}); };
  EXPECT_EQ(vectorized_map(outer, Tensor::zeros(Shape({0, 3}))).shape(), Shape({0, 2, 3}));
  EXPECT_EQ(map(outer, Tensor::zeros(Shape({0, 3}))).shape(), Shape({0, 2, 3}));
}

TEST(Map, RefusesBadArguments) {
  const auto first = [](const Tensors& x) { return Tensors{x[0]}; };
  // TensorFlow's words.
  EXPECT_EQ(test::message_of<ValueError>([&] {
              map(first, Tensors{one_to_four(), Tensor::zeros(Shape({3}))});
            }),
            "Dimensions 4 and 3 are not compatible");
  EXPECT_EQ(test::message_of<InvalidArgumentError>([&] { map(first, Tensors{zero()}); }),
            "Attempting to slice scalar input.");
  EXPECT_THROW(map(first, Tensors()), ValueError);
}

Tensor difference(const Tensor& a, const Tensor& b) { return a - b; }

// ops.associative_scan(lambda a, b: a - b, ops.arange(1., 8.)): not associative, so that the order of the calls shows.
TEST(AssociativeScan, CombinesInTheOrderOfKeras) {
  const Tensor x = arange(1.0, 8.0);
  EXPECT_EQ(associative_scan(difference, x).to_vector(), (std::vector<double>{1, -1, -4, 0, -5, 1, -6}));
  EXPECT_EQ(associative_scan(difference, x, /*reverse=*/true).to_vector(),
            (std::vector<double>{-2, -1, -3, 0, -4, 1, 7}));
  // ops.associative_scan(lambda a, b: a - 2 * b, ops.reshape(ops.arange(1., 13.), (2, 6)), axis=-1, reverse=True)
  const Tensor matrix = reshape(arange(1.0, 13.0), Shape({2, 6}));
  const auto f = [](const Tensor& a, const Tensor& b) { return a - 2.0 * b; };
  EXPECT_EQ(associative_scan(f, matrix, /*reverse=*/true, -1).to_vector(),
            (std::vector<double>{0, -4, 0, -12, -4, 6, 18, -10, 6, -30, -10, 12}));
}

// A = ops.reshape(ops.arange(1., 21.), (5, 2, 2)) / 10; ops.associative_scan(ops.matmul, A), and reversed
TEST(AssociativeScan, OfMatrices) {
  const Tensor x = reshape(arange(1.0, 21.0), Shape({5, 2, 2})) / 10.0;
  const auto product = [](const Tensor& a, const Tensor& b) { return matmul(a, b); };
  const Tensor expected = Tensor::from_data<float>(
      Shape({5, 2, 2}),
      {0.1f,   0.2f,  0.3f,    0.4f,    0.19f,   0.22f,   0.43f,     0.5f,      0.413f,     0.454f,
       0.937f, 1.03f, 1.2179f, 1.3046f, 2.7631f, 2.9598f, 4.549170f, 4.801420f, 10.320890f, 10.893180f});
  test::expect_close_to_largest(associative_scan(product, x), expected, 1e-6);
  const Tensor reversed = Tensor::from_data<float>(
      Shape({5, 2, 2}),
      {5.825970f, 8.631820f, 6.490490f, 9.616380f, 12.9579f, 15.1006f, 14.4359f, 16.823f, 10.205f, 11.222f,
       11.369f,   12.502f,   4.91f,     5.26f,     5.47f,    5.86f,    1.7f,     1.8f,    1.9f,    2.0f});
  test::expect_close_to_largest(associative_scan(product, x, /*reverse=*/true), reversed, 1e-6);
}

TEST(AssociativeScan, OfEachLengthIsTheSumOfTheFirstElements) {
  const auto add_up = [](const Tensor& a, const Tensor& b) { return a + b; };
  for (std::int64_t length = 0; length < 18; ++length) {
    SCOPED_TRACE(length);
    const Tensor x = random_tensor({2, length, 3}, 1);
    for (const bool reverse : {false, true}) {
      const auto step = [](const Tensor& sum, const Tensor& row) { return std::pair(sum + row, sum + row); };
      const Tensor rows = transpose(x, {1, 0, 2});
      const Tensor expected =
          transpose(scan(step, Tensor::zeros(Shape({2, 3})), rows, {.reverse = reverse}).second, {1, 0, 2});
      test::expect_close_to_largest(associative_scan(add_up, x, reverse, 1), expected, 1e-6);
    }
  }
}

TEST(AssociativeScan, CallsTheFunctionRarely) {
  int calls = 0;
  associative_scan(
      [&](const Tensor& a, const Tensor& b) {
        ++calls;
        return a + b;
      },
      Tensor::zeros(Shape({1024})));
  EXPECT_LE(calls, 20);
}

TEST(AssociativeScan, OfListsIsCompiledAndDifferentiated) {
  // A linear recurrence h = a h + b, as in state space models.
  const graph::Function f = [](const Tensors& in) {
    return associative_scan(
        [](const Tensors& left, const Tensors& right) {
          return Tensors{left[0] * right[0], left[1] * right[0] + right[1]};
        },
        in, /*reverse=*/true, 1);
  };
  expect_right_gradients(f, {random_tensor({2, 5}, 1), random_tensor({2, 5}, 2)});
  expect_compiled_equals_eager(f, {random_tensor({64, 7}, 1), random_tensor({64, 7}, 2)}, test::Batch::first_axis,
                               1e-5);
}

TEST(AssociativeScan, RefusesBadArguments) {
  const auto sums = [](const Tensors& a, const Tensors& b) { return Tensors{a[0] + b[0], a[1] + b[1]}; };
  EXPECT_EQ(test::message_of<ValueError>([&] {
              associative_scan(sums, Tensors{one_to_four(), Tensor::zeros(Shape({3}))});
            }),
            "Array inputs to associative_scan must have the same first dimension. (saw: [(4,), (3,)])");
  EXPECT_THROW(associative_scan(difference, one_to_four(), false, 1), ValueError);
  EXPECT_THROW(associative_scan(sums, Tensors()), ValueError);
  EXPECT_THROW(associative_scan([](const Tensors& a, const Tensors&) { return Tensors{a[0]}; },
                                Tensors{one_to_four(), one_to_four()}),
               ValueError);
  EXPECT_THROW(associative_scan([](const Tensor& a, const Tensor& b) { return sum(a + b); }, one_to_four()),
               ValueError);
}

}  // namespace
}  // namespace rhyton
