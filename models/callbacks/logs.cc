#include <rhyton/models/callbacks/logs.h>

#include <numeric>

namespace rhyton::callbacks {

LogValue::LogValue(std::vector<double> elements) : is_vector_(true), elements_(std::move(elements)) {
  if (elements_.empty()) return;
  number_ = std::accumulate(elements_.begin(), elements_.end(), 0.0) / static_cast<double>(elements_.size());
}

void History::add(int epoch_number, const Logs& logs) {
  epoch.push_back(epoch_number);
  for (const auto& [name, value] : logs) {
    history[name].push_back(value);
    if (value.is_vector()) vectors[name].push_back(value.elements());
  }
}

}  // namespace rhyton::callbacks
