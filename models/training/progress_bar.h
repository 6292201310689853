#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/models/callbacks/logs.h>

namespace rhyton::training {

/// Arguments of `ProgressBar`.
struct ProgressBarOptions {
  ByName by_name = ByName();
  /// 0 silent, 1 a bar, 2 one line at the end.
  int verbose = 1;
  /// The stream that it writes to; null: the standard output.
  std::ostream* stream = nullptr;
  /// Whether the stream is a terminal. Determined for the standard output if not given; false for other streams.
  std::optional<bool> is_terminal = std::nullopt;
  /// Returns the time in seconds; a steady clock if empty.
  std::function<double()> clock = {};
  /// The minimum time between two drawings, in seconds.
  double interval = 0.1;
};

/// The progress bar of one epoch, of `evaluate` or of `predict`, drawn as in Keras 3 (`keras.utils.Progbar`).
///
/// On a terminal it is redrawn in place at most every `interval` seconds. To other outputs only the last state is
/// written, as a plain line: `938/938 ━━━━━━━━━━━━━━━━━━━━ 4s 4ms/step - accuracy: 0.9012 - loss:
/// 0.3456`.
class ProgressBar {
 public:
  /// Returns the values to show, in this order. Called only when the bar is drawn.
  using Values = std::function<callbacks::Logs()>;

  /// `target`: the number of steps; empty if unknown.
  explicit ProgressBar(std::optional<std::int64_t> target, const ProgressBarOptions& options = {});

  /// Ends the line on a terminal unless `finish` did.
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// Call it after `current` steps.
  void update(std::int64_t current, const Values& values);
  /// Call it after all steps: draws the last state and ends the line.
  void finish(std::int64_t current, const Values& values);

 private:
  struct Text {
    std::string bytes;
    /// The columns on the screen, without escape sequences.
    std::size_t width = 0;
  };

  void draw(std::int64_t current, const callbacks::Logs& values, bool is_final, double now);
  Text position(std::int64_t current, bool with_colors) const;
  double seconds_per_step(std::int64_t current, double now);

  std::optional<std::int64_t> target_;
  int verbose_;
  std::ostream& stream_;
  bool is_terminal_;
  std::function<double()> clock_;
  double interval_;
  double start_;
  std::optional<double> last_drawn_;
  std::optional<double> after_first_step_;
  std::size_t previous_width_ = 0;
};

}  // namespace rhyton::training
