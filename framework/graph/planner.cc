#include <rhyton/framework/graph/plan.h>

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>

#include <fmt/format.h>

#include <rhyton/framework/device/device_scope.h>
#include <rhyton/framework/environment.h>
#include <rhyton/framework/graph/batch_analysis.h>
#include <rhyton/framework/graph/ids.h>
#include <rhyton/framework/graph/lifetimes.h>
#include <rhyton/framework/graph/plan_memory.h>
#include <rhyton/framework/graph/reduction_stages.h>
#include <rhyton/framework/graph/schedule.h>
#include <rhyton/framework/graph/slicing.h>
#include <rhyton/framework/graph/small_batches.h>
#include <rhyton/framework/graph/summation.h>
#include <rhyton/framework/ops/eager.h>
#include <rhyton/framework/ops/placement.h>
#include <rhyton/framework/tensor/checked_arithmetic.h>

namespace rhyton::graph {
namespace {

// Work on fewer bytes is done by the calling thread alone.
constexpr std::size_t bytes_worth_waking_threads = 64 * 1024;

// In larger steps a single kernel keeps a device busy.
constexpr std::size_t max_spread_bytes = std::size_t{256} << 20;
constexpr std::size_t least_devices_share = 8;

std::size_t max_spread_bytes_on(const LogicalDevice& device) {
  const std::optional<std::size_t> limit = device.allocator().statistics().limit;
  return limit ? std::min(max_spread_bytes, *limit / least_devices_share) : max_spread_bytes;
}

/// Packed weights that several calls can use.
struct Packing {
  const Kernel* kernel = nullptr;
  std::string layout;
  std::vector<ValueId> weights;
  /// When they are there; -1: always.
  int time = -1;

  friend bool operator<(const Packing& a, const Packing& b) {
    return std::tie(a.kernel, a.layout, a.weights, a.time) < std::tie(b.kernel, b.layout, b.weights, b.time);
  }
};

class Planner {
 public:
  Planner(const Graph& graph, const PlanOptions& options)
      : graph_(graph),
        options_(options),
        on_stream_(options.device != nullptr && !options.device->is_host()),
        batch_(on_stream_ ? without_batch(graph) : analyze(graph)),
        stages_(on_stream_ ? std::vector<int>() : reduction_stages(graph)),
        schedule_(on_stream_ ? make_sequential_schedule(graph) : make_schedule(graph, batch_, stages_)),
        lifetimes_(find_lifetimes(graph, batch_, schedule_)),
        memory_(graph, batch_, schedule_, lifetimes_, plan_) {}

  Plan make() {
    require_countable();
    plan_.batch = batch_.batch;
    memory_.place_fixed();
    choose_slices();
    for (const Phase& phase : schedule_.phases) plan_phase(phase);
    lay_out_shared();
    memory_.finish_copies();
    return std::move(plan_);
  }

 private:
  static BatchAnalysis analyze(const Graph& graph) {
    BatchAnalysis batch = analyze_batch(graph);
    prefer_whole_sums(graph, batch);
    prefer_whole_pieces(graph, batch);
    return batch;
  }

  // Throws on overflow: sums over all bytes that the calls read and write follow, multiplied by the number of slices.
  void require_countable() const {
    constexpr std::int64_t max_times = 64;
    std::int64_t bytes = 0;
    const auto count = [&](ValueId id) { bytes = checked_add(bytes, static_cast<std::int64_t>(memory_.bytes_of(id))); };
    for (const Node& node : graph_.nodes()) {
      std::for_each(node.inputs.begin(), node.inputs.end(), count);
      std::for_each(node.outputs.begin(), node.outputs.end(), count);
    }
    static_cast<void>(checked_multiply(bytes, max_times));
  }
  bool carries_batch(ValueId id) const { return batch_.axis[at(id)] == 0; }

  void choose_slices() {
    if (batch_.batch <= 0) return;
    if (stages_.empty()) return choose_slices(schedule_, lifetimes_);
    // Slices of a run without stages: so that sums over the batch have the same bits with and without buckets.
    const Schedule schedule = make_schedule(graph_, batch_);
    choose_slices(schedule, find_lifetimes(graph_, batch_, schedule));
  }

  void choose_slices(const Schedule& schedule, const Lifetimes& lifetimes) {
    const Slicing slicing = choose_slicing(
        graph_, batch_, schedule, lifetimes, [&](ValueId id) { return memory_.is_local(id, lifetimes); }, options_);
    plan_.slice_size = slicing.slice_size;
    plan_.slices = slicing.slices;
    plan_.chunk = slicing.chunk;
  }

  void plan_phase(const Phase& phase) {
    PlannedPhase planned;
    planned.sliced = phase.sliced;
    plan_.phase_first_time.push_back(phase.first_time);
    if (phase.sliced) {
      plan_sliced(phase, planned);
    } else {
      plan_whole(phase, planned);
    }
    plan_.phases.push_back(std::move(planned));
  }

  PlannedCall start_call(NodeId id) {
    const Node& node = graph_.node(id);
    PlannedCall call;
    call.node = id;
    call.op = node.op;
    call.specs = graph_.specs_of(node.inputs);
    if (on_stream_) {
      const Placement placement = place_on(*options_.device, *node.op, call.specs);
      call.kernel = placement.kernel;
      call.on_host = placement.device->is_host();
    } else {
      call.kernel = &cpu_kernels().get(*node.op, call.specs);
    }
    call.input_count = node.inputs.size();
    for (const ValueId output : node.outputs) call.specs.push_back(graph_.value(output).spec);
    return call;
  }

  std::span<const TensorSpec> inputs_of(const std::vector<TensorSpec>& specs, const PlannedCall& call) const {
    return std::span(specs).first(call.input_count);
  }
  std::span<const TensorSpec> outputs_of(const std::vector<TensorSpec>& specs, const PlannedCall& call) const {
    return std::span(specs).subspan(call.input_count);
  }

  void plan_packed(PlannedCall& call, int time) {
    if (on_stream_ || call.kernel->packed_bytes == nullptr) return;
    const std::size_t bytes =
        call.kernel->packed_bytes(*call.op, inputs_of(call.specs, call), outputs_of(call.specs, call));
    if (bytes == 0) return;
    call.packed_bytes = bytes;
    const std::vector<ValueId> weights = packed_weights(call);
    call.packed_from = kept_weights(weights);
    if (!weights.empty()) call.packed_layout = packed_layout(call);
    const bool is_kept = !call.packed_from.empty();
    const Packing packing{
        .kernel = call.kernel, .layout = call.packed_layout, .weights = weights, .time = is_kept ? -1 : time};
    if (const auto same = packings_.find(packing); same != packings_.end()) {
      call.packed = same->second.packed;
      if (!is_kept) packed_interval_[call.node] = packed_interval_.at(same->second.node);
      return;
    }
    call.packs = true;
    if (is_kept) {
      call.packed = Operand{plan_.slot_count++, 0, 0, 0};
    } else {
      call.packed = Operand{Plan::shared_slot, 0, 0, 0};
      packed_interval_[call.node] = memory_.add_shared(bytes, time, time);
    }
    if (!weights.empty()) packings_[packing] = {.node = call.node, .packed = *call.packed};
  }

  // A kernel gets the same packed weights for any number of samples, so the layout does not depend on the batch.
  std::string packed_layout(const PlannedCall& call) const {
    std::string layout = fmt::format("{} {}", call.op->name(), call.op->attributes());
    const Node& node = graph_.node(call.node);
    for (std::size_t i = 0; i < call.input_count; ++i) {
      const TensorSpec& spec = call.specs[i];
      const Shape shape = carries_batch(node.inputs[i]) ? spec.shape.with(0, 1) : spec.shape;
      layout += fmt::format(" {}{}", name_of(spec.dtype), shape.to_string());
    }
    return layout;
  }

  // An op that mixes the batch may pack what carries it.
  bool may_pack_the_batch(const PlannedCall& call) const {
    const Node& node = graph_.node(call.node);
    std::vector<int> axes;
    for (const ValueId input : node.inputs) axes.push_back(batch_.axis[at(input)]);
    if (std::all_of(axes.begin(), axes.end(), [](int axis) { return axis < 0; })) return false;
    for (std::size_t output = 0; output < node.outputs.size(); ++output) {
      const BatchRule rule = call.op->output_batch_rule(output, inputs_of(call.specs, call), axes);
      if (rule.effect == BatchEffect::mixes) return true;
    }
    return false;
  }

  // The values that a packed copy is made of; none if it may depend on the batch.
  std::vector<ValueId> packed_weights(const PlannedCall& call) const {
    if (may_pack_the_batch(call)) return {};
    std::vector<ValueId> weights;
    for (const ValueId input : graph_.node(call.node).inputs) {
      // Kernels pack no vectors: biases and factors, which may be computed, are read where they are.
      if (carries_batch(input) || graph_.value(input).spec.shape.rank() < 2) continue;
      weights.push_back(memory_.root(input));
    }
    return weights;
  }

  // The variables whose packed copy is kept; none if it has other inputs, or the plan writes them.
  std::vector<Variable> kept_weights(const std::vector<ValueId>& weights) const {
    std::vector<Variable> variables;
    for (const ValueId weight : weights) {
      const Value& value = graph_.value(weight);
      if (value.kind != Value::Kind::variable || memory_.is_written(value.variable)) return {};
      variables.push_back(value.variable);
    }
    return variables;
  }

  std::size_t workspace_bytes(const PlannedCall& call, std::int64_t rows) const {
    if (call.kernel->workspace_bytes == nullptr || call.on_host) return 0;
    std::vector<TensorSpec> specs = call.specs;
    for (std::size_t i = 0; i < specs.size(); ++i) {
      if (call.cut[i]) specs[i].shape[call.row_axis] = rows;
    }
    return aligned(call.kernel->workspace_bytes(*call.op, inputs_of(specs, call), outputs_of(specs, call)));
  }

  void plan_whole(const Phase& phase, PlannedPhase& planned) {
    for (std::size_t w = 0; w < phase.waves.size(); ++w) {
      std::vector<std::size_t> wave;
      std::size_t bytes = 0;
      const int time = phase.first_time + static_cast<int>(w);
      for (const NodeId id : phase.waves[w]) {
        const Node& node = graph_.node(id);
        PlannedCall call = start_call(id);
        for (const ValueId output : node.outputs) memory_.place_shared(id, output, true);
        const OpSplit split =
            on_stream_ ? OpSplit()
                       : split_op(*node.op, *call.kernel, inputs_of(call.specs, call), outputs_of(call.specs, call));
        call.pieces = split.pieces;
        call.row_axis = split.axis;
        call.rows = split.samples;
        call.split_by_kernel = split.by_kernel;
        call.cut.assign(call.specs.size(), false);
        if (split.pieces > 1 && !split.by_kernel) {
          for (std::size_t i = 0; i < call.specs.size(); ++i) {
            call.cut[i] = i < call.input_count ? split.cut_inputs[i] : true;
          }
        }
        plan_packed(call, time);
        call.workspace_bytes = workspace_bytes(call, (call.rows + call.pieces - 1) / call.pieces);
        if (call.workspace_bytes > 0) {
          workspace_interval_[id] = memory_.add_shared(
              checked_multiply(call.workspace_bytes, static_cast<std::size_t>(call.pieces)), time, time);
        }
        for (const TensorSpec& spec : call.specs) bytes += spec.bytes();
        wave.push_back(planned.calls.size());
        planned.calls.push_back(std::move(call));
      }
      planned.waves.push_back(std::move(wave));
      planned.wave_parallel.push_back(bytes >= bytes_worth_waking_threads);
    }
    plan_.worker_expiries.emplace_back();
  }

  // Lays out the worker's arena for a sliced phase: its local values, for a chunk of samples.
  void plan_sliced(const Phase& phase, PlannedPhase& planned) {
    std::vector<Interval> intervals;
    const auto local_bytes = [&](ValueId id) {
      return memory_.bytes_of(id) / static_cast<std::size_t>(batch_.batch) * static_cast<std::size_t>(plan_.chunk);
    };
    std::size_t touched = 0;
    std::vector<int> workspace_interval;
    for (std::size_t position = 0; position < phase.nodes.size(); ++position) {
      const NodeId id = phase.nodes[position];
      const Node& node = graph_.node(id);
      PlannedCall call = start_call(id);
      call.sums = batch_.sums_any(node);
      for (const ValueId input : node.inputs) {
        call.cut.push_back(carries_batch(input));
        if (call.cut.back()) call.rows_per_sample = batch_.rows_per_sample(graph_.value(input).spec.shape);
      }
      for (const ValueId output : node.outputs) {
        const bool sums = batch_.sums(output);
        call.cut.push_back(!sums);
        if (sums) {
          memory_.place_shared(id, output, false);
          if (plan_.slices > 1) {
            partials_interval_[output] = memory_.add_shared(
                checked_multiply(aligned(memory_.bytes_of(output)), static_cast<std::size_t>(plan_.slices)),
                phase.first_time, phase.first_time);
          }
        } else if (!memory_.is_local(output)) {
          memory_.place_shared(id, output, false);
        } else {
          memory_.place_local(id, output, static_cast<int>(position), local_bytes(output), intervals);
        }
      }
      plan_packed(call, phase.first_time);
      for (const std::int64_t samples : chunk_sizes()) {
        call.workspace_bytes = std::max(call.workspace_bytes, workspace_bytes(call, samples * call.rows_per_sample));
      }
      workspace_interval.push_back(-1);
      if (call.workspace_bytes > 0) {
        intervals.push_back({call.workspace_bytes, static_cast<int>(position), static_cast<int>(position)});
        workspace_interval.back() = static_cast<int>(intervals.size()) - 1;
      }
      for (const TensorSpec& spec : call.specs) touched += spec.bytes();
      planned.calls.push_back(std::move(call));
    }
    planned.parallel = plan_.slices > 1 && touched >= bytes_worth_waking_threads;

    const ArenaLayout layout = lay_out(intervals);
    plan_.worker_bytes = std::max(plan_.worker_bytes, layout.bytes);
    memory_.set_local_offsets(phase, layout);
    for (std::size_t i = 0; i < planned.calls.size(); ++i) {
      if (workspace_interval[i] < 0) continue;
      planned.calls[i].workspace = {Plan::worker_slot, layout.offsets[static_cast<std::size_t>(workspace_interval[i])],
                                    0, 0};
    }
    auto& expiries = plan_.worker_expiries.emplace_back();
    if (options_.check) {
      expiries.resize(phase.nodes.size());
      for (std::size_t i = 0; i < intervals.size(); ++i) {
        expiries[static_cast<std::size_t>(intervals[i].last)].push_back({layout.offsets[i], intervals[i].bytes});
      }
    }
  }

  // The possible numbers of samples of a chunk.
  std::vector<std::int64_t> chunk_sizes() const {
    std::vector<std::int64_t> sizes{plan_.chunk};
    for (const std::int64_t slice : {plan_.slice_size, plan_.batch - (plan_.slices - 1) * plan_.slice_size}) {
      if (slice % plan_.chunk != 0) sizes.push_back(slice % plan_.chunk);
    }
    return sizes;
  }

  // Shares no memory between tensors if that takes little: concurrent calls would have to wait for each other.
  void spread_shared() {
    if (is_switched_on("RHYTON_NO_BRANCHES")) return;
    std::size_t bytes = 0;
    for (const Interval& interval : plan_.shared_intervals) bytes += interval.bytes;
    if (bytes > max_spread_bytes_on(*options_.device)) return;
    plan_.is_spread = true;
    for (Interval& interval : plan_.shared_intervals) {
      interval.first = 0;
      interval.last = schedule_.end_time;
    }
  }

  void lay_out_shared() {
    memory_.place_staging();
    if (on_stream_) spread_shared();
    memory_.lay_out_shared(on_stream_ ? device_arena_alignment : arena_alignment);
    if (options_.check) {
      plan_.shared_expiries.resize(static_cast<std::size_t>(schedule_.end_time) + 1);
      for (std::size_t i = 0; i < plan_.shared_intervals.size(); ++i) {
        const Interval& interval = plan_.shared_intervals[i];
        plan_.shared_expiries[static_cast<std::size_t>(interval.last)].push_back(
            {plan_.shared_layout.offsets[i], interval.bytes});
      }
    }
    for (PlannedPhase& phase : plan_.phases) resolve(phase);
  }

  void resolve(PlannedPhase& phase) {
    for (PlannedCall& call : phase.calls) {
      const Node& node = graph_.node(call.node);
      for (std::size_t i = 0; i < call.specs.size(); ++i) {
        const ValueId value = i < call.input_count ? node.inputs[i] : node.outputs[i - call.input_count];
        const std::int64_t parts = !call.cut[i] ? 0 : phase.sliced ? batch_.batch : call.rows;
        call.operands.push_back(memory_.operand_of(value, parts));
        if (i < call.input_count) continue;
        if (const auto it = partials_interval_.find(value); it != partials_interval_.end()) {
          const Operand partials{Plan::shared_slot, memory_.shared_offset(it->second), 0,
                                 aligned(memory_.bytes_of(value))};
          phase.reductions.push_back({partials, call.specs[i].shape.size(), call.specs[i].dtype, call.operands.back()});
          call.operands.back() = partials;
        }
      }
      if (const auto it = packed_interval_.find(call.node); it != packed_interval_.end()) {
        call.packed->offset = memory_.shared_offset(it->second);
      }
      if (const auto it = workspace_interval_.find(call.node); it != workspace_interval_.end()) {
        call.workspace = {Plan::shared_slot, memory_.shared_offset(it->second), 0, call.workspace_bytes};
      }
    }
  }

  const Graph& graph_;
  PlanOptions options_;
  bool on_stream_;
  BatchAnalysis batch_;
  std::vector<int> stages_;
  Schedule schedule_;
  Lifetimes lifetimes_;
  Plan plan_;
  PlanMemory memory_;
  std::unordered_map<ValueId, int> partials_interval_;
  std::unordered_map<NodeId, int> packed_interval_;
  /// The first call that uses them, and where they are.
  struct FirstUse {
    NodeId node = -1;
    Operand packed;
  };
  std::map<Packing, FirstUse> packings_;
  std::unordered_map<NodeId, int> workspace_interval_;
};

}  // namespace

Plan make_plan(const Graph& graph, const PlanOptions& options) {
  if (options.device == nullptr || options.device->is_host()) return Planner(graph, options).make();
  const DeviceScope scope(*options.device);  // what kernels need can depend on the device
  return Planner(graph, options).make();
}

}  // namespace rhyton::graph
