// How a layer is called on tensors, and built for a call.

#include <algorithm>
#include <initializer_list>
#include <mutex>
#include <unordered_set>
#include <utility>

#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/listeners.h>
#include <rhyton/framework/ops/name_scope.h>
#include <rhyton/framework/tensor/step_mutex.h>
#include <rhyton/framework/tensor/variable_values.h>
#include <rhyton/framework/warning.h>
#include <rhyton/layers/call_node.h>
#include <rhyton/layers/call_stack.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/named_errors.h>
#include <rhyton/layers/stand_ins.h>
#include <rhyton/layers/training_argument.h>

namespace rhyton::layers {
namespace {

/// Weights of layers that a custom layer calls and does not track are neither trained nor saved.
void warn_of_untracked(const LayerImpl& layer, const std::vector<const LayerImpl*>& called) {
  if (called.empty()) return;
  std::unordered_set<const LayerImpl*> tracked;
  for (const Layer& sublayer : layer.sublayers()) tracked.insert(sublayer.impl().get());
  for (const LayerImpl* other : called) {
    if (tracked.contains(other)) continue;
    warn("Layer \"" + layer.name() + "\" calls the layer \"" + other->name() +
         "\", which is not one of its sublayers: its weights are neither trained nor saved with it. Make it a sublayer "
         "with `track(\"attribute\", layer)`.");
  }
}

void require_tensors(const BoundArguments& arguments, const std::string& layer) {
  for (const auto& [parameter, argument] : arguments.all()) {
    for_each_leaf(argument, [&](const Argument& leaf) {
      if (leaf.is_tensor() && leaf.tensor().is_empty()) {
        throw ValueError("Layer \"" + layer + "\" was called on an empty tensor.");
      }
      if (leaf.is_symbolic()) {
        throw TypeError("Layer \"" + layer + "\" was called on a tensor, with the symbolic tensor " + leaf.to_string() +
                        " as another argument. Make the tensor a part of the model, or an Input.");
      }
    });
  }
}

/// The masks of a tensor, list or dictionary in the same form; None where there is none.
Argument masks_in(const Argument& argument) {
  return map_leaves(argument, [](const Argument& leaf) -> Argument {
    return leaf.is_tensor() && leaf.tensor().has_mask() ? Argument(leaf.tensor().mask()) : Argument();
  });
}

/// The masks that the layer takes as arguments and that were not given.
void fill_masks(BoundArguments& arguments) {
  std::vector<std::string> with_tensors;
  for (const auto& [parameter, argument] : arguments.all()) {
    if (holds_tensors(argument)) with_tensors.push_back(parameter);
  }
  const auto fill = [&](const std::string& parameter, const std::string& mask) {
    if (!arguments.has_parameter(mask) || !arguments[mask].is_none()) return;
    Argument masks = masks_in(arguments[parameter]);
    if (holds_tensors(masks)) arguments.set(mask, std::move(masks));
  };
  if (with_tensors.size() == 1) fill(with_tensors.front(), "mask");
  if (with_tensors.size() < 2) return;
  for (const std::string& parameter : with_tensors) fill(parameter, parameter + "_mask");
}

/// One mask per input: those given as the argument `mask`, else those of the inputs.
std::vector<Tensor> previous_masks(const BoundArguments& arguments) {
  const bool is_given = arguments.has_parameter("mask") && holds_tensors(arguments["mask"]);
  std::vector<Tensor> masks;
  for_each_leaf(is_given ? arguments["mask"] : masks_in(arguments.first()),
                [&](const Argument& leaf) { masks.push_back(leaf.is_tensor() ? leaf.tensor() : Tensor()); });
  return masks;
}

bool has_any(const std::vector<Tensor>& tensors) {
  return std::any_of(tensors.begin(), tensors.end(), [](const Tensor& tensor) { return !tensor.is_empty(); });
}

/// Inputs are checked against state that another thread may be creating if the layer is not built.
std::unique_lock<std::recursive_mutex> lock_unless(bool is_built) {
  return is_built ? std::unique_lock<std::recursive_mutex>() : std::unique_lock(making_mutex());
}

/// The value of `training` for a call: that of the callers, else the default of the Keras class.
bool resolved_training(const LayerImpl& layer) {
  const std::optional<bool> given = given_training();
  return given ? *given : default_training(layer).value_or(false);
}

/// Throws the error that is being handled, with None for the stand-ins in its message.
[[noreturn]] void rethrow_with_unknowns(const std::vector<std::int64_t>& stand_ins) {
  try {
    throw;
  } catch (const NamedArgumentError& error) {
    throw NamedArgumentError(with_unknowns(error.what(), stand_ins));
  } catch (const InvalidArgumentError& error) {
    throw InvalidArgumentError(with_unknowns(error.what(), stand_ins));
  } catch (const ValueError& error) {
    const std::string message = with_unknowns(error.what(), stand_ins);
    if (message == error.what()) throw;
    throw ValueError(message);
  }
}

CallArguments arguments_of(const std::vector<Tensor>& inputs) {
  return {.args = {inputs.size() == 1 ? Argument(inputs.front()) : Argument(inputs)}};
}

}  // namespace

std::vector<Tensor> LayerImpl::call(const std::vector<Tensor>& /*inputs*/, bool /*training*/) {
  throw NotImplementedError("Layer " + class_name() + " does not have a `call()` method implemented.");
}

std::vector<Tensor> LayerImpl::call_with(const BoundArguments& arguments, bool training) {
  return call(tensors_of(arguments.first()), training);
}

std::vector<Tensor> LayerImpl::compute_mask(const std::vector<Tensor>& /*inputs*/,
                                            const std::vector<Tensor>& masks) const {
  return masks;
}

std::vector<Tensor> LayerImpl::call_as_innermost(BoundArguments arguments, bool training) {
  if (autocasts()) {
    arguments.change_leaves([&](const Argument& leaf) -> Argument {
      if (!leaf.is_tensor() || !is_floating(leaf.tensor().dtype()) || leaf.tensor().dtype() == compute_dtype_) {
        return leaf;
      }
      return cast(leaf.tensor(), compute_dtype_).with_mask(leaf.tensor().mask());
    });
  }
  fill_masks(arguments);
  const FrameScope scope(this);
  const NameScope name_scope(name());
  std::vector<Tensor> outputs = naming(*this, [&] { return call_with(arguments, training); });
  warn_of_untracked(*this, scope.frame().built);
  pass_masks(tensors_of(arguments.first()), previous_masks(arguments), outputs);
  return outputs;
}

void LayerImpl::pass_masks(const std::vector<Tensor>& inputs, const std::vector<Tensor>& masks,
                           std::vector<Tensor>& outputs) const {
  if (!supports_masking()) {
    if (has_any(masks) && warns_of_lost_masks()) warn_of_lost_mask();
    return;
  }
  if (std::all_of(outputs.begin(), outputs.end(), [](const Tensor& output) { return output.has_mask(); })) return;
  const std::vector<Tensor> computed = compute_mask(inputs, masks);
  for (std::size_t i = 0; i < std::min(outputs.size(), computed.size()); ++i) {
    if (!outputs[i].has_mask()) outputs[i] = outputs[i].with_mask(computed[i]);
  }
}

void LayerImpl::warn_of_lost_mask() const {
  if (is_inferring() || has_warned_of_lost_mask_.exchange(true)) return;
  warn("Layer '" + name() + "' (of type " + class_name() +
       ") was passed an input with a mask attached to it. However, this layer does not support masking and will "
       "therefore destroy the mask information. Downstream layers will not see the mask.");
}

void LayerImpl::prepare_call(const BoundArguments& arguments) {
  if (!quantization_mode_.empty() && !can_be_quantized()) {
    throw NotImplementedError("Layer " + class_name() + " does not have a `_" + quantization_mode_ +
                              "_call` method implemented.");
  }
  require_tensors(arguments, name());
  const std::vector<Shape> shapes = shapes_of(arguments.first());
  // The first argument of an operation may be a number, which has no shape.
  const bool is_built = built_ && (has_built_shapes_ || shapes.empty());
  const std::unique_lock making = lock_unless(is_built);
  naming(*this, [&] { check_inputs(shapes); });
  if (is_built) return;
  const BuildShapes to_build = shapes_to_build(arguments);
  ensure_built(is_built_for_batch() ? to_build : to_build.for_any_batch());
}

std::vector<Tensor> LayerImpl::invoke(const CallArguments& given, const std::optional<bool>& training) {
  const BoundArguments arguments(*this, given);
  prepare_call(arguments);
  // As in Keras, `losses` are those of the last call from outside.
  if (innermost_frame() == nullptr || innermost_frame()->is_step) clear_losses();
  // Holds for the layers that this one calls, too.
  std::optional<TrainingScope> said;
  if (training.has_value()) said.emplace(*training);
  std::vector<Tensor> outputs = call_as_innermost(arguments, resolved_training(*this));
  if (!activity_regularizer_.is_empty()) {
    for (const Tensor& output : outputs) {
      const auto batch = static_cast<double>(output.rank() > 0 ? output.shape()[0] : 1);
      add_loss(divide(activity_regularizer_(output), batch));
    }
  }
  return outputs;
}

std::vector<Tensor> LayerImpl::invoke(const std::vector<Tensor>& inputs, const CallOptions& options) {
  return invoke(with_options(arguments_of(inputs).args.front(), options), options.training);
}

std::vector<Tensor> LayerImpl::call_between_steps(const CallArguments& given, const std::optional<bool>& training) {
  // A call within another call uses that call's weights; a trace reads variables itself.
  if (innermost_frame() != nullptr || !executing_eagerly()) return invoke(given, training);
  if (!built_ || !has_built_shapes_) prepare_call(BoundArguments(*this, given));
  const std::vector<Variable> variables = weights();
  VariableValues values;
  {
    const std::unique_lock between_steps(step_mutex());
    values.take(variables, false);
  }
  const VariableValuesScope scope(values);
  return invoke(given, training);
}

BuildShapes LayerImpl::shapes_to_build(const BoundArguments& arguments) const {
  const auto& [first, inputs] = arguments.all().front();
  BuildShapes shapes(first, shapes_of(inputs));
  for (const std::string& parameter : build_parameters()) {
    if (!shapes.has(parameter)) shapes.add(parameter, arguments[parameter]);
  }
  return shapes;
}

void LayerImpl::ensure_built(const std::vector<Shape>& input_shapes) {
  if (!built_ || !has_built_shapes_) ensure_built(BuildShapes(call_parameters().front(), input_shapes));
}

void LayerImpl::ensure_built(const BuildShapes& shapes) {
  if (built_ && has_built_shapes_) return;
  const std::scoped_lock lock(making_mutex());
  if (built_) {
    // Layers that are built at construction still record the shapes they are first called with.
    if (!has_built_shapes_) {
      built_shapes_ = shapes;
      has_built_shapes_ = !shapes.inputs().empty();
    }
    return;
  }
  const WithoutStepMutex without_mutex;
  const FrameScope scope(this);
  // Weights are values even while a graph is traced or recorded.
  const InitScope init;
  naming(*this, [&] { build_with(shapes); });
  built_shapes_ = shapes;
  has_built_shapes_ = !shapes.inputs().empty();
  built_ = true;
  warn_of_untracked(*this, scope.frame().built);
  if (Frame* const caller = scope.frame().caller; caller != nullptr && !weights().empty()) {
    caller->built.push_back(this);
  }
}

std::vector<TensorSpec> LayerImpl::compute_output_specs(const std::vector<TensorSpec>& inputs) {
  // Symbolic tensors of these specs.
  CallNode node;
  node.outputs = inputs;
  const auto shared = share_node(std::move(node));
  std::vector<Argument> tensors;
  for (std::size_t i = 0; i < inputs.size(); ++i) tensors.emplace_back(SymbolicTensor(shared, static_cast<int>(i)));
  return infer_outputs(
      BoundArguments(*this, {.args = {tensors.size() == 1 ? tensors.front() : Argument(std::move(tensors))}}));
}

std::int64_t LayerImpl::product_of_strides() {
  // Lengths beyond are refused where their product overflows.
  constexpr std::int64_t maximum = std::int64_t{1} << 40;
  std::vector<LayerImpl*> layers;
  collect_layers(layers);
  std::int64_t product = 1;
  for (const LayerImpl* const layer : layers) {
    const std::int64_t stride = std::max<std::int64_t>(layer->largest_stride(), 1);
    product = stride > maximum / product ? maximum : product * stride;
  }
  return product;
}

std::vector<TensorSpec> LayerImpl::infer_outputs(const BoundArguments& arguments) {
  const InferenceMark mark;
  const std::int64_t stride = product_of_strides();
  bool is_known = true;
  const auto run = [&](bool second, const KnownLengths* known, StandIns stand_ins) {
    ShapeInferenceScope scope;
    BoundArguments placeholders = arguments;
    placeholders.change_leaves([&](const Argument& leaf) -> Argument {
      if (!leaf.is_symbolic()) return leaf;
      is_known = is_known && leaf.symbolic().shape().is_fully_known();
      const TensorSpec& spec = leaf.symbolic().spec();
      return scope.placeholder(
          without_unknowns(known == nullptr ? spec : known->applied_to(spec), second, stand_ins, stride));
    });
    std::vector<TensorSpec> outputs;
    for (const Tensor& output : call_as_innermost(std::move(placeholders), resolved_training(*this))) {
      outputs.push_back(output.spec());
    }
    return outputs;
  };
  const auto infer = [&](const KnownLengths* known, StandIns stand_ins) {
    std::vector<TensorSpec> outputs = run(false, known, stand_ins);
    if (is_known) return outputs;
    const std::vector<TensorSpec> others = run(true, known, stand_ins);
    if (outputs.size() != others.size()) {
      throw ValueError("The number of outputs of layer \"" + name() + "\" depends on a length that is not known.");
    }
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      for (int axis = 0; axis < outputs[i].shape.rank(); ++axis) {
        if (outputs[i].shape[axis] != others[i].shape[axis]) outputs[i].shape[axis] = -1;
      }
    }
    return outputs;
  };
  try {
    return infer(nullptr, StandIns::primes);
  } catch (const Error&) {
    // Not every length may fit: two that are unknown may have to be one, as after a transpose, that of a constant
    // decides about the batch, or a length is divided or must be as large as another.
    if (is_known) throw;
    const KnownLengths from_front(arguments, false);
    const KnownLengths from_back(arguments, true);
    const std::initializer_list<std::pair<const KnownLengths*, StandIns>> attempts = {{nullptr, StandIns::alike},
                                                                                      {&from_front, StandIns::primes},
                                                                                      {&from_back, StandIns::primes},
                                                                                      {nullptr, StandIns::divisible}};
    for (const auto& [known, stand_ins] : attempts) {
      try {
        return infer(known, stand_ins);
      } catch (const Error&) {
        continue;
      }
    }
    rethrow_with_unknowns(stand_ins_for(arguments, stride));
  }
}

std::vector<SymbolicTensor> LayerImpl::compute_symbolic_mask(const std::vector<SymbolicTensor>& inputs,
                                                             const std::vector<SymbolicTensor>& masks) const {
  const bool is_masked =
      std::any_of(masks.begin(), masks.end(), [](const SymbolicTensor& mask) { return !mask.is_empty(); });
  if (!is_masked) return {};
  const InferenceMark mark;
  ShapeInferenceScope scope;
  const auto placeholders = [&](const std::vector<SymbolicTensor>& tensors) {
    std::vector<Tensor> result;
    for (const SymbolicTensor& tensor : tensors) {
      result.push_back(tensor.is_empty() ? Tensor() : scope.placeholder(without_unknowns(tensor.spec(), false)));
    }
    return result;
  };
  const std::vector<Tensor> given = placeholders(masks);
  std::vector<SymbolicTensor> result;
  for (const Tensor& computed : compute_mask(placeholders(inputs), given)) {
    const auto same = std::find_if(given.begin(), given.end(), [&](const Tensor& other) {
      return !computed.is_empty() && computed.is_same(other);
    });
    result.push_back(same == given.end() ? SymbolicTensor() : masks[static_cast<std::size_t>(same - given.begin())]);
  }
  return result;
}

}  // namespace rhyton::layers
