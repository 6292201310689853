#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

#include <rhyton/framework/device/config.h>
#include <rhyton/tests/framework/distribute/workers/strategies.h>

namespace rhyton::distribute {
namespace {

/// Ends the job if a test fails in only one process: the others would wait for it.
class AllOrNone final : public testing::EmptyTestEventListener {
  void OnTestEnd(const testing::TestInfo& info) override {
    if (info.result()->Failed()) std::exit(1);
  }
};

}  // namespace
}  // namespace rhyton::distribute

/// Run by mpirun: every process runs the same tests, with two logical CPUs.
int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  testing::UnitTest::GetInstance()->listeners().Append(new rhyton::distribute::AllOrNone);  // owned by gtest
  const std::vector<rhyton::LogicalDeviceConfiguration> devices(2);
  rhyton::config::set_logical_device_configuration(rhyton::config::list_physical_devices("CPU").front(), devices);
  return RUN_ALL_TESTS();
}
