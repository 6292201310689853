#include <rhyton/models/training/metrics_argument.h>

#include <algorithm>

#include <rhyton/framework/error.h>
#include <rhyton/models/metrics/named_metrics.h>

namespace rhyton::models {

void MetricsArgument::Entry::name_function() {
  const metrics::MetricArgument& function = list_.front();
  const std::string& name = list_.back().identifier();
  if (!function.identifier().empty() || name.empty() || metrics::is_known_metric({}, name)) return;
  function.metric().impl()->set_name(name);
  list_.pop_back();
  is_list_ = false;
}

MetricsArgument::MetricsArgument(std::initializer_list<Entry> entries) {
  const auto is_named = [](const Entry& entry) { return entry.output_.has_value(); };
  if (std::any_of(entries.begin(), entries.end(), is_named)) {
    for (const Entry& entry : entries) {
      if (!is_named(entry)) {
        throw ValueError(
            "`metrics` should either be a dict or a list. Received entries with and without the name of an output.");
      }
      map_.emplace(*entry.output_, entry.list_);
    }
    return;
  }
  if (std::any_of(entries.begin(), entries.end(), [](const Entry& entry) { return entry.is_list_; })) {
    for (const Entry& entry : entries) lists_.push_back(entry.list_);
    return;
  }
  for (const Entry& entry : entries) list_.push_back(entry.list_.front());
}

}  // namespace rhyton::models
