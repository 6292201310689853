#include <rhyton/models/callbacks/logs.h>

namespace rhyton::callbacks {

void History::add(int epoch_number, const Logs& logs) {
  epoch.push_back(epoch_number);
  for (const auto& [name, value] : logs) history[name].push_back(value);
}

}  // namespace rhyton::callbacks
