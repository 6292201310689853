// The mathematical functions of keras.ops on symbolic tensors.

#include <rhyton/layers/operations/math.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/norms.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/segments.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/ops/sorting.h>
#include <rhyton/framework/ops/special_functions.h>
#include <rhyton/layers/operations/argument_spec.h>
#include <rhyton/layers/operations/operation.h>
#include <rhyton/layers/operations/tables.h>

namespace rhyton {
namespace layers {
namespace {

Operation of_math(const char* class_name, Tensor (*function)(const Tensor&)) {
  return {class_name, "ops.math", {"x"}, {}, computes(function)};
}

using SegmentFunction = Tensor (*)(const Tensor&, const Tensor&, std::optional<std::int64_t>, bool);

/// Without `num_segments` the number is known when the model runs.
std::vector<TensorSpec> segments_spec(const std::vector<Argument>& arguments) {
  const TensorSpec data = spec_of(arguments.at(0));
  const Shape ids = spec_of(arguments.at(1)).shape;
  if (ids.rank() != 1) {
    throw ValueError("Argument `segment_ids` should be an 1-D vector, got shape: " + ids.to_string() + ".");
  }
  if (data.shape.rank() == 0 || (data.shape[0] >= 0 && ids[0] >= 0 && data.shape[0] != ids[0])) {
    throw ValueError("Argument `segment_ids` and `data` should have same leading dimension. Got " + ids.to_string() +
                     " v.s. " + data.shape.to_string() + ".");
  }
  const auto num_segments = ArgumentValue<std::optional<std::int64_t>>::from(arguments.at(2));
  return {{data.shape.with(0, num_segments.value_or(-1)), data.dtype}};
}

template <SegmentFunction function>
Operation of_segments(const char* class_name) {
  return {.class_name = class_name,
          .module = "ops.math",
          .parameters = {"data", "segment_ids"},
          .options = {{"num_segments", {}}, {"sorted", false}},
          .compute = computes([](const Tensor& data, const Tensor& ids, std::optional<std::int64_t> num_segments,
                                 bool sorted) { return function(data, ids, num_segments, sorted); }),
          .infer = segments_spec};
}

}  // namespace

std::vector<Operation> math_operations() {
  return {
      of_math("Erf", [](const Tensor& x) { return erf(x); }),
      of_math("Erfc", [](const Tensor& x) { return erfc(x); }),
      of_math("Erfinv", [](const Tensor& x) { return erfinv(x); }),
      of_math("Rsqrt", [](const Tensor& x) { return rsqrt(x); }),
      {"Logsumexp",
       "ops.math",
       {"x"},
       {{"axis", {}}, {"keepdims", false}},
       computes([](const Tensor& x, const Argument& axis, bool keepdims) {
         // An empty list is no axis, where None is all.
         const bool is_none_of_them = axis.is_list() && axis.list().empty();
         return is_none_of_them ? logsumexp(expand_dims(x, -1), {-1}, false)
                                : logsumexp(x, ArgumentValue<std::vector<int>>::from(axis), keepdims);
       })},
      {"TopK",
       "ops.math",
       {"x"},
       {{"k", {}}, {"sorted", true}},
       computes([](const Tensor& x, std::int64_t k, bool sorted) {
         const auto [values, indices] = top_k(x, k, sorted);
         return std::vector<Tensor>{values, indices};
       })},
      {"InTopK",
       "ops.math",
       {"targets", "predictions"},
       {{"k", {}}},
       computes([](const Tensor& targets, const Tensor& predictions, std::int64_t k) {
         return in_top_k(targets, predictions, k);
       })},
      {"CDist", "ops.math", {"x", "y"}, {}, computes([](const Tensor& x, const Tensor& y) { return cdist(x, y); })},
      of_segments<segment_sum>("SegmentSum"),
      of_segments<segment_max>("SegmentMax"),
      of_segments<segment_min>("SegmentMin"),
      of_segments<segment_prod>("SegmentProd"),
  };
}

}  // namespace layers

inline namespace ops {

using layers::Argument;
using layers::argument_of;
using layers::call_operation;
using layers::operation_output;
using layers::SymbolicTensor;

SymbolicTensor erf(const SymbolicTensor& x) { return operation_output("Erf", {x}); }
SymbolicTensor erfc(const SymbolicTensor& x) { return operation_output("Erfc", {x}); }
SymbolicTensor erfinv(const SymbolicTensor& x) { return operation_output("Erfinv", {x}); }
SymbolicTensor rsqrt(const SymbolicTensor& x) { return operation_output("Rsqrt", {x}); }
SymbolicTensor logsumexp(const SymbolicTensor& x, const std::vector<int>& axes, bool keepdims) {
  return operation_output("Logsumexp", {x}, {argument_of(axes), keepdims});
}
SymbolicTopK top_k(const SymbolicTensor& x, std::int64_t k, bool sorted) {
  const std::vector<SymbolicTensor> outputs = call_operation("TopK", {x}, {k, sorted});
  return {outputs.at(0), outputs.at(1)};
}
SymbolicTensor in_top_k(const Argument& targets, const SymbolicTensor& predictions, std::int64_t k) {
  return operation_output("InTopK", {targets, predictions}, {k});
}
SymbolicTensor cdist(const SymbolicTensor& x, const Argument& y) { return operation_output("CDist", {x, y}); }
SymbolicTensor segment_sum(const SymbolicTensor& data, const Argument& segment_ids,
                           std::optional<std::int64_t> num_segments, bool sorted) {
  return operation_output("SegmentSum", {data, segment_ids}, {argument_of(num_segments), sorted});
}
SymbolicTensor segment_max(const SymbolicTensor& data, const Argument& segment_ids,
                           std::optional<std::int64_t> num_segments, bool sorted) {
  return operation_output("SegmentMax", {data, segment_ids}, {argument_of(num_segments), sorted});
}
SymbolicTensor segment_min(const SymbolicTensor& data, const Argument& segment_ids,
                           std::optional<std::int64_t> num_segments, bool sorted) {
  return operation_output("SegmentMin", {data, segment_ids}, {argument_of(num_segments), sorted});
}
SymbolicTensor segment_prod(const SymbolicTensor& data, const Argument& segment_ids,
                            std::optional<std::int64_t> num_segments, bool sorted) {
  return operation_output("SegmentProd", {data, segment_ids}, {argument_of(num_segments), sorted});
}

}  // namespace ops
}  // namespace rhyton
