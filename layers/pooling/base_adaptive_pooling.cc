#include <rhyton/layers/pooling/base_adaptive_pooling.h>

#include <utility>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/adaptive_pooling.h>
#include <rhyton/layers/call_stack.h>
#include <rhyton/layers/image_layout.h>
#include <rhyton/layers/input_spec.h>
#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {
namespace {

template <class Size>
class AdaptivePoolingImpl final : public LayerImpl {
 public:
  AdaptivePoolingImpl(std::string class_name, PoolFunction pool, const AdaptivePoolingArguments<Size>& options)
      : LayerImpl(base_options(options)),
        class_name_(std::move(class_name)),
        pool_(pool),
        options_(options),
        layout_(checked_format(options.data_format)) {
    options_.output_size = options_.output_size.given();
    options_.data_format = layout_.to_string();
    options_.output_size.require_positive("output_size");
    for (const std::int64_t length : options_.output_size.values()) {
      require_output_size(length, options_.output_size.to_string());
    }
  }

  std::string class_name() const override { return class_name_; }

  void check_inputs(const std::vector<Shape>& inputs) const override {
    check_input(*this, inputs, {.ndim = static_cast<int>(options_.output_size.values().size()) + 2});
  }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    Tensor y = layout_.to_channels_last(inputs[0]);
    int axis = 1;
    for (const std::int64_t length : options_.output_size.values()) {
      y = pool_axis_to(pool_, y, axis++, length, is_inferring());
    }
    return {layout_.from_channels_last(y)};
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), options_); }

 private:
  static const std::string& checked_format(const std::string& data_format) {
    if (data_format.empty() || data_format == "channels_first" || data_format == "channels_last") return data_format;
    throw ValueError("Invalid data_format: " + data_format + ". Expected 'channels_first' or 'channels_last'.");
  }

  std::string class_name_;
  PoolFunction pool_;
  /// With the format that holds.
  AdaptivePoolingArguments<Size> options_;
  ImageLayout layout_;
};

}  // namespace

template <class Size>
std::shared_ptr<LayerImpl> make_adaptive_pooling(const std::string& class_name, PoolFunction pool,
                                                 const AdaptivePoolingArguments<Size>& arguments) {
  return std::make_shared<AdaptivePoolingImpl<Size>>(class_name, pool, arguments);
}

template std::shared_ptr<LayerImpl> make_adaptive_pooling(const std::string& class_name, PoolFunction pool,
                                                          const AdaptivePoolingArguments<Size1>& arguments);
template std::shared_ptr<LayerImpl> make_adaptive_pooling(const std::string& class_name, PoolFunction pool,
                                                          const AdaptivePoolingArguments<Size2>& arguments);
template std::shared_ptr<LayerImpl> make_adaptive_pooling(const std::string& class_name, PoolFunction pool,
                                                          const AdaptivePoolingArguments<Size3>& arguments);

}  // namespace rhyton::layers
