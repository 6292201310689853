#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <rhyton/framework/tensor/tensor.h>

// What the data sets of texts as numbers of words have in common: `imdb`, `reuters`.
namespace rhyton::datasets {

/// Texts, each a list of the numbers of its words, and their labels.
struct IndexedTexts {
  /// As `pad_sequences` takes them.
  std::vector<std::vector<std::int64_t>> x;
  /// [texts], integers of the dtype that the file has: int64.
  Tensor y;
};

/// `const auto [train, test] = imdb::load_data();`
struct IndexedTextSplits {
  IndexedTexts train;
  IndexedTexts test;
};

/// Which words remain, and their numbers.
struct WordNumbers {
  std::optional<std::int64_t> num_words;
  std::int64_t skip_top = 0;
  std::optional<std::int64_t> maxlen;
  std::optional<std::int64_t> start_char = 1;
  std::optional<std::int64_t> oov_char = 2;
  std::int64_t index_from = 3;
};

/// These arguments among those of a `load_data`.
template <class Options>
WordNumbers word_numbers(const Options& options) {
  return {.num_words = options.num_words,
          .skip_top = options.skip_top,
          .maxlen = options.maxlen,
          .start_char = options.start_char,
          .oov_char = options.oov_char,
          .index_from = options.index_from};
}

/// Two arrays of a `.npz` file: the texts, which NumPy pickles, and the labels. Throws IOError if the file has no such
/// arrays, or other numbers of texts and labels.
IndexedTexts read_indexed_texts(const std::string& path, const std::string& x, const std::string& y);

/// The texts of these numbers, in their order.
IndexedTexts picked(const IndexedTexts& texts, const std::vector<std::size_t>& numbers);

/// The texts from `begin` to before `end`.
IndexedTexts part_of(const IndexedTexts& texts, std::size_t begin, std::size_t end);

/// Adds `index_from` to each number, and the start in front; then removes the texts that are not shorter than `maxlen`.
void shift_and_shorten(IndexedTexts& texts, const WordNumbers& numbers);

/// Replaces the numbers below `skip_top` and from `num_words` on by `oov_char`, or removes them without it. The default of
/// `num_words` is the greatest number in all the texts, which is thus replaced too, as in Keras. Throws ValueError without
/// `num_words` for an empty text, or if there are no texts.
void replace_words(const std::vector<IndexedTexts*>& texts, const WordNumbers& numbers);

/// Throws ValueError in Keras's words: no text is shorter than `maxlen`.
[[noreturn]] void refuse_maxlen(std::int64_t maxlen);

/// The numbers of words, from a JSON file. Throws IOError for another one.
std::map<std::string, std::int64_t> read_word_index(const std::string& path);

}  // namespace rhyton::datasets
