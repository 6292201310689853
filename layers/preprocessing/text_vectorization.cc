#include <rhyton/layers/preprocessing/text_vectorization.h>

#include <algorithm>
#include <cstddef>
#include <map>

#include <rhyton/framework/error.h>
#include <rhyton/layers/assets.h>
#include <rhyton/layers/host_layer.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/preprocessing/string_lookup_impl.h>
#include <rhyton/layers/preprocessing/text_tokens.h>

namespace rhyton::layers {
namespace {

/// The tokens of texts: a row of them for each element of an array of shape `outer`.
struct Tokens {
  Shape outer;
  std::vector<std::vector<std::string>> rows;
  /// Whether rows may differ in length: several texts were split.
  bool is_ragged = false;
  /// The length of rows that do not differ, where there may be none.
  std::int64_t length = 0;
};

/// Throws ValueError for a name that is not among these.
template <class Step>
void require_known(const std::optional<Step>& step, const std::vector<std::string>& names,
                   const std::string& argument) {
  if (!step || step->name() == nullptr || std::find(names.begin(), names.end(), *step->name()) != names.end()) return;
  std::string allowed;
  for (const std::string& name : names) allowed += (allowed.empty() ? "'" : ", '") + name + "'";
  throw ValueError("Unknown value for `" + argument + "` argument of TextVectorization. Allowed values are: (" +
                   allowed + "). Received: " + argument + "=" + *step->name());
}

/// A handle of the StringLookup in a TextVectorization.
struct InnerLookup : Layer {
  explicit InnerLookup(std::shared_ptr<LayerImpl> impl) : Layer(std::move(impl)) {}
};

class TextVectorizationImpl final : public HostLayer, public AssetHolder {
 public:
  explicit TextVectorizationImpl(const TextVectorizationArguments& arguments)
      : HostLayer(base_options(checked(arguments))),
        options_(arguments),
        lookup_(std::make_shared<StringLookupImpl>(lookup_arguments(arguments))) {
    track("_lookup_layer", InnerLookup(lookup_));
    mark_built();
  }

  std::string class_name() const override { return TextVectorization::keras_name; }
  std::vector<Tensor> call_on_host(const std::vector<Tensor>& inputs) const override {
    require_strings(*this, inputs.at(0));
    return {vectorized(StringTensor::of(inputs[0]))};
  }

  bool takes_strings() const override { return true; }

  io::Json get_config() const override {
    TextVectorizationArguments arguments = options_;
    arguments.output_mode = lookup().arguments().output_mode;
    arguments.vocabulary_size = lookup().vocabulary_size();
    return written(LayerImpl::get_config(), arguments);
  }

  // Keras writes these twice: of this layer and of the StringLookup in it.
  std::vector<std::pair<std::string, Variable>> saved_variables() const override { return lookup_->saved_variables(); }
  std::map<std::string, std::string> assets() const override { return lookup_->assets(); }
  void set_assets(const ReadAsset& read) override { lookup_->set_assets(read); }

  IndexLookup<std::string>& lookup() { return lookup_->lookup(); }
  const IndexLookup<std::string>& lookup() const { return lookup_->lookup(); }

  Tensor vectorized(const StringTensor& texts) const {
    const Tokens tokens = tokens_of(texts);
    return tokens.is_ragged ? of_split_texts(tokens) : of_arrays(tokens, texts.rank());
  }

  void update_state(const StringTensor& texts) {
    const Tokens tokens = tokens_of(texts);
    if (tokens.outer.rank() > 1 && lookup().arguments().output_mode == "tf_idf") {
      throw InvalidArgumentError("unique expects a 1D vector. [Op:Unique]");
    }
    for (const std::vector<std::string>& row : tokens.rows) lookup().add_document(row);
  }

 protected:
  std::vector<Tensor> infer_on_host(const std::vector<Tensor>& inputs) const override {
    require_strings(*this, inputs.at(0));
    const Shape& shape = inputs[0].shape();
    require_splittable(shape);
    const auto indices = [](const Shape& outer) { return without_elements({outer, DType::int64}); };
    if (shape.rank() == 0 && !options_.split) return {lookup().encoded(indices({}))};
    const bool has_last_axis = shape.rank() > 1 || (shape.rank() == 1 && !options_.split);
    const Shape outer = has_last_axis ? shape.slice(0, shape.rank() - 1) : shape;
    const std::int64_t length =
        options_.output_sequence_length.value_or(has_fixed_length() ? shape[shape.rank() - 1] : unknown_length(outer));
    const Tensor padded = indices(outer.concatenate({length}));
    return {options_.split && shape.rank() > 0 ? lookup().encoded_documents(padded) : lookup().encoded(padded)};
  }

  void forget_lengths(std::vector<TensorSpec>& outputs) const override {
    Shape& shape = outputs.at(0).shape;
    const bool is_known = options_.output_sequence_length || has_fixed_length() || !lookup().gives_indices();
    if (!is_known && shape.rank() > 0) shape = shape.with(shape.rank() - 1, -1);
  }

 private:
  /// Whether the tokens are the elements of the input.
  bool has_fixed_length() const { return !options_.split && options_.ngrams.is_none(); }

  /// One that follows the lengths that stand in for unknown ones.
  static std::int64_t unknown_length(const Shape& outer) { return outer.rank() == 0 ? 7 : outer[0] + 7; }

  void require_splittable(const Shape& shape) const {
    if (!options_.split || shape.rank() < 2 || shape[shape.rank() - 1] == 1) return;
    throw ValueError(
        "When using `TextVectorization` to tokenize strings, the input rank must be 1 or the last shape dimension "
        "must be 1. Received: inputs.shape=" +
        shape.to_string() + " with rank=" + std::to_string(shape.rank()));
  }

  static const TextVectorizationArguments& checked(const TextVectorizationArguments& given) {
    require_known(given.standardize, {"lower_and_strip_punctuation", "lower", "strip_punctuation"}, "standardize");
    require_known(given.split, {"whitespace", "character"}, "split");
    if (given.output_mode != "int" && given.output_sequence_length) {
      throw ValueError(
          "`output_sequence_length` must not be set if `output_mode` is not 'int'. Received "
          "output_sequence_length=" +
          std::to_string(*given.output_sequence_length) + ".");
    }
    return given;
  }

  static StringLookupArguments lookup_arguments(const TextVectorizationArguments& given) {
    StringLookupArguments arguments;
    arguments.max_tokens = given.max_tokens;
    arguments.mask_token = "";
    arguments.vocabulary = given.vocabulary;
    arguments.idf_weights = given.idf_weights;
    arguments.output_mode = given.output_mode;
    arguments.pad_to_max_tokens = given.pad_to_max_tokens;
    arguments.vocabulary_size = given.vocabulary_size;
    return arguments;
  }

  std::string standardized(const std::string& text) const {
    if (!options_.standardize) return text;
    if (options_.standardize->name() == nullptr) return (*options_.standardize->function())(text);
    const std::string& name = *options_.standardize->name();
    std::string result = name == "strip_punctuation" ? text : lower_case_of(text);
    return name == "lower" ? result : without_punctuation(std::move(result));
  }

  std::vector<std::string> split(const std::string& text) const {
    if (options_.split->name() == nullptr) return (*options_.split->function())(text);
    return *options_.split->name() == "whitespace" ? split_at_whitespace(text) : characters_of(text);
  }

  Tokens tokens_of(const StringTensor& texts) const {
    const Shape& shape = texts.shape();
    Tokens tokens;
    if (options_.split) {
      require_splittable(shape);
      tokens.outer = shape.rank() > 1 ? shape.slice(0, shape.rank() - 1) : shape;
      // The tokens of one text are a vector.
      tokens.is_ragged = shape.rank() > 0;
      for (const std::string& text : texts.elements()) tokens.rows.push_back(split(standardized(text)));
    } else {
      const std::int64_t length = shape.rank() == 0 ? 1 : shape[shape.rank() - 1];
      if (shape.rank() > 0) tokens.outer = shape.slice(0, shape.rank() - 1);
      if (options_.ngrams.is_none()) tokens.length = length;
      // TensorFlow reshapes no rows of n-grams to the length 1.
      if (!options_.ngrams.is_none() && tokens.outer.size() == 0) tokens.length = 1;
      tokens.rows.resize(static_cast<std::size_t>(tokens.outer.size()));
      for (std::size_t i = 0; i < texts.elements().size(); ++i) {
        tokens.rows[i / static_cast<std::size_t>(length)].push_back(standardized(texts.elements()[i]));
      }
    }
    if (!options_.ngrams.is_none()) join(tokens, shape.rank());
    return tokens;
  }

  void join(Tokens& tokens, int rank) const {
    const std::vector<int> widths = options_.ngrams.widths();
    if (std::any_of(widths.begin(), widths.end(), [](int width) { return width < 1; })) {
      throw ValueError("All ngram_widths must be greater than 0. Got " + options_.ngrams.to_config().dump());
    }
    if (rank == 0 && !options_.split) throw ValueError("Data must have rank>0");
    for (std::vector<std::string>& row : tokens.rows) row = ngrams_of(row, widths);
  }

  /// The indices of all rows in one array, filled up or cut to one length.
  Tensor padded(const Tokens& tokens, std::int64_t length) const {
    const auto columns = static_cast<std::size_t>(length);
    std::vector<std::int64_t> all;
    all.reserve(tokens.rows.size() * columns);
    for (const std::vector<std::string>& row : tokens.rows) {
      std::vector<std::int64_t> indices = lookup().indices_of(row);
      indices.resize(columns, lookup().padding());
      all.insert(all.end(), indices.begin(), indices.end());
    }
    return Tensor::from_data<std::int64_t>(tokens.outer.concatenate({length}), all);
  }

  static std::int64_t longest(const Tokens& tokens) {
    auto length = static_cast<std::size_t>(tokens.length);
    for (const std::vector<std::string>& row : tokens.rows) length = std::max(length, row.size());
    return static_cast<std::int64_t>(length);
  }

  Tensor of_split_texts(const Tokens& tokens) const {
    if (tokens.outer.rank() > 1 && !lookup().gives_indices()) {
      throw NotImplementedError(
          "Layer '" + name() + "' (of type TextVectorization) with output_mode='" + lookup().arguments().output_mode +
          "' splits texts of shape {n} or {n, 1} only. Received: texts of shape " + tokens.outer.to_string());
    }
    const std::int64_t length = options_.output_sequence_length.value_or(longest(tokens));
    return lookup().encoded_documents(padded(tokens, length));
  }

  /// Of texts that were not split, or of a single one. `rank` is that of the texts.
  Tensor of_arrays(const Tokens& tokens, int rank) const {
    const bool is_scalar = rank == 0 && !options_.split;
    if (is_scalar && options_.output_sequence_length) {
      throw InvalidArgumentError("Attempting to slice scalar input. [Op:StridedSlice]");
    }
    if (is_scalar) {
      return lookup().encoded(Tensor::scalar<std::int64_t>(lookup().indices_of(tokens.rows.front()).front()));
    }
    return lookup().encoded(padded(tokens, options_.output_sequence_length.value_or(longest(tokens))));
  }

  TextVectorizationArguments options_;
  std::shared_ptr<StringLookupImpl> lookup_;
};

TextVectorizationImpl& impl_of(const TextVectorization& layer) {
  return dynamic_cast<TextVectorizationImpl&>(*layer.impl());
}

IndexLookup<std::string>& lookup_of(const TextVectorization& layer) { return impl_of(layer).lookup(); }

}  // namespace

TextVectorization::TextVectorization(const TextVectorizationOptions& options)
    : Layer(std::make_shared<TextVectorizationImpl>(TextVectorizationArguments{options})) {}

TextVectorization TextVectorization::from_config(const io::Json& config) {
  auto arguments = read_layer<TextVectorization>(config);
  // That of a layer without a vocabulary, which says nothing of its outputs.
  const std::int64_t special_tokens = arguments.output_mode == "int" ? 2 : 1;
  if (arguments.vocabulary_size == special_tokens) arguments.vocabulary_size.reset();
  return {Made(), std::make_shared<TextVectorizationImpl>(arguments)};
}

void TextVectorization::adapt(const StringTensor& data) const {
  reset_state();
  update_state(data.rank() == 1 ? data.reshape({-1, 1}) : data);
  finalize_state();
}

void TextVectorization::reset_state() const { lookup_of(*this).reset_state(); }
void TextVectorization::update_state(const StringTensor& data) const { impl_of(*this).update_state(data); }
void TextVectorization::finalize_state() const { lookup_of(*this).finalize_state(); }

void TextVectorization::set_vocabulary(const Vocabulary<std::string>& vocabulary,
                                       const std::optional<std::vector<double>>& idf_weights) const {
  lookup_of(*this).set_vocabulary(vocabulary, idf_weights);
}

std::vector<std::string> TextVectorization::get_vocabulary(bool include_special_tokens) const {
  return lookup_of(*this).vocabulary(include_special_tokens);
}

std::int64_t TextVectorization::vocabulary_size() const { return lookup_of(*this).vocabulary_size(); }

void TextVectorization::save_assets(const std::string& folder) const { layers::save_assets(impl_of(*this), folder); }
void TextVectorization::load_assets(const std::string& folder) const { layers::load_assets(impl_of(*this), folder); }

}  // namespace rhyton::layers
