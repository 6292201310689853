#pragma once

#include <cstdint>

#include <rhyton/framework/backends/gpu/elementwise/chain.h>
#include <rhyton/framework/backends/gpu/elementwise/chain_members.h>
#include <rhyton/framework/backends/gpu/primitives/broadcasting.h>
#include <rhyton/framework/ops/kernel_table.h>

namespace rhyton::gpu {

/// The type in which a step computes.
enum class ChainNumber : std::uint8_t { single_precision, double_precision, integer };

/// One member. Operands and result are indices of slots, of which each thread has its own.
struct ChainStep {
  /// As an operand: the result of the previous step. As a slot or an output: none.
  static constexpr std::uint8_t previous = 255;
  static constexpr std::uint8_t none = 255;

  /// Attributes, rounded to the op's dtype.
  double constants[2] = {};
  ChainCode code = {};
  ChainNumber number = ChainNumber::single_precision;
  DType dtype = DType::float32;
  std::uint8_t operands[3] = {previous, previous, previous};
  std::uint8_t slot = none;
  std::uint8_t output = none;

  friend bool operator==(const ChainStep&, const ChainStep&) = default;
};

/// The computation of a chain, an argument of its kernels by value, with a maximum of inputs and steps.
template <int max_inputs, int max_steps>
struct ChainProgram {
  ChainStep steps[max_steps];
  DType input_dtypes[max_inputs] = {};
  ChainInput walks[max_inputs] = {};
  std::uint8_t input_count = 0;
  std::uint8_t step_count = 0;
  std::uint8_t output_count = 0;
  /// The number of slots for inputs, the first ones, and for results of later steps. At most the number of inputs and
  /// steps.
  std::uint8_t slot_count = 0;
  /// Whether float can hold the elements of all dtypes in the chain.
  bool is_narrow = true;
  /// Whether an input is a row or a column.
  bool has_rows = false;

  friend bool operator==(const ChainProgram&, const ChainProgram&) = default;
};

/// The inputs and outputs of a chain.
template <int max_inputs, int max_outputs>
struct ChainData {
  const void* inputs[max_inputs] = {};
  void* outputs[max_outputs] = {};
  Divider row_length;
  std::int64_t count = 0;
};

using AnyChainProgram = ChainProgram<max_chain_inputs, max_chain_members>;
using AnyChainData = ChainData<max_chain_inputs, max_chain_members>;

struct CompiledChain {
  AnyChainProgram program;
  AnyChainData data;
};

/// Throws NotImplementedError unless `chain_is_supported`.
CompiledChain compile_chain(const KernelArguments& arguments);

}  // namespace rhyton::gpu
