#pragma once

#include <string>
#include <vector>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/axes.h>
#include <rhyton/layers/layer.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.Dot`.
struct DotOptions {
  ByName by_name = ByName();
  /// Whether both inputs are first divided by their Euclidean norm along the axis: the result is then the cosine
  /// similarity.
  bool normalize = false;
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;
};

/// All arguments of Dot.
struct DotArguments : DotOptions {
  Axes axes = -1;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields.required("axes", self.axes);
    fields("normalize", self.normalize);
  }
};

/// The sums of products of two inputs along an axis of each, for each sample. `axes` is one axis for both, or a pair.
/// The result has the other axes of the first input, then those of the second without its batch: [B, 3, 5] and [B, 10,
/// 3] with axes {1, 2} -> [B, 5, 10]. Without any other axis it is [B, 1]. See
/// https://keras.io/api/layers/merging_layers/dot.
///
/// Throws ValueError in Keras's words for another number of axes and, when called, for another number of inputs, for an
/// axis out of range, for the batch axis, and where the lengths of the axes or of the batches differ.
class Dot : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "Dot";
  using Arguments = DotArguments;

  explicit Dot(const Axes& axes, const DotOptions& options = {});
  static Dot from_config(const io::Json& config);
};

/// `Dot(axes, options)(inputs)`.
SymbolicTensor dot(const std::vector<SymbolicTensor>& inputs, const Axes& axes = -1, const DotOptions& options = {});
Tensor dot(const std::vector<Tensor>& inputs, const Axes& axes = -1, const DotOptions& options = {});

}  // namespace rhyton::layers
