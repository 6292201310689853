#pragma once

#include <string_view>

#include <rhyton/framework/io/json/json.h>

namespace rhyton::saving {

/// The configuration of a model from a file of this version of Keras ("2.15.0"; empty for an unknown one) in the
/// meaning that Keras 3 gives it:
/// - a Softmax with `axis=None`, which tf.keras computes along the last axis, gets that axis;
/// - the activation "hard_sigmoid" becomes `layers::keras2_hard_sigmoid`;
/// - a GRU without `reset_after`, as Keras had it before 2.1.3, resets before the product;
/// - a MultiHeadAttention, of which tf.keras writes the shape of the query alone, is built by its call;
/// - BatchNormalizationV1 and -V2, the names of TensorFlow 1, become BatchNormalization.
io::Json in_meaning_of_keras3(const io::Json& config, std::string_view keras_version);
/// The same for a configuration that has the version as its member "keras_version", as `to_json` of tf.keras writes it.
io::Json in_meaning_of_keras3(const io::Json& config);

}  // namespace rhyton::saving
