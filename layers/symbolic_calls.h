#pragma once

#include <memory>
#include <mutex>
#include <vector>

namespace rhyton::layers {

struct CallNode;

/// The calls of a layer on symbolic tensors, which do not keep them alive. May be used from several threads.
class SymbolicCalls {
 public:
  void add(const std::shared_ptr<const CallNode>& call);
  /// The first call that a symbolic tensor or a model still holds; null if there is none.
  std::shared_ptr<const CallNode> first() const;

 private:
  mutable std::mutex mutex_;
  /// Weak, since a call holds its layer.
  std::vector<std::weak_ptr<const CallNode>> calls_;
};

}  // namespace rhyton::layers
