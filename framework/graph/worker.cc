#include <rhyton/framework/graph/worker.h>

#include <algorithm>
#include <cstring>

namespace rhyton::graph {

Worker::Worker(const Plan& plan) : slots(static_cast<std::size_t>(plan.slot_count), nullptr) {
  variants_ = {0};
  if (plan.batch > 0) {
    const std::int64_t last = plan.batch - (plan.slices - 1) * plan.slice_size;
    for (const std::int64_t size : {plan.chunk, plan.slice_size % plan.chunk, last % plan.chunk}) {
      if (std::find(variants_.begin(), variants_.end(), size) == variants_.end()) variants_.push_back(size);
    }
  }
  std::size_t max_operands = 0;
  views_.resize(plan.phases.size());
  for (std::size_t p = 0; p < plan.phases.size(); ++p) {
    for (const PlannedCall& call : plan.phases[p].calls) {
      max_operands = std::max(max_operands, call.specs.size());
      auto& by_variant = views_[p].emplace_back();
      for (const std::int64_t samples : variants_) {
        CallViews& variant = by_variant.emplace_back();
        for (std::size_t i = 0; i < call.specs.size(); ++i) {
          TensorView view{nullptr, call.specs[i]};
          if (samples > 0 && plan.phases[p].sliced && call.cut[i]) {
            view.spec.shape[0] = samples * call.rows_per_sample;
          }
          variant.views.push_back(view);
        }
      }
    }
  }
  piece_views_.resize(max_operands);
}

CallViews& Worker::views_of(std::size_t phase, std::size_t call, std::int64_t samples) {
  const auto variant = std::find(variants_.begin(), variants_.end(), samples) - variants_.begin();
  return views_[phase][call][static_cast<std::size_t>(variant)];
}

void Worker::run_chunk(const PlannedCall& call, CallViews& chunk, std::int64_t slice, std::int64_t first_sample,
                       bool accumulate) {
  for (std::size_t i = 0; i < chunk.views.size(); ++i) {
    const Operand& operand = call.operands[i];
    chunk.views[i].data = address(operand) + static_cast<std::size_t>(first_sample) * operand.sample_stride +
                          static_cast<std::size_t>(slice) * operand.slice_stride;
  }
  const std::span<const TensorView> views = chunk.views;
  call.kernel->run({.op = call.op.get(),
                    .inputs = views.first(call.input_count),
                    .outputs = views.subspan(call.input_count),
                    .workspace = call.workspace_bytes > 0 ? address(call.workspace) : nullptr,
                    .packed = call.packed ? address(*call.packed) : nullptr,
                    .first_sample = first_sample * call.rows_per_sample,
                    .accumulate = accumulate && call.sums});
}

void Worker::run_whole(const PlannedCall& call, CallViews& whole, std::int64_t piece) {
  for (std::size_t i = 0; i < whole.views.size(); ++i) whole.views[i].data = address(call.operands[i]);
  const std::span<const TensorView> views = whole.views;
  call.kernel->run({.op = call.op.get(),
                    .inputs = views.first(call.input_count),
                    .outputs = views.subspan(call.input_count),
                    .workspace = call.workspace_bytes > 0
                                     ? address(call.workspace) + static_cast<std::size_t>(piece) * call.workspace_bytes
                                     : nullptr,
                    .packed = call.packed ? address(*call.packed) : nullptr,
                    .piece = piece,
                    .pieces = call.split_by_kernel ? call.pieces : 1});
}

void Worker::run_piece(const PlannedCall& call, CallViews& whole, std::int64_t piece) {
  if (call.pieces == 1 || call.split_by_kernel) return run_whole(call, whole, piece);
  const std::int64_t step = (call.rows + call.pieces - 1) / call.pieces;
  const std::int64_t first = piece * step;
  const std::int64_t last = std::min(call.rows, first + step);
  for (std::size_t i = 0; i < whole.views.size(); ++i) {
    TensorView& view = piece_views_[i];
    view = whole.views[i];
    const Operand& operand = call.operands[i];
    view.data = address(operand) + static_cast<std::size_t>(first) * operand.sample_stride;
    if (call.cut[i]) view.spec.shape[call.row_axis] = last - first;
  }
  const std::span<const TensorView> views = std::span(piece_views_).first(whole.views.size());
  call.kernel->run({.op = call.op.get(),
                    .inputs = views.first(call.input_count),
                    .outputs = views.subspan(call.input_count),
                    .workspace = call.workspace_bytes > 0
                                     ? address(call.workspace) + static_cast<std::size_t>(piece) * call.workspace_bytes
                                     : nullptr,
                    .packed = call.packed ? address(*call.packed) : nullptr,
                    .first_sample = call.row_axis == 0 ? first : 0});
}

void Worker::pack(const PlannedCall& call, CallViews& whole) {
  for (std::size_t i = 0; i < whole.views.size(); ++i) whole.views[i].data = address(call.operands[i]);
  const std::span<const TensorView> views = whole.views;
  call.kernel->pack({.op = call.op.get(),
                     .inputs = views.first(call.input_count),
                     .outputs = views.subspan(call.input_count),
                     .workspace = address(*call.packed)});
}

void Worker::expire(const std::vector<Expiry>& expiries) {
  for (const Expiry& e : expiries) std::memset(slots[Plan::worker_slot] + e.offset, 0xFF, e.bytes);
}

}  // namespace rhyton::graph
