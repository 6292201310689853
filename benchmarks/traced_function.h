#pragma once

#include <benchmark/benchmark.h>

#include <cstdint>
#include <random>
#include <vector>

#include <rhyton/framework/context.h>
#include <rhyton/framework/graph/executable.h>
#include <rhyton/framework/graph/tracing.h>
#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::benchmarks {

/// Random float32 numbers in [lowest, highest).
inline Tensor uniform(const Shape& shape, float lowest = -2.0F, float highest = 2.0F) {
  std::mt19937 generator(1);
  std::uniform_real_distribution<float> distribution(lowest, highest);
  std::vector<float> values(static_cast<std::size_t>(shape.size()));
  for (float& value : values) value = distribution(generator);
  return Tensor::from_data(shape, values);
}

/// Runs the trace of `function` on those inputs, all of which carry the batch on their first axis unless specified. The
/// counter gives the number of nodes that remain after the passes.
inline void measure(benchmark::State& state, int threads, const std::vector<Tensor>& inputs,
                    const graph::Function& function, const graph::ExecutableOptions& options = {}, int batch_axis = 0) {
  config::set_num_threads(threads);
  std::vector<graph::FunctionInput> specs;
  std::vector<const void*> pointers;
  for (const Tensor& input : inputs) {
    specs.push_back({input.spec(), batch_axis});
    pointers.push_back(input.raw_data());
  }
  graph::Executable executable(graph::trace(specs, function), options);
  executable.run(pointers);
  for (auto _ : state) {
    executable.run(pointers);
    benchmark::ClobberMemory();
  }
  state.counters["nodes"] = static_cast<double>(executable.graph().nodes().size());
  config::set_num_threads(0);
}

}  // namespace rhyton::benchmarks
