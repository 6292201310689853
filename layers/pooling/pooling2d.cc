#include <rhyton/layers/pooling/pooling2d.h>

#include <utility>

#include <rhyton/framework/ops/pooling.h>
#include <rhyton/layers/image_layout.h>
#include <rhyton/layers/input_spec.h>
#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {
namespace {

using PoolFunction = Tensor (*)(const Tensor&, const Pool2DAttributes&);

class Pooling2DImpl final : public LayerImpl {
 public:
  template <class Options>
  Pooling2DImpl(std::string class_name, PoolFunction pool, const Options& options)
      : LayerImpl(base_options(options)),
        class_name_(std::move(class_name)),
        pool_(pool),
        pool_size_(options.pool_size),
        strides_(options.strides.is_given() ? options.strides : options.pool_size),
        padding_(window_padding(options.padding)),
        layout_(options.data_format) {
    pool_size_.require_positive("pool_size");
    strides_.require_positive("strides");
    mark_built();
  }

  std::string class_name() const override { return class_name_; }

  void check_inputs(const std::vector<Shape>& inputs) const override {
    check_input(*this, inputs, {.ndim = 4});
    const Shape& images = inputs[0];
    if (!is_beyond_image(images, layout_, pool_size_.values(), padding_)) return;
    std::string shape;
    for (const std::int64_t length : images) {
      shape += (shape.empty() ? "" : " ") + (length < 0 ? "None" : std::to_string(length));
    }
    throw ValueError("Computed output size would be zero or negative. Received: `inputs.shape=[" + shape +
                     "]`, `pool_size=[" + std::to_string(pool_size_.height()) + " " +
                     std::to_string(pool_size_.width()) + "]`, `strides=" + strides_.to_string() +
                     "`, `padding=" + std::string(name_of(padding_)) + "`.");
  }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    const Tensor pooled = pool_(layout_.to_channels_last(inputs[0]),
                                {.pool_size = pool_size_.values(), .strides = strides_.values(), .padding = padding_});
    return {layout_.from_channels_last(pooled)};
  }

  io::Json get_config() const override {
    return extended(LayerImpl::get_config(), io::Json::object({{"pool_size", pool_size_.to_config()},
                                                               {"padding", name_of(padding_)},
                                                               {"strides", strides_.to_config()},
                                                               {"data_format", layout_.to_string()}}));
  }

 private:
  std::string class_name_;
  PoolFunction pool_;
  Size2 pool_size_;
  Size2 strides_;
  Padding padding_;
  ImageLayout layout_;
};

template <class Options>
Options with_pool_size(Options options, const Size2& pool_size) {
  options.pool_size = pool_size;
  return options;
}

template <class Options>
Options read_options(const std::string& class_name, const io::Json& config) {
  ConfigReader reader(class_name, config);
  Options options;
  reader.read_base(options);
  reader.read("pool_size", options.pool_size);
  reader.read("strides", options.strides);
  reader.read("padding", options.padding);
  reader.read("data_format", options.data_format);
  reader.finish();
  return options;
}

}  // namespace

MaxPooling2D::MaxPooling2D(const MaxPooling2DOptions& options)
    : Layer(std::make_shared<Pooling2DImpl>("MaxPooling2D", &max_pool2d, options)) {}

MaxPooling2D::MaxPooling2D(Size2 pool_size, const MaxPooling2DOptions& options)
    : MaxPooling2D(with_pool_size(options, pool_size)) {}

MaxPooling2D MaxPooling2D::from_config(const io::Json& config) {
  return MaxPooling2D(read_options<MaxPooling2DOptions>("MaxPooling2D", config));
}

AveragePooling2D::AveragePooling2D(const AveragePooling2DOptions& options)
    : Layer(std::make_shared<Pooling2DImpl>("AveragePooling2D", &average_pool2d, options)) {}

AveragePooling2D::AveragePooling2D(Size2 pool_size, const AveragePooling2DOptions& options)
    : AveragePooling2D(with_pool_size(options, pool_size)) {}

AveragePooling2D AveragePooling2D::from_config(const io::Json& config) {
  return AveragePooling2D(read_options<AveragePooling2DOptions>("AveragePooling2D", config));
}

}  // namespace rhyton::layers
