#include <rhyton/layers/preprocessing/factor.h>

#include <algorithm>
#include <cmath>

#include <rhyton/framework/error.h>
#include <rhyton/framework/serialization/config_form.h>

namespace rhyton::layers {
namespace {

std::string number_text(double value) { return io::Json(value).dump(); }

FactorRange in_order(const std::vector<double>& pair) {
  return {std::min(pair[0], pair[1]), std::max(pair[0], pair[1])};
}

}  // namespace

std::string Factor::to_string() const {
  if (!is_list_) return number_text(values_.front());
  std::string text = "(";
  for (std::size_t i = 0; i < values_.size(); ++i) text += (i == 0 ? "" : ", ") + number_text(values_[i]);
  return text + (values_.size() == 1 ? ",)" : ")");
}

io::Json Factor::to_config() const {
  if (!is_list_) return python_number(values_.front());
  io::Json list = io::Json::array();
  for (const double value : values_) list.push_back(python_number(value));
  return list;
}

Factor Factor::from_config(const io::Json& config) {
  if (!config.is_array()) return config.as_double();
  return ConfigForm<std::vector<double>>::read("", config);
}

FactorRange bounded_range(const std::string& name, const Factor& factor, const std::array<double, 2>& bounds) {
  const auto refuse = [&] {
    throw ValueError("The `" + name + "` argument should be a number (or a list of two numbers) in the range [" +
                     python_number(bounds[0]).dump() + ", " + python_number(bounds[1]).dump() +
                     "]. Received: factor=" + factor.to_string());
  };
  const std::vector<double>& values = factor.values();
  if (factor.is_list()) {
    if (values.size() != 2 || values[0] > bounds[1] || values[1] < bounds[0]) refuse();
    return in_order(values);
  }
  if (values[0] < bounds[0] || values[0] > bounds[1]) refuse();
  const double magnitude = std::abs(values[0]);
  return {std::max(-magnitude, bounds[0]), magnitude};
}

FactorRange symmetric_range(const std::string& name, const Factor& factor, const std::string& message,
                            const std::function<bool(double)>& fits) {
  const std::vector<double>& values = factor.values();
  if (factor.is_list() && values.size() != 2) {
    throw ValueError(message + "Received: " + name + "=" + factor.to_string());
  }
  for (const double value : values) {
    if (!fits(value)) throw ValueError(message + "Received: input_number=" + number_text(value));
  }
  if (factor.is_list()) return in_order(values);
  const double magnitude = std::abs(values[0]);
  return {-magnitude, magnitude};
}

}  // namespace rhyton::layers
