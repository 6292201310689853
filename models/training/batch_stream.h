#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include <rhyton/datasets/dataset.h>
#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/models/training/batches.h>

namespace rhyton::training {

/// All samples of a pass on a device, for steps that pick their batches by themselves.
struct ResidentArrays {
  /// x, y, sample weights, whole.
  std::vector<Tensor> arrays;
  /// The order of the samples in this pass, int64.
  Tensor permutation;
};

/// The batches that steps run over, pass by pass: from arrays or from a data set.
class BatchStream {
 public:
  BatchStream() = default;
  virtual ~BatchStream() = default;
  BatchStream(const BatchStream&) = delete;
  BatchStream& operator=(const BatchStream&) = delete;

  /// The batches of a pass; empty where that is not known.
  virtual std::optional<std::int64_t> count() const = 0;
  /// The samples of a pass, likewise.
  virtual std::optional<std::int64_t> samples() const { return std::nullopt; }
  /// Begins pass number `pass`, from 0, which decides the order where the data are shuffled; a pass under way is given
  /// up.
  virtual void begin_pass(std::uint64_t pass) = 0;
  /// Goes on to the next batch of the pass; false at its end. Must come before the following.
  virtual bool advance() = 0;
  /// Leaves out that many batches of the pass.
  virtual void skip(std::int64_t batches);
  /// From this comes the order of the passes that begin afterwards, where the stream shuffles.
  virtual void set_shuffle_key(std::uint64_t) {}

  /// The arrays of the batch: x, y, sample weights. Valid until `advance`.
  virtual const std::vector<TensorSpec>& specs() = 0;
  virtual const std::vector<const void*>& pointers() = 0;
  /// The same as tensors of their own.
  virtual std::vector<Tensor> tensors() = 0;

  /// All samples on that device, in the order of this pass; null where they do not fit, or come from elsewhere.
  virtual const ResidentArrays* resident(LogicalDevice&) { return nullptr; }
  /// The place of the batch's first sample in the pass.
  virtual std::int64_t first_sample() const { return 0; }
};

/// Arrays, dealt out in batches.
class ArrayStream final : public BatchStream {
 public:
  /// `shuffle_key`: from it comes the order of each pass; without it samples keep theirs.
  explicit ArrayStream(Batches batches, std::optional<std::uint64_t> shuffle_key = std::nullopt);

  std::optional<std::int64_t> count() const override { return batches_.count(); }
  std::optional<std::int64_t> samples() const override { return batches_.samples(); }
  void begin_pass(std::uint64_t pass) override;
  bool advance() override;
  void skip(std::int64_t batches) override { batch_ += batches; }
  void set_shuffle_key(std::uint64_t key) override {
    if (shuffle_key_) shuffle_key_ = key;
  }
  const std::vector<TensorSpec>& specs() override { return specs_; }
  const std::vector<const void*>& pointers() override { return batches_.pointers(batch_); }
  std::vector<Tensor> tensors() override { return batches_.tensors(batch_); }
  const ResidentArrays* resident(LogicalDevice& device) override;
  std::int64_t first_sample() const override { return batch_ * batches_.batch_size(); }

 private:
  Batches batches_;
  std::optional<std::uint64_t> shuffle_key_;
  struct Resident {
    ResidentArrays arrays;
    bool is_permutation_old = true;
  };

  // Made when they are first asked for; the permutation is renewed with each pass.
  std::map<const LogicalDevice*, Resident> resident_;
  bool may_be_resident_ = true;
  std::int64_t batch_ = -1;
  std::int64_t size_ = -1;
  std::vector<TensorSpec> specs_;
};

/// The batches of a data set.
class DatasetStream final : public BatchStream {
 public:
  /// What is taken of a batch.
  struct Parts {
    bool targets = true;
    /// Weights of the samples, by their classes, where there are any.
    std::map<std::int64_t, double> class_weight = {};
  };

  DatasetStream(datasets::Dataset dataset, Parts parts);

  std::optional<std::int64_t> count() const override { return dataset_.cardinality(); }
  void begin_pass(std::uint64_t pass) override;
  /// Throws what goes wrong while the batch is made ready, and ValueError when it is not as the data set's
  /// `element_spec` says.
  bool advance() override;
  const std::vector<TensorSpec>& specs() override { return specs_; }
  const std::vector<const void*>& pointers() override { return pointers_; }
  std::vector<Tensor> tensors() override { return arrays_; }

 private:
  void take(datasets::Batch batch);

  datasets::Dataset dataset_;
  Parts parts_;
  datasets::BatchSpec spec_;
  std::unique_ptr<datasets::BatchIterator> batches_;
  std::vector<Tensor> arrays_;
  std::vector<TensorSpec> specs_;
  std::vector<const void*> pointers_;
};

}  // namespace rhyton::training
