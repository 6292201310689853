#include <rhyton/framework/backends/gpu/elementwise/chain.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <rhyton/framework/backends/gpu/elementwise/chain_program.h>
#include <rhyton/framework/backends/gpu/elementwise/chain_steps.h>
#include <rhyton/framework/backends/gpu/elementwise/chain_values.h>
#include <rhyton/framework/backends/gpu/elementwise/elementwise.h>
#include <rhyton/framework/backends/gpu/elementwise/map.h>
#include <rhyton/framework/backends/gpu/primitives/block_shares.h>
#include <rhyton/framework/backends/gpu/primitives/launch.h>
#include <rhyton/framework/backends/gpu/primitives/pack_access.h>

namespace rhyton::gpu {
namespace {

constexpr int threads = 128;

/// Reads the packs of `width` elements that begin at these indices, in these rows.
template <class Element, int width, int packs>
__device__ inline Lanes<Pack<Element, width>, packs> read_input(ChainInput walk, const Element* data,
                                                                const Lanes<std::int64_t, packs>& indices,
                                                                const Lanes<std::int64_t, packs>& rows,
                                                                std::int64_t row_length) {
  const auto read = [&](const auto& place_of) {
    return each<Pack<Element, width>>(
        [&](std::int64_t index, std::int64_t row) { return load_whole<width>(data + place_of(index, row)); }, indices,
        rows);
  };
  const auto repeat = [&](const auto& place_of) {
    const auto elements = each<Element>([&](std::int64_t row) { return data[place_of(row)]; }, rows);
    Lanes<Pack<Element, width>, packs> result;
    for (int k = 0; k < packs; ++k) {
      for (int i = 0; i < width; ++i) result.values[k].values[i] = elements.values[k];
    }
    return result;
  };
  switch (walk) {
    case ChainInput::row:
      return read([=](std::int64_t index, std::int64_t row) { return index - row * row_length; });
    case ChainInput::column:
      return repeat([](std::int64_t row) { return row; });
    case ChainInput::scalar:
      return repeat([](std::int64_t) { return 0; });
    case ChainInput::full:
      break;
  }
  return read([](std::int64_t index, std::int64_t) { return index; });
}

/// Runs one program for each tensor of a launch. A thread processes `packs` packs of `width` neighbouring elements at
/// once, each `threads` packs apart. Slots are in shared memory, where each thread has its own column. All inputs of a
/// pack are read before its first step, because outputs may overwrite them.
template <class Value, int slot_limit, int width, int packs, class Program, class Shares>
__global__ void __launch_bounds__(threads)
    run_chains(const __grid_constant__ Program program, const __grid_constant__ Shares shares) {
  constexpr int lanes = width * packs;
  __shared__ Pack<Value, width> slots[slot_limit * packs * threads];
  const int thread = static_cast<int>(threadIdx.x);
  Pack<Value, width>* const own = slots + thread;
  const auto load_slot = [&](int slot) {
    Lanes<Value, lanes> values;
    for (int k = 0; k < packs; ++k) {
      const Pack<Value, width> pack = own[(slot * packs + k) * threads];
      for (int i = 0; i < width; ++i) values.values[k * width + i] = pack.values[i];
    }
    return values;
  };
  const auto store_slot = [&](int slot, const Lanes<Value, lanes>& values) {
    for (int k = 0; k < packs; ++k) {
      Pack<Value, width> pack;
      for (int i = 0; i < width; ++i) pack.values[i] = values.values[k * width + i];
      own[(slot * packs + k) * threads] = pack;
    }
  };

  const int part = shares.part_of(blockIdx.x);
  const auto& data = shares.parts[part];
  const std::int64_t begin = shares.first_element(blockIdx.x, part);
  const std::int64_t end = begin + shares.per_block < data.count ? begin + shares.per_block : data.count;
  for (std::int64_t first = begin + thread * width; first < end; first += threads * lanes) {
    const auto exists = [&](int k) { return first + k * threads * width < end; };
    // A pack beyond the end computes with the thread's first one and stores nothing: loads of an input are
    // unconditional and concurrent.
    Lanes<std::int64_t, packs> indices;
    for (int k = 0; k < packs; ++k) indices.values[k] = exists(k) ? first + k * threads * width : first;
    Lanes<std::int64_t, packs> rows{};
    if (program.has_rows) {
      rows = each<std::int64_t>([&](std::int64_t index) { return data.row_length.divide(index); }, indices);
    }
    for (int input = 0; input < program.input_count; ++input) {
      with_type<Value>(program.input_dtypes[input], [&](auto element) {
        using Element = decltype(element);
        const auto loaded =
            read_input<Element, width>(program.walks[input], static_cast<const Element*>(data.inputs[input]), indices,
                                       rows, data.row_length.divisor());
        Lanes<Value, lanes> values;
        for (int i = 0; i < lanes; ++i) {
          values.values[i] = hold_element<Value>(loaded.values[i / width].values[i % width]);
        }
        store_slot(input, values);
      });
    }
    Lanes<Value, lanes> previous{};
    for (int number = 0; number < program.step_count; ++number) {
      const ChainStep& step = program.steps[number];
      Lanes<Value, lanes> operands[3];
      for (int k = 0; k < 3; ++k) {
        operands[k] = step.operands[k] == ChainStep::previous ? previous : load_slot(step.operands[k]);
      }
      previous = run_step<Value>(step, operands);
      if (step.slot != ChainStep::none) store_slot(step.slot, previous);
      if (step.output == ChainStep::none) continue;
      with_type<Value>(step.dtype, [&](auto element) {
        using Element = decltype(element);
        auto* const output = static_cast<Element*>(data.outputs[step.output]);
        for (int k = 0; k < packs; ++k) {
          if (!exists(k)) continue;
          Pack<Element, width> pack;
          for (int i = 0; i < width; ++i) pack.values[i] = released<Element>(previous.values[k * width + i]);
          store_whole(output + indices.values[k], pack);
        }
      });
    }
  }
}

/// Runs one program on all tensors, at most as many as the shares can hold.
template <class Value, int slot_limit, int width, int packs, int maximum, class Program, class Data>
void launch_chains(GpuStream& stream, const Program& program, std::span<const Data> tensors) {
  std::int64_t total = 0;
  for (const Data& data : tensors) total += data.count;
  BlockShares<Data, maximum> shares;
  shares.per_block = elements_per_block(total, threads * width * packs);
  for (const Data& data : tensors) {
    if (data.count > 0) shares.add(data, data.count);
  }
  if (shares.blocks == 0) return;
  launch(stream, "ElementwiseChain", {dim3(shares.blocks), dim3(threads)},
         &run_chains<Value, slot_limit, width, packs, Program, BlockShares<Data, maximum>>, program, shares);
}

// With few slots, shared memory suffices for many blocks; that is enough for almost all chains.
constexpr int few_slots = 8;
constexpr int all_slots = max_chain_inputs + max_chain_members;

/// With so few elements, threads process one each, which has the lowest latency.
constexpr std::int64_t few_elements = 1 << 16;

/// Whether all tensors of a chain can be read and written in packs of `width` elements.
template <int width>
bool has_packs(const CompiledChain& chain) {
  const AnyChainProgram& program = chain.program;
  const AnyChainData& data = chain.data;
  if (data.count % width != 0 || (program.has_rows && data.row_length.divisor() % width != 0)) return false;
  const auto begins_pack = [](const void* tensor, DType dtype) { return is_aligned(tensor, width * size_of(dtype)); };
  for (int i = 0; i < program.input_count; ++i) {
    const bool is_pack = program.walks[i] == ChainInput::full || program.walks[i] == ChainInput::row;
    if (is_pack && !begins_pack(data.inputs[i], program.input_dtypes[i])) return false;
  }
  return std::all_of(program.steps, program.steps + program.step_count, [&](const ChainStep& step) {
    return step.output == ChainStep::none || begins_pack(data.outputs[step.output], step.dtype);
  });
}

template <class Value, int slot_limit, int width, int packs>
void launch_chain(GpuStream& stream, const CompiledChain& chain) {
  launch_chains<Value, slot_limit, width, packs, 1>(stream, chain.program, std::span(&chain.data, 1));
}

/// relu_grad(a + b, y), the sum rounded as the chain's steps round: what each block of a residual network computes for
/// its gradient. Its own kernel reaches the speed of the memory, which the steps of a program do not.
template <class T>
struct SumMaskedByRelu {
  static constexpr const char* name = "ElementwiseChain";
  __device__ float operator()(float a, float b, float y) const {
    return elementwise::ReluGrad()(number(element<T>(a + b)), y);
  }
};

/// The inputs of such a chain of tensors of one shape and dtype: a, b, y; empty for other chains.
std::vector<const void*> inputs_of_masked_sum(const CompiledChain& chain) {
  const AnyChainProgram& program = chain.program;
  if (program.step_count != 2 || program.input_count != 3 || program.output_count != 1) return {};
  const ChainStep& sum = program.steps[0];
  const ChainStep& mask = program.steps[1];
  if (sum.code != chain_code<elementwise::Add> || mask.code != chain_code<elementwise::ReluGrad>) return {};
  if (sum.output != ChainStep::none || mask.operands[0] != ChainStep::previous) return {};
  const int a = sum.operands[0];
  const int b = sum.operands[1];
  const int y = mask.operands[1];
  if (std::max({a, b, y}) > 2 || a == b || a == y || b == y) return {};
  for (int input = 0; input < 3; ++input) {
    if (program.walks[input] != ChainInput::full || program.input_dtypes[input] != sum.dtype) return {};
  }
  if (mask.dtype != sum.dtype) return {};
  return {chain.data.inputs[a], chain.data.inputs[b], chain.data.inputs[y]};
}

template <class T>
void launch_masked_sum(GpuStream& stream, const CompiledChain& chain, const std::vector<const void*>& inputs) {
  launch_map(stream, SumMaskedByRelu<T>(), chain.data.count,
             static_cast<T*>(chain.data.outputs[chain.program.steps[1].output]), static_cast<const T*>(inputs[0]),
             static_cast<const T*>(inputs[1]), static_cast<const T*>(inputs[2]));
}

bool run_masked_sum(GpuStream& stream, const CompiledChain& chain) {
  const std::vector<const void*> inputs = inputs_of_masked_sum(chain);
  if (inputs.empty()) return false;
  switch (chain.program.steps[0].dtype) {
    case DType::float32:
      launch_masked_sum<float>(stream, chain, inputs);
      return true;
    case DType::float16:
      launch_masked_sum<Half>(stream, chain, inputs);
      return true;
    case DType::bfloat16:
      launch_masked_sum<BFloat16>(stream, chain, inputs);
      return true;
    default:
      return false;
  }
}

void run_chain(GpuStream& stream, const CompiledChain& chain) {
  if (run_masked_sum(stream, chain)) return;
  const bool is_small = chain.program.slot_count <= few_slots;
  if (!chain.program.is_narrow) {
    return is_small ? launch_chain<WideValue, few_slots, 1, 2>(stream, chain)
                    : launch_chain<WideValue, all_slots, 1, 1>(stream, chain);
  }
  if (!is_small) return launch_chain<float, all_slots, 1, 2>(stream, chain);
  if (chain.data.count <= few_elements) return launch_chain<float, few_slots, 1, 1>(stream, chain);
  return has_packs<4>(chain) ? launch_chain<float, few_slots, 4, 2>(stream, chain)
                             : launch_chain<float, few_slots, 1, 4>(stream, chain);
}

void run_elementwise_chain(const KernelArguments& arguments) {
  run_chain(stream_of(arguments), compile_chain(arguments));
}

// Chains of the same few steps on small tensors, such as moving averages of all layers, share launches.

constexpr int few_inputs = 4;
constexpr int few_steps = 8;
constexpr int few_outputs = 2;
using ShortChainProgram = ChainProgram<few_inputs, few_steps>;
using ShortChainData = ChainData<few_inputs, few_outputs>;
constexpr int max_chains =
    static_cast<int>((cheap_argument_bytes - sizeof(ShortChainProgram)) / (sizeof(ShortChainData) + sizeof(unsigned)));

/// At most the number of threads that run at the same time.
constexpr std::int64_t max_elements_together = 1 << 18;

bool is_short(const CompiledChain& chain) {
  const AnyChainProgram& program = chain.program;
  return program.is_narrow && program.slot_count <= few_slots && program.input_count <= few_inputs &&
         program.step_count <= few_steps && program.output_count <= few_outputs && chain.data.count <= few_elements;
}

ShortChainProgram shortened(const AnyChainProgram& program) {
  ShortChainProgram result;
  std::copy_n(program.steps, program.step_count, result.steps);
  std::copy_n(program.input_dtypes, program.input_count, result.input_dtypes);
  std::copy_n(program.walks, program.input_count, result.walks);
  result.input_count = program.input_count;
  result.step_count = program.step_count;
  result.output_count = program.output_count;
  result.slot_count = program.slot_count;
  result.is_narrow = program.is_narrow;
  result.has_rows = program.has_rows;
  return result;
}

ShortChainData shortened(const CompiledChain& chain) {
  ShortChainData result;
  std::copy_n(chain.data.inputs, chain.program.input_count, result.inputs);
  std::copy_n(chain.data.outputs, chain.program.output_count, result.outputs);
  result.row_length = chain.data.row_length;
  result.count = chain.data.count;
  return result;
}

void run_elementwise_chains(std::span<const KernelArguments> calls) {
  GpuStream& stream = stream_of(calls.front());
  ShortChainProgram program;
  std::vector<ShortChainData> tensors;
  std::int64_t elements = 0;
  const auto launch_collected = [&] {
    launch_chains<float, few_slots, 1, 1, max_chains>(stream, program, std::span<const ShortChainData>(tensors));
    tensors.clear();
    elements = 0;
  };
  for (const KernelArguments& call : calls) {
    const CompiledChain chain = compile_chain(call);
    if (!is_short(chain)) {
      run_chain(stream, chain);
      continue;
    }
    // Calls with equal attributes may differ in dtypes and in how they index their inputs.
    const ShortChainProgram next = shortened(chain.program);
    const bool is_full = tensors.size() == max_chains || elements + chain.data.count > max_elements_together;
    if (!tensors.empty() && (next != program || is_full)) launch_collected();
    program = next;
    elements += chain.data.count;
    tensors.push_back(shortened(chain));
  }
  if (!tensors.empty()) launch_collected();
}

bool accepts_chain(const Op& op, Kernel::Specs, Kernel::Specs) {
  return chain_is_supported(static_cast<const ElementwiseChainOp&>(op));
}

}  // namespace

void register_chain_kernels(KernelTable& table) {
  table.add("ElementwiseChain", DType::float32,
            {.run = &run_elementwise_chain, .accepts = &accepts_chain, .run_together = &run_elementwise_chains});
}

}  // namespace rhyton::gpu
