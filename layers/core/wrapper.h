#pragma once

#include <string>
#include <vector>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/layer_config.h>

namespace rhyton {

/// A layer in the configuration of a wrapper.
template <>
struct ConfigForm<layers::Layer> {
  static constexpr const char* type = "a layer";
  static constexpr bool is_object = true;
  static constexpr bool refuses_null = true;
  static io::Json write(const layers::Layer& layer);
  static layers::Layer read(const char* key, const io::Json& json);
};

}  // namespace rhyton

namespace rhyton::layers {

struct WrapperOptions {
  ByName by_name = ByName();
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;
  /// The penalty on the wrapper's outputs, divided by the batch size.
  Regularizer activity_regularizer = {};
};

/// All arguments of a wrapper; those of a subclass are derived from it.
struct WrapperArguments : WrapperOptions {
  Layer layer = {};

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields.required("layer", self.layer);
  }
};

/// The base of layers that augment another layer, which is their sublayer "layer" (`keras.layers.Wrapper`).
class WrapperImpl : public LayerImpl {
 public:
  /// Throws ValueError in Keras's words for an empty layer.
  WrapperImpl(const Layer& layer, const LayerOptions& options);

  /// Builds the wrapped layer if it is not built.
  void build(const std::vector<Shape>& input_shapes) override;
  io::Json get_config() const override;

  const Layer& layer() const { return layer_; }

 private:
  Layer layer_;
};

}  // namespace rhyton::layers
