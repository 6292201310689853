#include <rhyton/layers/reshaping/base_zero_padding.h>

#include <cstdint>
#include <utility>
#include <vector>

#include <rhyton/framework/context.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/image_layout.h>
#include <rhyton/layers/input_spec.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/reshaping/spatial_margins.h>

namespace rhyton::layers {
namespace {

constexpr const char* channels_last = "channels_last";

template <class Lengths>
class ZeroPaddingImpl final : public LayerImpl {
 public:
  ZeroPaddingImpl(const char* class_name, const ZeroPaddingOptions<Lengths>& options, UsualDataFormat usual_format)
      : LayerImpl(base_options(options)),
        class_name_(class_name),
        options_(options),
        layout_(options.data_format),
        usual_format_(usual_format) {
    options_.data_format = layout_.to_string();
    options_.padding.require_not_negative("padding");
    mark_built();
  }

  std::string class_name() const override { return class_name_; }

  void check_inputs(const std::vector<Shape>& inputs) const override {
    check_input(*this, inputs, {.ndim = 2 + static_cast<int>(spatial_margins(options_.padding).size())});
  }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    std::vector<std::pair<std::int64_t, std::int64_t>> paddings(static_cast<std::size_t>(inputs[0].rank()));
    auto axis = paddings.begin() + layout_.first_spatial_axis();
    for (const Size2& margin : spatial_margins(options_.padding)) *axis++ = {margin.values()[0], margin.values()[1]};
    return {pad(inputs[0], paddings)};
  }

  io::Json get_config() const override {
    io::Json config = written(LayerImpl::get_config(), options_);
    const bool is_usual = options_.data_format == channels_last && config::image_data_format() == channels_last;
    if (is_usual && usual_format_ == UsualDataFormat::left_out) config.erase("data_format");
    return config;
  }

 private:
  std::string class_name_;
  /// With the format that holds.
  ZeroPaddingOptions<Lengths> options_;
  ImageLayout layout_;
  UsualDataFormat usual_format_;
};

}  // namespace

template <class Lengths>
std::shared_ptr<LayerImpl> make_zero_padding(const char* class_name, const ZeroPaddingOptions<Lengths>& options,
                                             UsualDataFormat usual_format) {
  return std::make_shared<ZeroPaddingImpl<Lengths>>(class_name, options, usual_format);
}

template std::shared_ptr<LayerImpl> make_zero_padding(const char*, const ZeroPaddingOptions<Size2>&, UsualDataFormat);
template std::shared_ptr<LayerImpl> make_zero_padding(const char*, const ZeroPaddingOptions<Margins2>&,
                                                      UsualDataFormat);
template std::shared_ptr<LayerImpl> make_zero_padding(const char*, const ZeroPaddingOptions<Margins3>&,
                                                      UsualDataFormat);

}  // namespace rhyton::layers
