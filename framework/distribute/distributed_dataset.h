#pragma once

#include <iterator>
#include <utility>
#include <vector>

#include <rhyton/framework/distribute/strategy.h>

namespace rhyton::distribute {

/// A batch of a data set, divided into the parts of the replicas of this process.
struct DistributedBatch {
  std::vector<PerReplica> x;
  std::vector<PerReplica> y = {};
  std::vector<PerReplica> sample_weight = {};
};

/// The batches of a data set, each divided into the parts of the replicas, for custom training loops with
/// `Strategy::run` (`tf.distribute.DistributedDataset`). The data set gives batches of all replicas together, the same
/// ones in every process.
///
/// ```
/// for (const distribute::DistributedBatch& batch : strategy.experimental_distribute_dataset(dataset)) {
///   strategy.run(step, {batch.x[0], batch.y[0]});
/// }
/// ```
template <class Dataset>
class DistributedDataset {
 public:
  DistributedDataset(Dataset dataset, Strategy strategy)
      : dataset_(std::move(dataset)), strategy_(std::move(strategy)) {}

  class Iterator {
   public:
    using iterator_concept = std::input_iterator_tag;
    using value_type = DistributedBatch;
    using difference_type = std::ptrdiff_t;

    Iterator(typename Dataset::Iterator batches, const Strategy& strategy)
        : batches_(std::move(batches)), strategy_(&strategy) {
      cut();
    }
    const DistributedBatch& operator*() const { return batch_; }
    const DistributedBatch* operator->() const { return &batch_; }
    Iterator& operator++() {
      ++batches_;
      cut();
      return *this;
    }
    void operator++(int) { ++*this; }
    friend bool operator==(const Iterator& iterator, std::default_sentinel_t) {
      return iterator.batches_ == std::default_sentinel;
    }

   private:
    void cut() {
      if (batches_ == std::default_sentinel) return;
      batch_ = {parts(batches_->x), parts(batches_->y), parts(batches_->sample_weight)};
    }
    std::vector<PerReplica> parts(const std::vector<Tensor>& tensors) const {
      std::vector<PerReplica> result;
      for (const Tensor& tensor : tensors) result.push_back(strategy_->distribute_batch(tensor));
      return result;
    }

    typename Dataset::Iterator batches_;
    const Strategy* strategy_;
    DistributedBatch batch_;
  };

  /// Begins a new pass over the data.
  Iterator begin() const { return Iterator(dataset_.begin(), strategy_); }
  static std::default_sentinel_t end() { return {}; }

 private:
  Dataset dataset_;
  Strategy strategy_;
};

template <class Dataset>
DistributedDataset<Dataset> Strategy::experimental_distribute_dataset(const Dataset& dataset) const {
  return DistributedDataset<Dataset>(dataset, *this);
}

}  // namespace rhyton::distribute
