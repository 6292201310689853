// The basic functions of keras.ops on symbolic tensors.

#include <rhyton/layers/operations/core.h>

#include <algorithm>
#include <optional>
#include <string>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/dynamic_slice.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/saturate_cast.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/operations/argument_spec.h>
#include <rhyton/layers/operations/constants.h>
#include <rhyton/layers/operations/operation.h>
#include <rhyton/layers/operations/tables.h>

namespace rhyton {
namespace layers {
namespace {

[[noreturn]] void refuse_num(std::int64_t num, std::int64_t length) {
  throw ValueError("The argument `num` is " + std::to_string(num) + ", but the axis has " + std::to_string(length) +
                   " elements.");
}

std::vector<TensorSpec> unstacked_specs(const std::vector<Argument>& arguments) {
  const TensorSpec x = spec_of(arguments.at(0));
  const int axis = normalize_axis(ArgumentValue<int>::from(arguments.at(2)), x.shape.rank());
  const std::int64_t length = x.shape[axis];
  const std::int64_t num = ArgumentValue<std::optional<std::int64_t>>::from(arguments.at(1)).value_or(length);
  if (num < 0) {
    throw ValueError("Cannot infer argument `num` from shape " + x.shape.to_string() +
                     ". Either provide a tensor with a concrete shape in the `axis` dimension or explicitly pass the "
                     "`num` argument.");
  }
  if (length >= 0 && num != length) refuse_num(num, length);
  require_outputs(num);
  Shape part;
  for (int other = 0; other < x.shape.rank(); ++other) {
    if (other != axis) part.push_back(x.shape[other]);
  }
  return std::vector<TensorSpec>(static_cast<std::size_t>(num), TensorSpec{part, x.dtype});
}

std::vector<Tensor> unstacked(const Tensor& x, std::optional<std::int64_t> num, int axis) {
  const std::int64_t length = x.shape()[normalize_axis(axis, x.rank())];
  if (num && *num != length) refuse_num(*num, length);
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

/// Unknown lengths are not compared with those of the block, as in Keras.
std::vector<TensorSpec> sliced_specs(const std::vector<Argument>& arguments) {
  const TensorSpec x = spec_of(arguments.at(0));
  const Argument& start = arguments.at(1);
  const auto sizes = ArgumentValue<std::vector<std::int64_t>>::from(arguments.at(2));
  std::vector<std::int64_t> begin(sizes.size(), 0);
  const bool is_known = !start.is_symbolic() && !start.is_tensor();
  if (is_known) begin = ArgumentValue<std::vector<std::int64_t>>::from(start);
  const auto rank = static_cast<std::size_t>(x.shape.rank());
  if (sizes.size() != rank || begin.size() != rank) {
    throw ValueError("The start indices and the shape of a slice must have one entry for each of the " +
                     std::to_string(rank) + " axes. Received: start_indices=" + start.to_string() +
                     ", shape=" + arguments.at(2).to_string());
  }
  Shape shape;
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t length = x.shape[static_cast<int>(i)];
    if (sizes[i] == -1 && !is_known) {
      throw NotImplementedError("A length of -1 needs start indices that are numbers.");
    }
    const std::int64_t rest = length < 0 ? length : length - std::max<std::int64_t>(begin[i], 0);
    const std::int64_t size = sizes[i] == -1 ? rest : sizes[i];
    if (begin[i] < 0 || size < (length < 0 ? -1 : 0) || (length >= 0 && size > rest)) {
      throw ValueError("The slice from " + start.to_string() + " of shape " + arguments.at(2).to_string() +
                       " is not inside a tensor of shape " + x.shape.to_string() + ".");
    }
    shape.push_back(size);
  }
  return {{shape, x.dtype}};
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
      {"SaturateCast", "ops.core", {"x"}, {{"dtype", {}}}, computes([](const Tensor& x, DType dtype) {
         return saturate_cast(x, dtype);
       })},
      {"StopGradient", "ops.core", {"variable"}, {}, computes([](const Tensor& x) { return stop_gradient(x); })},
      {.class_name = "Unstack",
       .module = "ops.core",
       .parameters = {"x"},
       .options = {{"num", {}}, {"axis", 0}},
       .compute = computes(unstacked),
       .infer = unstacked_specs},
      {"Scatter",
       "ops.core",
       {"indices", "values"},
       {{"shape", {}}},
       computes([](const Argument& indices, const Argument& values, const Shape& shape) {
         return scatter(constant_of(indices), constant_of(values), shape);
       })},
      {"ScatterUpdate", "ops.core", {"inputs", "indices", "updates"}, {{"reduction", {}}}, computes(scatter_updated)},
      {.class_name = "Slice",
       .module = "ops.core",
       .parameters = {"inputs", "start_indices"},
       .options = {{"shape", {}}},
       .compute = computes(sliced),
       .infer = sliced_specs},
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
SymbolicTensor saturate_cast(const SymbolicTensor& x, DType dtype) {
  return operation_output("SaturateCast", {x}, {argument_of(dtype)});
}
SymbolicTensor stop_gradient(const SymbolicTensor& x) { return operation_output("StopGradient", {x}); }
std::vector<SymbolicTensor> unstack(const SymbolicTensor& x, int axis) {
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
