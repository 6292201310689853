#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include <rhyton/datasets/dataset.h>
#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/models/training/batch_parts.h>
#include <rhyton/models/training/batches.h>

namespace rhyton::training {

/// All samples of a pass on a device, for steps that pick their batches by themselves.
struct ResidentArrays {
  /// The whole arrays.
  BatchParts<Tensor> arrays;
  /// The order of the samples in this pass, int64.
  Tensor permutation;

  /// The arguments of a picking step: the arrays in the order of `flat`, then the permutation.
  std::vector<Tensor> arguments() const;
};

/// The batches of arrays or of a data set, pass by pass.
class BatchStream {
 public:
  BatchStream() = default;
  virtual ~BatchStream() = default;
  BatchStream(const BatchStream&) = delete;
  BatchStream& operator=(const BatchStream&) = delete;

  /// The number of batches of a pass; empty if unknown.
  virtual std::optional<std::int64_t> count() const = 0;
  /// The number of samples of a pass; empty if unknown.
  virtual std::optional<std::int64_t> samples() const { return std::nullopt; }
  /// Begins pass number `pass`, from 0, which determines the order of data that are shuffled. Ends the current pass.
  virtual void begin_pass(std::uint64_t pass) = 0;
  /// Moves to the next batch of the pass; false at its end. Must be called before the following functions.
  virtual bool advance() = 0;
  /// Leaves out that many batches of the pass.
  virtual void skip(std::int64_t batches);
  /// Sets the key of the order of the passes that begin afterwards, if the stream shuffles.
  virtual void set_shuffle_key(std::uint64_t) {}

  /// The arrays of the batch. Valid until `advance`.
  virtual const BatchParts<TensorSpec>& specs() = 0;
  /// The addresses of their elements, in the order of `flat`; null for strings. Valid until `advance`.
  virtual const std::vector<const void*>& pointers() = 0;
  /// The batch as tensors of its own.
  virtual BatchParts<Tensor> tensors() = 0;

  /// All samples on that device, in the order of this pass; null if they do not fit or are no arrays.
  virtual const ResidentArrays* resident(LogicalDevice&) { return nullptr; }
  /// The position of the batch's first sample in the pass.
  virtual std::int64_t first_sample() const { return 0; }
};

/// The batches of arrays.
class ArrayStream final : public BatchStream {
 public:
  /// `shuffle_key`: determines the order of each pass; without it the samples keep their order.
  explicit ArrayStream(Batches batches, std::optional<std::uint64_t> shuffle_key = std::nullopt);

  std::optional<std::int64_t> count() const override { return batches_.count(); }
  std::optional<std::int64_t> samples() const override { return batches_.samples(); }
  void begin_pass(std::uint64_t pass) override;
  bool advance() override;
  void skip(std::int64_t batches) override { batch_ += batches; }
  void set_shuffle_key(std::uint64_t key) override {
    if (shuffle_key_) shuffle_key_ = key;
  }
  const BatchParts<TensorSpec>& specs() override { return specs_; }
  const std::vector<const void*>& pointers() override { return batches_.pointers(batch_); }
  BatchParts<Tensor> tensors() override { return batches_.tensors(batch_); }
  const ResidentArrays* resident(LogicalDevice& device) override;
  std::int64_t first_sample() const override { return batch_ * batches_.batch_size(); }

 private:
  Batches batches_;
  std::optional<std::uint64_t> shuffle_key_;
  struct Resident {
    ResidentArrays arrays;
    bool is_permutation_old = true;
  };

  // Made when they are first requested; each pass renews the permutation.
  std::map<const LogicalDevice*, Resident> resident_;
  bool may_be_resident_ = true;
  std::int64_t batch_ = -1;
  std::int64_t size_ = -1;
  BatchParts<TensorSpec> specs_;
};

/// The batches of a data set.
class DatasetStream final : public BatchStream {
 public:
  /// What is used of a batch besides x.
  struct Parts {
    /// Whether y and sample weights are.
    bool targets = true;
    /// Weights of classes; if there are any, they determine the sample weights.
    std::map<std::int64_t, double> class_weight = {};
  };

  DatasetStream(datasets::Dataset dataset, Parts parts);

  std::optional<std::int64_t> count() const override { return dataset_.cardinality(); }
  void begin_pass(std::uint64_t pass) override;
  /// Rethrows errors from the preparation of the batch; throws ValueError if the batch does not match the data set's
  /// `element_spec`.
  bool advance() override;
  const BatchParts<TensorSpec>& specs() override { return specs_; }
  const std::vector<const void*>& pointers() override { return pointers_; }
  BatchParts<Tensor> tensors() override { return arrays_; }

 private:
  void take(datasets::Batch batch);

  datasets::Dataset dataset_;
  Parts parts_;
  datasets::BatchSpec spec_;
  std::unique_ptr<datasets::BatchIterator> batches_;
  BatchParts<Tensor> arrays_;
  BatchParts<TensorSpec> specs_;
  std::vector<const void*> pointers_;
};

}  // namespace rhyton::training
