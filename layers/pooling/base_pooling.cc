#include <rhyton/layers/pooling/base_pooling.h>

#include <algorithm>
#include <span>
#include <utility>

#include <rhyton/layers/image_layout.h>
#include <rhyton/layers/input_spec.h>
#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {
namespace {

/// "[2 3]", as NumPy prints it.
std::string numpy_text(std::span<const std::int64_t> lengths) {
  std::string listed;
  for (const std::int64_t length : lengths) listed += (listed.empty() ? "" : " ") + std::to_string(length);
  return "[" + listed + "]";
}

/// The same of the shape of inputs with `rank` spatial axes, whose unknown lengths Keras replaces by -1.
std::string numpy_text(const Shape& shape, const ImageLayout& layout, std::size_t rank) {
  const int first = layout.first_spatial_axis();
  std::string listed;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const bool is_spatial = axis >= first && axis < first + static_cast<int>(rank);
    listed += (axis == 0 ? "" : " ") + (is_spatial ? std::to_string(shape[axis]) : length_to_string(shape[axis]));
  }
  return "[" + listed + "]";
}

template <class Size>
class PoolingImpl final : public LayerImpl {
 public:
  PoolingImpl(std::string class_name, PoolFunction pool, const PoolingOptions<Size>& options)
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
    const auto& pool_size = options_.pool_size.values();
    check_input(*this, inputs, {.ndim = static_cast<int>(pool_size.size()) + 2});
    if (!is_beyond_image(inputs[0], layout_, pool_size, padding_)) return;
    throw ValueError("Computed output size would be zero or negative. Received: `inputs.shape=" +
                     numpy_text(inputs[0], layout_, pool_size.size()) + "`, `pool_size=" + numpy_text(pool_size) +
                     "`, `strides=" + options_.strides.to_string() + "`, `padding=" + options_.padding + "`.");
  }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    const Tensor pooled = pool_windows(pool_, layout_.to_channels_last(inputs[0]), options_.pool_size.values(),
                                       options_.strides.values(), padding_);
    return {layout_.from_channels_last(pooled)};
  }

  std::int64_t largest_stride() const override { return std::ranges::max(options_.strides.values()); }

  io::Json get_config() const override { return written(LayerImpl::get_config(), options_); }

 private:
  std::string class_name_;
  PoolFunction pool_;
  /// With the strides, padding and format that hold.
  PoolingOptions<Size> options_;
  Padding padding_;
  ImageLayout layout_;
};

}  // namespace

template <class Size>
std::shared_ptr<LayerImpl> make_pooling(const std::string& class_name, PoolFunction pool,
                                        const PoolingOptions<Size>& options) {
  return std::make_shared<PoolingImpl<Size>>(class_name, pool, options);
}

template std::shared_ptr<LayerImpl> make_pooling(const std::string& class_name, PoolFunction pool,
                                                 const PoolingOptions<Size1>& options);
template std::shared_ptr<LayerImpl> make_pooling(const std::string& class_name, PoolFunction pool,
                                                 const PoolingOptions<Size2>& options);
template std::shared_ptr<LayerImpl> make_pooling(const std::string& class_name, PoolFunction pool,
                                                 const PoolingOptions<Size3>& options);

}  // namespace rhyton::layers
