#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include <rhyton/framework/graph/frame_memory.h>
#include <rhyton/framework/graph/host_program.h>
#include <rhyton/framework/graph/packed_weights.h>
#include <rhyton/framework/graph/variable_snapshots.h>

namespace rhyton::graph {

class RunFrame;

/// The run frames of one executable, guarded by the mutex of their pool.
struct ProgramFrames {
  /// `host_program` must outlive it.
  explicit ProgramFrames(const HostProgram& host_program);
  ~ProgramFrames();
  ProgramFrames(const ProgramFrames&) = delete;
  ProgramFrames& operator=(const ProgramFrames&) = delete;

  const HostProgram& program;
  VariableSnapshots snapshots;
  /// Per `HostProgram::kept_packings`.
  std::vector<std::shared_ptr<PackedWeights>> packed_weights;
  std::vector<std::unique_ptr<RunFrame>> all;
  /// The one that was returned last is last.
  std::vector<RunFrame*> idle;
};

/// Lends run frames to the threads that run executables. The executables of one pool share the memory of their frames:
/// there are as many blocks as were ever leased at once, each of the size that the largest of its users needs, and
/// further ones for executables that need less than a quarter of these. They also share packed weights.
///
/// May be used by several threads at once.
class FramePool {
 public:
  FramePool();
  ~FramePool();
  FramePool(const FramePool&) = delete;
  FramePool& operator=(const FramePool&) = delete;

  /// To be called before the frames are used.
  void add(ProgramFrames& frames);
  /// Destroys the frames, none of which may be leased; the pool keeps their memory.
  void remove(ProgramFrames& frames);

  /// A frame with memory: one that still has it, since its outputs are in place, else one that takes the memory of a
  /// frame which is not in use. Allocates only where more frames are in use than ever before, or a larger one.
  RunFrame& lease(ProgramFrames& frames);
  void give_back(ProgramFrames& frames, RunFrame& frame);

  /// Replaces the outdated packed weights of a leased frame by shared ones, or by copies into which it packs.
  void renew_packed_weights(RunFrame& frame);
  /// Shares what the frame has packed.
  void share_packed_weights(RunFrame& frame);

  /// The bytes of all memory of frames and of packed weights.
  std::size_t memory_bytes() const;
  /// The bytes that the runs of one executable need.
  std::size_t memory_bytes(const ProgramFrames& frames) const;

 private:
  RunFrame& idle_frame(ProgramFrames& frames);
  FrameMemory& idle_memory(std::size_t needed);
  std::shared_ptr<PackedWeights> packed_weights(const PackingKey& key);

  mutable std::mutex mutex_;
  std::vector<ProgramFrames*> programs_;
  // Kept alive by the programs.
  std::vector<std::weak_ptr<PackedWeights>> packed_weights_;
  std::vector<std::unique_ptr<FrameMemory>> memory_;
  // The one that was returned last is last.
  std::vector<FrameMemory*> idle_;
};

}  // namespace rhyton::graph
