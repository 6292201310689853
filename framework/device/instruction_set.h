#pragma once

#include <span>
#include <string>
#include <string_view>

namespace rhyton {

/// An instruction set that the CPU's kernels of this library are compiled for.
struct InstructionSet {
  std::string_view name;
  /// Whether this processor and its operating system support it.
  bool supported = false;
};

/// All instruction sets of this library, the widest first. A portable build for x86-64 has x86-64-v4 (AVX-512),
/// x86-64-v3 (AVX2 and FMA) and x86-64; any other build has one, named after the compiler's option ("native").
std::span<const InstructionSet> cpu_instruction_sets();

/// The set named `requested`, or the first supported one when that is empty. Throws ValueError for an unknown name and
/// RuntimeError for a set that is not supported.
std::string_view choose_instruction_set(std::span<const InstructionSet> sets, std::string_view requested);

namespace config {

/// The instruction set of the CPU's kernels in this process: the widest that both the library and the processor
/// support, or the one that the environment variable RHYTON_CPU_ISA names. Throws as `choose_instruction_set` does.
std::string cpu_instruction_set();

}  // namespace config

}  // namespace rhyton
