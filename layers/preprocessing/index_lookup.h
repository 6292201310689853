#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/framework/tensor/variable.h>
#include <rhyton/layers/preprocessing/index_lookup_arguments.h>
#include <rhyton/layers/preprocessing/token_counts.h>

namespace rhyton::layers {

/// A vocabulary and how tokens become indices and indices tokens: what IntegerLookup and StringLookup have in common
/// (Keras's IndexLookup, with its messages). `Token` is std::string or std::int64_t.
template <class Token>
class IndexLookup {
 public:
  /// Throws ValueError in Keras's words for arguments that exclude each other, and as `set_vocabulary`.
  explicit IndexLookup(IndexLookupArguments<Token> arguments);

  const IndexLookupArguments<Token>& arguments() const { return arguments_; }
  bool is_inverted() const { return arguments_.invert; }
  bool gives_indices() const { return arguments_.output_mode == "int"; }

  /// Throws ValueError in Keras's words for a vocabulary that is empty, too large, has repeated tokens, or special ones
  /// at wrong places, and for weights that are missing or do not fit; InvalidArgumentError in TensorFlow's for a file
  /// with empty lines, repeated ones, or none.
  void set_vocabulary(const Vocabulary<Token>& vocabulary,
                      const std::optional<std::vector<double>>& idf_weights = std::nullopt);
  /// All tokens in the order of their indices.
  std::vector<Token> vocabulary(bool include_special_tokens) const;
  std::int64_t vocabulary_size() const { return token_start() + static_cast<std::int64_t>(tokens_.size()); }
  /// The size that outputs have been made for, Keras's `vocabulary_size` in configurations.
  const std::optional<std::int64_t>& recorded_size() const { return arguments_.vocabulary_size; }

  void reset_state();
  /// Counts the tokens of an array of that shape, as Keras does: along its first axis are documents, and a vector is one
  /// document. Throws as `require_adaptable`.
  void update_state(std::span<const Token> tokens, const Shape& shape);
  /// Counts those of all the data that `adapt` is called with: a vector has documents of one token.
  void update_state_to_adapt(std::span<const Token> tokens, const Shape& shape);
  /// Counts the tokens of one document.
  void add_document(std::span<const Token> tokens);
  void finalize_state();
  /// Throws ValueError in Keras's words for a layer that was made with a vocabulary.
  void require_adaptable() const;

  /// The indices of tokens; of the mask token, for outputs that are no indices, one that no output has. Throws
  /// RuntimeError without a vocabulary, and InvalidArgumentError in Keras's words for unknown tokens if they have no
  /// index.
  std::vector<std::int64_t> indices_of(std::span<const Token> tokens) const;
  /// The index of what is none of the output's tokens, which counts for nothing: 0 for indices.
  std::int64_t padding() const;
  /// The tokens of indices. Throws RuntimeError without a vocabulary.
  std::vector<Token> tokens_of(std::span<const std::int64_t> indices) const;

  /// Whether indices cannot be found with ops: where unknown tokens are an error, or are hashed.
  bool needs_host() const;
  /// The same with ops, for steps that are compiled, int64 to int64; for integers. Requires that it is possible.
  Tensor lookup_of(const Tensor& inputs) const;

  /// Indices in the form of the `output_mode`. Throws RuntimeError in Keras's words if the size is not known.
  Tensor encoded(const Tensor& indices) const;
  /// The same for documents of different lengths, filled up with `padding()` along the last axis.
  Tensor encoded_documents(const Tensor& indices) const;

  /// The weights, which files keep with those of layers; an empty handle while there are none.
  const Variable& idf_weights() const { return idf_weights_; }

  /// The vocabulary as text with one token a line. Throws ValueError for tokens that take more than one line.
  std::string vocabulary_text() const;
  /// Takes over such a text, beside weights that are there already.
  void set_vocabulary_text(const std::string& text);
  /// Whether configurations hold the vocabulary, and files do not.
  bool is_in_config() const { return arguments_.vocabulary.tokens().has_value(); }

 private:
  std::int64_t oov_start() const { return arguments_.mask_token && gives_indices() ? 1 : 0; }
  std::int64_t token_start() const { return oov_start() + arguments_.num_oov_indices; }
  void require_table() const;
  void require_known_size() const;
  /// The special tokens at the beginning of a vocabulary.
  std::vector<std::optional<Token>> special_tokens() const;
  bool begins_with_special_tokens(const std::vector<Token>& vocabulary) const;
  std::string special_tokens_text() const;
  /// Throws ValueError in Keras's words for `tokens`, those of a vocabulary that are not special, that are repeated, too
  /// many, or special after all.
  void require_valid(const std::vector<Token>& vocabulary, const std::vector<Token>& tokens) const;
  void set_from_list(std::vector<Token> vocabulary, const std::optional<std::vector<double>>& idf_weights);
  void set_from_file(const std::string& path);
  void set_tokens(std::vector<Token> tokens);
  /// Throws RuntimeError in Keras's words where outputs were made for another size.
  void record_size(std::int64_t size);
  void set_idf_weights(const std::vector<float>& weights);
  std::int64_t depth() const;
  std::int64_t bucket_of(const Token& token) const;
  std::int64_t index_of(const Token& token) const;
  Token token_of(std::int64_t index) const;
  Tensor with_idf_weights(const Tensor& counts) const;

  IndexLookupArguments<Token> arguments_;
  bool has_input_vocabulary_ = false;
  bool has_table_ = false;
  /// Those that are not special, in order.
  std::vector<Token> tokens_;
  std::unordered_map<Token, std::int64_t> index_of_token_;
  Variable idf_weights_;

  // What `update_state` counted.
  TokenCounts<Token> counts_;
};

extern template class IndexLookup<std::string>;
extern template class IndexLookup<std::int64_t>;

}  // namespace rhyton::layers
