#include <rhyton/models/training/arrays.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/python_list.h>
#include <rhyton/models/training/argument_checks.h>
#include <rhyton/models/training/batch_stream.h>
#include <rhyton/models/training/batches.h>
#include <rhyton/models/training/class_weights.h>

namespace rhyton::training {
namespace {

/// Throws ValueError if there is not one tensor for each of the model's inputs or outputs.
void require_number(const std::vector<Tensor>& tensors, const std::vector<std::string>& names,
                    const std::string& what) {
  if (tensors.size() == names.size()) return;
  throw ValueError("The model has " + std::to_string(names.size()) + " " + what + ", " + python_list(names) +
                   ", but received " + std::to_string(tensors.size()) + " tensors.");
}

std::vector<std::string> keys_of(const Tensors& tensors) {
  std::vector<std::string> keys;
  for (const auto& [key, tensor] : tensors.map()) keys.push_back(key);
  return keys;
}

/// The tensors of a dictionary in the order of the names, all of which it has.
std::vector<Tensor> in_order(const Tensors& tensors, const std::vector<std::string>& names) {
  std::vector<Tensor> ordered;
  for (const std::string& name : names) ordered.push_back(tensors.map().at(name));
  return ordered;
}

/// As Keras prints a dictionary of arrays: {'a': '*', 'b': '*'}.
std::string dictionary_of(const std::vector<std::string>& keys) {
  std::string text = "{";
  for (const std::string& key : keys) text += (text.size() > 1 ? ", '" : "'") + key + "': '*'";
  return text + "}";
}

bool has_keys(const Tensors& tensors, const std::vector<std::string>& names) {
  return tensors.map().size() == names.size() &&
         std::all_of(names.begin(), names.end(), [&](const std::string& name) { return tensors.map().contains(name); });
}

/// The tensors as they are given, those of a dictionary by key, as Keras flattens it.
std::vector<Tensor> in_any_structure(const Tensors& tensors) {
  if (!tensors.is_map()) return tensors.list();
  std::vector<Tensor> ordered;
  for (const auto& [key, tensor] : tensors.map()) ordered.push_back(tensor);
  return ordered;
}

/// The names in errors, for any number of tensors.
std::vector<std::string> names_for(const std::vector<std::string>& names, std::size_t count) {
  std::vector<std::string> all = names;
  while (all.size() < count) all.push_back(std::to_string(all.size()));
  return all;
}

std::vector<Tensor> weights_for(const std::vector<std::string>& outputs, const Tensors& sample_weight) {
  if (sample_weight.is_map()) {
    if (!has_keys(sample_weight, outputs)) {
      throw ValueError(
          "You should provide one `sample_weight` array per output in `y`. The two structures did not match:\n- y: " +
          dictionary_of(outputs) + "\n- sample_weight: " + dictionary_of(keys_of(sample_weight)) + "\n");
    }
    return in_order(sample_weight, outputs);
  }
  if (sample_weight.list().size() == 1) return {outputs.size(), sample_weight.list().front()};
  if (!sample_weight.is_empty()) require_number(sample_weight.list(), outputs, "outputs");
  return sample_weight.list();
}

/// Gives the outputs without weights among others with weights the weight 1.
void complete_weights(std::vector<Tensor>& weights) {
  const auto is_given = [](const Tensor& weight) { return !weight.is_empty(); };
  const auto given = std::find_if(weights.begin(), weights.end(), is_given);
  if (given == weights.end()) {
    weights.clear();
    return;
  }
  const Tensor ones = Tensor::full({given->shape().at(0)}, 1.0);
  for (Tensor& weight : weights) {
    if (!is_given(weight)) weight = ones;
  }
}

/// Throws ValueError for an empty tensor among the inputs.
void require_no_empty(const std::vector<Tensor>& inputs, const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].is_empty()) {
      throw ValueError(fmt::format("`x` has an empty tensor for the input '{}'.", names.at(i)));
    }
  }
}

std::vector<TensorSpec> specs_of_any_batch(const std::vector<Tensor>& x) {
  std::vector<TensorSpec> specs;
  for (const Tensor& array : x) {
    if (array.rank() == 0) throw ValueError("An input array must have at least one axis, the samples.");
    specs.push_back({array.shape().with(0, -1), array.dtype()});
  }
  return specs;
}

}  // namespace

std::vector<Tensor> inputs_for(Trainee& trainee, const Tensors& x) {
  if (trainee.takes_any_structure()) {
    if (x.is_empty()) throw ValueError("`x` has no tensors: expected at least one.");
    return in_any_structure(x);
  }
  const std::vector<std::string> names = trainee.input_names();
  std::vector<Tensor> inputs = x.list();
  if (x.is_map()) {
    const layers::Argument arranged = trainee.layer().impl()->arrange_inputs(x.map());
    if (arranged.is_dictionary()) {
      require_inputs(keys_of(x), names);
      return in_order(x, names);
    }
    inputs = layers::tensors_of(arranged);
  }
  if (inputs.size() != names.size()) {
    std::vector<Shape> shapes;
    for (const Tensor& array : inputs) shapes.push_back(array.shape());
    trainee.layer().impl()->check_inputs(shapes);  // throws in Keras's words
    require_number(inputs, names, "inputs");
  }
  return inputs;
}

std::vector<Tensor> targets_for(const Trainee& trainee, const Tensors& y, const RequiredTargets& targets) {
  return trainee.takes_any_structure() ? in_any_structure(y) : targets.select(y, trainee.output_names());
}

BatchParts<Tensor> arrays_for(Trainee& trainee, const Tensors& x, const Tensors& y, const Tensors& sample_weight,
                              const RequiredTargets& targets) {
  BatchParts<Tensor> arrays;
  arrays.x = inputs_for(trainee, x);
  require_no_empty(arrays.x, names_for(trainee.input_names(), arrays.x.size()));
  trainee.prepare(specs_of_any_batch(arrays.x));
  arrays.y = targets_for(trainee, y, targets);
  if (trainee.takes_any_structure()) {
    arrays.sample_weight = in_any_structure(sample_weight);
    for (const std::vector<Tensor>* part : {&arrays.y, &arrays.sample_weight}) {
      if (std::any_of(part->begin(), part->end(), [](const Tensor& array) { return array.is_empty(); })) {
        throw ValueError("`y` and `sample_weight` must not have empty tensors for a model with a `call` of its own.");
      }
    }
    return arrays;
  }
  const std::vector<std::string> outputs = trainee.output_names();
  arrays.sample_weight = weights_for(outputs, sample_weight);
  complete_weights(arrays.sample_weight);
  return arrays;
}

void weigh_classes(BatchParts<Tensor>& arrays, const std::map<std::int64_t, double>& class_weight,
                   std::size_t outputs) {
  if (class_weight.empty()) return;
  if (!arrays.sample_weight.empty()) {
    throw ValueError("You cannot `class_weight` and `sample_weight` at the same time.");
  }
  if (arrays.y.size() > 1) throw ValueError("`class_weight` is only supported for Models with a single output.");
  if (arrays.y.empty()) throw ValueError("`class_weight` needs targets `y`.");
  arrays.sample_weight.assign(outputs, sample_weights_from_classes(arrays.y[0], class_weight));
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
