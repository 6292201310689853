// Matrix products: the dense layers of the MNIST CNN on slices of a batch, and square ones, on one thread.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

#include <rhyton/framework/ops/kernel_table.h>
#include <rhyton/framework/ops/matmul.h>

namespace {

using namespace rhyton;

/// Memory aligned to a cache line.
class AlignedMemory {
 public:
  explicit AlignedMemory(std::size_t bytes) : bytes_(bytes + 64) {}
  void* data() { return reinterpret_cast<void*>((reinterpret_cast<std::uintptr_t>(bytes_.data()) + 63) / 64 * 64); }

 private:
  std::vector<std::byte> bytes_;
};

void measure(benchmark::State& state, const Op& op, const std::vector<TensorSpec>& inputs, double operations) {
  const Kernel& kernel = cpu_kernels().get(op, inputs);
  const std::vector<TensorSpec> outputs = op.infer(inputs);
  std::vector<Tensor> tensors;
  std::vector<TensorView> views;
  for (const TensorSpec& spec : inputs) {
    tensors.push_back(Tensor::full(spec.shape, 0.5));
    views.push_back({tensors.back().mutable_raw_data(), spec});
  }
  Tensor result = Tensor::zeros(outputs[0].shape);
  const TensorView result_view = {result.mutable_raw_data(), outputs[0]};
  const std::size_t packed_bytes = kernel.packed_bytes == nullptr ? 0 : kernel.packed_bytes(op, inputs, outputs);
  AlignedMemory packed(packed_bytes);
  AlignedMemory workspace(kernel.workspace_bytes == nullptr ? 0 : kernel.workspace_bytes(op, inputs, outputs));
  KernelArguments arguments = {.op = &op, .inputs = views, .outputs = std::span(&result_view, 1)};
  arguments.workspace = packed.data();
  if (packed_bytes > 0) {
    kernel.pack(arguments);
    arguments.packed = packed.data();
  }
  arguments.workspace = workspace.data();
  for (auto _ : state) {
    kernel.run(arguments);
    benchmark::ClobberMemory();
  }
  state.counters["FLOP/s"] =
      benchmark::Counter(operations, benchmark::Counter::kIsIterationInvariantRate, benchmark::Counter::kIs1000);
}

double operations(const benchmark::State& state) {
  return 2.0 * static_cast<double>(state.range(0) * state.range(1) * state.range(2));
}

void product(benchmark::State& state) {
  measure(state, MatMulOp(), {{{state.range(0), state.range(1)}, float32}, {{state.range(1), state.range(2)}, float32}},
          operations(state));
}

void input_gradient(benchmark::State& state) {
  measure(state, MatMulOp(false, true),
          {{{state.range(0), state.range(2)}, float32}, {{state.range(1), state.range(2)}, float32}},
          operations(state));
}

void kernel_gradient(benchmark::State& state) {
  measure(state, MatMulKernelGradientOp(),
          {{{state.range(0), state.range(1)}, float32}, {{state.range(0), state.range(2)}, float32}},
          operations(state));
}

// rows, depth, columns
void shapes(benchmark::internal::Benchmark* benchmark) {
  for (const std::int64_t rows : {1, 4, 8, 16, 64}) benchmark->Args({rows, 576, 64});
  benchmark->Args({8, 64, 10})->Args({64, 784, 512})->Args({1024, 1024, 1024});
}

BENCHMARK(product)->Apply(shapes);
BENCHMARK(input_gradient)->Apply(shapes);
BENCHMARK(kernel_gradient)->Apply(shapes);

}  // namespace
