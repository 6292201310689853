#include <rhyton/framework/device/instruction_set.h>

#include <algorithm>
#include <array>

#include <rhyton/framework/environment.h>
#include <rhyton/framework/error.h>

namespace rhyton {
namespace {

#ifdef RHYTON_SEVERAL_INSTRUCTION_SETS

// The results include that the operating system saves the registers. Clang supports the levels' names since version 18;
// for earlier versions the features are tested that distinguish the levels on every existing processor.
#if defined(__clang__) && __clang_major__ < 18
bool has_v3() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2");
}
bool has_v4() {
  return has_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
#else
bool has_v3() { return __builtin_cpu_supports("x86-64-v3"); }
bool has_v4() { return __builtin_cpu_supports("x86-64-v4"); }
#endif

std::array<InstructionSet, 3> find_sets() {
  __builtin_cpu_init();
  return {{{"x86-64-v4", has_v4()}, {"x86-64-v3", has_v3()}, {"x86-64", true}}};
}

#else

std::array<InstructionSet, 1> find_sets() { return {{{RHYTON_INSTRUCTION_SET, true}}}; }

#endif

template <class Keep>
std::string names_of(std::span<const InstructionSet> sets, const Keep& keep) {
  std::string names;
  for (const InstructionSet& set : sets) {
    if (!keep(set)) continue;
    if (!names.empty()) names += ", ";
    names += set.name;
  }
  return names;
}

}  // namespace

std::span<const InstructionSet> cpu_instruction_sets() {
  static const auto sets = find_sets();
  return sets;
}

std::string_view choose_instruction_set(std::span<const InstructionSet> sets, std::string_view requested) {
  const auto chosen = std::find_if(sets.begin(), sets.end(), [&](const InstructionSet& set) {
    return requested.empty() ? set.supported : set.name == requested;
  });
  if (chosen == sets.end()) {
    throw ValueError("RHYTON_CPU_ISA=" + std::string(requested) +
                     " names no instruction set of this library, which has " +
                     names_of(sets, [](const InstructionSet&) { return true; }) + ".");
  }
  if (!chosen->supported) {
    throw RuntimeError("RHYTON_CPU_ISA requests " + std::string(requested) + ", but this machine has only " +
                       names_of(sets, [](const InstructionSet& set) { return set.supported; }) + ".");
  }
  return chosen->name;
}

namespace config {

std::string cpu_instruction_set() {
  static const std::string set(choose_instruction_set(cpu_instruction_sets(), environment("RHYTON_CPU_ISA")));
  return set;
}

}  // namespace config

}  // namespace rhyton
