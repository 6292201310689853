#include <rhyton/framework/ops/bitcast.h>
#include <rhyton/framework/ops/complex_parts.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/integer_arithmetic.h>
#include <rhyton/framework/ops/special_functions.h>
#include <rhyton/framework/ops/special_values.h>
#include <rhyton/tests/framework/ops/conformance_case.h>

namespace rhyton::conformance {
namespace {

using Inputs = std::vector<Tensor>;

Case function(const std::string& name, Tensor (*f)(const Tensor&), double lowest, double highest, int derivatives = 2) {
  return {.name = name,
          .call = [f](const Inputs& x) { return one(f(x[0])); },
          .inputs = {{.shape = {5, 1, 7}, .lowest = lowest, .highest = highest}},
          .tolerance = 4e-6,
          .half_tolerance = 16.0,
          .derivatives = derivatives};
}

/// A function whose values are too large for float16.
Case beyond_halves(const std::string& name, Tensor (*f)(const Tensor&), double lowest, double highest) {
  Case made = function(name, f, lowest, highest);
  made.takes_halves = false;
  return made;
}

/// Quotients of these numbers are not close to integers, where remainders jump.
Case remainder(const std::string& name, Tensor (*f)(const Tensor&, const Tensor&), int derivatives) {
  return {.name = name,
          .call = [f](const Inputs& x) { return one(f(x[0], x[1])); },
          .inputs = {{.shape = {4, 3}, .values = {2.6, -2.4, 3.3, 1.3, -1.7, 0.6, 4.4, -3.6, 2.2, -0.9, 1.6, 3.9}},
                     {.shape = {3}, .values = {1, -1.5, 1.25}}},
          .derivatives = derivatives,
          .also = integer_dtypes()};
}

Case bits(const std::string& name, Tensor (*f)(const Tensor&, const Tensor&), DType dtype) {
  return {.name = name + "_" + std::string(name_of(dtype)),
          .call = [f](const Inputs& x) { return one(f(x[0], x[1])); },
          .inputs = {{.shape = {4, 2}, .dtype = dtype, .values = {1, 7, 100, 64, 3, 0, 127, 85}},
                     {.shape = {2}, .dtype = dtype, .values = {3, 5}}},
          .derivatives = 0};
}

}  // namespace

std::vector<Case> special_cases() {
  std::vector<Case> cases = {
      function("tan", &tan, -1.2, 1.2),
      function("arcsin", &arcsin, -0.9, 0.9),
      function("arccos", &arccos, -0.9, 0.9),
      function("arctan", &arctan, -3.0, 3.0),
      function("sinh", &ops::sinh, -2.0, 2.0),
      function("cosh", &ops::cosh, -2.0, 2.0),
      function("arcsinh", &arcsinh, -3.0, 3.0),
      function("arccosh", &arccosh, 1.5, 4.0),
      function("arctanh", &arctanh, -0.8, 0.8),
      function("erfc", &ops::erfc, -2.0, 2.0),
      function("erfinv", &erfinv, -0.9, 0.9),
      function("i0", &ops::i0, -2.0, 2.0),
      function("i1", &ops::i1, -2.0, 2.0),
      beyond_halves("i0_of_large_numbers", &ops::i0, 19.0, 21.0),
      beyond_halves("i1_of_large_numbers", &ops::i1, 19.0, 21.0),
      function("signbit", &ops::signbit, -2.0, 2.0, 0),
      function("angle", &ops::angle, 0.1, 2.0, 1),
      function("trunc", &ops::trunc, 0.1, 0.9),
      function("sinc", &sinc, 0.2, 2.0),
      function("exp2", &ops::exp2, -2.0, 2.0),
      function("log10", &ops::log10, 0.5, 4.0),
      function("cbrt", &ops::cbrt, 0.5, 4.0),
      {.name = "arctan2",
       .call = [](const Inputs& x) { return one(arctan2(x[0], x[1])); },
       .inputs = {{.shape = {4, 3}, .lowest = 0.5, .highest = 2.0}, {.shape = {3}, .lowest = -2.0, .highest = -0.5}},
       .half_tolerance = 16.0},
      {.name = "hypot",
       .call = [](const Inputs& x) { return one(ops::hypot(x[0], x[1])); },
       .inputs = {{.shape = {4, 3}, .lowest = 0.5, .highest = 1.0}, {.shape = {3}, .lowest = 1.1, .highest = 2.0}},
       .half_tolerance = 16.0},
      {.name = "logaddexp",
       .call = [](const Inputs& x) { return one(logaddexp(x[0], x[1])); },
       .inputs = {{.shape = {4, 3}, .lowest = 0.5, .highest = 1.0}, {.shape = {3}, .lowest = 1.1, .highest = 2.0}},
       .half_tolerance = 16.0},
      {.name = "ldexp",
       .call = [](const Inputs& x) { return one(ldexp(x[0], x[1])); },
       .inputs = {{.shape = {4, 3}, .lowest = 0.5, .highest = 2.0},
                  {.shape = {3}, .dtype = DType::int32, .values = {-2, 0, 3}}}},
      {.name = "nextafter",
       .call = [](const Inputs& x) { return one(nextafter(x[0], x[1])); },
       .inputs = {{.shape = {4, 3}, .lowest = 0.5, .highest = 1.0}, {.shape = {3}, .lowest = 1.1, .highest = 2.0}},
       .derivatives = 1},
      {.name = "view_bytes_as_integers",
       .call = [](const Inputs& x) { return one(view(x[0], DType::int32)); },
       .inputs = {{.shape = {2, 4}, .dtype = DType::uint8, .values = {1, 2, 3, 4, 250, 6, 7, 8}}},
       .derivatives = 0},
      remainder("floor_divide", &floor_divide, 0),
      remainder("mod", &mod, 1),
      remainder("fmod", &ops::fmod, 1),
  };
  for (const DType dtype : integer_dtypes()) {
    cases.push_back(bits("gcd", &gcd, dtype));
    cases.push_back(bits("lcm", &lcm, dtype));
    cases.push_back(bits("bitwise_and", &bitwise_and, dtype));
    cases.push_back(bits("bitwise_or", &bitwise_or, dtype));
    cases.push_back(bits("bitwise_xor", &bitwise_xor, dtype));
    cases.push_back(bits("bitwise_left_shift", &bitwise_left_shift, dtype));
    cases.push_back(bits("bitwise_right_shift", &bitwise_right_shift, dtype));
    cases.push_back({.name = "bitwise_invert_" + std::string(name_of(dtype)),
                     .call = [](const Inputs& x) { return one(bitwise_invert(x[0])); },
                     .inputs = {{.shape = {4, 2}, .dtype = dtype, .values = {1, 7, 100, 64, 3, 0, 127, 85}}},
                     .derivatives = 0});
  }
  return cases;
}

}  // namespace rhyton::conformance
