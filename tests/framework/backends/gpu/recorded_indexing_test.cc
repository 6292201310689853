// Steps with ops that index, sort and scan: they are recorded as graphs, and their results are those of the CPU.

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/device/device_scope.h>
#include <rhyton/framework/graph/executable.h>
#include <rhyton/framework/graph/tracing.h>
#include <rhyton/framework/ops/category_counts.h>
#include <rhyton/framework/ops/cumulative.h>
#include <rhyton/framework/ops/dynamic_slice.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/indexing.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/scatter.h>
#include <rhyton/framework/ops/segments.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/ops/sorting.h>
#include <rhyton/tests/framework/backends/gpu/gpus.h>
#include <rhyton/tests/support/random_tensor.h>
#include <rhyton/tests/support/tensor_distance.h>

#ifdef RHYTON_CUDA_EMULATION
#include <emulator.h>
#endif

namespace rhyton::gpu::recorded_indexing_tests {
namespace {

constexpr std::int64_t length = 9000;

/// Of numbers from 0 on, so that all sums are exact.
std::vector<Tensor> indexed_results(const std::vector<Tensor>& inputs) {
  const Tensor& x = inputs[0];
  const Tensor ids = cast(x, int32);
  const Tensor order = argsort(x);
  const Tensor start = reshape(max(ids), {1});
  const Tensor places = reshape(ids, {-1, 1});
  return {take_along_axis(x, order),
          cumsum(x),
          segment_sum(x, ids, 20),
          category_counts(ids, 20),
          searchsorted(sort(x), x),
          slice(x, start, {5}),
          slice_update(x, start, Tensor::full({5}, -1.0)),
          scatter_update(Tensor::zeros({20}), places, x, ScatterReduction::max)};
}

TEST(RecordedIndexingOnGpu, HasTheResultsOfTheCpu) {
  graph::Executable executable(graph::trace({{{{length}, float32}, -1}}, indexed_results),
                               {.name = "indexing", .device = &first_gpu()});
#ifdef RHYTON_CUDA_EMULATION
  const std::int64_t before = cuda_emulation::counters().graphs_launched;
#endif
  for (std::uint64_t run = 0; run < 4; ++run) {
    const Tensor x = floor(test::random_tensor({length}, run, 0, 20));
    std::vector<Tensor> actual;
    for (const Tensor& result : executable({x})) actual.push_back(result.to(cpu()));
    EXPECT_TRUE(test::same_bits(actual, indexed_results({x}))) << run;
  }
#ifdef RHYTON_CUDA_EMULATION
  EXPECT_GE(cuda_emulation::counters().graphs_launched - before, 2);
#endif
}

}  // namespace
}  // namespace rhyton::gpu::recorded_indexing_tests
