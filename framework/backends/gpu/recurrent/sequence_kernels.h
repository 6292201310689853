#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <rhyton/framework/backends/gpu/primitives/launch.h>
#include <rhyton/framework/backends/gpu/recurrent/sequences.h>
#include <rhyton/framework/ops/recurrent.h>

namespace rhyton::gpu {

// Small recurrences in one kernel: samples do not depend on each other, so a block takes a few of them through all
// steps, and computes their products itself. The weights stay in its registers and in the caches of its
// multiprocessor. The launches for each step, which are most of the time of a small step, are saved.

inline constexpr int max_sequence_threads = 512;
/// Samples of a block where there are many: they share each weight that is loaded.
inline constexpr int shared_samples = 4;

/// Whether one kernel computes all steps: not where the candidate has a product of its own, and not where products are
/// so large that the library's are faster. The limits are estimates: two launches take about as long as 10 000 cycles,
/// in which a multiprocessor loads about 1 MB of weights that are cached.
inline bool is_one_kernel(const RecurrentAttributes& cell, std::int64_t batch, std::int64_t units,
                          std::size_t bytes_of_number) {
  constexpr std::int64_t max_weight_bytes = 256 << 10;
  constexpr std::int64_t max_multiplications = 1 << 25;
  if (cell.cell == RecurrentCell::gru && !cell.reset_after) return false;
  const std::int64_t columns = units * recurrent_gates(cell.cell);
  return columns <= max_sequence_threads &&
         units * columns * static_cast<std::int64_t>(bytes_of_number) <= max_weight_bytes &&
         batch * units * columns <= max_multiplications;
}

#if defined(__CUDACC__) || defined(RHYTON_CUDA_EMULATION)

/// Products of one thread that are added up without asking whether there are more.
inline constexpr int weights_at_once = 8;
/// Weights of one thread that stay in registers from step to step. Those of a large layer do not fit into them, nor
/// into the caches of a multiprocessor, but into both together.
template <class Number>
inline constexpr int kept_weights = sizeof(Number) == 4 ? 64 : 8;

/// The memory of a block's products.
template <int samples, class Number>
struct SequenceMemory {
  /// Those of all samples side by side; zeros behind the last.
  alignas(16) Number rows[samples * (max_sequence_threads + weights_at_once)];
  Number partial_sums[samples * max_sequence_threads];
};

/// A product of a block in each step: rows [count, depth] times weights [depth, columns], by all threads, of which
/// there are at least as many as columns. A thread adds up a part of one column's products.
template <int samples, class Number>
class StepProducts {
 public:
  __device__ StepProducts(SequenceMemory<samples, Number>& memory, const Number* weights, int depth, int columns)
      : memory_(memory), weights_(weights), depth_(depth), columns_(columns) {
    const int thread = static_cast<int>(threadIdx.x);
    parts_ = static_cast<int>(blockDim.x) / columns;
    part_ = thread / columns;
    column_ = thread - part_ * columns;
    const int whole = weights_at_once * parts_;
    const int length = (depth + whole - 1) / whole * weights_at_once;
    begin_ = part_ < parts_ ? min(depth, part_ * length) : depth;
    end_ = min(depth, begin_ + length);
    for (int i = 0; i < kept_weights<Number>; ++i) kept_[i] = begin_ + i < end_ ? weight(begin_ + i) : Number(0);
    for (int i = samples * depth + thread; i < samples * (depth + weights_at_once); i += static_cast<int>(blockDim.x)) {
      memory.rows[i] = Number(0);
    }
  }

  /// products = rows · weights.
  __device__ void multiply(const Number* rows, Number* products, int count) {
    const int thread = static_cast<int>(threadIdx.x);
    const int threads = static_cast<int>(blockDim.x);
    for (int i = thread; i < samples * depth_; i += threads) {
      const int sample = i / depth_;
      memory_.rows[(i - sample * depth_) * samples + sample] = i < count * depth_ ? rows[i] : Number(0);
    }
    __syncthreads();
    if (part_ < parts_) add_up();
    __syncthreads();
    for (int i = thread; i < count * columns_; i += threads) {
      const int sample = i / columns_;
      const Number* const sums = memory_.partial_sums + sample * parts_ * columns_ + (i - sample * columns_);
      Number sum = sums[0];
      for (int k = 1; k < parts_; ++k) sum += sums[k * columns_];
      products[i] = sum;
    }
    __syncthreads();
  }

 private:
  /// So aligned that they are loaded by few instructions.
  struct alignas(16) Rows {
    Number values[weights_at_once * samples];
  };

  __device__ Number weight(int place) const { return weights_[place * columns_ + column_]; }

  __device__ void add_up() {
    Number sums[samples] = {};
    const Number* const rows = memory_.rows + begin_ * samples;
    const int own = end_ - begin_;
    for (int first = 0; first < kept_weights<Number>; first += weights_at_once) {
      if (first >= own) continue;
      const auto group = *reinterpret_cast<const Rows*>(rows + first * samples);
      for (int i = 0; i < weights_at_once; ++i) {
        for (int sample = 0; sample < samples; ++sample) {
          sums[sample] += group.values[i * samples + sample] * kept_[first + i];
        }
      }
    }
    int first = kept_weights<Number>;
    for (; first + weights_at_once <= own; first += weights_at_once) {
      Number factors[weights_at_once];
      for (int i = 0; i < weights_at_once; ++i) factors[i] = weight(begin_ + first + i);
      const auto group = *reinterpret_cast<const Rows*>(rows + first * samples);
      for (int i = 0; i < weights_at_once; ++i) {
        for (int sample = 0; sample < samples; ++sample) {
          sums[sample] += group.values[i * samples + sample] * factors[i];
        }
      }
    }
    for (; first < own; ++first) {
      const Number factor = weight(begin_ + first);
      for (int sample = 0; sample < samples; ++sample) sums[sample] += rows[first * samples + sample] * factor;
    }
    for (int sample = 0; sample < samples; ++sample) {
      memory_.partial_sums[(sample * parts_ + part_) * columns_ + column_] = sums[sample];
    }
  }

  SequenceMemory<samples, Number>& memory_;
  const Number* weights_;
  int depth_;
  int columns_;
  int parts_;
  int part_;
  int column_;
  /// Of the products of this thread.
  int begin_;
  int end_;
  Number kept_[kept_weights<Number>];
};

/// What follows or precedes the product, for the block's samples.
template <class Cell>
__device__ void run_units(const Cell& cell, std::int64_t first, int count, int units) {
  for (int i = static_cast<int>(threadIdx.x); i < count * units; i += static_cast<int>(blockDim.x)) {
    const int sample = i / units;
    cell(first + sample, i - sample * units);
  }
  __syncthreads();
}

template <int samples>
__device__ int samples_of_block(std::int64_t batch) {
  const std::int64_t rest = batch - static_cast<std::int64_t>(blockIdx.x) * samples;
  return rest < samples ? static_cast<int>(rest) : samples;
}

/// `weights`: [units, columns].
template <int samples, class Cell, class Number>
__global__ void __launch_bounds__(max_sequence_threads)
    run_forward_sequences(Cell cell, Sequences sequences, const Number* weights, bool has_initial_h) {
  __shared__ SequenceMemory<samples, Number> memory;
  auto& step = cell.step;
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * samples;
  const int count = samples_of_block<samples>(sequences.batch);
  const int units = static_cast<int>(sequences.units);
  const int columns = static_cast<int>(step.product_columns);
  StepProducts<samples, Number> products(memory, weights, units, columns);
  for (std::int64_t i = 0; i < sequences.steps; ++i) {
    step.place = sequences.place(i);
    step.has_product = i > 0 || has_initial_h;
    if (step.has_product) products.multiply(step.h + first * units, step.product + first * columns, count);
    run_units(cell, first, count, units);
  }
}

/// `weights`: [columns, units]. `product` is the memory of the cell's `product`.
template <int samples, class Cell, class Number>
__global__ void __launch_bounds__(max_sequence_threads)
    run_backward_sequences(Cell cell, Sequences sequences, const Number* weights, Number* product) {
  __shared__ SequenceMemory<samples, Number> memory;
  auto& step = cell.step;
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * samples;
  const int count = samples_of_block<samples>(sequences.batch);
  const int units = static_cast<int>(sequences.units);
  const int columns = static_cast<int>(step.factor_columns);
  StepProducts<samples, Number> products(memory, weights, columns, units);
  for (std::int64_t i = sequences.steps - 1; i >= 0; --i) {
    step.place = sequences.place(i);
    run_units(cell, first, count, units);
    if (step.is_product_read()) products.multiply(step.factors + first * columns, product + first * units, count);
  }
}

/// So many that none adds up more than 64 products, where that is possible.
inline unsigned sequence_threads(std::int64_t units, std::int64_t columns) {
  constexpr std::int64_t warp = 32;
  const std::int64_t parts = (units + 63) / 64;
  const std::int64_t whole_warps = (columns * parts + warp - 1) / warp * warp;
  return static_cast<unsigned>(std::min<std::int64_t>(whole_warps, max_sequence_threads));
}

/// A block for one or for several samples: enough blocks for all multiprocessors come first.
template <class Function>
void launch_sequences(std::int64_t batch, std::int64_t units, std::int64_t columns, const Function& launch_with) {
  constexpr std::int64_t few = 2 * 132;
  const auto shape = [&](int samples) {
    return LaunchShape{dim3(static_cast<unsigned>((batch + samples - 1) / samples)),
                       dim3(sequence_threads(units, columns))};
  };
  if (batch <= few) {
    launch_with(std::integral_constant<int, 1>(), shape(1));
  } else {
    launch_with(std::integral_constant<int, shared_samples>(), shape(shared_samples));
  }
}

#endif

}  // namespace rhyton::gpu
