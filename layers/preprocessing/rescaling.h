#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/layer.h>

namespace rhyton::layers {

/// One number for all channels or one per channel: `1.0 / 255` or `{0.5, 0.5, 0.25}`.
class PerChannel {
 public:
  PerChannel(double value) : values_{value} {}  // NOLINT(google-explicit-constructor): a number is one
  PerChannel(std::initializer_list<double> values) : values_(values), is_list_(true) {}
  PerChannel(std::vector<double> values) : values_(std::move(values)), is_list_(true) {}  // NOLINT

  const std::vector<double>& values() const { return values_; }
  bool is_list() const { return is_list_; }
  io::Json to_config() const { return is_list_ ? io::Json::array_from(values_) : io::Json(values_.front()); }
  static PerChannel from_config(const io::Json& config);
  static constexpr const char* config_type = "a number or a list of numbers";

 private:
  std::vector<double> values_;
  bool is_list_ = false;
};

/// Fields in the order of `keras.layers.Rescaling`.
struct RescalingOptions {
  ByName by_name = ByName();
  PerChannel offset = 0.0;
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;
};

/// All arguments of Rescaling.
struct RescalingArguments : RescalingOptions {
  PerChannel scale = 1.0;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields.required("scale", self.scale);
    fields("offset", self.offset);
  }
};

/// x · scale + offset, for inputs of any dtype. Shapes are unchanged. See
/// https://keras.io/api/layers/preprocessing_layers/image_preprocessing/rescaling.
class Rescaling : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "Rescaling";
  using Arguments = RescalingArguments;

  explicit Rescaling(const PerChannel& scale, const RescalingOptions& options = {});
  static Rescaling from_config(const io::Json& config);
};

}  // namespace rhyton::layers
