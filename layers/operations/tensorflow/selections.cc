// Indices, slices, and the choice of elements.

#include <rhyton/framework/tensor/result_type.h>
#include <rhyton/layers/operations/argument_value.h>
#include <rhyton/layers/operations/tensorflow/function_call.h>

namespace rhyton::layers::tensorflow {
namespace {

std::optional<std::int64_t> bound_of(FunctionCall& call, const Argument& bound) {
  if (!bound.is_none() && !bound.is_number()) call.refuse("tensors as the bounds of a slice");
  return ArgumentValue<std::optional<std::int64_t>>::from(bound);
}

/// An index of `x[…]`; slices are dictionaries.
Argument index_of(FunctionCall& call, const Argument& index) {
  if (index.is_dictionary()) {
    Slice slice;
    for (const auto& [name, bound] : index.dictionary()) {
      if (name == "start") slice.start = bound_of(call, bound);
      if (name == "stop") slice.stop = bound_of(call, bound);
      if (name == "step") slice.step = bound_of(call, bound);
    }
    return slice;
  }
  if (index.is_none() || index.is_ellipsis()) return index;
  if (index.is_number() && index.number().is_integer() && !index.number().is_bool()) return index;
  call.refuse("tensors as indices");
}

Step item(FunctionCall& call) {
  const Argument spec = call["slice_spec"];
  Argument::List key;
  if (spec.is_list()) {
    for (const Argument& index : spec.list()) key.push_back(index_of(call, index));
  } else {
    key.push_back(index_of(call, spec));
  }
  if (key.size() == 1 && key.front().is_number()) return {"GetItem", {call.x(), key.front()}};
  return {"GetItem", {call.x(), Argument(key)}};
}

Step slice(FunctionCall& call) {
  const std::vector<std::int64_t> begin = call.integers("begin");
  const std::vector<std::int64_t> size = call.integers("size");
  if (begin.size() != size.size()) call.refuse("`begin` and `size` of different lengths");
  Argument::List key;
  for (std::size_t i = 0; i < begin.size(); ++i) {
    key.emplace_back(size[i] < 0 ? Slice{begin[i], {}, {}} : Slice{begin[i], begin[i] + size[i], {}});
  }
  return {"GetItem", {call.x(), Argument(key)}};
}

Step strided_slice(FunctionCall& call) {
  for (const char* const mask : {"begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"}) {
    call.require(mask, 0);
  }
  const std::vector<std::int64_t> begin = call.integers("begin");
  const std::vector<std::int64_t> end = call.integers("end");
  const bool has_strides = !call["strides"].is_none();
  const std::vector<std::int64_t> strides =
      has_strides ? call.integers("strides") : std::vector<std::int64_t>(begin.size(), 1);
  if (begin.size() != end.size() || begin.size() != strides.size()) call.refuse("bounds of different lengths");
  Argument::List key;
  for (std::size_t i = 0; i < begin.size(); ++i) key.emplace_back(Slice{begin[i], end[i], strides[i]});
  return {"GetItem", {call.x(), Argument(key)}};
}

Step gather(FunctionCall& call) {
  const Argument x = call.x();
  const Argument indices = call.operand("indices", DType::int32);
  static_cast<void>(call["validate_indices"]);
  const Argument batch_dims = call.get("batch_dims", 0);
  const Argument axis = call.get("axis", batch_dims);
  if (batch_dims.number().as_integer() == 0) return {"Take", {x, indices}, {{"axis", axis}}};
  const bool is_along_axis = batch_dims.number().as_integer() == 1 && axis.number().as_integer() == 1 &&
                             shape_of(x).rank() == 2 && indices.is_symbolic() && indices.symbolic().rank() == 2;
  if (!is_along_axis) call.refuse("batch_dims=" + batch_dims.to_string());
  return {"TakeAlongAxis", {x, indices}, {{"axis", 1}}};
}

Step looked_up(FunctionCall& call) {
  call.require("max_norm", {});
  call.require("validate_indices", true);
  static_cast<void>(call["partition_strategy"]);
  return {"Take", {call.x(), call.operand("ids", DType::int32)}, {{"axis", 0}}};
}

Step where(FunctionCall& call) {
  if (call["x"].is_none() || call["y"].is_none()) call.refuse("a condition alone");
  const Argument x = call["x"];
  const Argument y = call["y"];
  DType dtype = default_floating_dtype();
  if (x.is_symbolic()) dtype = x.symbolic().dtype();
  if (y.is_symbolic()) dtype = y.symbolic().dtype();
  return {"Where", {call.x(), call.operand("x", dtype), call.operand("y", dtype)}};
}

Step one_hot(FunctionCall& call) {
  call.require("on_value", 1);
  call.require("off_value", 0);
  return {"OneHot",
          {call.x()},
          {{"num_classes", call["depth"]}, {"axis", call.get("axis", -1)}, {"dtype", call.get("dtype", "float32")}}};
}

}  // namespace

void add_selections(Table& table) {
  table["__operators__.getitem"] = item;
  table["slice"] = slice;
  table["strided_slice"] = strided_slice;
  for (const char* const name : {"gather", "compat.v1.gather"}) table[name] = gather;
  for (const char* const name : {"nn.embedding_lookup", "compat.v1.nn.embedding_lookup"}) table[name] = looked_up;
  for (const char* const name : {"where", "compat.v2.where"}) table[name] = where;
  table["one_hot"] = one_hot;
}

}  // namespace rhyton::layers::tensorflow
