#pragma once

#include <string>
#include <vector>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/core/layer_list.h>
#include <rhyton/layers/layer.h>

namespace rhyton::layers {

/// The options of `keras.layers.StackedRNNCells`.
struct StackedRNNCellsOptions {
  ByName by_name = ByName();
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;
};

/// All arguments of StackedRNNCells.
struct StackedRNNCellsArguments : StackedRNNCellsOptions {
  std::vector<Layer> cells = {};

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields.required("cells", self.cells);
  }
};

/// Cells that behave as one: the output of each is the input of the next, their states stand side by side.
/// See https://keras.io/api/layers/recurrent_layers/stacked_rnn_cell.
///
/// Throws ValueError for no cells, and in Keras's words for a layer that is no cell.
class StackedRNNCells : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "StackedRNNCells";
  using Arguments = StackedRNNCellsArguments;

  explicit StackedRNNCells(const std::vector<Layer>& cells, const StackedRNNCellsOptions& options = {});
  static StackedRNNCells from_config(const io::Json& config);
};

}  // namespace rhyton::layers
