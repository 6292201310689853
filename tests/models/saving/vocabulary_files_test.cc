// Vocabularies in `.keras` archives: the folder `assets`.

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/io/zip/zip.h>
#include <rhyton/framework/tensor/string_dtype.h>
#include <rhyton/framework/warning.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/core/embedding.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/pooling/global_average_pooling1d.h>
#include <rhyton/layers/preprocessing/integer_lookup.h>
#include <rhyton/layers/preprocessing/text_vectorization.h>
#include <rhyton/models/model.h>
#include <rhyton/models/sequential.h>
#include <rhyton/tests/framework/io/temporary_folder.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::models {
namespace {

using layers::Input;
using layers::IntegerLookup;
using test::message_of;

Tensor numbers() { return Tensor::from_data<std::int64_t>({2, 3}, {7, 12, 7, -5, 99, 12}); }

/// Two lookups, one of which has its vocabulary in the configuration, and what is learned after them.
Model model_of_lookups() {
  const layers::SymbolicTensor x = Input({.shape = {3}, .dtype = "int64"});
  const IntegerLookup adapted;
  adapted.adapt(numbers());
  const IntegerLookup weighted({.num_oov_indices = 2, .output_mode = "tf_idf"});
  weighted.adapt(numbers());
  const IntegerLookup given({.vocabulary = {12, 7}});
  const layers::SymbolicTensor embedded = layers::Embedding(6, 4)(adapted(x)) + layers::Embedding(6, 4)(given(x));
  const layers::SymbolicTensor words = layers::Dense(4)(weighted(x));
  const layers::SymbolicTensor pooled = layers::GlobalAveragePooling1D()(embedded);
  return Model({.inputs = x, .outputs = layers::Dense(1)(pooled + words)});
}

TEST(VocabularyFiles, AModelOfLookupsTrainsAndComesBack) {
  const test::TemporaryFolder folder;
  const std::string path = (folder.path() / "model.keras").string();
  const Model model = model_of_lookups();
  model.compile({.optimizer = "adam", .loss = "mse"});
  const Tensor y = Tensor::from_data<float>({2, 1}, {1, -1});
  model.fit(numbers(), y, {.epochs = 3, .verbose = 0});
  model.save(path);
  io::ZipReader archive{std::filesystem::path(path)};
  EXPECT_EQ(archive.read_text("assets/layers/integer_lookup/vocabulary.txt"), "-1\n12\n7\n99\n-5");
  EXPECT_FALSE(archive.contains("assets/layers/integer_lookup_1/vocabulary.txt"));
  EXPECT_EQ(archive.read_text("assets/layers/integer_lookup_2/vocabulary.txt"), "-1\n-1\n12\n7\n99\n-5");

  const Model loaded = load_model(path);
  EXPECT_EQ(loaded.predict(numbers(), {.verbose = 0}).to_vector(),
            model.predict(numbers(), {.verbose = 0}).to_vector());
  loaded.fit(numbers(), y, {.verbose = 0});
  model.fit(numbers(), y, {.verbose = 0});
  EXPECT_EQ(loaded.predict(numbers(), {.verbose = 0}).to_vector(),
            model.predict(numbers(), {.verbose = 0}).to_vector());
}

TEST(VocabularyFiles, AnArchiveWithoutTheVocabularyIsRefused) {
  const test::TemporaryFolder folder;
  const std::string path = (folder.path() / "model.keras").string();
  model_of_lookups().save(path);
  io::ZipReader archive{std::filesystem::path(path)};
  const std::filesystem::path unpacked = folder.path() / "unpacked.keras";
  std::filesystem::create_directory(unpacked);
  for (const char* const name : {"config.json", "metadata.json", "model.weights.h5"}) {
    std::ofstream(unpacked / name, std::ios::binary) << archive.read_text(name);
  }
  EXPECT_THAT(message_of<NotFoundError>([&] { load_model(unpacked.string()); }),
              ::testing::HasSubstr("There is no vocabulary.txt of layer 'integer_lookup"));
}

TEST(VocabularyFiles, ACompiledModelKeepsItsVocabularyWithAWarning) {
  std::vector<std::string> warnings;
  const config::WarningHandler previous =
      config::set_warning_handler([&](const std::string& message) { warnings.push_back(message); });
  const IntegerLookup lookup({.name = "codes"});
  lookup.adapt(numbers());
  const Sequential model({Input({.shape = {3}, .dtype = "int64"}), lookup});
  const std::vector<double> earlier = model.predict(numbers(), {.verbose = 0}).to_vector();
  EXPECT_TRUE(warnings.empty());
  lookup.set_vocabulary({99, -5});
  config::set_warning_handler(previous);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(
      warnings.front(),
      "The vocabulary of layer 'codes' (of type IntegerLookup) changes. Models that have used it keep the earlier "
      "one until they are compiled again.");
  EXPECT_EQ(model.predict(numbers(), {.verbose = 0}).to_vector(), earlier);
  EXPECT_EQ(lookup(numbers()).to_vector(), (std::vector<double>{0, 0, 0, 2, 1, 0}));
}

TEST(VocabularyFiles, WhatOpsCannotLookUpIsLookedUpOnTheHost) {
  const auto predicted = [](const IntegerLookup& lookup) {
    return Sequential({Input({.shape = {3}, .dtype = "int64"}), lookup}).predict(numbers(), {.verbose = 0}).to_vector();
  };
  EXPECT_EQ(predicted(IntegerLookup({.num_oov_indices = 0, .vocabulary = {7, 12, -5, 99}})),
            (std::vector<double>{0, 1, 0, 2, 3, 1}));
  const IntegerLookup hashed({.num_oov_indices = 3, .vocabulary = {7}, .oov_method = "farmhash"});
  EXPECT_EQ(predicted(hashed), hashed(numbers()).to_vector());
  EXPECT_THAT(message_of<InvalidArgumentError>([&] {
                predicted(IntegerLookup({.num_oov_indices = 0, .vocabulary = {7, 12}}));
              }),
              ::testing::HasSubstr("-5"));
}

TEST(VocabularyFiles, ModelsOfCompiledLookupsGiveWhatLayersGive) {
  for (const char* const mode : {"int", "one_hot", "multi_hot", "count"}) {
    for (const std::int64_t unknown : {1, 3}) {
      for (const bool is_masked : {false, true}) {
        const std::optional<std::int64_t> mask = is_masked ? std::optional<std::int64_t>(99) : std::nullopt;
        const IntegerLookup lookup(
            {.num_oov_indices = unknown, .mask_token = mask, .vocabulary = {12, -5, 40}, .output_mode = mode});
        const Sequential model({Input({.shape = {3}, .dtype = "int64"}), lookup});
        const Tensor expected = lookup(numbers());
        const Tensor predicted = model.predict(numbers(), {.verbose = 0});
        EXPECT_EQ(predicted.dtype(), expected.dtype());
        EXPECT_EQ(predicted.to_vector(), expected.to_vector()) << mode << unknown << is_masked;
      }
    }
  }
  const IntegerLookup inverted({.mask_token = 0, .vocabulary = {12, -5, 40}, .invert = true});
  const Sequential model({Input({.shape = {3}, .dtype = "int64"}), inverted});
  const Tensor indices = Tensor::from_data<std::int64_t>({2, 3}, {0, 1, 2, 3, 4, 5});
  EXPECT_EQ(model.predict(indices, {.verbose = 0}).to_vector(), inverted(indices).to_vector());
}

TEST(VocabularyFiles, AModelOfTextsComesBackWithItsVocabulary) {
  const test::TemporaryFolder folder;
  const std::string path = (folder.path() / "model.keras").string();
  const layers::TextVectorization vectorize({.output_sequence_length = 3});
  vectorize.adapt({"a b", "b c b"});
  const Sequential model({Input({.shape = {1}, .dtype = "string", .name = "texts"}), vectorize, layers::Embedding(5, 4),
                          layers::GlobalAveragePooling1D(), layers::Dense(1)});
  const StringTensor texts({{"a c"}, {"b"}, {"d d"}});
  const Tensor y = Tensor::from_data<float>({3, 1}, {1, -1, 0});
  model.compile({.optimizer = "adam", .loss = "mse"});
  model.fit(texts, y, {.epochs = 2, .verbose = 0});
  model.save(path);
  io::ZipReader archive{std::filesystem::path(path)};
  // Keras writes it twice: of the layer and of the StringLookup in it.
  EXPECT_EQ(archive.read_text("assets/layers/text_vectorization/vocabulary.txt"), "\n[UNK]\nb\nc\na");
  const Model loaded = load_model(path);
  EXPECT_EQ(loaded.inputs().front().dtype(), string_dtype);
  EXPECT_EQ(loaded.predict(texts, {.verbose = 0}).to_vector(), model.predict(texts, {.verbose = 0}).to_vector());
  loaded.fit(texts, y, {.verbose = 0, .shuffle = false});
  model.fit(texts, y, {.verbose = 0, .shuffle = false});
  EXPECT_EQ(loaded.predict(texts, {.verbose = 0}).to_vector(), model.predict(texts, {.verbose = 0}).to_vector());
  EXPECT_EQ(model_from_json(model.to_json()).inputs().front().dtype(), string_dtype);
}

}  // namespace
}  // namespace rhyton::models
