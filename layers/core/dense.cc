#include <rhyton/layers/core/dense.h>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/layers/input_spec.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/named_weights.h>

namespace rhyton::layers {
namespace {

class DenseImpl final : public LayerImpl {
 public:
  explicit DenseImpl(const DenseArguments& options) : LayerImpl(base_options(options)), options_(options) {
    if (options.units <= 0) {
      throw ValueError("Received an invalid value for `units`, expected a positive integer. Received: units=" +
                       std::to_string(options.units));
    }
  }

  std::string class_name() const override { return Dense::keras_name; }
  bool supports_masking() const override { return true; }

  void check_inputs(const std::vector<Shape>& inputs) const override {
    InputSpec spec{.min_ndim = 2};
    if (!kernel_.is_empty()) spec.axes = {{-1, kernel_.shape()[0]}};
    check_input(*this, inputs, spec);
  }

  void build(const std::vector<Shape>& inputs) override {
    kernel_ = add_weight(kernel_weight(options_, {inputs[0].at(-1), options_.units}));
    if (!options_.use_bias) return;
    bias_ = add_weight(bias_weight(options_, {options_.units}));
  }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    Tensor y = matmul(to_compute_dtype(inputs[0]), to_compute_dtype(kernel_));
    if (!bias_.is_empty()) y = add(y, to_compute_dtype(bias_));
    return {options_.activation(y)};
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), options_); }

 private:
  DenseArguments options_;
  Variable kernel_;
  Variable bias_;
};

}  // namespace

Dense::Dense(std::int64_t units, const DenseOptions& options)
    : Layer(std::make_shared<DenseImpl>(DenseArguments{options, units})) {}

Dense Dense::from_config(const io::Json& config) {
  const auto arguments = read_layer<Dense>(config);
  return Dense(arguments.units, arguments);
}

}  // namespace rhyton::layers
