#include <rhyton/framework/graph/frame_pool.h>

#include <algorithm>

#include <rhyton/framework/graph/run_frame.h>

namespace rhyton::graph {

ProgramFrames::ProgramFrames(const HostProgram& host_program) : program(host_program), snapshots(host_program.plan()) {}
ProgramFrames::~ProgramFrames() = default;

FramePool::FramePool() = default;
FramePool::~FramePool() = default;

// One that has memory, else the one that was returned last, else a new one. It stays in the list of idle ones.
RunFrame& FramePool::idle_frame(ProgramFrames& frames) {
  const auto placed = std::find_if(frames.idle.rbegin(), frames.idle.rend(),
                                   [](const RunFrame* frame) { return frame->memory() != nullptr; });
  if (placed != frames.idle.rend()) return **placed;
  if (!frames.idle.empty()) return *frames.idle.back();
  // First, so that giving frames back allocates nothing.
  frames.idle.reserve(frames.all.size() + 1);
  frames.all.push_back(std::make_unique<RunFrame>(frames, *this));
  frames.idle.push_back(frames.all.back().get());
  return *frames.all.back();
}

// The smallest that is large enough, else the largest; of these one without outputs in it, if there is one. A new one
// instead of one that is far too large: a small step whose frame stays leased would keep it from a large one. It stays
// in the list of idle ones.
FrameMemory& FramePool::idle_memory(std::size_t needed) {
  constexpr std::size_t max_excess = 4;
  constexpr std::size_t always_shared = std::size_t{1} << 20;
  const auto fits = [&](const FrameMemory& memory) { return memory.bytes() >= needed; };
  const auto is_better = [&](const FrameMemory& a, const FrameMemory& b) {
    if (fits(a) != fits(b)) return fits(a);
    if ((a.user == nullptr) != (b.user == nullptr)) return a.user == nullptr;
    return fits(a) ? a.bytes() < b.bytes() : a.bytes() > b.bytes();
  };
  FrameMemory* best = nullptr;
  for (FrameMemory* const memory : idle_) {
    if (memory->bytes() > std::max(always_shared, max_excess * needed)) continue;
    if (best == nullptr || is_better(*memory, *best)) best = memory;
  }
  if (best != nullptr) return *best;
  idle_.reserve(memory_.size() + 1);
  memory_.push_back(std::make_unique<FrameMemory>());
  idle_.push_back(memory_.back().get());
  return *memory_.back();
}

RunFrame& FramePool::lease(ProgramFrames& frames) {
  RunFrame* frame = nullptr;
  {
    const std::scoped_lock lock(mutex_);
    frame = &idle_frame(frames);
    if (frame->memory() == nullptr) {
      FrameMemory& memory = idle_memory(frame->needed_bytes());
      if (memory.user != nullptr) memory.user->set_memory(nullptr);
      memory.user = frame;
      frame->set_memory(&memory);
    }
    std::erase(frames.idle, frame);
    std::erase(idle_, frame->memory());
  }
  try {
    frame->place_outputs();
  } catch (...) {
    give_back(frames, *frame);
    throw;
  }
  return *frame;
}

void FramePool::give_back(ProgramFrames& frames, RunFrame& frame) {
  const std::scoped_lock lock(mutex_);
  frames.idle.push_back(&frame);
  idle_.push_back(frame.memory());
}

std::shared_ptr<PackedWeights> FramePool::packed_weights(const PackingKey& key) {
  std::erase_if(packed_weights_, [](const auto& weights) { return weights.expired(); });
  for (const std::weak_ptr<PackedWeights>& entry : packed_weights_) {
    if (std::shared_ptr<PackedWeights> weights = entry.lock(); weights != nullptr && weights->key() == key) {
      return weights;
    }
  }
  std::shared_ptr<PackedWeights> weights = std::make_shared<PackedWeights>(key);
  packed_weights_.push_back(weights);
  return weights;
}

void FramePool::add(ProgramFrames& frames) {
  const std::scoped_lock lock(mutex_);
  programs_.push_back(&frames);
  for (const KeptPacking& packing : frames.program.kept_packings) {
    frames.packed_weights.push_back(packed_weights(packing.key));
  }
}

void FramePool::renew_packed_weights(RunFrame& frame) {
  const std::scoped_lock lock(mutex_);
  frame.note_needed_versions();
  // So that the memory of outdated copies can be used again.
  for (ProgramFrames* const program : programs_) {
    for (RunFrame* const idle : program->idle) idle->drop_outdated_packed_weights();
  }
  frame.get_packed_weights();
}

void FramePool::share_packed_weights(RunFrame& frame) {
  const std::scoped_lock lock(mutex_);
  frame.share_packed_weights();
}

void FramePool::remove(ProgramFrames& frames) {
  // Destroyed without the lock.
  std::vector<std::unique_ptr<RunFrame>> removed;
  const std::scoped_lock lock(mutex_);
  std::erase(programs_, &frames);
  for (const std::unique_ptr<RunFrame>& frame : frames.all) {
    if (frame->memory() != nullptr) frame->memory()->user = nullptr;
    frame->drop_packed_weights();
  }
  frames.packed_weights.clear();
  frames.idle.clear();
  removed.swap(frames.all);
}

std::size_t FramePool::memory_bytes() const {
  const std::scoped_lock lock(mutex_);
  std::size_t bytes = 0;
  for (const std::unique_ptr<FrameMemory>& memory : memory_) bytes += memory->bytes();
  for (const std::weak_ptr<PackedWeights>& entry : packed_weights_) {
    if (const std::shared_ptr<PackedWeights> weights = entry.lock()) bytes += weights->bytes();
  }
  return bytes;
}

std::size_t FramePool::memory_bytes(const ProgramFrames& frames) const {
  const std::scoped_lock lock(mutex_);
  std::size_t bytes = 0;
  for (const std::unique_ptr<RunFrame>& frame : frames.all) bytes += frame->memory_bytes();
  for (const std::shared_ptr<PackedWeights>& weights : frames.packed_weights) bytes += weights->bytes();
  return bytes;
}

}  // namespace rhyton::graph
