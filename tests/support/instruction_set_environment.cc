// Skips all tests of a program where this machine lacks the instruction set that RHYTON_CPU_ISA requests.

#include <memory>

#include <gtest/gtest.h>

#include <rhyton/framework/device/instruction_set.h>
#include <rhyton/framework/error.h>

namespace rhyton::test {
namespace {

class RequestedInstructionSet final : public ::testing::Environment {
 public:
  void SetUp() override {
    try {
      static_cast<void>(config::cpu_instruction_set());
    } catch (const RuntimeError& error) {
      GTEST_SKIP() << error.what();
    }
  }
};

[[maybe_unused]] const ::testing::Environment* const environment =
    ::testing::AddGlobalTestEnvironment(std::make_unique<RequestedInstructionSet>().release());

}  // namespace
}  // namespace rhyton::test
