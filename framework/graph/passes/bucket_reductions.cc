#include <rhyton/framework/graph/passes/bucket_reductions.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <unordered_map>
#include <utility>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/collectives.h>
#include <rhyton/framework/ops/overlapped_reductions.h>

namespace rhyton::graph {
namespace {

/// The node's reduction if its communicator can run it in the background; else null.
const AllReduceOp* as_overlapping(const Node& node) {
  const auto* const reduction = dynamic_cast<const AllReduceOp*>(node.op.get());
  return reduction != nullptr && reduction->communicator->overlaps() ? reduction : nullptr;
}

/// Tensors of a sum in the same bucket.
struct Bucket {
  std::size_t first = 0;
  std::size_t count = 0;
  /// In the target graph.
  NodeId begin = -1;
};

class BucketCutter {
 public:
  explicit BucketCutter(const Graph& graph) : rewriter_(graph) {}

  Graph run() {
    for (const Node& node : rewriter_.source().nodes()) {
      if (const AllReduceOp* const reduction = as_overlapping(node)) {
        cut(node, *reduction);
      } else {
        rewriter_.keep(node);
      }
    }
    return rewriter_.finish();
  }

 private:
  void cut(const Node& node, const AllReduceOp& reduction) {
    std::vector<Bucket> buckets = buckets_of(node, reduction);
    if (buckets.size() < 2) {
      rewriter_.keep(node);
      latest_[reduction.communicator.get()] = rewriter_.mapped(node.outputs.front());
      return;
    }
    std::reverse(buckets.begin(), buckets.end());
    for (Bucket& bucket : buckets) bucket.begin = add_begin(node, reduction, bucket);
    for (const Bucket& bucket : buckets) add_finish(node, reduction, bucket, buckets.back().begin);
  }

  std::vector<Bucket> buckets_of(const Node& node, const AllReduceOp& reduction) const {
    const std::vector<std::size_t> counts =
        reduction.communicator->buckets_of(rewriter_.source().specs_of(node.inputs));
    if (std::accumulate(counts.begin(), counts.end(), std::size_t{0}) != node.inputs.size()) {
      throw RuntimeError("The buckets of a sum over " + reduction.communicator->description() +
                         " do not hold as many tensors as the sum.");
    }
    std::vector<Bucket> buckets;
    std::size_t first = 0;
    for (const std::size_t count : counts) {
      buckets.push_back({.first = first, .count = count});
      first += count;
    }
    return buckets;
  }

  NodeId add_begin(const Node& node, const AllReduceOp& reduction, const Bucket& bucket) {
    std::vector<ValueId> inputs;
    for (std::size_t i = 0; i < bucket.count; ++i) inputs.push_back(rewriter_.mapped(node.inputs[bucket.first + i]));
    std::vector<TensorSpec> outputs = rewriter_.target().specs_of(inputs);
    outputs.push_back({Shape{}, DType::int64});
    const auto [latest, is_first] = latest_.try_emplace(reduction.communicator.get(), -1);
    if (!is_first) inputs.push_back(latest->second);
    const NodeId begin = rewriter_.target().add_node(
        std::make_shared<const BeginAllReduceOp>(reduction.communicator, !is_first), std::move(inputs), outputs);
    latest->second = rewriter_.target().node(begin).outputs.back();
    return begin;
  }

  void add_finish(const Node& node, const AllReduceOp& reduction, const Bucket& bucket, NodeId last) {
    std::vector<ValueId> inputs = rewriter_.target().node(bucket.begin).outputs;
    inputs.push_back(rewriter_.target().node(last).outputs.back());
    std::vector<TensorSpec> outputs = rewriter_.target().specs_of(inputs);
    outputs.resize(bucket.count);
    const NodeId finish = rewriter_.target().add_node(std::make_shared<const FinishAllReduceOp>(reduction.communicator),
                                                      std::move(inputs), outputs);
    for (std::size_t i = 0; i < bucket.count; ++i) {
      rewriter_.map(node.outputs[bucket.first + i], rewriter_.target().node(finish).outputs[i]);
    }
  }

  Rewriter rewriter_;
  /// By communicator, in the target graph: a result of its last sum so far; for a begun one, the number of the call.
  std::unordered_map<const Communicator*, ValueId> latest_;
};

}  // namespace

Graph bucket_reductions(const Graph& graph) {
  const bool has_any = std::any_of(graph.nodes().begin(), graph.nodes().end(),
                                   [](const Node& node) { return as_overlapping(node) != nullptr; });
  return has_any ? BucketCutter(graph).run() : graph;
}

}  // namespace rhyton::graph
