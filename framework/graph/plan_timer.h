#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <rhyton/framework/graph/cost.h>
#include <rhyton/framework/graph/plan.h>
#include <rhyton/framework/profiler/recording.h>

namespace rhyton::graph {

/// Replaces a PlanTimer when no profiler runs: only calls the work, and is removed by the compiler.
struct Untimed {
  template <class Work>
  void step(const Work& work) const {
    work();
  }
  template <class Work>
  void phase(std::size_t, const Work& work) const {
    work();
  }
  template <class Work>
  void chunk(int, std::size_t, std::size_t, const profiler::Range&, const Work& work) const {
    work();
  }
  template <class Work>
  void piece(int, std::size_t, std::size_t, std::int64_t, const Work& work) const {
    work();
  }
  template <class Work>
  void pack(int, std::size_t, std::size_t, const Work& work) const {
    work();
  }
  template <class Work>
  void reduction(int, std::size_t, std::size_t, std::int64_t, const Work& work) const {
    work();
  }
  template <class Work>
  void copy(std::size_t, const Work& work) const {
    work();
  }
  template <class Work>
  void input(std::size_t, const Work& work) const {
    work();
  }
};

/// Reports the time of each part of a plan to the profiler. It lives as long as its plan, from run to run.
class PlanTimer {
 public:
  /// `name`: the name of the plan's function. `input_bytes`: the sizes of the inputs that are copied to a device.
  PlanTimer(const Plan& plan, std::string name, const std::vector<std::size_t>& input_bytes = {});

  /// Begins a run on that many threads, during which the caller holds `recording`.
  void begin(const std::shared_ptr<profiler::Recording>& recording, int threads);

  /// Each calls `work` on the pool's thread of that number and reports its time.
  template <class Work>
  void step(const Work& work) {
    time(0, step_, {.count = threads()}, work);
  }
  template <class Work>
  void phase(std::size_t phase, const Work& work) {
    time(0, phases_[phase].activity, {.count = threads()}, work);
  }
  template <class Work>
  void chunk(int worker, std::size_t phase, std::size_t call, const profiler::Range& samples, const Work& work) {
    time(worker, phases_[phase].calls[call], samples, work);
  }
  template <class Work>
  void piece(int worker, std::size_t phase, std::size_t call, std::int64_t piece, const Work& work) {
    time(worker, phases_[phase].calls[call], range_of(plan_.phases[phase].calls[call], piece), work);
  }
  template <class Work>
  void pack(int worker, std::size_t phase, std::size_t call, const Work& work) {
    time(worker, phases_[phase].packs[call], {}, work);
  }
  template <class Work>
  void reduction(int worker, std::size_t phase, std::size_t reduction, std::int64_t block, const Work& work) {
    time(worker, phases_[phase].reductions[reduction], range_of(plan_.phases[phase].reductions[reduction], block),
         work);
  }
  /// `copy`: the index in `Plan::staging`, followed by `Plan::copies`.
  template <class Work>
  void copy(std::size_t copy, const Work& work) {
    time(0, copies_[copy], {}, work);
  }
  /// The copy of an input from the host to the device.
  template <class Work>
  void input(std::size_t input, const Work& work) {
    time(0, inputs_[input], {}, work);
  }

 private:
  /// The numbers of a phase's activities.
  struct PhaseActivities {
    int activity = 0;
    std::vector<int> calls;
    std::vector<int> packs;
    std::vector<int> reductions;
  };

  template <class Work>
  void time(int worker, int activity, const profiler::Range& range, const Work& work) {
    const profiler::Timing timing(lane(worker), activity, range);
    work();
  }

  int add(profiler::Activity activity);
  void add_phase(std::size_t index);
  profiler::Lane& lane(int worker);
  std::int64_t threads() const { return static_cast<std::int64_t>(lanes_.size()); }
  static profiler::Range range_of(const PlannedCall& call, std::int64_t piece);
  static profiler::Range range_of(const Reduction& reduction, std::int64_t block);

  const Plan& plan_;
  std::string function_;
  std::vector<profiler::Activity> activities_;
  int step_ = 0;
  std::vector<PhaseActivities> phases_;
  std::vector<int> copies_;
  std::vector<int> inputs_;

  // Weak: not kept alive for the next run.
  std::weak_ptr<profiler::Recording> recording_;
  // The plan's group in the recording.
  int group_ = -1;
  // By worker; each thread sets its own.
  std::vector<profiler::Lane*> lanes_;
};

}  // namespace rhyton::graph
