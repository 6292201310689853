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

/// x · scale + offset, for inputs of any dtype. Shapes are unchanged. See
/// https://keras.io/api/layers/preprocessing_layers/image_preprocessing/rescaling.
class Rescaling : public Layer {
 public:
  explicit Rescaling(const PerChannel& scale, const RescalingOptions& options = {});
  static Rescaling from_config(const io::Json& config);
};

}  // namespace rhyton::layers
