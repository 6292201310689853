#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include <rhyton/datasets/indexed_texts.h>
#include <rhyton/framework/by_name.h>

/// Reviews of films, each with a label (`keras.datasets.imdb`).
namespace rhyton::datasets::imdb {

/// Fields in the order of Keras's signature. Words have numbers by how often they occur, from 1 on.
struct LoadDataOptions {
  ByName by_name = ByName();
  /// The name of the file in the cache.
  std::string path = "imdb.npz";
  /// Numbers from this one on become `oov_char`, `index_from` being added before. If not given, or 0, the greatest number
  /// of all.
  std::optional<std::int64_t> num_words = std::nullopt;
  /// Numbers below this one become `oov_char`.
  std::int64_t skip_top = 0;
  /// Reviews that are as long or longer, with the start, are left out; none if not given, or 0.
  std::optional<std::int64_t> maxlen = std::nullopt;
  /// Of the shuffle.
  std::uint32_t seed = 113;
  /// The number in front of each review; `std::nullopt`: none.
  std::optional<std::int64_t> start_char = 1;
  /// The number of words that are left out; `std::nullopt`: these are removed.
  std::optional<std::int64_t> oov_char = 2;
  /// What is added to the numbers of the file.
  std::int64_t index_from = 3;
};

/// 25000 reviews for training and 25000 for tests, label 1 for praise and 0 for blame. From `~/.keras/datasets`, or
/// downloaded to it (`get_file`). The order is Keras's for the same seed.
///
/// ```
/// const auto [train, test] = datasets::imdb::load_data({.num_words = 20000});
/// const Tensor x = datasets::pad_sequences(train.x, {.maxlen = 200});
/// ```
///
/// Throws as `get_file`; ValueError in Keras's words if no review is shorter than `maxlen`; IOError for a file with other
/// arrays.
IndexedTextSplits load_data(const LoadDataOptions& options = {});

/// The same from a file anywhere: arrays x_train, y_train, x_test and y_test of a `.npz` file.
IndexedTextSplits load_file(const std::string& file, const LoadDataOptions& options = {});

/// The numbers of the words, to which `load_data` adds `index_from`. From the cache or downloaded, as `load_data`; `path`
/// is the name of the file in the cache.
std::map<std::string, std::int64_t> get_word_index(const std::string& path = "imdb_word_index.json");

}  // namespace rhyton::datasets::imdb
