// The GPU's elementwise ops compared with the CPU's, for every dtype, shape and address.

#include <array>
#include <cstdint>
#include <functional>
#include <set>
#include <string_view>

#include <rhyton/framework/backends/elementwise/activations.h>
#include <rhyton/framework/backends/elementwise/binary.h>
#include <rhyton/framework/backends/elementwise/unary.h>
#include <rhyton/framework/backends/gpu/elementwise/convert.h>
#include <rhyton/framework/backends/gpu/primitives/broadcasting.h>
#include <rhyton/framework/ops/parametric_elementwise.h>
#include <rhyton/tests/framework/backends/gpu/elementwise_checks.h>

namespace rhyton::gpu::elementwise_tests {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

const std::vector<std::int64_t> sizes{0, 1, 3, 31, 33, 257};

void check_unary(const OpPtr& op, const std::vector<DType>& dtypes) {
  for (const DType dtype : dtypes) {
    for (const std::int64_t size : sizes) check_op(op, {numbers({size}, dtype)});
  }
}

void check_binary(const OpPtr& op, const std::vector<DType>& dtypes) {
  for (const DType dtype : dtypes) {
    for (const std::int64_t size : sizes) check_op(op, {numbers({size}, dtype, 1), numbers({size}, dtype, 2)});
  }
}

std::vector<DType> with_floating(std::vector<DType> others) {
  others.insert(others.end(), floating_dtypes.begin(), floating_dtypes.end());
  return others;
}

// The CPU throws for negative exponents and for a divisor of 0, and bits are shifted by fewer places than there are;
// the conformance table has all of these.
bool is_defined(const OpPtr& op, DType dtype) {
  static const std::set<std::string_view> partial{"Pow",         "FloorDiv",  "FloorMod",
                                                  "TruncateMod", "LeftShift", "RightShift"};
  return is_floating(dtype) || !partial.contains(op->name());
}

TEST(GpuElementwise, AllFunctionsWithoutAttributes) {
  const auto check = [](std::size_t operands) {
    return [operands](const OpPtr& op, DType dtype) {
      if (is_defined(op, dtype)) operands == 1 ? check_unary(op, {dtype}) : check_binary(op, {dtype});
    };
  };
  for_each_plain_function(elementwise::UnaryFunctions(), check(1));
  for_each_plain_function(elementwise::BinaryFunctions(), check(2));
  for (const char* name : {"Identity", "StopGradient"}) check_unary(named(name), all_dtypes);
}

TEST(GpuElementwise, ActivationsWithoutAttributes) {
  for_each_plain_function(elementwise::ActivationFunctions(), [](const OpPtr& op, DType dtype) {
    op->name().ends_with("Grad") ? check_binary(op, {dtype}) : check_unary(op, {dtype});
  });
}

TEST(GpuElementwise, ActivationsWithAttributes) {
  for (const bool approximate : {false, true}) {
    check_unary(std::make_shared<const GeluOp>(approximate), floating_dtypes);
    check_binary(std::make_shared<const GeluGradOp>(approximate), floating_dtypes);
  }
  check_binary(std::make_shared<const LeakyReluGradOp>(0.25), floating_dtypes);
  check_binary(std::make_shared<const EluGradOp>(1.5), floating_dtypes);
  check_binary(std::make_shared<const ClipByValueGradOp>(-1.0, 2.0), floating_dtypes);
  check_unary(std::make_shared<const LeakyReluOp>(0.25), floating_dtypes);
  check_unary(std::make_shared<const EluOp>(1.5), floating_dtypes);
  check_unary(std::make_shared<const ClipByValueOp>(-1.0, 2.0), with_floating({int32, int64}));
  check_unary(std::make_shared<const FullLikeOp>(1.75), all_dtypes);
}

const std::vector<std::pair<Shape, Shape>> broadcast_shapes_of_pairs{
    {{}, {}},
    {{257}, {}},
    {{}, {33, 31}},
    {{5, 3}, {3}},
    {{6, 8}, {8}},
    {{6, 8}, {6, 1}},
    {{64, 33}, {64, 1}},
    {{33, 31}, {1, 31}},
    {{3, 1, 8}, {4, 1}},
    {{3, 1, 2}, {4, 1}},
    {{2, 3, 4}, {2, 1, 4}},
    {{1}, {1, 1}},
    {{2, 3, 2, 3}, {3, 1, 3}},
    {{3, 3}, {3}},
    {{0, 3}, {3}},
    {{0}, {}},
    {{2, 1, 2, 1, 2, 1, 2, 1}, {1, 2, 1, 2, 1, 2, 1, 2}},
    {{2, 3, 1, 2, 1, 3, 2, 4}, {3, 2, 1, 2, 1, 1, 4}},
};

TEST(GpuElementwise, OperandsBroadcast) {
  for (const auto& [left, right] : broadcast_shapes_of_pairs) {
    for (const DType dtype : {float32, float64, float16, bfloat16, int32, int64, uint8}) {
      check_op(named("Sub"), {numbers(left, dtype, 1), numbers(right, dtype, 2)});
      check_op(named("Sub"), {numbers(right, dtype, 1), numbers(left, dtype, 2)});
      check_op(predicate("Less"), {numbers(left, dtype, 1), numbers(right, dtype, 2)});
    }
  }
  const std::vector<std::pair<Shape, Shape>> of_gradients{{{257}, {}},         {{}, {33, 31}},      {{6, 8}, {8}},
                                                          {{64, 33}, {64, 1}}, {{33, 31}, {1, 31}}, {{0, 3}, {3}}};
  for (const auto& [left, right] : of_gradients) {
    check_op(named("ReluGrad"), {numbers(left, float32, 1), numbers(right, float32, 2)});
  }
}

TEST(GpuElementwise, SelectBroadcastsAllThreeInputs) {
  const std::vector<std::array<Shape, 3>> shapes{
      {{{5, 3}, {5, 3}, {5, 3}}}, {{{5, 1}, {5, 3}, {3}}},    {{{4, 8}, {}, {}}},
      {{{}, {5, 3}, {3}}},        {{{1, 8}, {6, 1}, {6, 8}}}, {{{2, 1, 4}, {3, 1}, {2, 1, 1}}},
      {{{0, 3}, {3}, {}}},        {{{257}, {257}, {1}}},      {{{2, 3, 4}, {1, 4}, {4}}}};
  for (const auto& [condition, a, b] : shapes) {
    for (const DType dtype : all_dtypes) {
      check_op(named("SelectV2"), {numbers(condition, bool_, 3), numbers(a, dtype, 1), numbers(b, dtype, 2)});
    }
  }
}

TEST(GpuElementwise, CastsBetweenAllDtypes) {
  for (const DType from : all_dtypes) {
    for (const DType to : all_dtypes) {
      for (const std::int64_t size : sizes) {
        // Unsigned numbers cannot be negative.
        const Tensor x = to == uint8 && from != bool_ ? cast(numbers({size}, uint8), from) : numbers({size}, from);
        const Tensor actual = run_kernel(*cast_to(to), std::array{x}, test_stream())[0];
        EXPECT_TRUE(same_bits(actual, rhyton::apply(cast_to(to), std::array{x})[0]))
            << name_of(from) << " to " << name_of(to) << ", " << size;
      }
    }
  }
}

Tensor run(const OpPtr& op, const Tensors& inputs) { return run_kernel(*op, inputs, test_stream())[0]; }

TEST(GpuElementwise, WhatDoesNotFitAnIntegerGivesTheLowest) {
  const std::vector<float> values{nan, infinity, -infinity, 3e9F, -3e9F, 2147483648.0F, -2147483648.0F, 1e20F, -1e20F};
  for (const DType from : {float32, float64}) {
    const Tensor x = cast(Tensor::from_data<float>({9}, values), from);
    const auto int32_lowest = static_cast<double>(std::numeric_limits<std::int32_t>::min());
    EXPECT_EQ(run(cast_to(int32), {x}).to_vector(), std::vector<double>(9, int32_lowest));
    const auto int64_lowest = static_cast<double>(std::numeric_limits<std::int64_t>::min());
    EXPECT_EQ(run(cast_to(int64), {x}).to_vector(),
              (std::vector<double>{int64_lowest, int64_lowest, int64_lowest, 3e9, -3e9, 2147483648.0, -2147483648.0,
                                   int64_lowest, int64_lowest}));
    const Tensor bytes = cast(Tensor::from_data<float>({6}, {255.9F, 256.0F, 300.0F, -1.0F, 3e9F, nan}), from);
    EXPECT_EQ(run(cast_to(uint8), {bytes}).to_vector(), (std::vector<double>{255, 0, 44, 255, 0, 0}));
  }
  const Tensor wide = Tensor::from_data<std::int64_t>({3}, {std::int64_t{1} << 32, (std::int64_t{1} << 31) + 5, -1});
  EXPECT_EQ(run(cast_to(int32), {wide}).to_vector(), (std::vector<double>{0, -2147483643.0, -1}));
  EXPECT_EQ(run(cast_to(bool_), {Tensor::from_data<float>({4}, {nan, 0.0F, -0.0F, 1e-45F})}).to_vector(),
            (std::vector<double>{1, 0, 0, 1}));
}

TEST(GpuElementwise, FunctionsOfSpecialValues) {
  const std::vector<float> values{nan,
                                  infinity,
                                  -infinity,
                                  0.0F,
                                  -0.0F,
                                  std::numeric_limits<float>::denorm_min(),
                                  -std::numeric_limits<float>::min(),
                                  std::numeric_limits<float>::max(),
                                  std::numeric_limits<float>::lowest(),
                                  -1.0F,
                                  -1.5F,
                                  0.5F,
                                  2.5F,
                                  88.5F,
                                  -103.0F,
                                  -700.0F,
                                  8388609.0F};
  const std::vector<std::pair<const char*, std::function<double(double)>>> functions{
      {"Exp", [](double x) { return std::exp(x); }},
      {"Expm1", [](double x) { return std::expm1(x); }},
      {"Log", [](double x) { return std::log(x); }},
      {"Log1p", [](double x) { return std::log1p(x); }},
      {"Sqrt", [](double x) { return std::sqrt(x); }},
      {"Rsqrt", [](double x) { return 1 / std::sqrt(x); }},
      {"Reciprocal", [](double x) { return 1 / x; }},
      {"Square", [](double x) { return x * x; }},
      {"Floor", [](double x) { return std::floor(x); }},
      {"Ceil", [](double x) { return std::ceil(x); }},
      {"Rint", [](double x) { return std::nearbyint(x); }},
      {"Sin", [](double x) { return std::sin(x); }},
      {"Cos", [](double x) { return std::cos(x); }},
      {"Erf", [](double x) { return std::erf(x); }},
      {"Tanh", [](double x) { return std::tanh(x); }},
      {"Abs", [](double x) { return std::abs(x); }},
      {"Neg", [](double x) { return -x; }},
      {"Sigmoid", [](double x) { return 1 / (1 + std::exp(-x)); }},
      {"Relu", [](double x) { return x < 0 ? 0 : x; }},
      {"Softplus", [](double x) { return std::isnan(x) ? x : std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }}};
  const Tensor x = Tensor::from_data<float>({static_cast<std::int64_t>(values.size())}, values);
  for (const auto& [name, function] : functions) {
    const Tensor y = run(named(name), {x});
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double exact = function(values[i]);
      const float actual = y.elements<float>()[i];
      const auto expected = static_cast<float>(exact);
      if (std::isnan(expected)) {
        EXPECT_TRUE(std::isnan(actual)) << name << " of " << values[i];
      } else if (std::isinf(expected) || expected == 0) {
        EXPECT_EQ(actual, expected) << name << " of " << values[i];
        EXPECT_EQ(std::signbit(actual), std::signbit(expected)) << name << " of " << values[i];
      } else {
        // Within a few units in the last place, which are relatively larger for denormals.
        EXPECT_NEAR(actual, exact, std::abs(exact) * 1e-6 + 3e-45) << name << " of " << values[i];
      }
    }
  }
}

TEST(GpuElementwise, NanInEitherOperandOfMaximumAndMinimum) {
  const Tensor a = Tensor::from_data<float>({5}, {nan, 1.0F, nan, infinity, -infinity});
  const Tensor b = Tensor::from_data<float>({5}, {1.0F, nan, nan, 1.0F, 1.0F});
  for (const char* name : {"Maximum", "Minimum"}) {
    const std::vector<double> y = run(named(name), {a, b}).to_vector();
    for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(std::isnan(y[i])) << name;
  }
  EXPECT_EQ(run(named("Maximum"), {a, b}).to_vector()[3], infinity);
  EXPECT_EQ(run(named("Minimum"), {a, b}).to_vector()[4], -infinity);
}

TEST(GpuElementwise, ComparisonsWithNanAreFalse) {
  const Tensor x = Tensor::from_data<float>({2}, {nan, 1.0F});
  for (const char* name : {"Equal", "Less", "LessEqual", "Greater", "GreaterEqual"}) {
    EXPECT_EQ(run(predicate(name), {x, Tensor::full({}, nan)}).to_vector(), (std::vector<double>{0, 0})) << name;
  }
  EXPECT_EQ(run(predicate("NotEqual"), {x, x}).to_vector(), (std::vector<double>{1, 0}));
}

TEST(GpuElementwise, QuestionsAboutSpecialValues) {
  for (const DType dtype : floating_dtypes) {
    const Tensor x = cast(Tensor::from_data<float>({5}, {nan, infinity, -infinity, 0.0F, 3.0F}), dtype);
    EXPECT_EQ(run(predicate("IsNan"), {x}).to_vector(), (std::vector<double>{1, 0, 0, 0, 0}));
    EXPECT_EQ(run(predicate("IsFinite"), {x}).to_vector(), (std::vector<double>{0, 0, 0, 1, 1}));
  }
}

TEST(GpuElementwise, IntegersWrapAround) {
  constexpr std::int32_t lowest = std::numeric_limits<std::int32_t>::min();
  constexpr std::int32_t highest = std::numeric_limits<std::int32_t>::max();
  const Tensor x = Tensor::from_data<std::int32_t>({3}, {lowest, highest, -1});
  const Tensor one = Tensor::from_data<std::int32_t>({}, {1});
  EXPECT_EQ(run(named("AddV2"), {x, one}).to_vector(), (std::vector<double>{lowest + 1.0, lowest, 0}));
  EXPECT_EQ(run(named("Sub"), {x, one}).to_vector(), (std::vector<double>{highest, highest - 1.0, -2}));
  EXPECT_EQ(run(named("Mul"), {x, x}).to_vector(), (std::vector<double>{0, 1, 1}));
  EXPECT_EQ(run(named("Neg"), {x}).to_vector(), (std::vector<double>{lowest, -highest, 1}));
  EXPECT_EQ(run(named("Abs"), {x}).to_vector(), (std::vector<double>{lowest, highest, 1}));
  EXPECT_EQ(run(named("Sign"), {x}).to_vector(), (std::vector<double>{-1, 1, -1}));
  const Tensor bytes = Tensor::from_data<std::uint8_t>({2}, {200, 3});
  EXPECT_EQ(run(named("AddV2"), {bytes, bytes}).to_vector(), (std::vector<double>{144, 6}));
  EXPECT_EQ(run(named("Sub"), {Tensor::from_data<std::uint8_t>({}, {9}), bytes}).to_vector(),
            (std::vector<double>{65, 6}));
  constexpr std::int64_t lowest64 = std::numeric_limits<std::int64_t>::min();
  const Tensor wide = Tensor::from_data<std::int64_t>({1}, {lowest64});
  EXPECT_EQ(run(named("Sub"), {wide, Tensor::from_data<std::int64_t>({}, {1})}).elements<std::int64_t>()[0],
            std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(run(named("Abs"), {wide}).elements<std::int64_t>()[0], lowest64);
}

/// Tensors at given addresses.
class Placed {
 public:
  Placed(const TensorSpec& spec, int offset)
      : block_(spec.bytes() + 16 * size_of(spec.dtype)), view_{nullptr, spec}, element_(size_of(spec.dtype)) {
    view_.data = static_cast<char*>(block_.data()) + element_ * static_cast<std::size_t>(offset);
    before_ = element_ * static_cast<std::size_t>(offset);
  }

  void set(const Tensor& values) { test_stream().copy_from_host(view_.data, values.raw_data(), view_.spec.bytes()); }
  Tensor get() const {
    Tensor values = Tensor::uninitialized(view_.shape(), view_.spec.dtype);
    test_stream().copy_to_host(values.mutable_raw_data(), view_.data, view_.spec.bytes());
    return values;
  }
  /// Whether the memory before and after it is as DeviceBlock initialized it.
  bool is_intact_around() const {
    std::vector<unsigned char> bytes(view_.spec.bytes() + 16 * element_);
    test_stream().copy_to_host(bytes.data(), block_.data(), bytes.size());
    const auto untouched = [](unsigned char byte) { return byte == 0xFF; };
    const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(before_);
    return std::all_of(bytes.begin(), begin, untouched) &&
           std::all_of(begin + static_cast<std::ptrdiff_t>(view_.spec.bytes()), bytes.end(), untouched);
  }
  const TensorView& view() const { return view_; }

 private:
  DeviceBlock block_;
  TensorView view_;
  std::size_t element_;
  std::size_t before_;
};

void call_kernel(const Op& op, const std::vector<TensorView>& inputs, const TensorView& output) {
  std::vector<TensorSpec> specs;
  for (const TensorView& input : inputs) specs.push_back(input.spec);
  gpu_kernels().get(op, specs).run({.op = &op, .stream = &test_stream(), .inputs = inputs, .outputs = {&output, 1}});
}

TEST(GpuElementwise, AnyAddressWillDo) {
  for (const DType dtype : {float32, float64, float16, uint8}) {
    for (int left = 0; left < 4; ++left) {
      for (int right = 0; right < 4; ++right) {
        for (int result = 0; result < 4; ++result) {
          for (const Shape& second : {Shape{5, 12}, Shape{12}, Shape{5, 1}}) {
            const Tensor a = numbers({5, 12}, dtype, 1);
            const Tensor b = numbers(second, dtype, 2);
            Placed x(a.spec(), left);
            Placed y(b.spec(), right);
            Placed z(a.spec(), result);
            x.set(a);
            y.set(b);
            call_kernel(*named("Sub"), {x.view(), y.view()}, z.view());
            EXPECT_TRUE(same_bits(z.get(), run(named("Sub"), {a, b}))) << left << right << result;
            EXPECT_TRUE(z.is_intact_around()) << left << right << result;
          }
        }
      }
    }
  }
  for (const DType to : all_dtypes) {
    for (int offset = 0; offset < 4; ++offset) {
      const Tensor a = numbers({33}, float32);
      Placed x(a.spec(), offset);
      Placed z({a.shape(), to}, 3 - offset);
      x.set(a);
      call_kernel(*cast_to(to), {x.view()}, z.view());
      EXPECT_TRUE(same_bits(z.get(), run(cast_to(to), {a}))) << name_of(to) << offset;
      EXPECT_TRUE(z.is_intact_around()) << name_of(to) << offset;
    }
  }
}

TEST(GpuElementwise, OutputsMayLieOverInputs) {
  for (const DType dtype : {float32, float64, bfloat16}) {
    for (const Shape& shape : {Shape{257}, Shape{33, 8}, Shape{7, 9}}) {
      const Tensor a = numbers(shape, dtype, 1);
      const Tensor b = numbers(shape, dtype, 2);
      const Tensor row = numbers({shape[shape.rank() - 1]}, dtype, 3);
      const Tensor condition = numbers({shape[0]}, bool_, 4).reshape(shape.rank() == 1 ? shape : Shape{shape[0], 1});
      Placed x(a.spec(), 0);
      x.set(a);
      call_kernel(*named("Exp"), {x.view()}, x.view());
      EXPECT_TRUE(same_bits(x.get(), run(named("Exp"), {a})));

      Placed y(b.spec(), 0);
      for (const bool is_left : {false, true}) {
        x.set(a);
        y.set(b);
        call_kernel(*named("Sub"), {x.view(), y.view()}, is_left ? x.view() : y.view());
        EXPECT_TRUE(same_bits(is_left ? x.get() : y.get(), run(named("Sub"), {a, b})));
      }
      x.set(a);
      call_kernel(*named("Mul"), {x.view(), x.view()}, x.view());
      EXPECT_TRUE(same_bits(x.get(), run(named("Mul"), {a, a})));

      Placed repeated(row.spec(), 0);
      repeated.set(row);
      x.set(a);
      call_kernel(*named("Sub"), {repeated.view(), x.view()}, x.view());
      EXPECT_TRUE(same_bits(x.get(), run(named("Sub"), {row, a})));

      Placed chooses(condition.spec(), 0);
      chooses.set(condition);
      x.set(a);
      call_kernel(*named("SelectV2"), {chooses.view(), repeated.view(), x.view()}, x.view());
      EXPECT_TRUE(same_bits(x.get(), run(named("SelectV2"), {condition, row, a})));

      x.set(a);
      call_kernel(*named("Identity"), {x.view()}, x.view());
      EXPECT_TRUE(same_bits(x.get(), a));
    }
  }
}

TEST(GpuElementwise, DividersDivide) {
  for (const std::int64_t divisor :
       {std::int64_t{1}, std::int64_t{2}, std::int64_t{3}, std::int64_t{7}, std::int64_t{641}, std::int64_t{65536},
        std::int64_t{1000003}, std::int64_t{INT32_MAX}, std::int64_t{1} << 31, (std::int64_t{1} << 31) + 1,
        std::int64_t{1} << 40}) {
    const Divider divider(divisor);
    for (const std::int64_t base : {std::int64_t{0}, divisor, 2 * divisor, 1000 * divisor, std::int64_t{1} << 31,
                                    std::int64_t{1} << 32, std::int64_t{123456789}}) {
      for (std::int64_t dividend = std::max<std::int64_t>(base - 3, 0); dividend < base + 4; ++dividend) {
        EXPECT_EQ(divider.divide(dividend), dividend / divisor) << dividend << " / " << divisor;
      }
    }
  }
}

TEST(GpuElementwise, FunctionsAreTheSameOnTheHost) {
  EXPECT_EQ(elementwise::Add()(std::uint8_t{200}, std::uint8_t{100}), 44);
  EXPECT_EQ(elementwise::Negative()(std::numeric_limits<std::int32_t>::min()),
            std::numeric_limits<std::int32_t>::min());
  EXPECT_TRUE(std::isnan(elementwise::Sign()(nan)));
  EXPECT_TRUE(std::isnan(elementwise::Relu()(nan)));
  EXPECT_TRUE(std::signbit(elementwise::Relu()(-0.0F)));
  EXPECT_EQ(elementwise::Softplus()(-infinity), 0.0F);
  EXPECT_EQ(elementwise::Sigmoid()(-1000.0F), 0.0F);
  const auto clip = elementwise::function_of<elementwise::ClipByValue>(elementwise::Constants<float>{-1, 1});
  EXPECT_EQ(clip(3.0F), 1.0F);
  EXPECT_TRUE(std::isnan(clip(nan)));
  EXPECT_EQ(convert<std::uint8_t>(300.7F), 44);
  EXPECT_EQ(static_cast<float>(convert<Half>(std::int64_t{2049})), 2048.0F);
}

}  // namespace
}  // namespace rhyton::gpu::elementwise_tests
