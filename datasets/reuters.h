#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <rhyton/datasets/indexed_texts.h>
#include <rhyton/framework/by_name.h>

/// Newswires, each with a topic (`keras.datasets.reuters`).
namespace rhyton::datasets::reuters {

/// Fields in the order of Keras's signature; see `imdb::LoadDataOptions`.
struct LoadDataOptions {
  ByName by_name = ByName();
  std::string path = "reuters.npz";
  std::optional<std::int64_t> num_words = std::nullopt;
  std::int64_t skip_top = 0;
  std::optional<std::int64_t> maxlen = std::nullopt;
  /// The part of the newswires that is for tests.
  double test_split = 0.2;
  std::uint32_t seed = 113;
  std::optional<std::int64_t> start_char = 1;
  std::optional<std::int64_t> oov_char = 2;
  std::int64_t index_from = 3;
};

/// 11228 newswires, the label of each from 0 to 45: its topic in `get_label_names()`. From `~/.keras/datasets`, or
/// downloaded to it (`get_file`). Order and split are Keras's for the same seed. Throws as `get_file`; ValueError for a
/// `test_split` that is no number and, without `num_words`, if no newswire is shorter than `maxlen`; IOError for a file
/// with other arrays.
IndexedTextSplits load_data(const LoadDataOptions& options = {});

/// The same from a file anywhere: arrays x and y of a `.npz` file.
IndexedTextSplits load_file(const std::string& file, const LoadDataOptions& options = {});

/// See `imdb::get_word_index`.
std::map<std::string, std::int64_t> get_word_index(const std::string& path = "reuters_word_index.json");

/// The topics by their labels.
std::vector<std::string> get_label_names();

}  // namespace rhyton::datasets::reuters
