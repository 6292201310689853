#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <rhyton/datasets/dataset.h>
#include <rhyton/models/host_calls.h>
#include <rhyton/models/training/batch_source.h>
#include <rhyton/models/training/batch_stream.h>

namespace rhyton::training {

/// The batches of another stream with the model's calls on the host made: x are the inputs of its compiled step. A
/// thread of its own makes the calls for the next two batches, so that they overlap with the steps.
class HostCallStream final : public BatchStream {
 public:
  /// `calls` must outlive the stream.
  HostCallStream(std::unique_ptr<BatchStream> batches, const models::HostCalls& calls);
  ~HostCallStream() override;

  std::optional<std::int64_t> count() const override { return batches_->count(); }
  std::optional<std::int64_t> samples() const override { return batches_->samples(); }
  void begin_pass(std::uint64_t pass) override;
  /// Rethrows what the calls threw.
  bool advance() override;
  void skip(std::int64_t batches) override;
  void set_shuffle_key(std::uint64_t key) override { batches_->set_shuffle_key(key); }
  const BatchParts<TensorSpec>& specs() override { return specs_; }
  const std::vector<const void*>& pointers() override { return pointers_; }
  BatchParts<Tensor> tensors() override { return arrays_; }

 private:
  std::unique_ptr<BatchStream> batches_;
  const models::HostCalls& calls_;
  /// Of this pass; it has not begun to read before the first batch. Destroyed first, since its thread reads `batches_`.
  std::unique_ptr<datasets::BatchIterator> iterator_;
  bool has_begun_ = false;
  BatchParts<Tensor> arrays_;
  BatchParts<TensorSpec> specs_;
  std::vector<const void*> pointers_;
};

/// The data for steps of the model: those of a model with host layers, if steps are compiled, with a HostCallStream.
/// Throws NotImplementedError for strings that no compiled step can be made for.
BatchSource with_host_calls(BatchSource data, Trainee& trainee, bool runs_eagerly);

}  // namespace rhyton::training
