#pragma once

#include <optional>
#include <vector>

#include <rhyton/framework/tensor/dtype.h>

namespace rhyton::layers {

class LayerImpl;

/// A layer that is being built or called on this thread, and its caller.
struct Frame {
  const LayerImpl* layer;
  Frame* caller;
  /// Whether it is no call, but a model's own step, which calls layers as code outside of any layer does.
  bool is_step = false;
  /// The layers with weights that were built for a call within this one.
  std::vector<const LayerImpl*> built = {};
};

/// Makes a layer the innermost one of this thread.
class FrameScope {
 public:
  explicit FrameScope(const LayerImpl* layer, bool is_step = false);
  ~FrameScope();
  FrameScope(const FrameScope&) = delete;
  FrameScope& operator=(const FrameScope&) = delete;

  const Frame& frame() const { return frame_; }

 private:
  Frame frame_;
};

/// The layer that this thread is calling or building; null outside of any.
Frame* innermost_frame();

/// During its lifetime, `call_with` of a layer is called directly by a wrapper, as `layer.call(x)` in Keras: it
/// computes in the dtype of the wrapper.
class DirectCallScope {
 public:
  DirectCallScope(const LayerImpl& layer, DType dtype);
  ~DirectCallScope();
  DirectCallScope(const DirectCallScope&) = delete;
  DirectCallScope& operator=(const DirectCallScope&) = delete;

  /// The dtype that a layer which is being called computes in.
  static DType dtype_of(const LayerImpl& layer);

 private:
  const LayerImpl* layer_;
  DType dtype_;
  const DirectCallScope* previous_;
};

/// During its lifetime, calls of this thread only infer shapes, so that they must leave no state behind.
class InferenceMark {
 public:
  InferenceMark();
  ~InferenceMark();
  InferenceMark(const InferenceMark&) = delete;
  InferenceMark& operator=(const InferenceMark&) = delete;

 private:
  bool previous_;
};

bool is_inferring();

/// The value of `training` that callers of this thread gave: the argument of the innermost calling layer that was given
/// one, else the mode of the model. Empty if there is none.
std::optional<bool> given_training();

}  // namespace rhyton::layers
