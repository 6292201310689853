#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/preprocessing/batches_to_adapt.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.Discretization`. There are no sparse tensors: `sparse` is always false.
struct DiscretizationOptions {
  ByName by_name = ByName();
  /// The boundaries between the bins, ascending: `{0.0, 1.0}` makes the bins x < 0, 0 <= x < 1, and 1 <= x. They are
  /// rounded to float32.
  std::optional<std::vector<double>> bin_boundaries = std::nullopt;
  /// Or how many bins there are; `adapt` finds their boundaries.
  std::optional<std::int64_t> num_bins = std::nullopt;
  /// The error in quantiles that is allowed while the layer adapts: it keeps a summary of at most about 1 / epsilon
  /// values.
  double epsilon = 0.01;
  /// "int", "one_hot", "multi_hot" or "count".
  std::string output_mode = "int";
  std::string dtype = {};
  std::string name = {};

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("bin_boundaries", self.bin_boundaries);
    fields("num_bins", self.num_bins);
    fields("epsilon", self.epsilon);
    fields("output_mode", self.output_mode);
    fields.constant("sparse", false);
    // Of tf.keras; Keras 3 has no such argument of this layer.
    fields.ignored("trainable");
  }
};

/// The number of the bin of each input, between boundaries that are given, or computed from data by `adapt` so that
/// each bin has about as many of them. An input is compared with the boundaries in float32, or in float64 if that is
/// `config::floatx()`; NaN is in the last bin. The result is in the form of the `output_mode`:
///
/// - "int": the number, int32, in the shape of the input;
/// - "one_hot": [...] -> [..., bins], of the compute dtype; a last axis of length 1 is replaced, and of a scalar it is
///   [1, bins];
/// - "multi_hot": [batch, N] -> [batch, bins], 1 for each bin that a sample has; a vector is one sample, and inputs of
///   more axes are summed along axis 1;
/// - "count": how often a sample has it.
///
/// See https://keras.io/api/layers/preprocessing_layers/numerical/discretization.
///
/// ```
/// layers::Discretization discretization({.num_bins = 8});
/// discretization.adapt(x_train);
/// ```
///
/// The constructor throws ValueError in Keras's words for a negative `num_bins`, an unknown `output_mode`, and unless
/// exactly one of `bin_boundaries` and `num_bins` is given; InvalidArgumentError for boundaries that are not ascending.
/// A call on values throws ValueError if there are no boundaries yet.
class Discretization : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "Discretization";
  using Arguments = DiscretizationOptions;

  explicit Discretization(const DiscretizationOptions& options = {});
  /// Also of a layer that was adapted, which has both `bin_boundaries` and `num_bins`.
  static Discretization from_config(const io::Json& config);

  /// Computes the boundaries from all of `data`, of any shape and dtype, in place of earlier ones. With few values
  /// there are fewer bins than `num_bins`. Throws ValueError in Keras's words for a layer that was made with
  /// `bin_boundaries`, and for an `epsilon` or `num_bins` of 0.
  ///
  /// A compiled model uses the new boundaries at once if their number is the same; else there is a warning, and it must
  /// be compiled again.
  void adapt(const Tensor& data) const;

  /// The same for data in batches: a `datasets::Dataset`, whose first inputs are taken, or any range of tensors; of the
  /// first `steps` batches if that is given.
  template <BatchesToAdapt Batches>
  void adapt(const Batches& batches, std::optional<std::int64_t> steps = std::nullopt) const {
    with_batches(
        batches, [&](const NextBatch& next_batch) { adapt_to(next_batch); }, steps);
  }

  // The parts of `adapt`.

  /// Forgets the data, not the boundaries. Nothing for a layer that was made with `bin_boundaries`.
  void reset_state() const;
  /// Adds data. Throws as `adapt`.
  void update_state(const Tensor& data) const;
  /// Computes the boundaries from the data since `reset_state`. Nothing for a layer that was made with
  /// `bin_boundaries`.
  void finalize_state() const;

  /// The boundaries, given or computed; none before the first `adapt`.
  std::optional<std::vector<double>> bin_boundaries() const;

 private:
  /// With the batches that the function returns until it returns none.
  void adapt_to(const NextBatch& next_batch) const;
};

}  // namespace rhyton::layers
