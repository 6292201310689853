#pragma once

#include <string>
#include <vector>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/core/layer_list.h>
#include <rhyton/layers/layer.h>

namespace rhyton::layers {

/// The options of `keras.layers.Pipeline`.
struct PipelineOptions {
  ByName by_name = ByName();
  std::string name = {};
};

/// All arguments of Pipeline.
struct PipelineArguments : PipelineOptions {
  std::vector<Layer> layers = {};

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields.required("layers", self.layers);
  }
};

/// Layers that are called one after the other, each on the output of the one before, such as those that augment images.
/// They are active as in training unless the caller or the mode of the model says otherwise, and get `training` and the
/// mask. See https://keras.io/api/layers/preprocessing_layers/image_augmentation/pipeline.
///
/// When called: the errors of these layers.
class Pipeline : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "Pipeline";
  using Arguments = PipelineArguments;

  explicit Pipeline(const std::vector<Layer>& layers, const PipelineOptions& options = {});
  static Pipeline from_config(const io::Json& config);

  const std::vector<Layer>& layers() const;
};

}  // namespace rhyton::layers
