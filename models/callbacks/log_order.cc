#include <rhyton/models/callbacks/log_order.h>

#include <algorithm>
#include <cstddef>

namespace rhyton::callbacks {
namespace {

constexpr const char* validation_prefix = "val_";

std::vector<std::string> sorted_names(const Logs& logs) {
  std::vector<std::string> names;
  for (const auto& [name, value] : logs) names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

Logs sorted_by_name(const Logs& logs) { return in_order_of_metrics(logs, {}); }

Logs with_validation(const Logs& training, const Logs& validation) {
  Logs logs = training;
  for (const auto& [name, value] : validation) logs.set(validation_prefix + name, value);
  return logs;
}

Logs in_order_of_metrics(const Logs& logs, const std::vector<std::string>& metric_names) {
  Logs ordered;
  for (const std::string& name : metric_names) {
    if (logs.contains(name)) ordered.set(name, logs.value(name));
  }
  for (const std::string& name : sorted_names(logs)) ordered.set(name, logs.value(name));
  return ordered;
}

std::vector<std::string> csv_columns(const Logs& logs) {
  std::vector<std::string> names = sorted_names(logs);
  const auto is_of_validation = [](const std::string& name) { return name.starts_with(validation_prefix); };
  if (std::none_of(names.begin(), names.end(), is_of_validation)) {
    for (std::size_t i = 0, count = names.size(); i < count; ++i) names.push_back(validation_prefix + names[i]);
  }
  return names;
}

}  // namespace rhyton::callbacks
