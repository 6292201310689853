#include <rhyton/framework/graph/passes/bucket_reductions.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <span>
#include <unordered_map>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/collectives.h>
#include <rhyton/framework/ops/overlapped_reductions.h>

namespace rhyton::graph {
namespace {

/// The reduction that a node is, where it can overlap; else null.
const AllReduceOp* as_overlapping(const Node& node) {
  const auto* const reduction = dynamic_cast<const AllReduceOp*>(node.op.get());
  return reduction != nullptr && reduction->communicator->overlaps() ? reduction : nullptr;
}

/// A tensor and the sum it goes into.
struct Term {
  ValueId tensor = -1;
  ValueId sum = -1;
};

class BucketCutter {
 public:
  explicit BucketCutter(const Graph& graph) : rewriter_(graph), uses_(graph.use_counts()) {}

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
  std::vector<Term> terms_of(const Node& node) const {
    std::vector<Term> terms;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      if (uses_[static_cast<std::size_t>(node.outputs[i])] > 0) terms.push_back({node.inputs[i], node.outputs[i]});
    }
    const auto producer = [&](const Term& term) { return rewriter_.source().value(term.tensor).producer; };
    std::stable_sort(terms.begin(), terms.end(),
                     [&](const Term& a, const Term& b) { return producer(a) < producer(b); });
    return terms;
  }

  void cut(const Node& node, const AllReduceOp& reduction) {
    const std::vector<Term> terms = terms_of(node);
    std::vector<TensorSpec> specs;
    for (const Term& term : terms) specs.push_back(rewriter_.source().value(term.tensor).spec);
    const std::vector<std::size_t> counts = reduction.communicator->buckets_of(specs);
    if (std::accumulate(counts.begin(), counts.end(), std::size_t{0}) != terms.size()) {
      throw RuntimeError("The buckets of a sum over " + reduction.communicator->description() +
                         " do not hold as many tensors as the sum.");
    }
    if (counts.size() < 2) return add_whole(node, terms, specs);

    std::vector<NodeId> begins;
    std::size_t first = 0;
    for (const std::size_t count : counts) {
      begins.push_back(
          add_begin(reduction, std::span(terms).subspan(first, count), std::span(specs).subspan(first, count)));
      first += count;
    }
    first = 0;
    for (std::size_t bucket = 0; bucket < counts.size(); ++bucket) {
      add_finish(reduction, std::span(terms).subspan(first, counts[bucket]), begins[bucket], begins.back());
      first += counts[bucket];
    }
  }

  void add_whole(const Node& node, const std::vector<Term>& terms, const std::vector<TensorSpec>& specs) {
    std::vector<ValueId> inputs;
    for (const Term& term : terms) inputs.push_back(rewriter_.mapped(term.tensor));
    const NodeId whole = rewriter_.target().add_node(node.op, std::move(inputs), specs);
    for (std::size_t i = 0; i < terms.size(); ++i)
      rewriter_.map(terms[i].sum, rewriter_.target().node(whole).outputs[i]);
  }

  NodeId add_begin(const AllReduceOp& reduction, std::span<const Term> terms, std::span<const TensorSpec> specs) {
    std::vector<ValueId> inputs;
    for (const Term& term : terms) inputs.push_back(rewriter_.mapped(term.tensor));
    std::vector<TensorSpec> outputs(specs.begin(), specs.end());
    const auto [number, is_first] = numbers_.try_emplace(reduction.communicator.get(), -1);
    if (!is_first) inputs.push_back(number->second);
    outputs.push_back({Shape{}, DType::int64});
    const NodeId begin = rewriter_.target().add_node(
        std::make_shared<const BeginAllReduceOp>(reduction.communicator, !is_first), std::move(inputs), outputs);
    number->second = rewriter_.target().node(begin).outputs.back();
    return begin;
  }

  void add_finish(const AllReduceOp& reduction, std::span<const Term> terms, NodeId begin, NodeId last) {
    std::vector<ValueId> inputs = rewriter_.target().node(begin).outputs;
    inputs.push_back(rewriter_.target().node(last).outputs.back());
    std::vector<TensorSpec> outputs = rewriter_.target().specs_of(inputs);
    outputs.resize(terms.size());
    const NodeId finish = rewriter_.target().add_node(std::make_shared<const FinishAllReduceOp>(reduction.communicator),
                                                      std::move(inputs), outputs);
    for (std::size_t i = 0; i < terms.size(); ++i)
      rewriter_.map(terms[i].sum, rewriter_.target().node(finish).outputs[i]);
  }

  Rewriter rewriter_;
  std::vector<int> uses_;
  /// By communicator: the number that its last BeginAllReduce so far gives, in the target.
  std::unordered_map<const Communicator*, ValueId> numbers_;
};

}  // namespace

Graph bucket_reductions(const Graph& graph) {
  const bool has_any = std::any_of(graph.nodes().begin(), graph.nodes().end(),
                                   [](const Node& node) { return as_overlapping(node) != nullptr; });
  return has_any ? BucketCutter(graph).run() : graph;
}

}  // namespace rhyton::graph
