#include <rhyton/optimizers/schedules/decay_steps.h>

#include <cmath>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/serialization/config_form.h>

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

Tensor periods_at(const Tensor& step, double decay_steps, bool staircase) {
  const Tensor periods = cast(step, DType::float32) / decay_steps;
  return staircase ? floor(periods) : periods;
}

}  // namespace rhyton::optimizers::schedules
