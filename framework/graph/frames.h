#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <rhyton/framework/graph/plan.h>
#include <rhyton/framework/tensor/storage.h>

namespace rhyton::graph {

/// The views of one call, kept from run to run: shapes are set once, only addresses change.
struct Frame {
  std::vector<TensorView> views;
};

/// The state of one thread that executes a plan: an arena of its own, base addresses, and the views of all calls.
class Worker {
 public:
  explicit Worker(const Plan& plan);

  /// The views of a call for that many samples; 0 for whole tensors.
  Frame& frame(std::size_t phase, std::size_t call, std::int64_t samples);

  void run_chunk(const PlannedCall& call, Frame& frame, std::int64_t slice, std::int64_t first_sample, bool accumulate);
  void run_piece(const PlannedCall& call, Frame& whole, std::int64_t piece);
  void pack(const PlannedCall& call, Frame& frame);
  void expire(const std::vector<Expiry>& expiries);

  std::size_t arena_bytes() const { return arena_->bytes(); }

  /// Base addresses, by slot.
  std::vector<std::byte*> slots;

 private:
  void run_whole(const PlannedCall& call, Frame& frame, std::int64_t piece);

  std::byte* address(const Operand& operand) const {
    return slots[static_cast<std::size_t>(operand.slot)] + operand.offset;
  }

  std::shared_ptr<Storage> arena_;
  // Variants of the views: for whole tensors, and for each number of samples that occurs.
  std::vector<std::int64_t> variants_;
  std::vector<std::vector<std::vector<Frame>>> frames_;
  // Memory for the views of a piece of a call.
  std::vector<TensorView> piece_views_;
};

}  // namespace rhyton::graph
