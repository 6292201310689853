// Reductions.

#include <rhyton/layers/operations/numpy_reductions.h>

#include <optional>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/extremum.h>
#include <rhyton/framework/ops/promotion.h>
#include <rhyton/framework/ops/rearranging.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/ops/statistics.h>
#include <rhyton/layers/operations/rows.h>
#include <rhyton/layers/operations/tables.h>

namespace rhyton::layers {
namespace {

using AxisList = std::vector<int>;

/// Over the axes of an argument: an empty list is no axis, where None is all.
template <class Function>
Tensor over_axes(const Tensor& x, const Argument& axis, bool keepdims, Function function) {
  const bool is_none_of_them = axis.is_list() && axis.list().empty();
  return is_none_of_them ? function(expand_dims(x, -1), AxisList{-1}, false)
                         : function(x, ArgumentValue<AxisList>::from(axis), keepdims);
}

Operation reduction(const char* class_name, Tensor (*function)(const Tensor&, const AxisList&, bool)) {
  return {class_name,
          "ops.numpy",
          {"x"},
          {{"axis", {}}, {"keepdims", false}},
          [function](const std::vector<Argument>& arguments) {
            return std::vector<Tensor>{over_axes(arguments.at(0).tensor(), arguments.at(1),
                                                 ArgumentValue<bool>::from(arguments.at(2)), function)};
          }};
}

/// `max` or `min` of the reduced elements and `initial`. Of bool they are as of 0 and 1.
template <class Function>
Tensor with_initial(const Tensor& reduced, const std::optional<Scalar>& initial, Function function) {
  if (!initial) return reduced;
  if (reduced.dtype() != DType::bool_) return function(reduced, *initial);
  if (initial->is_floating()) {
    throw NotImplementedError("`initial` of bool elements has to be an integer or a truth value.");
  }
  return cast(function(cast(reduced, DType::int32), Scalar(initial->as_integer())), DType::bool_);
}

/// The position along an axis, without one in the flat x.
Tensor position(const Tensor& x, std::optional<int> axis, bool keepdims,
                Tensor (*function)(const Tensor&, std::optional<int>)) {
  const Tensor found = function(x, axis);
  if (axis) return keepdims ? expand_dims(found, *axis) : found;
  Shape ones;
  for (int i = 0; keepdims && i < x.rank(); ++i) ones.push_back(1);
  return reshape(found, ones);
}

template <class Function>
Operation position_row(const char* class_name, Function function) {
  return of_tensor(class_name, {{"axis", {}}, {"keepdims", false}}, function);
}

}  // namespace

std::vector<Operation> numpy_reduction_operations() {
  return {
      reduction("All", all),
      reduction("Amax", max),
      reduction("Amin", min),
      reduction("Any", any),
      reduction("Mean", mean),
      reduction("Median", median),
      reduction("Nanmax", nanmax),
      reduction("Nanmean", nanmean),
      reduction("Nanmedian", nanmedian),
      reduction("Nanmin", nanmin),
      reduction("Nanprod", nanprod),
      reduction("Nanstd", nanstd),
      reduction("Nansum", nansum),
      reduction("Nanvar", nanvar),
      reduction("Ptp", ptp),
      reduction("Std", standard_deviation),
      reduction("Sum", sum),
      reduction("Var", variance),
      of_tensor("Max", {{"axis", {}}, {"keepdims", false}, {"initial", {}}},
                [](const Tensor& x, const Argument& axis, bool keepdims, const std::optional<Scalar>& initial) {
                  if (!initial) return over_axes(x, axis, keepdims, [](const auto&... a) { return max(a...); });
                  return with_initial(over_axes(x, axis, keepdims, [](const auto&... a) { return reduce_max(a...); }),
                                      initial, [](const Tensor& a, const Scalar& b) { return maximum(a, b); });
                }),
      of_tensor("Min", {{"axis", {}}, {"keepdims", false}, {"initial", {}}},
                [](const Tensor& x, const Argument& axis, bool keepdims, const std::optional<Scalar>& initial) {
                  if (!initial) return over_axes(x, axis, keepdims, [](const auto&... a) { return min(a...); });
                  return with_initial(over_axes(x, axis, keepdims, [](const auto&... a) { return reduce_min(a...); }),
                                      initial, [](const Tensor& a, const Scalar& b) { return minimum(a, b); });
                }),
      // As in Keras with TensorFlow, a given dtype is not that of the result: it stays x's.
      of_tensor("Prod", {{"axis", {}}, {"keepdims", false}, {"dtype", {}}},
                [](const Tensor& x, const Argument& axis, bool keepdims, const std::optional<DType>& dtype) {
                  const Tensor product = over_axes(x, axis, keepdims, [](const auto&... a) { return prod(a...); });
                  return dtype ? cast(product, x.dtype()) : product;
                }),
      of_tensor("CountNonzero", {{"axis", {}}},
                [](const Tensor& x, const Argument& axis) {
                  return over_axes(x, axis, false,
                                   [](const Tensor& t, const AxisList& axes, bool) { return count_nonzero(t, axes); });
                }),
      position_row("Argmax", [](const Tensor& x, std::optional<int> axis,
                                bool keepdims) { return position(x, axis, keepdims, argmax); }),
      position_row("Argmin", [](const Tensor& x, std::optional<int> axis,
                                bool keepdims) { return position(x, axis, keepdims, argmin); }),
      position_row("Nanargmax", [](const Tensor& x, std::optional<int> axis,
                                   bool keepdims) { return position(x, axis, keepdims, nanargmax); }),
      position_row("Nanargmin", [](const Tensor& x, std::optional<int> axis,
                                   bool keepdims) { return position(x, axis, keepdims, nanargmin); }),
  };
}

}  // namespace rhyton::layers

namespace rhyton {
inline namespace ops {
namespace {

layers::SymbolicTensor reduced(std::string_view class_name, const layers::SymbolicTensor& x,
                               const std::vector<int>& axes, bool keepdims) {
  return layers::operation_output(class_name, {x}, {layers::argument_of(axes), keepdims});
}

}  // namespace

layers::SymbolicTensor all(const layers::SymbolicTensor& x, const std::vector<int>& axes, bool keepdims) {
  return reduced("All", x, axes, keepdims);
}
layers::SymbolicTensor any(const layers::SymbolicTensor& x, const std::vector<int>& axes, bool keepdims) {
  return reduced("Any", x, axes, keepdims);
}
layers::SymbolicTensor max(const layers::SymbolicTensor& x, const std::vector<int>& axes, bool keepdims) {
  return reduced("Max", x, axes, keepdims);
}
layers::SymbolicTensor mean(const layers::SymbolicTensor& x, const std::vector<int>& axes, bool keepdims) {
  return reduced("Mean", x, axes, keepdims);
}
layers::SymbolicTensor median(const layers::SymbolicTensor& x, const std::vector<int>& axes, bool keepdims) {
  return reduced("Median", x, axes, keepdims);
}
layers::SymbolicTensor min(const layers::SymbolicTensor& x, const std::vector<int>& axes, bool keepdims) {
  return reduced("Min", x, axes, keepdims);
}
layers::SymbolicTensor nanmax(const layers::SymbolicTensor& x, const std::vector<int>& axes, bool keepdims) {
  return reduced("Nanmax", x, axes, keepdims);
}
layers::SymbolicTensor nanmean(const layers::SymbolicTensor& x, const std::vector<int>& axes, bool keepdims) {
  return reduced("Nanmean", x, axes, keepdims);
}
layers::SymbolicTensor nanmedian(const layers::SymbolicTensor& x, const std::vector<int>& axes, bool keepdims) {
  return reduced("Nanmedian", x, axes, keepdims);
}
layers::SymbolicTensor nanmin(const layers::SymbolicTensor& x, const std::vector<int>& axes, bool keepdims) {
  return reduced("Nanmin", x, axes, keepdims);
}
layers::SymbolicTensor nanprod(const layers::SymbolicTensor& x, const std::vector<int>& axes, bool keepdims) {
  return reduced("Nanprod", x, axes, keepdims);
}
layers::SymbolicTensor nanstd(const layers::SymbolicTensor& x, const std::vector<int>& axes, bool keepdims) {
  return reduced("Nanstd", x, axes, keepdims);
}
layers::SymbolicTensor nansum(const layers::SymbolicTensor& x, const std::vector<int>& axes, bool keepdims) {
  return reduced("Nansum", x, axes, keepdims);
}
layers::SymbolicTensor nanvar(const layers::SymbolicTensor& x, const std::vector<int>& axes, bool keepdims) {
  return reduced("Nanvar", x, axes, keepdims);
}
layers::SymbolicTensor prod(const layers::SymbolicTensor& x, const std::vector<int>& axes, bool keepdims) {
  return reduced("Prod", x, axes, keepdims);
}
layers::SymbolicTensor ptp(const layers::SymbolicTensor& x, const std::vector<int>& axes, bool keepdims) {
  return reduced("Ptp", x, axes, keepdims);
}
layers::SymbolicTensor standard_deviation(const layers::SymbolicTensor& x, const std::vector<int>& axes,
                                          bool keepdims) {
  return reduced("Std", x, axes, keepdims);
}
layers::SymbolicTensor sum(const layers::SymbolicTensor& x, const std::vector<int>& axes, bool keepdims) {
  return reduced("Sum", x, axes, keepdims);
}
layers::SymbolicTensor variance(const layers::SymbolicTensor& x, const std::vector<int>& axes, bool keepdims) {
  return reduced("Var", x, axes, keepdims);
}
layers::SymbolicTensor count_nonzero(const layers::SymbolicTensor& x, const std::vector<int>& axes) {
  return layers::operation_output("CountNonzero", {x}, {layers::argument_of(axes)});
}

layers::SymbolicTensor argmax(const layers::SymbolicTensor& x, std::optional<int> axis) {
  return layers::operation_output("Argmax", {x}, {layers::argument_of(axis)});
}
layers::SymbolicTensor argmin(const layers::SymbolicTensor& x, std::optional<int> axis) {
  return layers::operation_output("Argmin", {x}, {layers::argument_of(axis)});
}
layers::SymbolicTensor nanargmax(const layers::SymbolicTensor& x, std::optional<int> axis) {
  return layers::operation_output("Nanargmax", {x}, {layers::argument_of(axis)});
}
layers::SymbolicTensor nanargmin(const layers::SymbolicTensor& x, std::optional<int> axis) {
  return layers::operation_output("Nanargmin", {x}, {layers::argument_of(axis)});
}

}  // namespace ops
}  // namespace rhyton
