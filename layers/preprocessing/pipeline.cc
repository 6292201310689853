#include <rhyton/layers/preprocessing/pipeline.h>

#include <rhyton/framework/error.h>
#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {
namespace {

class PipelineImpl final : public LayerImpl {
 public:
  explicit PipelineImpl(const PipelineArguments& arguments)
      : LayerImpl(base_options(arguments)), arguments_(arguments) {
    for (const Layer& layer : arguments.layers) {
      if (layer.is_empty()) throw ValueError("The `layers` argument of Pipeline contains an empty layer.");
    }
    track("layers", arguments_.layers);
  }

  std::string class_name() const override { return Pipeline::keras_name; }
  const std::vector<Layer>& layers() const { return arguments_.layers; }
  bool warns_of_lost_masks() const override { return false; }
  std::vector<std::string> call_parameters() const override { return {"inputs", "mask"}; }

  void build(const std::vector<Shape>& inputs) override {
    if (inputs.size() != 1) return;  // the layers are built when they are called
    Shape shape = inputs[0];
    for (const Layer& layer : arguments_.layers) {
      layer.impl()->ensure_built({shape});
      shape = layer.compute_output_shape(shape);
    }
  }

  std::vector<Tensor> call_with(const BoundArguments& arguments, bool training) override {
    if (arguments.first().is_dictionary()) return call_with_dictionary(arguments.first(), training);
    std::vector<Tensor> outputs = arguments.tensors("inputs");
    const std::vector<Tensor> masks = tensors_of(arguments["mask"]);
    for (std::size_t i = 0; i < masks.size() && i < outputs.size(); ++i) outputs[i] = outputs[i].with_mask(masks[i]);
    for (const Layer& layer : arguments_.layers) outputs = layer.impl()->invoke(outputs, {.training = training});
    return outputs;
  }

  io::Json get_config() const override {
    io::Json config = written(arguments_);
    config["name"] = name();
    return config;
  }

 private:
  /// Layers that return as many tensors as they got return a dictionary of the same form.
  std::vector<Tensor> call_with_dictionary(Argument data, bool training) {
    std::vector<Tensor> outputs = tensors_of(data);
    for (const Layer& layer : arguments_.layers) {
      const std::size_t count = outputs.size();
      outputs = layer.impl()->invoke(CallArguments{.args = {data}}, training);
      if (outputs.size() != count) {
        data = Argument(outputs);
        continue;
      }
      auto next = outputs.begin();
      data = map_leaves(data, [&](const Argument& leaf) { return leaf.is_tensor() ? Argument(*next++) : leaf; });
    }
    return outputs;
  }

  PipelineArguments arguments_;
};

}  // namespace

Pipeline::Pipeline(const std::vector<Layer>& layers, const PipelineOptions& options)
    : Layer(std::make_shared<PipelineImpl>(PipelineArguments{options, layers})) {}

Pipeline Pipeline::from_config(const io::Json& config) {
  const io::Json* const layers = config.find("layers");
  if (layers == nullptr || !layers->is_array()) {
    throw ValueError(
        "`Pipeline` config must contain a `layers` key mapping to a list of serialized layers. Received config with "
        "layers=" +
        (layers == nullptr || layers->is_null() ? "None" : layers->dump()) + ".");
  }
  const auto arguments = read_layer<Pipeline>(config);
  return Pipeline(arguments.layers, arguments);
}

const std::vector<Layer>& Pipeline::layers() const {
  return dynamic_cast<const PipelineImpl&>(require_impl()).layers();
}

}  // namespace rhyton::layers
