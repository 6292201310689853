#include <rhyton/datasets/indexed_texts.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/io/atomic_file.h>
#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/io/pickle.h>
#include <rhyton/framework/tensor/dtype.h>

namespace rhyton::datasets {
namespace {

using Text = std::vector<std::int64_t>;

std::vector<Text> rows_of(const Tensor& array) {
  if (array.rank() != 2 || !is_integer(array.dtype())) {
    throw TypeError(
        fmt::format("expected lists of integers, found {} {}", name_of(array.dtype()), array.shape().to_string()));
  }
  const Tensor numbers = array.cast(int64);
  std::vector<Text> rows;
  for (std::int64_t i = 0; i < array.shape()[0]; ++i) {
    const std::int64_t* const row = numbers.data<std::int64_t>() + i * array.shape()[1];
    rows.emplace_back(row, row + array.shape()[1]);
  }
  return rows;
}

std::vector<Text> texts_of(const io::PickleValue& value) {
  if (value.is_array()) return rows_of(value.as_array());
  std::vector<Text> texts;
  for (const io::PickleValue& element : value.as_list()) {
    Text& text = texts.emplace_back();
    if (element.is_array()) {
      const Tensor& array = element.as_array();
      text = rows_of(array.reshape({1, array.size()})).front();
      continue;
    }
    text.reserve(element.as_list().size());
    for (const io::PickleValue& number : element.as_list()) text.push_back(number.as_int());
  }
  return texts;
}

/// Without an overflow that is undefined, for files with numbers of any size.
std::int64_t sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

std::int64_t greatest(const std::vector<IndexedTexts*>& texts) {
  std::optional<std::int64_t> found;
  for (const IndexedTexts* const part : texts) {
    for (const Text& text : part->x) {
      if (text.empty()) throw ValueError("Without `num_words`, each text must have a word. A text is empty.");
      const std::int64_t number = *std::max_element(text.begin(), text.end());
      found = std::max(found.value_or(number), number);
    }
  }
  if (!found) throw ValueError("Without `num_words`, there must be a text.");
  return *found;
}

}  // namespace

IndexedTexts read_indexed_texts(const std::string& path, const std::string& x, const std::string& y) {
  IndexedTexts texts;
  try {
    texts.x = texts_of(io::read_npz_objects(path, x));
    texts.y = io::read_npz_objects(path, y).as_array();
  } catch (const TypeError& error) {
    throw IOError(fmt::format("\"{}\" has the wrong content: {}", path, error.what()));
  }
  if (texts.y.rank() != 1 || texts.y.shape()[0] != static_cast<std::int64_t>(texts.x.size())) {
    throw IOError(fmt::format("\"{}\" has the wrong content: expected {} labels for as many texts, found {}", path,
                              texts.x.size(), texts.y.shape().to_string()));
  }
  return texts;
}

IndexedTexts picked(const IndexedTexts& texts, const std::vector<std::size_t>& numbers) {
  const std::size_t bytes = size_of(texts.y.dtype());
  IndexedTexts result;
  result.y = Tensor::uninitialized({static_cast<std::int64_t>(numbers.size())}, texts.y.dtype());
  result.x.reserve(numbers.size());
  const auto* const from = static_cast<const std::byte*>(texts.y.raw_data());
  auto* to = static_cast<std::byte*>(result.y.mutable_raw_data());
  for (const std::size_t number : numbers) {
    result.x.push_back(texts.x.at(number));
    std::memcpy(to, from + number * bytes, bytes);
    to += bytes;
  }
  return result;
}

IndexedTexts part_of(const IndexedTexts& texts, std::size_t begin, std::size_t end) {
  std::vector<std::size_t> numbers;
  for (std::size_t i = begin; i < end; ++i) numbers.push_back(i);
  return picked(texts, numbers);
}

void shift_and_shorten(IndexedTexts& texts, const WordNumbers& numbers) {
  for (Text& text : texts.x) {
    for (std::int64_t& word : text) word = sum(word, numbers.index_from);
    if (numbers.start_char) text.insert(text.begin(), *numbers.start_char);
  }
  const std::int64_t maxlen = numbers.maxlen.value_or(0);
  if (maxlen == 0) return;
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < texts.x.size(); ++i) {
    if (static_cast<std::int64_t>(texts.x[i].size()) < maxlen) kept.push_back(i);
  }
  texts = picked(texts, kept);
}

void replace_words(const std::vector<IndexedTexts*>& texts, const WordNumbers& numbers) {
  const std::int64_t given = numbers.num_words.value_or(0);
  const std::int64_t end = given != 0 ? given : greatest(texts);
  const auto is_left_out = [&](std::int64_t word) { return word < numbers.skip_top || word >= end; };
  for (IndexedTexts* const part : texts) {
    for (Text& text : part->x) {
      if (numbers.oov_char) {
        std::replace_if(text.begin(), text.end(), is_left_out, *numbers.oov_char);
      } else {
        std::erase_if(text, is_left_out);
      }
    }
  }
}

void refuse_maxlen(std::int64_t maxlen) {
  throw ValueError(fmt::format(
      "After filtering for sequences shorter than maxlen={}, no sequence was kept. Increase maxlen.", maxlen));
}

std::map<std::string, std::int64_t> read_word_index(const std::string& path) {
  const std::vector<std::byte> bytes = io::read_file(path);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  std::map<std::string, std::int64_t> words;
  try {
    const io::Json json = io::Json::parse(text, path);
    for (const auto& [word, number] : json.items()) words[word] = number.as_int();
  } catch (const Error& error) {
    throw IOError(fmt::format("\"{}\" is no index of words: {}", path, error.what()));
  }
  return words;
}

}  // namespace rhyton::datasets
