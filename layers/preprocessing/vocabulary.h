#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/tensor/string_tensor.h>

namespace rhyton::layers {

/// The vocabulary of a lookup, where Keras takes a list or the path of a file: `{"cat", "dog"}`, or "words.txt", a text
/// file with one token a line. `Token` is std::string or std::int64_t.
template <class Token>
class Vocabulary {
 public:
  /// None.
  Vocabulary() = default;
  Vocabulary(std::initializer_list<Token> tokens)  // NOLINT(google-explicit-constructor): a list is one
      : tokens_(std::vector<Token>(tokens)) {}
  Vocabulary(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}  // NOLINT(google-explicit-constructor)
  template <std::same_as<StringTensor> Strings>
  requires std::same_as<Token, std::string> Vocabulary(const Strings& tokens)  // NOLINT(google-explicit-constructor)
      : tokens_(tokens.elements()) {}
  Vocabulary(std::string file) : file_(std::move(file)) {}  // NOLINT(google-explicit-constructor): and so is a path
  Vocabulary(const char* file) : file_(file) {}             // NOLINT(google-explicit-constructor)

  bool is_none() const { return !tokens_ && !file_; }
  /// The list; none for a file.
  const std::optional<std::vector<Token>>& tokens() const { return tokens_; }
  const std::optional<std::string>& file() const { return file_; }

  /// A list, or null for none and for a file: models are saved with its content.
  io::Json to_config() const { return tokens_ ? io::Json::array_from(*tokens_) : io::Json(); }
  /// Throws ValueError in Keras's words for the path of a file in a model that is loaded in safe mode.
  static Vocabulary from_config(const io::Json& config);
  static constexpr const char* config_type = "a list of tokens or the path of a file";

 private:
  std::optional<std::vector<Token>> tokens_;
  std::optional<std::string> file_;
};

extern template class Vocabulary<std::string>;
extern template class Vocabulary<std::int64_t>;

}  // namespace rhyton::layers
