#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <rhyton/framework/graph/host_program.h>
#include <rhyton/framework/graph/plan_timer.h>
#include <rhyton/framework/graph/run_frame.h>
#include <rhyton/framework/threading/thread_pool.h>

namespace rhyton::graph {

/// One run of a program on a frame whose base addresses are set.
class HostRun {
 public:
  /// All of them must outlive it.
  HostRun(const HostProgram& program, RunFrame& frame, threading::ThreadPool& pool)
      : program_(program), plan_(program.plan()), frame_(frame), pool_(pool) {}

  /// Runs all phases. With Untimed nothing is measured, and nothing checks whether it is.
  void run(PlanTimer& times);
  void run(const Untimed& times);

 private:
  template <class Times>
  void run_phases(Times& times);
  template <class Times>
  void run_sliced(std::size_t phase, Times& times);
  template <class Times>
  void run_slice(std::size_t phase, std::int64_t slice, int worker, Times& times);
  template <class Times>
  void run_whole(std::size_t phase, Times& times);
  template <class Times>
  void pack(std::size_t phase, std::size_t wave, bool is_parallel, Times& times);
  /// `first`: the number of the first among all copies of the plan.
  template <class Times>
  void copy(const std::vector<Copy>& copies, std::size_t first, Times& times);
  /// Overwrites with NaN what is unused after that time.
  void expire_shared(int time);

  const HostProgram& program_;
  const Plan& plan_;
  RunFrame& frame_;
  threading::ThreadPool& pool_;
};

}  // namespace rhyton::graph
