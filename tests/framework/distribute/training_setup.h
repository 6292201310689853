#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/context.h>
#include <rhyton/framework/distribute/mirrored_strategy.h>
#include <rhyton/framework/ops/random.h>
#include <rhyton/models/model.h>

namespace rhyton::distribute {

/// "/cpu:0", "/cpu:1", ….
inline std::vector<std::string> logical_cpus(int count) {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) names.push_back("/cpu:" + std::to_string(i));
  return names;
}

/// The results of a training.
struct Trained {
  models::Model model;
  /// After each step.
  std::vector<double> losses;
  models::History history;
  std::vector<Tensor> weights;
};

/// A training that can be repeated, with or without a strategy.
struct Training {
  /// Builds and compiles a model; always the same after `set_random_seed`.
  std::function<models::Model()> make_model;
  Tensor x;
  Tensor y;
  models::FitOptions fit;

  /// Runs on this many replicas; without a strategy for 0.
  Trained run(int replicas) const;
  /// Runs under that strategy; without one if empty.
  Trained run_under(const std::optional<Strategy>& strategy) const;
};

/// A model of integers with a masked prediction for each of six steps, and data for it: sentences of different lengths,
/// some of which have no step that counts.
Training masked_training(const std::string& reduction);

/// ‖a − b‖ / ‖b‖, 0 for two tensors of zeros.
inline double relative_distance(const Tensor& a, const Tensor& b) {
  const std::vector<double> as = a.to_vector();
  const std::vector<double> bs = b.to_vector();
  double difference = 0;
  double norm = 0;
  for (std::size_t i = 0; i < as.size(); ++i) {
    difference += (as[i] - bs[i]) * (as[i] - bs[i]);
    norm += bs[i] * bs[i];
  }
  return difference == 0 ? 0 : std::sqrt(difference / norm);
}

/// Compares losses step by step, metrics and weights of two trainings.
inline void expect_equal_trainings(const Trained& actual, const Trained& expected, double tolerance = 1e-4) {
  ASSERT_EQ(actual.losses.size(), expected.losses.size());
  for (std::size_t i = 0; i < expected.losses.size(); ++i) {
    EXPECT_NEAR(actual.losses[i], expected.losses[i], tolerance * std::abs(expected.losses[i])) << "step " << i;
  }
  for (const auto& [name, values] : expected.history.history) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_NEAR(actual.history.history.at(name).at(i), values[i], tolerance * std::max(1.0, std::abs(values[i])))
          << name;
    }
  }
  ASSERT_EQ(actual.weights.size(), expected.weights.size());
  for (std::size_t i = 0; i < expected.weights.size(); ++i) {
    EXPECT_LE(relative_distance(actual.weights[i], expected.weights[i]), tolerance)
        << expected.model.weights()[i].path();
  }
}

/// Compares bit by bit.
inline void expect_same_bits(const Trained& actual, const Trained& expected) {
  EXPECT_EQ(actual.losses, expected.losses);
  ASSERT_EQ(actual.weights.size(), expected.weights.size());
  for (std::size_t i = 0; i < expected.weights.size(); ++i) {
    EXPECT_EQ(actual.weights[i].to_vector(), expected.weights[i].to_vector()) << expected.model.weights()[i].path();
  }
}

}  // namespace rhyton::distribute
