#pragma once

#include <cstdint>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/layer.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.CategoryEncoding`. There are no sparse tensors: `sparse` is always false.
struct CategoryEncodingOptions {
  ByName by_name = ByName();
  /// "multi_hot", "one_hot" or "count".
  std::string output_mode = "multi_hot";
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;
};

/// All arguments of CategoryEncoding.
struct CategoryEncodingArguments : CategoryEncodingOptions {
  std::int64_t num_tokens = 0;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields.required("num_tokens", self.num_tokens);
    fields("output_mode", self.output_mode);
    fields.ignored("sparse", false);
  }
};

/// Encodes integers from 0 to `num_tokens` - 1, of any dtype:
///
/// - "multi_hot": [batch, N] -> [batch, num_tokens], 1 for each token that a sample has; a vector is one sample;
/// - "count": how often a sample has it, or with the call argument `count_weights`, of the shape of the inputs, the sum
///   of the weights: `encoding(tokens, {.kwargs = {{"count_weights", weights}}})`;
/// - "one_hot": [...] -> [..., num_tokens]; a last axis of length 1 is replaced, and of a scalar it is [1, num_tokens].
///
/// Inputs of more than two axes are summed along axis 1: [batch, N, ...] -> [batch, ..., num_tokens], as Keras computes
/// it. Tokens from `num_tokens` on are left out, without an error, as in Keras on TensorFlow, and in "one_hot", or with
/// more than two axes, negative ones too. Results have the layer's variable dtype, weighted ones its compute dtype. See
/// https://keras.io/api/layers/preprocessing_layers/categorical/category_encoding.
///
/// The constructor throws ValueError in Keras's words for `num_tokens` below 1 and an unknown `output_mode`. A call
/// throws ValueError for `count_weights` in another mode than "count", InvalidArgumentError for those of another shape,
/// and for negative tokens.
class CategoryEncoding : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "CategoryEncoding";
  using Arguments = CategoryEncodingArguments;

  explicit CategoryEncoding(std::int64_t num_tokens, const CategoryEncodingOptions& options = {});
  static CategoryEncoding from_config(const io::Json& config);
};

}  // namespace rhyton::layers
