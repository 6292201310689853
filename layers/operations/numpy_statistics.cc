// Quantiles, means, sums along an axis and sets.

#include <rhyton/layers/operations/numpy_statistics.h>

#include <array>
#include <string>
#include <utility>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/counting.h>
#include <rhyton/framework/ops/cumulative.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/layers/operations/constants.h>
#include <rhyton/layers/operations/rows.h>
#include <rhyton/layers/operations/tables.h>

namespace rhyton::layers {
namespace {

constexpr std::array<std::pair<const char*, QuantileMethod>, 5> quantile_methods = {
    {{"linear", QuantileMethod::linear},
     {"lower", QuantileMethod::lower},
     {"higher", QuantileMethod::higher},
     {"midpoint", QuantileMethod::midpoint},
     {"nearest", QuantileMethod::nearest}}};

QuantileMethod quantile_method_from_name(const std::string& name) {
  for (const auto& [known, method] : quantile_methods) {
    if (name == known) return method;
  }
  throw ValueError("Invalid method: " + name + ". Expected one of linear, lower, higher, midpoint and nearest.");
}

/// `function` of `q`, a number or constant numbers, which are `scale` times the parts.
template <class Function>
Tensor of_parts(const Argument& q, double scale, const Function& function) {
  if (q.is_number()) return function(q.number().as_double() / scale);
  std::vector<double> parts;
  if (q.is_tensor()) {
    if (!q.tensor().is_concrete()) throw NotImplementedError("`q` of a quantile has to be a constant.");
    if (q.tensor().rank() == 0) return function(q.tensor().item() / scale);
    if (q.tensor().rank() > 1) {
      throw ValueError("`q` of a quantile has to be a number or a vector. Received: " + q.to_string());
    }
    parts = q.tensor().to_vector();
  } else {
    parts = ArgumentValue<std::vector<double>>::from(q);
  }
  for (double& part : parts) part /= scale;
  return function(parts);
}

Tensor quantile_of(const Tensor& x, const Argument& q, const std::vector<int>& axes, QuantileMethod method,
                   bool keepdims, double scale) {
  return of_parts(q, scale, [&](const auto& parts) { return quantile(x, parts, axes, method, keepdims); });
}

/// A row for the quantiles of the elements that are not NaN.
template <int scale>
Operation of_numbers_only(const char* class_name) {
  return {class_name,
          "ops.numpy",
          {"x", "q"},
          {{"axis", {}}, {"method", "linear"}, {"keepdims", false}},
          computes([](const Tensor& x, const Argument& q, const std::vector<int>& axes, const std::string& method,
                      bool keepdims) {
            return of_parts(q, scale, [&](const auto& parts) {
              return nanquantile(x, parts, axes, quantile_method_from_name(method), keepdims);
            });
          })};
}

/// `range` is None or two numbers.
std::pair<Tensor, Tensor> histogram_of(const Tensor& x, std::int64_t bins, const Argument& range) {
  if (range.is_none()) return histogram(x, bins);
  const auto limits = ArgumentValue<std::vector<double>>::from(range);
  if (limits.size() != 2) throw ValueError("range must be a tuple of two elements");
  return histogram(x, bins, std::pair(limits[0], limits[1]));
}

Tensor average_of(const Tensor& x, const std::optional<Tensor>& weights, const std::vector<int>& axes) {
  if (axes.size() < 2) {
    return average(x, axes.empty() ? std::nullopt : std::optional(axes.front()), weights.value_or(Tensor()));
  }
  if (!weights) return mean(x, axes);
  if (weights->rank() != x.rank()) {
    throw NotImplementedError("`average` over several axes needs `weights` of the shape of `x`. Received: x.shape=" +
                              x.shape().to_string() + ", weights.shape=" + weights->shape().to_string());
  }
  return divide(sum(multiply(x, *weights), axes), sum(*weights, axes));
}

Tensor trapezoid_of(const Tensor& y, const Argument& x, double dx, int axis) {
  return x.is_none() ? trapezoid(y, dx, axis) : trapezoid(y, constant_of(x), axis);
}

/// A row of numpy for sums or products up to each element.
Operation cumulative(const char* class_name,
                     Tensor (*function)(const Tensor&, std::optional<int>, std::optional<DType>)) {
  return of_tensor(class_name, {{"axis", {}}, {"dtype", {}}}, function);
}

}  // namespace

std::vector<Operation> numpy_statistics_operations() {
  const Keywords quantile_options = {{"axis", {}}, {"method", "linear"}, {"keepdims", false}};
  return {
      // Keras's Quantile is linear whatever its method is.
      {"Quantile",
       "ops.numpy",
       {"x", "q"},
       quantile_options,
       computes([](const Tensor& x, const Argument& q, const std::vector<int>& axes, const std::string& method,
                   bool keepdims) {
         static_cast<void>(quantile_method_from_name(method));
         return quantile_of(x, q, axes, QuantileMethod::linear, keepdims, 1);
       })},
      {"Percentile",
       "ops.numpy",
       {"x", "q"},
       quantile_options,
       computes(
           [](const Tensor& x, const Argument& q, const std::vector<int>& axes, const std::string& method,
              bool keepdims) { return quantile_of(x, q, axes, quantile_method_from_name(method), keepdims, 100); })},
      of_numbers_only<1>("Nanquantile"),
      of_numbers_only<100>("Nanpercentile"),
      of_tensor("Histogram", {{"bins", 10}, {"range", {}}}, histogram_of),
      {"Average", "ops.numpy", {"x", "weights"}, {{"axis", {}}}, computes(average_of), 1},
      unary("Corrcoef", corrcoef),
      cumulative("Cumsum", cumsum),
      cumulative("Cumprod", cumprod),
      cumulative("Nancumsum", nancumsum),
      cumulative("Nancumprod", nancumprod),
      {"Diff", "ops.numpy", {"a"}, {{"n", 1}, {"axis", -1}}, computes([](const Tensor& x, int n, int axis) {
         return diff(x, n, axis);
       })},
      {"Trapezoid", "ops.numpy", {"y"}, {{"x", {}}, {"dx", 1.0}, {"axis", -1}}, computes(trapezoid_of)},
      of_tensor("Vander", {{"N", {}}, {"increasing", false}},
                [](const Tensor& x, std::optional<std::int64_t> columns, bool increasing) {
                  return vander(x, columns, increasing);
                }),
      // `assume_unique` is a promise that makes no difference to the result.
      of_two_tensors("IsIn", {{"assume_unique", false}, {"invert", false}},
                     [](const Argument& x1, const Argument& x2, bool, bool invert) {
                       return isin(constant_of(x1), constant_of(x2), invert);
                     }),
  };
}

SymbolicTensor symbolic_isin(const Argument& x1, const Argument& x2, bool invert) {
  return operation_output("IsIn", {x1, x2}, {false, invert});
}

}  // namespace rhyton::layers

namespace rhyton {
inline namespace ops {
namespace {

const char* method_name(QuantileMethod method) {
  for (const auto& [name, known] : layers::quantile_methods) {
    if (method == known) return name;
  }
  return "linear";
}

layers::SymbolicTensor symbolic_quantile(const layers::SymbolicTensor& x, const layers::Argument& q,
                                         const std::vector<int>& axes, QuantileMethod method, bool keepdims) {
  if (method != QuantileMethod::linear) {
    throw NotImplementedError(
        "`quantile` of symbolic tensors takes the method 'linear' only: Keras's operation Quantile ignores any other. "
        "`percentile` takes all. Received: method=" +
        std::string(method_name(method)));
  }
  return layers::operation_output("Quantile", {x, q}, {layers::argument_of(axes), method_name(method), keepdims});
}

}  // namespace

layers::SymbolicTensor quantile(const layers::SymbolicTensor& x, double q, const std::vector<int>& axes,
                                QuantileMethod method, bool keepdims) {
  return symbolic_quantile(x, q, axes, method, keepdims);
}
layers::SymbolicTensor quantile(const layers::SymbolicTensor& x, const std::vector<double>& q,
                                const std::vector<int>& axes, QuantileMethod method, bool keepdims) {
  return symbolic_quantile(x, q, axes, method, keepdims);
}
layers::SymbolicTensor percentile(const layers::SymbolicTensor& x, double q, const std::vector<int>& axes,
                                  QuantileMethod method, bool keepdims) {
  return layers::operation_output("Percentile", {x, q}, {layers::argument_of(axes), method_name(method), keepdims});
}
layers::SymbolicTensor nanquantile(const layers::SymbolicTensor& x, double q, const std::vector<int>& axes,
                                   QuantileMethod method, bool keepdims) {
  return layers::operation_output("Nanquantile", {x, q}, {layers::argument_of(axes), method_name(method), keepdims});
}
layers::SymbolicTensor nanquantile(const layers::SymbolicTensor& x, const std::vector<double>& q,
                                   const std::vector<int>& axes, QuantileMethod method, bool keepdims) {
  return layers::operation_output("Nanquantile", {x, q}, {layers::argument_of(axes), method_name(method), keepdims});
}
layers::SymbolicTensor nanpercentile(const layers::SymbolicTensor& x, double q, const std::vector<int>& axes,
                                     QuantileMethod method, bool keepdims) {
  return layers::operation_output("Nanpercentile", {x, q}, {layers::argument_of(axes), method_name(method), keepdims});
}
std::pair<layers::SymbolicTensor, layers::SymbolicTensor> histogram(
    const layers::SymbolicTensor& x, std::int64_t bins, const std::optional<std::pair<double, double>>& range) {
  layers::Argument limits;
  if (range) limits = layers::Argument::List{range->first, range->second};
  const std::vector<layers::SymbolicTensor> outputs = layers::call_operation("Histogram", {x}, {bins, limits});
  return {outputs.at(0), outputs.at(1)};
}
layers::SymbolicTensor average(const layers::SymbolicTensor& x, std::optional<int> axis) {
  return layers::operation_output("Average", {x, layers::Argument()}, {layers::argument_of(axis)});
}
layers::SymbolicTensor average(const layers::SymbolicTensor& x, std::optional<int> axis,
                               const layers::SymbolicTensor& weights) {
  return layers::operation_output("Average", {x, weights}, {layers::argument_of(axis)});
}
layers::SymbolicTensor average(const layers::SymbolicTensor& x, std::optional<int> axis, const Tensor& weights) {
  return layers::operation_output("Average", {x, weights}, {layers::argument_of(axis)});
}
layers::SymbolicTensor corrcoef(const layers::SymbolicTensor& x) { return layers::symbolic_operation("Corrcoef", x); }

layers::SymbolicTensor cumsum(const layers::SymbolicTensor& x, std::optional<int> axis, std::optional<DType> dtype) {
  return layers::operation_output("Cumsum", {x}, {layers::argument_of(axis), layers::argument_of(dtype)});
}
layers::SymbolicTensor cumprod(const layers::SymbolicTensor& x, std::optional<int> axis, std::optional<DType> dtype) {
  return layers::operation_output("Cumprod", {x}, {layers::argument_of(axis), layers::argument_of(dtype)});
}
layers::SymbolicTensor nancumsum(const layers::SymbolicTensor& x, std::optional<int> axis, std::optional<DType> dtype) {
  return layers::operation_output("Nancumsum", {x}, {layers::argument_of(axis), layers::argument_of(dtype)});
}
layers::SymbolicTensor nancumprod(const layers::SymbolicTensor& x, std::optional<int> axis,
                                  std::optional<DType> dtype) {
  return layers::operation_output("Nancumprod", {x}, {layers::argument_of(axis), layers::argument_of(dtype)});
}
layers::SymbolicTensor diff(const layers::SymbolicTensor& x, int n, int axis) {
  return layers::operation_output("Diff", {x}, {n, axis});
}
layers::SymbolicTensor trapezoid(const layers::SymbolicTensor& y, double dx, int axis) {
  return layers::operation_output("Trapezoid", {y}, {layers::Argument(), dx, axis});
}
layers::SymbolicTensor vander(const layers::SymbolicTensor& x, std::optional<std::int64_t> columns, bool increasing) {
  return layers::operation_output("Vander", {x}, {layers::argument_of(columns), increasing});
}

}  // namespace ops
}  // namespace rhyton
