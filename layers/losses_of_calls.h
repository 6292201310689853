#pragma once

#include <map>
#include <memory>
#include <vector>

#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::layers {

class LayerImpl;

/// The losses of the calls that a thread has made, by layer: those of other threads' calls are no part of its own.
class LossesOfCalls {
 public:
  void add(const LayerImpl& layer, const Tensor& loss);
  std::vector<Tensor> of(const LayerImpl& layer) const;
  void clear(const LayerImpl& layer);

 private:
  struct Entry {
    /// Tells a layer from one that was in its place in memory.
    std::weak_ptr<const LayerImpl> layer;
    std::vector<Tensor> losses;
  };
  std::map<const LayerImpl*, Entry> entries_;
};

/// Those of the calling thread.
LossesOfCalls& losses_of_calls();

}  // namespace rhyton::layers
