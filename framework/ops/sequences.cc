#include <rhyton/framework/ops/sequences.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/framework/ops/broadcasting.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/gather.h>
#include <rhyton/framework/ops/promotion.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/tensor/checked_arithmetic.h>
#include <rhyton/framework/tensor/result_type.h>

namespace rhyton {
inline namespace ops {
namespace {

std::string number_text(const Scalar& number) {
  return number.is_floating() ? std::to_string(number.as_double()) : std::to_string(number.as_integer());
}

void require_direction(const Scalar& start, const Scalar& stop, const Scalar& step) {
  if (step.as_double() == 0.0) throw InvalidArgumentError("Requires delta != 0: " + number_text(step) + " [Op:Range]");
  const std::string both = number_text(start) + "/" + number_text(stop) + " [Op:Range]";
  const double distance = stop.as_double() - start.as_double();
  if (step.as_double() > 0.0 && distance < 0.0) {
    throw InvalidArgumentError("Requires start <= limit when delta > 0: " + both);
  }
  if (step.as_double() < 0.0 && distance > 0.0) {
    throw InvalidArgumentError("Requires start >= limit when delta < 0: " + both);
  }
}

constexpr std::int64_t max_length = std::numeric_limits<std::int64_t>::max() / 16;

[[noreturn]] void throw_too_long() {
  throw InvalidArgumentError("Requires ((limit - start) / delta) <= " + std::to_string(max_length) + " [Op:Range]");
}

Tensor integer_range(std::int64_t start, std::int64_t stop, std::int64_t step) {
  const std::int64_t distance = checked_subtract(stop, start);
  // Floating numbers may hide a direction.
  if (distance != 0 && (distance < 0) != (step < 0)) {
    throw InvalidArgumentError(std::string("Requires start ") +
                               (step > 0 ? "<= limit when delta > 0: " : ">= limit when delta < 0: ") +
                               std::to_string(start) + "/" + std::to_string(stop) + " [Op:Range]");
  }
  const auto magnitude = [](std::int64_t number) {
    return number < 0 ? 0 - static_cast<std::uint64_t>(number) : static_cast<std::uint64_t>(number);
  };
  const std::uint64_t whole = magnitude(distance) / magnitude(step);
  const std::uint64_t length = whole + (magnitude(distance) % magnitude(step) == 0 ? 0 : 1);
  if (length > max_length) throw_too_long();
  const auto count = static_cast<std::int64_t>(length);
  // The numbers lie between start and stop: they cannot overflow.
  return range(count, DType::int64) * step + start;
}

Tensor real_range(double start, double stop, double step) {
  const double count = std::ceil((stop - start) / step);
  if (!(count < static_cast<double>(max_length))) throw_too_long();
  return cast(range(static_cast<std::int64_t>(count), DType::int64), DType::float64) * step + start;
}

/// Throws ValueError if integers of the dtype cannot be that number.
void require_representable(std::int64_t number, DType dtype) {
  if (Scalar(number).fits(dtype)) return;
  throw ValueError("arange: " + std::to_string(number) + " is out of the bounds of " + std::string(name_of(dtype)) +
                   ".");
}

DType spaced_dtype(DType start, DType stop, const LinspaceOptions& options) {
  return options.dtype.value_or(floating_result_type(result_type(start, stop)));
}

/// The dtype that a number has as an argument of linspace.
DType own_dtype(const Scalar& number) { return number.is_floating() ? default_floating_dtype() : DType::int32; }

/// The numbers from start to stop, both included: exactly start and stop at the ends.
Tensor spaced(const Tensor& start, const Tensor& stop, std::int64_t num, int axis) {
  if (num == 1) return start;
  const Tensor step = (stop - start) / static_cast<double>(std::max<std::int64_t>(num - 1, 1));
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(start.rank()), 1);
  lengths[static_cast<std::size_t>(axis)] = std::max<std::int64_t>(num - 2, 0);
  const Tensor numbers = cast(range(std::max<std::int64_t>(num - 2, 0), DType::int64) + 1, start.dtype());
  const Tensor inner = start + step * reshape(numbers, Shape(std::span<const std::int64_t>(lengths)));
  return slice_axis(concatenate({start, inner, stop}, axis), axis, 0, num);
}

}  // namespace

Tensor arange(const Scalar& start, const Scalar& stop, const Scalar& step, std::optional<DType> dtype) {
  const bool is_real = start.is_floating() || stop.is_floating() || step.is_floating();
  const DType result = dtype.value_or(is_real ? default_floating_dtype() : DType::int32);
  require_direction(start, stop, step);
  const Tensor numbers = is_real ? real_range(start.as_double(), stop.as_double(), step.as_double())
                                 : integer_range(start.as_integer(), stop.as_integer(), step.as_integer());
  if (!is_real && numbers.size() > 0) {
    require_representable(start.as_integer(), result);
    require_representable(start.as_integer() + step.as_integer() * (numbers.size() - 1), result);
  }
  return cast(numbers, result);
}

Tensor arange(const Scalar& stop, std::optional<DType> dtype) { return arange(0, stop, 1, dtype); }

std::pair<Tensor, Tensor> linspace_with_step(const Tensor& start, const Tensor& stop, const LinspaceOptions& options) {
  if (options.num < 0) {
    throw ValueError("`num` must be a non-negative integer. Received: num=" + std::to_string(options.num));
  }
  const DType dtype = spaced_dtype(start.dtype(), stop.dtype(), options);
  // As TensorFlow: numbers between integers are float64, before they are rounded down.
  const DType computed = is_floating(dtype) ? dtype : DType::float64;
  const Shape shape = broadcast_shapes(start.shape(), stop.shape());
  const Tensor first = broadcast_to(cast(cast(start, dtype), computed), shape);
  const Tensor last = broadcast_to(cast(cast(stop, dtype), computed), shape);
  const std::int64_t steps = options.endpoint ? options.num - 1 : options.num;
  const Tensor step = steps > 0 ? (last - first) / static_cast<double>(steps)
                                : full_like(first, std::numeric_limits<double>::quiet_NaN());
  const Tensor end = options.endpoint || options.num <= 1 ? last : last - step;
  const int axis = normalize_axis(options.axis, shape.rank() + 1);
  const Tensor numbers = spaced(expand_dims(first, axis), expand_dims(end, axis), options.num, axis);
  return {is_floating(dtype) ? numbers : cast(floor(numbers), dtype), step};
}

Tensor linspace(const Tensor& start, const Tensor& stop, const LinspaceOptions& options) {
  return linspace_with_step(start, stop, options).first;
}

Tensor linspace(const Scalar& start, const Scalar& stop, const LinspaceOptions& options) {
  LinspaceOptions resolved = options;
  resolved.dtype = spaced_dtype(own_dtype(start), own_dtype(stop), options);
  return linspace(number(start, *resolved.dtype), number(stop, *resolved.dtype), resolved);
}

Tensor logspace(const Tensor& start, const Tensor& stop, const LinspaceOptions& options, double base) {
  const Tensor exponents = linspace(start, stop, options);
  return power(number(base, exponents.dtype()), exponents);
}

Tensor logspace(const Scalar& start, const Scalar& stop, const LinspaceOptions& options, double base) {
  const Tensor exponents = linspace(start, stop, options);
  return power(number(base, exponents.dtype()), exponents);
}

Tensor geomspace(const Scalar& start, const Scalar& stop, const LinspaceOptions& options) {
  const DType dtype = options.dtype.value_or(default_floating_dtype());
  const auto exponent = [&](const Scalar& value) { return log(abs(number(value, dtype))) / std::log(10.0); };
  const Tensor sizes = logspace(exponent(start), exponent(stop), options);
  return start.as_double() < 0.0 ? negative(sizes) : sizes;
}

Tensor zeros(const Shape& shape, std::optional<DType> dtype) {
  return Tensor::zeros(shape, dtype.value_or(default_floating_dtype()));
}

Tensor ones(const Shape& shape, std::optional<DType> dtype) { return full(shape, 1.0, dtype); }

Tensor full(const Shape& shape, const Scalar& fill_value, std::optional<DType> dtype) {
  return Tensor::full(shape, fill_value, dtype.value_or(default_floating_dtype()));
}

Tensor full(const Shape& shape, const Tensor& fill_value, std::optional<DType> dtype) {
  return broadcast_to(cast(fill_value, dtype.value_or(default_floating_dtype())), shape);
}

Tensor zeros_like(const Tensor& x, DType dtype) { return cast(zeros_like(x), dtype); }
Tensor ones_like(const Tensor& x, DType dtype) { return cast(ones_like(x), dtype); }

Tensor full_like(const Tensor& x, const Scalar& fill_value, DType dtype) {
  return broadcast_like(number(fill_value, dtype), x);
}

Tensor full_like(const Tensor& x, const Tensor& fill_value, std::optional<DType> dtype) {
  return broadcast_like(cast(fill_value, dtype.value_or(x.dtype())), x);
}

Tensor empty(const Shape& shape, std::optional<DType> dtype) { return zeros(shape, dtype); }

Tensor empty_like(const Tensor& x, std::optional<DType> dtype) {
  return cast(zeros_like(x), dtype.value_or(x.dtype()));
}

Tensor eye(std::int64_t rows, std::optional<std::int64_t> columns, std::int64_t k, std::optional<DType> dtype) {
  const Tensor row = reshape(range(rows, DType::int64), {rows, 1});
  return cast(equal(range(columns.value_or(rows), DType::int64) - row, k), dtype.value_or(default_floating_dtype()));
}

Tensor tri(std::int64_t rows, std::optional<std::int64_t> columns, std::int64_t k, std::optional<DType> dtype) {
  const Tensor row = reshape(range(rows, DType::int64), {rows, 1});
  return cast(less_equal(range(columns.value_or(rows), DType::int64) - row, k),
              dtype.value_or(default_floating_dtype()));
}

}  // namespace ops
}  // namespace rhyton
