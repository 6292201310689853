#include <rhyton/layers/pooling/base_pooling.h>

#include <algorithm>
#include <utility>

#include <rhyton/layers/image_layout.h>
#include <rhyton/layers/input_spec.h>
#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {
namespace {

class Pooling2DImpl final : public LayerImpl {
 public:
  Pooling2DImpl(std::string class_name, PoolFunction pool, const Pooling2DOptions& options)
      : LayerImpl(base_options(options)),
        class_name_(std::move(class_name)),
        pool_(pool),
        options_(options),
        padding_(window_padding(options.padding)),
        layout_(options.data_format) {
    options_.pool_size = options_.pool_size.given();
    if (!options_.strides.is_given()) options_.strides = options_.pool_size;
    options_.padding = name_of(padding_);
    options_.data_format = layout_.to_string();
    options_.pool_size.require_positive("pool_size");
    options_.strides.require_positive("strides");
    mark_built();
  }

  std::string class_name() const override { return class_name_; }

  void check_inputs(const std::vector<Shape>& inputs) const override {
    check_input(*this, inputs, {.ndim = 4});
    const Shape& images = inputs[0];
    if (!is_beyond_image(images, layout_, options_.pool_size.values(), padding_)) return;
    std::string shape;
    for (const std::int64_t length : images) {
      shape += (shape.empty() ? "" : " ") + length_to_string(length);
    }
    throw ValueError("Computed output size would be zero or negative. Received: `inputs.shape=[" + shape +
                     "]`, `pool_size=[" + std::to_string(options_.pool_size.height()) + " " +
                     std::to_string(options_.pool_size.width()) + "]`, `strides=" + options_.strides.to_string() +
                     "`, `padding=" + std::string(name_of(padding_)) + "`.");
  }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    const Tensor pooled =
        pool_(layout_.to_channels_last(inputs[0]),
              {.pool_size = options_.pool_size.values(), .strides = options_.strides.values(), .padding = padding_});
    return {layout_.from_channels_last(pooled)};
  }

  std::int64_t largest_stride() const override { return std::max(options_.strides.height(), options_.strides.width()); }

  io::Json get_config() const override { return written(LayerImpl::get_config(), options_); }

 private:
  std::string class_name_;
  PoolFunction pool_;
  /// With the strides, padding and format that hold.
  Pooling2DOptions options_;
  Padding padding_;
  ImageLayout layout_;
};

}  // namespace

std::shared_ptr<LayerImpl> make_pooling2d(const std::string& class_name, PoolFunction pool,
                                          const Pooling2DOptions& options) {
  return std::make_shared<Pooling2DImpl>(class_name, pool, options);
}

Pooling2DOptions with_pool_size(Pooling2DOptions options, const Size2& pool_size) {
  options.pool_size = pool_size;
  return options;
}

}  // namespace rhyton::layers
