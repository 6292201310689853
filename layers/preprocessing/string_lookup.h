#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/framework/by_name.h>
#include <rhyton/framework/tensor/string_tensor.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/preprocessing/batches_to_adapt.h>
#include <rhyton/layers/preprocessing/hash_salt.h>
#include <rhyton/layers/preprocessing/vocabulary.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.StringLookup`. There are no sparse tensors: `sparse` is always false; strings are
/// in UTF-8: `encoding` is always "utf-8".
struct StringLookupOptions {
  ByName by_name = ByName();
  /// The maximum size of the vocabulary, special tokens included.
  std::optional<std::int64_t> max_tokens = std::nullopt;
  /// How many indices there are for unknown tokens (OOV): with several, a hash chooses; with 0 they are an error.
  std::int64_t num_oov_indices = 1;
  /// The token that gets index 0, or counts for nothing in the other modes.
  std::optional<std::string> mask_token = std::nullopt;
  /// What indices of unknown tokens become if `invert`.
  std::optional<std::string> oov_token = "[UNK]";
  /// The tokens, or the path of a text file with one token a line; else `adapt` finds them.
  Vocabulary<std::string> vocabulary = {};
  /// The weights of the tokens of `vocabulary` in the mode "tf_idf".
  std::optional<std::vector<double>> idf_weights = std::nullopt;
  /// Whether indices become tokens instead.
  bool invert = false;
  /// "int", "one_hot", "multi_hot", "count" or "tf_idf".
  std::string output_mode = "int";
  /// Whether the output has `max_tokens` columns with a smaller vocabulary too.
  bool pad_to_max_tokens = false;
  /// No effect on strings, which are always hashed.
  std::string oov_method = "floormod";
  /// The salt of the hash of unknown tokens, with `oov_method = "farmhash"` for integers.
  HashSalt salt = {};
  std::string name = {};
};

/// All arguments of StringLookup.
struct StringLookupArguments : StringLookupOptions {
  /// Of a saved layer: the size that its outputs were made for.
  std::optional<std::int64_t> vocabulary_size = std::nullopt;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("invert", self.invert);
    fields("max_tokens", self.max_tokens);
    fields("num_oov_indices", self.num_oov_indices);
    fields("oov_token", self.oov_token);
    fields("mask_token", self.mask_token);
    fields("output_mode", self.output_mode);
    fields.constant("sparse", false);
    fields("pad_to_max_tokens", self.pad_to_max_tokens);
    fields("idf_weights", self.idf_weights);
    fields("vocabulary", self.vocabulary);
    fields("vocabulary_size", self.vocabulary_size);
    fields("oov_method", self.oov_method);
    fields("salt", self.salt);
    fields.constant("encoding", "utf-8");
    // Keras ignores them too, or writes them only with older versions.
    fields.ignored("trainable");
    fields.ignored("dtype");
    fields.ignored("has_input_vocabulary");
  }
};

/// The index of each string in a vocabulary, which is given, or computed from data by `adapt`: the most frequent tokens
/// first, of equally frequent ones the larger first. Index 0 is the mask token, if there is one, then there are
/// `num_oov_indices` for unknown tokens, then the vocabulary. It is called on a StringTensor, and the result is a Tensor
/// of int64 in the form of the `output_mode`:
///
/// - "int": the indices, in the shape of the input;
/// - "one_hot": [...] -> [..., size]; a last axis of length 1 is replaced;
/// - "multi_hot": [batch, n] -> [batch, size], 1 for each token that a sample has; a vector is one sample;
/// - "count": how often a sample has it;
/// - "tf_idf": the same times the token's weight (inverse document frequency), of `config::floatx()`.
///
/// With `invert` it is called on a Tensor of indices and returns a Tensor of strings. See
/// https://keras.io/api/layers/preprocessing_layers/categorical/string_lookup.
///
/// ```
/// layers::StringLookup lookup;
/// lookup.adapt({"red", "blue", "red"});
/// Tensor indices = lookup(StringTensor({"blue", "green"}));  // 2, 0
/// ```
///
/// As a layer of a model behind an `Input` of dtype "string" it runs on the host, before the compiled step of the batch;
/// see HostLayer.
///
/// The constructor throws ValueError in Keras's words for arguments that exclude each other, and as `set_vocabulary`. A
/// call throws RuntimeError without a vocabulary, InvalidArgumentError in Keras's words for unknown tokens with
/// `num_oov_indices = 0`, TypeError for numbers or, with `invert`, for strings.
class StringLookup : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "StringLookup";
  using Arguments = StringLookupArguments;

  explicit StringLookup(const StringLookupOptions& options = {});
  static StringLookup from_config(const io::Json& config);

  /// Computes the vocabulary from all of `data`, in place of an earlier one; for "tf_idf" each row, or each element of a
  /// vector, is a document. Throws ValueError in Keras's words for a layer that was made with a vocabulary; RuntimeError
  /// if outputs were made for another size.
  void adapt(const StringTensor& data) const;
  /// The same for a tensor of strings.
  void adapt(const Tensor& data) const { adapt(StringTensor::of(data)); }
  /// The same for data in batches, of data sets for their first inputs: for all or, if given, for the first `steps`.
  template <StringBatches Batches>
  void adapt(const Batches& batches, std::optional<std::int64_t> steps = std::nullopt) const {
    reset_state();
    const auto update = [&](const NextBatch& next_batch) {
      while (const std::optional<Tensor> batch = next_batch()) update_state(StringTensor::of(*batch));
    };
    with_batches(batches, update, steps);
    finalize_state();
  }

  // The parts of `adapt`.

  /// Forgets the data, not the vocabulary.
  void reset_state() const;
  /// Adds data: along the first axis are documents; a vector is one document. Throws as `adapt`.
  void update_state(const StringTensor& data) const;
  /// Computes the vocabulary from the data since `reset_state`.
  void finalize_state() const;

  /// Sets the tokens, with or without the special ones before them, or reads them from a file. Throws ValueError in
  /// Keras's words if there are none, too many or repeated ones, or special ones at other places; in the mode "tf_idf"
  /// without `idf_weights` of the same number, in others with them.
  void set_vocabulary(const Vocabulary<std::string>& vocabulary,
                      const std::optional<std::vector<double>>& idf_weights = std::nullopt) const;
  /// The tokens in the order of their indices, or without the special ones. An `oov_token` of None is the empty string.
  std::vector<std::string> get_vocabulary(bool include_special_tokens = true) const;
  /// The number of tokens, special ones included.
  std::int64_t vocabulary_size() const;

  /// Writes the vocabulary to `vocabulary.txt` in that folder, unless it is part of the configuration. Throws IOError;
  /// ValueError for tokens with line breaks.
  void save_assets(const std::string& folder) const;
  /// Reads it from there. Throws NotFoundError if there is none.
  void load_assets(const std::string& folder) const;

 private:
  struct Made {};
  StringLookup(Made, std::shared_ptr<LayerImpl> impl) : Layer(std::move(impl)) {}
};

}  // namespace rhyton::layers
