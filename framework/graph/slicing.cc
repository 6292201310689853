#include <rhyton/framework/graph/slicing.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace rhyton::graph {
namespace {

// A chunk should stay in a core's L2 cache throughout a phase.
constexpr std::int64_t cache_bytes = 768 * 1024;
constexpr std::int64_t max_slices = 16;
// The maximum share of a slice's computation time for adding up its sums, where one byte is added in the time of so
// many operations.
constexpr double max_reduction = 1.0 / 16;
constexpr double operations_per_byte = 10;
// The same for weights, which every slice reads again if they do not stay in a core's L2 cache.
constexpr double max_reading = 1.0 / 4;
constexpr double operations_per_byte_read = 4;
constexpr std::int64_t weights_that_stay = 512 * 1024;
// The maximum bytes of the partial sums of all slices together.
constexpr std::int64_t max_partial_bytes = std::int64_t{64} << 20;
// A phase with a smaller share of the operations, and with sums of so few bytes, does not decide the number of slices.
constexpr double least_share = 1.0 / 32;
constexpr std::int64_t small_sums = 4096;

struct Demand {
  /// Bytes that are live at once, per sample, in the phase with the maximum.
  std::int64_t bytes_per_sample = 0;
  /// Bytes of the sums of one slice, in the phase with the maximum.
  std::int64_t partial_bytes = 0;
  /// Bytes that are read whole for each slice.
  std::int64_t weight_bytes = 0;
  /// Floating point operations for one sample.
  double flops_per_sample = 0;
  /// What the phase's kernels need at least in a slice and in a chunk, weighted by their operations.
  double least_samples = 1;
  double least_chunk = 1;
};

using SampleCount = std::int64_t (*Kernel::*)(const Op&, Kernel::Specs, Kernel::Specs);

/// The number of samples by a member of the op's kernel.
std::int64_t samples_by(SampleCount member, const Op& op, const std::vector<TensorSpec>& inputs,
                        const std::vector<TensorSpec>& outputs) {
  const Kernel* kernel = cpu_kernels().find(op.name(), op.kernel_dtype(inputs));
  if (kernel == nullptr || kernel->*member == nullptr) return 1;
  return (kernel->*member)(op, inputs, outputs);
}

Demand demand_of(const Phase& phase, const Graph& graph, const BatchAnalysis& batch, const Lifetimes& lifetimes,
                 const std::function<bool(ValueId)>& is_local) {
  Demand demand;
  // The bytes that become live (positive) or dead (negative) before the node at that position.
  std::vector<std::pair<int, std::int64_t>> events;
  double weighted_samples = 0;
  double weighted_chunk = 0;
  for (std::size_t position = 0; position < phase.nodes.size(); ++position) {
    const NodeId id = phase.nodes[position];
    const Node& node = graph.node(id);
    const std::vector<TensorSpec> inputs = graph.specs_of(node.inputs);
    const std::vector<TensorSpec> outputs = graph.specs_of(node.outputs);
    const double flops = node.op->flops(inputs, outputs) / static_cast<double>(batch.batch);
    demand.flops_per_sample += flops;
    weighted_samples += flops * static_cast<double>(samples_by(&Kernel::least_samples, *node.op, inputs, outputs));
    weighted_chunk += flops * static_cast<double>(samples_by(&Kernel::least_chunk, *node.op, inputs, outputs));
    for (const ValueId input : node.inputs) {
      if (batch.axis[static_cast<std::size_t>(input)] >= 0) continue;
      demand.weight_bytes += static_cast<std::int64_t>(graph.value(input).spec.bytes());
    }
    for (const ValueId output : node.outputs) {
      const auto bytes = static_cast<std::int64_t>(graph.value(output).spec.bytes());
      if (batch.sums(output)) {
        demand.partial_bytes += bytes;
      } else if (is_local(output)) {
        events.emplace_back(static_cast<int>(position), bytes / batch.batch);
        events.emplace_back(lifetimes.of(output).last_position + 1, -bytes / batch.batch);
      }
    }
  }
  if (demand.flops_per_sample > 0) {
    demand.least_samples = weighted_samples / demand.flops_per_sample;
    demand.least_chunk = weighted_chunk / demand.flops_per_sample;
  }
  std::sort(events.begin(), events.end());
  std::int64_t live = 0;
  for (const auto& [position, change] : events) {
    live += change;
    demand.bytes_per_sample = std::max(demand.bytes_per_sample, live);
  }
  return demand;
}

/// The number of slices that weights, sums and kernels allow: the computation of one must take much longer than reading
/// the weights and adding up the sums, and its samples should be as many as the kernels need.
std::int64_t worthwhile_slices(const Demand& demand, std::int64_t batch) {
  double samples = static_cast<double>(demand.partial_bytes) * operations_per_byte / max_reduction;
  if (demand.weight_bytes > weights_that_stay) {
    samples = std::max(samples, static_cast<double>(demand.weight_bytes) * operations_per_byte_read / max_reading);
  }
  samples = std::max(samples / std::max(1.0, demand.flops_per_sample), demand.least_samples);
  std::int64_t slices = 2;
  while (slices < max_slices && static_cast<double>(2 * slices) * samples <= static_cast<double>(batch)) slices *= 2;
  return slices;
}

}  // namespace

Slicing choose_slicing(const Graph& graph, const BatchAnalysis& batch, const Schedule& schedule,
                       const Lifetimes& lifetimes, const std::function<bool(ValueId)>& is_local,
                       const PlanOptions& options) {
  std::vector<Demand> demands;
  double flops_per_sample = 0;
  for (const Phase& phase : schedule.phases) {
    if (!phase.sliced) continue;
    demands.push_back(demand_of(phase, graph, batch, lifetimes, is_local));
    flops_per_sample += demands.back().flops_per_sample;
  }
  Demand maximum;
  std::int64_t slices = max_slices;
  for (const Demand& demand : demands) {
    maximum.bytes_per_sample = std::max(maximum.bytes_per_sample, demand.bytes_per_sample);
    maximum.partial_bytes = std::max(maximum.partial_bytes, demand.partial_bytes);
    maximum.least_chunk = std::max(maximum.least_chunk, demand.least_chunk);
    const bool is_minor = demand.flops_per_sample < least_share * flops_per_sample &&
                          demand.partial_bytes <= small_sums && demand.weight_bytes <= weights_that_stay;
    if (!is_minor) slices = std::min(slices, worthwhile_slices(demand, batch.batch));
  }

  Slicing slicing;
  slices = std::min(options.slices > 0 ? options.slices : slices, batch.batch);
  while (slices > 2 && slices * maximum.partial_bytes > max_partial_bytes) slices /= 2;
  slicing.slice_size = (batch.batch + slices - 1) / slices;
  slicing.slices = (batch.batch + slicing.slice_size - 1) / slicing.slice_size;
  std::int64_t chunk = options.samples_per_chunk;
  if (chunk <= 0) {
    chunk = maximum.bytes_per_sample == 0 ? slicing.slice_size : cache_bytes / maximum.bytes_per_sample;
    const auto least_chunk = static_cast<std::int64_t>(std::lround(maximum.least_chunk));
    if (chunk < least_chunk) {
      const std::int64_t chunks = std::max<std::int64_t>(1, slicing.slice_size / least_chunk);
      chunk = (slicing.slice_size + chunks - 1) / chunks;
    }
  }
  slicing.chunk = std::clamp<std::int64_t>(chunk, 1, slicing.slice_size);
  return slicing;
}

}  // namespace rhyton::graph
