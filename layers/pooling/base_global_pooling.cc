#include <rhyton/layers/pooling/base_global_pooling.h>

#include <numeric>
#include <vector>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
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

  // The mean over the steps that count; then there are no steps that a mask could be for.
  bool supports_masking() const override { return spatial_axes_ == 1; }
  std::vector<Tensor> compute_mask(const std::vector<Tensor>&, const std::vector<Tensor>&) const override { return {}; }
  std::vector<std::string> call_parameters() const override {
    return spatial_axes_ == 1 ? std::vector<std::string>{"inputs", "mask"} : std::vector<std::string>{"inputs"};
  }

  std::vector<Tensor> call_with(const BoundArguments& arguments, bool) override {
    std::vector<int> axes(static_cast<std::size_t>(spatial_axes_));
    const int first_axis = layout_.first_spatial_axis();
    std::iota(axes.begin(), axes.end(), first_axis);
    const Tensor x = to_compute_dtype(arguments.tensor("inputs"));
    const Tensor mask = spatial_axes_ == 1 ? arguments.tensor("mask") : Tensor();
    if (mask.is_empty()) return {mean(x, axes, options_.keepdims)};
    const Tensor counts = cast(expand_dims(mask, first_axis == 1 ? 2 : 1), DType::bool_);
    return {divide(sum(where(counts, x, 0.0), axes, options_.keepdims),
                   sum(cast(counts, x.dtype()), axes, options_.keepdims))};
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
