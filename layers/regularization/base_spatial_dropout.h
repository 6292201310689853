#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/random.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/image_layout.h>
#include <rhyton/layers/input_spec.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/regularization/dropout_mask.h>

namespace rhyton::layers {

/// What SpatialDropout1D, 2D and 3D share: dropout of whole channels of inputs of that rank.
template <class Arguments>
class SpatialDropoutImpl final : public LayerImpl {
 public:
  SpatialDropoutImpl(const char* class_name, int rank, const Arguments& arguments)
      : LayerImpl(base_options(arguments)), class_name_(class_name), rank_(rank), arguments_(arguments) {
    require_fraction("rate", arguments.rate);
    if constexpr (requires { arguments_.data_format; }) {
      layout_ = ImageLayout(arguments.data_format);
      arguments_.data_format = layout_.to_string();
    }
    if (arguments.rate > 0) state_ = add_state(first_dropout_draw(arguments.seed), "seed_generator_state");
    mark_built();
  }

  std::string class_name() const override { return class_name_; }
  bool supports_masking() const override { return true; }

  void check_inputs(const std::vector<Shape>& inputs) const override { check_input(*this, inputs, {.ndim = rank_}); }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool training) override {
    const Tensor& x = inputs[0];
    if (!training || arguments_.rate == 0) return {x};
    const Tensor draw = next_dropout_draw(state_);
    if (arguments_.rate == 1) return {zeros_like(x)};
    std::vector<std::int64_t> sizes;
    const int channels = layout_.channels_first() ? 1 : rank_ - 1;
    for (int axis = 0; axis < rank_; ++axis) {
      const std::int64_t length = x.shape()[axis];
      sizes.push_back(axis == 0 || axis == channels ? length : std::min<std::int64_t>(length, 1));
    }
    const Tensor like = slice(stop_gradient(x), std::vector<std::int64_t>(sizes.size(), 0), sizes);
    return {multiply(x, dropout_factors(like, arguments_.rate, dropout_mask_key, draw, first_sample_of(x)))};
  }

  io::Json get_config() const override {
    io::Json config = written(LayerImpl::get_config(), arguments_);
    // Keras's constructor does not take it.
    config.erase("trainable");
    return config;
  }

 private:
  std::string class_name_;
  int rank_;
  Arguments arguments_;
  ImageLayout layout_{"channels_last"};
  Variable state_;
};

}  // namespace rhyton::layers
