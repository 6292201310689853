#include <rhyton/framework/module_file.h>

#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

namespace rhyton {
namespace {

constexpr const char* variable = "RHYTON_MODULE_OF_THIS_TEST";

TEST(ModuleFile, LiesInTheFolderOfTheLibrary) {
  const std::filesystem::path file = module_file("librhyton_test.so", variable);
  EXPECT_EQ(file.filename(), "librhyton_test.so");
  EXPECT_TRUE(std::filesystem::is_directory(file.parent_path())) << file;
}

TEST(ModuleFile, IsTheOneThatTheEnvironmentNames) {
  setenv(variable, "elsewhere/another.so", 1);
  EXPECT_EQ(module_file("librhyton_test.so", variable), "elsewhere/another.so");
  // Set, but empty: no module at all.
  setenv(variable, "", 1);
  EXPECT_EQ(module_file("librhyton_test.so", variable), "");
  unsetenv(variable);
}

}  // namespace
}  // namespace rhyton
