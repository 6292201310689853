// What Keras says, and files; values are in text_golden_test.cc.

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/warning.h>
#include <rhyton/layers/preprocessing/integer_lookup.h>
#include <rhyton/layers/preprocessing/string_lookup.h>
#include <rhyton/layers/serialization.h>
#include <rhyton/layers/weight_limit.h>
#include <rhyton/tests/framework/io/temporary_folder.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::layers {
namespace {

using test::message_of;
using ::testing::HasSubstr;
using Words = std::vector<std::string>;

TEST(StringLookup, RefusesArgumentsInKerasWords) {
  const auto message = [](const StringLookupOptions& options) {
    return message_of<ValueError>([&] { StringLookup{options}; });
  };
  EXPECT_EQ(message({.max_tokens = 1}), "If set, `max_tokens` must be greater than 1. Received: max_tokens=1");
  EXPECT_EQ(message({.num_oov_indices = -1}),
            "`num_oov_indices` must be greater than or equal to 0. Received: num_oov_indices=-1");
  EXPECT_EQ(message({.pad_to_max_tokens = true}),
            "If pad_to_max_tokens is True, must set `max_tokens`. Received: max_tokens=None");
  EXPECT_EQ(message({.output_mode = "foo"}),
            "Unknown value for `output_mode` argument of StringLookup. Allowed values are: ('int', 'one_hot', "
            "'multi_hot', 'count', 'tf_idf'). Received: output_mode=foo");
  EXPECT_EQ(message({.invert = true, .output_mode = "count"}),
            "`output_mode` must be `'int'` when `invert` is true. Received: output_mode=count");
  EXPECT_EQ(message({.vocabulary = {"a"}, .idf_weights = {{1.0}}}),
            "`idf_weights` should only be set if `output_mode` is `'tf_idf'`. Received: idf_weights=[1.0] and "
            "output_mode=int");
  EXPECT_EQ(message({.vocabulary = {"a"}, .output_mode = "tf_idf"}),
            "When specifying the `vocabulary` argument, in TF-IDF output mode, the `idf_weights` argument must also be "
            "provided.");
}

TEST(StringLookup, RefusesVocabulariesInKerasWords) {
  const auto message = [](const StringLookupOptions& options) {
    return message_of<ValueError>([&] { StringLookup{options}; });
  };
  EXPECT_EQ(message({.vocabulary = Words{}}), "Cannot set an empty vocabulary. Received: vocabulary=[]");
  EXPECT_EQ(message({.vocabulary = {"a", "b", "a"}}),
            "The passed vocabulary has at least one repeated term. Please uniquify your dataset. The repeated terms "
            "are: ['a']");
  EXPECT_EQ(message({.mask_token = "", .vocabulary = {"a", ""}}),
            "Found reserved mask token at unexpected location in `vocabulary`. Note that passed `vocabulary` does not "
            "need to include the OOV and mask tokens. Either remove all mask and OOV tokens, or include them only at "
            "the start of the vocabulary in precisely this order: ['', '[UNK]']. Received: mask_token= at vocabulary "
            "index [1]");
  EXPECT_THAT(message({.vocabulary = {"a", "[UNK]"}, .invert = true}), HasSubstr("Found reserved OOV token"));
  EXPECT_EQ(message({.max_tokens = 2, .vocabulary = {"a", "b"}}),
            "Attempted to set a vocabulary larger than the maximum vocab size. Received vocabulary size is 3; "
            "`max_tokens` is 2.");
  EXPECT_EQ(message({.vocabulary = {"a", "b"}, .idf_weights = {{1.0}}, .output_mode = "tf_idf"}),
            "`idf_weights` must be the same length as vocabulary. len(idf_weights) is 1; len(vocabulary) is 2");
  EXPECT_EQ(message({.vocabulary = "/nonexistent.txt"}), "Vocabulary file /nonexistent.txt does not exist.");
}

TEST(StringLookup, NeedsAVocabulary) {
  EXPECT_THAT(message_of<RuntimeError>([] { StringLookup()(StringTensor("a")); }), HasSubstr("Table not initialized."));
  EXPECT_EQ(message_of<RuntimeError>([] { StringLookup({.output_mode = "count"})(StringTensor("a")); }),
            "When using `output_mode=count` and `pad_to_max_tokens=False`, you must set the layer's vocabulary before "
            "calling it. Either pass a `vocabulary` argument to the layer, or call `adapt` with some sample data.");
  EXPECT_EQ(StringLookup().get_vocabulary(), Words{"[UNK]"});
}

TEST(StringLookup, AdaptsOnlyWhatItMay) {
  EXPECT_EQ(message_of<ValueError>([] { StringLookup({.vocabulary = {"a"}, .name = "words"}).adapt({"a"}); }),
            "Cannot adapt layer 'words' after setting a static vocabulary via `vocabulary` argument or "
            "`set_vocabulary()` method.");
  const StringLookup counts({.output_mode = "count"});
  counts.adapt({"a"});
  EXPECT_EQ(message_of<RuntimeError>([&] {
              counts.adapt({"a", "b"});
            }),
            "When using `output_mode=count` and `pad_to_max_tokens=False`, the vocabulary size cannot be changed after "
            "the layer is called. Old vocab size is 2, new vocab size is 3");
  const StringLookup indices;
  indices.adapt({"a", "b", "b"});
  indices.adapt(std::vector<StringTensor>{StringTensor({"x"}), StringTensor({"y", "y"}), StringTensor({"z"})}, 2);
  EXPECT_EQ(indices.get_vocabulary(), (Words{"[UNK]", "y", "x"}));
  EXPECT_EQ(indices.get_vocabulary(false), (Words{"y", "x"}));
}

TEST(StringLookup, ReadsFilesAsTensorFlow) {
  const test::TemporaryFolder folder;
  const std::string path = (folder.path() / "words.txt").string();
  const auto write = [&](const std::string& text) { std::ofstream(path, std::ios::binary) << text; };
  write("[UNK]\na\nb c\n");
  EXPECT_EQ(StringLookup({.vocabulary = path}).get_vocabulary(), (Words{"[UNK]", "[UNK]", "a", "b c"}));
  write("a\n\nb\n");
  EXPECT_THAT(message_of<InvalidArgumentError>([&] { StringLookup({.vocabulary = path}); }),
              HasSubstr("empty line found"));
  write("a\nb\na\n");
  EXPECT_THAT(message_of<InvalidArgumentError>([&] { StringLookup({.vocabulary = path}); }),
              HasSubstr("HashTable has different value for same key. Key a has 1 and trying to add value 3"));
  write("1\nx\n");
  EXPECT_THAT(message_of<InvalidArgumentError>([&] { IntegerLookup({.vocabulary = path}); }),
              HasSubstr("Field x in line 1 is not a valid int64."));
  write("11\n-3");
  EXPECT_EQ(IntegerLookup({.vocabulary = path}).get_vocabulary(), (std::vector<std::int64_t>{-1, 11, -3}));
}

TEST(StringLookup, KeepsItsVocabularyInAFolder) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path().string();
  const StringLookup layer({.mask_token = ""});
  layer.adapt({"ä", "b c", "[UNK]", "", "b c"});
  layer.save_assets(path);
  const StringLookup other({.mask_token = ""});
  other.load_assets(path);
  EXPECT_EQ(other.get_vocabulary(), (Words{"", "[UNK]", "b c", "ä"}));
  EXPECT_THROW(other.load_assets(path + "/none"), NotFoundError);
  const StringLookup without_unknown({.oov_token = std::nullopt});
  without_unknown.adapt({"x", "None"});
  without_unknown.save_assets(path);
  const StringLookup again({.oov_token = std::nullopt});
  again.load_assets(path);
  EXPECT_EQ(again.get_vocabulary(), (Words{"", "x", "None"}));
}

TEST(StringLookup, RefusesFoldersOfOtherLayers) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path().string();
  const auto message = [&](const std::string& text, const StringLookupOptions& options) {
    std::ofstream(path + "/vocabulary.txt", std::ios::binary) << text;
    return message_of<ValueError>([&] { StringLookup(options).load_assets(path); });
  };
  EXPECT_THAT(message("[UNK]\na\nb\na", {}), HasSubstr("at least one repeated term"));
  EXPECT_THAT(message("[UNK]\na\n-", {.mask_token = "-"}), HasSubstr("Found reserved mask token"));
  EXPECT_THAT(message("[UNK]\na\nb", {.max_tokens = 2}), HasSubstr("larger than the maximum vocab size"));
}

TEST(StringLookup, TakesNoMemoryForWhatAConfigurationRequests) {
  const auto message = [](const char* config) {
    return message_of<Error>([&] { StringLookup::from_config(io::Json::parse(config, "test")); });
  };
  EXPECT_THAT(message(R"({"num_oov_indices": 9223372036854775807})"), HasSubstr("must be less than 2147483648"));
  const WeightLimit limit(1 << 20);
  EXPECT_THAT(message(R"({"output_mode": "tf_idf", "vocabulary_size": 1000000000000})"), HasSubstr("idf_weights"));
}

TEST(StringLookup, SaysWhatAFileCannotHold) {
  const StringLookup layer;
  layer.adapt({"a\nb"});
  const test::TemporaryFolder folder;
  EXPECT_THAT(message_of<ValueError>([&] { layer.save_assets(folder.path().string()); }),
              HasSubstr("it has a token with a line break"));
  std::vector<std::string> warnings;
  const config::WarningHandler previous =
      config::set_warning_handler([&](const std::string& message) { warnings.push_back(message); });
  layer.adapt({"a\u2028b"});
  layer.save_assets(folder.path().string());
  config::set_warning_handler(previous);
  EXPECT_EQ(warnings.size(), 1U);
  const StringLookup other;
  other.load_assets(folder.path().string());
  EXPECT_EQ(other.get_vocabulary(), (Words{"[UNK]", "a\u2028b"}));
}

TEST(StringLookup, GoesOneWay) {
  const StringLookup forward({.vocabulary = {"a"}});
  const StringLookup back({.vocabulary = {"a"}, .invert = true});
  EXPECT_EQ(StringTensor::of(back(forward(StringTensor({"a", "b"})))), StringTensor({"a", "[UNK]"}));
  EXPECT_THROW(back(StringTensor("a")), TypeError);
  EXPECT_THROW(forward(Tensor::zeros({1})), TypeError);
  EXPECT_THAT(message_of<TypeError>([&] { forward(Tensor::zeros({1})); }),
              HasSubstr("takes strings. Received: a tensor of numbers, shape=(1,), dtype=float32"));
}

}  // namespace
}  // namespace rhyton::layers
