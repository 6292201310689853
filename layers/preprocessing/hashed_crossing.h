#pragma once

#include <cstdint>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/framework/tensor/string_tensor.h>
#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/layers/layer.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.HashedCrossing`. There are no sparse tensors: `sparse` is always false.
struct HashedCrossingOptions {
  ByName by_name = ByName();
  /// "int" or "one_hot".
  std::string output_mode = "int";
  std::string name = {};
  /// That of the result: "int64" for the mode "int" if empty, else the global policy.
  std::string dtype = {};
};

/// All arguments of HashedCrossing.
struct HashedCrossingArguments : HashedCrossingOptions {
  std::int64_t num_bins = 0;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields.required("num_bins", self.num_bins);
    fields("output_mode", self.output_mode);
    fields.constant("sparse", false);
    fields.ignored("trainable");
  }
};

/// Two or more categorical features as the numbers of `num_bins` bins: the hash of the values that a sample has in all of
/// them, that of Keras on TensorFlow. It is called on a list of tensors of strings or integers of one shape, {},
/// {batch} or {batch, 1}. The result has that shape, in the mode "one_hot" {batch, num_bins}. See
/// https://keras.io/api/layers/preprocessing_layers/categorical/hashed_crossing.
///
/// ```
/// Tensor bins = layers::HashedCrossing(5)({StringTensor({"A", "B"}), Tensor::from_data<std::int64_t>({2}, {101, 101})});
/// ```
///
/// As a layer of a model it runs on the host, before the compiled step of the batch; see HostLayer.
///
/// The constructor throws ValueError in Keras's words for an unknown `output_mode`. A call throws ValueError in Keras's
/// words for fewer than two features, other shapes and dtypes; InvalidArgumentError in TensorFlow's for `num_bins`
/// below 0. 0 is a number without limit.
class HashedCrossing : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "HashedCrossing";
  using Arguments = HashedCrossingArguments;

  explicit HashedCrossing(std::int64_t num_bins, const HashedCrossingOptions& options = {});
  static HashedCrossing from_config(const io::Json& config);
};

}  // namespace rhyton::layers
