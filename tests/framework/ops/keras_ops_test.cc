// Ops of keras.ops against real Keras, in every dtype, with axes of every form, odd shapes and what is refused
// (tests/golden/make_ops.py).

#include <limits>

#include <gtest/gtest.h>
#include <rhyton/framework/ops/bitcast.h>
#include <rhyton/framework/ops/complex_parts.h>
#include <rhyton/framework/ops/counting.h>
#include <rhyton/framework/ops/cumulative.h>
#include <rhyton/framework/ops/dynamic_slice.h>
#include <rhyton/framework/ops/einsum.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/indexing.h>
#include <rhyton/framework/ops/integer_arithmetic.h>
#include <rhyton/framework/ops/norms.h>
#include <rhyton/framework/ops/rearranging.h>
#include <rhyton/framework/ops/scatter.h>
#include <rhyton/framework/ops/segments.h>
#include <rhyton/framework/ops/sequences.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/ops/signal_windows.h>
#include <rhyton/framework/ops/sorting.h>
#include <rhyton/framework/ops/special_functions.h>
#include <rhyton/framework/ops/special_values.h>
#include <rhyton/framework/ops/statistics.h>
#include <rhyton/framework/ops/tensor_products.h>
#include <rhyton/tests/framework/ops/golden_calls.h>

namespace rhyton {
namespace {

using golden::Call;
using golden::Functions;
using Tensors = std::vector<Tensor>;

/// A function of x alone.
std::function<Tensors(const Call&)> of_x(Tensor (*f)(const Tensor&)) {
  return [f](const Call& c) { return Tensors{f(c.tensor(0))}; };
}

/// A function of x and y alone.
std::function<Tensors(const Call&)> of_both(Tensor (*f)(const Tensor&, const Tensor&)) {
  return [f](const Call& c) { return Tensors{f(c.tensor(0), c.tensor(1))}; };
}

using Segments = Tensor (*)(const Tensor&, const Tensor&, std::optional<std::int64_t>, bool);

std::function<Tensors(const Call&)> of_segments(Segments f) {
  return [f](const Call& c) {
    const bool sorted = c.has(2, "sorted");
    std::optional<std::int64_t> count;
    if (c.size() > 2 && !sorted) count = c.integer(2);
    return Tensors{f(c.tensor(0), c.tensor(1), count, sorted)};
  };
}

ScatterReduction reduction_of(const std::string& word) {
  return word == "update" ? ScatterReduction::update : scatter_reduction_from_name(word);
}

TEST(KerasOps, Indexing) {
  const Functions functions = {
      {"take", [](const Call& c) { return Tensors{take(c.tensor(0), c.tensor(1), c.optional_axis(2))}; }},
      {"take_along_axis",
       [](const Call& c) { return Tensors{take_along_axis(c.tensor(0), c.tensor(1), c.optional_axis(2))}; }},
      {"scatter",
       [](const Call& c) {
         const std::vector<std::int64_t> lengths = c.integers(2);
         return Tensors{scatter(c.tensor(0), c.tensor(1), Shape(std::span<const std::int64_t>(lengths)))};
       }},
      {"scatter_update",
       [](const Call& c) {
         return Tensors{scatter_update(c.tensor(0), c.tensor(1), c.tensor(2), reduction_of(c.word(3)))};
       }},
      {"slice", [](const Call& c) { return Tensors{slice(c.tensor(0), c.tensor(1), c.integers(2))}; }},
      {"slice_update", [](const Call& c) { return Tensors{slice_update(c.tensor(0), c.tensor(1), c.tensor(2))}; }},
      {"select",
       [](const Call& c) {
         const Tensor& z = c.inputs()[2];
         return Tensors{select({c.inputs()[0], c.inputs()[1]}, {z, z + z}, 1)};
       }},
      {"one_hot",
       [](const Call& c) {
         return Tensors{one_hot(c.tensor(0), c.integer(1), c.axis(2), dtype_from_name(c.word(3)))};
       }},
      {"multi_hot",
       [](const Call& c) {
         return Tensors{multi_hot(c.tensor(0), c.integer(1), c.axis(2), dtype_from_name(c.word(3)))};
       }},
      {"segment_sum", of_segments(&segment_sum)},
      {"segment_max", of_segments(&segment_max)},
      {"segment_min", of_segments(&segment_min)},
      {"segment_prod", of_segments(&segment_prod)},
  };
  golden::compare("indexing", functions);
}

Tensors linspace_of(const Call& c) {
  LinspaceOptions options{.num = c.integer(2)};
  const bool has_endpoint = c.has(3, "True") || c.has(3, "False");
  if (has_endpoint) options.endpoint = c.has(3, "True");
  if (c.size() > 3 && !has_endpoint) options.dtype = dtype_from_name(c.word(3));
  if (c.word(0) == "x") {
    options.axis = -1;
    return {linspace(c.tensor(0), c.tensor(1), options)};
  }
  if (!has_endpoint) return {linspace(c.scalar(0), c.scalar(1), options)};
  const auto number = [](const Scalar& value) { return Tensor::full({}, value, float32); };
  const auto [numbers, step] = linspace_with_step(number(c.scalar(0)), number(c.scalar(1)), options);
  return {numbers, step};
}

Tensors pad_of(const Call& c) {
  std::vector<std::pair<std::int64_t, std::int64_t>> paddings;
  for (const std::size_t i : {1U, 2U}) paddings.emplace_back(c.integers(i)[0], c.integers(i)[1]);
  return {pad(c.tensor(0), paddings, c.word(3))};
}

Tensors arange_of(const Call& c) {
  std::optional<DType> dtype;
  if (c.size() > 3) dtype = dtype_from_name(c.word(3));
  if (c.size() == 1) return {arange(c.scalar(0))};
  return {c.size() == 2 ? arange(c.scalar(0), c.scalar(1)) : arange(c.scalar(0), c.scalar(1), c.scalar(2), dtype)};
}

Tensors roll_of(const Call& c) {
  if (c.is_list(1)) return {roll(c.tensor(0), c.integers(1), c.axes(2))};
  return {roll(c.tensor(0), c.integer(1), c.optional_axis(2))};
}

Tensors repeat_of(const Call& c) {
  return {c.is_list(1) ? repeat(c.tensor(0), c.integers(1), c.axis(2)) : repeat(c.tensor(0), c.integer(1))};
}

Tensors moveaxis_of(const Call& c) {
  return {c.is_list(1) ? moveaxis(c.tensor(0), c.axes(1), c.axes(2)) : moveaxis(c.tensor(0), c.axis(1), c.axis(2))};
}

Tensors eye_of(const Call& c) {
  return {c.size() == 3 ? eye(c.integer(0), c.integer(1), c.integer(2))
                        : eye(c.integer(0), std::nullopt, 0, dtype_from_name(c.word(1)))};
}

TEST(KerasOps, Rearranging) {
  const Functions functions = {
      {"roll", &roll_of},
      {"flip", [](const Call& c) { return Tensors{flip(c.tensor(0), c.optional_axis(1))}; }},
      {"fliplr", of_x(&fliplr)},
      {"flipud", of_x(&flipud)},
      {"rot90",
       [](const Call& c) {
         return Tensors{c.size() > 2 ? rot90(c.tensor(0), c.axis(1), c.axes(2)) : rot90(c.tensor(0), c.axis(1))};
       }},
      {"moveaxis", &moveaxis_of},
      {"swapaxes", [](const Call& c) { return Tensors{swapaxes(c.tensor(0), c.axis(1), c.axis(2))}; }},
      {"ravel", of_x(&ravel)},
      {"append", [](const Call& c) { return Tensors{append(c.tensor(0), c.tensor(1), c.optional_axis(2))}; }},
      {"vstack", [](const Call& c) { return Tensors{vstack(c.tensors(0))}; }},
      {"hstack", [](const Call& c) { return Tensors{hstack(c.tensors(0))}; }},
      {"dstack", [](const Call& c) { return Tensors{dstack(c.tensors(0))}; }},
      {"array_split", [](const Call& c) { return array_split(c.tensor(0), c.axis(1), c.axis(2)); }},
      {"repeat", &repeat_of},
      {"tile", [](const Call& c) { return Tensors{tile(c.tensor(0), c.integers(1))}; }},
      {"pad", &pad_of},
      {"tril", [](const Call& c) { return Tensors{tril(c.tensor(0), c.integer(1))}; }},
      {"triu", [](const Call& c) { return Tensors{triu(c.tensor(0), c.integer(1))}; }},
      {"tri", [](const Call& c) { return Tensors{tri(c.integer(0), c.integer(1), c.integer(2))}; }},
      {"diag", [](const Call& c) { return Tensors{diag(c.tensor(0), c.integer(1))}; }},
      {"diagflat", [](const Call& c) { return Tensors{diagflat(c.tensor(0), c.integer(1))}; }},
      {"diagonal", [](const Call& c) { return Tensors{diagonal(c.tensor(0), c.integer(1), c.axis(2), c.axis(3))}; }},
      {"trace", [](const Call& c) { return Tensors{trace(c.tensor(0), c.integer(1), c.axis(2), c.axis(3))}; }},
      {"eye", &eye_of},
      {"meshgrid",
       [](const Call& c) { return meshgrid(c.tensors(0), c.has(1, "ij") ? GridIndexing::ij : GridIndexing::xy); }},
      {"arange", &arange_of},
      {"linspace", &linspace_of},
      {"logspace",
       [](const Call& c) {
         return Tensors{logspace(c.scalar(0), c.scalar(1), {.num = c.integer(2)}, c.optional_real(3).value_or(10.0))};
       }},
      {"geomspace", [](const Call& c) { return Tensors{geomspace(c.scalar(0), c.scalar(1), {.num = c.integer(2)})}; }},
  };
  golden::compare("rearranging", functions);
}

Tensors top_k_of(const Call& c) {
  const TopK result = top_k(c.tensor(0), c.integer(1));
  return {result.values, result.indices};
}

SearchSide side_of(const std::string& word) { return word == "right" ? SearchSide::right : SearchSide::left; }

Tensors trapezoid_of(const Call& c) {
  if (c.has(1, "y")) return {trapezoid(c.tensor(0), c.tensor(1), c.axis(2))};
  return {trapezoid(c.tensor(0), c.optional_real(1).value_or(1.0))};
}

TEST(KerasOps, OrderingAndAccumulating) {
  const Functions functions = {
      {"sort", [](const Call& c) { return Tensors{sort(c.tensor(0), c.optional_axis(1))}; }},
      {"argsort", [](const Call& c) { return Tensors{argsort(c.tensor(0), c.optional_axis(1))}; }},
      {"top_k", &top_k_of},
      {"in_top_k", [](const Call& c) { return Tensors{in_top_k(c.tensor(0), c.tensor(1), c.integer(2))}; }},
      {"argpartition", [](const Call& c) { return Tensors{argpartition(c.tensor(0), c.integer(1))}; }},
      {"searchsorted",
       [](const Call& c) { return Tensors{searchsorted(c.tensor(0), c.tensor(1), side_of(c.word(2)))}; }},
      {"digitize",
       [](const Call& c) {
         return Tensors{digitize(c.tensor(0), Tensor::from_data<float>({3}, {0.0F, 1.0F, 2.5F}))};
       }},
      {"cumsum",
       [](const Call& c) {
         std::optional<DType> dtype;
         if (c.size() > 2) dtype = dtype_from_name(c.word(2));
         return Tensors{cumsum(c.tensor(0), c.optional_axis(1), dtype)};
       }},
      {"cumprod", [](const Call& c) { return Tensors{cumprod(c.tensor(0), c.optional_axis(1))}; }},
      {"diff", [](const Call& c) { return Tensors{diff(c.tensor(0), c.axis(1), c.axis(2))}; }},
      {"trapezoid", &trapezoid_of},
  };
  golden::compare("ordering", functions);
}

Tensors norm_of(const Call& c) {
  const bool keepdims = c.has(3, "keepdims");
  if (c.has(1, "fro")) return {norm(c.tensor(0), "fro", c.axes(2), keepdims)};
  return {norm(c.tensor(0), c.optional_real(1), c.axes(2), keepdims)};
}

Tensors tensordot_of(const Call& c) {
  if (c.is_list(2)) return {tensordot(c.tensor(0), c.tensor(1), c.axes(2), c.axes(3))};
  return {tensordot(c.tensor(0), c.tensor(1), c.axis(2))};
}

Tensors cross_of(const Call& c) {
  return {c.size() == 2 ? cross(c.tensor(0), c.tensor(1))
                        : cross(c.tensor(0), c.tensor(1), c.axis(2), c.axis(3), c.axis(4))};
}

TEST(KerasOps, Products) {
  const Functions functions = {
      {"einsum", [](const Call& c) { return Tensors{einsum(c.text(), c.inputs())}; }},
      {"tensordot", &tensordot_of},
      {"dot", of_both(&dot)},
      {"inner", of_both(&inner)},
      {"outer", of_both(&outer)},
      {"vdot", of_both(&vdot)},
      {"kron", of_both(&kron)},
      {"cross", &cross_of},
      {"norm", &norm_of},
      {"normalize", [](const Call& c) { return Tensors{normalize(c.tensor(0), c.axis(1), c.axis(2))}; }},
  };
  golden::compare("products", functions);
}

using Reduction = Tensor (*)(const Tensor&, const std::vector<int>&, bool);

std::function<Tensors(const Call&)> of_axes(Reduction f) {
  return [f](const Call& c) { return Tensors{f(c.tensor(0), c.axes(1), c.has(2, "keepdims"))}; };
}

QuantileMethod quantile_method_of(const std::string& word) {
  const std::map<std::string, QuantileMethod> methods = {{"linear", QuantileMethod::linear},
                                                         {"lower", QuantileMethod::lower},
                                                         {"higher", QuantileMethod::higher},
                                                         {"midpoint", QuantileMethod::midpoint},
                                                         {"nearest", QuantileMethod::nearest}};
  return methods.at(word);
}

Tensors quantile_of(const Call& c) {
  const QuantileMethod method = quantile_method_of(c.word(3));
  if (c.is_list(1)) return {quantile(c.tensor(0), std::vector<double>{0.0, 0.5, 1.0}, c.axes(2), method)};
  return {quantile(c.tensor(0), *c.optional_real(1), c.axes(2), method)};
}

TEST(KerasOps, Statistics) {
  const Functions functions = {
      {"median", of_axes(&median)},
      {"quantile", &quantile_of},
      {"percentile", [](const Call& c) { return Tensors{percentile(c.tensor(0), *c.optional_real(1), c.axes(2))}; }},
      {"std", of_axes(&standard_deviation)},
      {"ptp", of_axes(&ptp)},
      {"count_nonzero", [](const Call& c) { return Tensors{count_nonzero(c.tensor(0), c.axes(1))}; }},
      {"nansum", of_axes(&nansum)},
      {"nanprod", of_axes(&nanprod)},
      {"nanmax", of_axes(&nanmax)},
      {"nanmin", of_axes(&nanmin)},
      {"nanmean", of_axes(&nanmean)},
      {"nanvar", of_axes(&nanvar)},
      {"nanstd", of_axes(&nanstd)},
      {"average",
       [](const Call& c) {
         return Tensors{average(c.tensor(0), c.optional_axis(1), c.has(2, "y") ? c.tensor(2) : Tensor())};
       }},
      {"nanargmax", [](const Call& c) { return Tensors{nanargmax(c.tensor(0), c.axis(1))}; }},
      {"nanargmin", [](const Call& c) { return Tensors{nanargmin(c.tensor(0), c.axis(1))}; }},
      {"corrcoef", of_x(&corrcoef)},
      {"isin", [](const Call& c) { return Tensors{isin(c.tensor(0), c.tensor(1), c.has(2, "invert"))}; }},
      {"vander", [](const Call& c) { return Tensors{vander(c.tensor(0), c.integer(1), c.has(2, "increasing"))}; }},
  };
  golden::compare("statistics", functions);
}

TEST(KerasOps, SpecialFunctions) {
  const Functions functions = {
      {"tan", of_x(&ops::tan)},
      {"arcsin", of_x(&ops::arcsin)},
      {"arccos", of_x(&ops::arccos)},
      {"arctan", of_x(&ops::arctan)},
      {"sinh", of_x(&ops::sinh)},
      {"cosh", of_x(&ops::cosh)},
      {"arcsinh", of_x(&ops::arcsinh)},
      {"arccosh", of_x(&ops::arccosh)},
      {"arctanh", of_x(&ops::arctanh)},
      {"erfinv", of_x(&ops::erfinv)},
      {"sinc", of_x(&ops::sinc)},
      {"exp2", of_x(&ops::exp2)},
      {"log2", of_x(&ops::log2)},
      {"log10", of_x(&ops::log10)},
      {"cbrt", of_x(&ops::cbrt)},
      {"deg2rad", of_x(&ops::deg2rad)},
      {"rad2deg", of_x(&ops::rad2deg)},
      {"trunc", of_x(&ops::trunc)},
      {"bitwise_invert", of_x(&ops::bitwise_invert)},
      {"isinf", of_x(&ops::isinf)},
      {"isposinf", of_x(&ops::isposinf)},
      {"isneginf", of_x(&ops::isneginf)},
      {"arctan2", of_both(&ops::arctan2)},
      {"hypot", of_both(&ops::hypot)},
      {"logaddexp", of_both(&ops::logaddexp)},
      {"logaddexp2", of_both(&ops::logaddexp2)},
      {"heaviside", of_both(&ops::heaviside)},
      {"fmax", of_both(&ops::fmax)},
      {"fmin", of_both(&ops::fmin)},
      {"floor_divide", of_both(&ops::floor_divide)},
      {"mod", of_both(&ops::mod)},
      {"fmod", of_both(&ops::fmod)},
      {"logical_xor", of_both(&ops::logical_xor)},
      {"bitwise_and", of_both(&ops::bitwise_and)},
      {"bitwise_or", of_both(&ops::bitwise_or)},
      {"bitwise_xor", of_both(&ops::bitwise_xor)},
      {"bitwise_left_shift", of_both(&ops::bitwise_left_shift)},
      {"bitwise_right_shift", of_both(&ops::bitwise_right_shift)},
      {"divide_no_nan", of_both(&ops::divide_no_nan)},
      {"nancumsum", [](const Call& c) { return Tensors{nancumsum(c.tensor(0))}; }},
      {"nancumprod", [](const Call& c) { return Tensors{nancumprod(c.tensor(0))}; }},
      {"isclose",
       [](const Call& c) { return Tensors{isclose(c.tensor(0), c.tensor(1), 1e-5, 1e-8, c.has(2, "nan"))}; }},
      {"allclose", [](const Call& c) { return Tensors{allclose(c.tensor(0), c.tensor(1))}; }},
      {"nan_to_num",
       [](const Call& c) {
         if (c.size() == 1) return Tensors{nan_to_num(c.tensor(0))};
         return Tensors{nan_to_num(c.tensor(0), *c.optional_real(1), c.optional_real(2), c.optional_real(3))};
       }},
  };
  golden::compare("special", functions);
}

std::function<Tensors(const Call&)> of_length(Tensor (*f)(std::int64_t)) {
  return [f](const Call& c) { return Tensors{f(c.integer(0))}; };
}

TEST(KerasOps, Numbers) {
  const Functions functions = {
      {"i0", of_x(&ops::i0)},
      {"angle", of_x(&ops::angle)},
      {"real", of_x(&ops::real)},
      {"imag", of_x(&ops::imag)},
      {"conj", of_x(&ops::conj)},
      {"isreal", of_x(&ops::isreal)},
      {"signbit", of_x(&ops::signbit)},
      {"ldexp", of_both(&ops::ldexp)},
      {"nextafter", of_both(&ops::nextafter)},
      {"gcd", of_both(&ops::gcd)},
      {"lcm", of_both(&ops::lcm)},
      {"bartlett", of_length(&ops::bartlett)},
      {"blackman", of_length(&ops::blackman)},
      {"hamming", of_length(&ops::hamming)},
      {"hanning", of_length(&ops::hanning)},
      {"kaiser", [](const Call& c) { return Tensors{kaiser(c.integer(0), *c.optional_real(1))}; }},
      {"empty",
       [](const Call& c) {
         return Tensors{ops::empty({c.integers(0)[0], c.integers(0)[1]})};
       }},
      {"empty_like", [](const Call& c) { return Tensors{empty_like(c.tensor(0))}; }},
  };
  golden::compare("numbers", functions);
}

Tensors nanquantile_of(const Call& c) {
  const QuantileMethod method = quantile_method_of(c.word(3));
  if (c.is_list(1)) return {nanquantile(c.tensor(0), std::vector<double>{0.0, 0.5, 1.0}, c.axes(2), method)};
  return {nanquantile(c.tensor(0), *c.optional_real(1), c.axes(2), method)};
}

Tensors bincount_of(const Call& c) {
  return {bincount(c.tensor(0), c.size() > 1 && !c.has(1, "none") ? c.tensor(1) : Tensor(),
                   c.size() > 2 ? c.integer(2) : 0)};
}

Tensors histogram_of(const Call& c) {
  std::optional<std::pair<double, double>> range;
  if (c.size() > 2) range = std::pair(*c.optional_real(2), *c.optional_real(3));
  const auto [counts, edges] = histogram(c.tensor(0), c.size() > 1 ? c.integer(1) : 10, range);
  return {counts, edges};
}

Tensors unique_of(const Call& c) {
  UniqueOptions options{.sorted = !c.has(1, "unsorted"), .axis = c.optional_axis(2)};
  if (c.size() > 3) options.size = c.integer(3);
  if (c.size() > 4) options.fill_value = c.integer(4);
  const Unique result = unique(c.tensor(0), options);
  return {result.values, result.indices, result.inverse, result.counts};
}

Tensors unravel_index_of(const Call& c) {
  const std::vector<std::int64_t> lengths = c.integers(1);
  return unravel_index(c.tensor(0), Shape(std::span<const std::int64_t>(lengths)));
}

/// "rearrange(x, pattern, h=2)".
Tensors rearrange_of(const Call& c) {
  std::vector<std::pair<std::string, std::int64_t>> lengths;
  for (std::size_t i = 2; i < c.size(); ++i) {
    const std::size_t sign = c.word(i).find('=');
    lengths.emplace_back(c.word(i).substr(0, sign), std::stoll(c.word(i).substr(sign + 1)));
  }
  return {rearrange(c.tensor(0), c.word(1), lengths)};
}

using Cut = std::vector<Tensor> (*)(const Tensor&, int);
using CutAt = std::vector<Tensor> (*)(const Tensor&, const std::vector<std::int64_t>&);

std::function<Tensors(const Call&)> of_parts(Cut cut, CutAt cut_at) {
  return [=](const Call& c) { return c.is_list(1) ? cut_at(c.tensor(0), c.integers(1)) : cut(c.tensor(0), c.axis(1)); };
}

TEST(KerasOps, Counting) {
  const Functions functions = {
      {"nanmedian", [](const Call& c) { return Tensors{nanmedian(c.tensor(0), c.axes(1))}; }},
      {"nanquantile", &nanquantile_of},
      {"nanpercentile",
       [](const Call& c) { return Tensors{nanpercentile(c.tensor(0), *c.optional_real(1), c.axes(2))}; }},
      {"bincount", &bincount_of},
      {"histogram", &histogram_of},
      {"nonzero", [](const Call& c) { return nonzero(c.tensor(0)); }},
      {"unique", &unique_of},
      {"unravel_index", &unravel_index_of},
      {"view", [](const Call& c) { return Tensors{view(c.tensor(0), dtype_from_name(c.word(1)))}; }},
      {"correlate",
       [](const Call& c) {
         return Tensors{correlate(c.tensor(0), c.tensor(1), correlation_mode_from_name(c.word(2)))};
       }},
      {"cdist", of_both(&cdist)},
      {"hsplit", of_parts(&hsplit, &hsplit)},
      {"vsplit", of_parts(&vsplit, &vsplit)},
      {"dsplit", of_parts(&dsplit, &dsplit)},
      {"rearrange", &rearrange_of},
  };
  golden::compare("counting", functions);
}

}  // namespace
}  // namespace rhyton
