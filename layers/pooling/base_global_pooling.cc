#include <rhyton/layers/pooling/base_global_pooling.h>

#include <numeric>
#include <utility>
#include <vector>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/image_layout.h>
#include <rhyton/layers/input_spec.h>
#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {
namespace {

class GlobalPoolingImpl : public LayerImpl {
 public:
  GlobalPoolingImpl(std::string class_name, int spatial_axes, const GlobalPoolingOptions& options)
      : LayerImpl(base_options(options)),
        class_name_(std::move(class_name)),
        spatial_axes_(static_cast<std::size_t>(spatial_axes)),
        options_(options),
        layout_(options.data_format) {
    options_.data_format = layout_.to_string();
    std::iota(spatial_axes_.begin(), spatial_axes_.end(), layout_.first_spatial_axis());
    mark_built();
  }

  std::string class_name() const override { return class_name_; }

  void check_inputs(const std::vector<Shape>& inputs) const override {
    check_input(*this, inputs, {.ndim = static_cast<int>(spatial_axes_.size()) + 2});
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), options_); }

 protected:
  const std::vector<int>& spatial_axes() const { return spatial_axes_; }
  bool keepdims() const { return options_.keepdims; }
  const ImageLayout& layout() const { return layout_; }

 private:
  std::string class_name_;
  std::vector<int> spatial_axes_;
  /// With the format that holds.
  GlobalPoolingOptions options_;
  ImageLayout layout_;
};

class GlobalMaxPoolingImpl final : public GlobalPoolingImpl {
 public:
  using GlobalPoolingImpl::GlobalPoolingImpl;

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    return {max(inputs[0], spatial_axes(), keepdims())};
  }
};

class GlobalAveragePoolingImpl final : public GlobalPoolingImpl {
 public:
  using GlobalPoolingImpl::GlobalPoolingImpl;

  // The mean over the steps that count; then there are no steps that a mask could be for.
  bool supports_masking() const override { return takes_mask(); }
  std::vector<Tensor> compute_mask(const std::vector<Tensor>&, const std::vector<Tensor>&) const override { return {}; }
  std::vector<std::string> call_parameters() const override {
    return takes_mask() ? std::vector<std::string>{"inputs", "mask"} : std::vector<std::string>{"inputs"};
  }

  std::vector<Tensor> call_with(const BoundArguments& arguments, bool) override {
    // Integers stay what they are: their mean is computed in float32, which holds more of them than a half type.
    const Tensor x = arguments.tensor("inputs");
    const Tensor mask = takes_mask() ? arguments.tensor("mask") : Tensor();
    if (mask.is_empty()) return {mean(x, spatial_axes(), keepdims())};
    const Tensor counts = cast(expand_dims(mask, layout().channels_first() ? 1 : 2), DType::bool_);
    return {divide(sum(where(counts, x, 0.0), spatial_axes(), keepdims()),
                   sum(cast(counts, x.dtype()), spatial_axes(), keepdims()))};
  }

 private:
  bool takes_mask() const { return spatial_axes().size() == 1; }
};

}  // namespace

std::shared_ptr<LayerImpl> make_global_average_pooling(const std::string& class_name, int spatial_axes,
                                                       const GlobalPoolingOptions& options) {
  return std::make_shared<GlobalAveragePoolingImpl>(class_name, spatial_axes, options);
}

std::shared_ptr<LayerImpl> make_global_max_pooling(const std::string& class_name, int spatial_axes,
                                                   const GlobalPoolingOptions& options) {
  return std::make_shared<GlobalMaxPoolingImpl>(class_name, spatial_axes, options);
}

}  // namespace rhyton::layers
