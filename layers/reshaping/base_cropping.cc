#include <rhyton/layers/reshaping/base_cropping.h>

#include <concepts>
#include <cstdint>
#include <vector>

#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/image_layout.h>
#include <rhyton/layers/input_spec.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/reshaping/spatial_margins.h>

namespace rhyton::layers {
namespace {

template <class Options>
class CroppingImpl final : public LayerImpl {
 public:
  CroppingImpl(const char* class_name, const Options& options)
      : LayerImpl(base_options(options)), class_name_(class_name), options_(options), layout_(layout_of(options)) {
    if constexpr (is_of_sequences) {
      options_.cropping = options_.cropping.given();
    } else {
      options_.data_format = layout_.to_string();
      const std::int64_t first = options.cropping.axes()[0].values()[0];
      if (options.cropping.is_single() && first < 0) {
        throw ValueError("`cropping` cannot be negative. Received: cropping=" + std::to_string(first) + ".");
      }
    }
    options_.cropping.require_not_negative("cropping");
    mark_built();
  }

  std::string class_name() const override { return class_name_; }

  void check_inputs(const std::vector<Shape>& inputs) const override {
    const std::vector<Size2> margins = spatial_margins(options_.cropping);
    check_input(*this, inputs, {.ndim = 2 + static_cast<int>(margins.size())});
    int axis = layout_.first_spatial_axis();
    for (const Size2& margin : margins) {
      const std::int64_t length = inputs[0][axis++];
      // Without the sum, which can overflow.
      if (length < 0 || (margin.values()[0] < length && margin.values()[1] < length - margin.values()[0])) continue;
      // Only symbolic tensors have unknown lengths.
      const std::string shape_name = inputs[0].is_fully_known() ? "inputs.shape=" : "input_shape=";
      throw ValueError(
          std::string(is_of_sequences
                          ? "`cropping` parameter of `Cropping1D` layer must be smaller than the input length."
                          : "Values in `cropping` argument should be smaller than the corresponding spatial "
                            "dimension of the input.") +
          " Received: " + shape_name + inputs[0].to_string() + ", cropping=" + options_.cropping.to_string());
    }
  }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    // Lengths that stand in for unknown ones can be too short.
    check_inputs({inputs[0].shape()});
    Tensor x = inputs[0];
    int axis = layout_.first_spatial_axis();
    for (const Size2& margin : spatial_margins(options_.cropping)) {
      const auto& [before, after] = margin.values();
      if (before + after > 0) x = slice_axis(x, axis, before, x.shape()[axis] - after);
      ++axis;
    }
    return {x};
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), options_); }

 private:
  static constexpr bool is_of_sequences = std::same_as<Options, Cropping1DOptions>;

  static ImageLayout layout_of(const Options& options) {
    if constexpr (is_of_sequences) {
      return ImageLayout("channels_last");
    } else {
      return ImageLayout(options.data_format);
    }
  }

  std::string class_name_;
  /// With the format that holds.
  Options options_;
  ImageLayout layout_;
};

}  // namespace

template <class Options>
std::shared_ptr<LayerImpl> make_cropping(const char* class_name, const Options& options) {
  return std::make_shared<CroppingImpl<Options>>(class_name, options);
}

template std::shared_ptr<LayerImpl> make_cropping(const char*, const Cropping1DOptions&);
template std::shared_ptr<LayerImpl> make_cropping(const char*, const Cropping2DOptions&);
template std::shared_ptr<LayerImpl> make_cropping(const char*, const Cropping3DOptions&);

}  // namespace rhyton::layers
