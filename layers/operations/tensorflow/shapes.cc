// Functions that change shapes and dtypes, join and divide tensors.

#include <algorithm>
#include <numeric>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/layers/operations/argument_value.h>
#include <rhyton/layers/operations/constants.h>
#include <rhyton/layers/operations/tensorflow/function_call.h>

namespace rhyton::layers::tensorflow {
namespace {

/// A list of one number as that number, which Keras's operations take too.
Argument single(const Argument& argument) {
  return argument.is_list() && argument.list().size() == 1 ? argument.list().front() : argument;
}

Step copy(const Argument& x) { return {"Copy", {x}}; }

/// The tensors of a list; those that are constants have the dtype of the others.
Argument::List tensors_of_list(FunctionCall& call) {
  if (!call.first().is_list()) call.refuse("anything but a list of tensors");
  Argument::List tensors = call.first().list();
  const auto symbol =
      std::find_if(tensors.begin(), tensors.end(), [](const Argument& entry) { return entry.is_symbolic(); });
  if (symbol == tensors.end()) call.refuse("a list of constants");
  const DType dtype = symbol->symbolic().dtype();
  for (Argument& entry : tensors) {
    if (!entry.is_symbolic()) entry = cast(constant_of(entry), dtype);
  }
  return tensors;
}

Conversion joining(const char* class_name) {
  return [class_name](FunctionCall& call) {
    const Argument axis = call.get("axis", 0);
    if (call.first().is_symbolic()) return copy(call.first());
    return Step{class_name, {Argument(tensors_of_list(call))}, {{"axis", axis}}};
  };
}

Step split(FunctionCall& call) {
  const Argument axis = call.get("axis", 0);
  call.require("num", {});
  if (call["num_or_size_splits"].is_number()) {
    return {"Split", {call.x()}, {{"indices_or_sections", call["num_or_size_splits"]}, {"axis", axis}}};
  }
  std::vector<std::int64_t> sizes = call.integers("num_or_size_splits");
  const auto rest = std::find(sizes.begin(), sizes.end(), -1);
  if (rest != sizes.end()) {
    const Shape& shape = shape_of(call.x());
    const std::int64_t length = shape[normalize_axis(ArgumentValue<int>::from(axis), shape.rank())];
    if (length < 0) call.refuse("a length of -1 on an axis of unknown length");
    *rest = 0;
    *rest = length - std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
  }
  Argument::List ends;
  std::int64_t end = 0;
  for (std::size_t i = 0; i + 1 < sizes.size(); ++i) ends.emplace_back(end += sizes[i]);
  if (ends.empty()) return {"Split", {call.x()}, {{"indices_or_sections", 1}, {"axis", axis}}};
  return {"Split", {call.x()}, {{"indices_or_sections", Argument(ends)}, {"axis", axis}}};
}

Step reshape(FunctionCall& call) { return {"Reshape", {call.x()}, {{"newshape", Argument(call.integers("shape"))}}}; }

Step flatten(FunctionCall& call) {
  const Shape& shape = shape_of(call.x());
  std::int64_t size = 1;
  for (int axis = 1; axis < shape.rank(); ++axis) {
    if (shape[axis] < 0) call.refuse("axes of unknown lengths");
    size *= shape[axis];
  }
  return {"Reshape", {call.x()}, {{"newshape", Argument::List{-1, size}}}};
}

Step transpose(FunctionCall& call) {
  call.require("conjugate", false);
  return {"Transpose", {call.x()}, {{"axes", call["perm"]}}};
}

Step pad(FunctionCall& call) {
  std::string mode = ArgumentValue<std::string>::from(call.get("mode", "CONSTANT"));
  std::transform(mode.begin(), mode.end(), mode.begin(), [](unsigned char c) { return std::tolower(c); });
  const Argument value = call.get("constant_values", 0);
  const Keywords options = {{"pad_width", call["paddings"]}, {"mode", mode}};
  return {"Pad", {call.x(), mode == "constant" ? value : Argument()}, options};
}

Conversion filled(const char* class_name) {
  return [class_name](FunctionCall& call) {
    static_cast<void>(call["optimize"]);
    return Step{class_name, {call.x()}, {{"dtype", call["dtype"]}}};
  };
}

Step converted(FunctionCall& call) {
  const Argument dtype = call["dtype"];
  if (!dtype.is_none() && ArgumentValue<DType>::from(dtype) != dtype_of(call.x())) {
    call.refuse("a conversion to another dtype");
  }
  static_cast<void>(call["dtype_hint"]);
  return copy(call.x());
}

Step matmul(FunctionCall& call) {
  const Argument given = call["b"];
  const DType dtype = given.is_symbolic() ? dtype_of(given) : dtype_of(call.x());
  const Argument a = call.x(dtype);
  const Argument b = call.operand("b", dtype);
  // Sparse operands are dense ones with many zeros.
  for (const char* const hint : {"a_is_sparse", "b_is_sparse", "grad_a", "grad_b"}) static_cast<void>(call[hint]);
  call.require("output_type", {});
  const bool transposes_a = call.is_true("transpose_a") != call.is_true("adjoint_a");
  const bool transposes_b = call.is_true("transpose_b") != call.is_true("adjoint_b");
  if (!transposes_a && !transposes_b) return {"Matmul", {a, b}};
  const std::string equation = std::string(transposes_a ? "...ji" : "...ij") + (transposes_b ? ",...kj" : ",...jk");
  return {"Einsum", {a, b}, {{"subscripts", equation + "->...ik"}}};
}

Step tensordot(FunctionCall& call) {
  const Argument given = call["b"];
  const DType dtype = given.is_symbolic() ? dtype_of(given) : dtype_of(call.x());
  return {"Tensordot", {call.x(dtype), call.operand("b", dtype)}, {{"axes", call["axes"]}}};
}

/// Only whole triangles: of the diagonals below, or above, the main one.
Step band(FunctionCall& call) {
  const Argument lower = call["num_lower"];
  const Argument upper = call["num_upper"];
  if (lower.is_number() && upper.is_number()) {
    if (lower.number().as_integer() < 0 && upper.number().as_integer() < 0) return copy(call.x());
    if (lower.number().as_integer() < 0) return {"Tril", {call.x()}, {{"k", upper}}};
    if (upper.number().as_integer() < 0) return {"Triu", {call.x()}, {{"k", -lower.number().as_integer()}}};
  }
  call.refuse("num_lower=" + lower.to_string() + ", num_upper=" + upper.to_string());
}

/// Of the last two axes.
Conversion of_diagonal(const char* class_name) {
  return [class_name](FunctionCall& call) {
    call.require("k", 0);
    return Step{class_name, {call.x()}, {{"axis1", -2}, {"axis2", -1}}};
  };
}

/// An operation with one option, which is this argument.
Conversion with_option(const char* class_name, const char* option, const char* keyword) {
  return [class_name, option, keyword](FunctionCall& call) {
    return Step{class_name, {call.x()}, {{option, single(call[keyword])}}};
  };
}

}  // namespace

void add_shape_functions(Table& table) {
  table["reshape"] = reshape;
  table["keras.backend.batch_flatten"] = flatten;
  for (const char* const name : {"transpose", "compat.v1.transpose"}) table[name] = transpose;
  table["expand_dims"] = with_option("ExpandDims", "axis", "axis");
  for (const char* const name : {"squeeze", "compat.v1.squeeze"}) table[name] = with_option("Squeeze", "axis", "axis");
  table["reverse"] = with_option("Flip", "axis", "axis");
  table["cast"] = with_option("Cast", "dtype", "dtype");
  table["tile"] = [](FunctionCall& call) {
    return Step{"Tile", {call.x()}, {{"repeats", Argument(call.integers("multiples"))}}};
  };
  table["broadcast_to"] = [](FunctionCall& call) {
    return Step{"BroadcastTo", {call.x()}, {{"shape", Argument(call.integers("shape"))}}};
  };
  table["repeat"] = [](FunctionCall& call) {
    return Step{"Repeat", {call.x()}, {{"repeats", call["repeats"]}, {"axis", call["axis"]}}};
  };
  table["roll"] = [](FunctionCall& call) {
    return Step{"Roll", {call.x()}, {{"shift", single(call["shift"])}, {"axis", single(call["axis"])}}};
  };
  for (const char* const name : {"pad", "compat.v1.pad"}) table[name] = pad;
  table["concat"] = joining("Concatenate");
  table["stack"] = joining("Stack");
  table["split"] = split;
  table["unstack"] = [](FunctionCall& call) {
    return Step{"Unstack", {call.x()}, {{"num", call["num"]}, {"axis", call.get("axis", 0)}}};
  };
  table["identity"] = [](FunctionCall& call) { return copy(call.x()); };
  table["ensure_shape"] = [](FunctionCall& call) {
    static_cast<void>(call["shape"]);
    return copy(call.x());
  };
  table["convert_to_tensor"] = converted;
  table["stop_gradient"] = [](FunctionCall& call) { return Step{"StopGradient", {call.x()}}; };
  table["zeros_like"] = filled("ZerosLike");
  table["ones_like"] = filled("OnesLike");
  table["linalg.matmul"] = matmul;
  table["tensordot"] = tensordot;
  table["linalg.matrix_transpose"] = [](FunctionCall& call) {
    call.require("conjugate", false);
    return Step{"Swapaxes", {call.x()}, {{"axis1", -2}, {"axis2", -1}}};
  };
  table["linalg.band_part"] = band;
  table["linalg.trace"] = of_diagonal("Trace");
  table["linalg.diag_part"] = of_diagonal("Diagonal");
  table["einsum"] = [](FunctionCall& call) -> Step {
    call.refuse("calls without operands, which tf.keras does not write");
  };
}

}  // namespace rhyton::layers::tensorflow
