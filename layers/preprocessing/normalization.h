#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/axes.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/preprocessing/batches_to_adapt.h>

namespace rhyton::layers {

/// A mean or variance that is given instead of learned by `adapt`: one number, or an array, `{0.5, 0.25}`.
class GivenMoment {
 public:
  /// None.
  GivenMoment() = default;
  GivenMoment(double value);                         // NOLINT(google-explicit-constructor): a number is one
  GivenMoment(std::initializer_list<double> values)  // NOLINT(google-explicit-constructor): and so is a list
      : GivenMoment(std::vector<double>(values)) {}
  GivenMoment(const std::vector<double>& values);  // NOLINT(google-explicit-constructor)
  GivenMoment(const Tensor& values);               // NOLINT(google-explicit-constructor)

  bool is_none() const { return values_.is_empty(); }
  /// Of dtype float64.
  const Tensor& values() const { return values_; }
  /// A number, or nested lists of numbers.
  io::Json to_config() const;
  static GivenMoment from_config(const io::Json& config);
  static constexpr const char* config_type = "a number or nested lists of numbers";

 private:
  Tensor values_;
};

/// Fields in the order of `keras.layers.Normalization`.
struct NormalizationOptions {
  ByName by_name = ByName();
  /// The axes along which each position has a mean and a variance of its own: `-1`, or `{1, 2}`. `{}`, Keras's None:
  /// one mean and variance for all values.
  Axes axis = -1;
  /// If given, so must be `variance`, of the same shape; then there is nothing to adapt. It is broadcast to the lengths
  /// of the axes.
  GivenMoment mean = {};
  GivenMoment variance = {};
  /// Whether to undo the normalization: x · σ + mean.
  bool invert = false;
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("axis", self.axis);
    fields("invert", self.invert);
    fields("mean", self.mean);
    fields("variance", self.variance);
  }
};

/// (x - mean) / max(√variance, ε) with ε = `config::epsilon()`. Shapes are unchanged, the dtype is the compute dtype.
/// Mean and variance are given, or computed from data by `adapt` before the layer is used; until then they are 0 and 1.
/// See https://keras.io/api/layers/preprocessing_layers/numerical/normalization.
///
/// ```
/// layers::Normalization normalization;
/// normalization.adapt(x_train);
/// ```
///
/// The constructor throws ValueError in Keras's words if only one of mean and variance is given, or if they do not fit
/// together or to the axes; a call does for an axis out of range, or along which the length is unknown.
class Normalization : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "Normalization";
  using Arguments = NormalizationOptions;

  explicit Normalization(const NormalizationOptions& options = {});
  static Normalization from_config(const io::Json& config);

  /// Computes mean and variance from all of `data`, whose first axis is the samples, in place of earlier ones. A layer
  /// that is not built is built for its shape. Throws ValueError for no samples, for a layer whose mean and variance
  /// are given, and in Keras's words for a shape that the layer was not built for.
  void adapt(const Tensor& data) const;

  /// The same for data in batches: a `datasets::Dataset`, whose first inputs are taken, or any range of tensors.
  template <BatchesToAdapt Batches>
  void adapt(const Batches& batches) const {
    with_batches(batches, [&](const NextBatch& next_batch) { adapt_to(next_batch); });
  }

  /// The mean and the variance, given or learned, in the compute dtype, of a shape that broadcasts to the inputs. Throw
  /// ValueError before the layer is built.
  Tensor mean() const;
  Tensor variance() const;

 private:
  /// With the batches that the function returns until it returns none.
  void adapt_to(const NextBatch& next_batch) const;
};

}  // namespace rhyton::layers
