#include <rhyton/layers/reshaping/up_sampling3d.h>

#include <cstdint>
#include <memory>
#include <vector>

#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/image_layout.h>
#include <rhyton/layers/input_spec.h>
#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {
namespace {

class UpSampling3DImpl final : public LayerImpl {
 public:
  explicit UpSampling3DImpl(const UpSampling3DOptions& options)
      : LayerImpl(base_options(options)), options_(options), layout_(options.data_format) {
    options_.size.require_positive("size");
    options_.size = options.size.given();
    options_.data_format = layout_.to_string();
    mark_built();
  }

  std::string class_name() const override { return UpSampling3D::keras_name; }

  void check_inputs(const std::vector<Shape>& inputs) const override { check_input(*this, inputs, {.ndim = 5}); }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    Tensor x = inputs[0];
    int axis = layout_.first_spatial_axis();
    for (const std::int64_t factor : options_.size.values()) x = repeat(x, factor, axis++);
    return {x};
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), options_); }

 private:
  /// With the format that holds.
  UpSampling3DOptions options_;
  ImageLayout layout_;
};

UpSampling3DOptions with_size(UpSampling3DOptions options, const Size3& size) {
  options.size = size;
  return options;
}

}  // namespace

UpSampling3D::UpSampling3D(const UpSampling3DOptions& options) : Layer(std::make_shared<UpSampling3DImpl>(options)) {}

UpSampling3D::UpSampling3D(Size3 size, const UpSampling3DOptions& options) : UpSampling3D(with_size(options, size)) {}

UpSampling3D UpSampling3D::from_config(const io::Json& config) {
  return UpSampling3D(read_layer<UpSampling3D>(config));
}

}  // namespace rhyton::layers
