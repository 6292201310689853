#include <rhyton/models/training/arranged_dataset.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/models/training/arrays.h>

namespace rhyton::training {
namespace {

/// Which tensors of a part of an element are used, in their order; all of them if it is not given.
using Selection = std::optional<std::vector<std::size_t>>;

template <class T>
void select(const Selection& selection, const char* part, std::vector<T>& tensors) {
  if (!selection) return;
  std::vector<T> selected;
  for (const std::size_t position : *selection) {
    if (position >= tensors.size()) {
      throw ValueError("A batch of the data set has " + std::to_string(tensors.size()) + " tensors in `" + part +
                       "`, fewer than its `element_spec`.");
    }
    selected.push_back(tensors[position]);
  }
  tensors = std::move(selected);
}

/// What `arrange` selects from a dictionary with these names, found by a dictionary of positions in place of arrays.
template <class Arrange>
Selection selection_by(const datasets::TensorNames& names, const Arrange& arrange) {
  if (names.is_empty()) return std::nullopt;
  std::map<std::string, Tensor> positions;
  for (std::size_t i = 0; i < names.list().size(); ++i) {
    positions.emplace(names.list()[i], Tensor::scalar(static_cast<std::int64_t>(i)));
  }
  std::vector<std::size_t> selected;
  for (const Tensor& position : arrange(Tensors(std::move(positions)))) {
    selected.push_back(position.item<std::size_t>());
  }
  return selected;
}

class ArrangedBatches final : public datasets::BatchIterator {
 public:
  ArrangedBatches(std::unique_ptr<datasets::BatchIterator> batches, Selection x, Selection y)
      : batches_(std::move(batches)), x_(std::move(x)), y_(std::move(y)) {}

  std::optional<datasets::Batch> next() override {
    std::optional<datasets::Batch> batch = batches_->next();
    if (!batch) return batch;
    select(x_, "x", batch->x);
    select(y_, "y", batch->y);
    batch->x_names = {};
    batch->y_names = {};
    return batch;
  }

 private:
  std::unique_ptr<datasets::BatchIterator> batches_;
  Selection x_;
  Selection y_;
};

class ArrangedDataset final : public datasets::DatasetImpl {
 public:
  ArrangedDataset(datasets::Dataset source, Selection x, Selection y)
      : source_(std::move(source)), x_(std::move(x)), y_(std::move(y)) {}

  datasets::BatchSpec element_spec() const override {
    datasets::BatchSpec spec = source_.element_spec();
    select(x_, "x", spec.x);
    select(y_, "y", spec.y);
    spec.x_names = {};
    spec.y_names = {};
    return spec;
  }
  std::optional<std::int64_t> cardinality() const override { return source_.cardinality(); }
  std::unique_ptr<datasets::BatchIterator> iterator(std::uint64_t pass) const override {
    return std::make_unique<ArrangedBatches>(source_.iterator(pass), x_, y_);
  }

 private:
  datasets::Dataset source_;
  Selection x_;
  Selection y_;
};

}  // namespace

datasets::Dataset arranged_dataset(const datasets::Dataset& dataset, Trainee& trainee, bool with_targets,
                                   const RequiredTargets& targets) {
  const datasets::BatchSpec spec = dataset.element_spec();
  spec.x_names.require_fitting(spec.x.size(), "x");
  spec.y_names.require_fitting(spec.y.size(), "y");
  const Selection x = selection_by(spec.x_names, [&](const Tensors& names) { return inputs_for(trainee, names); });
  const Selection y =
      with_targets
          ? selection_by(spec.y_names, [&](const Tensors& names) { return targets_for(trainee, names, targets); })
          : std::nullopt;
  if (!x && !y) return dataset;
  return datasets::Dataset(std::make_shared<const ArrangedDataset>(dataset, x, y));
}

}  // namespace rhyton::training
