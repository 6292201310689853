#include <rhyton/framework/graph/plan.h>

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include <rhyton/framework/device/device_scope.h>
#include <rhyton/framework/environment.h>
#include <rhyton/framework/graph/batch_analysis.h>
#include <rhyton/framework/graph/lifetimes.h>
#include <rhyton/framework/graph/reduction_places.h>
#include <rhyton/framework/graph/reduction_stages.h>
#include <rhyton/framework/graph/schedule.h>
#include <rhyton/framework/graph/slicing.h>
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
        places_(graph.values().size()) {}

  Plan make() {
    require_countable();
    plan_.batch = batch_.batch;
    assign_slots();
    place_updates();
    place_outputs();
    place_joint_reductions();
    choose_slices();
    for (std::size_t p = 0; p < schedule_.phases.size(); ++p) plan_phase(p);
    lay_out_shared();
    finish_copies();
    return std::move(plan_);
  }

 private:
  // The location of a root value. `interval` is an index into the intervals of the arena that `slot` selects.
  struct Place {
    int slot = -1;
    int interval = -1;
    bool worker = false;
    // Within the interval.
    std::size_t offset = 0;
  };

  static BatchAnalysis analyze(const Graph& graph) {
    BatchAnalysis batch = analyze_batch(graph);
    prefer_whole_sums(graph, batch);
    return batch;
  }

  static std::size_t at(ValueId id) { return static_cast<std::size_t>(id); }
  ValueId root(ValueId id) const { return lifetimes_.root[at(id)]; }
  std::size_t bytes_of(ValueId id) const {
    const TensorSpec& spec = graph_.value(id).spec;
    return static_cast<std::size_t>(
        checked_multiply(spec.shape.size(), static_cast<std::int64_t>(size_of(spec.dtype))));
  }

  // Throws on overflow: sums over all bytes that the calls read and write follow, multiplied by the number of slices.
  void require_countable() const {
    constexpr std::int64_t max_times = 64;
    std::int64_t bytes = 0;
    const auto count = [&](ValueId id) { bytes = checked_add(bytes, static_cast<std::int64_t>(bytes_of(id))); };
    for (const Node& node : graph_.nodes()) {
      std::for_each(node.inputs.begin(), node.inputs.end(), count);
      std::for_each(node.outputs.begin(), node.outputs.end(), count);
    }
    static_cast<void>(checked_multiply(bytes, max_times));
  }
  bool carries_batch(ValueId id) const { return batch_.axis[at(id)] == 0; }

  void assign_slots() {
    const auto next_slot = [&] { return plan_.slot_count++; };
    for (const ValueId id : graph_.inputs()) {
      plan_.input_slots.push_back(next_slot());
      places_[at(id)].slot = plan_.input_slots.back();
    }
    std::unordered_map<const void*, std::size_t> variable_places;
    // The index in `plan_.variables`.
    const auto variable_place = [&](const Variable& variable) {
      const auto [it, inserted] = variable_places.try_emplace(variable.identity(), plan_.variables.size());
      if (inserted) {
        plan_.variables.emplace_back(next_slot(), variable);
        plan_.variable_written.push_back(false);
      }
      return it->second;
    };
    for (std::size_t i = 0; i < graph_.values().size(); ++i) {
      const Value& value = graph_.values()[i];
      if (value.kind == Value::Kind::constant) {
        places_[i].slot = next_slot();
        plan_.constants.emplace_back(places_[i].slot, value.constant);
      } else if (value.kind == Value::Kind::variable) {
        places_[i].slot = plan_.variables[variable_place(value.variable)].first;
        variable_value_[value.variable.identity()] = static_cast<ValueId>(i);
      }
    }
    for (const Update& update : graph_.updates) {
      const std::size_t place = variable_place(update.variable);
      update_slots_.push_back(plan_.variables[place].first);
      plan_.variable_written[place] = true;
      written_.insert(update.variable.identity());
    }
    for (const ValueId id : graph_.outputs) {
      plan_.output_slots.push_back(next_slot());
      plan_.output_specs.push_back(graph_.value(id).spec);
    }
  }

  // Computes a new value of a variable directly into its memory if the old value has no reader left.
  void place_updates() {
    for (std::size_t i = 0; i < graph_.updates.size(); ++i) {
      const Update& update = graph_.updates[i];
      const ValueId fresh = root(update.value);
      if (graph_.value(fresh).kind != Value::Kind::computed || places_[at(fresh)].slot >= 0) continue;
      const NodeId producer = graph_.value(fresh).producer;
      if (const auto old = variable_value_.find(update.variable.identity()); old != variable_value_.end()) {
        if (!may_overwrite(old->second, producer)) continue;
      }
      places_[at(fresh)].slot = update_slots_[i];
    }
  }

  bool may_overwrite(ValueId old, NodeId producer) const {
    const Lifetime& life = lifetimes_.of(old);
    if (life.is_kept) return false;
    const int time = schedule_.time[static_cast<std::size_t>(producer)];
    const bool whole = batch_.execution[static_cast<std::size_t>(producer)] == Execution::whole;
    for (const NodeId reader : life.readers) {
      const int reader_time = schedule_.time[static_cast<std::size_t>(reader)];
      if (reader_time < time) continue;
      if (reader != producer || !whole || !graph_.node(producer).op->is_elementwise()) return false;
    }
    return true;
  }

  void place_outputs() {
    for (std::size_t i = 0; i < graph_.outputs.size(); ++i) {
      const ValueId id = root(graph_.outputs[i]);
      if (graph_.value(id).kind == Value::Kind::computed && places_[at(id)].slot < 0) {
        places_[at(id)].slot = plan_.output_slots[i];
      }
    }
  }

  void place_joint_reductions() {
    const auto has_place = [&](ValueId id) { return places_[at(id)].slot >= 0; };
    for (const JointPlace& joint : place_reductions(graph_, schedule_, lifetimes_, has_place)) {
      const int interval = add_shared(joint.interval.bytes, joint.interval.first, joint.interval.last);
      joint_intervals_.insert(interval);
      for (const auto& [value, offset] : joint.members) {
        places_[at(value)] = {.slot = Plan::shared_slot, .interval = interval, .offset = offset};
      }
    }
  }

  bool is_local(ValueId id) const { return is_local(lifetimes_, id); }
  bool is_local(const Lifetimes& lifetimes, ValueId id) const {
    return lifetimes.of(id).is_local && places_[at(id)].slot < 0;
  }

  void choose_slices() {
    if (batch_.batch <= 0) return;
    if (stages_.empty()) return choose_slices(schedule_, lifetimes_);
    // Slices of a run without stages: so that sums over the batch have the same bits with and without buckets.
    const Schedule schedule = make_schedule(graph_, batch_);
    choose_slices(schedule, find_lifetimes(graph_, batch_, schedule));
  }

  void choose_slices(const Schedule& schedule, const Lifetimes& lifetimes) {
    const Slicing slicing = choose_slicing(
        graph_, batch_, schedule, lifetimes, [&](ValueId id) { return is_local(lifetimes, id); }, options_);
    plan_.slice_size = slicing.slice_size;
    plan_.slices = slicing.slices;
    plan_.chunk = slicing.chunk;
  }

  int add_shared(std::size_t bytes, int first, int last) {
    plan_.shared_intervals.push_back({bytes, first, last});
    return static_cast<int>(plan_.shared_intervals.size()) - 1;
  }

  // Memory in the shared arena for the output of a node, or the memory of an input that is no longer needed.
  void place_shared(NodeId node, ValueId output, bool may_reuse) {
    Place& place = places_[at(output)];
    if (place.slot >= 0) return;
    const Lifetime& life = lifetimes_.of(output);
    const int time = schedule_.time[static_cast<std::size_t>(node)];
    place.slot = Plan::shared_slot;
    if (may_reuse && graph_.node(node).op->is_elementwise()) {
      for (const ValueId input : graph_.node(node).inputs) {
        const ValueId id = root(input);
        const Place& from = places_[at(id)];
        if (from.slot != Plan::shared_slot || !has_interval_alone(from) || bytes_of(id) != bytes_of(output)) continue;
        if (!(graph_.value(input).spec == graph_.value(output).spec)) continue;
        const Lifetime& input_life = lifetimes_.of(id);
        const bool dies = !input_life.is_kept && input_life.last_time <= time &&
                          std::count_if(input_life.readers.begin(), input_life.readers.end(), [&](NodeId reader) {
                            return reader != node && schedule_.time[static_cast<std::size_t>(reader)] == time;
                          }) == 0;
        if (!dies || reused_intervals_at(from.interval, time)) continue;
        place.interval = from.interval;
        Interval& interval = plan_.shared_intervals[static_cast<std::size_t>(from.interval)];
        interval.last = std::max(interval.last, life.last_time);
        reuse_times_[from.interval] = time;
        return;
      }
    }
    place.interval = add_shared(bytes_of(output), time, life.last_time);
  }

  bool has_interval_alone(const Place& place) const { return !joint_intervals_.contains(place.interval); }

  // True when an interval has already been reused at this time, so that a second node must not take it too.
  bool reused_intervals_at(int interval, int time) const {
    const auto it = reuse_times_.find(interval);
    return it != reuse_times_.end() && it->second >= time;
  }

  void plan_phase(std::size_t index) {
    const Phase& phase = schedule_.phases[index];
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
    call.packed_from = kept_weights(call);
    if (call.packed_from.empty()) {
      call.packed = Operand{Plan::shared_slot, 0, 0, 0};
      packed_interval_[call.node] = add_shared(bytes, time, time);
    } else {
      call.packed = Operand{plan_.slot_count++, 0, 0, 0};
      call.packed_layout = packed_layout(call);
    }
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

  // The variables that a packed copy is made of; none if it has other inputs, or the plan writes them.
  std::vector<Variable> kept_weights(const PlannedCall& call) const {
    std::vector<Variable> weights;
    for (const ValueId input : graph_.node(call.node).inputs) {
      if (carries_batch(input)) continue;
      const Value& value = graph_.value(root(input));
      if (value.kind != Value::Kind::variable) return {};
      if (written_.contains(value.variable.identity())) return {};
      weights.push_back(value.variable);
    }
    return weights;
  }

  std::size_t workspace_bytes(const PlannedCall& call, std::int64_t rows) const {
    if (call.kernel->workspace_bytes == nullptr || call.on_host) return 0;
    std::vector<TensorSpec> specs = call.specs;
    for (std::size_t i = 0; i < specs.size(); ++i) {
      if (call.cut[i]) specs[i].shape[0] = rows;
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
        for (const ValueId output : node.outputs) place_shared(id, output, output == node.outputs[0]);
        const OpSplit split =
            on_stream_ ? OpSplit()
                       : split_op(*node.op, *call.kernel, inputs_of(call.specs, call), outputs_of(call.specs, call));
        call.pieces = split.pieces;
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
          workspace_interval_[id] =
              add_shared(checked_multiply(call.workspace_bytes, static_cast<std::size_t>(call.pieces)), time, time);
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
      return bytes_of(id) / static_cast<std::size_t>(batch_.batch) * static_cast<std::size_t>(plan_.chunk);
    };
    std::size_t touched = 0;
    std::vector<int> workspace_interval;
    for (std::size_t position = 0; position < phase.nodes.size(); ++position) {
      const NodeId id = phase.nodes[position];
      const Node& node = graph_.node(id);
      const bool sums = batch_.execution[static_cast<std::size_t>(id)] == Execution::sums;
      PlannedCall call = start_call(id);
      call.sums = sums;
      for (const ValueId input : node.inputs) call.cut.push_back(carries_batch(input));
      for (const ValueId output : node.outputs) {
        call.cut.push_back(!sums);
        if (sums) {
          place_shared(id, output, false);
          if (plan_.slices > 1) {
            partials_interval_[output] =
                add_shared(checked_multiply(aligned(bytes_of(output)), static_cast<std::size_t>(plan_.slices)),
                           phase.first_time, phase.first_time);
          }
        } else if (!is_local(output)) {
          place_shared(id, output, false);
        } else {
          place_local(node, output, static_cast<int>(position), local_bytes(output), intervals);
        }
      }
      plan_packed(call, phase.first_time);
      for (const std::int64_t samples : chunk_sizes()) {
        call.workspace_bytes = std::max(call.workspace_bytes, workspace_bytes(call, samples));
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
    for (const NodeId id : phase.nodes) {
      for (const ValueId output : graph_.node(id).outputs) {
        const Place& place = places_[at(output)];
        if (place.worker) local_offsets_[output] = layout.offsets[static_cast<std::size_t>(place.interval)];
      }
    }
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

  void place_local(const Node& node, ValueId output, int position, std::size_t bytes,
                   std::vector<Interval>& intervals) {
    Place& place = places_[at(output)];
    place.slot = Plan::worker_slot;
    place.worker = true;
    const int last = lifetimes_.of(output).last_position;
    if (output == node.outputs[0] && node.op->is_elementwise()) {
      for (const ValueId input : node.inputs) {
        const ValueId id = root(input);
        const Place& from = places_[at(id)];
        if (!from.worker || !(graph_.value(input).spec == graph_.value(output).spec)) continue;
        // Only a value of this phase: intervals of another one are unrelated.
        if (lifetimes_.of(id).last_position != position || !lifetimes_.of(id).is_local) continue;
        place.interval = from.interval;
        Interval& interval = intervals[static_cast<std::size_t>(from.interval)];
        interval.last = std::max(interval.last, last);
        return;
      }
    }
    intervals.push_back({bytes, position, last});
    place.interval = static_cast<int>(intervals.size()) - 1;
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
    for (std::size_t i = 0; i < graph_.updates.size(); ++i) plan_staging(i);
    if (on_stream_) spread_shared();
    plan_.shared_layout = lay_out(plan_.shared_intervals, on_stream_ ? device_arena_alignment : arena_alignment);
    plan_.shared_bytes = plan_.shared_layout.bytes;
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

  std::size_t shared_offset(int interval) const {
    return plan_.shared_layout.offsets[static_cast<std::size_t>(interval)];
  }

  Operand operand_of(ValueId value, bool follows_slice) const {
    const ValueId id = root(value);
    const Place& place = places_[at(id)];
    Operand operand;
    operand.slot = place.slot;
    if (place.worker) {
      operand.offset = local_offsets_.at(id);
      return operand;
    }
    if (place.slot == Plan::shared_slot) operand.offset = shared_offset(place.interval) + place.offset;
    if (follows_slice)
      operand.sample_stride = bytes_of(value) / static_cast<std::size_t>(graph_.value(value).spec.shape[0]);
    return operand;
  }

  void resolve(PlannedPhase& phase) {
    for (PlannedCall& call : phase.calls) {
      const Node& node = graph_.node(call.node);
      for (std::size_t i = 0; i < call.specs.size(); ++i) {
        const ValueId value = i < call.input_count ? node.inputs[i] : node.outputs[i - call.input_count];
        call.operands.push_back(operand_of(value, call.cut[i]));
        if (i < call.input_count) continue;
        if (const auto it = partials_interval_.find(value); it != partials_interval_.end()) {
          const Operand partials{Plan::shared_slot, shared_offset(it->second), 0, aligned(bytes_of(value))};
          phase.reductions.push_back({partials, call.specs[i].shape.size(), call.specs[i].dtype, call.operands.back()});
          call.operands.back() = partials;
        }
      }
      if (const auto it = packed_interval_.find(call.node); it != packed_interval_.end()) {
        call.packed->offset = shared_offset(it->second);
      }
      if (const auto it = workspace_interval_.find(call.node); it != workspace_interval_.end()) {
        call.workspace = {Plan::shared_slot, shared_offset(it->second), 0, call.workspace_bytes};
      }
    }
  }

  // An update whose value is another variable's old value has to be saved before that variable is written.
  void plan_staging(std::size_t index) {
    const Update& update = graph_.updates[index];
    const ValueId id = root(update.value);
    staged_.push_back(-1);
    if (graph_.value(id).kind != Value::Kind::variable || places_[at(id)].slot == update_slots_[index]) return;
    staged_.back() = add_shared(bytes_of(id), schedule_.end_time, schedule_.end_time);
  }

  void finish_copies() {
    for (std::size_t i = 0; i < graph_.updates.size(); ++i) {
      const ValueId id = root(graph_.updates[i].value);
      const Operand from = operand_of(graph_.updates[i].value, false);
      const Operand to{update_slots_[i], 0, 0, 0};
      if (from.slot == to.slot) continue;
      if (staged_[i] >= 0) {
        const Operand stage{Plan::shared_slot, shared_offset(staged_[i]), 0, 0};
        plan_.staging.push_back({from, stage, bytes_of(id)});
        plan_.copies.push_back({stage, to, bytes_of(id)});
      } else {
        plan_.copies.push_back({from, to, bytes_of(id)});
      }
    }
    // An output that is a variable's old value is copied before the variable changes.
    for (std::size_t i = 0; i < graph_.outputs.size(); ++i) {
      const ValueId id = root(graph_.outputs[i]);
      const Operand from = operand_of(graph_.outputs[i], false);
      if (from.slot != plan_.output_slots[i]) {
        plan_.staging.push_back({from, {plan_.output_slots[i], 0, 0, 0}, bytes_of(id)});
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
  std::vector<Place> places_;
  std::unordered_map<const void*, ValueId> variable_value_;
  std::vector<int> update_slots_;
  // The variables that the plan writes.
  std::unordered_set<const void*> written_;
  std::vector<int> staged_;
  // Intervals that contain several values.
  std::unordered_set<int> joint_intervals_;
  std::unordered_map<int, int> reuse_times_;
  std::unordered_map<ValueId, std::size_t> local_offsets_;
  std::unordered_map<ValueId, int> partials_interval_;
  std::unordered_map<NodeId, int> packed_interval_;
  std::unordered_map<NodeId, int> workspace_interval_;
};

}  // namespace

Plan make_plan(const Graph& graph, const PlanOptions& options) {
  if (options.device == nullptr || options.device->is_host()) return Planner(graph, options).make();
  const DeviceScope scope(*options.device);  // what kernels need can depend on the device
  return Planner(graph, options).make();
}

}  // namespace rhyton::graph
