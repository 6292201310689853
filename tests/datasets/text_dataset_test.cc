// text_dataset_from_directory, compared with Keras (golden/make_text_folders.py).

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/datasets/keras_names.h>
#include <rhyton/datasets/text_dataset.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/tensor/string_dtype.h>
#include <rhyton/framework/tensor/string_tensor.h>
#include <rhyton/layers/preprocessing/text_vectorization.h>
#include <rhyton/tests/framework/io/temporary_folder.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::datasets {
namespace {

using test::message_of;
using ::testing::HasSubstr;
using Texts = std::vector<std::string>;

const io::Json& golden() {
  static const io::Json json = [] {
    const std::string path = std::string(RHYTON_GOLDEN_DIR) + "/text_folders.json";
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return io::Json::parse(text.str(), path);
  }();
  return json;
}

Texts strings(const io::Json& list) {
  Texts texts;
  if (list.is_null()) return texts;
  for (const io::Json& entry : list) texts.push_back(entry.as_string());
  return texts;
}

/// The numbers of nested lists.
void append(const io::Json& list, std::vector<double>& numbers) {
  if (!list.is_array()) return numbers.push_back(list.as_double());
  for (const io::Json& entry : list) append(entry, numbers);
}

class TextDatasets : public ::testing::Test {
 protected:
  TextDatasets() {
    for (const auto& [name, text] : golden()["files"].items()) {
      std::filesystem::create_directories((folder_ / name).parent_path());
      std::ofstream(folder_ / name, std::ios::binary) << text.as_string();
    }
    std::filesystem::create_directory(folder_ / "empty");
  }

  static TextDatasetOptions options_of(const io::Json& arguments) {
    TextDatasetOptions options;
    for (const auto& [key, value] : arguments.items()) {
      if (key == "shuffle") options.shuffle = value.as_bool();
      if (key == "label_mode") {
        options.label_mode = value.is_null() ? std::nullopt : std::optional<std::string>(value.as_string());
      }
      if (key == "class_names") options.class_names = strings(value);
      if (key == "batch_size") {
        options.batch_size = value.is_null() ? std::nullopt : std::optional<std::int64_t>(value.as_int());
      }
      if (key == "max_length") options.max_length = value.as_int();
      if (key == "seed") options.seed = value.as_int();
      if (key == "validation_split") options.validation_split = value.as_double();
      if (key == "subset") options.subset = value.as_string();
      if (key == "labels" && value.is_null()) options.labels = std::nullopt;
      if (key == "labels" && value.is_string()) options.labels = value.as_string().c_str();
      if (key == "labels" && value.is_array()) {
        std::vector<int> list;
        for (const io::Json& label : value) list.push_back(static_cast<int>(label.as_int()));
        options.labels = list;
      }
    }
    return options;
  }

  std::filesystem::path path() const { return folder_.path(); }

  test::TemporaryFolder folder_;
};

TEST_F(TextDatasets, HaveTheFilesTextsAndLabelsOfKeras) {
  int cases = 0;
  for (const auto& [name, expected] : golden()["cases"].items()) {
    SCOPED_TRACE(name);
    const TextDatasetOptions options = options_of(expected["arguments"]);
    ::testing::internal::CaptureStdout();
    const TextDataset dataset = text_dataset_from_directory(path(), options);
    EXPECT_EQ(::testing::internal::GetCapturedStdout(), expected["printed"].as_string());
    EXPECT_EQ(dataset.class_names(), strings(expected["class_names"]));
    EXPECT_EQ(dataset.cardinality(), static_cast<std::int64_t>(expected["texts"].size()));

    std::vector<Texts> texts;
    std::vector<double> labels;
    for (const Batch& batch : dataset) {
      ASSERT_EQ(batch.x.size(), 1U);
      EXPECT_EQ(batch.x[0].rank(), options.batch_size ? 1 : 0);
      texts.push_back(StringTensor::of(batch.x[0]).elements());
      if (batch.y.empty()) continue;
      const BatchSpec spec = dataset.element_spec();
      EXPECT_EQ(batch.y[0].dtype(), spec.y.at(0).dtype);
      EXPECT_EQ(batch.y[0].rank(), spec.y[0].shape.rank());
      const std::vector<double> part = batch.y[0].to_vector();
      labels.insert(labels.end(), part.begin(), part.end());
    }
    std::vector<Texts> expected_texts;
    for (const io::Json& batch : expected["texts"]) expected_texts.push_back(strings(batch));
    std::vector<double> expected_labels;
    append(expected["labels"], expected_labels);
    if (options.shuffle) {
      // The order of a pass is not Keras's, the part of the files is.
      for (std::vector<Texts>* const all : {&texts, &expected_texts}) {
        for (Texts& batch : *all) std::sort(batch.begin(), batch.end());
      }
      std::sort(labels.begin(), labels.end());
      std::sort(expected_labels.begin(), expected_labels.end());
    }
    EXPECT_EQ(texts, expected_texts);
    EXPECT_EQ(labels, expected_labels);
    ++cases;
  }
  EXPECT_GE(cases, 11);
}

TEST_F(TextDatasets, RefuseOptionsInKerassWords) {
  for (const auto& [name, refused] : golden()["refused"].items()) {
    std::string expected = refused["message"].as_string();
    if (const std::size_t place = expected.find("FOLDER"); place != std::string::npos) {
      expected.replace(place, 6, path().string());
    }
    TextDatasetOptions options = options_of(refused["arguments"]);
    options.verbose = false;
    EXPECT_EQ(message_of<ValueError>([&] {
                if (options.subset == "both") {
                  text_datasets_from_directory(path(), options);
                } else {
                  text_dataset_from_directory(path(), options);
                }
              }),
              expected)
        << name;
  }
  EXPECT_THAT(
      message_of<ValueError>([&] { text_dataset_from_directory(path(), {.max_length = -1, .verbose = false}); }),
      HasSubstr("max_length=-1"));
  EXPECT_THAT(message_of<NotFoundError>([] { text_dataset_from_directory("nowhere"); }), HasSubstr("nowhere"));
}

TEST_F(TextDatasets, TwoPartsAreAllFiles) {
  const auto [train, validation] =
      text_datasets_from_directory(path(), {.seed = 7, .validation_split = 0.3, .verbose = false});
  std::set<std::string> files(train.file_paths().begin(), train.file_paths().end());
  EXPECT_EQ(files.size(), 6U);
  files.insert(validation.file_paths().begin(), validation.file_paths().end());
  EXPECT_EQ(files.size(), 8U);
}

TEST_F(TextDatasets, ShuffleAnewInEachPass) {
  const TextDataset dataset = utils::text_dataset_from_directory(path(), {.seed = 3, .verbose = false});
  const auto texts_of = [&](std::uint64_t pass) {
    return StringTensor::of(dataset.iterator(pass)->next()->x[0]).elements();
  };
  EXPECT_EQ(texts_of(0), texts_of(0));
  EXPECT_NE(texts_of(0), texts_of(1));
}

TEST_F(TextDatasets, AdaptALayerAndBecomeIntegers) {
  const TextDataset dataset =
      text_dataset_from_directory(path(), {.batch_size = 3, .shuffle = false, .verbose = false});
  const layers::TextVectorization vectorize({.output_sequence_length = 2});
  vectorize.adapt(dataset);
  EXPECT_EQ(vectorize.get_vocabulary().at(2), "good");
  const Pipeline integers =
      dataset.map([&](const Tensor& texts, const Tensor& labels) { return std::pair(vectorize(texts), labels); });
  EXPECT_EQ(integers.element_spec().x[0], (TensorSpec{{-1, 2}, DType::int64}));
  EXPECT_EQ(dataset.unbatch().batch(8).element_spec().x[0].dtype, string_dtype);
}

TEST_F(TextDatasets, AFileThatCannotBeReadIsNamed) {
  const TextDataset dataset = text_dataset_from_directory(path(), {.shuffle = false, .verbose = false});
  std::filesystem::remove(folder_ / "pos/2.txt");
  EXPECT_THAT(message_of<Error>([&] { dataset.iterator(0)->next(); }), HasSubstr("2.txt"));
}

}  // namespace
}  // namespace rhyton::datasets
