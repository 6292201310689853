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
#include <rhyton/layers/preprocessing/text_step.h>
#include <rhyton/layers/preprocessing/vocabulary.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.TextVectorization`. There are no sparse and ragged tensors: `sparse` and `ragged`
/// are always false; strings are in UTF-8: `encoding` is always "utf-8".
struct TextVectorizationOptions {
  ByName by_name = ByName();
  /// The maximum size of the vocabulary, special tokens included.
  std::optional<std::int64_t> max_tokens = std::nullopt;
  /// "lower_and_strip_punctuation", "lower", "strip_punctuation", none, or a function of each text. Lower case is that
  /// of the letters A to Z, punctuation that of ASCII.
  std::optional<TextStandardization> standardize = "lower_and_strip_punctuation";
  /// "whitespace", "character", none, or a function from each text to its tokens.
  std::optional<TextSplit> split = "whitespace";
  /// Joins up to so many neighbouring tokens, or exactly so many: 2, or `{2, 3}`.
  NGrams ngrams = {};
  /// "int", "multi_hot", "count", "tf_idf", or without `split` "one_hot".
  std::string output_mode = "int";
  /// The length of all outputs in the mode "int": longer ones are cut, shorter ones filled up with 0. If not given, that
  /// of the longest text of a call.
  std::optional<std::int64_t> output_sequence_length = std::nullopt;
  /// Whether the output has `max_tokens` columns with a smaller vocabulary too.
  bool pad_to_max_tokens = false;
  /// The tokens, or the path of a text file with one token a line; else `adapt` finds them.
  Vocabulary<std::string> vocabulary = {};
  /// The weights of the tokens of `vocabulary` in the mode "tf_idf".
  std::optional<std::vector<double>> idf_weights = std::nullopt;
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;
};

/// All arguments of TextVectorization.
struct TextVectorizationArguments : TextVectorizationOptions {
  /// Of a saved layer: the size that its outputs were made for.
  std::optional<std::int64_t> vocabulary_size = std::nullopt;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("max_tokens", self.max_tokens);
    fields("standardize", self.standardize);
    fields("split", self.split);
    fields("ngrams", self.ngrams);
    fields("output_mode", self.output_mode);
    fields("output_sequence_length", self.output_sequence_length);
    fields("pad_to_max_tokens", self.pad_to_max_tokens);
    fields.constant("sparse", false);
    fields.constant("ragged", false);
    fields("vocabulary", self.vocabulary);
    fields("idf_weights", self.idf_weights);
    fields.constant("encoding", "utf-8");
    fields("vocabulary_size", self.vocabulary_size);
    fields.ignored("has_input_vocabulary");
  }
};

/// Texts as integers: each text is standardized, split into tokens, these are joined to n-grams, and looked up in a
/// vocabulary, which is given, or computed from data by `adapt` (the most frequent tokens first, of equally frequent
/// ones the larger first). In the mode "int" index 0 is the padding, index 1 that of unknown tokens; in the other modes
/// index 0 is that of unknown tokens. It is called on a StringTensor of shape {}, {n} or {..., 1}, or with `split` None
/// of any shape, and the result is a Tensor of int64:
///
/// - "int": [n] -> [n, length], the indices of the tokens of each text;
/// - "multi_hot": [n] -> [n, size], 1 for each token that a text has;
/// - "count": how often it has it;
/// - "tf_idf": the same times the token's weight (inverse document frequency), of `config::floatx()`.
///
/// See https://keras.io/api/layers/preprocessing_layers/text/text_vectorization.
///
/// ```
/// layers::TextVectorization vectorize({.max_tokens = 5000, .output_sequence_length = 4});
/// vectorize.adapt({"foo bar", "bar baz", "baz bada boom"});
/// Tensor indices = vectorize(StringTensor({"foo qux bar", "qux baz"}));  // [[2, 1, 4, 0], [1, 3, 0, 0]]
/// ```
///
/// As a layer of a model behind an `Input` of dtype "string" it runs on the host, before the compiled step of the batch;
/// see HostLayer. With an `output_sequence_length` all batches have one shape, and the step is compiled once.
///
/// The constructor throws ValueError in Keras's words for unknown names and arguments that exclude each other, and as
/// `set_vocabulary`. A call throws ValueError in Keras's words for a shape that cannot be split, RuntimeError without a
/// vocabulary, TypeError for numbers.
class TextVectorization : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "TextVectorization";
  using Arguments = TextVectorizationArguments;

  explicit TextVectorization(const TextVectorizationOptions& options = {});
  static TextVectorization from_config(const io::Json& config);

  /// Computes the vocabulary from all of `data`, in place of an earlier one. Throws ValueError in Keras's words for a
  /// layer that was made with a vocabulary, and for a shape that cannot be split; RuntimeError if outputs were made for
  /// another size.
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
  /// Adds data. Throws as `adapt`.
  void update_state(const StringTensor& data) const;
  /// Computes the vocabulary from the data since `reset_state`.
  void finalize_state() const;

  /// See StringLookup.
  void set_vocabulary(const Vocabulary<std::string>& vocabulary,
                      const std::optional<std::vector<double>>& idf_weights = std::nullopt) const;
  /// The tokens in the order of their indices, or without the special ones.
  std::vector<std::string> get_vocabulary(bool include_special_tokens = true) const;
  /// The number of tokens, special ones included.
  std::int64_t vocabulary_size() const;

  /// See StringLookup.
  void save_assets(const std::string& folder) const;
  void load_assets(const std::string& folder) const;

 private:
  struct Made {};
  TextVectorization(Made, std::shared_ptr<LayerImpl> impl) : Layer(std::move(impl)) {}
};

}  // namespace rhyton::layers
