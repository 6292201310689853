#include <rhyton/framework/device/instruction_set.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/kernel_table.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton {
namespace {

constexpr std::array<InstructionSet, 3> sets = {{{"wide", false}, {"middle", true}, {"narrow", true}}};

template <class E>
std::string message_for(std::string_view requested) {
  return test::message_of<E>([&] { choose_instruction_set(sets, requested); });
}

TEST(InstructionSetTest, TheWidestSupportedOneUnlessOneIsAskedFor) {
  EXPECT_EQ(choose_instruction_set(sets, ""), "middle");
  EXPECT_EQ(choose_instruction_set(sets, "middle"), "middle");
  EXPECT_EQ(choose_instruction_set(sets, "narrow"), "narrow");
}

TEST(InstructionSetTest, ErrorsSayWhatThereIs) {
  EXPECT_EQ(message_for<RuntimeError>("wide"),
            "RHYTON_CPU_ISA requests wide, but this machine has only middle, narrow.");
  EXPECT_EQ(message_for<ValueError>("other"),
            "RHYTON_CPU_ISA=other names no instruction set of this library, which has wide, middle, narrow.");
}

TEST(InstructionSetTest, TheLibraryUsesOneThatIsSupported) {
  const std::string used = config::cpu_instruction_set();
  const char* requested = std::getenv("RHYTON_CPU_ISA");
  EXPECT_EQ(choose_instruction_set(cpu_instruction_sets(), requested == nullptr ? "" : requested), used);
  EXPECT_TRUE(cpu_instruction_sets().back().supported);
}

// In a separate process, since a process chooses only once.
TEST(InstructionSetDeathTest, TheEnvironmentChooses) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto exit_with_set = [](const char* requested) {
    ::setenv("RHYTON_CPU_ISA", requested, 1);
    try {
      cpu_kernels();
      std::fprintf(stderr, "uses %s.", config::cpu_instruction_set().c_str());
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s", error.what());
    }
    std::exit(0);
  };
  for (const InstructionSet& set : cpu_instruction_sets()) {
    const std::string name(set.name);
    EXPECT_EXIT(exit_with_set(name.c_str()), testing::ExitedWithCode(0),
                set.supported ? "uses " + name + "\\." : "requests " + name + ", but this machine has only");
  }
  EXPECT_EXIT(exit_with_set("abacus"), testing::ExitedWithCode(0), "RHYTON_CPU_ISA=abacus names no instruction set");
}

}  // namespace
}  // namespace rhyton
