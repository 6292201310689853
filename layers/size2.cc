#include <rhyton/layers/size2.h>

#include <set>

#include <rhyton/framework/error.h>

namespace rhyton::layers {

std::string Size2::to_string() const {
  return "(" + std::to_string(values_[0]) + ", " + std::to_string(values_[1]) + ")";
}

Size2 Size2::from_config(const char* argument, const io::Json& config) {
  if (config.is_int()) return {config.as_int()};
  if (config.is_array() && config.size() == 2) return {config[0].as_int(), config[1].as_int()};
  throw ValueError("The `" + std::string(argument) + "` argument must be a tuple of 2 integers. Received " + argument +
                   "=" + config.dump());
}

void Size2::require_positive(const std::string& argument) const {
  std::set<std::int64_t> wrong;
  for (const std::int64_t value : values_) {
    if (value <= 0) wrong.insert(value);
  }
  if (wrong.empty()) return;
  std::string listed;
  for (const std::int64_t value : wrong) listed += (listed.empty() ? "" : ", ") + std::to_string(value);
  throw ValueError("The `" + argument + "` argument must be a tuple of 2 integers. Received " + argument + "=" +
                   (is_single_ ? std::to_string(values_[0]) : to_string()) + ", including values {" + listed +
                   "} that do not satisfy `value > 0`");
}

}  // namespace rhyton::layers
