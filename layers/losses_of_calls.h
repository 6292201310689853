#pragma once

#include <map>
#include <memory>
#include <vector>

#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::layers {

class LayerImpl;

/// The losses of the calls that a thread has made, by layer. Calls of other threads are not included.
class LossesOfCalls {
 public:
  void add(const LayerImpl& layer, const Tensor& loss);
  std::vector<Tensor> of(const LayerImpl& layer) const;
  void clear(const LayerImpl& layer);
  bool is_empty() const { return entries_.empty(); }

 private:
  struct Entry {
    /// Distinguishes a layer from an earlier one at the same address.
    std::weak_ptr<const LayerImpl> layer;
    std::vector<Tensor> losses;
  };
  std::map<const LayerImpl*, Entry> entries_;
};

/// The losses of the calling thread.
LossesOfCalls& losses_of_calls();

}  // namespace rhyton::layers
