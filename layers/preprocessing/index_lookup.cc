#include <rhyton/layers/preprocessing/index_lookup.h>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <limits>
#include <numeric>

#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/category_counts.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/gather.h>
#include <rhyton/framework/ops/integer_arithmetic.h>
#include <rhyton/framework/ops/listeners.h>
#include <rhyton/framework/ops/sorting.h>
#include <rhyton/layers/preprocessing/category_output.h>
#include <rhyton/layers/preprocessing/token_text.h>
#include <rhyton/layers/preprocessing/vocabulary_text.h>
#include <rhyton/layers/weight_limit.h>

namespace rhyton::layers {
namespace {

/// Outputs that are no indices leave it out.
constexpr std::int64_t no_index = std::numeric_limits<std::int64_t>::max();

/// The weights with zeros at the end. A configuration can request any number of them.
std::vector<float> resized(std::vector<float> weights, std::int64_t size) {
  WeightLimit::count({size}, DType::float32, "idf_weights");
  weights.resize(static_cast<std::size_t>(size));
  return weights;
}

/// The tokens that occur more than once, each once, in the order of their first occurrence.
template <class Token>
std::vector<Token> repeated(const std::vector<Token>& tokens) {
  std::unordered_map<Token, int> counts;
  for (const Token& token : tokens) ++counts[token];
  std::vector<Token> found;
  for (const Token& token : tokens) {
    if (std::exchange(counts[token], 1) > 1) found.push_back(token);
  }
  return found;
}

}  // namespace

template <class Token>
IndexLookup<Token>::IndexLookup(IndexLookupArguments<Token> arguments)
    : arguments_(std::move(arguments)), has_input_vocabulary_(!arguments_.vocabulary.is_none()) {
  check_arguments(arguments_);
  if (has_input_vocabulary_) {
    set_vocabulary(arguments_.vocabulary, arguments_.idf_weights);
  } else if (arguments_.output_mode == "tf_idf" && arguments_.vocabulary_size) {
    // Of a saved layer: a file has the weights.
    const std::int64_t size = arguments_.pad_to_max_tokens ? *arguments_.max_tokens : *arguments_.vocabulary_size;
    if (size > 0) set_idf_weights(resized({}, size));
  }
}

template <class Token>
void IndexLookup<Token>::set_vocabulary(const Vocabulary<Token>& vocabulary,
                                        const std::optional<std::vector<double>>& idf_weights) {
  if (arguments_.output_mode == "tf_idf" && !idf_weights) {
    throw ValueError("`idf_weights` must be set if output_mode is 'tf_idf'.");
  }
  if (arguments_.output_mode != "tf_idf" && idf_weights) {
    throw ValueError("`idf_weights` should only be set if output_mode is `'tf_idf'`. Received: output_mode=" +
                     arguments_.output_mode + " and idf_weights=" + io::Json::array_from(*idf_weights).dump());
  }
  if (vocabulary.file()) {
    set_from_file(*vocabulary.file());
  } else {
    set_from_list(vocabulary.tokens().value_or(std::vector<Token>()), idf_weights);
  }
}

template <class Token>
void IndexLookup<Token>::set_from_file(const std::string& path) {
  std::vector<Token> tokens = read_vocabulary_file<Token>(path, token_start(), !is_inverted());
  if (arguments_.output_mode == "tf_idf") {
    throw ValueError("output_mode `'tf_idf'` does not support loading a vocabulary from file.");
  }
  set_tokens(std::move(tokens));
}

template <class Token>
std::vector<std::optional<Token>> IndexLookup<Token>::special_tokens() const {
  std::vector<std::optional<Token>> tokens;
  if (oov_start() == 1) tokens.push_back(arguments_.mask_token);
  tokens.insert(tokens.end(), static_cast<std::size_t>(arguments_.num_oov_indices), arguments_.oov_token);
  return tokens;
}

template <class Token>
bool IndexLookup<Token>::begins_with_special_tokens(const std::vector<Token>& vocabulary) const {
  // Before the list is made: a configuration can request any number of them.
  if (token_start() > static_cast<std::int64_t>(vocabulary.size())) return false;
  const std::vector<std::optional<Token>> special = special_tokens();
  return std::equal(special.begin(), special.end(), vocabulary.begin());
}

template <class Token>
std::string IndexLookup<Token>::special_tokens_text() const {
  if (token_start() > 1000) return "[…]";
  std::string text;
  for (const std::optional<Token>& token : special_tokens()) {
    text += (text.empty() ? "" : ", ") + (token ? quoted(*token) : "None");
  }
  return "[" + text + "]";
}

template <class Token>
void IndexLookup<Token>::require_valid(const std::vector<Token>& vocabulary, const std::vector<Token>& tokens) const {
  if (const std::vector<Token> twice = repeated(tokens); !twice.empty()) {
    throw ValueError(
        "The passed vocabulary has at least one repeated term. Please uniquify your dataset. The repeated terms are: " +
        list_text(twice));
  }
  const auto require_absent = [&](const char* what, const char* name, const std::optional<Token>& token) {
    if (!token || std::find(tokens.begin(), tokens.end(), *token) == tokens.end()) return;
    const auto place = std::find(vocabulary.rbegin(), vocabulary.rend(), *token);
    throw ValueError(std::string("Found reserved ") + what +
                     " token at unexpected location in `vocabulary`. Note that passed `vocabulary` does not need to "
                     "include the OOV and mask tokens. Either remove all mask and OOV tokens, or include them only at "
                     "the start of the vocabulary in precisely this order: " +
                     special_tokens_text() + ". Received: " + name + "=" + text_of(*token) + " at vocabulary index [" +
                     std::to_string(vocabulary.rend() - place - 1) + "]");
  };
  require_absent("mask", "mask_token", arguments_.mask_token);
  if (is_inverted()) require_absent("OOV", "oov_token", arguments_.oov_token);
  const std::int64_t size = token_start() + static_cast<std::int64_t>(tokens.size());
  if (arguments_.max_tokens && size > *arguments_.max_tokens) {
    throw ValueError("Attempted to set a vocabulary larger than the maximum vocab size. Received vocabulary size is " +
                     std::to_string(size) + "; `max_tokens` is " + std::to_string(*arguments_.max_tokens) + ".");
  }
}

template <class Token>
void IndexLookup<Token>::set_from_list(std::vector<Token> vocabulary,
                                       const std::optional<std::vector<double>>& idf_weights) {
  if (vocabulary.empty()) throw ValueError("Cannot set an empty vocabulary. Received: vocabulary=[]");
  const bool has_special = begins_with_special_tokens(vocabulary);
  const std::vector<Token> tokens(vocabulary.begin() + (has_special ? token_start() : 0), vocabulary.end());
  require_valid(vocabulary, tokens);
  if (idf_weights && idf_weights->size() != vocabulary.size()) {
    throw ValueError("`idf_weights` must be the same length as vocabulary. len(idf_weights) is " +
                     std::to_string(idf_weights->size()) + "; len(vocabulary) is " + std::to_string(vocabulary.size()));
  }
  set_tokens(tokens);
  if (!idf_weights) return;
  std::vector<float> weights;
  if (!has_special) {
    const double mean =
        std::accumulate(idf_weights->begin(), idf_weights->end(), 0.0) / static_cast<double>(idf_weights->size());
    weights.assign(static_cast<std::size_t>(token_start()), static_cast<float>(mean));
  }
  weights.insert(weights.end(), idf_weights->begin(), idf_weights->end());
  set_idf_weights(arguments_.pad_to_max_tokens ? resized(std::move(weights), *arguments_.max_tokens) : weights);
}

template <class Token>
void IndexLookup<Token>::set_tokens(std::vector<Token> tokens) {
  record_size(token_start() + static_cast<std::int64_t>(tokens.size()));
  std::unordered_map<Token, std::int64_t> indices;
  for (const Token& token : tokens) {
    indices.emplace(token, token_start() + static_cast<std::int64_t>(indices.size()));
  }
  tokens_ = std::move(tokens);
  index_of_token_ = std::move(indices);
  has_table_ = true;
}

template <class Token>
void IndexLookup<Token>::record_size(std::int64_t size) {
  std::optional<std::int64_t>& recorded = arguments_.vocabulary_size;
  const bool may_change = gives_indices() || arguments_.pad_to_max_tokens;
  if (!may_change && recorded && *recorded != size) {
    throw RuntimeError("When using `output_mode=" + arguments_.output_mode +
                       "` and `pad_to_max_tokens=False`, the vocabulary size cannot be changed after the layer is "
                       "called. Old vocab size is " +
                       std::to_string(*recorded) + ", new vocab size is " + std::to_string(size));
  }
  recorded = size;
}

template <class Token>
void IndexLookup<Token>::set_idf_weights(const std::vector<float>& weights) {
  const InitScope init;
  const Tensor values = cast(Tensor::from_data<float>({static_cast<std::int64_t>(weights.size())}, weights),
                             dtype_from_name(config::floatx()));
  if (!idf_weights_.is_empty() && idf_weights_.shape() == values.shape()) {
    idf_weights_.assign(values);
  } else {
    idf_weights_ = Variable(values, {.trainable = false, .name = "idf_weights"});
  }
}

template <class Token>
std::vector<Token> IndexLookup<Token>::vocabulary(bool include_special_tokens) const {
  std::vector<Token> all;
  if (include_special_tokens) {
    for (const std::optional<Token>& token : special_tokens()) all.push_back(token.value_or(Token()));
  }
  all.insert(all.end(), tokens_.begin(), tokens_.end());
  return all;
}

template <class Token>
void IndexLookup<Token>::require_adaptable() const {
  if (!has_input_vocabulary_) return;
  throw ValueError("Cannot adapt layer '" + arguments_.layer_name() +
                   "' after setting a static vocabulary via `vocabulary` argument or `set_vocabulary()` method.");
}

template <class Token>
void IndexLookup<Token>::reset_state() {
  if (has_input_vocabulary_) return;
  counts_ = TokenCounts<Token>();
}

template <class Token>
void IndexLookup<Token>::update_state(std::span<const Token> tokens, const Shape& shape) {
  require_adaptable();
  if (shape.rank() > 2 && arguments_.output_mode == "tf_idf") {
    throw InvalidArgumentError("unique expects a 1D vector. [Op:Unique]");
  }
  const std::int64_t documents = shape.rank() < 2 ? 1 : shape[0];
  if (documents == 0) return;
  const std::size_t length = tokens.size() / static_cast<std::size_t>(documents);
  for (std::int64_t i = 0; i < documents; ++i) {
    add_document(tokens.subspan(static_cast<std::size_t>(i) * length, length));
  }
}

template <class Token>
void IndexLookup<Token>::update_state_to_adapt(std::span<const Token> tokens, const Shape& shape) {
  update_state(tokens, shape.rank() == 1 ? shape.concatenate({1}) : shape);
}

template <class Token>
void IndexLookup<Token>::add_document(std::span<const Token> tokens) {
  require_adaptable();
  counts_.add_document(tokens, arguments_.output_mode == "tf_idf");
}

template <class Token>
void IndexLookup<Token>::finalize_state() {
  if (has_input_vocabulary_ || counts_.is_empty()) {
    record_size(vocabulary_size());
    return;
  }
  if (arguments_.mask_token) counts_.erase(*arguments_.mask_token);
  if (arguments_.oov_token) counts_.erase(*arguments_.oov_token);
  std::optional<std::int64_t> places;
  if (arguments_.max_tokens) places = *arguments_.max_tokens - token_start();
  std::vector<Token> tokens = counts_.most_frequent(places);
  std::vector<float> weights = counts_.inverse_document_frequencies(tokens);
  set_tokens(std::move(tokens));
  if (arguments_.output_mode == "tf_idf") {
    const float mean =
        static_cast<float>(std::accumulate(weights.begin(), weights.end(), 0.0) / static_cast<double>(weights.size()));
    weights.insert(weights.begin(), static_cast<std::size_t>(token_start()), mean);
    set_idf_weights(arguments_.pad_to_max_tokens ? resized(std::move(weights), *arguments_.max_tokens) : weights);
  }
  reset_state();
}

template <class Token>
void IndexLookup<Token>::require_table() const {
  if (has_table_) return;
  throw RuntimeError("Table not initialized. Layer '" + arguments_.layer_name() + "' (of type " +
                     arguments_.class_name +
                     ") has no vocabulary yet: either pass a `vocabulary` argument to the layer, or call `adapt` with "
                     "some sample data.");
}

template <class Token>
std::int64_t IndexLookup<Token>::bucket_of(const Token& token) const {
  const std::int64_t buckets = arguments_.num_oov_indices;
  if constexpr (std::integral<Token>) {
    if (arguments_.oov_method == "floormod") return (token % buckets + buckets) % buckets;
  }
  return arguments_.salt.bucket_of(text_of(token), buckets);
}

template <class Token>
std::int64_t IndexLookup<Token>::index_of(const Token& token) const {
  if (token == arguments_.mask_token) return padding();
  const auto found = index_of_token_.find(token);
  if (found != index_of_token_.end()) return found->second;
  if (arguments_.num_oov_indices == 0) return -1;
  return oov_start() + (arguments_.num_oov_indices == 1 ? 0 : bucket_of(token));
}

template <class Token>
std::vector<std::int64_t> IndexLookup<Token>::indices_of(std::span<const Token> tokens) const {
  require_known_size();
  require_table();
  std::vector<std::int64_t> indices;
  indices.reserve(tokens.size());
  std::string unknown;
  for (const Token& token : tokens) {
    indices.push_back(index_of(token));
    if (indices.back() == -1) unknown += (unknown.empty() ? "" : " ") + double_quoted(token);
  }
  if (!unknown.empty()) {
    throw InvalidArgumentError("When `num_oov_indices=0` all inputs should be in vocabulary, found OOV values [" +
                               unknown + "], consider setting `num_oov_indices=1`.");
  }
  return indices;
}

template <class Token>
std::int64_t IndexLookup<Token>::padding() const {
  return gives_indices() ? 0 : no_index;
}

template <class Token>
Token IndexLookup<Token>::token_of(std::int64_t index) const {
  if (index == 0 && arguments_.mask_token) return *arguments_.mask_token;
  const std::int64_t place = index - token_start();
  const bool is_token = place >= 0 && place < static_cast<std::int64_t>(tokens_.size());
  return is_token ? tokens_[static_cast<std::size_t>(place)] : *arguments_.oov_token;
}

template <class Token>
std::vector<Token> IndexLookup<Token>::tokens_of(std::span<const std::int64_t> indices) const {
  require_table();
  std::vector<Token> tokens;
  tokens.reserve(indices.size());
  for (const std::int64_t index : indices) tokens.push_back(token_of(index));
  return tokens;
}

template <class Token>
bool IndexLookup<Token>::needs_host() const {
  const std::int64_t buckets = arguments_.num_oov_indices;
  return !is_inverted() && (buckets == 0 || (buckets > 1 && arguments_.oov_method == "farmhash"));
}

template <class Token>
Tensor IndexLookup<Token>::lookup_of(const Tensor& inputs) const {
  require_known_size();
  require_table();
  if constexpr (std::integral<Token>) {
    const std::int64_t buckets = arguments_.num_oov_indices;
    std::vector<std::pair<std::int64_t, std::int64_t>> entries;
    for (const std::int64_t token : tokens_) {
      const std::int64_t index = token_start() + static_cast<std::int64_t>(entries.size());
      entries.emplace_back(is_inverted() ? index : token, is_inverted() ? token : index);
    }
    std::sort(entries.begin(), entries.end());
    std::vector<std::int64_t> keys;
    std::vector<std::int64_t> values;
    for (const auto& [key, value] : entries) {
      keys.push_back(key);
      values.push_back(value);
    }
    const auto length = static_cast<std::int64_t>(keys.size());
    Tensor unknown = zeros_like(inputs);
    if (is_inverted()) {
      unknown = unknown + Tensor::scalar<std::int64_t>(*arguments_.oov_token);
    } else if (buckets > 1) {
      unknown = mod(inputs, Tensor::scalar<std::int64_t>(buckets));
    }
    if (!is_inverted()) unknown = unknown + Tensor::scalar<std::int64_t>(oov_start());
    Tensor found = unknown;
    if (length > 0) {
      const Tensor key_tensor = Tensor::from_data<std::int64_t>({length}, keys);
      const Tensor value_tensor = Tensor::from_data<std::int64_t>({length}, values);
      const Tensor place = minimum(searchsorted(key_tensor, inputs), length - 1);
      found = where(equal(gather(key_tensor, place), inputs), gather(value_tensor, place), unknown);
    }
    if (!arguments_.mask_token) return found;
    const std::int64_t mask_key = is_inverted() ? 0 : *arguments_.mask_token;
    const std::int64_t mask_value = is_inverted() ? *arguments_.mask_token : padding();
    return where(equal(inputs, Tensor::scalar<std::int64_t>(mask_key)), Tensor::scalar<std::int64_t>(mask_value),
                 found);
  } else {
    throw NotImplementedError("Strings cannot be looked up with ops.");
  }
}

template <class Token>
void IndexLookup<Token>::require_known_size() const {
  if (gives_indices() || arguments_.pad_to_max_tokens || arguments_.vocabulary_size) return;
  throw RuntimeError("When using `output_mode=" + arguments_.output_mode +
                     "` and `pad_to_max_tokens=False`, you must set the layer's vocabulary before calling it. Either "
                     "pass a `vocabulary` argument to the layer, or call `adapt` with some sample data.");
}

template <class Token>
std::int64_t IndexLookup<Token>::depth() const {
  require_known_size();
  return arguments_.pad_to_max_tokens ? *arguments_.max_tokens : *arguments_.vocabulary_size;
}

template <class Token>
Tensor IndexLookup<Token>::with_idf_weights(const Tensor& counts) const {
  if (idf_weights_.is_empty()) {
    throw ValueError("When `output_mode` is `'tf_idf'`, `idf_weights` must be provided.");
  }
  const Tensor weights = idf_weights_.value();
  return cast(counts, weights.dtype()) * weights;
}

template <class Token>
Tensor IndexLookup<Token>::encoded(const Tensor& indices) const {
  if (gives_indices()) return indices;
  const bool is_tf_idf = arguments_.output_mode == "tf_idf";
  const Tensor output = encode_categories(indices, is_tf_idf ? "count" : arguments_.output_mode, depth(), DType::int64);
  return is_tf_idf ? with_idf_weights(output) : output;
}

template <class Token>
Tensor IndexLookup<Token>::encoded_documents(const Tensor& indices) const {
  if (gives_indices()) return indices;
  if (arguments_.output_mode == "one_hot") {
    throw NotImplementedError("Layer '" + arguments_.layer_name() + "' (of type " + arguments_.class_name +
                              ") cannot encode texts of different lengths with output_mode='one_hot': the result "
                              "would be a ragged tensor.");
  }
  const CategoryCounting counting =
      arguments_.output_mode == "multi_hot" ? CategoryCounting::presence : CategoryCounting::occurrences;
  const Tensor counts = category_counts(indices, depth(), DType::int64, counting);
  return arguments_.output_mode == "tf_idf" ? with_idf_weights(counts) : counts;
}

template <class Token>
std::string IndexLookup<Token>::vocabulary_text() const {
  return vocabulary_as_text(special_tokens(), tokens_,
                            "layer '" + arguments_.layer_name() + "' (of type " + arguments_.class_name + ")");
}

template <class Token>
void IndexLookup<Token>::set_vocabulary_text(const std::string& text) {
  // Before the list is made: a configuration can request any number of them.
  const bool may_have_special = token_start() <= vocabulary_lines(text) + 1;
  std::vector<Token> tokens =
      vocabulary_from_text<Token>(text, may_have_special ? special_tokens() : std::vector<std::optional<Token>>());
  require_valid(tokens, tokens);
  const std::int64_t size = token_start() + static_cast<std::int64_t>(tokens.size());
  const bool is_tf_idf = arguments_.output_mode == "tf_idf" && !arguments_.pad_to_max_tokens;
  if (is_tf_idf && !idf_weights_.is_empty() && idf_weights_.shape()[0] != size) {
    throw ValueError("`idf_weights` must be the same length as vocabulary. len(idf_weights) is " +
                     std::to_string(idf_weights_.shape()[0]) + "; len(vocabulary) is " + std::to_string(size));
  }
  set_tokens(std::move(tokens));
}

template class IndexLookup<std::string>;
template class IndexLookup<std::int64_t>;

}  // namespace rhyton::layers
