// imdb and reuters, compared with Keras on files of NumPy (golden/make_indexed_texts.py).

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/datasets/imdb.h>
#include <rhyton/datasets/reuters.h>
#include <rhyton/datasets/sequences.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/io/npy.h>
#include <rhyton/tests/framework/io/temporary_folder.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::datasets {
namespace {

using test::message_of;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string folder = RHYTON_GOLDEN_DIR "/indexed_texts/";

const io::Json& golden() {
  static const io::Json json = [] {
    const std::string path = RHYTON_GOLDEN_DIR "/indexed_texts.json";
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return io::Json::parse(text.str(), path);
  }();
  return json;
}

std::optional<std::int64_t> number_or_none(const io::Json& value) {
  return value.is_null() ? std::nullopt : std::optional(value.as_int());
}

template <class Options>
Options options_of(const io::Json& arguments) {
  Options options;
  for (const auto& [key, value] : arguments.items()) {
    if (key == "num_words") options.num_words = number_or_none(value);
    if (key == "skip_top") options.skip_top = value.as_int();
    if (key == "maxlen") options.maxlen = number_or_none(value);
    if (key == "seed") options.seed = static_cast<std::uint32_t>(value.as_int());
    if (key == "start_char") options.start_char = number_or_none(value);
    if (key == "oov_char") options.oov_char = number_or_none(value);
    if (key == "index_from") options.index_from = value.as_int();
    if constexpr (requires { options.test_split; }) {
      if (key == "test_split") options.test_split = value.as_double();
    }
  }
  return options;
}

IndexedTextSplits load(const io::Json& sample) {
  const std::string file = sample["file"].as_string();
  if (file.starts_with("imdb")) {
    return imdb::load_file(folder + file, options_of<imdb::LoadDataOptions>(sample["options"]));
  }
  return reuters::load_file(folder + file, options_of<reuters::LoadDataOptions>(sample["options"]));
}

std::vector<std::int64_t> integers(const io::Json& list) {
  std::vector<std::int64_t> numbers;
  for (const io::Json& number : list) numbers.push_back(number.as_int());
  return numbers;
}

void expect_same(const IndexedTexts& texts, const io::Json& expected) {
  std::vector<std::vector<std::int64_t>> x;
  for (const io::Json& text : expected["x"]) x.push_back(integers(text));
  EXPECT_EQ(texts.x, x);
  const std::vector<std::int64_t> y = integers(expected["y"]);
  EXPECT_EQ(texts.y.dtype(), int64);
  EXPECT_EQ(texts.y.to_vector(), std::vector<double>(y.begin(), y.end()));
}

TEST(IndexedTexts, AreThoseOfKeras) {
  int compared = 0;
  int refused = 0;
  for (const io::Json& sample : golden()["cases"]) {
    SCOPED_TRACE(sample.dump());
    if (const io::Json* const error = sample.find("error")) {
      const std::string message = message_of<ValueError>([&] { load(sample); });
      // Python's own words for a maximum of nothing say nothing of texts.
      if (error->as_string() != "max() arg is an empty sequence") {
        EXPECT_EQ(message, error->as_string());
      }
      ++refused;
      continue;
    }
    const auto [train, test] = load(sample);
    expect_same(train, sample["train"]);
    expect_same(test, sample["test"]);
    ++compared;
  }
  EXPECT_GT(compared, 40);
  EXPECT_GT(refused, 3);
}

TEST(IndexedTexts, ArePaddedToATensor) {
  const auto [train, test] = imdb::load_file(folder + "imdb.npz", {.num_words = 100});
  const Tensor x = pad_sequences(train.x, {.maxlen = 6});
  EXPECT_EQ(x.shape(), (Shape{13, 6}));
  EXPECT_EQ(x.dtype(), int32);
  EXPECT_EQ(test.y.shape(), (Shape{9}));
}

TEST(IndexedTexts, WordsHaveTheNumbersOfTheFile) {
  EXPECT_EQ(read_word_index(folder + "words.json"),
            (std::map<std::string, std::int64_t>{{"the", 1}, {"größe", 2}, {"\"", 70000}}));
  EXPECT_THAT(message_of<IOError>([] { read_word_index(folder + "imdb.npz"); }), HasSubstr("is no index of words"));
  EXPECT_THROW(read_word_index(folder + "nothing"), NotFoundError);
}

TEST(IndexedTexts, TopicsAreThoseOfKeras) {
  std::vector<std::string> names;
  for (const io::Json& name : golden()["label_names"]) names.push_back(name.as_string());
  EXPECT_EQ(names.size(), 46U);
  EXPECT_EQ(reuters::get_label_names(), names);
}

TEST(IndexedTexts, OtherFilesAreRefused) {
  const test::TemporaryFolder temporary;
  const std::string path = (temporary.path() / "other.npz").string();
  EXPECT_THAT(message_of<NotFoundError>([] { imdb::load_file(folder + "reuters.npz"); }),
              HasSubstr("has no array \"x_train\", only: x, y"));
  io::write_npz(path, {{"x", Tensor::from_data<std::int64_t>({2, 2}, {1, 2, 3, 4})},
                       {"y", Tensor::from_data<std::int64_t>({3}, {1, 2, 3})}});
  EXPECT_EQ(message_of<IOError>([&] { reuters::load_file(path); }),
            "\"" + path + "\" has the wrong content: expected 2 labels for as many texts, found (3,)");
  io::write_npz(path, {{"x", Tensor::from_data<float>({2, 1}, {1, 2})}, {"y", Tensor::from_data<float>({2}, {1, 2})}});
  EXPECT_THAT(message_of<IOError>([&] { reuters::load_file(path); }),
              HasSubstr("expected lists of integers, found float32 (2, 1)"));
  EXPECT_THAT(message_of<ValueError>([] {
                reuters::load_file(folder + "reuters.npz", {.test_split = std::numeric_limits<double>::quiet_NaN()});
              }),
              StartsWith("`test_split` must be a number."));
}

}  // namespace
}  // namespace rhyton::datasets
