#include <rhyton/framework/ops/segments.h>

#include <algorithm>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/attribute_text.h>
#include <rhyton/framework/ops/broadcasting.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/gather.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/tensor/checked_arithmetic.h>

namespace rhyton {
inline namespace ops {
namespace {

using SegmentKind = SegmentReduceOp::Kind;

/// Values of the segments by element, [S, …] -> [N, …], and which elements belong to one.
class SegmentElements {
 public:
  SegmentElements(const Tensor& data, const Tensor& ids) : rows_(maximum(ids, 0)) {
    Shape shape({ids.size()});
    while (shape.rank() < data.rank()) shape.push_back(1);
    belongs_ = reshape(greater_equal(ids, 0), shape);
  }

  Tensor of(const Tensor& segments) const {
    const Tensor values = gather(segments, rows_);
    return where(belongs_, values, Tensor::zeros({}, values.dtype()));
  }
  const Tensor& belongs() const { return belongs_; }

 private:
  Tensor rows_;
  Tensor belongs_;
};

Tensor segment_reduced(SegmentKind kind, const Tensor& data, const Tensor& ids, std::int64_t segments) {
  return call<SegmentReduceOp>({data, ids}, kind, segments);
}

Tensor segment_extremum_gradient(const GradientArguments& arguments, std::int64_t segments) {
  const Tensor& x = arguments.inputs[0];
  const Tensor& ids = arguments.inputs[1];
  const SegmentElements elements(x, ids);
  const Tensor chosen = cast(logical_and(equal(x, elements.of(arguments.outputs[0])), elements.belongs()), x.dtype());
  const Tensor count = maximum(segment_reduced(SegmentKind::sum, chosen, ids, segments), 1.0);
  return elements.of(arguments.output_gradients[0] / count) * chosen;
}

// The product of the others: with one zero it is nonzero only for that element, with more zeros for none.
Tensor segment_product_gradient(const GradientArguments& arguments, std::int64_t segments) {
  const Tensor& x = arguments.inputs[0];
  const Tensor& ids = arguments.inputs[1];
  const SegmentElements elements(x, ids);
  const Tensor is_zero = equal(x, 0.0);
  const Tensor nonzero = where(is_zero, 1.0, x);
  const Tensor product = elements.of(segment_reduced(SegmentKind::prod, nonzero, ids, segments));
  const Tensor zeros = elements.of(segment_reduced(SegmentKind::sum, cast(is_zero, x.dtype()), ids, segments));
  const Tensor others = where(equal(zeros, 0.0), product / nonzero,
                              where(logical_and(is_zero, equal(zeros, 1.0)), product, zeros_like(x)));
  return elements.of(arguments.output_gradients[0]) * others;
}

void require_segment_ids(const Tensor& data, const Tensor& ids) {
  if (ids.rank() != 1) {
    throw ValueError("Argument `segment_ids` should be an 1-D vector, got shape: " + ids.shape().to_string() + ".");
  }
  if (data.rank() == 0 || data.shape()[0] != ids.shape()[0]) {
    throw ValueError("Argument `segment_ids` and `data` should have same leading dimension. Got " +
                     ids.shape().to_string() + " v.s. " + data.shape().to_string() + ".");
  }
}

std::vector<std::int64_t> values_of_ids(const Tensor& ids) {
  if (!ids.is_concrete()) {
    throw ValueError(
        "The number of segments depends on the values of `segment_ids`, which are not known inside of a graph: "
        "`num_segments` must be given, and `sorted` must not.");
  }
  const Tensor wide = cast(ids, DType::int64);
  const auto values = wide.elements<std::int64_t>();
  return {values.begin(), values.end()};
}

Tensor segment_reduction(SegmentKind kind, const Tensor& data, const Tensor& ids,
                         std::optional<std::int64_t> num_segments, bool sorted) {
  require_segment_ids(data, ids);
  if (data.dtype() == DType::bool_) {
    throw InvalidArgumentError("Segments of bool cannot be reduced [Op:UnsortedSegmentReduction]");
  }
  if (sorted && num_segments) {
    throw ValueError("Argument `num_segments` cannot be set when sorted is True. Received: num_segments=" +
                     std::to_string(*num_segments) + ".");
  }
  if (!num_segments) {
    const std::vector<std::int64_t> values = values_of_ids(ids);
    if (sorted && !std::is_sorted(values.begin(), values.end())) {
      throw InvalidArgumentError("segment ids are not increasing [Op:SegmentReduction]");
    }
    if (sorted && !values.empty() && values.front() < 0) {
      throw InvalidArgumentError("Segment id " + std::to_string(values.front()) +
                                 " out of range [0, inf), possibly because 'segment_ids' input is not sorted. "
                                 "[Op:SegmentReduction]");
    }
    const std::int64_t last = values.empty() ? -1 : *std::max_element(values.begin(), values.end());
    num_segments = std::max<std::int64_t>(0, checked_add<std::int64_t>(last, 1));
  }
  Tensor y = segment_reduced(kind, data, ids, *num_segments);
  if (!sorted || kind == SegmentKind::sum || kind == SegmentKind::prod) return y;
  const Tensor count =
      segment_reduced(SegmentKind::sum, Tensor::full(ids.shape(), 1, DType::int32), ids, *num_segments);
  Shape column({*num_segments});
  while (column.rank() < y.rank()) column.push_back(1);
  return where(reshape(greater(count, 0), column), y, Tensor::zeros({}, y.dtype()));
}

}  // namespace

std::string_view SegmentReduceOp::name() const {
  switch (kind) {
    case SegmentKind::max:
      return "UnsortedSegmentMax";
    case SegmentKind::min:
      return "UnsortedSegmentMin";
    case SegmentKind::prod:
      return "UnsortedSegmentProd";
    case SegmentKind::sum:
      break;
  }
  return "UnsortedSegmentSum";
}

std::vector<TensorSpec> SegmentReduceOp::infer(std::span<const TensorSpec> inputs) const {
  const DType dtype = inputs[1].dtype;
  if (dtype != DType::int32 && dtype != DType::int64) {
    throw InvalidArgumentError("Value for attr 'Tindices' of " + std::string(message_name_of(dtype)) +
                               " is not in the list of allowed values: int32, int64 [Op:" + std::string(name()) + "]");
  }
  if (segments < 0) {
    throw InvalidArgumentError("segment count must be non-negative, but got " + std::to_string(segments) +
                               " [Op:" + std::string(name()) + "]");
  }
  return {{inputs[0].shape.with(0, segments), inputs[0].dtype}};
}

std::vector<Tensor> SegmentReduceOp::gradient(const GradientArguments& arguments) const {
  if (!arguments.needed[0]) return {Tensor(), Tensor()};
  switch (kind) {
    case SegmentKind::sum:
      return {SegmentElements(arguments.inputs[0], arguments.inputs[1]).of(arguments.output_gradients[0]), Tensor()};
    case SegmentKind::max:
    case SegmentKind::min:
      return {segment_extremum_gradient(arguments, segments), Tensor()};
    case SegmentKind::prod:
      break;
  }
  return {segment_product_gradient(arguments, segments), Tensor()};
}

BatchRule SegmentReduceOp::batch_rule(std::span<const TensorSpec>, std::span<const int> batch_axes) const {
  const int in_data = batch_axes[0];
  const int in_ids = batch_axes[1];
  if (in_data == 0 && in_ids == 0 && kind == SegmentKind::sum) return BatchRule::sums();
  return in_data > 0 && in_ids < 0 ? BatchRule::maps(in_data) : BatchRule::mixes();
}

std::string SegmentReduceOp::attributes() const { return attribute("segments", segments); }

Tensor segment_sum(const Tensor& data, const Tensor& segment_ids, std::optional<std::int64_t> num_segments,
                   bool sorted) {
  return segment_reduction(SegmentKind::sum, data, segment_ids, num_segments, sorted);
}

Tensor segment_max(const Tensor& data, const Tensor& segment_ids, std::optional<std::int64_t> num_segments,
                   bool sorted) {
  return segment_reduction(SegmentKind::max, data, segment_ids, num_segments, sorted);
}

Tensor segment_min(const Tensor& data, const Tensor& segment_ids, std::optional<std::int64_t> num_segments,
                   bool sorted) {
  return segment_reduction(SegmentKind::min, data, segment_ids, num_segments, sorted);
}

Tensor segment_prod(const Tensor& data, const Tensor& segment_ids, std::optional<std::int64_t> num_segments,
                    bool sorted) {
  return segment_reduction(SegmentKind::prod, data, segment_ids, num_segments, sorted);
}

}  // namespace ops
}  // namespace rhyton
