#include <rhyton/layers/symbolic_calls.h>

#include <rhyton/layers/call_node.h>

namespace rhyton::layers {

void SymbolicCalls::add(const std::shared_ptr<const CallNode>& call) {
  const std::lock_guard lock(mutex_);
  // Only before the list grows, so that many calls take linear time.
  if (calls_.size() == calls_.capacity()) {
    std::erase_if(calls_, [](const std::weak_ptr<const CallNode>& each) { return each.expired(); });
  }
  calls_.push_back(call);
}

std::shared_ptr<const CallNode> SymbolicCalls::first() const {
  const std::lock_guard lock(mutex_);
  for (const std::weak_ptr<const CallNode>& call : calls_) {
    if (std::shared_ptr<const CallNode> alive = call.lock(); alive != nullptr) return alive;
  }
  return nullptr;
}

}  // namespace rhyton::layers
