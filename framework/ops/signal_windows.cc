#include <rhyton/framework/ops/signal_windows.h>

#include <cmath>
#include <cstddef>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/special_functions.h>
#include <rhyton/framework/tensor/result_type.h>

namespace rhyton {
inline namespace ops {
namespace {

/// `function` of the places 0 to 1 of `length` numbers, in float64.
Tensor window_of(std::int64_t length, const std::function<double(double)>& function) {
  if (length < 0) {
    throw InvalidArgumentError("Requires start <= limit when delta > 0: 0/" + std::to_string(length) + " [Op:Range]");
  }
  std::vector<double> numbers(static_cast<std::size_t>(length), 1.0);
  for (std::size_t i = 0; length > 1 && i < numbers.size(); ++i) {
    numbers[i] = function(static_cast<double>(i) / static_cast<double>(length - 1));
  }
  return Tensor::from_data({length}, numbers);
}

double cosine(double turns) { return std::cos(2.0 * std::numbers::pi * turns); }

}  // namespace

Tensor bartlett(std::int64_t x) {
  return cast(window_of(x, [](double place) { return 1.0 - std::abs(2.0 * place - 1.0); }), default_floating_dtype());
}

Tensor blackman(std::int64_t x) {
  return cast(window_of(x, [](double place) { return 0.42 - 0.5 * cosine(place) + 0.08 * cosine(2.0 * place); }),
              default_floating_dtype());
}

Tensor hamming(std::int64_t x) {
  return cast(window_of(x, [](double place) { return 0.54 - 0.46 * cosine(place); }), DType::float32);
}

Tensor hanning(std::int64_t x) {
  return cast(window_of(x, [](double place) { return 0.5 - 0.5 * cosine(place); }), DType::float32);
}

Tensor kaiser(std::int64_t x, double beta) {
  if (x == 0) throw InvalidArgumentError("Requires start <= limit when delta > 0: 0.5/-0.4 [Op:Range]");
  if (x == 1) return Tensor::full({1}, 1.0, DType::float32);
  const Tensor widths = window_of(x, [](double place) { return 2.0 * std::sqrt(place * (1.0 - place)); });
  return cast(i0(widths * beta) / i0(Tensor::scalar(beta)), DType::float32);
}

}  // namespace ops
}  // namespace rhyton
