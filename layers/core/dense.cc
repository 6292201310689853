#include <rhyton/layers/core/dense.h>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/layers/input_spec.h>
#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {
namespace {

class DenseImpl final : public LayerImpl {
 public:
  DenseImpl(std::int64_t units, const DenseOptions& options)
      : LayerImpl(base_options(options)), units_(units), options_(options) {
    if (units <= 0) {
      throw ValueError("Received an invalid value for `units`, expected a positive integer. Received: units=" +
                       std::to_string(units));
    }
  }

  std::string class_name() const override { return "Dense"; }

  void check_inputs(const std::vector<Shape>& inputs) const override {
    InputSpec spec{.min_ndim = 2};
    if (!kernel_.is_empty()) spec.axes = {{-1, kernel_.shape()[0]}};
    check_input(*this, inputs, spec);
  }

  void build(const std::vector<Shape>& inputs) override {
    kernel_ = add_weight({.shape = {inputs[0].at(-1), units_},
                          .initializer = options_.kernel_initializer,
                          .regularizer = options_.kernel_regularizer,
                          .name = "kernel"});
    if (!options_.use_bias) return;
    bias_ = add_weight({.shape = {units_},
                        .initializer = options_.bias_initializer,
                        .regularizer = options_.bias_regularizer,
                        .name = "bias"});
  }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    Tensor y = matmul(to_compute_dtype(inputs[0]), to_compute_dtype(kernel_));
    if (!bias_.is_empty()) y = add(y, to_compute_dtype(bias_));
    return {options_.activation(y)};
  }

  io::Json get_config() const override {
    return extended(LayerImpl::get_config(), io::Json::object({
                                                 {"units", units_},
                                                 {"activation", options_.activation.to_config()},
                                                 {"use_bias", options_.use_bias},
                                                 {"kernel_initializer", options_.kernel_initializer.to_config()},
                                                 {"bias_initializer", options_.bias_initializer.to_config()},
                                                 {"kernel_regularizer", options_.kernel_regularizer.to_config()},
                                                 {"bias_regularizer", options_.bias_regularizer.to_config()},
                                                 {"kernel_constraint", nullptr},
                                                 {"bias_constraint", nullptr},
                                             }));
  }

 private:
  std::int64_t units_;
  DenseOptions options_;
  Variable kernel_;
  Variable bias_;
};

}  // namespace

Dense::Dense(std::int64_t units, const DenseOptions& options) : Layer(std::make_shared<DenseImpl>(units, options)) {}

Dense Dense::from_config(const io::Json& config) {
  ConfigReader reader("Dense", config);
  DenseOptions options;
  reader.read_base(options);
  const auto units = reader.require<std::int64_t>("units");
  reader.read("activation", options.activation);
  reader.read("use_bias", options.use_bias);
  reader.read("kernel_initializer", options.kernel_initializer);
  reader.read("bias_initializer", options.bias_initializer);
  reader.read("kernel_regularizer", options.kernel_regularizer);
  reader.read("bias_regularizer", options.bias_regularizer);
  reader.finish();
  return Dense(units, options);
}

}  // namespace rhyton::layers
