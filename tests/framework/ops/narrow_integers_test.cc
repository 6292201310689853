// Tensors of int8, int16, uint16 and uint32: conversions, and ops of every family, which compute them in wider integers
// (backends/cpu/narrow_kernels.cc). tests/framework/ops/arithmetic_test.cc compares their arithmetic with real Keras.

#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/bitcast.h>
#include <rhyton/framework/ops/cumulative.h>
#include <rhyton/framework/ops/dynamic_slice.h>
#include <rhyton/framework/ops/einsum.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/gather.h>
#include <rhyton/framework/ops/indexing.h>
#include <rhyton/framework/ops/integer_arithmetic.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/saturate_cast.h>
#include <rhyton/framework/ops/scatter.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/ops/sorting.h>

namespace rhyton {
namespace {

using Values = std::vector<double>;

constexpr DType narrow[] = {int8, int16, uint16, uint32};

Tensor small(DType dtype) { return cast(Tensor::from_data<std::int32_t>({2, 3}, {5, 1, 4, 2, 6, 3}), dtype); }

TEST(NarrowIntegers, AreReadExactly) {
  EXPECT_EQ(Tensor::scalar<std::int8_t>(-128).item<int>(), -128);
  EXPECT_EQ(Tensor::scalar<std::int16_t>(-32768).item<int>(), -32768);
  EXPECT_EQ(Tensor::scalar<std::uint16_t>(65535).item<int>(), 65535);
  EXPECT_EQ(Tensor::scalar<std::uint32_t>(4294967295U).item<std::int64_t>(), 4294967295);
  EXPECT_EQ(Tensor::from_data<std::int8_t>({3}, {-1, 0, 127}).to_vector(), (Values{-1, 0, 127}));
  EXPECT_THROW(Tensor::full({}, 128, int8), ValueError);
  EXPECT_THROW(Tensor::full({}, -1, uint32), ValueError);
}

TEST(NarrowIntegers, ArePrintedAsByNumpy) {
  EXPECT_EQ(Tensor::from_data<std::int8_t>({3}, {-1, 20, 127}).to_string(),
            "tf.Tensor([ -1  20 127], shape=(3,), dtype=int8)");
}

TEST(NarrowIntegers, OverflowWhenTheyAreCast) {
  const Tensor wide = Tensor::from_data<std::int64_t>({5}, {-1, 128, 32768, 65536, 4294967297});
  EXPECT_EQ(cast(wide, int8).to_vector(), (Values{-1, -128, 0, 0, 1}));
  EXPECT_EQ(cast(wide, int16).to_vector(), (Values{-1, 128, -32768, 0, 1}));
  EXPECT_EQ(cast(wide, uint16).to_vector(), (Values{65535, 128, 32768, 0, 1}));
  EXPECT_EQ(cast(wide, uint32).to_vector(), (Values{4294967295, 128, 32768, 65536, 1}));
}

TEST(NarrowIntegers, OfFloatingNumbersAreTheirIntegerParts) {
  const Tensor real = Tensor::from_data<float>({4}, {-1.9F, 2.9F, 200.7F, 3e9F});
  EXPECT_EQ(cast(real, int8).to_vector(), (Values{-1, 2, -56, 0}));
  EXPECT_EQ(cast(real, uint32).to_vector(), (Values{4294967295, 2, 200, 3e9}));
  const Tensor bytes = Tensor::from_data<std::int8_t>({3}, {-7, 0, 7});
  for (const DType dtype : {float32, float64, float16, bfloat16}) {
    EXPECT_EQ(cast(bytes, dtype).to_vector(), (Values{-7, 0, 7})) << dtype;
  }
  EXPECT_EQ(cast(bytes, bool_).to_vector(), (Values{1, 0, 1}));
}

TEST(NarrowIntegers, AreLimitedBySaturateCast) {
  EXPECT_EQ(saturate_cast(Tensor::from_data<float>({2}, {-1e9F, 1e9F}), int8).to_vector(), (Values{-128, 127}));
  EXPECT_EQ(saturate_cast(Tensor::from_data<std::int32_t>({2}, {-5, 70000}), uint16).to_vector(), (Values{0, 65535}));
  EXPECT_EQ(saturate_cast(Tensor::from_data<float>({1}, {1e20F}), uint32).item(), 4294967040.0);
  EXPECT_EQ(saturate_cast(Tensor::from_data<std::int16_t>({2}, {-300, 300}), uint8).to_vector(), (Values{0, 255}));
}

TEST(NarrowIntegers, AreComputedWithByEveryFamilyOfOps) {
  for (const DType dtype : narrow) {
    SCOPED_TRACE(name_of(dtype));
    const Tensor x = small(dtype);
    const auto expect = [&](const Tensor& y, const Values& values) {
      EXPECT_EQ(y.dtype(), dtype);
      EXPECT_EQ(y.to_vector(), values);
    };
    // Beside numbers that Keras converts to int32.
    const auto expect_wide = [&](const Tensor& y, const std::vector<double>& values) {
      EXPECT_EQ(y.dtype(), dtype == DType::uint32 ? DType::int64 : DType::int32);
      EXPECT_EQ(y.to_vector(), values);
    };
    expect(transpose(x, {1, 0}), {5, 2, 1, 6, 4, 3});
    expect(concatenate({x, x}, 1), {5, 1, 4, 5, 1, 4, 2, 6, 3, 2, 6, 3});
    expect(pad(x, {{0, 0}, {1, 0}}), {0, 5, 1, 4, 0, 2, 6, 3});
    expect(x[1], {2, 6, 3});
    expect(gather(x, Tensor::from_data<std::int32_t>({2}, {1, 0}), 0), {2, 6, 3, 5, 1, 4});
    expect(take_along_axis(x, Tensor::from_data<std::int32_t>({2, 1}, {2, 1}), 1), {4, 6});
    expect(where(greater(x, 3), x, zeros_like(x)), {5, 0, 4, 0, 6, 0});
    expect(sort(x), {1, 4, 5, 2, 3, 6});
    expect(ops::max(x, {1}), {5, 6});
    expect(ops::min(x, {0}), {2, 1, 3});
    expect(cumsum(x, 1), {5, 6, 10, 2, 8, 11});
    expect(floor_divide(x, cast(Tensor::scalar(2), dtype)), {2, 0, 2, 1, 3, 1});
    expect(mod(x, cast(Tensor::scalar(3), dtype)), {2, 1, 1, 2, 0, 0});
    expect(bitwise_and(x, cast(Tensor::scalar(6), dtype)), {4, 0, 4, 2, 6, 2});
    expect(bitwise_left_shift(x, cast(Tensor::scalar(1), dtype)), {10, 2, 8, 4, 12, 6});
    expect(floor_divide(x, 2), {2, 0, 2, 1, 3, 1});
    expect(floor_divide(12, x), {2, 12, 3, 6, 2, 4});
    expect_wide(mod(x, 3), {2, 1, 1, 2, 0, 0});
    expect_wide(mod(13, x), {3, 0, 1, 1, 1, 1});
    expect_wide(ops::fmod(x, 3), {2, 1, 1, 2, 0, 0});
    expect_wide(ops::fmod(13, x), {3, 0, 1, 1, 1, 1});
    expect_wide(bitwise_and(x, 6), {4, 0, 4, 2, 6, 2});
    expect_wide(bitwise_or(x, 6), {7, 7, 6, 6, 6, 7});
    expect_wide(bitwise_xor(x, 6), {3, 7, 2, 4, 0, 5});
    expect(x % 3, {2, 1, 1, 2, 0, 0});
    expect(x & 6, {4, 0, 4, 2, 6, 2});
    expect(left_shift(x, 1), {10, 2, 8, 4, 12, 6});
    expect(bitwise_left_shift(x, 1), {10, 2, 8, 4, 12, 6});
    expect(right_shift(x, 1), {2, 0, 2, 1, 3, 1});
    expect(bitwise_right_shift(x, 1), {2, 0, 2, 1, 3, 1});
    expect(maximum(x, 3), {5, 3, 4, 3, 6, 3});
    expect(clip_by_value(x, 2, 4), {4, 2, 4, 2, 4, 3});
    expect(scatter(Tensor::from_data<std::int32_t>({2, 1}, {0, 0}), x[0].slice(0, 2), {2}), {6, 0});
    EXPECT_EQ(argmax(x, 1).to_vector(), (Values{0, 1}));
    EXPECT_EQ(argsort(x).to_vector(), (Values{1, 2, 0, 0, 2, 1}));
    EXPECT_EQ(one_hot(x[0], 6, -1).to_vector(), one_hot(cast(x[0], int32), 6, -1).to_vector());
    EXPECT_EQ(one_hot(x[0], 6).to_vector(), one_hot(x[0], 6, -1).to_vector());
    EXPECT_EQ(divide(x, 2).dtype(), float32);
    EXPECT_EQ(mean(x).item(), 3.5);
  }
}

TEST(NarrowIntegers, AreSummedWith32Bits) {
  EXPECT_EQ(sum(Tensor::full({1000}, 127, int8)).item<int>(), 127000);
  EXPECT_EQ(sum(Tensor::full({4}, 32767, int16)).dtype(), int32);
  EXPECT_EQ(sum(Tensor::full({70000}, 65535, uint16)).item<std::int64_t>(), std::int64_t{70000} * 65535 - 4294967296);
  EXPECT_EQ(sum(Tensor::full({3}, 200, uint8)).dtype(), uint32);
}

TEST(NarrowIntegers, ProductsOfInt8AreExactInInt32) {
  // Beyond 1024 terms, sums of the products are no longer exact in float32.
  for (const std::int64_t depth : {3, 1024, 1025, 5000}) {
    const Tensor a = Tensor::full({2, depth}, -128, int8);
    const Tensor product = matmul(a, transpose(a, {1, 0}));
    EXPECT_EQ(product.dtype(), int32);
    EXPECT_EQ(product.to_vector(), Values(4, 16384.0 * static_cast<double>(depth)));
  }
  const Tensor x = small(int8);
  EXPECT_EQ(einsum("ab,cb->ac", {x, x}).dtype(), int32);
  EXPECT_EQ(einsum("ab,cb->ac", {x, x}).to_vector(), (Values{42, 28, 28, 49}));
  EXPECT_EQ(matmul(x, small(int16), false, true).dtype(), int16);
}

TEST(NarrowIntegers, OverflowAsTheirDtype) {
  const Tensor x = Tensor::from_data<std::int8_t>({3}, {127, -128, 100});
  EXPECT_EQ((x + x).to_vector(), (Values{-2, 0, -56}));
  EXPECT_EQ(negative(x).to_vector(), (Values{-127, -128, -100}));
  EXPECT_EQ(ops::abs(x).to_vector(), (Values{127, -128, 100}));
  EXPECT_EQ(floor_divide(x, cast(Tensor::scalar(-1), int8)).to_vector(), (Values{-127, -128, -100}));
  EXPECT_EQ(bitwise_invert(Tensor::scalar<std::uint16_t>(1)).item(), 65534);
  const Tensor large = Tensor::scalar<std::uint32_t>(4294967295U);
  EXPECT_EQ((large * large).item(), 1);
  EXPECT_EQ(bitwise_right_shift(large, cast(Tensor::scalar(31), uint32)).item(), 1);
  EXPECT_THROW(negative(large), Error);
}

TEST(NarrowIntegers, KeepTheirBitsInViews) {
  const Tensor bytes = Tensor::from_data<std::int8_t>({4}, {-1, 0, 1, 0});
  EXPECT_EQ(view(bytes, int16).to_vector(), (Values{255, 1}));
  EXPECT_EQ(view(Tensor::from_data<std::uint32_t>({1}, {4294967295U}), int8).to_vector(), Values(4, -1.0));
}

}  // namespace
}  // namespace rhyton
