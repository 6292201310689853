#include <rhyton/models/progbar.h>

#include <algorithm>

#include <rhyton/models/callbacks/logs.h>
#include <rhyton/models/config.h>
#include <rhyton/models/training/progress_bar.h>

namespace rhyton::utils {

Progbar::Progbar(std::optional<std::int64_t> target, const ProgbarOptions& options)
    : Progbar(target, options, {.verbose = options.verbose, .interval = options.interval}) {}

Progbar::Progbar(std::optional<std::int64_t> target, const ProgbarOptions& options,
                 const training::ProgressBarOptions& bar)
    : target_(target), stateful_(options.stateful_metrics) {
  training::ProgressBarOptions shown = bar;
  shown.verbose = config::is_interactive_logging_enabled() ? options.verbose : 0;
  shown.interval = options.interval;
  bar_ = std::make_unique<training::ProgressBar>(target, shown);
}

Progbar::~Progbar() = default;

void Progbar::note(std::int64_t current, const Values& values) {
  const double steps = static_cast<double>(std::max<std::int64_t>(current - seen_, 1));
  for (const auto& named : values) {
    const std::string& key = named.first;
    const double value = named.second;
    auto known = std::find_if(shown_.begin(), shown_.end(), [&](const Shown& one) { return one.name == key; });
    if (known == shown_.end()) known = shown_.insert(shown_.end(), Shown{.name = key});
    if (std::find(stateful_.begin(), stateful_.end(), key) != stateful_.end()) {
      known->sum = value;
      known->steps = 1.0;
    } else {
      known->sum += value * steps;
      known->steps += steps;
    }
  }
  seen_ = current;
}

void Progbar::update(std::int64_t current, const Values& values, std::optional<bool> finalize) {
  note(current, values);
  const auto read = [this] {
    callbacks::Logs logs;
    for (const Shown& shown : shown_) logs.set(shown.name, shown.sum / std::max(1.0, shown.steps));
    return logs;
  };
  if (finalize.value_or(target_ && current >= *target_)) {
    bar_->finish(current, read);
  } else {
    bar_->update(current, read);
  }
}

void Progbar::add(std::int64_t steps, const Values& values) { update(seen_ + steps, values); }

}  // namespace rhyton::utils
