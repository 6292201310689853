#include <rhyton/optimizers/schedules/decay_steps.h>

#include <cmath>
#include <cstdint>

#include <rhyton/framework/error.h>

namespace rhyton::optimizers::schedules {

void require_positive(const std::string& name, double steps) {
  if (steps > 0) return;
  throw ValueError("Argument `" + name + "` must be > 0. Received: " + name + "=" + python_number(steps).dump());
}

void require_learning_rate(const std::string& name, double rate) {
  if (rate >= 0) return;
  const std::string text = std::isnan(rate) ? "nan" : io::Json(rate).dump();
  throw ValueError("Argument `" + name + "` must be >= 0. Received: " + name + "=" + text);
}

io::Json python_number(double value) {
  const bool is_whole = std::floor(value) == value && std::abs(value) < 1e15;
  return is_whole ? io::Json(static_cast<std::int64_t>(value)) : io::Json(value);
}

}  // namespace rhyton::optimizers::schedules
