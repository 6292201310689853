#pragma once

#include <memory>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/reshaping/margins.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.ZeroPadding2D`. `Lengths` is Size2 for one spatial axis, else Margins2 or
/// Margins3.
template <class Lengths>
struct ZeroPaddingOptions {
  ByName by_name = ByName();
  /// How many zeros before and after each spatial axis.
  Lengths padding = 1;
  /// "channels_last" or "channels_first"; `config::image_data_format()` where it is empty.
  std::string data_format = {};
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("padding", self.padding);
    fields("data_format", self.data_format);
  }
};

/// What a configuration does with the data format where it is the usual one: "channels_last", also as the default.
enum class UsualDataFormat { written, left_out };

/// The layer of this class.
template <class Lengths>
std::shared_ptr<LayerImpl> make_zero_padding(const char* class_name, const ZeroPaddingOptions<Lengths>& options,
                                             UsualDataFormat usual_format = UsualDataFormat::written);

/// The options with this padding.
template <class Lengths>
ZeroPaddingOptions<Lengths> with_padding(ZeroPaddingOptions<Lengths> options, const Lengths& padding) {
  options.padding = padding;
  return options;
}

extern template std::shared_ptr<LayerImpl> make_zero_padding(const char*, const ZeroPaddingOptions<Size2>&,
                                                             UsualDataFormat);
extern template std::shared_ptr<LayerImpl> make_zero_padding(const char*, const ZeroPaddingOptions<Margins2>&,
                                                             UsualDataFormat);
extern template std::shared_ptr<LayerImpl> make_zero_padding(const char*, const ZeroPaddingOptions<Margins3>&,
                                                             UsualDataFormat);

}  // namespace rhyton::layers
