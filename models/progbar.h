#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/framework/by_name.h>

namespace rhyton::training {
struct ProgressBarOptions;
class ProgressBar;
}  // namespace rhyton::training

namespace rhyton::utils {

/// Arguments of `Progbar` besides the target. Fields in the order of Keras's signature.
struct ProgbarOptions {
  ByName by_name = ByName();
  /// 0 silent, 1 a bar, 2 one line at the end.
  int verbose = 1;
  /// The minimum time between two drawings, in seconds.
  double interval = 0.05;
  /// The names whose values are shown as they are. Others are averaged over the steps.
  std::vector<std::string> stateful_metrics = {};
};

/// A progress bar on the standard output for loops of a program's own (`keras.utils.Progbar`):
///
///     utils::Progbar bar(batches);
///     for (std::int64_t i = 0; i < batches; ++i) bar.add(1, {{"loss", step(i)}});
///
/// To other outputs than terminals only the last state is written. Without interactive logging it is silent.
class Progbar {
 public:
  using Values = std::vector<std::pair<std::string, double>>;

  /// `target`: the number of steps; empty if unknown.
  explicit Progbar(std::optional<std::int64_t> target, const ProgbarOptions& options = {});
  /// The same on another stream, with a clock.
  Progbar(std::optional<std::int64_t> target, const ProgbarOptions& options, const training::ProgressBarOptions& bar);
  ~Progbar();
  Progbar(const Progbar&) = delete;
  Progbar& operator=(const Progbar&) = delete;

  /// After `current` steps, of which the last ones had these values. The bar ends with the step `target`, or where
  /// `finalize` is true.
  void update(std::int64_t current, const Values& values = {}, std::optional<bool> finalize = std::nullopt);
  /// After `steps` more.
  void add(std::int64_t steps, const Values& values = {});

 private:
  struct Shown {
    std::string name;
    double sum = 0.0;
    double steps = 0.0;
  };

  void note(std::int64_t current, const Values& values);

  std::optional<std::int64_t> target_;
  std::vector<std::string> stateful_;
  std::vector<Shown> shown_;
  std::int64_t seen_ = 0;
  std::unique_ptr<training::ProgressBar> bar_;
};

}  // namespace rhyton::utils
