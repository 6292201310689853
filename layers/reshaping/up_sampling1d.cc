#include <rhyton/layers/reshaping/up_sampling1d.h>

#include <memory>
#include <vector>

#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/input_spec.h>
#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {
namespace {

class UpSampling1DImpl final : public LayerImpl {
 public:
  explicit UpSampling1DImpl(const UpSampling1DOptions& options) : LayerImpl(base_options(options)), options_(options) {
    if (options.size <= 0) {
      throw ValueError("Argument `size` should be a positive integer. Received: size=" + std::to_string(options.size));
    }
    mark_built();
  }

  std::string class_name() const override { return UpSampling1D::keras_name; }

  void check_inputs(const std::vector<Shape>& inputs) const override { check_input(*this, inputs, {.ndim = 3}); }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    return {repeat(inputs[0], options_.size, 1)};
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), options_); }

 private:
  UpSampling1DOptions options_;
};

UpSampling1DOptions with_size(UpSampling1DOptions options, std::int64_t size) {
  options.size = size;
  return options;
}

}  // namespace

UpSampling1D::UpSampling1D(const UpSampling1DOptions& options) : Layer(std::make_shared<UpSampling1DImpl>(options)) {}

UpSampling1D::UpSampling1D(std::int64_t size, const UpSampling1DOptions& options)
    : UpSampling1D(with_size(options, size)) {}

UpSampling1D UpSampling1D::from_config(const io::Json& config) {
  return UpSampling1D(read_layer<UpSampling1D>(config));
}

}  // namespace rhyton::layers
