// Files of weights: found in Keras's cache, compared with their checksums, downloaded.

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/applications/applications.h>
#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/warning.h>
#include <rhyton/models/model.h>
#include <rhyton/tests/support/environment_variable.h>
#include <rhyton/tests/support/loopback_server.h>
#include <rhyton/tests/support/message_of.h>
#include <rhyton/tests/support/tensor_distance.h>

namespace rhyton::applications {
namespace {

using test::EnvironmentVariable;
using test::LoopbackServer;
using test::message_of;
using Paths = std::vector<std::string>;

const std::string host = "https://storage.googleapis.com";
// Of "abc".
const std::string md5 = "900150983cd24fb0d6963f7d28e17f72";

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// Keras's cache in a folder of its own, which does not exist yet.
class WeightsFile : public ::testing::Test {
 public:
  WeightsFile() {
    std::filesystem::remove_all(folder_);
    previous_ = config::set_warning_handler([this](const std::string& text) { warnings_.push_back(text); });
  }
  ~WeightsFile() override {
    config::set_warning_handler(previous_);
    std::filesystem::remove_all(folder_);
  }

 protected:
  std::filesystem::path path_of(const std::string& name) const { return folder_ / "models" / name; }

  std::filesystem::path folder_ = std::filesystem::path(::testing::TempDir()) / "downloaded_weights";
  EnvironmentVariable keras_home_{"KERAS_HOME", folder_.string()};
  Paths warnings_;

 private:
  config::WarningHandler previous_;
};

TEST_F(WeightsFile, IsDownloadedOnce) {
  const LoopbackServer server(LoopbackServer::Files{{"/folder/file.h5", "abc"}});
  const EnvironmentVariable storage("RHYTON_KERAS_STORAGE", server.address());
  const RemoteFile file = {.name = "renamed.h5", .url = host + "/folder/file.h5", .checksum = md5};
  EXPECT_EQ(weights_file(file), path_of("renamed.h5"));
  EXPECT_EQ(content_of(path_of("renamed.h5")), "abc");
  EXPECT_EQ(weights_file(file), path_of("renamed.h5"));
  EXPECT_EQ(server.requests(), (Paths{"/folder/file.h5"}));
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(WeightsFile, IsDownloadedAgainIfItIsDamaged) {
  const LoopbackServer server(LoopbackServer::Files{{"/file.h5", "abc"}});
  const EnvironmentVariable storage("RHYTON_KERAS_STORAGE", server.address());
  std::filesystem::create_directories(path_of(""));
  std::ofstream(path_of("file.h5")) << "ab";
  weights_file({.name = "file.h5", .url = host + "/file.h5", .checksum = md5});
  EXPECT_EQ(content_of(path_of("file.h5")), "abc");
  ASSERT_EQ(warnings_.size(), 1U);
  EXPECT_NE(warnings_[0].find("the md5 file hash does not match the original value of " + md5), std::string::npos);
}

TEST_F(WeightsFile, IsRefusedIfItsChecksumIsWrong) {
  const LoopbackServer server(LoopbackServer::Files{{"/file.h5", "abd"}});
  const EnvironmentVariable storage("RHYTON_KERAS_STORAGE", server.address());
  std::filesystem::create_directories(path_of(""));
  std::ofstream(path_of("file.h5")) << "old";
  const std::string message =
      message_of<IOError>([] { weights_file({.name = "file.h5", .url = host + "/file.h5", .checksum = md5}); });
  EXPECT_NE(message.find("wrong MD5 checksum: expected " + md5), std::string::npos) << message;
  EXPECT_EQ(content_of(path_of("file.h5")), "old");
}

TEST_F(WeightsFile, IsNamedIfThereIsNoNetwork) {
  std::string address;
  address = LoopbackServer(LoopbackServer::Files()).address();  // closed again
  const EnvironmentVariable storage("RHYTON_KERAS_STORAGE", address);
  const std::string message =
      message_of<IOError>([] { weights_file({.name = "file.h5", .url = host + "/folder/file.h5", .checksum = md5}); });
  EXPECT_TRUE(message.starts_with("The file file.h5 is not in the folder " + path_of("").parent_path().string() +
                                  ", and cannot download "))
      << message;
  EXPECT_NE(message.find(address + "/folder/file.h5: "), std::string::npos) << message;
  EXPECT_TRUE(message.ends_with("\nWithout network access, download it elsewhere from " + host +
                                "/folder/file.h5 into that folder. Its MD5 checksum is " + md5 + "."))
      << message;
  EXPECT_FALSE(std::filesystem::exists(path_of("file.h5")));
}

TEST_F(WeightsFile, OfAModelIsDownloaded) {
  const MobileNetOptions arguments = {.input_shape = {128, 128, 3}, .alpha = 0.25, .include_top = false};
  MobileNetOptions random = arguments;
  random.weights = std::nullopt;
  const models::Model source = MobileNet(random);
  std::filesystem::create_directories(folder_);
  const std::string saved = (folder_ / "saved.h5").string();
  source.save(saved);
  const std::string path = "/tensorflow/keras-applications/mobilenet/mobilenet_2_5_128_tf_no_top.h5";
  const LoopbackServer server(LoopbackServer::Files{{path, content_of(saved)}});
  const EnvironmentVariable storage("RHYTON_KERAS_STORAGE", server.address());
  const models::Model model = MobileNet(arguments);
  EXPECT_EQ(server.requests(), (Paths{path}));
  EXPECT_TRUE(test::same_bits(model.get_weights(), source.get_weights()));
}

}  // namespace
}  // namespace rhyton::applications
