#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <rhyton/layers/preprocessing/hash_salt.h>
#include <rhyton/layers/preprocessing/vocabulary.h>

namespace rhyton::layers {

/// The arguments of an IndexLookup, with the names of Keras's layers.
template <class Token>
struct IndexLookupArguments {
  /// Of the layer, for messages.
  std::string class_name;
  std::function<std::string()> layer_name;
  std::optional<std::int64_t> max_tokens;
  std::int64_t num_oov_indices = 1;
  std::optional<Token> mask_token;
  std::optional<Token> oov_token;
  Vocabulary<Token> vocabulary;
  std::optional<std::vector<double>> idf_weights;
  bool invert = false;
  std::string output_mode;
  bool pad_to_max_tokens = false;
  std::string oov_method;
  HashSalt salt;
  /// Of a saved layer.
  std::optional<std::int64_t> vocabulary_size;
};

/// Throws ValueError in Keras's words for arguments that exclude each other, and replaces older names of output modes.
template <class Token>
void check_arguments(IndexLookupArguments<Token>& arguments);

extern template void check_arguments(IndexLookupArguments<std::string>&);
extern template void check_arguments(IndexLookupArguments<std::int64_t>&);

}  // namespace rhyton::layers
