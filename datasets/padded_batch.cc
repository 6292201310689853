// Batches of elements of different lengths.

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <rhyton/datasets/pipeline.h>
#include <rhyton/datasets/pipeline_stage.h>
#include <rhyton/framework/error.h>

namespace rhyton::datasets {
namespace {

/// How elements are padded: lists over all tensors of an element. Empty lists: all lengths are those of the longest, all
/// values zero.
struct Padding {
  PaddedShapes shapes;
  PaddingValues values;
};

/// Entries for all tensors of elements, or none. Throws ValueError for other numbers of entries than tensors.
template <class Entries, class Parts>
auto entries_of(const char* name, const Entries& entries, const Parts& parts) {
  auto all = flat_tensors(entries);
  if (all.empty() || (entries.x.size() == parts.x.size() && entries.y.size() == parts.y.size() &&
                      entries.sample_weight.size() == parts.sample_weight.size())) {
    return all;
  }
  throw ValueError(
      fmt::format("`{}` has entries for {} x, {} y and {} sample weights, but an element has {} x, {} y and {} sample "
                  "weights.",
                  name, entries.x.size(), entries.y.size(), entries.sample_weight.size(), parts.x.size(),
                  parts.y.size(), parts.sample_weight.size()));
}

Tensor padding_value(const Scalar& value, DType dtype) {
  if (value.is_floating() && !is_floating(dtype)) {
    throw TypeError(
        fmt::format("Invalid `padding_values`. `padding_values` values type float does not match type {} "
                    "of the corresponding input component.",
                    name_of(dtype)));
  }
  return Tensor::full({}, value, dtype);
}

/// The shapes of padded batches.
BatchSpec padded_spec(const BatchSpec& source, const PaddedShapes& padded_shapes) {
  BatchSpec spec = source;
  const std::vector<Shape> shapes = entries_of("padded_shapes", padded_shapes, source);
  std::size_t component = 0;
  for (const auto part : {&BatchSpec::x, &BatchSpec::y, &BatchSpec::sample_weight}) {
    for (TensorSpec& tensor : spec.*part) {
      if (!shapes.empty()) tensor.shape = shapes[component++];
    }
  }
  return batched(spec);
}

/// The shape without the unknown lengths of `pattern`: those of the longest tensor.
Shape padded_shape(const std::vector<const Tensor*>& tensors, const Shape& pattern, std::size_t component) {
  Shape shape = pattern;
  for (const Tensor* const tensor : tensors) {
    if (tensor->rank() != pattern.rank()) {
      throw InvalidArgumentError(
          fmt::format("All elements in a batch must have the same rank as the padded shape for component {}: expected "
                      "rank {} but got element with rank {}",
                      component, pattern.rank(), tensor->rank()));
    }
    for (int axis = 0; axis < pattern.rank(); ++axis) {
      if (pattern[axis] < 0) {
        shape = shape.with(axis, std::max(shape[axis], tensor->shape()[axis]));
      } else if (tensor->shape()[axis] > pattern[axis]) {
        throw InvalidArgumentError(
            fmt::format("Attempted to pad to a smaller size than the input element: component {} has shape {}, its "
                        "padded shape is {}.",
                        component, brackets(tensor->shape()), brackets(pattern)));
      }
    }
  }
  return shape;
}

/// Copies a tensor to the corner of a block of that shape, which has the same rank.
void copy_to_corner(const Tensor& tensor, std::byte* block, const Shape& shape) {
  if (tensor.size() == 0) return;
  // Runs of elements that are consecutive in both: the last axes that are equally long, and one more.
  int axis = tensor.rank();
  std::size_t run = size_of(tensor.dtype());
  while (axis > 0 && tensor.shape()[axis - 1] == shape[axis - 1]) {
    run *= static_cast<std::size_t>(shape[--axis]);
  }
  std::size_t row = run;
  if (axis > 0) {
    --axis;
    row = run * static_cast<std::size_t>(shape[axis]);
    run *= static_cast<std::size_t>(tensor.shape()[axis]);
  }
  const auto* from = static_cast<const std::byte*>(tensor.raw_data());
  std::vector<std::int64_t> index(static_cast<std::size_t>(axis), 0);
  while (true) {
    std::size_t to = 0;
    for (int i = 0; i < axis; ++i) {
      to = to * static_cast<std::size_t>(shape[i]) + static_cast<std::size_t>(index[static_cast<std::size_t>(i)]);
    }
    std::memcpy(block + to * row, from, run);
    from += run;
    int i = axis - 1;
    while (i >= 0 && ++index[static_cast<std::size_t>(i)] == tensor.shape()[i])
      index[static_cast<std::size_t>(i--)] = 0;
    if (i < 0) return;
  }
}

Tensor padded_part(const std::vector<const Tensor*>& tensors, const Shape& pattern, const std::optional<Scalar>& value,
                   std::size_t component) {
  const Tensor& first = *tensors.front();
  const Shape shape = padded_shape(tensors, pattern, component);
  const Shape rows = Shape{static_cast<std::int64_t>(tensors.size())};
  Tensor batch = Tensor::zeros(rows.concatenate(shape), first.dtype());
  auto* const bytes = static_cast<std::byte*>(batch.mutable_raw_data());
  const std::size_t size = size_of(first.dtype());
  if (value) {
    const Tensor element = padding_value(*value, first.dtype());
    for (std::int64_t i = 0; i < batch.size(); ++i) {
      std::memcpy(bytes + static_cast<std::size_t>(i) * size, element.raw_data(), size);
    }
  }
  const std::size_t block = size * static_cast<std::size_t>(shape.size());
  for (std::size_t row = 0; row < tensors.size(); ++row) {
    if (tensors[row]->dtype() != first.dtype()) {
      throw InvalidArgumentError(fmt::format("Cannot batch tensors with different types in component {}: {} and {}.",
                                             component, name_of(first.dtype()), name_of(tensors[row]->dtype())));
    }
    copy_to_corner(*tensors[row], bytes + row * block, shape);
  }
  return batch;
}

/// The same rank with unknown lengths.
Shape open_shape(Shape shape) {
  for (int axis = 0; axis < shape.rank(); ++axis) shape = shape.with(axis, -1);
  return shape;
}

Batch padded(const std::vector<Batch>& elements, const Padding& padding) {
  const std::vector<Shape> shapes = entries_of("padded_shapes", padding.shapes, elements.front());
  const std::vector<Scalar> values = entries_of("padding_values", padding.values, elements.front());
  Batch batch;
  batch.x_names = elements.front().x_names;
  batch.y_names = elements.front().y_names;
  std::size_t component = 0;
  for (const auto part : {&Batch::x, &Batch::y, &Batch::sample_weight}) {
    for (std::size_t i = 0; i < (elements.front().*part).size(); ++i) {
      std::vector<const Tensor*> tensors;
      for (const Batch& element : elements) {
        if ((element.*part).size() != (elements.front().*part).size()) {
          throw ValueError("Elements with different numbers of tensors cannot be batched.");
        }
        tensors.push_back(&(element.*part)[i]);
      }
      (batch.*part)
          .push_back(padded_part(tensors, shapes.empty() ? open_shape(tensors.front()->shape()) : shapes[component],
                                 values.empty() ? std::nullopt : std::optional(values[component]), component));
      ++component;
    }
  }
  return batch;
}

class PaddedBatches final : public BatchingStage {
 public:
  PaddedBatches(const Dataset& source, std::int64_t batch_size, bool drops_remainder, Padding padding)
      : BatchingStage(source, batch_size, drops_remainder), padding_(std::move(padding)) {}

  BatchSpec element_spec() const override { return padded_spec(source().element_spec(), padding_.shapes); }

 protected:
  Join join() const override {
    return [padding = padding_](const std::vector<Batch>& elements) { return padded(elements, padding); };
  }

 private:
  Padding padding_;
};

/// The buckets of `bucket_by_sequence_length` and what becomes of them.
struct Buckets {
  FunctionOfElements<std::int64_t> length;
  std::vector<std::int64_t> boundaries;
  std::vector<std::int64_t> batch_sizes;
  Padding padding;
  bool pads_to_boundary = false;
  bool has_padding = true;
  bool drops_remainder = false;

  std::size_t bucket_of(const Batch& element) const {
    const std::int64_t value = call_on_cpu(length, element);
    for (std::size_t i = 0; i < batch_sizes.size(); ++i) {
      if ((i == 0 || boundaries[i - 1] <= value) && (i == boundaries.size() || value < boundaries[i])) return i;
    }
    throw InvalidArgumentError(fmt::format("No bucket of `bucket_boundaries` contains the length {}.", value));
  }

  Batch batch_of(const std::vector<Batch>& elements, std::size_t bucket) const {
    if (!has_padding) return stacked(elements);
    if (!pads_to_boundary) return padded(elements, padding);
    if (bucket == boundaries.size()) {
      throw InvalidArgumentError(
          "When pad_to_bucket_boundary=True, elements must have length < max(bucket_boundaries).");
    }
    Padding to_boundary = padding;
    for (const auto part : {&PaddedShapes::x, &PaddedShapes::y, &PaddedShapes::sample_weight}) {
      for (Shape& shape : to_boundary.shapes.*part) {
        for (int axis = 0; axis < shape.rank(); ++axis) {
          if (shape[axis] < 0) shape = shape.with(axis, boundaries[bucket] - 1);
        }
      }
    }
    return padded(elements, to_boundary);
  }
};

class Bucketed final : public Stage {
 public:
  Bucketed(const Dataset& source, Buckets buckets) : Stage(source), buckets_(std::move(buckets)) {}

  BatchSpec element_spec() const override {
    return padded_spec(source().element_spec(), buckets_.has_padding ? buckets_.padding.shapes : PaddedShapes());
  }
  Cardinality cardinality() const override { return std::nullopt; }

  Elements iterator(std::uint64_t pass) const override {
    return elements([from = shared(source().iterator(pass)), buckets = buckets_,
                     waiting = std::map<std::size_t, std::vector<Batch>>()]() mutable -> std::optional<Batch> {
      while (from != nullptr) {
        std::optional<Batch> element = from->next();
        if (!element) {
          from = nullptr;
          if (buckets.drops_remainder) waiting.clear();
          break;
        }
        const std::size_t bucket = buckets.bucket_of(*element);
        waiting[bucket].push_back(*std::move(element));
        if (static_cast<std::int64_t>(waiting[bucket].size()) == buckets.batch_sizes[bucket]) {
          return buckets.batch_of(waiting.extract(bucket).mapped(), bucket);
        }
      }
      if (waiting.empty()) return std::nullopt;
      const auto left = waiting.extract(waiting.begin());
      return buckets.batch_of(left.mapped(), left.key());
    });
  }

 private:
  Buckets buckets_;
};

/// The shapes of elements, of which some length must be unknown.
PaddedShapes shapes_to_boundaries(const Dataset& source) {
  const BatchSpec spec = source.element_spec();
  bool is_open = false;
  const auto shapes_of = [&](const std::vector<TensorSpec>& specs) {
    std::vector<Shape> shapes;
    for (const TensorSpec& tensor : specs) {
      shapes.push_back(tensor.shape);
      for (const std::int64_t length : tensor.shape) is_open = is_open || length < 0;
    }
    return shapes;
  };
  PaddedShapes shapes = {
      .x = shapes_of(spec.x), .y = shapes_of(spec.y), .sample_weight = shapes_of(spec.sample_weight)};
  if (!is_open) {
    throw ValueError(
        "`pad_to_bucket_boundary` needs `padded_shapes` with -1 for the lengths to pad: the `element_spec` of the "
        "pipeline has no unknown length.");
  }
  return shapes;
}

}  // namespace

Pipeline Pipeline::padded_batch(std::int64_t batch_size, const PipelinePaddedBatchOptions& options) const {
  require_positive("batch_size", batch_size);
  return pipeline<PaddedBatches>(*this, batch_size, options.drop_remainder,
                                 Padding{options.padded_shapes, options.padding_values});
}

Pipeline Pipeline::bucket_by_sequence_length(const FunctionOfElements<std::int64_t>& element_length_func,
                                             const std::vector<std::int64_t>& bucket_boundaries,
                                             const std::vector<std::int64_t>& bucket_batch_sizes,
                                             const PipelineBucketOptions& options) const {
  if (bucket_batch_sizes.size() != bucket_boundaries.size() + 1) {
    throw ValueError(
        fmt::format("`len(bucket_batch_sizes)` must equal `len(bucket_boundaries) + 1` but "
                    "`len(bucket_batch_sizes)={}` and `len(bucket_boundaries)={}`.",
                    bucket_batch_sizes.size(), bucket_boundaries.size()));
  }
  for (const std::int64_t size : bucket_batch_sizes) require_positive("bucket_batch_sizes", size);
  Padding padding;
  if (!options.no_padding) {
    padding = {options.padded_shapes, options.padding_values};
    if (options.pad_to_bucket_boundary && flat_tensors(padding.shapes).empty())
      padding.shapes = shapes_to_boundaries(*this);
  }
  return pipeline<Bucketed>(*this, Buckets{.length = element_length_func,
                                           .boundaries = bucket_boundaries,
                                           .batch_sizes = bucket_batch_sizes,
                                           .padding = std::move(padding),
                                           .pads_to_boundary = options.pad_to_bucket_boundary,
                                           .has_padding = !options.no_padding,
                                           .drops_remainder = options.drop_remainder});
}

}  // namespace rhyton::datasets
