#include <rhyton/layers/normalization/unit_normalization.h>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/layers/input_spec.h>
#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {
namespace {

constexpr double least_norm = 1e-12;

class UnitNormalizationImpl final : public LayerImpl {
 public:
  explicit UnitNormalizationImpl(const UnitNormalizationOptions& options)
      : LayerImpl(base_options(options)), options_(options) {
    options_.axis.require_some(name());
    mark_built();
  }

  std::string class_name() const override { return UnitNormalization::keras_name; }
  bool supports_masking() const override { return true; }

  void check_inputs(const std::vector<Shape>& inputs) const override {
    check_input(*this, inputs);
    const int rank = inputs[0].rank();
    for (const int axis : options_.axis.values()) {
      if (axis < rank && axis >= -rank) continue;
      throw ValueError("Axis " + options_.axis.to_config().dump() + " is out of bounds for input shape " +
                       inputs[0].to_string() + ".");
    }
    options_.axis.of(inputs[0]);
  }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    const Tensor& x = inputs[0];
    const Tensor inverse_norm = rsqrt(sum(square(x), options_.axis.of(x.shape()), true));
    return {multiply(x, minimum(inverse_norm, 1.0 / least_norm))};
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), options_); }

 private:
  UnitNormalizationOptions options_;
};

}  // namespace

UnitNormalization::UnitNormalization(const UnitNormalizationOptions& options)
    : Layer(std::make_shared<UnitNormalizationImpl>(options)) {}

UnitNormalization UnitNormalization::from_config(const io::Json& config) {
  return UnitNormalization(read_layer<UnitNormalization>(config));
}

}  // namespace rhyton::layers
