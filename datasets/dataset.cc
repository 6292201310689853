#include <rhyton/datasets/dataset.h>

#include <fmt/format.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/python_list.h>

namespace rhyton::datasets {

const Tensor& Batch::operator[](std::string_view name) const {
  if (const auto position = x_names.find(name)) return x.at(*position);
  if (const auto position = y_names.find(name)) return y.at(*position);
  throw ValueError(fmt::format("An element has no tensor '{}'. The names of its x are {}, those of its y {}.", name,
                               python_list(x_names.list()), python_list(y_names.list())));
}

Dataset::Dataset(std::shared_ptr<const DatasetImpl> impl) : impl_(std::move(impl)) {
  if (impl_ == nullptr) throw ValueError("A data set needs something to take its batches from, got none.");
}

Dataset::Iterator Dataset::begin() const { return Iterator(iterator()); }

}  // namespace rhyton::datasets
