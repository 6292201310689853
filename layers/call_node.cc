#include <rhyton/layers/call_node.h>

#include <utility>
#include <vector>

#include <rhyton/layers/layer.h>

namespace rhyton::layers {
namespace {

using Owner = std::unique_ptr<const CallNode>;

/// The nodes waiting for release on this thread; null while none is being released.
thread_local std::vector<Owner>* pending = nullptr;

struct Release {
  void operator()(const CallNode* node) const {
    Owner owner(node);
    if (pending != nullptr) {
      pending->push_back(std::move(owner));
      return;
    }
    std::vector<Owner> waiting;
    pending = &waiting;
    owner.reset();
    while (!waiting.empty()) {
      const Owner next = std::move(waiting.back());
      waiting.pop_back();
    }
    pending = nullptr;
  }
};

}  // namespace

CallArguments CallNode::arguments_with(const std::vector<Tensor>& tensors) const {
  std::size_t next = 0;
  return map_leaves(arguments, [&](const Argument& leaf) -> Argument {
    return leaf.is_symbolic() ? Argument(tensors.at(next++)) : leaf;
  });
}

std::vector<SymbolicTensor> outputs_of(const std::shared_ptr<const CallNode>& node) {
  std::vector<SymbolicTensor> outputs;
  for (std::size_t i = 0; i < node->outputs.size(); ++i) {
    const SymbolicTensor output(node, static_cast<int>(i));
    outputs.push_back(i < node->masks.size() ? output.with_mask(node->masks[i]) : output);
  }
  return outputs;
}

std::shared_ptr<const CallNode> share_node(CallNode node) {
  std::shared_ptr<const CallNode> shared(std::make_unique<const CallNode>(std::move(node)).release(), Release());
  if (shared->layer != nullptr) shared->layer->symbolic_calls().add(shared);
  return shared;
}

}  // namespace rhyton::layers
