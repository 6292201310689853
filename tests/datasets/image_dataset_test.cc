// Image folders as data sets, compared with Keras.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/datasets/image_dataset.h>
#include <rhyton/datasets/numpy_shuffle.h>
#include <rhyton/tests/datasets/golden_images.h>
#include <rhyton/tests/framework/io/temporary_folder.h>

namespace rhyton::datasets {
namespace {

using test::message_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string labelled_images = golden_images_folder() + "folder";

std::vector<std::string> strings(const io::Json& list) {
  std::vector<std::string> result;
  for (std::size_t i = 0; i < list.size(); ++i) result.push_back(list[i].as_string());
  return result;
}

/// The options of a golden case.
ImageDatasetOptions options_of(const io::Json& arguments) {
  ImageDatasetOptions options;
  if (arguments.contains("labels") && arguments["labels"].is_null()) options.labels = std::nullopt;
  if (arguments.contains("labels") && !arguments["labels"].is_null()) {
    std::vector<int> labels;
    for (std::size_t i = 0; i < arguments["labels"].size(); ++i) {
      labels.push_back(static_cast<int>(arguments["labels"][i].as_int()));
    }
    options.labels = labels;
  }
  if (arguments.contains("label_mode")) {
    options.label_mode =
        arguments["label_mode"].is_null() ? std::nullopt : std::optional(arguments["label_mode"].as_string());
  }
  if (arguments.contains("class_names")) options.class_names = strings(arguments["class_names"]);
  options.color_mode = arguments.get_or("color_mode", options.color_mode);
  options.batch_size = arguments.get_or("batch_size", options.batch_size);
  if (arguments.contains("image_size")) {
    options.image_size = {arguments["image_size"][0].as_int(), arguments["image_size"][1].as_int()};
  }
  options.shuffle = arguments.get_or("shuffle", true);
  if (arguments.contains("seed")) options.seed = arguments["seed"].as_int();
  if (arguments.contains("validation_split")) options.validation_split = arguments["validation_split"].as_double();
  if (arguments.contains("subset")) options.subset = arguments["subset"].as_string();
  options.interpolation = arguments.get_or("interpolation", options.interpolation);
  options.crop_to_aspect_ratio = arguments.get_or("crop_to_aspect_ratio", false);
  options.pad_to_aspect_ratio = arguments.get_or("pad_to_aspect_ratio", false);
  return options;
}

/// All batches of one pass.
struct Pass {
  std::vector<double> x;
  std::vector<double> y;
  std::vector<std::int64_t> sizes;
};

Pass pass_of(const Dataset& dataset) {
  Pass pass;
  for (const Batch& batch : dataset) {
    const std::vector<double> x = batch.x.at(0).to_vector();
    pass.x.insert(pass.x.end(), x.begin(), x.end());
    if (!batch.y.empty()) {
      const std::vector<double> y = batch.y.at(0).to_vector();
      pass.y.insert(pass.y.end(), y.begin(), y.end());
    }
    pass.sizes.push_back(batch.x.at(0).shape()[0]);
  }
  return pass;
}

double greatest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  EXPECT_EQ(a.size(), b.size());
  double greatest = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) greatest = std::max(greatest, std::abs(a[i] - b[i]));
  return greatest;
}

TEST(ImageDataset, HasTheFilesLabelsAndPixelsOfKeras) {
  int cases = 0;
  for (const io::Json& golden_case : golden_images().cases()) {
    if (golden_case["kind"].as_string() != "folder") continue;
    SCOPED_TRACE(golden_case["name"].as_string());
    const ImageDatasetOptions options = options_of(golden_case["arguments"]);
    ::testing::internal::CaptureStdout();
    const ImageDataset dataset = image_dataset_from_directory(labelled_images, options);
    EXPECT_EQ(::testing::internal::GetCapturedStdout(), golden_case["printed"].as_string());

    std::vector<std::string> paths;
    for (const std::string& path : dataset.file_paths()) {
      paths.push_back(std::filesystem::path(path).lexically_relative(labelled_images).string());
    }
    EXPECT_EQ(paths, strings(golden_case["file_paths"]));
    EXPECT_EQ(dataset.class_names(),
              golden_case["class_names"].is_null() ? std::vector<std::string>() : strings(golden_case["class_names"]));
    EXPECT_EQ(dataset.cardinality(), golden_case["batches"].as_int());
    ++cases;

    const Tensor x = golden_images().array(golden_case, "x");
    if (x.is_empty()) continue;
    const BatchSpec spec = dataset.element_spec();
    EXPECT_EQ(spec.x.at(0).shape.to_string(), x.shape().with(0, -1).to_string());
    EXPECT_EQ(spec.x.at(0).dtype, x.dtype());
    const Pass pass = pass_of(dataset);
    // Of 255, a few roundings of float32; the weights of "area" are differences of close numbers.
    EXPECT_LE(greatest_difference(pass.x, x.to_vector()), options.interpolation == "area" ? 1e-3 : 2e-4);
    const Tensor y = golden_images().array(golden_case, "y");
    EXPECT_EQ(spec.y.size(), y.is_empty() ? 0 : 1);
    if (y.is_empty()) continue;
    EXPECT_EQ(spec.y.at(0).shape.to_string(), y.shape().with(0, -1).to_string());
    EXPECT_EQ(spec.y.at(0).dtype, y.dtype());
    EXPECT_EQ(pass.y, y.to_vector());
  }
  EXPECT_GE(cases, 30);
}

TEST(ImageDataset, RefusesOptionsInKerassWords) {
  const auto refusal = [](const std::string& name) {
    return golden_images().find("refused_" + name)["message"].as_string();
  };
  const auto message = [](ImageDatasetOptions options) {
    options.verbose = false;
    return message_of<ValueError>([&] { image_dataset_from_directory(labelled_images, options); });
  };
  EXPECT_EQ(message({.label_mode = "ordinal"}), refusal("label_mode"));
  EXPECT_EQ(message_of<ValueError>([] { image_dataset_from_directory(labelled_images, {.labels = "guessed"}); }),
            refusal("labels_text"));
  std::string length = refusal("labels_length");
  length.replace(length.find("FOLDER"), 6, labelled_images);
  EXPECT_EQ(message({.labels = {1, 2}}), length);
  EXPECT_THAT(refusal("labels_and_class_names"),
              HasSubstr("You can only pass `class_names` if `labels=\"inferred\"`."));
  EXPECT_THAT(message({.labels = {0, 0, 0, 0, 0, 0, 0, 0, 0}, .class_names = {"a"}}),
              HasSubstr("You can only pass `class_names` if `labels=\"inferred\"`."));
  EXPECT_EQ(message({.labels = std::nullopt, .class_names = {"a"}}), refusal("no_labels_and_class_names"));
  EXPECT_EQ(message({.class_names = {"cats", "birds"}}), refusal("class_names"));
  EXPECT_EQ(message({.color_mode = "cmyk"}), refusal("color_mode"));
  EXPECT_EQ(message({.interpolation = "sharp"}), refusal("interpolation"));
  EXPECT_EQ(message({.validation_split = 1.5, .subset = "training"}), refusal("split_range"));
  EXPECT_EQ(message({.validation_split = 0.5}), refusal("split_without_subset"));
  EXPECT_EQ(message({.subset = "training"}), refusal("subset_without_split"));
  EXPECT_EQ(message({.seed = 1, .validation_split = 0.5, .subset = "test"}), refusal("subset"));
  EXPECT_EQ(message({.validation_split = 0.5, .subset = "training"}), refusal("split_without_seed"));
  EXPECT_EQ(message({.label_mode = "binary"}), refusal("binary"));
  EXPECT_EQ(message({.seed = -1}), refusal("seed"));

  EXPECT_THAT(message({.batch_size = 0}), HasSubstr("`batch_size` must be a positive integer"));
  EXPECT_THAT(message({.image_size = {0, 8}}), HasSubstr("Invalid `image_size` value"));
  EXPECT_THAT(message({.crop_to_aspect_ratio = true, .pad_to_aspect_ratio = true}), HasSubstr("Only one of"));
  EXPECT_THAT(message({.seed = 1, .validation_split = 0.5, .subset = "both"}),
              HasSubstr("image_datasets_from_directory"));
  EXPECT_EQ(message_of<NotFoundError>([] { image_dataset_from_directory("nowhere"); }), "no such folder: \"nowhere\"");
  const test::TemporaryFolder empty;
  std::filesystem::create_directory(empty / "a");
  EXPECT_THAT(message_of<ValueError>([&] { image_dataset_from_directory(empty.path(), {.verbose = false}); }),
              HasSubstr("No images found in directory " + empty.path().string()));
}

TEST(ImageDataset, BothPartsTogetherAreAllFiles) {
  ::testing::internal::CaptureStdout();
  const auto [train, validation] =
      image_datasets_from_directory(labelled_images, {.image_size = {4, 4}, .seed = 7, .validation_split = 0.3});
  EXPECT_EQ(::testing::internal::GetCapturedStdout(),
            golden_images().find("folder_training")["printed"].as_string() + "Using 2 files for validation.\n");
  std::set<std::string> files(train.file_paths().begin(), train.file_paths().end());
  EXPECT_EQ(files.size(), 6);
  files.insert(validation.file_paths().begin(), validation.file_paths().end());
  EXPECT_EQ(files.size(), 8);
  EXPECT_EQ(train.class_names(), validation.class_names());
}

TEST(ImageDataset, ShufflesEachPassAnewAndAlikeForASeed) {
  const ImageDatasetOptions options = {.batch_size = 3, .image_size = {4, 4}, .seed = 3, .verbose = false};
  const ImageDataset dataset = image_dataset_from_directory(labelled_images, options);
  const Pass first = pass_of(dataset);
  const Pass second = pass_of(dataset);
  EXPECT_THAT(first.sizes, ElementsAre(3, 3, 2));
  EXPECT_NE(first.x, second.x);
  std::vector<double> sorted_first = first.x;
  std::vector<double> sorted_second = second.x;
  std::sort(sorted_first.begin(), sorted_first.end());
  std::sort(sorted_second.begin(), sorted_second.end());
  EXPECT_EQ(sorted_first, sorted_second);

  const ImageDataset again = image_dataset_from_directory(labelled_images, options);
  EXPECT_EQ(pass_of(again).x, first.x);
  EXPECT_EQ(pass_of(again).y, second.y);
}

TEST(ImageDataset, AFileThatCannotBeReadStopsThePassAndIsNamed) {
  const test::TemporaryFolder temporary;
  std::filesystem::copy(labelled_images, temporary.path(), std::filesystem::copy_options::recursive);
  const std::string damaged = (temporary / "cats" / "a4.png").string();
  const std::string whole = test::content_of(damaged);
  const ImageDataset dataset = image_dataset_from_directory(
      temporary.path(), {.batch_size = 2, .image_size = {4, 4}, .shuffle = false, .verbose = false});
  for (const std::string& content : {whole.substr(0, whole.size() / 2), std::string(), std::string("no image")}) {
    test::put(damaged, content);
    const std::unique_ptr<BatchIterator> batches = dataset.iterator(0);
    // After ants/b3.bmp and cats/UPPER.PNG, cats/a0.png.
    EXPECT_TRUE(batches->next().has_value());
    EXPECT_THAT(message_of<IOError>([&] { batches->next(); }), HasSubstr(damaged));
    EXPECT_FALSE(batches->next().has_value());
  }
  std::filesystem::remove(damaged);
  EXPECT_THAT(message_of<NotFoundError>([&] { pass_of(dataset); }), HasSubstr(damaged));
}

TEST(ImageDataset, FollowsLinksWhenTold) {
  const test::TemporaryFolder temporary;
  std::filesystem::create_directories(temporary / "cats");
  std::filesystem::create_directory_symlink(labelled_images + "/dogs", temporary / "cats" / "more");
  std::filesystem::create_directory_symlink(temporary.path(), temporary / "cats" / "round");
  std::filesystem::copy(labelled_images + "/cats/a0.png", temporary / "cats" / "a.png");
  const auto files = [&](bool follow_links) {
    return image_dataset_from_directory(temporary.path(), {.follow_links = follow_links, .verbose = false})
        .file_paths()
        .size();
  };
  EXPECT_EQ(files(false), 1);
  EXPECT_EQ(files(true), 5);  // one, and four dogs; without endless recursion
}

TEST(Dataset, IsNeverEmpty) { EXPECT_THROW(Dataset(nullptr), ValueError); }

TEST(NumpyShuffle, IsThatOfRandomState) {
  // numpy.random.RandomState(0).shuffle(list(range(10)))
  EXPECT_THAT(numpy_shuffle(10, 0), ElementsAre(2, 8, 4, 9, 1, 6, 7, 3, 0, 5));
  EXPECT_TRUE(numpy_shuffle(0, 1).empty());
  EXPECT_THAT(numpy_shuffle(1, 1), ElementsAre(0));
}

}  // namespace
}  // namespace rhyton::datasets
