#pragma once

#include <span>
#include <string>
#include <string_view>

namespace rhyton {

/// An instruction set that the CPU's kernels of this library are compiled for.
struct InstructionSet {
  std::string_view name;
  /// Whether this processor and its operating system have it.
  bool supported = false;
};

/// All of this library, the widest first. A portable build for x86-64 has x86-64-v4 (AVX-512), x86-64-v3 (AVX2 and FMA)
/// and x86-64; any other build has one, named as the compiler was told ("native").
std::span<const InstructionSet> cpu_instruction_sets();

/// The one called `requested`; the first that is supported when that is empty. Throws ValueError for an unknown name
/// and RuntimeError for a set that is not supported.
std::string_view choose_instruction_set(std::span<const InstructionSet> sets, std::string_view requested);

namespace config {

/// The instruction set that the CPU's kernels use in this process: the widest that both the library and the processor
/// have, or what the environment variable RHYTON_CPU_ISA names. Throws as `choose_instruction_set` does.
std::string cpu_instruction_set();

}  // namespace config

}  // namespace rhyton
