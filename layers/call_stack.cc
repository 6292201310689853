#include <rhyton/layers/call_stack.h>

#include <utility>

#include <rhyton/layers/layer.h>

namespace rhyton::layers {
namespace {

thread_local Frame* innermost = nullptr;
thread_local std::optional<bool> training_mode;
thread_local bool inferring = false;
thread_local const DirectCallScope* direct_call = nullptr;

}  // namespace

FrameScope::FrameScope(const LayerImpl* layer, bool is_step) : frame_{layer, innermost, is_step} {
  innermost = &frame_;
}
FrameScope::~FrameScope() { innermost = frame_.caller; }

Frame* innermost_frame() { return innermost; }

DirectCallScope::DirectCallScope(const LayerImpl& layer, DType dtype)
    : layer_(&layer), dtype_(dtype), previous_(std::exchange(direct_call, this)) {}
DirectCallScope::~DirectCallScope() { direct_call = previous_; }

DType DirectCallScope::dtype_of(const LayerImpl& layer) {
  const bool is_direct = direct_call != nullptr && direct_call->layer_ == &layer;
  return is_direct ? direct_call->dtype_ : layer.compute_dtype();
}

InferenceMark::InferenceMark() : previous_(std::exchange(inferring, true)) {}
InferenceMark::~InferenceMark() { inferring = previous_; }

bool is_inferring() { return inferring; }

std::optional<bool> given_training() { return training_mode; }

TrainingScope::TrainingScope(bool training) : previous_(std::exchange(training_mode, training)) {}
TrainingScope::~TrainingScope() { training_mode = previous_; }

}  // namespace rhyton::layers
