#include <gtest/gtest.h>

#include <rhyton/datasets/location.h>
#include <rhyton/tests/framework/io/temporary_folder.h>
#include <rhyton/tests/support/environment_variable.h>

namespace rhyton::datasets {
namespace {

using test::EnvironmentVariable;
using test::TemporaryFolder;

TEST(Location, CacheFolderFollowsKeras) {
  const TemporaryFolder folder;
  {
    const EnvironmentVariable keras_home("KERAS_HOME", folder.path().string());
    EXPECT_EQ(cache_folder(), folder / "datasets");
  }
  const EnvironmentVariable keras_home("KERAS_HOME", std::nullopt);
  {
    const EnvironmentVariable home("HOME", folder.path().string());
    EXPECT_EQ(cache_folder(), folder / ".keras/datasets");
  }
  const EnvironmentVariable home("HOME", (folder / "none").string());
  EXPECT_EQ(cache_folder(), "/tmp/.keras/datasets");
}

TEST(Location, OwnFolderComesFirst) {
  const EnvironmentVariable own("RHYTON_DATASETS", "/somewhere");
  const auto folders = dataset_folders("mnist");
  ASSERT_FALSE(folders.empty());
  EXPECT_EQ(folders.front(), "/somewhere/mnist");
  const EnvironmentVariable none("RHYTON_DATASETS", "");
  EXPECT_EQ(dataset_folders("mnist").size(), folders.size() - 1);
}

}  // namespace
}  // namespace rhyton::datasets
