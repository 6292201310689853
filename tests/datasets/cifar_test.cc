// Batches of CIFAR as Keras reads them (tests/golden/make_pickles.py).

#include <cstdlib>
#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/datasets/cifar.h>
#include <rhyton/datasets/keras_names.h>
#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/tests/framework/io/temporary_folder.h>
#include <rhyton/tests/optimizers/golden.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::datasets {
namespace {

namespace fs = std::filesystem;
using test::expect_close;
using test::message_of;
using ::testing::HasSubstr;

const std::string golden_folder = RHYTON_GOLDEN_DIR "/pickles/";

class Cifar : public ::testing::Test {
 protected:
  void TearDown() override { config::set_image_data_format("channels_last"); }
  test::GoldenArea area_{"pickles"};
  test::TemporaryFolder folder_;
};

TEST_F(Cifar, BatchesAreThoseOfKeras) {
  for (const io::Json& golden : area_.cases()) {
    const ImageData batch = load_cifar_batch(golden_folder + golden["file"].as_string(), golden["key"].as_string());
    EXPECT_EQ(batch.images.dtype(), uint8);
    EXPECT_EQ(batch.labels.dtype(), uint8);
    expect_close(batch.images, area_.array(golden, "images"), 0.0, 0.0);
    expect_close(batch.labels, area_.array(golden, "labels"), 0.0, 0.0);
    config::set_image_data_format("channels_first");
    expect_close(load_cifar_batch(golden_folder + golden["file"].as_string(), golden["key"].as_string()).images,
                 area_.array(golden, "first"), 0.0, 0.0);
    config::set_image_data_format("channels_last");
  }
}

TEST_F(Cifar, DataSetsAreTheFilesOfTheirFolders) {
  const fs::path ten = folder_.path() / "cifar-10-batches-py";
  const fs::path hundred = folder_.path() / "cifar-100-python";
  fs::create_directories(ten);
  fs::create_directories(hundred);
  for (int i = 1; i <= 5; ++i) fs::copy_file(golden_folder + "cifar_batch", ten / ("data_batch_" + std::to_string(i)));
  fs::copy_file(golden_folder + "cifar_batch", ten / "test_batch");
  for (const std::string name : {"train", "test"}) fs::copy_file(golden_folder + "cifar_train", hundred / name);
  ASSERT_EQ(::setenv("RHYTON_DATASETS", folder_.path().c_str(), 1), 0);
  const Splits of_ten = cifar10::load_data();
  const Splits fine = cifar100::load_data();
  const Splits coarse = cifar100::load_data("coarse");
  ::unsetenv("RHYTON_DATASETS");
  EXPECT_EQ(of_ten.train.images.shape(), (Shape{15, 32, 32, 3}));
  EXPECT_EQ(of_ten.train.labels.shape(), (Shape{15, 1}));
  EXPECT_EQ(of_ten.test.images.shape(), (Shape{3, 32, 32, 3}));
  EXPECT_EQ(of_ten.train.labels.to_vector()[13], 9);
  EXPECT_EQ(fine.train.labels.to_vector(), (std::vector<double>{19, 99, 0}));
  EXPECT_EQ(coarse.test.labels.to_vector(), (std::vector<double>{11, 19, 0}));
}

TEST_F(Cifar, OtherFilesAreRefused) {
  EXPECT_THAT(message_of<IOError>([] { load_cifar_batch(golden_folder + "values_2"); }),
              HasSubstr("is no batch of CIFAR: a pickled dictionary has no key 'data'"));
  EXPECT_THAT(message_of<IOError>([] { load_cifar_batch(golden_folder + "files.zip"); }),
              HasSubstr("is not a valid pickled file"));
  EXPECT_THROW(load_cifar_batch(golden_folder + "nothing"), NotFoundError);
  EXPECT_EQ(message_of<ValueError>([] { cifar100::load_data("rough"); }),
            "`label_mode` must be one of `\"fine\"`, `\"coarse\"`. Received: label_mode=rough.");
}

TEST_F(Cifar, ArchivesAreExtractedByGetFile) {
  const std::string cache = (folder_.path() / "cache").string();
  const std::string origin = "file://" + golden_folder + "files.tar.gz";
  const std::string extracted = utils::get_file(origin, {.extract = true, .cache_dir = cache});
  EXPECT_EQ(extracted, cache + "/datasets/files.tar.gz");
  EXPECT_TRUE(fs::exists(extracted + "/folder/short.txt"));
  EXPECT_EQ(utils::get_file(origin, {.fname = "data.tgz", .extract = true, .cache_dir = cache}),
            cache + "/datasets/data_extracted");
  EXPECT_EQ(utils::get_file(origin, {.fname = "data", .extract = true, .cache_dir = cache}), cache + "/datasets/data");
  EXPECT_TRUE(fs::exists(cache + "/datasets/data_archive"));
}

}  // namespace
}  // namespace rhyton::datasets
