#pragma once

#include <atomic>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <rhyton/datasets/tensor_names.h>
#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::datasets {

/// A batch for one step of training, evaluation or prediction: one tensor for each input of the model, one for each
/// output (none if there are no targets), and as many sample weights as outputs, or none. The first axis of each tensor
/// is the samples.
///
/// With names, x or y is a dictionary, whose tensors a model takes by the names of its inputs or outputs:
/// `batch["title"]` is one of them.
struct Batch {
  std::vector<Tensor> x;
  std::vector<Tensor> y = {};
  std::vector<Tensor> sample_weight = {};
  TensorNames x_names = {};
  TensorNames y_names = {};

  /// The tensor of that name of x or, if x has none, of y. Throws ValueError if there is none.
  const Tensor& operator[](std::string_view name) const;
};

/// Shapes and dtypes of the batches of a data set. The first axis, the samples, is unknown (-1), and others may be
/// unknown.
struct BatchSpec {
  std::vector<TensorSpec> x;
  std::vector<TensorSpec> y = {};
  std::vector<TensorSpec> sample_weight = {};
  TensorNames x_names = {};
  TensorNames y_names = {};
};

/// Iterates over the batches of one pass over a data set.
class BatchIterator {
 public:
  BatchIterator() = default;
  virtual ~BatchIterator() = default;
  BatchIterator(const BatchIterator&) = delete;
  BatchIterator& operator=(const BatchIterator&) = delete;

  /// The next batch; empty at the end. Rethrows errors from the preparation of the batch on other threads.
  virtual std::optional<Batch> next() = 0;
};

/// The implementation of a data set: derive from it for a custom data set.
class DatasetImpl {
 public:
  DatasetImpl() = default;
  virtual ~DatasetImpl() = default;
  DatasetImpl(const DatasetImpl&) = delete;
  DatasetImpl& operator=(const DatasetImpl&) = delete;

  /// Shapes and dtypes of the batches.
  virtual BatchSpec element_spec() const = 0;
  /// The number of batches of a pass; empty if it is known only at the end.
  virtual std::optional<std::int64_t> cardinality() const { return std::nullopt; }
  /// Begins pass number `pass`, from 0. A data set that shuffles has a different order in each pass, a function of its
  /// seed and this number. Several passes may be active at once; the data set must outlive them.
  virtual std::unique_ptr<BatchIterator> iterator(std::uint64_t pass) const = 0;

 private:
  friend class Dataset;
  mutable std::atomic<std::uint64_t> passes_{0};
};

/// Data in batches instead of complete arrays: given to `fit`, `evaluate` and `predict` in place of x and y
/// (TensorFlow's `tf.data.Dataset`). A handle: copies are the same data set.
///
/// ```
/// for (const datasets::Batch& batch : dataset) std::cout << batch.x[0].shape().to_string() << "\n";
/// ```
class Dataset {
 public:
  /// Throws ValueError for a null pointer.
  explicit Dataset(std::shared_ptr<const DatasetImpl> impl);

  /// See `DatasetImpl`.
  BatchSpec element_spec() const { return impl_->element_spec(); }
  std::optional<std::int64_t> cardinality() const { return impl_->cardinality(); }
  /// A pass with that number; see `DatasetImpl::iterator`.
  std::unique_ptr<BatchIterator> iterator(std::uint64_t pass) const { return impl_->iterator(pass); }
  /// The next pass; the first one has number 0.
  std::unique_ptr<BatchIterator> iterator() const { return impl_->iterator(impl_->passes_++); }

  class Iterator;
  /// Begins a new pass.
  Iterator begin() const;
  static std::default_sentinel_t end() { return {}; }

 protected:
  const DatasetImpl& impl() const { return *impl_; }

 private:
  std::shared_ptr<const DatasetImpl> impl_;
};

/// For loops over a data set.
class Dataset::Iterator {
 public:
  using iterator_concept = std::input_iterator_tag;
  using value_type = Batch;
  using difference_type = std::ptrdiff_t;

  explicit Iterator(std::unique_ptr<BatchIterator> batches) : batches_(std::move(batches)), batch_(batches_->next()) {}
  const Batch& operator*() const { return *batch_; }
  const Batch* operator->() const { return &*batch_; }
  Iterator& operator++() {
    batch_ = batches_->next();
    return *this;
  }
  void operator++(int) { ++*this; }
  friend bool operator==(const Iterator& iterator, std::default_sentinel_t) { return !iterator.batch_; }

 private:
  std::unique_ptr<BatchIterator> batches_;
  std::optional<Batch> batch_;
};

}  // namespace rhyton::datasets
