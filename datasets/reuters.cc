#include <rhyton/datasets/reuters.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>

#include <rhyton/datasets/get_file.h>
#include <rhyton/datasets/numpy_shuffle.h>
#include <rhyton/framework/error.h>

namespace rhyton::datasets::reuters {
namespace {

constexpr const char* origin_folder = "https://storage.googleapis.com/tensorflow/tf-keras-datasets/";

/// Where the texts for training end, as Python cuts a list: a negative number counts from the end.
std::size_t end_of_training(std::size_t count, double test_split) {
  if (!std::isfinite(test_split)) {
    throw ValueError(fmt::format("`test_split` must be a number. Received: test_split={}", test_split));
  }
  const auto size = static_cast<double>(count);
  double end = std::trunc(size * (1 - test_split));
  if (end < 0) end += size;
  return static_cast<std::size_t>(std::clamp(end, 0.0, size));
}

}  // namespace

IndexedTextSplits load_data(const LoadDataOptions& options) {
  const std::string file = get_file(
      std::string(origin_folder) + "reuters.npz",
      {.fname = options.path, .file_hash = "d6586e694ee56d7a4e65172e12b3e987c03096cb01eab99753921ef915959916"});
  return load_file(file, options);
}

IndexedTextSplits load_file(const std::string& file, const LoadDataOptions& options) {
  const WordNumbers numbers = word_numbers(options);
  const IndexedTexts all = read_indexed_texts(file, "x", "y");
  IndexedTexts texts = picked(all, numpy_shuffle(all.x.size(), options.seed));
  shift_and_shorten(texts, numbers);
  if (texts.x.empty() && options.num_words.value_or(0) == 0 && options.maxlen) refuse_maxlen(*options.maxlen);
  replace_words({&texts}, numbers);
  const std::size_t end = end_of_training(texts.x.size(), options.test_split);
  return {.train = part_of(texts, 0, end), .test = part_of(texts, end, texts.x.size())};
}

std::map<std::string, std::int64_t> get_word_index(const std::string& path) {
  return read_word_index(get_file(std::string(origin_folder) + "reuters_word_index.json",
                                  {.fname = path, .file_hash = "4d44cc38712099c9e383dc6e5f11a921"}));
}

std::vector<std::string> get_label_names() {
  return {"cocoa",     "grain",        "veg-oil", "earn",       "acq",      "wheat",    "copper",
          "housing",   "money-supply", "coffee",  "sugar",      "trade",    "reserves", "ship",
          "cotton",    "carcass",      "crude",   "nat-gas",    "cpi",      "money-fx", "interest",
          "gnp",       "meal-feed",    "alum",    "oilseed",    "gold",     "tin",      "strategic-metal",
          "livestock", "retail",       "ipi",     "iron-steel", "rubber",   "heat",     "jobs",
          "lei",       "bop",          "zinc",    "orange",     "pet-chem", "dlr",      "gas",
          "silver",    "wpi",          "hog",     "lead"};
}

}  // namespace rhyton::datasets::reuters
