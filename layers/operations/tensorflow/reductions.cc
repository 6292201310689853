// Reductions, sorting, cumulative sums and products.

#include <cmath>

#include <rhyton/layers/operations/argument_value.h>
#include <rhyton/layers/operations/tensorflow/function_call.h>

namespace rhyton::layers::tensorflow {
namespace {

Keywords reduction_options(FunctionCall& call) {
  return {{"axis", call["axis"]}, {"keepdims", call.is_true("keepdims")}};
}

Conversion reduction(const char* class_name) {
  return [class_name](FunctionCall& call) { return Step{class_name, {call.x()}, reduction_options(call)}; };
}

/// Of a dtype that Keras keeps.
Conversion accumulation(const char* class_name) {
  return [class_name](FunctionCall& call) {
    const DType dtype = dtype_of(call.x());
    if (!is_floating(dtype) && size_of(dtype) < 4) call.refuse("integers of less than 32 bits");
    return Step{class_name, {call.x()}, reduction_options(call)};
  };
}

Step mean(FunctionCall& call) {
  if (!is_floating(dtype_of(call.x()))) call.refuse("integers, whose mean TensorFlow truncates");
  return {"Mean", {call.x()}, reduction_options(call)};
}

/// Counts and positions are of int32, as in Keras 3; TensorFlow's are of int64.
Step count_of_nonzero(FunctionCall& call) {
  call.require("keepdims", false);
  static_cast<void>(call["dtype"]);
  return {"CountNonzero", {call.x()}, {{"axis", call["axis"]}}};
}

/// The norm of vectors, or the Frobenius norm of matrices.
Step norm_of_order(FunctionCall& call, const Argument& order) {
  Keywords options = reduction_options(call);
  options.emplace_back("ord", order);
  return {"Norm", {call.x()}, options};
}

/// Keras's norm of all elements takes at most two axes.
Step euclidean_norm(FunctionCall& call) {
  if (!call["axis"].is_none() || shape_of(call.x()).rank() <= 2) return norm_of_order(call, {});
  const SymbolicTensor squares = call.add({"Square", {call.x()}});
  return {"Sqrt", {call.add({"Sum", {squares}, reduction_options(call)})}};
}

Step norm(FunctionCall& call) {
  const Argument order = call.get("ord", "euclidean");
  const Argument axis = call["axis"];
  const bool is_of_matrices = axis.is_list() && axis.list().size() == 2;
  if (order.is_string() && order.string() == "fro" && is_of_matrices) return norm_of_order(call, order);
  if (order.is_string() && order.string() == "euclidean") return euclidean_norm(call);
  if (order.is_number() && axis.is_number()) return norm_of_order(call, order);
  call.refuse("ord=" + order.to_string() + ", axis=" + axis.to_string());
}

/// TensorFlow's epsilon is the smallest square of the norm, Keras's the smallest norm.
Step l2_normalized(FunctionCall& call) {
  const Argument epsilon = call.get("epsilon", 1e-12);
  const Argument axis = call["axis"];
  if (!axis.is_number()) call.refuse("axis=" + axis.to_string());
  return {
      "Normalize", {call.x()}, {{"axis", axis}, {"order", 2}, {"epsilon", std::sqrt(epsilon.number().as_double())}}};
}

Conversion position(const char* class_name) {
  return [class_name](FunctionCall& call) {
    static_cast<void>(call["output_type"]);
    return Step{class_name, {call.x()}, {{"axis", call.get("axis", 0)}}};
  };
}

Step sorted(FunctionCall& call) {
  const Keywords axis = {{"axis", call.get("axis", -1)}};
  const Argument direction = call.get("direction", "ASCENDING");
  Step ascending = {"Sort", {call.x()}, axis};
  if (direction.is_string() && direction.string() == "ASCENDING") return ascending;
  return {"Flip", {call.add(ascending)}, axis};
}

Step order_of_sorting(FunctionCall& call) {
  call.require("direction", "ASCENDING");
  static_cast<void>(call["stable"]);
  return {"Argsort", {call.x()}, {{"axis", call.get("axis", -1)}}};
}

Conversion cumulative(const char* class_name) {
  return [class_name](FunctionCall& call) {
    call.require("exclusive", false);
    const Argument x = call.x();
    const Argument axis = call.get("axis", 0);
    if (!call.is_true("reverse")) return Step{class_name, {x}, {{"axis", axis}}};
    const SymbolicTensor reversed = call.add({"Flip", {x}, {{"axis", axis}}});
    const SymbolicTensor found = call.add({class_name, {reversed}, {{"axis", axis}}});
    return Step{"Flip", {found}, {{"axis", axis}}};
  };
}

Conversion of_segments(const char* class_name) {
  return [class_name](FunctionCall& call) {
    const Argument ids = call.operand("segment_ids", DType::int32);
    return Step{class_name, {call.x(), ids}, {{"num_segments", call["num_segments"]}}};
  };
}

}  // namespace

void add_reductions(Table& table) {
  table["math.reduce_mean"] = mean;
  table["math.reduce_sum"] = accumulation("Sum");
  table["math.reduce_max"] = reduction("Max");
  table["math.reduce_min"] = reduction("Min");
  table["math.reduce_prod"] = accumulation("Prod");
  table["math.reduce_any"] = reduction("Any");
  table["math.reduce_all"] = reduction("All");
  table["math.reduce_std"] = reduction("Std");
  table["math.reduce_variance"] = reduction("Var");
  table["math.reduce_logsumexp"] = reduction("Logsumexp");
  table["math.reduce_euclidean_norm"] = euclidean_norm;
  table["math.count_nonzero"] = count_of_nonzero;
  for (const char* const name : {"norm", "compat.v1.norm", "linalg.norm"}) table[name] = norm;
  table["math.l2_normalize"] = l2_normalized;
  table["math.argmax"] = position("Argmax");
  table["math.argmin"] = position("Argmin");
  table["sort"] = sorted;
  table["argsort"] = order_of_sorting;
  table["math.cumsum"] = cumulative("Cumsum");
  table["math.cumprod"] = cumulative("Cumprod");
  table["math.top_k"] = [](FunctionCall& call) {
    return Step{"TopK", {call.x()}, {{"k", call.get("k", 1)}, {"sorted", call.get("sorted", true)}}};
  };
  table["math.unsorted_segment_sum"] = of_segments("SegmentSum");
  table["math.unsorted_segment_max"] = of_segments("SegmentMax");
}

}  // namespace rhyton::layers::tensorflow
