#include <rhyton/datasets/imdb.h>

#include <random>
#include <utility>

#include <rhyton/datasets/get_file.h>
#include <rhyton/datasets/numpy_shuffle.h>

namespace rhyton::datasets::imdb {
namespace {

constexpr const char* origin_folder = "https://storage.googleapis.com/tensorflow/tf-keras-datasets/";

}  // namespace

IndexedTextSplits load_data(const LoadDataOptions& options) {
  const std::string file = get_file(
      std::string(origin_folder) + "imdb.npz",
      {.fname = options.path, .file_hash = "69664113be75683a8fe16e3ed0ab59fda8886cb3cd7ada244f7d9544e4676b9f"});
  return load_file(file, options);
}

IndexedTextSplits load_file(const std::string& file, const LoadDataOptions& options) {
  // One generator for both parts.
  std::mt19937 generator(options.seed);
  const WordNumbers numbers = word_numbers(options);
  const auto part = [&](const std::string& name) {
    const IndexedTexts texts = read_indexed_texts(file, "x_" + name, "y_" + name);
    IndexedTexts shuffled = picked(texts, numpy_shuffle(texts.x.size(), generator));
    shift_and_shorten(shuffled, numbers);
    return shuffled;
  };
  IndexedTexts train = part("train");
  IndexedTexts test = part("test");
  if (options.maxlen.value_or(0) != 0 && (train.x.empty() || test.x.empty())) refuse_maxlen(*options.maxlen);
  replace_words({&train, &test}, numbers);
  return {.train = std::move(train), .test = std::move(test)};
}

std::map<std::string, std::int64_t> get_word_index(const std::string& path) {
  return read_word_index(get_file(std::string(origin_folder) + "imdb_word_index.json",
                                  {.fname = path, .file_hash = "bfafd718b763782e994055a2d397834f"}));
}

}  // namespace rhyton::datasets::imdb
