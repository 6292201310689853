#include <rhyton/layers/regularization/activity_regularization.h>

#include <rhyton/layers/input_spec.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/regularizers.h>

namespace rhyton::layers {
namespace {

class ActivityRegularizationImpl final : public LayerImpl {
 public:
  explicit ActivityRegularizationImpl(const ActivityRegularizationOptions& options)
      : LayerImpl(regularized(options)), options_(options) {
    mark_built();
  }

  std::string class_name() const override { return ActivityRegularization::keras_name; }
  bool supports_masking() const override { return true; }
  void check_inputs(const std::vector<Shape>& inputs) const override { check_input(*this, inputs); }
  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override { return inputs; }
  io::Json get_config() const override {
    io::Json config = written(LayerImpl::get_config(), options_);
    // It follows from the factors.
    config.erase("activity_regularizer");
    return config;
  }

 private:
  static LayerOptions regularized(const ActivityRegularizationOptions& options) {
    LayerOptions result = base_options(options);
    result.activity_regularizer = regularizers::L1L2(options.l1, options.l2);
    return result;
  }

  ActivityRegularizationOptions options_;
};

}  // namespace

ActivityRegularization::ActivityRegularization(const ActivityRegularizationOptions& options)
    : Layer(std::make_shared<ActivityRegularizationImpl>(options)) {}

ActivityRegularization ActivityRegularization::from_config(const io::Json& config) {
  return ActivityRegularization(read_layer<ActivityRegularization>(config));
}

}  // namespace rhyton::layers
