// A model configuration: the model runs on a tiny input, eagerly, compiled, and in a training step.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/ops/listeners.h>
#include <rhyton/framework/ops/pooling.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/serialization.h>
#include <rhyton/layers/weight_limit.h>
#include <rhyton/models/model.h>
#include <rhyton/models/model_impl.h>

namespace {

using namespace rhyton;

constexpr std::uint64_t weight_bytes = std::uint64_t{1} << 16;

/// Ends runs that would take long: the run time of models of that size is not an error.
class Budget final : public Observer {
 public:
  void applied(const OpPtr& op, std::span<const Tensor> inputs, std::span<const Tensor> outputs) override {
    std::vector<TensorSpec> input_specs;
    std::vector<TensorSpec> output_specs;
    for (const Tensor& input : inputs) input_specs.push_back(input.spec());
    for (const Tensor& output : outputs) {
      output_specs.push_back(output.spec());
      count(output);
    }
    constexpr double call = 16;
    add(call + op->flops(input_specs, output_specs));
    if (const auto* largest = dynamic_cast<const MaxPool2DOp*>(op.get()))
      count(largest->window(), input_specs[0], outputs);
    if (const auto* mean = dynamic_cast<const AveragePool2DOp*>(op.get()))
      count(mean->window(), input_specs[0], outputs);
  }
  /// An axis of length 0 does not make the others small: kernels still prepare for their lengths.
  void count(const Tensor& tensor) {
    double elements = 1;
    for (const std::int64_t length : tensor.shape()) elements *= std::max(1.0, static_cast<double>(length));
    add(elements);
  }
  void read(const Variable& /*variable*/, const Tensor& /*value*/) override {}
  void assigned(const Variable& /*variable*/) override {}

 private:
  /// The number of cells that a pooling reads.
  void count(const Pool2DAttributes& window, const TensorSpec& x, std::span<const Tensor> outputs) {
    const std::int64_t rows = std::min(window.pool_size[0], x.shape[1]);
    const std::int64_t columns = std::min(window.pool_size[1], x.shape[2]);
    add(static_cast<double>(rows) * static_cast<double>(columns) * static_cast<double>(outputs[0].size()));
  }

  void add(double work) {
    constexpr double max_work = 1 << 24;
    work_ += work;
    if (work_ > max_work) throw ResourceExhaustedError("The model does too much for a tiny input.");
  }

  double work_ = 0;
};

/// Replaces unknown lengths by small ones.
TensorSpec small(TensorSpec spec) {
  for (int axis = 0; axis < spec.shape.rank(); ++axis) {
    if (spec.shape[axis] < 0) spec.shape[axis] = axis == 0 ? 2 : 5;
  }
  return spec;
}

/// The model, or one around the layer for the shapes in its `build_config`.
models::Model model_of(const layers::Layer& layer, const io::Json& config) {
  if (dynamic_cast<const models::ModelImpl*>(layer.impl().get()) != nullptr) return models::Model::from_layer(layer);
  const io::Json& shape = config["build_config"]["input_shape"];
  const bool is_list = shape.size() > 0 && shape[0].is_array();
  std::vector<layers::SymbolicTensor> inputs;
  for (std::size_t i = 0; i < (is_list ? shape.size() : 1); ++i) {
    inputs.emplace_back(layers::make_input({.shape = layers::shape_from_json(is_list ? shape[i] : shape)}, ""));
  }
  return models::Model({.inputs = inputs, .outputs = is_list ? layer(inputs) : layer(inputs[0])});
}

std::vector<TensorSpec> outputs_within_budget(const models::Model& model, const std::vector<TensorSpec>& inputs) {
  ShapeInferenceScope scope;
  Budget budget;
  const ListenerScope listening(budget);
  std::vector<Tensor> placeholders;
  for (const TensorSpec& input : inputs) {
    placeholders.push_back(scope.placeholder(input));
    budget.count(placeholders.back());
  }
  std::vector<TensorSpec> specs;
  for (const Tensor& output : model.call_many(placeholders)) specs.push_back(output.spec());
  return specs;
}

void run(const models::Model& model) {
  std::vector<TensorSpec> specs;
  for (const layers::SymbolicTensor& input : model.inputs()) specs.push_back(small(input.spec()));
  const std::vector<TensorSpec> output_specs = outputs_within_budget(model, specs);
  model.clear_losses();

  std::vector<Tensor> inputs;
  for (const TensorSpec& spec : specs) inputs.push_back(Tensor::full(spec.shape, 1.0, spec.dtype));
  static_cast<void>(model.call_many(inputs));
  static_cast<void>(model.predict_on_batch(inputs));
  std::vector<Tensor> targets;
  for (const TensorSpec& spec : output_specs) targets.push_back(Tensor::zeros(spec.shape, spec.dtype));
  model.compile({.optimizer = "sgd", .loss = "mse"});
  static_cast<void>(model.train_on_batch(inputs, targets));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  context().clear_session();
  context().set_num_threads(1);
  models::register_model_classes();
  try {
    const auto config = io::Json::parse(std::string_view(reinterpret_cast<const char*>(data), size), "config.json");
    const layers::WeightLimit limit(weight_bytes);
    run(model_of(layers::deserialize(config), config));
  } catch (const Error&) {
    return 0;
  }
  return 0;
}
