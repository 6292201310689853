#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <rhyton/datasets/dataset.h>
#include <rhyton/models/training/batch_stream.h>
#include <rhyton/models/training/trainer.h>

namespace rhyton::training {

/// The data of one call of `fit`, `evaluate` or `predict`: a stream of batches and what stands in them.
struct BatchSource {
  std::unique_ptr<BatchStream> stream;
  /// How many of a batch's arrays are y and sample weights; the rest are x.
  std::size_t targets = 0;
  std::size_t weights = 0;
  /// What x and y are; the first axis is of no account.
  std::vector<TensorSpec> x_specs = {};
  std::vector<TensorSpec> y_specs = {};
  /// The samples of a batch, and what decides their order; a data set has its own.
  std::int64_t batch_size = 0;
  std::uint64_t shuffle_key = 0;
  /// Whether an epoch of more steps than there are batches goes on with the first one. An epoch over a data set ends
  /// with its batches, as in Keras.
  bool repeats = true;

  bool is_empty() const { return stream == nullptr; }
  /// What x is in one batch: of arrays, whose specs are those of all samples, with no more samples than that.
  std::vector<TensorSpec> batch_specs() const;
};

/// A structure of that many arrays, as Keras prints it.
std::string structure(std::size_t count);

/// The batches of a data set for a model, which is built for them where it was not. `with_targets`: whether y and
/// sample weights are used. Throws ValueError in Keras's words when the data set's `element_spec` does not fit the
/// model.
BatchSource dataset_source(const datasets::Dataset& dataset, Trainee& trainee, bool with_targets,
                           const std::map<std::int64_t, double>& class_weight = {});

}  // namespace rhyton::training
