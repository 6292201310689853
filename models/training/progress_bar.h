#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/models/callbacks/logs.h>

namespace rhyton::training {

/// How a `ProgressBar` is made.
struct ProgressBarOptions {
  ByName by_name = ByName();
  /// 0 silent, 1 a bar, 2 one line at the end.
  int verbose = 1;
  /// Where it is written; the standard output where null.
  std::ostream* stream = nullptr;
  /// Whether that is a terminal; asked of the standard output where not said, false for any other stream.
  std::optional<bool> is_terminal = std::nullopt;
  /// The time in seconds; a steady clock where empty.
  std::function<double()> clock = {};
  /// The least time between two drawings, in seconds.
  double interval = 0.1;
};

/// The progress bar of one epoch, of `evaluate` or of `predict`, as Keras 3 draws it (`keras.utils.Progbar`).
///
/// On a terminal it is drawn anew at most every `interval` seconds, over itself. Where the output is no terminal, only
/// the last state is written, as a plain line: `938/938 ━━━━━━━━━━━━━━━━━━━━ 4s 4ms/step - accuracy: 0.9012 - loss:
/// 0.3456`.
class ProgressBar {
 public:
  /// What to show, asked for only when it is drawn. Shown in this order.
  using Values = std::function<callbacks::Logs()>;

  /// `target`: the number of steps; empty where it is not known.
  explicit ProgressBar(std::optional<std::int64_t> target, const ProgressBarOptions& options = {});

  /// Ends the line on a terminal where no `finish` did.
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// `current` steps are done.
  void update(std::int64_t current, const Values& values);
  /// All steps are done: draws the last state and ends the line.
  void finish(std::int64_t current, const Values& values);

 private:
  struct Text {
    std::string bytes;
    /// Columns on the screen, without escape sequences.
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
