#include <rhyton/models/training/batch_source.h>

#include <algorithm>
#include <mutex>
#include <string>
#include <vector>

#include <rhyton/datasets/pipeline.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/tensor/step_mutex.h>
#include <rhyton/models/training/arranged_dataset.h>

namespace rhyton::training {
namespace {

void check_inputs(const std::vector<TensorSpec>& x, Trainee& trainee) {
  std::vector<Shape> shapes;
  std::vector<TensorSpec> specs;
  for (const TensorSpec& spec : x) {
    if (spec.shape.rank() == 0) throw ValueError("An input array must have at least one axis, the samples.");
    shapes.push_back(spec.shape.with(0, -1));
    specs.push_back({shapes.back(), spec.dtype});
  }
  const std::scoped_lock lock(making_mutex());
  const WithoutStepMutex variables_are_new;
  const std::size_t inputs = trainee.input_names().size();
  if (x.size() != inputs && !trainee.takes_any_structure()) {
    trainee.layer().impl()->check_inputs(shapes);  // throws in Keras's words
    throw ValueError("The model has " + std::to_string(inputs) + " inputs, but the data set gives " +
                     std::to_string(x.size()) + ".");
  }
  trainee.prepare(specs);
}

void check_targets(const datasets::BatchSpec& spec, const std::vector<std::string>& names,
                   const RequiredTargets& targets, bool has_class_weight) {
  targets.require_number(spec.y.size(), names);
  const std::size_t outputs = names.size();
  if (!spec.sample_weight.empty() && spec.sample_weight.size() != outputs) {
    throw ValueError("The model has " + std::to_string(outputs) + " outputs, but the data set gives " +
                     std::to_string(spec.sample_weight.size()) + " sample weights.");
  }
  if (!has_class_weight) return;
  if (!spec.sample_weight.empty()) {
    throw ValueError("You cannot `class_weight` and `sample_weight` at the same time.");
  }
  if (outputs > 1) throw ValueError("`class_weight` is only supported for Models with a single output.");
  if (spec.y.empty()) throw ValueError("`class_weight` needs targets `y`.");
}

/// For a data set without an end.
void require_limit(const std::optional<std::int64_t>& limit, const std::string& what, const std::string& reason) {
  if (limit) return;
  throw ValueError("When passing an infinitely repeating dataset, please specify " + what + " so that " + reason + ".");
}

}  // namespace

std::optional<std::int64_t> BatchSource::steps(const std::optional<std::int64_t>& limit) const {
  const std::optional<std::int64_t> count = stream->count();
  if (count == datasets::infinite_cardinality) {
    require_limit(limit, "a number of steps", "the pass ends");
    return limit;
  }
  return count && limit ? std::min(*count, *limit) : count ? count : limit;
}

std::optional<std::int64_t> BatchSource::steps_per_epoch(const std::optional<std::int64_t>& given) const {
  const std::optional<std::int64_t> count = stream->count();
  if (count == datasets::infinite_cardinality) {
    require_limit(given, "a `steps_per_epoch` value", "epoch level callbacks continue to work");
  }
  return given ? given : count;
}

BatchParts<TensorSpec> BatchSource::batch_specs() const {
  if (batch_size == 0) return specs;
  return map_parts(specs, [&](const TensorSpec& spec) {
    return TensorSpec{spec.shape.with(0, std::min(spec.shape[0], batch_size)), spec.dtype};
  });
}

std::string structure(std::size_t count) {
  if (count == 1) return "*";
  std::string text = "[";
  for (std::size_t i = 0; i < count; ++i) text += i > 0 ? ", '*'" : "'*'";
  return text + "]";
}

BatchSource dataset_source(const datasets::Dataset& given, Trainee& trainee, bool with_targets,
                           const RequiredTargets& targets, const std::map<std::int64_t, double>& class_weight) {
  const datasets::Dataset dataset = arranged_dataset(given, trainee, with_targets, targets);
  const datasets::BatchSpec spec = dataset.element_spec();
  check_inputs(spec.x, trainee);
  BatchSource source = {.stream = std::make_unique<DatasetStream>(
                            dataset, DatasetStream::Parts{.targets = with_targets, .class_weight = class_weight}),
                        .specs = {.x = spec.x},
                        .repeats = false};
  if (with_targets) {
    // Nothing tells how many outputs a model with a call of its own has, but that they fit the targets.
    const bool takes_any = trainee.takes_any_structure();
    std::vector<std::string> names = trainee.output_names();
    if (takes_any) names.resize(spec.y.size());
    check_targets(spec, names, takes_any ? RequiredTargets() : targets, !class_weight.empty());
    source.specs.y = spec.y;
    source.specs.sample_weight = spec.sample_weight;
    if (!class_weight.empty()) source.specs.sample_weight = {TensorSpec{.shape = {-1}, .dtype = float32}};
  }
  return source;
}

}  // namespace rhyton::training
