// The convolutions and poolings of the MNIST CNN, each kernel on one thread and on a slice of a few images, as in a
// training step; depthwise convolutions of MobileNets.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

#include <rhyton/framework/ops/conv.h>
#include <rhyton/framework/ops/kernel_table.h>
#include <rhyton/framework/ops/pooling.h>

namespace {

using namespace rhyton;

Tensor patterned(const TensorSpec& spec) {
  Tensor tensor = Tensor::zeros(spec.shape, spec.dtype);
  if (spec.dtype == DType::uint8) return tensor;
  float* const data = tensor.mutable_data<float>();
  for (std::int64_t i = 0; i < tensor.size(); ++i) data[i] = static_cast<float>(i * 7 % 23) / 23.0f - 0.4f;
  return tensor;
}

/// Calls an op's kernel directly on tensors of these shapes.
class KernelRun {
 public:
  KernelRun(const Op& op, const std::vector<TensorSpec>& inputs) : op_(op), kernel_(cpu_kernels().get(op, inputs)) {
    const std::vector<TensorSpec> outputs = op.infer(inputs);
    for (const TensorSpec& spec : inputs) add(spec, inputs_);
    for (const TensorSpec& spec : outputs) add(spec, outputs_);
    if (kernel_.workspace_bytes != nullptr) workspace_.resize(kernel_.workspace_bytes(op, inputs, outputs) + 64);
    if (kernel_.packed_bytes != nullptr) packed_.resize(kernel_.packed_bytes(op, inputs, outputs) + 64);
    if (packed_.size() > 64) {
      kernel_.pack({.op = &op_, .inputs = inputs_, .outputs = outputs_, .workspace = aligned(packed_)});
    }
  }

  void operator()() {
    kernel_.run({.op = &op_,
                 .inputs = inputs_,
                 .outputs = outputs_,
                 .workspace = aligned(workspace_),
                 .packed = packed_.size() > 64 ? aligned(packed_) : nullptr});
  }

 private:
  static void* aligned(std::vector<std::byte>& bytes) {
    const auto address = reinterpret_cast<std::uintptr_t>(bytes.data());
    return reinterpret_cast<void*>((address + 63) / 64 * 64);
  }
  void add(const TensorSpec& spec, std::vector<TensorView>& views) {
    tensors_.push_back(patterned(spec));
    views.push_back({tensors_.back().mutable_raw_data(), spec});
  }

  const Op& op_;
  const Kernel& kernel_;
  std::vector<Tensor> tensors_;
  std::vector<TensorView> inputs_;
  std::vector<TensorView> outputs_;
  std::vector<std::byte> workspace_;
  std::vector<std::byte> packed_;
};

void measure(benchmark::State& state, const Op& op, const std::vector<TensorSpec>& inputs, double operations) {
  KernelRun run(op, inputs);
  for (auto _ : state) {
    run();
    benchmark::ClobberMemory();
  }
  state.counters["FLOP/s"] =
      benchmark::Counter(operations, benchmark::Counter::kIsIterationInvariantRate, benchmark::Counter::kIs1000);
}

struct Layer {
  std::int64_t size;
  std::int64_t channels;
  std::int64_t filters;
  std::int64_t images;
  Conv2DAttributes attributes;

  explicit Layer(const benchmark::State& state)
      : size(state.range(0)), channels(state.range(1)), filters(state.range(2)), images(state.range(3)) {
    attributes.padding = state.range(4) != 0 ? Padding::same : Padding::valid;
  }
  TensorSpec x() const { return {{images, size, size, channels}, float32}; }
  TensorSpec kernel() const { return {{3, 3, channels, filters}, float32}; }
  TensorSpec y() const {
    const std::int64_t output = attributes.padding == Padding::same ? size : size - 2;
    return {{images, output, output, filters}, float32};
  }
  double operations() const {
    return 2.0 * 9.0 * static_cast<double>(channels) * static_cast<double>(y().shape.size());
  }
};

void forward(benchmark::State& state) {
  const Layer layer(state);
  measure(state, Conv2DOp(layer.attributes), {layer.x(), layer.kernel()}, layer.operations());
}

void fused(benchmark::State& state) {
  const Layer layer(state);
  measure(state, FusedConv2DOp(Epilogue::relu, layer.attributes),
          {layer.x(), layer.kernel(), {{layer.filters}, float32}}, layer.operations());
}

void input_gradient(benchmark::State& state) {
  const Layer layer(state);
  measure(state, Conv2DInputGradientOp(layer.size, layer.size, layer.attributes), {layer.kernel(), layer.y()},
          layer.operations());
}

void kernel_gradient(benchmark::State& state) {
  const Layer layer(state);
  measure(state, Conv2DKernelGradientOp(3, 3, layer.attributes), {layer.x(), layer.y()}, layer.operations());
}

// size, channels, filters, images, padded
void layers(benchmark::internal::Benchmark* benchmark) {
  for (const std::int64_t images : {1, 4, 8}) {
    benchmark->Args({28, 1, 32, images, 0})->Args({13, 32, 64, images, 0})->Args({5, 64, 64, images, 0});
  }
  benchmark->Args({32, 3, 32, 4, 1})->Args({16, 64, 128, 4, 1})->Args({28, 17, 33, 4, 1});
}

BENCHMARK(forward)->Apply(layers);
BENCHMARK(fused)->Apply(layers);
BENCHMARK(input_gradient)->Apply(layers);
BENCHMARK(kernel_gradient)->Apply(layers);

/// A depthwise convolution as in MobileNets, of one image.
struct Depthwise {
  std::int64_t size;
  std::int64_t channels;
  std::int64_t window;
  Conv2DAttributes attributes;

  explicit Depthwise(const benchmark::State& state)
      : size(state.range(0)), channels(state.range(1)), window(state.range(2)) {
    attributes = {.strides = {state.range(3), state.range(3)}, .padding = Padding::same, .groups = channels};
  }
  TensorSpec x() const { return {{1, size, size, channels}, float32}; }
  TensorSpec kernel() const { return {{window, window, 1, channels}, float32}; }
  TensorSpec y() const {
    const std::int64_t output = (size - 1) / attributes.strides[0] + 1;
    return {{1, output, output, channels}, float32};
  }
  double operations() const { return 2.0 * static_cast<double>(window * window * y().shape.size()); }
};

void depthwise_forward(benchmark::State& state) {
  const Depthwise layer(state);
  measure(state, Conv2DOp(layer.attributes), {layer.x(), layer.kernel()}, layer.operations());
}

void depthwise_input_gradient(benchmark::State& state) {
  const Depthwise layer(state);
  measure(state, Conv2DInputGradientOp(layer.size, layer.size, layer.attributes), {layer.kernel(), layer.y()},
          layer.operations());
}

void depthwise_kernel_gradient(benchmark::State& state) {
  const Depthwise layer(state);
  measure(state, Conv2DKernelGradientOp(layer.window, layer.window, layer.attributes), {layer.x(), layer.y()},
          layer.operations());
}

// size, channels, window, stride
void depthwise_layers(benchmark::internal::Benchmark* benchmark) {
  benchmark->Args({112, 32, 3, 1})->Args({112, 96, 3, 2})->Args({56, 144, 3, 1})->Args({14, 576, 3, 1});
  benchmark->Args({7, 960, 3, 1})->Args({28, 240, 5, 2})->Args({14, 672, 5, 1});
}

BENCHMARK(depthwise_forward)->Apply(depthwise_layers);
BENCHMARK(depthwise_input_gradient)->Apply(depthwise_layers);
BENCHMARK(depthwise_kernel_gradient)->Apply(depthwise_layers);

void max_pool(benchmark::State& state) {
  measure(state, MaxPool2DOp(), {{{4, state.range(0), state.range(0), state.range(1)}, float32}}, 0);
}

void max_pool_gradient(benchmark::State& state) {
  const Shape pooled = {4, state.range(0) / 2, state.range(0) / 2, state.range(1)};
  measure(state, MaxPool2DGradientOp(state.range(0), state.range(0)), {{pooled, float32}, {pooled, uint8}}, 0);
}

BENCHMARK(max_pool)->Args({26, 32})->Args({11, 64});
BENCHMARK(max_pool_gradient)->Args({26, 32})->Args({11, 64});

}  // namespace
