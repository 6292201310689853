#include <rhyton/models/training/arrays.h>

#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <rhyton/framework/error.h>
#include <rhyton/models/training/batch_stream.h>
#include <rhyton/models/training/batches.h>
#include <rhyton/models/training/class_weights.h>

namespace rhyton::training {
namespace {

std::vector<Tensor> inputs_for(Trainee& trainee, const Tensors& x) {
  const std::vector<std::string> names = trainee.input_names();
  if (!x.is_map() && x.list().size() != names.size()) {
    std::vector<Shape> shapes;
    for (const Tensor& array : x.list()) shapes.push_back(array.shape());
    trainee.layer().impl()->check_inputs(shapes);  // throws in Keras's words
  }
  return x.ordered(names, "inputs");
}

std::vector<Shape> shapes_of_any_batch(const std::vector<Tensor>& x) {
  std::vector<Shape> shapes;
  for (const Tensor& array : x) {
    if (array.rank() == 0) throw ValueError("An input array must have at least one axis, the samples.");
    shapes.push_back(array.shape().with(0, -1));
  }
  return shapes;
}

}  // namespace

BatchParts<Tensor> arrays_for(Trainee& trainee, const Tensors& x, const Tensors& y, const Tensors& sample_weight) {
  BatchParts<Tensor> arrays;
  arrays.x = inputs_for(trainee, x);
  trainee.prepare(shapes_of_any_batch(arrays.x));
  const std::vector<std::string> outputs = trainee.output_names();
  if (!y.is_empty()) {
    if (!y.is_map() && y.list().size() != outputs.size()) {
      throw ValueError("y_true and y_pred have different structures.\ny_true: " + structure(y.list().size()) +
                       "\ny_pred: " + structure(outputs.size()) + "\n");
    }
    arrays.y = y.ordered(outputs, "outputs");
  }
  if (sample_weight.list().size() == 1) {
    arrays.sample_weight.assign(outputs.size(), sample_weight.list().front());
  } else if (!sample_weight.is_empty()) {
    arrays.sample_weight = sample_weight.ordered(outputs, "outputs");
  }
  return arrays;
}

void weigh_classes(BatchParts<Tensor>& arrays, const std::map<std::int64_t, double>& class_weight) {
  if (class_weight.empty()) return;
  if (!arrays.sample_weight.empty()) {
    throw ValueError("You cannot `class_weight` and `sample_weight` at the same time.");
  }
  if (arrays.y.size() > 1) throw ValueError("`class_weight` is only supported for Models with a single output.");
  if (arrays.y.empty()) throw ValueError("`class_weight` needs targets `y`.");
  arrays.sample_weight = {sample_weights_from_classes(arrays.y[0], class_weight)};
}

BatchSource array_source(BatchParts<Tensor> arrays, std::int64_t batch_size, std::optional<std::uint64_t> shuffle_key) {
  BatchParts<TensorSpec> specs = specs_of(arrays);
  return {.stream = std::make_unique<ArrayStream>(Batches(std::move(arrays), batch_size), shuffle_key),
          .specs = std::move(specs),
          .batch_size = batch_size,
          .shuffle_key = shuffle_key.value_or(0)};
}

BatchParts<Tensor> split_off(BatchParts<Tensor>& arrays, double part) {
  // Checks the cardinality before anything is cut.
  const Batches whole(arrays, 1);
  const auto samples = static_cast<double>(whole.samples());
  const auto split = static_cast<std::int64_t>(std::floor(samples * (1.0 - part)));
  if (split == 0 || split == whole.samples()) {
    throw ValueError("Training data contains " + std::to_string(whole.samples()) +
                     " samples, which is not sufficient to split it into a validation and training set as specified by "
                     "`validation_split=" +
                     fmt::format("{}", part) +
                     "`. Either provide more data, or a different value for the `validation_split` argument.");
  }
  SplitArrays parts = split_arrays(arrays, split);
  arrays = std::move(parts.first);
  return std::move(parts.second);
}

}  // namespace rhyton::training
