#include <rhyton/layers/rnn/time_distributed.h>

#include <algorithm>
#include <array>
#include <string_view>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/call_stack.h>
#include <rhyton/layers/merging/base_merge.h>
#include <rhyton/layers/rnn/steps.h>
#include <rhyton/layers/serialization.h>

namespace rhyton::layers {
namespace {

/// Classes whose result for a sample depends on this sample only, with any arguments but custom activations. In
/// byte order.
constexpr std::array<std::string_view, 13> sample_by_sample = {
    "Activation",
    "AveragePooling2D",
    "Conv2D",
    "Dense",
    "Embedding",
    "Flatten",
    "GlobalAveragePooling1D",
    "GlobalAveragePooling2D",
    "InputLayer",
    "MaxPooling2D",
    "ReLU",
    "Rescaling",
    "Reshape",
};
static_assert(std::is_sorted(sample_by_sample.begin(), sample_by_sample.end()));

std::string member_text(const io::Json& object, const char* key) {
  const io::Json* const member = object.find(key);
  return member != nullptr && member->is_string() ? member->as_string() : std::string();
}

/// Whether a layer, as `serialize` describes it, computes each sample by itself.
bool is_sample_by_sample(const io::Json& object, bool is_called_directly) {
  const io::Json& config = object["config"];
  const std::string module = member_text(object, "module");
  if (module == "keras" || module == "keras.src.models.functional") {
    const io::Json& layers = config["layers"];
    return std::all_of(layers.begin(), layers.end(), [](const io::Json& l) { return is_sample_by_sample(l, false); });
  }
  const bool is_known = module == "keras.layers" && std::binary_search(sample_by_sample.begin(), sample_by_sample.end(),
                                                                       member_text(object, "class_name"));
  const io::Json* const activation = config.find("activation");
  const io::Json* const penalty = config.find("activity_regularizer");
  return is_known && (activation == nullptr || activation->is_string()) &&
         (is_called_directly || penalty == nullptr || penalty->is_null());
}

bool is_sample_by_sample(const Layer& layer) {
  try {
    return is_sample_by_sample(serialize(layer), true);
  } catch (const Error&) {
    return false;  // it cannot be described
  }
}

class TimeDistributedImpl final : public WrapperImpl {
 public:
  explicit TimeDistributedImpl(const WrapperArguments& arguments)
      : WrapperImpl(checked(arguments.layer), base_options(arguments)) {}

  std::string class_name() const override { return TimeDistributed::keras_name; }

  void check_inputs(const std::vector<Shape>& inputs) const override {
    if (inputs.size() != 1 || inputs[0].rank() < 3) {
      throw ValueError(
          "`TimeDistributed` Layer should be passed an `input_shape` with at least 3 dimensions, received: " +
          (inputs.size() == 1 ? inputs[0].to_string() : shape_list_text(inputs)));
    }
    layer().impl()->check_inputs({step_shape(inputs[0])});
  }

  void build(const std::vector<Shape>& inputs) override {
    WrapperImpl::build({step_shape(inputs[0])});
    is_called_once_ = is_sample_by_sample(layer());
  }

  std::vector<TensorSpec> compute_output_specs(const std::vector<TensorSpec>& inputs) override {
    const TensorSpec& all = inputs[0];
    const DType dtype = is_floating(all.dtype) ? compute_dtype() : all.dtype;
    TensorSpec output = only(layer().impl()->compute_output_specs({{step_shape(all.shape), dtype}}));
    output.shape = with_steps(output.shape, all.shape[1]);
    output.dtype = dtype_of_output(output.dtype);
    return {output};
  }

  bool supports_masking() const override { return true; }
  bool is_built_for_batch() const override { return layer().impl()->is_built_for_batch(); }
  std::vector<std::string> call_parameters() const override { return {"inputs", "mask"}; }

  std::vector<Tensor> call_with(const BoundArguments& arguments, bool training) override {
    const Tensor x = arguments.tensor("inputs");
    const Tensor mask = arguments.tensor("mask");
    if (!mask.is_empty()) require_steps(mask.shape(), x.shape());
    const std::vector<std::string> parameters = layer().impl()->call_parameters();
    const bool takes_mask =
        !mask.is_empty() && std::find(parameters.begin(), parameters.end(), "mask") != parameters.end();
    const std::int64_t steps = x.shape()[1];
    if (is_called_once_ && !takes_mask) {
      const Shape merged = Shape({x.shape()[0] * steps}).concatenate(x.shape().slice(2, x.rank()));
      const Tensor y = call_layer(reshape(x, merged), {}, training);
      const Shape step = y.shape().with(0, x.shape()[0]);
      return {reshape(y, with_steps(step, steps))};
    }
    if (steps == 0) {
      const TensorSpec output = compute_output_specs({x.spec()}).front();
      return {Tensor::zeros(output.shape, output.dtype)};
    }
    std::vector<Tensor> outputs;
    const std::vector<Tensor> masks = takes_mask ? unstack(mask, 1) : std::vector<Tensor>();
    for (const Tensor& step : unstack(x, 1)) {
      outputs.push_back(call_layer(step, takes_mask ? masks[outputs.size()] : Tensor(), training));
    }
    return {stack(outputs, 1)};
  }

 protected:
  // A mask does not change the outputs' shapes.
  std::vector<TensorSpec> infer_outputs(const BoundArguments& arguments) override {
    const Argument& inputs = arguments.first();
    return inputs.is_symbolic() ? compute_output_specs({inputs.symbolic().spec()})
                                : WrapperImpl::infer_outputs(arguments);
  }

 private:
  static const Layer& checked(const Layer& layer) {
    if (!layer.is_empty()) return layer;
    throw ValueError("Please initialize `TimeDistributed` layer with a `keras.layers.Layer` instance. Received: None");
  }

  template <class T>
  T only(const std::vector<T>& outputs) const {
    if (outputs.size() == 1) return outputs.front();
    throw ValueError("The layer \"" + layer().name() + "\" that TimeDistributed layer \"" + name() +
                     "\" wraps must have one output. It has " + std::to_string(outputs.size()) + ".");
  }

  static void require_steps(const Shape& mask, const Shape& inputs) {
    if (mask.rank() < 2) {
      throw ValueError(
          "The `mask` passed to the `TimeDistributed` layer must be at least 2D (e.g., `(batch_size, timesteps)`), but "
          "it has " +
          std::to_string(mask.rank()) + " dimension(s) with shape " + mask.to_string() + ".");
    }
    if (mask[0] == inputs[0] && mask[1] == inputs[1]) return;
    throw ValueError("The `mask` passed to the `TimeDistributed` layer has a shape " + mask.to_string() +
                     " that is incompatible with the input shape " + inputs.to_string() +
                     ". The first two dimensions of the mask (batch size and timesteps) must match the input's first "
                     "two dimensions. Expected mask shape prefix: (" +
                     std::to_string(inputs[0]) + ", " + std::to_string(inputs[1]) + ").");
  }

  DType dtype_of_output(DType dtype) const { return is_floating(dtype) ? DirectCallScope::dtype_of(*this) : dtype; }

  /// The wrapped layer without what a call of its own adds: its activity regularizer and its dtype policy.
  Tensor call_layer(const Tensor& x, const Tensor& mask, bool training) const {
    LayerImpl& impl = *layer().impl();
    CallArguments arguments{.args = {x}};
    if (!mask.is_empty()) arguments.kwargs.emplace_back("mask", mask);
    const DType dtype = DirectCallScope::dtype_of(*this);
    const DirectCallScope scope(impl, dtype);
    const Tensor output = only(impl.call_with(BoundArguments(impl, arguments), training));
    return is_floating(output.dtype()) ? cast(output, dtype) : output;
  }

  bool is_called_once_ = false;
};

}  // namespace

TimeDistributed::TimeDistributed(const Layer& layer, const TimeDistributedOptions& options)
    : Layer(std::make_shared<TimeDistributedImpl>(WrapperArguments{options, layer})) {}

TimeDistributed TimeDistributed::from_config(const io::Json& config) {
  const auto arguments = read_layer<TimeDistributed>(config);
  return TimeDistributed(arguments.layer, arguments);
}

}  // namespace rhyton::layers
