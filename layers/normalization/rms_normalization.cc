#include <rhyton/layers/normalization/rms_normalization.h>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/layers/input_spec.h>
#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {
namespace {

class RMSNormalizationImpl final : public LayerImpl {
 public:
  explicit RMSNormalizationImpl(const RMSNormalizationOptions& options)
      : LayerImpl(base_options(options)), options_(options) {
    options_.axis.require_some(name());
  }

  std::string class_name() const override { return RMSNormalization::keras_name; }

  void check_inputs(const std::vector<Shape>& inputs) const override {
    check_input(*this, inputs);
    options_.axis.of(inputs[0]);
  }

  void build(const std::vector<Shape>& inputs) override {
    // A built layer has a list, as in Keras.
    options_.axis = Axes(options_.axis.sorted_as_written().values());
    Shape shape;
    for (const int axis : options_.axis.in_order_of(inputs[0])) shape.push_back(inputs[0][axis]);
    scale_ = add_weight({.shape = shape, .initializer = "ones", .name = "scale"});
  }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    // In half precision the squares overflow.
    const DType given = inputs[0].dtype();
    const DType dtype = given == DType::float64 ? given : DType::float32;
    const Tensor x = cast(inputs[0], dtype);
    const Tensor mean_square = mean(square(x), options_.axis.of(x.shape()), true);
    const Tensor normalized = multiply(x, rsqrt(add(mean_square, options_.epsilon)));
    return {cast(multiply(normalized, cast(scale_, dtype)), given)};
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), options_); }

 private:
  RMSNormalizationOptions options_;
  Variable scale_;
};

}  // namespace

RMSNormalization::RMSNormalization(const RMSNormalizationOptions& options)
    : Layer(std::make_shared<RMSNormalizationImpl>(options)) {}

RMSNormalization RMSNormalization::from_config(const io::Json& config) {
  return RMSNormalization(read_layer<RMSNormalization>(config));
}

}  // namespace rhyton::layers
