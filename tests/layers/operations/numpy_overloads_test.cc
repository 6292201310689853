// The functions of keras.ops.numpy have overloads for symbolic tensors, which give in a model what the functions of
// tensors give.

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rhyton/framework/error.h>
#include <rhyton/layers/call_node.h>
#include <rhyton/layers/operations/operation.h>
#include <rhyton/rhyton.h>
#include <rhyton/tests/support/message_of.h>
#include <rhyton/tests/support/tensor_distance.h>

namespace rhyton::layers::numpy_overloads {
namespace {

using Symbols = std::vector<SymbolicTensor>;
using Tensors = std::vector<Tensor>;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// Of the input of a model.
enum class Batch { unknown, known };

SymbolicTensor symbol_of(const Tensor& x, Batch batch) {
  const std::string dtype(name_of(x.dtype()));
  const Shape shape = x.shape().slice(1, x.rank());
  if (batch == Batch::unknown) return Input({.shape = shape, .dtype = dtype});
  return Input({.shape = shape, .batch_size = x.shape()[0], .dtype = dtype});
}

/// The model of `function` gives `expected`, before and after saving.
void expect_outputs(const Tensors& inputs, Batch batch, const std::function<Symbols(const Symbols&)>& function,
                    const Tensors& expected) {
  Symbols symbols;
  for (const Tensor& input : inputs) symbols.push_back(symbol_of(input, batch));
  const Symbols outputs = function(symbols);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    EXPECT_EQ(outputs[i].dtype(), expected[i].dtype());
    EXPECT_EQ(outputs[i].rank(), expected[i].rank());
  }
  const models::Model model({.inputs = symbols, .outputs = outputs});
  EXPECT_TRUE(test::same_bits(model.call_many(inputs), expected));
  EXPECT_TRUE(test::same_bits(models::model_from_json(model.to_json()).call_many(inputs), expected));
}

Symbols listed(const SymbolicTensor& output) { return {output}; }
Symbols listed(Symbols outputs) { return outputs; }
Tensors listed(const Tensor& output) { return {output}; }
Tensors listed(Tensors outputs) { return outputs; }

/// One function, called with a tensor and with a symbolic tensor, gives the same.
template <class Function>
void expect_alike(const Tensor& x, Function function, Batch batch = Batch::unknown) {
  expect_outputs(
      {x}, batch, [&](const Symbols& s) { return listed(function(s[0])); }, listed(function(x)));
}

/// The same for a function of two tensors; also with the first or the second one as a constant of a model.
template <class Function>
void expect_alike(const Tensor& x, const Tensor& y, Function function, Batch batch = Batch::unknown) {
  const Tensors expected = listed(function(x, y));
  expect_outputs(
      {x, y}, batch, [&](const Symbols& s) { return listed(function(s[0], s[1])); }, expected);
  expect_outputs(
      {x}, batch, [&](const Symbols& s) { return listed(function(s[0], y)); }, expected);
  expect_outputs(
      {y}, batch, [&](const Symbols& s) { return listed(function(x, s[0])); }, expected);
}

/// The same for a function that takes a number as either operand too, where the function of tensors takes only some.
template <class Function>
void expect_numbers(const Tensor& x, const Scalar& value, Function function) {
  const Tensor number = cast(Tensor::from_data<double>({}, {value.as_double()}), x.dtype());
  expect_outputs(
      {x}, Batch::unknown, [&](const Symbols& s) { return listed(function(s[0], value)); },
      listed(function(x, number)));
  expect_outputs(
      {x}, Batch::unknown, [&](const Symbols& s) { return listed(function(value, s[0])); },
      listed(function(number, x)));
}

Tensor values() { return Tensor::from_data<float>({2, 4}, {-3, -0.75, -0.25, 0.125, 0.25, 0.5, 0.875, 7}); }
Tensor others() { return Tensor::from_data<float>({2, 4}, {1, 2, -2, 0.125, 3, -0.5, 4, 0.25}); }
Tensor positive() { return Tensor::from_data<float>({2, 2}, {0.5, 0.25, 0.125, 0.75}); }
Tensor with_nan() {
  return cast(Tensor::from_data<double>({2, 3}, {1, not_a_number, 3, 2, infinity, -infinity}), DType::float32);
}
Tensor integers() { return Tensor::from_data<std::int32_t>({2, 3}, {5, 2, 7, 1, -4, 3}); }
Tensor cube() { return Tensor::from_data<float>({2, 2, 3}, {1, 2, -3, 4, 5, 6, 7, -8, 9, 10, 11, 12}); }

TEST(NumpyOverloads, OfEachElement) {
  const Tensor x = values();
  expect_alike(x, [](const auto& t) { return ops::abs(t); });
  expect_alike(x, [](const auto& t) { return ops::arcsinh(t); });
  expect_alike(x, [](const auto& t) { return ops::arctan(t); });
  expect_alike(x, [](const auto& t) { return ops::cbrt(t); });
  expect_alike(x, [](const auto& t) { return ops::ceil(t); });
  expect_alike(x, [](const auto& t) { return ops::cos(t); });
  expect_alike(x, [](const auto& t) { return ops::cosh(t); });
  expect_alike(x, [](const auto& t) { return ops::deg2rad(t); });
  expect_alike(x, [](const auto& t) { return ops::exp(t); });
  expect_alike(x, [](const auto& t) { return ops::exp2(t); });
  expect_alike(x, [](const auto& t) { return ops::expm1(t); });
  expect_alike(x, [](const auto& t) { return ops::floor(t); });
  expect_alike(x, [](const auto& t) { return ops::negative(t); });
  expect_alike(x, [](const auto& t) { return ops::rad2deg(t); });
  expect_alike(x, [](const auto& t) { return ops::reciprocal(t); });
  expect_alike(x, [](const auto& t) { return ops::round(t); });
  expect_alike(x, [](const auto& t) { return ops::sign(t); });
  expect_alike(x, [](const auto& t) { return ops::sin(t); });
  expect_alike(x, [](const auto& t) { return ops::sinc(t); });
  expect_alike(x, [](const auto& t) { return ops::sinh(t); });
  expect_alike(x, [](const auto& t) { return ops::square(t); });
  expect_alike(x, [](const auto& t) { return ops::tan(t); });
  expect_alike(x, [](const auto& t) { return ops::tanh(t); });
  expect_alike(x, [](const auto& t) { return ops::trunc(t); });
  expect_alike(x, [](const auto& t) { return ops::clip_by_value(t, -0.5, 2); });
  expect_alike(x, [](const auto& t) { return ops::clip(t, -0.5, 2); });
  expect_alike(x, [](const auto& t) { return ops::logical_not(t); });
  const Tensor p = positive();
  expect_alike(p, [](const auto& t) { return ops::arccos(t); });
  expect_alike(p, [](const auto& t) { return ops::arcsin(t); });
  expect_alike(p, [](const auto& t) { return ops::arctanh(t); });
  expect_alike(add(p, 1.0), [](const auto& t) { return ops::arccosh(t); });
  expect_alike(p, [](const auto& t) { return ops::log(t); });
  expect_alike(p, [](const auto& t) { return ops::log10(t); });
  expect_alike(p, [](const auto& t) { return ops::log1p(t); });
  expect_alike(p, [](const auto& t) { return ops::log2(t); });
  expect_alike(p, [](const auto& t) { return ops::sqrt(t); });
  expect_alike(integers(), [](const auto& t) { return ops::bitwise_invert(t); });
  expect_alike(integers(), [](const auto& t) { return ops::bitwise_not(t); });
  expect_alike(integers(), [](const auto& t) { return ops::floor(t); });
  expect_alike(integers(), [](const auto& t) { return ops::sqrt(ops::abs(t)); });
}

TEST(NumpyOverloads, OfNaNAndInfinities) {
  const Tensor x = with_nan();
  expect_alike(x, [](const auto& t) { return ops::isfinite(t); });
  expect_alike(x, [](const auto& t) { return ops::isnan(t); });
  expect_alike(x, [](const auto& t) { return ops::isinf(t); });
  expect_alike(x, [](const auto& t) { return ops::isneginf(t); });
  expect_alike(x, [](const auto& t) { return ops::isposinf(t); });
  expect_alike(x, [](const auto& t) { return ops::nan_to_num(t); });
  expect_alike(x, [](const auto& t) { return ops::nan_to_num(t, 0.5, infinity, -9.0); });
}

TEST(NumpyOverloads, OfTwoOperands) {
  const auto expect_all = [](auto function) {
    expect_alike(values(), others(), function);
    expect_numbers(values(), 0.5, function);
  };
  expect_all([](const auto& a, const auto& b) { return ops::add(a, b); });
  expect_all([](const auto& a, const auto& b) { return ops::subtract(a, b); });
  expect_all([](const auto& a, const auto& b) { return ops::multiply(a, b); });
  expect_all([](const auto& a, const auto& b) { return ops::divide(a, b); });
  expect_all([](const auto& a, const auto& b) { return ops::divide_no_nan(a, b); });
  expect_all([](const auto& a, const auto& b) { return ops::floor_divide(a, b); });
  expect_all([](const auto& a, const auto& b) { return ops::mod(a, b); });
  expect_all([](const auto& a, const auto& b) { return ops::fmod(a, b); });
  expect_all([](const auto& a, const auto& b) { return ops::power(a, b); });
  expect_all([](const auto& a, const auto& b) { return ops::maximum(a, b); });
  expect_all([](const auto& a, const auto& b) { return ops::minimum(a, b); });
  expect_all([](const auto& a, const auto& b) { return ops::fmax(a, b); });
  expect_all([](const auto& a, const auto& b) { return ops::fmin(a, b); });
  expect_all([](const auto& a, const auto& b) { return ops::arctan2(a, b); });
  expect_all([](const auto& a, const auto& b) { return ops::logaddexp(a, b); });
  expect_all([](const auto& a, const auto& b) { return ops::logaddexp2(a, b); });
  expect_all([](const auto& a, const auto& b) { return ops::equal(a, b); });
  expect_all([](const auto& a, const auto& b) { return ops::not_equal(a, b); });
  expect_all([](const auto& a, const auto& b) { return a == b; });
  expect_all([](const auto& a, const auto& b) { return a != b; });
  expect_all([](const auto& a, const auto& b) { return ops::less(a, b); });
  expect_all([](const auto& a, const auto& b) { return ops::less_equal(a, b); });
  expect_all([](const auto& a, const auto& b) { return ops::greater(a, b); });
  expect_all([](const auto& a, const auto& b) { return ops::greater_equal(a, b); });
  expect_all([](const auto& a, const auto& b) { return ops::logical_and(a, b); });
  expect_all([](const auto& a, const auto& b) { return ops::logical_or(a, b); });
  expect_all([](const auto& a, const auto& b) { return ops::logical_xor(a, b); });
  expect_all([](const auto& a, const auto& b) { return ops::isclose(a, b, 0.5, 1.0); });
  expect_alike(values(), others(), [](const auto& a, const auto& b) { return ops::hypot(a, b); });
  expect_alike(values(), others(), [](const auto& a, const auto& b) { return ops::heaviside(a, b); });
  expect_alike(values(), others(), [](const auto& a, const auto& b) { return ops::allclose(a, b, 9.0, 9.0, true); });
  expect_alike(values(), others(), [](const auto& a, const auto& b) { return ops::isin(a, b); });
  expect_alike(values(), others(), [](const auto& a, const auto& b) { return ops::isin(a, b, true); });
}

TEST(NumpyOverloads, OfBits) {
  const auto expect_all = [](auto function) {
    expect_alike(integers(), Tensor::from_data<std::int32_t>({2, 3}, {1, 3, 2, 0, 5, 4}), function);
  };
  expect_all([](const auto& a, const auto& b) { return ops::bitwise_and(a, b); });
  expect_all([](const auto& a, const auto& b) { return ops::bitwise_or(a, b); });
  expect_all([](const auto& a, const auto& b) { return ops::bitwise_xor(a, b); });
  expect_all([](const auto& a, const auto& b) { return ops::bitwise_left_shift(a, b); });
  expect_all([](const auto& a, const auto& b) { return ops::left_shift(a, b); });
  expect_all([](const auto& a, const auto& b) { return ops::bitwise_right_shift(a, b); });
  expect_all([](const auto& a, const auto& b) { return ops::right_shift(a, b); });
}

TEST(NumpyOverloads, OfConditions) {
  const Tensor x = values();
  const Tensor y = others();
  expect_alike(x, y, [](const auto& a, const auto& b) { return ops::where(ops::greater(a, b), a, b); });
  expect_alike(x, [](const auto& a) { return ops::where(ops::greater(a, 0.25), a, -1); });
  expect_alike(x, [](const auto& a) { return ops::where(ops::greater(a, 0.25), 2.5, a); });
  expect_alike(x, [](const auto& a) { return ops::where(ops::greater(a, 0.25), 2.5, 1.5); });
  const Tensor condition = greater(x, y);
  expect_alike(x, [&](const auto& a) { return ops::where(condition, a, 0.0); });
  expect_alike(x, [](const auto& a) {
    using T = std::vector<std::remove_cvref_t<decltype(a)>>;
    return ops::select(T{ops::less(a, -0.5), ops::less(a, 0.5)}, T{ops::negative(a), ops::square(a)}, 9.0);
  });
  expect_alike(x, [](const auto& a) {
    using T = std::vector<std::remove_cvref_t<decltype(a)>>;
    return ops::select(T{ops::less(a, -0.5)}, T{ops::square(a)}, ops::exp(a));
  });
}

TEST(NumpyOverloads, OfReductions) {
  const auto expect_all = [](const Tensor& x, auto function) {
    expect_alike(x, [&](const auto& t) { return function(t, {}, false); });
    expect_alike(x, [&](const auto& t) { return function(t, {}, true); });
    expect_alike(x, [&](const auto& t) { return function(t, {0}, false); });
    expect_alike(x, [&](const auto& t) { return function(t, {-1, 1}, true); });
  };
  using Axes = std::vector<int>;
  const Tensor x = cube();
  expect_all(x, [](const auto& t, const Axes& axes, bool keepdims) { return ops::sum(t, axes, keepdims); });
  expect_all(x, [](const auto& t, const Axes& axes, bool keepdims) { return ops::mean(t, axes, keepdims); });
  expect_all(x, [](const auto& t, const Axes& axes, bool keepdims) { return ops::max(t, axes, keepdims); });
  expect_all(x, [](const auto& t, const Axes& axes, bool keepdims) { return ops::min(t, axes, keepdims); });
  expect_all(x, [](const auto& t, const Axes& axes, bool keepdims) { return ops::prod(t, axes, keepdims); });
  expect_all(x, [](const auto& t, const Axes& axes, bool keepdims) { return ops::variance(t, axes, keepdims); });
  expect_all(x,
             [](const auto& t, const Axes& axes, bool keepdims) { return ops::standard_deviation(t, axes, keepdims); });
  expect_all(x, [](const auto& t, const Axes& axes, bool keepdims) { return ops::median(t, axes, keepdims); });
  expect_all(x, [](const auto& t, const Axes& axes, bool keepdims) { return ops::ptp(t, axes, keepdims); });
  expect_all(x, [](const auto& t, const Axes& axes, bool keepdims) { return ops::all(t, axes, keepdims); });
  expect_all(x, [](const auto& t, const Axes& axes, bool keepdims) { return ops::any(t, axes, keepdims); });
  expect_all(x, [](const auto& t, const Axes& axes, bool) { return ops::count_nonzero(t, axes); });
  const Tensor y = reshape(with_nan(), {2, 1, 3});
  expect_all(y, [](const auto& t, const Axes& axes, bool keepdims) { return ops::nansum(t, axes, keepdims); });
  expect_all(y, [](const auto& t, const Axes& axes, bool keepdims) { return ops::nanprod(t, axes, keepdims); });
  expect_all(y, [](const auto& t, const Axes& axes, bool keepdims) { return ops::nanmax(t, axes, keepdims); });
  expect_all(y, [](const auto& t, const Axes& axes, bool keepdims) { return ops::nanmin(t, axes, keepdims); });
  const Tensor z = reshape(slice(with_nan(), {0, 0}, {2, 1}), {2, 1, 1});
  expect_all(z, [](const auto& t, const Axes& axes, bool keepdims) { return ops::nanmean(t, axes, keepdims); });
  expect_all(z, [](const auto& t, const Axes& axes, bool keepdims) { return ops::nanvar(t, axes, keepdims); });
  expect_all(z, [](const auto& t, const Axes& axes, bool keepdims) { return ops::nanstd(t, axes, keepdims); });
  expect_alike(integers(), [](const auto& t) { return ops::sum(t, {1}); });
}

TEST(NumpyOverloads, OfPositions) {
  for (const std::optional<int> axis : std::vector<std::optional<int>>{std::nullopt, -1, 0, 1}) {
    expect_alike(values(), [&](const auto& t) { return ops::argmax(t, axis); });
    expect_alike(values(), [&](const auto& t) { return ops::argmin(t, axis); });
    expect_alike(with_nan(), [&](const auto& t) { return ops::nanargmax(t, axis); });
    expect_alike(with_nan(), [&](const auto& t) { return ops::nanargmin(t, axis); });
  }
}

TEST(NumpyOverloads, OfStatistics) {
  const Tensor x = values();
  expect_alike(x, [](const auto& t) { return ops::quantile(t, 0.3); });
  expect_alike(x, [](const auto& t) { return ops::quantile(t, 0.3, {1}, QuantileMethod::linear, true); });
  expect_alike(x, [](const auto& t) { return ops::quantile(t, std::vector<double>{0.3, 0.9}, {-1}); });
  for (const QuantileMethod method : {QuantileMethod::linear, QuantileMethod::lower, QuantileMethod::higher,
                                      QuantileMethod::midpoint, QuantileMethod::nearest}) {
    expect_alike(x, [&](const auto& t) { return ops::percentile(t, 40, {1}, method); });
  }
  expect_alike(x, [](const auto& t) { return ops::average(t); });
  expect_alike(x, [](const auto& t) { return ops::average(t, 1); });
  expect_alike(x, [](const auto& t) { return ops::average(t, 1, ops::square(t)); });
  const Tensor weights = Tensor::from_data<float>({4}, {1, 2, 3, 4});
  expect_alike(x, [&](const auto& t) { return ops::average(t, -1, weights); });
  expect_alike(x, [](const auto& t) { return ops::corrcoef(t); });
  expect_alike(x, [](const auto& t) { return ops::cumsum(t); });
  expect_alike(x, [](const auto& t) { return ops::cumsum(t, 1, DType::float64); });
  expect_alike(x, [](const auto& t) { return ops::cumprod(t, 0); });
  expect_alike(with_nan(), [](const auto& t) { return ops::nancumsum(t, 1); });
  expect_alike(with_nan(), [](const auto& t) { return ops::nancumprod(t); });
  expect_alike(x, [](const auto& t) { return ops::diff(t); });
  expect_alike(x, [](const auto& t) { return ops::diff(t, 1, 0); });
  expect_alike(x, [](const auto& t) { return ops::trapezoid(t, 0.5, 1); });
  expect_alike(ravel(x), [](const auto& t) { return ops::vander(t, 3); });
  expect_alike(ravel(x), [](const auto& t) { return ops::vander(t, 2, true); });
}

TEST(NumpyOverloads, OfAxes) {
  const Tensor x = cube();
  expect_alike(x, [](const auto& t) { return ops::reshape(t, {-1, 6}); });
  expect_alike(x, [](const auto& t) { return ops::ravel(t); });
  expect_alike(x, [](const auto& t) { return ops::transpose(t); });
  expect_alike(x, [](const auto& t) { return ops::transpose(t, {0, 2, 1}); });
  expect_alike(x, [](const auto& t) { return ops::moveaxis(t, 1, -1); });
  expect_alike(x, [](const auto& t) { return ops::moveaxis(t, {0, 1}, {-1, 0}); });
  expect_alike(x, [](const auto& t) { return ops::swapaxes(t, 1, 2); });
  expect_alike(x, [](const auto& t) { return ops::expand_dims(t, -2); });
  expect_alike(expand_dims(x, 1), [](const auto& t) { return ops::squeeze(t); });
  expect_alike(expand_dims(x, 1), [](const auto& t) { return ops::squeeze(t, {1}); });
  expect_alike(x, [](const auto& t) { return ops::broadcast_to(t, {3, 2, 2, 3}); });
  expect_alike(x, [](const auto& t) { return ops::flip(t); });
  expect_alike(x, [](const auto& t) { return ops::flip(t, 1); });
  expect_alike(x, [](const auto& t) { return ops::fliplr(t); });
  expect_alike(x, [](const auto& t) { return ops::flipud(t); });
  expect_alike(x, [](const auto& t) { return ops::rot90(t, 1, {1, 2}); });
  expect_alike(x, [](const auto& t) { return ops::rot90(t, -1); });
  expect_alike(x, [](const auto& t) { return ops::roll(t, 2); });
  expect_alike(x, [](const auto& t) { return ops::roll(t, -1, 2); });
  expect_alike(x, [](const auto& t) { return ops::roll(t, {1, 2}, {1, 2}); });
}

TEST(NumpyOverloads, OfDiagonals) {
  const Tensor x = cube();
  expect_alike(x, [](const auto& t) { return ops::tril(t); });
  expect_alike(x, [](const auto& t) { return ops::triu(t, 1); });
  expect_alike(x, [](const auto& t) { return ops::diagonal(t, 1, 1, 2); });
  expect_alike(x, [](const auto& t) { return ops::trace(t, 0, 1, 2); });
  expect_alike(
      values(), [](const auto& t) { return ops::diag(t, 1); }, Batch::known);
  expect_alike(ravel(positive()), [](const auto& t) { return ops::diag(t); });
  expect_alike(positive(), [](const auto& t) { return ops::diagflat(t, -1); });
}

TEST(NumpyOverloads, OfLists) {
  const auto expect_all = [](auto function) {
    expect_alike(cube(), [&](const auto& t) {
      return function(std::vector<std::remove_cvref_t<decltype(t)>>{t, ops::square(t)});
    });
  };
  expect_all([](const auto& list) { return ops::concatenate(list); });
  expect_all([](const auto& list) { return ops::concatenate(list, -1); });
  expect_all([](const auto& list) { return ops::stack(list); });
  expect_all([](const auto& list) { return ops::stack(list, -1); });
  expect_all([](const auto& list) { return ops::vstack(list); });
  expect_all([](const auto& list) { return ops::hstack(list); });
  expect_all([](const auto& list) { return ops::dstack(list); });
  expect_alike(values(), others(), [](const auto& a, const auto& b) { return ops::append(a, b); });
  expect_alike(values(), others(), [](const auto& a, const auto& b) { return ops::append(a, b, 1); });
  expect_alike(ravel(values()), [](const auto& t) {
    return ops::meshgrid(std::vector<std::remove_cvref_t<decltype(t)>>{t, ops::exp(t)}, GridIndexing::ij);
  });
}

TEST(NumpyOverloads, OfParts) {
  expect_alike(values(), [](const auto& t) { return ops::split(t, 2, 1); });
  expect_alike(values(), [](const auto& t) { return ops::split(t, {1, 3}, 1); });
  expect_alike(values(), [](const auto& t) { return ops::split(t, std::vector<std::int64_t>{1}, -1); });
  expect_alike(values(), [](const auto& t) { return ops::array_split(t, 3, 1); });
  expect_alike(values(), [](const auto& t) { return ops::repeat(t, 2); });
  expect_alike(values(), [](const auto& t) { return ops::repeat(t, 2, 1); });
  expect_alike(values(), [](const auto& t) { return ops::repeat(t, std::vector<std::int64_t>{1, 0, 2, 1}, 1); });
  expect_alike(values(), [](const auto& t) { return ops::tile(t, {1, 2}); });
  expect_alike(values(), [](const auto& t) { return ops::pad(t, {{0, 0}, {1, 2}}); });
  expect_alike(values(), [](const auto& t) { return ops::pad(t, {{1, 0}, {1, 2}}, 1.5); });
  expect_alike(values(), [](const auto& t) { return ops::pad(t, {{1, 0}, {1, 2}}, "constant", 1.5); });
  expect_alike(values(), [](const auto& t) { return ops::pad(t, {{1, 0}, {1, 2}}, "symmetric"); });
  expect_alike(values(), [](const auto& t) { return ops::pad(t, {{1, 2}}); });
  expect_alike(values(), [](const auto& t) { return ops::pad(t, 1); });
  expect_alike(values(), [](const auto& t) { return ops::pad(t, 1, "reflect"); });
  for (const PadMode mode : {PadMode::reflect, PadMode::symmetric, PadMode::edge, PadMode::wrap}) {
    expect_alike(values(), [&](const auto& t) { return ops::pad(t, {{0, 0}, {1, 2}}, mode); });
  }
}

TEST(NumpyOverloads, OfPlacesAndOrder) {
  const Tensor indices = Tensor::from_data<std::int32_t>({2, 2}, {1, 0, -1, 2});
  expect_alike(values(), indices, [](const auto& t, const auto& i) { return ops::take(t, i); });
  expect_alike(values(), indices, [](const auto& t, const auto& i) { return ops::take(t, i, 1); });
  expect_alike(values(), indices, [](const auto& t, const auto& i) { return ops::take_along_axis(t, i, 1); });
  expect_alike(others(), [](const auto& t) { return ops::sort(t); });
  expect_alike(others(), [](const auto& t) { return ops::sort(t, std::nullopt); });
  expect_alike(others(), [](const auto& t) { return ops::argsort(t, 0); });
  expect_alike(others(), [](const auto& t) { return ops::argpartition(t, 1); });
  const Tensor ascending = Tensor::from_data<float>({3}, {-1, 0.25, 4});
  expect_alike(
      ascending, values(), [](const auto& s, const auto& t) { return ops::searchsorted(s, t); }, Batch::known);
  expect_alike(
      ascending, values(), [](const auto& s, const auto& t) { return ops::searchsorted(s, t, SearchSide::right); },
      Batch::known);
  expect_alike(
      values(), ascending, [](const auto& t, const auto& bins) { return ops::digitize(t, bins); }, Batch::known);
}

TEST(NumpyOverloads, OfProducts) {
  const Tensor x = cube();
  const Tensor y = Tensor::from_data<float>({3, 2}, {1, -1, 2, 0.5, 3, 0});
  const auto expect_all = [&](auto function) { expect_alike(x, y, function, Batch::known); };
  expect_all([](const auto& a, const auto& b) { return ops::matmul(a, b); });
  expect_all([](const auto& a, const auto& b) { return ops::dot(a, b); });
  expect_all([](const auto& a, const auto& b) { return ops::tensordot(a, b, 1); });
  expect_all([](const auto& a, const auto& b) { return ops::tensordot(a, b, {1, 2}, {1, 0}); });
  expect_all([](const auto& a, const auto& b) { return ops::outer(a, b); });
  expect_all([](const auto& a, const auto& b) { return ops::kron(a, b); });
  expect_all([](const auto& a, const auto& b) { return ops::einsum("bij,jk->bik", a, b); });
  expect_alike(x, [](const auto& t) { return ops::einsum("bij->bji", t); });
  expect_alike(values(), others(), [](const auto& a, const auto& b) { return ops::inner(a, b); });
  expect_alike(values(), others(), [](const auto& a, const auto& b) { return ops::vdot(a, b); });
  expect_alike(x, add(x, 1.0), [](const auto& a, const auto& b) { return ops::cross(a, b); });
  expect_alike(x, add(x, 1.0), [](const auto& a, const auto& b) { return ops::cross(a, b, -1, -1, 1); });
}

TEST(NumpyOverloads, OfPatterns) {
  for (const Tensor& x : {values(), integers()}) {
    expect_alike(x, [](const auto& t) { return ops::zeros_like(t); });
    expect_alike(x, [](const auto& t) { return ops::ones_like(t); });
    expect_alike(x, [](const auto& t) { return ops::full_like(t, 3); });
    expect_alike(x, [](const auto& t) { return ops::zeros_like(t, DType::int32); });
    expect_alike(x, [](const auto& t) { return ops::ones_like(t, DType::float64); });
    expect_alike(x, [](const auto& t) { return ops::full_like(t, 3, DType::float64); });
  }
  expect_alike(values(), others(), [](const auto& a, const auto& b) { return ops::linspace(a, b, {.num = 3}); });
  expect_alike(values(), others(), [](const auto& a, const auto& b) {
    return ops::linspace(a, b, {.num = 3, .endpoint = false, .dtype = DType::float64, .axis = -1});
  });
  expect_alike(values(), others(), [](const auto& a, const auto& b) { return ops::logspace(a, b, {.num = 3}, 2); });
}

TEST(NumpyOverloads, RefuseTheMethodsThatKerasIgnores) {
  const SymbolicTensor x = symbol_of(values(), Batch::unknown);
  EXPECT_NE(test::message_of<NotImplementedError>([&] {
              ops::quantile(x, 0.5, {}, QuantileMethod::lower);
            }).find("method=lower"),
            std::string::npos);
}

TEST(NumpyOverloads, OfVectorsAreConcatenatedByVstack) {
  const Tensor x = Tensor::from_data<float>({2}, {1, 2});
  expect_outputs({x}, Batch::unknown,
                 [](const Symbols& s) {
                   return listed(ops::vstack({s[0], s[0]}));
                 },
                 {ops::concatenate({x, x}, 0)});
}

TEST(NumpyOverloads, ReduceNoAxisForAnEmptyList) {
  const Tensor x = values();
  const auto reduced = [](const char* class_name) {
    return [=](const Symbols& s) { return call_operation(class_name, {s[0]}, {Argument::List()}); };
  };
  expect_outputs({x}, Batch::unknown, reduced("Mean"), {x});
  expect_outputs({x}, Batch::unknown, reduced("Max"), {x});
  expect_outputs({x}, Batch::unknown, reduced("Prod"), {x});
  expect_outputs({x}, Batch::unknown, reduced("Var"), {zeros_like(x)});
}

TEST(NumpyOverloads, TakeTheBatchFromTheNumbersOfRepeats) {
  const Tensor x = values();
  const std::vector<std::int64_t> repeats = {2, 1};
  expect_alike(x, [&](const auto& t) { return ops::repeat(t, repeats, 0); });
  EXPECT_EQ(ops::repeat(symbol_of(x, Batch::unknown), repeats, 0).shape(), (Shape{3, 4}));
  EXPECT_EQ(ops::repeat(symbol_of(x, Batch::unknown), 2, 0).shape(), (Shape{-1, 4}));
  EXPECT_THROW(ops::repeat(symbol_of(x, Batch::unknown), repeats, 1), ValueError);
}

TEST(NumpyOverloads, KeepUnknownLengths) {
  const SymbolicTensor x = Input({.shape = {4}});
  EXPECT_EQ(ops::ravel(x).shape(), (Shape{-1}));
  EXPECT_EQ(ops::reshape(x, {-1, 2, 2}).shape(), (Shape{-1, 2, 2}));
  EXPECT_EQ(ops::concatenate({x, x}, 0).shape(), (Shape{-1, 4}));
  EXPECT_EQ(ops::outer(x, x).shape(), (Shape{-1, -1}));
  EXPECT_EQ(ops::corrcoef(x).shape(), (Shape{-1, -1}));
  EXPECT_EQ(ops::sum(x, {0}).shape(), (Shape{4}));
  EXPECT_EQ(ops::broadcast_to(x, {3, 4}).shape(), (Shape{3, 4}));
  EXPECT_THROW(ops::broadcast_to(x, {3, 5}), InvalidArgumentError);
}

}  // namespace
}  // namespace rhyton::layers::numpy_overloads
