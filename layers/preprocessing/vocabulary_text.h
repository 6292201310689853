#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// Vocabularies as text, one token a line. `Token` is std::string or std::int64_t.

namespace rhyton::layers {

/// The tokens of a file that a user wrote, which get the indices from `first_index` on. `refuses_repeated`: not for a
/// vocabulary of indices. Throws ValueError if there is no such file, InvalidArgumentError in TensorFlow's words for
/// empty lines, repeated ones, and what is no integer.
template <class Token>
std::vector<Token> read_vocabulary_file(const std::string& path, std::int64_t first_index, bool refuses_repeated);

/// Special tokens, where one of None is "None", and the others, as layers save them. Throws ValueError for tokens that
/// take more than one line. `layer`: "layer 'x' (of type StringLookup)", for messages.
template <class Token>
std::string vocabulary_as_text(const std::vector<std::optional<Token>>& special, const std::vector<Token>& tokens,
                               const std::string& layer);

/// The tokens of such a text, without the special ones if it begins with all of them. Throws ValueError for what is no
/// integer.
template <class Token>
std::vector<Token> vocabulary_from_text(const std::string& text, const std::vector<std::optional<Token>>& special);

/// The number of lines of such a text.
std::int64_t vocabulary_lines(const std::string& text);

extern template std::vector<std::string> read_vocabulary_file(const std::string&, std::int64_t, bool);
extern template std::vector<std::int64_t> read_vocabulary_file(const std::string&, std::int64_t, bool);
extern template std::string vocabulary_as_text(const std::vector<std::optional<std::string>>&,
                                               const std::vector<std::string>&, const std::string&);
extern template std::string vocabulary_as_text(const std::vector<std::optional<std::int64_t>>&,
                                               const std::vector<std::int64_t>&, const std::string&);
extern template std::vector<std::string> vocabulary_from_text(const std::string&,
                                                              const std::vector<std::optional<std::string>>&);
extern template std::vector<std::int64_t> vocabulary_from_text(const std::string&,
                                                               const std::vector<std::optional<std::int64_t>>&);

}  // namespace rhyton::layers
