#pragma once

#include <string>
#include <string_view>
#include <vector>

// How TextVectorization makes tokens of a text, as TensorFlow's ops on strings do.

namespace rhyton::layers {

/// The letters A to Z in lower case; all other bytes stay as they are (tf.strings.lower).
std::string lower_case_of(std::string text);

/// The text without the 32 punctuation characters of ASCII.
std::string without_punctuation(std::string text);

/// The parts between spaces, tabs, line breaks, vertical tabs and form feeds, none of them empty (tf.strings.split).
std::vector<std::string> split_at_whitespace(std::string_view text);

/// The characters of a text in UTF-8; what is no character becomes U+FFFD (tf.strings.unicode_split).
std::vector<std::string> characters_of(std::string_view text);

/// For each width in order, that many neighbouring tokens joined by spaces, from each token on (tf.strings.ngrams).
std::vector<std::string> ngrams_of(const std::vector<std::string>& tokens, const std::vector<int>& widths);

}  // namespace rhyton::layers
