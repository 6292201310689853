#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/preprocessing/batches_to_adapt.h>
#include <rhyton/layers/preprocessing/hash_salt.h>
#include <rhyton/layers/preprocessing/vocabulary.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.IntegerLookup`. There are no sparse tensors: `sparse` is always false.
struct IntegerLookupOptions {
  ByName by_name = ByName();
  /// The maximum size of the vocabulary, special tokens included.
  std::optional<std::int64_t> max_tokens = std::nullopt;
  /// How many indices there are for unknown tokens (OOV): with several, `oov_method` chooses; with 0 they are an error.
  std::int64_t num_oov_indices = 1;
  /// The token that gets index 0, or counts for nothing in the other modes.
  std::optional<std::int64_t> mask_token = std::nullopt;
  /// What indices of unknown tokens become if `invert`.
  std::optional<std::int64_t> oov_token = -1;
  /// The tokens, or the path of a text file with one token a line; else `adapt` finds them.
  Vocabulary<std::int64_t> vocabulary = {};
  /// The weights of the tokens of `vocabulary` in the mode "tf_idf".
  std::optional<std::vector<double>> idf_weights = std::nullopt;
  /// Whether indices become tokens instead.
  bool invert = false;
  /// "int", "one_hot", "multi_hot", "count" or "tf_idf".
  std::string output_mode = "int";
  /// Whether the output has `max_tokens` columns with a smaller vocabulary too.
  bool pad_to_max_tokens = false;
  /// Which index an unknown token gets: "floormod", the token modulo their number, or "farmhash", a hash of its digits.
  std::string oov_method = "floormod";
  /// The salt of that hash.
  HashSalt salt = {};
  std::string name = {};
};

/// All arguments of IntegerLookup.
struct IntegerLookupArguments : IntegerLookupOptions {
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
    fields.constant("vocabulary_dtype", "int64");
    fields("idf_weights", self.idf_weights);
    fields("vocabulary", self.vocabulary);
    fields("vocabulary_size", self.vocabulary_size);
    fields("oov_method", self.oov_method);
    fields("salt", self.salt);
    // Keras ignores them too, or writes them only with older versions.
    fields.ignored("trainable");
    fields.ignored("dtype");
    fields.ignored("has_input_vocabulary");
  }
};

/// The index of each integer in a vocabulary, which is given, or computed from data by `adapt`: the most frequent tokens
/// first, of equally frequent ones the larger first. Index 0 is the mask token, if there is one, then there are
/// `num_oov_indices` for unknown tokens, then the vocabulary. Inputs of other dtypes are converted to int64. The result
/// is of int64 in the form of the `output_mode`:
///
/// - "int": the indices, in the shape of the input;
/// - "one_hot": [...] -> [..., size]; a last axis of length 1 is replaced;
/// - "multi_hot": [batch, n] -> [batch, size], 1 for each token that a sample has; a vector is one sample;
/// - "count": how often a sample has it;
/// - "tf_idf": the same times the token's weight (inverse document frequency), of `config::floatx()`.
///
/// With `invert` indices become tokens. See
/// https://keras.io/api/layers/preprocessing_layers/categorical/integer_lookup.
///
/// ```
/// layers::IntegerLookup lookup({.vocabulary = {12, 36, 1138, 42}});
/// Tensor indices = lookup(Tensor::from_data<std::int64_t>({2}, {36, 7}));  // 2, 0
/// ```
///
/// The constructor throws ValueError in Keras's words for arguments that exclude each other, and as `set_vocabulary`. A
/// call throws RuntimeError without a vocabulary, InvalidArgumentError in Keras's words for unknown tokens with
/// `num_oov_indices = 0`. With that, or "farmhash" and several indices, it runs on the host as a layer of a model, before
/// the compiled step of the batch; see HostLayer. Otherwise a compiled model keeps the vocabulary that it was compiled
/// with; a new one is a warning.
class IntegerLookup : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "IntegerLookup";
  using Arguments = IntegerLookupArguments;

  explicit IntegerLookup(const IntegerLookupOptions& options = {});
  static IntegerLookup from_config(const io::Json& config);

  /// Computes the vocabulary from all of `data`, in place of an earlier one; for "tf_idf" each row, or each element of a
  /// vector, is a document. Throws ValueError in Keras's words for a layer that was made with a vocabulary; RuntimeError
  /// if outputs were made for another size.
  void adapt(const Tensor& data) const;
  /// The same for data in batches: a `datasets::Dataset`, whose first inputs are taken, or any range of tensors; of the
  /// first `steps` batches if that is given.
  template <BatchesToAdapt Batches>
  void adapt(const Batches& batches, std::optional<std::int64_t> steps = std::nullopt) const {
    with_batches(
        batches,
        [&](const NextBatch& next_batch) {
          reset_state();
          while (const std::optional<Tensor> batch = next_batch()) update_state(*batch);
          finalize_state();
        },
        steps);
  }

  // The parts of `adapt`.

  /// Forgets the data, not the vocabulary.
  void reset_state() const;
  /// Adds data: along the first axis are documents; a vector is one document. Throws as `adapt`.
  void update_state(const Tensor& data) const;
  /// Computes the vocabulary from the data since `reset_state`.
  void finalize_state() const;

  /// Sets the tokens, with or without the special ones before them, or reads them from a file. Throws ValueError in
  /// Keras's words if there are none, too many or repeated ones, or special ones at other places; in the mode "tf_idf"
  /// without `idf_weights` of the same number, in others with them.
  void set_vocabulary(const Vocabulary<std::int64_t>& vocabulary,
                      const std::optional<std::vector<double>>& idf_weights = std::nullopt) const;
  /// The tokens in the order of their indices, or without the special ones. An `oov_token` of None is 0.
  std::vector<std::int64_t> get_vocabulary(bool include_special_tokens = true) const;
  /// The number of tokens, special ones included.
  std::int64_t vocabulary_size() const;

  /// Writes the vocabulary to `vocabulary.txt` in that folder, unless it is part of the configuration. Throws IOError.
  void save_assets(const std::string& folder) const;
  /// Reads it from there. Throws NotFoundError if there is none.
  void load_assets(const std::string& folder) const;

 private:
  struct Made {};
  IntegerLookup(Made, std::shared_ptr<LayerImpl> impl) : Layer(std::move(impl)) {}
};

}  // namespace rhyton::layers
