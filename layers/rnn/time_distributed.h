#pragma once

#include <rhyton/layers/core/wrapper.h>
#include <rhyton/layers/layer.h>

namespace rhyton::layers {

using TimeDistributedOptions = WrapperOptions;

/// Calls the wrapped layer on each step of its input: [batch, steps, ...] -> [batch, steps, ...]. All steps share the
/// layer's weights, and `training` is handed on. As in Keras, the activity regularizer of the layer itself has no
/// effect. See https://keras.io/api/layers/recurrent_layers/time_distributed.
///
/// A layer of which is known that it computes each sample by itself (Dense, Conv2D, pooling, models of such layers) is
/// called once on all steps of all samples, another one, such as BatchNormalization or Dropout, once for each step.
///
/// Throws ValueError in Keras's words for an empty layer and, when called, for an input of rank below 3, and the errors
/// of the wrapped layer.
class TimeDistributed : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "TimeDistributed";
  using Arguments = WrapperArguments;

  /// To wrap a TimeDistributed, pass `options` too: else it is copied.
  explicit TimeDistributed(const Layer& layer, const TimeDistributedOptions& options = {});
  static TimeDistributed from_config(const io::Json& config);
};

}  // namespace rhyton::layers
