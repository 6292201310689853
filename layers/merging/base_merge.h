#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <rhyton/framework/by_name.h>
#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/layers/layer.h>

// Layers that join a list of tensors: `Add()({a, b})`. All but Concatenate work element by element: lengths of 1 are
// broadcast, and tensors of lower rank get axes of length 1 behind the batch. They throw ValueError in Keras's words
// when called with a tensor that is in no list, or with shapes that do not fit. See
// https://keras.io/api/layers/merging_layers.

namespace rhyton::layers {

struct MergeOptions {
  ByName by_name = ByName();
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;
};

using MergeFunction = Tensor (*)(const Tensor&, const Tensor&);

/// The layer of this class, which joins its inputs by a binary function.
std::shared_ptr<LayerImpl> make_merge(const std::string& class_name, MergeFunction function,
                                      const MergeOptions& options);

/// The build_config of a layer that is called with a list of that many inputs: Keras reads a list, also of one input.
io::Json build_config_of_list(const io::Json& build_config, std::size_t inputs);

/// "[(None, 3, 4), (None, 2, 4)]"
std::string shape_list_text(const std::vector<Shape>& shapes);

}  // namespace rhyton::layers
