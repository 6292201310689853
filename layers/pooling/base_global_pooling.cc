#include <rhyton/layers/pooling/base_global_pooling.h>

#include <numeric>
#include <vector>

#include <rhyton/framework/ops/reduce.h>
#include <rhyton/layers/image_layout.h>
#include <rhyton/layers/input_spec.h>
#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {
namespace {

class GlobalAverageImpl final : public LayerImpl {
 public:
  GlobalAverageImpl(int spatial_axes, const GlobalAveragePoolingOptions& options)
      : LayerImpl(base_options(options)), spatial_axes_(spatial_axes), options_(options), layout_(options.data_format) {
    options_.data_format = layout_.to_string();
    mark_built();
  }

  std::string class_name() const override {
    return spatial_axes_ == 1 ? "GlobalAveragePooling1D" : "GlobalAveragePooling2D";
  }

  void check_inputs(const std::vector<Shape>& inputs) const override {
    check_input(*this, inputs, {.ndim = spatial_axes_ + 2});
  }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    std::vector<int> axes(static_cast<std::size_t>(spatial_axes_));
    std::iota(axes.begin(), axes.end(), layout_.first_spatial_axis());
    return {mean(to_compute_dtype(inputs[0]), axes, options_.keepdims)};
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), options_); }

 private:
  int spatial_axes_;
  /// With the format that holds.
  GlobalAveragePoolingOptions options_;
  ImageLayout layout_;
};

}  // namespace

std::shared_ptr<LayerImpl> make_global_average_pooling(int spatial_axes, const GlobalAveragePoolingOptions& options) {
  return std::make_shared<GlobalAverageImpl>(spatial_axes, options);
}

}  // namespace rhyton::layers
