#include <rhyton/framework/graph/plan_timer.h>

#include <algorithm>
#include <span>
#include <thread>
#include <utility>

namespace rhyton::graph {
namespace {

using profiler::Activity;
using profiler::Kind;

std::string shapes_of_outputs(const PlannedCall& call) {
  std::string text;
  for (const TensorSpec& spec : std::span(call.specs).subspan(call.input_count)) {
    text += (text.empty() ? "" : " ") + spec.shape.to_string();
  }
  return text;
}

void set_cost(Activity& activity, const Cost& cost) {
  activity.flops = cost.flops;
  activity.shared_out_bytes = cost.shared_out_bytes;
  activity.whole_bytes = cost.whole_bytes;
}

}  // namespace

PlanTimer::PlanTimer(const Plan& plan, std::string name, const std::vector<std::size_t>& input_bytes)
    : plan_(plan), function_(std::move(name)) {
  std::string step_name = function_;
  if (plan.batch > 0) function_ += ", batch " + std::to_string(plan.batch);
  step_ = add({.kind = Kind::step, .name = std::move(step_name)});
  for (std::size_t p = 0; p < plan.phases.size(); ++p) add_phase(p);
  for (const std::vector<Copy>* copies : {&plan.staging, &plan.copies}) {
    for (const Copy& copy : *copies) {
      Activity activity{.kind = Kind::copy, .name = "Copy", .shape = std::to_string(copy.bytes) + " B"};
      set_cost(activity, cost_of(copy));
      copies_.push_back(add(std::move(activity)));
    }
  }
  for (const std::size_t bytes : input_bytes) {
    Activity activity{.kind = Kind::copy, .name = "CopyToDevice", .shape = std::to_string(bytes) + " B"};
    set_cost(activity, cost_of(Copy{.from = {}, .to = {}, .bytes = bytes}));
    inputs_.push_back(add(std::move(activity)));
  }
}

int PlanTimer::add(Activity activity) {
  activity.function = function_;
  activities_.push_back(std::move(activity));
  return static_cast<int>(activities_.size()) - 1;
}

void PlanTimer::add_phase(std::size_t index) {
  const PlannedPhase& phase = plan_.phases[index];
  const int number = static_cast<int>(index);
  PhaseActivities& activities = phases_.emplace_back();
  const std::string name = "phase " + std::to_string(index) + (phase.sliced ? ", sliced" : ", whole");
  activities.activity = add({.kind = Kind::phase, .name = name, .phase = number});
  for (const PlannedCall& call : phase.calls) {
    const std::string op(call.op->name());
    Activity activity{.kind = Kind::op,
                      .name = op,
                      .attributes = call.op->attributes(),
                      .shape = shapes_of_outputs(call),
                      .phase = number};
    if (phase.sliced) {
      activity.extent = plan_.batch;
      activity.unit = "samples";
    } else if (call.split_by_kernel) {
      activity.extent = call.pieces;
    } else if (call.pieces > 1) {
      activity.extent = call.rows;
      activity.unit = "rows";
    }
    set_cost(activity, cost_of(plan_, phase, call));
    activities.calls.push_back(add(std::move(activity)));
    activities.packs.push_back(-1);
    if (!call.packs) continue;
    Activity packing{.kind = Kind::pack, .name = "Pack", .attributes = op, .phase = number};
    packing.shape = shapes_of_outputs(call);
    set_cost(packing, cost_of_packing(call));
    activities.packs.back() = add(std::move(packing));
  }
  for (const Reduction& reduction : phase.reductions) {
    Activity activity{.kind = Kind::reduction, .name = "AddSlices", .phase = number};
    if (const PlannedCall* call = summed_call(phase, reduction)) {
      activity.attributes = call->op->name();
      activity.shape = shapes_of_outputs(*call);
    }
    activity.extent = std::max<std::int64_t>(reduction.elements, 1);
    activity.unit = "elements";
    set_cost(activity, cost_of(plan_, reduction));
    activities.reductions.push_back(add(std::move(activity)));
  }
}

void PlanTimer::begin(const std::shared_ptr<profiler::Recording>& recording, int threads) {
  if (recording_.lock() != recording) {
    group_ = recording->add_group(activities_);
    recording_ = recording;
    lanes_.clear();
  }
  lanes_.resize(static_cast<std::size_t>(threads), nullptr);
}

profiler::Lane& PlanTimer::lane(int worker) {
  profiler::Lane*& lane = lanes_[static_cast<std::size_t>(worker)];
  // The calling thread, or the pool, may differ from the last run's.
  if (lane == nullptr || !lane->belongs_to(std::this_thread::get_id())) {
    lane = &recording_.lock()->lane(group_, worker);
  }
  return *lane;
}

profiler::Range PlanTimer::range_of(const PlannedCall& call, std::int64_t piece) {
  if (call.split_by_kernel) return {.index = static_cast<int>(piece)};
  if (call.pieces == 1) return {};
  const std::int64_t step = (call.rows + call.pieces - 1) / call.pieces;
  const std::int64_t first = piece * step;
  return {static_cast<int>(piece), first, std::min(call.rows, first + step) - first};
}

profiler::Range PlanTimer::range_of(const Reduction& reduction, std::int64_t block) {
  const std::int64_t first = block * reduction_block;
  return {.first = first, .count = std::min(reduction.elements, first + reduction_block) - first};
}

}  // namespace rhyton::graph
