#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <rhyton/datasets/dataset.h>
#include <rhyton/models/training/batch_parts.h>
#include <rhyton/models/training/batch_stream.h>
#include <rhyton/models/training/required_targets.h>
#include <rhyton/models/training/trainer.h>

namespace rhyton::training {

/// The data of one call of `fit`, `evaluate` or `predict`: a stream of batches and their parts.
struct BatchSource {
  std::unique_ptr<BatchStream> stream;
  /// The arrays of a batch; the lengths of their first axes have no meaning.
  BatchParts<TensorSpec> specs = {};
  /// The samples of a batch and the key of their order; 0 for a data set, which has its own.
  std::int64_t batch_size = 0;
  std::uint64_t shuffle_key = 0;
  /// Whether an epoch of more steps than there are batches continues with the first one. An epoch over a data set ends
  /// with its batches, as in Keras.
  bool repeats = true;

  bool is_empty() const { return stream == nullptr; }
  /// The number of steps of a pass, at most `limit`; empty if unknown. Throws ValueError for an endless data set without
  /// a limit.
  std::optional<std::int64_t> steps(const std::optional<std::int64_t>& limit) const;
  /// The number of steps of an epoch of `fit`: the given one, else that of a pass; empty if unknown. Throws ValueError in
  /// Keras's words for an endless data set if none is given.
  std::optional<std::int64_t> steps_per_epoch(const std::optional<std::int64_t>& given) const;
  /// The arrays of one batch: `specs` with at most `batch_size` samples.
  BatchParts<TensorSpec> batch_specs() const;
};

/// A structure of that many arrays as Keras prints it.
std::string structure(std::size_t count);

/// The batches of a data set for a model, which is built for them unless it is built. `with_targets`: whether y and
/// sample weights are used; `targets`: those of the model's losses and metrics. Elements that are dictionaries are taken
/// by the names of the inputs and outputs. Throws ValueError in Keras's words if the data set's `element_spec` does not
/// fit the model.
BatchSource dataset_source(const datasets::Dataset& dataset, Trainee& trainee, bool with_targets,
                           const RequiredTargets& targets = {},
                           const std::map<std::int64_t, double>& class_weight = {});

}  // namespace rhyton::training
