#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include <rhyton/datasets/dataset.h>

namespace rhyton::datasets {

/// The slices of arrays along their first axis, which share the arrays' memory.
class TensorSlices final : public DatasetImpl {
 public:
  /// Throws as `from_tensor_slices`.
  explicit TensorSlices(const Batch& arrays);

  BatchSpec element_spec() const override { return spec_; }
  std::optional<std::int64_t> cardinality() const override { return samples_; }
  std::unique_ptr<BatchIterator> iterator(std::uint64_t pass) const override;

 private:
  Batch arrays_;
  BatchSpec spec_;
  std::int64_t samples_ = 0;
};

}  // namespace rhyton::datasets
