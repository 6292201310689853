#pragma once

namespace rhyton::training {

/// Which functions of its steps a model's class overrides.
struct StepOverrides {
  bool train_step = false;
  bool test_step = false;
  bool predict_step = false;
  bool compute_loss = false;
  bool compute_metrics = false;
  bool metrics = false;

  bool has_any() const { return train_step || test_step || predict_step || compute_loss || compute_metrics || metrics; }
  static constexpr StepOverrides all() { return {true, true, true, true, true, true}; }
};

}  // namespace rhyton::training
