#include <rhyton/layers/reshaping/reshape.h>

#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/input_spec.h>
#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {
namespace {

/// "(3, -1)": the shape that the user gave, as Python prints it.
std::string python_tuple(const Shape& shape) {
  std::string text;
  for (const std::int64_t length : shape) text += (text.empty() ? "" : ", ") + std::to_string(length);
  return "(" + text + (shape.rank() == 1 ? ",)" : ")");
}

class ReshapeImpl final : public LayerImpl {
 public:
  explicit ReshapeImpl(const ReshapeArguments& arguments) : LayerImpl(base_options(arguments)), arguments_(arguments) {
    const Shape& target_shape = target();
    if (std::count(target_shape.begin(), target_shape.end(), -1) > 1) {
      throw ValueError("There must be at most one unknown dimension (-1) in `target_shape`. Received: target_shape=" +
                       python_tuple(target_shape) + ".");
    }
    mark_built();
  }

  std::string class_name() const override { return Reshape::keras_name; }

  void check_inputs(const std::vector<Shape>& inputs) const override {
    check_input(*this, inputs, {.min_ndim = 1});
    const Shape sample = inputs[0].slice(1, inputs[0].rank());
    if (sample.is_fully_known()) resolved(sample);
  }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    const Tensor& x = inputs[0];
    const Shape batch = {x.shape()[0]};
    return {reshape(x, batch.concatenate(resolved(x.shape().slice(1, x.rank()))))};
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), arguments_); }

 private:
  const Shape& target() const { return arguments_.target_shape.lengths; }

  /// The target with -1 replaced. Throws if the numbers of elements differ.
  Shape resolved(const Shape& sample) const {
    const std::int64_t elements = sample.size();
    const std::string received =
        "Received: input_shape=" + sample.to_string() + ", target_shape=" + python_tuple(target());
    Shape result = target();
    int unknown = 0;
    while (unknown < result.rank() && result[unknown] != -1) ++unknown;
    if (unknown < result.rank()) result[unknown] = 1;
    const std::int64_t known = result.size();
    if (unknown == result.rank()) {
      if (known != elements) throw ValueError("The total size of the tensor must be unchanged. " + received);
      return result;
    }
    if (known == 0 || elements % known != 0) {
      throw ValueError(
          "The total size of the tensor must be unchanged, however, the input size cannot by divided by the specified "
          "dimensions in target_shape. " +
          received);
    }
    result[unknown] = elements / known;
    return result;
  }

  ReshapeArguments arguments_;
};

}  // namespace

io::Json ReshapeArguments::TargetShape::to_config() const { return io::Json::array_from(lengths); }

ReshapeArguments::TargetShape ReshapeArguments::TargetShape::from_config(const io::Json& config) {
  return {shape_from_json(config)};
}

Reshape::Reshape(const Shape& target_shape, const ReshapeOptions& options)
    : Layer(std::make_shared<ReshapeImpl>(ReshapeArguments{options, {target_shape}})) {}

Reshape Reshape::from_config(const io::Json& config) {
  const auto arguments = read_layer<Reshape>(config);
  return Reshape(arguments.target_shape.lengths, arguments);
}

}  // namespace rhyton::layers
