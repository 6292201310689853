#pragma once

#include <memory>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/reshaping/margins.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.Cropping1D`.
struct Cropping1DOptions {
  ByName by_name = ByName();
  /// How many steps are cut off at the beginning and at the end.
  Size2 cropping = {1, 1};
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("cropping", self.cropping);
  }
};

/// Fields in the order of `keras.layers.Cropping2D`. `Lengths` is Margins2 or Margins3.
template <class Lengths, int default_cropping>
struct CroppingOptions {
  ByName by_name = ByName();
  /// How much is cut off before and after each spatial axis.
  Lengths cropping = default_cropping;
  /// "channels_last" or "channels_first"; `config::image_data_format()` where it is empty.
  std::string data_format = {};
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("cropping", self.cropping);
    fields("data_format", self.data_format);
  }
};

/// As in Keras, Cropping2D cuts off nothing unless told to, Cropping3D one at each end.
using Cropping2DOptions = CroppingOptions<Margins2, 0>;
using Cropping3DOptions = CroppingOptions<Margins3, 1>;

/// The layer of this class, for one of the three options.
template <class Options>
std::shared_ptr<LayerImpl> make_cropping(const char* class_name, const Options& options);

/// The options with this cropping.
template <class Options, class Lengths>
Options with_cropping(Options options, const Lengths& cropping) {
  options.cropping = cropping;
  return options;
}

extern template std::shared_ptr<LayerImpl> make_cropping(const char*, const Cropping1DOptions&);
extern template std::shared_ptr<LayerImpl> make_cropping(const char*, const Cropping2DOptions&);
extern template std::shared_ptr<LayerImpl> make_cropping(const char*, const Cropping3DOptions&);

}  // namespace rhyton::layers
