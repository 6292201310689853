#include <rhyton/layers/rnn/bidirectional.h>

#include <algorithm>
#include <array>
#include <utility>

#include <rhyton/framework/ops/broadcasting.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/name_scope.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/call_stack.h>
#include <rhyton/layers/input_spec.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/named_errors.h>
#include <rhyton/layers/rnn/base_rnn.h>
#include <rhyton/layers/serialization.h>

namespace rhyton::layers {
namespace {

constexpr std::array<const char*, 4> merge_modes = {"sum", "mul", "ave", "concat"};

RNNImpl* recurrent_layer(const Layer& layer) { return dynamic_cast<RNNImpl*>(layer.impl().get()); }

/// What both directions must agree about, and the direction.
struct SequenceSettings {
  bool go_backwards = false;
  bool return_sequences = false;
  bool return_state = false;
  bool stateful = false;
};

SequenceSettings settings_of(const Layer& layer) {
  if (const RNNImpl* const rnn = recurrent_layer(layer)) {
    const RNNOptions& options = rnn->options();
    return {.go_backwards = options.go_backwards,
            .return_sequences = options.return_sequences,
            .return_state = options.return_state,
            .stateful = options.stateful};
  }
  const io::Json config = layer.get_config();
  const auto flag = [&](const char* key) {
    const io::Json* const value = config.find(key);
    if (value != nullptr && value->is_bool()) return value->as_bool();
    throw ValueError("'" + layer.class_name() + "' object has no attribute '" + key + "'");
  };
  return {.go_backwards = flag("go_backwards"),
          .return_sequences = flag("return_sequences"),
          .return_state = flag("return_state"),
          .stateful = flag("stateful")};
}

std::string python_bool(bool value) { return value ? "True" : "False"; }

void require_fitting(const SequenceSettings& forward, const SequenceSettings& backward) {
  if (forward.go_backwards == backward.go_backwards) {
    throw ValueError(
        "Forward layer and backward layer should have different `go_backwards` value. Received: "
        "forward_layer.go_backwards " +
        python_bool(forward.go_backwards) + ", backward_layer.go_backwards=" + python_bool(backward.go_backwards));
  }
  const auto require_same = [](const char* attribute, bool of_forward, bool of_backward) {
    if (of_forward == of_backward) return;
    throw ValueError("Forward layer and backward layer are expected to have the same value for attribute \"" +
                     std::string(attribute) + "\", got \"" + python_bool(of_forward) + "\" for forward layer and \"" +
                     python_bool(of_backward) + "\" for backward layer");
  };
  require_same("stateful", forward.stateful, backward.stateful);
  require_same("return_sequences", forward.return_sequences, backward.return_sequences);
  require_same("return_state", forward.return_state, backward.return_state);
}

/// "forward_" and the name of the layer, which may have that prefix.
std::string name_for(const char* prefix, const std::string& layer) {
  return layer.starts_with(prefix) ? layer : prefix + layer;
}

/// A new layer of the same configuration, whose outputs of masked steps are 0 if it returns all.
Layer copy_of(const Layer& layer, const char* prefix, bool go_backwards) {
  io::Json object = serialize(layer);
  io::Json& config = object["config"];
  config["name"] = name_for(prefix, layer.name());
  if (go_backwards) config["go_backwards"] = true;
  if (config.contains("zero_output_for_mask") && config.contains("return_sequences")) {
    const io::Json return_sequences = config["return_sequences"];
    config["zero_output_for_mask"] = return_sequences;
  }
  return deserialize(object);
}

class BidirectionalImpl final : public LayerImpl {
 public:
  explicit BidirectionalImpl(const BidirectionalArguments& arguments)
      : LayerImpl(base_options(arguments)), merge_mode_(checked_mode(arguments)) {
    const bool has_backward = arguments.backward_layer.has_value() && !arguments.backward_layer->is_empty();
    forward_ = track("forward_layer", copy_of(arguments.layer, "forward_", false));
    backward_ =
        track("backward_layer", has_backward ? *arguments.backward_layer : copy_of(arguments.layer, "backward_", true));
    settings_ = settings_of(forward_);
    require_fitting(settings_, settings_of(backward_));
    if (RNNImpl* const rnn = recurrent_layer(backward_)) rnn->set_zero_output_for_mask(settings_.return_sequences);
  }

  std::string class_name() const override { return Bidirectional::keras_name; }
  bool supports_masking() const override { return true; }
  bool is_built_for_batch() const override { return settings_.stateful; }
  std::vector<std::string> call_parameters() const override { return {"sequences", "initial_state", "mask"}; }

  void check_inputs(const std::vector<Shape>& inputs) const override {
    if (const RNNImpl* const rnn = recurrent_layer(forward_)) check_input(*this, inputs, rnn->input_spec());
    for (const Layer& layer : {forward_, backward_}) layer.impl()->check_inputs(inputs);
  }

  std::vector<std::string> build_parameters() const override { return {"sequences", "initial_state"}; }
  void build(const std::vector<Shape>& inputs) override {
    for (const Layer& layer : {forward_, backward_}) {
      if (!layer.is_built()) layer.impl()->ensure_built(inputs);
    }
  }

  std::vector<Tensor> call_with(const BoundArguments& arguments, bool training) override {
    const std::vector<Tensor> forward = in_input_order(forward_, for_layer(arguments, forward_, false), training);
    const std::vector<Tensor> backward = in_input_order(backward_, for_layer(arguments, backward_, true), training);
    std::vector<Tensor> outputs = merged(to_compute_dtype(forward.front()), to_compute_dtype(backward.front()));
    if (settings_.return_sequences && settings_.go_backwards) {
      for (Tensor& output : outputs) output = reverse(output, {1});
    }
    for (const std::vector<Tensor>& results : {forward, backward}) {
      outputs.insert(outputs.end(), results.begin() + 1, results.end());
    }
    return outputs;
  }

  std::vector<Tensor> compute_mask(const std::vector<Tensor>& /*inputs*/,
                                   const std::vector<Tensor>& masks) const override {
    if (!settings_.return_sequences || masks.empty()) return {};
    return std::vector<Tensor>(merge_mode_.has_value() ? 1 : 2, masks.front());
  }

  io::Json get_config() const override {
    BidirectionalArguments arguments;
    arguments.merge_mode = merge_mode_;
    arguments.layer = forward_;
    arguments.backward_layer = backward_;
    return written(LayerImpl::get_config(), arguments);
  }

  const Layer& forward_layer() const { return forward_; }
  const Layer& backward_layer() const { return backward_; }

  bool is_stateful() const { return settings_.stateful; }
  std::vector<Variable> states() const {
    std::vector<Variable> states;
    for (const Layer& layer : {forward_, backward_}) {
      if (const RNNImpl* const rnn = recurrent_layer(layer)) {
        states.insert(states.end(), rnn->states().begin(), rnn->states().end());
      }
    }
    return states;
  }

 protected:
  /// From those of the layers, which know them without computing all steps.
  std::vector<TensorSpec> infer_outputs(const BoundArguments& arguments) override {
    if (!arguments.first().is_symbolic()) return LayerImpl::infer_outputs(arguments);
    const std::vector<SymbolicTensor> forward = forward_.impl()->call_symbolic(for_layer(arguments, forward_, false));
    const std::vector<SymbolicTensor> backward = backward_.impl()->call_symbolic(for_layer(arguments, backward_, true));
    std::vector<TensorSpec> outputs = merged_specs(forward.front().shape(), backward.front().shape());
    for (const std::vector<SymbolicTensor>& results : {forward, backward}) {
      for (std::size_t i = 1; i < results.size(); ++i) outputs.push_back(results[i].spec());
    }
    return outputs;
  }

 private:
  static std::optional<std::string> checked_mode(const BidirectionalArguments& arguments) {
    if (arguments.layer.is_empty()) {
      throw ValueError("Please initialize `Bidirectional` layer with a `keras.layers.Layer` instance. Received: None");
    }
    const std::optional<std::string>& mode = arguments.merge_mode;
    if (mode.has_value() && std::find(merge_modes.begin(), merge_modes.end(), *mode) == merge_modes.end()) {
      throw ValueError("Invalid merge mode. Received: " + *mode +
                       R"(. Merge mode should be one of {"sum", "mul", "ave", "concat", None})");
    }
    return mode;
  }

  /// The arguments for the layer of one direction, which gets its half of the states.
  CallArguments for_layer(const BoundArguments& arguments, const Layer& layer, bool second) const {
    CallArguments result{.args = {arguments.first()}};
    const Argument& states = arguments["initial_state"];
    if (!states.is_none()) {
      if (!states.is_list() || states.list().size() % 2 != 0) {
        throw ValueError("The argument `initial_state` of layer \"" + name() +
                         "\" must be a list: the states of the forward layer, then those of the backward layer. "
                         "Received: initial_state=" +
                         states.to_string());
      }
      const auto begin = states.list().begin();
      const auto half = static_cast<std::ptrdiff_t>(states.list().size() / 2);
      result.kwargs.emplace_back("initial_state", second ? Argument::List(begin + half, states.list().end())
                                                         : Argument::List(begin, begin + half));
    }
    const std::vector<std::string> parameters = layer.impl()->call_parameters();
    if (!arguments["mask"].is_none() && std::find(parameters.begin(), parameters.end(), "mask") != parameters.end()) {
      result.kwargs.emplace_back("mask", arguments["mask"]);
    }
    return result;
  }

  /// A call of the layer, whose outputs of all steps are at the positions of their inputs.
  static std::vector<Tensor> in_input_order(const Layer& layer, const CallArguments& given, bool training) {
    RNNImpl* const rnn = recurrent_layer(layer);
    if (rnn != nullptr && rnn->options().activity_regularizer.is_empty()) {
      BoundArguments arguments(*rnn, given);
      arguments.change_leaves([&](const Argument& leaf) -> Argument {
        return leaf.is_tensor() && is_floating(leaf.tensor().dtype()) ? cast(leaf.tensor(), rnn->compute_dtype())
                                                                      : leaf;
      });
      const FrameScope scope(rnn);
      const NameScope name_scope(rnn->name());
      return naming(*rnn, [&] { return rnn->call_in_input_order(arguments, training); });
    }
    std::vector<Tensor> outputs = layer.impl()->invoke(given, training);
    const SequenceSettings settings = settings_of(layer);
    if (settings.go_backwards && settings.return_sequences) outputs.front() = reverse(outputs.front(), {1});
    return outputs;
  }

  std::vector<Tensor> merged(const Tensor& forward, const Tensor& backward) const {
    if (!merge_mode_.has_value()) return {forward, backward};
    if (merge_mode_ == "concat") return {ops::concatenate({forward, backward}, -1)};
    if (merge_mode_ == "mul") return {multiply(forward, backward)};
    const Tensor sum = add(forward, backward);
    return {merge_mode_ == "ave" ? divide(sum, 2) : sum};
  }

  std::vector<TensorSpec> merged_specs(const Shape& forward, const Shape& backward) const {
    if (!merge_mode_.has_value()) return {{forward, compute_dtype()}, {backward, compute_dtype()}};
    if (merge_mode_ != "concat") return {{broadcast_shapes(forward, backward), compute_dtype()}};
    const std::int64_t units = forward.at(-1) + backward.at(-1);
    return {{forward.with(-1, units), compute_dtype()}};
  }

  std::optional<std::string> merge_mode_;
  Layer forward_;
  Layer backward_;
  /// Those of the forward layer.
  SequenceSettings settings_;
};

const BidirectionalImpl& impl_of(const Layer& layer) { return static_cast<const BidirectionalImpl&>(*layer.impl()); }

}  // namespace

Bidirectional::Bidirectional(const Layer& layer, const BidirectionalOptions& options)
    : Layer(std::make_shared<BidirectionalImpl>(BidirectionalArguments{options, layer})) {}

Bidirectional Bidirectional::from_config(const io::Json& config) {
  // The forward layer is copied, so that it need not be built. The wrapper builds both.
  io::Json unbuilt = config;
  for (const char* const key : {"layer", "backward_layer"}) {
    io::Json* const layer = unbuilt.is_object() ? unbuilt.find(key) : nullptr;
    if (layer != nullptr && layer->is_object()) layer->erase("build_config");
  }
  const auto arguments = read_layer<Bidirectional>(unbuilt);
  return Bidirectional(arguments.layer, arguments);
}

Layer Bidirectional::forward_layer() const { return impl_of(*this).forward_layer(); }
Layer Bidirectional::backward_layer() const { return impl_of(*this).backward_layer(); }
void Bidirectional::reset_state() const {
  if (!impl_of(*this).is_stateful()) throw ValueError("Layer must be stateful.");
  layers::reset_states(*this);
}
std::vector<Variable> Bidirectional::states() const { return impl_of(*this).states(); }

}  // namespace rhyton::layers
