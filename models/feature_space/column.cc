#include <rhyton/models/feature_space/column.h>

#include <memory>
#include <optional>
#include <utility>

#include <rhyton/datasets/pipeline.h>
#include <rhyton/framework/error.h>
#include <rhyton/models/feature_space/column_shape.h>

namespace rhyton::utils {
namespace {

using datasets::Batch;

/// The size of the batches of elements that are single values, as in Keras.
constexpr std::int64_t batch_size = 32;

}  // namespace

datasets::Dataset column_of(const datasets::Dataset& dataset, const std::string& name) {
  const std::optional<Batch> first = dataset.iterator(0)->next();
  if (!first) throw ValueError("`adapt()` was called on a data set without elements.");
  const int rank = (*first)[name].rank();
  datasets::Pipeline column =
      datasets::Pipeline(dataset).map([name](const Batch& element) { return Batch{.x = {element[name]}}; });
  if (rank == 0) column = column.batch(batch_size);
  if (rank > 1) return column;
  return column.map([](const Tensor& values) { return with_last_axis(values); });
}

}  // namespace rhyton::utils
