// Archives made by Python (tests/golden/make_pickles.py).

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/io/archive.h>
#include <rhyton/framework/io/atomic_file.h>
#include <rhyton/framework/warning.h>
#include <rhyton/tests/framework/io/temporary_folder.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::io {
namespace {

namespace fs = std::filesystem;
using test::message_of;
using ::testing::HasSubstr;

const std::string golden_folder = RHYTON_GOLDEN_DIR "/pickles/";

class Archive : public ::testing::Test {
 protected:
  void SetUp() override {
    previous_ = config::set_warning_handler([this](const std::string& message) { warnings_.push_back(message); });
  }
  void TearDown() override { config::set_warning_handler(previous_); }

  std::set<std::string> files() const {
    std::set<std::string> all;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder_.path())) {
      if (!entry.is_directory()) all.insert(fs::relative(entry.path(), folder_.path()).string());
    }
    return all;
  }
  std::string read(const std::string& name) const {
    std::ifstream file(folder_.path() / name);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }
  fs::path target() const { return folder_.path() / "target"; }

  test::TemporaryFolder folder_;
  config::WarningHandler previous_;
  std::vector<std::string> warnings_;
};

TEST_F(Archive, AreExtractedWithinTheFolderOnly) {
  std::string long_name = "target/folder/";
  for (int i = 0; i < 40; ++i) long_name += "long";
  long_name += ".txt";
  for (const std::string name : {"files.tar.gz", "files_gnu.tar", "files.zip"}) {
    warnings_.clear();
    EXPECT_TRUE(extract_archive(golden_folder + name, target())) << name;
    EXPECT_EQ(files(), (std::set<std::string>{"target/folder/short.txt", long_name, "target/folder/empty.txt"}))
        << name;
    EXPECT_EQ(read("target/folder/short.txt"), "short");
    EXPECT_EQ(read(long_name), std::string(600, 'x'));
    EXPECT_EQ(warnings_.size(), name == "files.zip" ? 0 : 3) << name;
    for (const std::string& warning : warnings_) EXPECT_THAT(warning, HasSubstr("Skipping invalid path"));
    fs::remove_all(target());
  }
}

TEST_F(Archive, OfOtherFormatsAreLeftAlone) {
  EXPECT_FALSE(extract_archive(golden_folder + "cifar_batch", target()));
  EXPECT_FALSE(extract_archive(golden_folder + "files.zip", target(), {"tar"}));
  EXPECT_FALSE(extract_archive(golden_folder + "files.tar.gz", target(), {"zip"}));
  EXPECT_FALSE(extract_archive(golden_folder + "files.tar.gz", target(), {}));
  EXPECT_TRUE(files().empty());
  EXPECT_EQ(message_of<ValueError>([&] { extract_archive(golden_folder + "files.zip", target(), {"rar"}); }),
            "Archives are of the formats 'tar' and 'zip'. Received: 'rar'");
  EXPECT_THROW(extract_archive(folder_.path() / "nothing.tar", target()), NotFoundError);
}

TEST_F(Archive, ZipFilesWithPathsOutsideAreRefused) {
  EXPECT_THAT(message_of<IOError>([&] { extract_archive(golden_folder + "outside.zip", target()); }),
              HasSubstr("outside.txt"));
  EXPECT_TRUE(files().empty());
}

TEST_F(Archive, DamagedOnesAreRefused) {
  std::vector<std::byte> bytes = read_file(golden_folder + "files_gnu.tar");
  const fs::path damaged = folder_.path() / "damaged.tar";
  write_file(damaged, std::span<const std::byte>(bytes).first(2048 + 100));
  EXPECT_THAT(message_of<IOError>([&] { extract_archive(damaged, target()); }), HasSubstr("is not a valid tar file"));
  bytes.at(512 + 3) ^= std::byte{1};
  write_file(damaged, bytes);
  EXPECT_THAT(message_of<IOError>([&] { extract_archive(damaged, target()); }), HasSubstr("a header is damaged"));
}

}  // namespace
}  // namespace rhyton::io
