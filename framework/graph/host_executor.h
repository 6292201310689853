#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include <rhyton/framework/graph/executor.h>
#include <rhyton/framework/graph/frame_pool.h>
#include <rhyton/framework/graph/host_program.h>

namespace rhyton::graph {

/// Runs a program on the host. The program does not change: any number of threads may run it, each on a leased frame.
///
/// `run` uses a frame of the executor. In a pool of its own this frame keeps its memory; in a shared pool it is leased
/// for each run, so outputs are valid until another executable of the pool runs.
class HostExecutor final : public Executor {
 public:
  /// `pool`: where frames take their memory from; null: a pool of its own.
  explicit HostExecutor(Program program, std::shared_ptr<FramePool> pool = nullptr);
  ~HostExecutor() override;

  const Graph& graph() const override { return program_.program.graph; }
  const Plan& plan() const override { return program_.plan(); }
  LogicalDevice& device() const override { return *program_.program.device; }

  void run(std::span<const void* const> inputs) override;
  void run(std::span<const Tensor> inputs) override;
  const std::vector<Tensor>& outputs() override;
  std::size_t memory_bytes() const override { return pool_->memory_bytes(frames_); }

  bool has_run_frames() const override { return true; }
  RunFrame& lease() override { return pool_->lease(frames_); }
  void give_back(RunFrame& frame) override { pool_->give_back(frames_, frame); }

 private:
  const HostProgram program_;
  const bool shares_pool_;
  std::shared_ptr<FramePool> pool_;
  ProgramFrames frames_;
  // The frame of the last `run`; without a shared pool it stays leased.
  RunFrame* own_frame_ = nullptr;
};

}  // namespace rhyton::graph
