// How a layer is called on symbolic tensors.

#include <algorithm>
#include <utility>

#include <rhyton/framework/device/device_scope.h>
#include <rhyton/framework/error.h>
#include <rhyton/layers/call_node.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/named_errors.h>

namespace rhyton::layers {
namespace {

/// The symbolic tensors of an argument, with empty ones for everything else.
std::vector<SymbolicTensor> symbols_of(const Argument& argument) {
  std::vector<SymbolicTensor> tensors;
  for_each_leaf(argument, [&](const Argument& leaf) {
    tensors.push_back(leaf.is_symbolic() ? leaf.symbolic() : SymbolicTensor());
  });
  return tensors;
}

void require_tensors(const CallArguments& arguments, const std::string& layer) {
  for_each_leaf(arguments, [&](const Argument& leaf) {
    if (leaf.is_symbolic() && leaf.symbolic().is_empty()) {
      throw ValueError("Layer \"" + layer + "\" was called on an empty symbolic tensor.");
    }
    if (leaf.is_tensor() && leaf.tensor().is_empty()) {
      throw ValueError("Layer \"" + layer + "\" was called on an empty tensor.");
    }
  });
}

/// The known masks of a tensor, list or dictionary in the same form; None where there is none.
Argument masks_in(const Argument& argument) {
  return map_leaves(argument, [](const Argument& leaf) -> Argument {
    return leaf.is_symbolic() && leaf.symbolic().has_mask() ? Argument(leaf.symbolic().mask()) : Argument();
  });
}

/// Adds the mask of the input where the layer takes it as an argument. As in Keras only to a call with one tensor and
/// nothing else: other calls find the masks of their tensors when the model runs.
void fill_mask(BoundArguments& bound, CallArguments& arguments) {
  if (!bound.has_parameter("mask") || !arguments.kwargs.empty() || arguments.args.size() != 1 ||
      !arguments.args.front().is_symbolic()) {
    return;
  }
  const SymbolicTensor mask = arguments.args.front().symbolic().mask();
  if (mask.is_empty()) return;
  arguments.kwargs.emplace_back("mask", mask);
  bound.set("mask", mask);
}

/// Whether only the first argument is given, and is what a list of shapes describes: a tensor or a list of tensors.
bool has_inputs_only(const BoundArguments& arguments) {
  if (arguments.all().front().first.starts_with('*')) return false;
  const Argument& inputs = arguments.first();
  const bool is_flat_list = inputs.is_list() && inputs.list().size() > 1 &&
                            std::all_of(inputs.list().begin(), inputs.list().end(),
                                        [](const Argument& entry) { return entry.is_symbolic(); });
  if (!inputs.is_symbolic() && !is_flat_list) return false;
  return std::all_of(arguments.all().begin() + 1, arguments.all().end(),
                     [](const auto& entry) { return entry.second.is_none(); });
}

std::vector<TensorSpec> specs_of(const std::vector<SymbolicTensor>& tensors) {
  std::vector<TensorSpec> specs;
  for (const SymbolicTensor& tensor : tensors) specs.push_back(tensor.spec());
  return specs;
}

const SymbolicTensor& only(const std::vector<SymbolicTensor>& tensors, const std::string& layer, const char* role) {
  if (tensors.size() == 1) return tensors.front();
  throw ValueError("The layer " + layer + " has " + std::to_string(tensors.size()) + " " + role + ", not one.");
}

std::shared_ptr<const CallNode> first_call(const SymbolicCalls& calls, const std::string& layer, const char* role) {
  std::shared_ptr<const CallNode> call = calls.first();
  if (call != nullptr) return call;
  throw ValueError("The layer " + layer + " has never been called and thus has no defined " + role + ".");
}

bool are_all_symbolic(const std::vector<SymbolicTensor>& tensors) {
  return std::none_of(tensors.begin(), tensors.end(), [](const SymbolicTensor& tensor) { return tensor.is_empty(); });
}

}  // namespace

std::vector<SymbolicTensor> LayerImpl::call_symbolic(const CallArguments& given, const std::optional<bool>& training) {
  require_tensors(given, name());
  CallArguments arguments = given;
  BoundArguments bound(*this, given);
  fill_mask(bound, arguments);
  const std::vector<Shape> shapes = shapes_of(bound.first());
  if (bound.first().is_symbolic()) check_single_input(shapes.front());
  naming(*this, [&] { check_inputs(shapes); });
  if (!built_ || !has_built_shapes_) ensure_built(shapes_to_build(bound));

  const std::vector<SymbolicTensor> inputs = symbols_of(bound.first());
  CallNode call;
  call.layer = shared_from_this();
  call.outputs = has_inputs_only(bound) && are_all_symbolic(inputs) ? compute_output_specs(specs_of(inputs))
                                                                    : infer_outputs(bound);
  call.training = training;
  if (has_device_scope()) call.device = &current_device();
  call.arguments = map_leaves(arguments, [&](const Argument& leaf) -> Argument {
    if (!leaf.is_symbolic()) return leaf;
    call.inputs.push_back(leaf.symbolic().with_mask({}));
    return SymbolicTensor();
  });
  if (supports_masking() && are_all_symbolic(inputs)) {
    const bool is_given = bound.has_parameter("mask") && holds_tensors(bound["mask"]);
    call.masks = compute_symbolic_mask(inputs, symbols_of(is_given ? bound["mask"] : masks_in(bound.first())));
  }
  return outputs_of(share_node(std::move(call)));
}

std::vector<SymbolicTensor> LayerImpl::inputs() const { return first_call(symbolic_calls_, name(), "input")->inputs; }

std::vector<SymbolicTensor> LayerImpl::outputs() const {
  return outputs_of(first_call(symbolic_calls_, name(), "output"));
}

SymbolicTensor Layer::input() const { return only(inputs(), name(), "inputs"); }

SymbolicTensor Layer::output() const { return only(outputs(), name(), "outputs"); }

}  // namespace rhyton::layers
