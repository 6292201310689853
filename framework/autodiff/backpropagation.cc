#include <rhyton/framework/autodiff/backpropagation.h>

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include <rhyton/framework/device/device_scope.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/gather.h>
#include <rhyton/framework/ops/name_scope.h>

namespace rhyton {
namespace {

// The tensors that depend on a source.
std::unordered_set<const void*> reached_from(std::span<const Tensor> sources, std::span<const RecordedCall> calls) {
  std::unordered_set<const void*> reached;
  for (const Tensor& source : sources) reached.insert(source.identity());
  for (const RecordedCall& call : calls) {
    for (const Tensor& input : call.inputs) {
      if (!reached.contains(input.identity())) continue;
      for (const Tensor& output : call.outputs) {
        if (is_floating(output.dtype())) reached.insert(output.identity());
      }
      break;
    }
  }
  return reached;
}

/// Runs ops on a device during its lifetime; without one it changes nothing.
class OnDevice {
 public:
  explicit OnDevice(LogicalDevice* device) {
    if (device != nullptr && device != explicit_device()) scope_.emplace(*device);
  }

 private:
  std::optional<DeviceScope> scope_;
};

/// Per tensor: the device of the call that computed it, or for others of the first call that read it. Empty where no
/// call named a device.
std::unordered_map<const void*, LogicalDevice*> devices_of(std::span<const RecordedCall> calls) {
  std::unordered_map<const void*, LogicalDevice*> devices;
  const bool any =
      std::any_of(calls.begin(), calls.end(), [](const RecordedCall& call) { return call.device != nullptr; });
  if (!any) return devices;
  for (const RecordedCall& call : calls) {
    for (const Tensor& input : call.inputs) devices.try_emplace(input.identity(), call.device);
    for (const Tensor& output : call.outputs) devices.try_emplace(output.identity(), call.device);
  }
  return devices;
}

/// The gradients of tensors, by their identity.
class Gradients {
 public:
  explicit Gradients(std::span<const RecordedCall> calls) : devices_(devices_of(calls)) {}

  void add_to(const Tensor& of, const Tensor& gradient) {
    Tensor& sum = sums_[of.identity()];
    if (sum.is_empty()) {
      sum = gradient;
      return;
    }
    const auto device = devices_.find(of.identity());
    const OnDevice there(device == devices_.end() ? nullptr : device->second);
    sum = add(sum, gradient);
  }

  /// Empty if there is none.
  Tensor of(const Tensor& tensor) const {
    const auto it = sums_.find(tensor.identity());
    return it == sums_.end() ? Tensor() : it->second;
  }

 private:
  std::unordered_map<const void*, Tensor> sums_;
  std::unordered_map<const void*, LogicalDevice*> devices_;
};

bool looks_up_rows(const Op& op) {
  const auto* const lookup = dynamic_cast<const GatherOp*>(&op);
  return lookup != nullptr && lookup->axis == 0;
}

/// The slices of gradients, by the identity of the tensor that they are the gradient of.
class Slices {
 public:
  Slices(std::span<const RecordedCall> calls, std::span<const Tensor> targets) {
    // What a call computed passes its gradient on, as a sum.
    for (const RecordedCall& call : calls) {
      for (const Tensor& output : call.outputs) sums_.insert(output.identity());
    }
    for (const Tensor& target : targets) sums_.insert(target.identity());
  }

  /// Notes that the gradient of the call's input has a part from this call.
  void note(const RecordedCall& call, std::size_t input, std::span<const Tensor> output_gradients) {
    const void* const identity = call.inputs[input].identity();
    if (input == 0 && looks_up_rows(*call.op)) {
      slices_[identity].push_back({output_gradients.front(), call.inputs[1]});
    } else {
      sums_.insert(identity);
    }
  }

  std::vector<IndexedSlices> of(const Tensor& tensor) const {
    const auto it = slices_.find(tensor.identity());
    return it == slices_.end() || sums_.contains(tensor.identity()) ? std::vector<IndexedSlices>() : it->second;
  }

 private:
  std::unordered_map<const void*, std::vector<IndexedSlices>> slices_;
  std::unordered_set<const void*> sums_;
};

}  // namespace

std::vector<Tensor> backpropagate(std::span<const RecordedCall> calls, std::span<const Tensor> targets,
                                  std::span<const Tensor> target_gradients, std::span<const Tensor> sources,
                                  std::vector<std::vector<IndexedSlices>>* slices) {
  const std::unordered_set<const void*> reached = reached_from(sources, calls);
  Gradients gradients(calls);
  std::optional<Slices> noted;
  if (slices != nullptr) noted.emplace(calls, targets);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (reached.contains(targets[i].identity())) gradients.add_to(targets[i], target_gradients[i]);
  }

  for (std::size_t c = calls.size(); c-- > 0;) {
    const RecordedCall& call = calls[c];
    std::vector<Tensor> output_gradients;
    bool any = false;
    for (const Tensor& output : call.outputs) {
      output_gradients.push_back(gradients.of(output));
      any = any || !output_gradients.back().is_empty();
    }
    if (!any) continue;
    std::vector<bool> needed;
    bool any_needed = false;
    for (const Tensor& input : call.inputs) {
      needed.push_back(is_floating(input.dtype()) && reached.contains(input.identity()));
      any_needed = any_needed || needed.back();
    }
    if (!any_needed) continue;
    const NameScope scope(call.scope.empty() ? std::string() : "gradients/" + call.scope);
    const OnDevice there(call.device);
    const std::vector<Tensor> input_gradients =
        call.op->gradient({call.inputs, call.outputs, output_gradients, needed});
    if (input_gradients.size() != call.inputs.size()) {
      throw RuntimeError("The gradient of op " + std::string(call.op->name()) + " returned " +
                         std::to_string(input_gradients.size()) + " tensors, expected " +
                         std::to_string(call.inputs.size()) + ", one per input.");
    }
    for (std::size_t i = 0; i < call.inputs.size(); ++i) {
      if (!needed[i] || input_gradients[i].is_empty()) continue;
      if (!(input_gradients[i].spec() == call.inputs[i].spec())) {
        throw RuntimeError("The gradient of op " + std::string(call.op->name()) + " for input " + std::to_string(i) +
                           " has shape " + input_gradients[i].shape().to_string() + " and dtype " +
                           std::string(name_of(input_gradients[i].dtype())) + ", expected " +
                           call.inputs[i].shape().to_string() + " and " + std::string(name_of(call.inputs[i].dtype())) +
                           ".");
      }
      gradients.add_to(call.inputs[i], input_gradients[i]);
      if (noted) noted->note(call, i, output_gradients);
    }
  }

  std::vector<Tensor> result;
  for (const Tensor& source : sources) {
    result.push_back(gradients.of(source));
    if (noted) slices->push_back(noted->of(source));
  }
  return result;
}

}  // namespace rhyton
