#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <rhyton/framework/graph/plan.h>

namespace rhyton::graph {

/// The arguments of one call, kept from run to run: shapes are set once, only addresses change.
struct CallViews {
  std::vector<TensorView> views;
};

/// The state of one thread that runs a plan: base addresses, and the views of all calls.
class Worker {
 public:
  explicit Worker(const Plan& plan);

  /// The views of a call for that many samples; 0 for whole tensors.
  CallViews& views_of(std::size_t phase, std::size_t call, std::int64_t samples);

  /// Calls the kernel for a chunk of a slice.
  void run_chunk(const PlannedCall& call, CallViews& chunk, std::int64_t slice, std::int64_t first_sample,
                 bool accumulate);
  /// Calls the kernel for a piece of whole tensors.
  void run_piece(const PlannedCall& call, CallViews& whole, std::int64_t piece);
  /// Packs the weights of the call.
  void pack(const PlannedCall& call, CallViews& whole);
  /// Overwrites these ranges of its arena with NaN.
  void expire(const std::vector<Expiry>& expiries);

  /// Base addresses, by slot; that of its arena is set by the run frame.
  std::vector<std::byte*> slots;

 private:
  void run_whole(const PlannedCall& call, CallViews& whole, std::int64_t piece);

  std::byte* address(const Operand& operand) const {
    return slots[static_cast<std::size_t>(operand.slot)] + operand.offset;
  }

  // Variants of the views: for whole tensors, and for each number of samples that occurs.
  std::vector<std::int64_t> variants_;
  std::vector<std::vector<std::vector<CallViews>>> views_;
  // Memory for the views of a piece of a call.
  std::vector<TensorView> piece_views_;
};

}  // namespace rhyton::graph
