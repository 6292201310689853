#include <rhyton/datasets/dataset.h>

#include <rhyton/framework/error.h>

namespace rhyton::datasets {

Dataset::Dataset(std::shared_ptr<const DatasetImpl> impl) : impl_(std::move(impl)) {
  if (impl_ == nullptr) throw ValueError("A data set needs something to take its batches from, got none.");
}

Dataset::Iterator Dataset::begin() const { return Iterator(iterator()); }

}  // namespace rhyton::datasets
