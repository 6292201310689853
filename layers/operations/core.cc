// The basic functions of keras.ops on symbolic tensors.

#include <rhyton/layers/operations/core.h>

#include <optional>
#include <string>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/dynamic_slice.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/operations/constants.h>
#include <rhyton/layers/operations/operation.h>
#include <rhyton/layers/operations/tables.h>

namespace rhyton {
namespace layers {
namespace {

std::vector<Tensor> unstacked(const Tensor& x, std::optional<std::int64_t> num, int axis) {
  const std::int64_t length = x.shape()[normalize_axis(axis, x.rank())];
  if (num && *num != length) {
    throw ValueError("The argument `num` is " + std::to_string(*num) + ", but the axis has " + std::to_string(length) +
                     " elements.");
  }
  return unstack(x, axis);
}

Tensor scatter_updated(const Tensor& inputs, const Argument& indices, const Argument& updates,
                       const std::optional<std::string>& reduction) {
  return scatter_update(inputs, constant_of(indices), constant_of(updates),
                        reduction ? scatter_reduction_from_name(*reduction) : ScatterReduction::update);
}

Tensor sliced(const Tensor& x, const Argument& start_indices, const std::vector<std::int64_t>& sizes) {
  if (start_indices.is_tensor()) return dynamic_slice(x, start_indices.tensor(), sizes);
  return slice(x, ArgumentValue<std::vector<std::int64_t>>::from(start_indices), sizes);
}

Tensor slice_updated(const Tensor& x, const Argument& start_indices, const Argument& updates) {
  return dynamic_slice_update(x, constant_of(start_indices), constant_of(updates));
}

Argument reduction_argument(ScatterReduction reduction) {
  switch (reduction) {
    case ScatterReduction::update:
      return {};
    case ScatterReduction::add:
      return "add";
    case ScatterReduction::max:
      return "max";
    case ScatterReduction::min:
      return "min";
    case ScatterReduction::mul:
      return "mul";
  }
  return {};
}

}  // namespace

std::vector<Operation> core_operations() {
  return {
      {"Cast", "ops.core", {"x"}, {{"dtype", {}}}, computes([](const Tensor& x, DType dtype) {
         return cast(x, dtype);
       })},
      {"ConvertToTensor",
       "ops.core",
       {"x"},
       {{"dtype", {}}, {"sparse", {}}, {"ragged", {}}},
       computes(
           [](const Tensor& x, std::optional<DType> dtype, std::optional<bool> sparse, std::optional<bool> ragged) {
             if (sparse.value_or(false)) throw NotImplementedError("The argument `sparse` must not be True.");
             if (ragged.value_or(false)) throw NotImplementedError("The argument `ragged` must not be True.");
             return cast(x, dtype.value_or(x.dtype()));
           })},
      {"StopGradient", "ops.core", {"variable"}, {}, computes([](const Tensor& x) { return stop_gradient(x); })},
      {"Unstack", "ops.core", {"x"}, {{"num", {}}, {"axis", 0}}, computes(unstacked)},
      {"Scatter",
       "ops.core",
       {"indices", "values"},
       {{"shape", {}}},
       computes([](const Argument& indices, const Argument& values, const Shape& shape) {
         return scatter(constant_of(indices), constant_of(values), shape);
       })},
      {"ScatterUpdate", "ops.core", {"inputs", "indices", "updates"}, {{"reduction", {}}}, computes(scatter_updated)},
      {"Slice", "ops.core", {"inputs", "start_indices"}, {{"shape", {}}}, computes(sliced)},
      {"SliceUpdate", "ops.core", {"inputs", "start_indices", "updates"}, {}, computes(slice_updated)},
  };
}

}  // namespace layers

inline namespace ops {

using layers::Argument;
using layers::argument_of;
using layers::call_operation;
using layers::operation_output;
using layers::SymbolicTensor;

SymbolicTensor cast(const SymbolicTensor& x, DType dtype) {
  return operation_output("Cast", {x}, {argument_of(dtype)});
}
SymbolicTensor stop_gradient(const SymbolicTensor& x) { return operation_output("StopGradient", {x}); }
std::vector<SymbolicTensor> unstack(const SymbolicTensor& x, int axis) {
  if (x.shape()[normalize_axis(axis, x.rank())] < 0) {
    throw ValueError("Cannot infer argument `num` from shape " + x.shape().to_string() +
                     ". Either provide a tensor with a concrete shape in the `axis` dimension or explicitly pass the "
                     "`num` argument.");
  }
  return call_operation("Unstack", {x}, {Argument(), axis});
}

SymbolicTensor scatter(const SymbolicTensor& indices, const Argument& values, const Shape& shape) {
  return operation_output("Scatter", {indices, values}, {argument_of(shape)});
}
SymbolicTensor scatter_update(const SymbolicTensor& inputs, const Argument& indices, const Argument& updates,
                              ScatterReduction reduction) {
  return operation_output("ScatterUpdate", {inputs, indices, updates}, {layers::reduction_argument(reduction)});
}

SymbolicTensor slice(const SymbolicTensor& x, const std::vector<std::int64_t>& begin,
                     const std::vector<std::int64_t>& sizes) {
  return operation_output("Slice", {x, Argument(begin)}, {Argument(sizes)});
}
template <class Indices>
requires(std::same_as<Indices, Tensor> || std::same_as<Indices, SymbolicTensor>) SymbolicTensor
    slice(const SymbolicTensor& x, const Indices& start_indices, const std::vector<std::int64_t>& sizes) {
  return operation_output("Slice", {x, start_indices}, {Argument(sizes)});
}
template SymbolicTensor slice<Tensor>(const SymbolicTensor&, const Tensor&, const std::vector<std::int64_t>&);
template SymbolicTensor slice<SymbolicTensor>(const SymbolicTensor&, const SymbolicTensor&,
                                              const std::vector<std::int64_t>&);

SymbolicTensor slice_update(const SymbolicTensor& x, const std::vector<std::int64_t>& start_indices,
                            const Argument& updates) {
  return operation_output("SliceUpdate", {x, Argument(start_indices), updates});
}
template <class Indices>
requires(std::same_as<Indices, Tensor> || std::same_as<Indices, SymbolicTensor>) SymbolicTensor
    slice_update(const SymbolicTensor& x, const Indices& start_indices, const Argument& updates) {
  return operation_output("SliceUpdate", {x, start_indices, updates});
}
template SymbolicTensor slice_update<Tensor>(const SymbolicTensor&, const Tensor&, const Argument&);
template SymbolicTensor slice_update<SymbolicTensor>(const SymbolicTensor&, const SymbolicTensor&, const Argument&);

}  // namespace ops
}  // namespace rhyton
