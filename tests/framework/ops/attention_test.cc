#include <rhyton/framework/ops/attention.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/graph/executable.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/kernel_table.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/tests/framework/graph/planning.h>
#include <rhyton/tests/support/message_of.h>
#include <rhyton/tests/support/random_tensor.h>
#include <rhyton/tests/support/tensor_distance.h>
#include <rhyton/tests/support/thread_count.h>

namespace rhyton::attention_tests {
namespace {

using test::expect_close_to_largest;
using test::message_of;
using test::random_tensor;
using test::same_bits;
using Tensors = std::vector<Tensor>;

struct Setting {
  std::int64_t batch = 2;
  std::int64_t queries = 4;
  std::int64_t keys = 4;
  std::int64_t heads = 2;
  std::int64_t key_heads = 2;
  std::int64_t size = 8;
  std::int64_t value_size = 8;
};

AttentionTensors tensors_of(const Setting& s, DType dtype = DType::float32) {
  return {.query = random_tensor({s.batch, s.queries, s.heads, s.size}, 1, -1, 1, dtype),
          .key = random_tensor({s.batch, s.keys, s.key_heads, s.size}, 2, -1, 1, dtype),
          .value = random_tensor({s.batch, s.keys, s.key_heads, s.value_size}, 3, -1, 1, dtype)};
}

Tensor random_mask(const Shape& shape, double share_hidden) {
  return greater(random_tensor(shape, 4, 0, 1), share_hidden);
}

/// The result and the gradients of query, key and value.
Tensors with_gradients(const AttentionTensors& tensors, const AttentionAttributes& attributes, bool fused) {
  const Tensors inputs = {tensors.query, tensors.key, tensors.value};
  GradientTape tape;
  for (const Tensor& input : inputs) tape.watch(input);
  const Tensor output = fused ? attention(tensors, attributes) : composed_attention(tensors, attributes).output;
  const Tensor weights = cast(random_tensor(output.shape(), 5, -1, 1, DType::float64), output.dtype());
  Tensors results = {output};
  for (const Tensor& gradient : tape.gradient(sum(output * weights), inputs)) results.push_back(gradient);
  return results;
}

void expect_as_composed(const AttentionTensors& tensors, const AttentionAttributes& attributes) {
  const Tensors fused = with_gradients(tensors, attributes, true);
  const Tensors composed = with_gradients(tensors, attributes, false);
  const double tolerance = tensors.query.dtype() == DType::float64 ? 1e-12 : 2e-5;
  for (std::size_t i = 0; i < fused.size(); ++i) {
    SCOPED_TRACE(i == 0 ? "result" : "gradient " + std::to_string(i));
    // Gradients of a single key's scores are zero but for rounding.
    const std::vector<double> expected = composed[i].to_vector();
    const std::vector<double> actual = fused[i].to_vector();
    double largest = 1;
    for (const double value : expected) largest = std::max(largest, std::abs(value));
    ASSERT_EQ(fused[i].spec(), composed[i].spec());
    for (std::size_t k = 0; k < actual.size(); ++k) ASSERT_NEAR(actual[k], expected[k], tolerance * largest);
  }
}

// --- The fused form computes what the composed one does

TEST(Attention, IsTheComposedFormForAllLengths) {
  for (const std::int64_t queries : {1, 2, 63, 64, 65, 300}) {
    for (const std::int64_t keys : {1, 7, 64, 127, 129, 260}) {
      for (const bool is_causal : {false, true}) {
        SCOPED_TRACE(std::to_string(queries) + " queries, " + std::to_string(keys) + " keys, causal " +
                     std::to_string(static_cast<int>(is_causal)));
        expect_as_composed(tensors_of({.queries = queries, .keys = keys}), {.scale = 1.3, .is_causal = is_causal});
      }
    }
  }
}

TEST(Attention, IsTheComposedFormForAThousandPositions) {
  const Setting setting{.batch = 1, .queries = 1000, .keys = 1000, .heads = 1, .key_heads = 1};
  for (const DType dtype : {DType::float32, DType::float64}) {
    expect_as_composed(tensors_of(setting, dtype), {.scale = 0.4, .is_causal = true});
  }
}

TEST(Attention, IsTheComposedFormForAllSizesOfHeads) {
  for (const std::int64_t size : {1, 3, 16, 40, 64, 80, 136}) {
    for (const std::int64_t value_size : {1, 17, 64, 128}) {
      SCOPED_TRACE(std::to_string(size) + " and " + std::to_string(value_size));
      expect_as_composed(tensors_of({.queries = 30, .keys = 140, .size = size, .value_size = value_size}),
                         {.scale = 0.3});
    }
  }
}

TEST(Attention, HeadsThatShareAKey) {
  for (const auto& [heads, key_heads] : std::vector<std::pair<std::int64_t, std::int64_t>>{{6, 2}, {4, 1}, {3, 3}}) {
    SCOPED_TRACE(heads);
    const AttentionTensors tensors =
        tensors_of({.queries = 70, .keys = 150, .heads = heads, .key_heads = key_heads}, DType::float64);
    expect_as_composed(tensors, {.scale = 0.5, .is_causal = true});
    AttentionTensors repeated = tensors;
    repeated.key = repeat(tensors.key, heads / key_heads, 2);
    repeated.value = repeat(tensors.value, heads / key_heads, 2);
    expect_close_to_largest(attention(tensors, {}), attention(repeated, {}), 1e-13);
  }
}

TEST(Attention, MasksAndBiasesOfEveryShape) {
  const Setting setting{.queries = 50, .keys = 140, .heads = 4, .key_heads = 2};
  for (int axes = 0; axes < 16; ++axes) {
    SCOPED_TRACE(axes);
    const auto length = [&](int axis, std::int64_t whole) { return (axes >> axis & 1) == 0 ? 1 : whole; };
    const Shape shape = {length(0, 2), length(1, 4), length(2, 50), length(3, 140)};
    AttentionTensors tensors = tensors_of(setting, DType::float64);
    tensors.mask = random_mask(shape, 0.5);
    expect_as_composed(tensors, {.scale = 0.5, .is_causal = axes % 3 == 0});
    tensors.mask = Tensor();
    tensors.bias = random_tensor(shape, 6, -2, 2, DType::float64);
    expect_as_composed(tensors, {.scale = 0.5, .soft_cap = axes % 2 == 0 ? 0.7 : 0.0});
  }
}

TEST(Attention, ManyHiddenRows) {
  const Setting setting{.queries = 130, .keys = 200};
  for (const bool zero : {false, true}) {
    for (const double rate : {0.0, 0.3}) {
      for (const bool is_causal : {false, true}) {
        AttentionTensors tensors = tensors_of(setting, DType::float64);
        tensors.mask = logical_and(random_mask({2, 1, 130, 1}, 0.5), random_mask({2, 1, 1, 200}, 0.9));
        AttentionAttributes attributes{.scale = 0.5, .is_causal = is_causal, .zero_where_hidden = zero};
        if (rate > 0) {
          tensors.draw = Tensor::scalar(std::int64_t{11});
          attributes.dropout = {.rate = rate, .key = 7};
        }
        expect_as_composed(tensors, attributes);
      }
    }
  }
}

/// bool [1, 1, queries, keys] from whether a query may use a key.
template <class Visible>
Tensor mask_of(std::int64_t queries, std::int64_t keys, Visible&& is_visible) {
  std::vector<std::uint8_t> elements;
  for (std::int64_t query = 0; query < queries; ++query) {
    for (std::int64_t key = 0; key < keys; ++key) elements.push_back(is_visible(query, key) ? 1 : 0);
  }
  return cast(Tensor::from_data({1, 1, queries, keys}, elements), DType::bool_);
}

TEST(Attention, MasksThatHideManyKeysTogether) {
  constexpr std::int64_t keys = 420;
  using Visible = bool (*)(std::int64_t, std::int64_t);
  const std::vector<std::pair<std::string, Visible>> masks = {
      {"first keys", [](std::int64_t, std::int64_t key) { return key < 100; }},
      {"last keys", [](std::int64_t, std::int64_t key) { return key >= 300; }},
      {"first and last keys", [](std::int64_t, std::int64_t key) { return key == 0 || key == 419; }},
      {"near keys", [](std::int64_t query, std::int64_t key) { return std::abs(query - key) < 20; }},
      {"far keys", [](std::int64_t query, std::int64_t key) { return std::abs(query - key) > 300; }},
      {"one key each", [](std::int64_t query, std::int64_t key) { return key == query * 131 % 420; }},
      {"no key for some", [](std::int64_t query, std::int64_t key) { return query % 97 != 5 && key < 130; }},
  };
  for (const auto& [name, is_visible] : masks) {
    for (const std::int64_t queries : {1, 7, 130, 420}) {
      for (const bool has_dropout : {false, true}) {
        SCOPED_TRACE(name + ", " + std::to_string(queries) + " queries" + (has_dropout ? ", dropout" : ""));
        const Setting setting{.batch = 1, .queries = queries, .keys = keys, .heads = 2, .key_heads = 1};
        AttentionTensors tensors = tensors_of(setting, DType::float64);
        tensors.mask = mask_of(queries, keys, is_visible);
        AttentionAttributes attributes{.scale = 0.7, .is_causal = queries == 130};
        if (has_dropout) {
          tensors.draw = Tensor::scalar(std::int64_t{5});
          attributes.dropout = {.rate = 0.4, .key = 9};
        }
        expect_as_composed(tensors, attributes);
      }
    }
  }
}

// As users write masks: (1 - mask) * -1e9, also for whole rows.
TEST(Attention, BiasesOfAnySize) {
  constexpr float lowest = std::numeric_limits<float>::lowest();
  constexpr float infinity = std::numeric_limits<float>::infinity();
  for (const std::int64_t keys : {4, 100, 200}) {
    for (const float size : {-1e9F, lowest, -infinity, 1e6F, -1e4F}) {
      for (const bool is_causal : {false, true}) {
        SCOPED_TRACE(std::to_string(size) + ", " + std::to_string(keys) + " keys, causal " +
                     std::to_string(static_cast<int>(is_causal)));
        AttentionTensors tensors = tensors_of({.queries = 3, .keys = keys});
        tensors.bias = Tensor::full({2, 1, 1, keys}, size, DType::float32);
        expect_as_composed(tensors, {.is_causal = is_causal, .zero_where_hidden = keys == 4});
        // All but some keys, among them the one that the first query of a causal order may use.
        for (std::int64_t key = 1; key < keys; key += 2) tensors.bias.mutable_data<float>()[key] = 0;
        expect_as_composed(tensors, {.is_causal = is_causal});
      }
    }
  }
}

TEST(Attention, SumsOfHiddenRowsAreZeroInTheComposedFormToo) {
  AttentionTensors tensors = tensors_of({.queries = 3, .keys = 2});
  tensors.mask = mask_of(3, 2, [](std::int64_t query, std::int64_t) { return query != 1; });
  const Tensor sums = composed_attention(tensors, {}).sums;
  EXPECT_EQ(max(abs(slice_axis(sums, 2, 1, 2))).item(), 0);
  EXPECT_GT(min(abs(slice_axis(slice_axis(sums, 3, 1, 2), 2, 0, 1))).item(), 0);
}

TEST(Attention, EverythingIsDroppedWithARateOfOne) {
  AttentionTensors tensors = tensors_of({});
  tensors.draw = Tensor::scalar(std::int64_t{1});
  const AttentionAttributes attributes{.dropout = {.rate = 1}};
  expect_as_composed(tensors, attributes);
  EXPECT_EQ(max(abs(attention(tensors, attributes))).item(), 0);
}

TEST(Attention, OneTensorMayBeQueryKeyAndValue) {
  const Tensor x = random_tensor({2, 70, 2, 8}, 1, -1, 1, DType::float64);
  const auto gradient = [&](bool fused) {
    GradientTape tape;
    tape.watch(x);
    const AttentionTensors tensors{.query = x, .key = x, .value = x};
    const Tensor y = fused ? attention(tensors, {}) : composed_attention(tensors, {}).output;
    return tape.gradient(sum(y * y), Tensors{x})[0];
  };
  expect_close_to_largest(gradient(true), gradient(false), 1e-12);
}

TEST(Attention, AnEmptyResultNeedsNoMemory) {
  const Tensor query = Tensor::zeros({1, 0, 1, std::int64_t{1} << 40}, DType::float32);
  EXPECT_EQ(attention({.query = query, .key = query, .value = query}, {}).shape(), query.shape());
}

// --- Values that are known

TEST(Attention, OfEqualScoresIsTheMeanOfVisibleValues) {
  const Tensor query = Tensor::zeros({1, 3, 1, 2}, DType::float32);
  const Tensor key = random_tensor({1, 4, 1, 2}, 1);
  const Tensor value = Tensor::from_data({1, 4, 1, 1}, std::vector<float>{1, 3, 8, 20});
  const auto result = [&](const DotProductAttentionOptions& options) {
    return dot_product_attention(query, key, value, options).to_vector();
  };
  EXPECT_EQ(result({}), (std::vector<double>{8, 8, 8}));
  EXPECT_EQ(result({.is_causal = true}), (std::vector<double>{1, 2, 4}));
  const Tensor mask = Tensor::from_data({4}, std::vector<float>{0, 1, 0, 1});
  EXPECT_EQ(result({.mask = mask}), (std::vector<double>{11.5, 11.5, 11.5}));
  // The first query may use no key: the mean of all.
  EXPECT_EQ(result({.mask = mask, .is_causal = true}), (std::vector<double>{8, 3, 3}));
}

TEST(Attention, AQueryWithoutKeysGetsZerosWhereThatIsSet) {
  AttentionTensors tensors = tensors_of({});
  tensors.mask = Tensor::zeros({2, 1, 4, 4}, DType::bool_);
  const Tensor output = attention(tensors, {.zero_where_hidden = true});
  EXPECT_TRUE(same_bits(output, Tensor::zeros(output.shape(), DType::float32)));
}

TEST(Attention, NanStaysNan) {
  for (const std::int64_t keys : {4, 200}) {
    AttentionTensors tensors = tensors_of({.batch = 1, .queries = 2, .keys = keys, .heads = 1, .key_heads = 1});
    tensors.query.mutable_data<float>()[0] = std::numeric_limits<float>::quiet_NaN();
    const std::vector<double> values = attention(tensors, {}).to_vector();
    EXPECT_TRUE(std::all_of(values.begin(), values.begin() + 8, [](double x) { return std::isnan(x); }));
    EXPECT_TRUE(std::none_of(values.begin() + 8, values.end(), [](double x) { return std::isnan(x); }));
  }
}

TEST(Attention, LargeScoresDoNotOverflow) {
  AttentionTensors tensors = tensors_of({.queries = 20, .keys = 300});
  tensors.query = tensors.query * 1e4;
  for (const Tensor& tensor : with_gradients(tensors, {}, true)) {
    for (const double value : tensor.to_vector()) ASSERT_TRUE(std::isfinite(value));
  }
}

// --- Dtypes, precision, options

TEST(Attention, HalfTypesAreComputedInFloat32) {
  for (const DType dtype : {DType::float16, DType::bfloat16}) {
    const AttentionTensors tensors = tensors_of({.queries = 40, .keys = 200});
    AttentionTensors rounded = tensors;
    AttentionTensors exact = tensors;
    for (Tensor AttentionTensors::*tensor :
         {&AttentionTensors::query, &AttentionTensors::key, &AttentionTensors::value}) {
      rounded.*tensor = cast(tensors.*tensor, dtype);
      exact.*tensor = cast(rounded.*tensor, DType::float32);
    }
    EXPECT_TRUE(same_bits(attention(rounded, {}), cast(attention(exact, {}), dtype)));
    const double tolerance = dtype == DType::float16 ? 2e-3 : 2e-2;
    const Tensors of_half = with_gradients(rounded, {}, true);
    const Tensors expected = with_gradients(exact, {}, true);
    for (std::size_t i = 0; i < of_half.size(); ++i) {
      EXPECT_EQ(of_half[i].dtype(), dtype);
      expect_close_to_largest(cast(of_half[i], DType::float32), expected[i], tolerance);
    }
  }
}

TEST(Attention, DtypesAreConvertedToOne) {
  const AttentionTensors tensors = tensors_of({});
  const Tensor mixed = dot_product_attention(cast(tensors.query, DType::bfloat16), tensors.key, tensors.value);
  EXPECT_EQ(mixed.dtype(), DType::float32);
  const Tensor integers = cast(tensors.key * 5.0, DType::int32);
  EXPECT_EQ(dot_product_attention(integers, integers, integers).dtype(), DType::float32);
}

TEST(Attention, TheScaleIsThatOfTheHeadUnlessItIsGiven) {
  const AttentionTensors tensors = tensors_of({.size = 16});
  const Tensor expected = attention(tensors, {.scale = 0.25});
  EXPECT_TRUE(same_bits(dot_product_attention(tensors.query, tensors.key, tensors.value), expected));
  EXPECT_TRUE(
      same_bits(dot_product_attention(tensors.query * 0.5, tensors.key, tensors.value, {.scale = 0.5}), expected));
}

// --- Slices, threads, memory

TEST(Attention, BitsDoNotDependOnThreads) {
  AttentionTensors tensors = tensors_of({.batch = 3, .queries = 150, .keys = 150, .size = 24});
  tensors.draw = Tensor::scalar(std::int64_t{1});
  const AttentionAttributes attributes{.is_causal = true, .dropout = {.rate = 0.1}};
  Tensors of_one;
  {
    const test::ThreadCount one(1);
    of_one = with_gradients(tensors, attributes, true);
  }
  const test::ThreadCount two(2);
  EXPECT_TRUE(same_bits(of_one, with_gradients(tensors, attributes, true)));
}

TEST(Attention, DropoutOfASliceIsThatOfTheWhole) {
  const Setting setting{.batch = 4, .queries = 10, .keys = 20};
  AttentionTensors tensors = tensors_of(setting);
  tensors.draw = Tensor::scalar(std::int64_t{1});
  const Tensor whole = attention(tensors, {.dropout = {.rate = 0.5, .key = 3}});
  AttentionTensors part = tensors;
  for (Tensor AttentionTensors::*tensor :
       {&AttentionTensors::query, &AttentionTensors::key, &AttentionTensors::value}) {
    part.*tensor = slice_axis(tensors.*tensor, 0, 1, 3);
  }
  const Tensor of_part = attention(part, {.dropout = {.rate = 0.5, .key = 3, .first_sample = 1}});
  EXPECT_TRUE(same_bits(of_part, slice_axis(whole, 0, 1, 3)));
}

TEST(Attention, DropoutKeepsTheExpectation) {
  AttentionTensors tensors = tensors_of({.batch = 1, .queries = 400, .keys = 400, .heads = 1, .key_heads = 1});
  tensors.value = Tensor::full({1, 400, 1, 8}, 1.0, DType::float32);
  tensors.draw = Tensor::scalar(std::int64_t{1});
  const Tensor output = attention(tensors, {.dropout = {.rate = 0.5, .key = 3}});
  EXPECT_NEAR(mean(output).item(), 1.0, 0.01);
  EXPECT_GT(max(output).item(), 1.05);
}

TEST(Attention, ForwardAndBackwardAreOneSlicedPhase) {
  const Variable kernel(random_tensor({8, 8}, 9), {.name = "kernel"});
  const auto step = [&](const Tensors& in) {
    GradientTape tape;
    const Tensor x = reshape(matmul(in[0], kernel), {in[0].shape()[0], 6, 2, 4});
    const Tensor y = attention({.query = x, .key = x, .value = x, .mask = in[1]}, {.scale = 0.5});
    Tensors results = tape.gradient(sum(square(y)), std::vector<Variable>{kernel});
    results.push_back(y);
    return results;
  };
  const Tensors inputs = {random_tensor({13, 6, 8}, 3), random_mask({13, 1, 1, 6}, 0.3)};
  const graph::Executable executable(graph::trace(graph::batches_of(inputs), step));
  const std::vector<bool> phases = graph::phases_of(executable.plan());
  EXPECT_EQ(std::count(phases.begin(), phases.end(), true), 1);
  std::vector<std::string> calls;
  for (const graph::PlannedCall& call : executable.plan().phases[0].calls) calls.emplace_back(call.op->name());
  EXPECT_EQ(std::count(calls.begin(), calls.end(), "Attention"), 1);
  EXPECT_EQ(std::count(calls.begin(), calls.end(), "AttentionGrad"), 1);
  graph::expect_planned_as_eager(inputs, step, 1e-4);
}

TEST(Attention, DropoutOfAPlanIsThatOfTheWhole) {
  const auto step = [](const Tensors& in) {
    const Tensor x = in[0] * 2.0;
    return Tensors{attention({.query = x, .key = x, .value = x, .draw = Tensor::scalar(std::int64_t{4})},
                             {.dropout = {.rate = 0.5, .key = 3}})};
  };
  graph::expect_planned_as_eager({random_tensor({13, 6, 2, 4}, 3)}, step, 1e-5);
}

TEST(Attention, MemoryIsLinearInTheLength) {
  const auto bytes = [](std::int64_t length) {
    const Shape shape = {1, length, 8, 64};
    const TensorSpec x{shape, DType::float32};
    const std::vector<TensorSpec> inputs = {x, x, x};
    const AttentionOp op({}, {});
    const std::vector<TensorSpec> outputs = op.infer(inputs);
    std::size_t all = cpu_kernels().get(op, inputs).workspace_bytes(op, inputs, outputs);
    const AttentionGradOp gradient({}, {});
    const std::vector<TensorSpec> operands = {x, x, x, outputs[0], outputs[1], x};
    all += cpu_kernels().get(gradient, operands).workspace_bytes(gradient, operands, gradient.infer(operands));
    for (const TensorSpec& output : outputs) all += output.bytes();
    return all;
  };
  EXPECT_LT(bytes(4096), 2.1 * static_cast<double>(bytes(2048)));
  EXPECT_LT(bytes(2048), 2048U * 2048U * sizeof(float));
}

// --- Errors

TEST(Attention, RefusesTensorsThatDoNotFit) {
  const auto message = [](const std::function<void(AttentionTensors&)>& change) {
    AttentionTensors tensors = tensors_of({});
    change(tensors);
    return message_of<InvalidArgumentError>([&] { attention(tensors, {}); });
  };
  const auto zeros = [](const Shape& shape, DType dtype = DType::float32) { return Tensor::zeros(shape, dtype); };
  EXPECT_EQ(message([&](AttentionTensors& t) {
              t.key = zeros({2, 4, 2, 7});
            }),
            "Incompatible shapes of query, key and value: [2,4,2,8], [2,4,2,7] and [2,4,2,8] [Op:Attention]");
  EXPECT_EQ(message([&](AttentionTensors& t) {
              t.value = zeros({2, 5, 2, 8});
            }),
            "Incompatible shapes of query, key and value: [2,4,2,8], [2,4,2,8] and [2,5,2,8] [Op:Attention]");
  EXPECT_EQ(message([&](AttentionTensors& t) {
              t.key = zeros({2, 4, 3, 8});
              t.value = zeros({2, 4, 3, 8});
            }),
            "The number of heads of the key must divide that of the query, but got [2,4,3,8] and [2,4,2,8] "
            "[Op:Attention]");
  EXPECT_EQ(message([&](AttentionTensors& t) {
              t.query = zeros({2, 4, 16});
            }),
            "Expected query, key and value of rank 4, but got [2,4,16], [2,4,2,8] and [2,4,2,8] [Op:Attention]");
  EXPECT_EQ(message([&](AttentionTensors& t) {
              t.mask = zeros({2, 1, 3, 4}, DType::bool_);
            }),
            "A mask of shape [2,1,3,4] does not broadcast to [batch, heads, queries, keys] = [2,2,4,4] "
            "[Op:Attention]");
  EXPECT_EQ(message([&](AttentionTensors& t) {
              t.bias = zeros({2, 4, 4});
            }),
            "A bias of shape [2,4,4] does not broadcast to [batch, heads, queries, keys] = [2,2,4,4] [Op:Attention]");
  EXPECT_EQ(message_of<ValueError>([&] {
              dot_product_attention(zeros({2, 4, 8}), zeros({2, 4, 8}), zeros({2, 4, 8}));
            }),
            "`dot_product_attention` only supports 4D inputs. Received: query.shape=(2, 4, 8), key.shape=(2, 4, 8), "
            "value.shape=(2, 4, 8).");
  const Tensor x = zeros({2, 4, 2, 8});
  EXPECT_EQ(message_of<ValueError>([&] {
              dot_product_attention(x, x, x, {.mask = zeros({1, 1, 1, 1, 4})});
            }),
            "Argument `mask` must broadcast to [batch, heads, queries, keys]. Received: shape=(1, 1, 1, 1, 4)");
}

}  // namespace
}  // namespace rhyton::attention_tests
