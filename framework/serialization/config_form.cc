#include <rhyton/framework/serialization/config_form.h>

#include <cmath>

namespace rhyton {

io::Json python_number(double value) {
  const bool is_whole = std::floor(value) == value && std::abs(value) < 1e15;
  return is_whole ? io::Json(static_cast<std::int64_t>(value)) : io::Json(value);
}

std::string policy_name(const io::Json* config) {
  if (config == nullptr || config->is_null()) return {};
  if (config->is_string()) return config->as_string();
  const io::Json* const arguments = config->is_object() ? config->find("config") : nullptr;
  const io::Json* const name = arguments != nullptr && arguments->is_object() ? arguments->find("name") : nullptr;
  if (name == nullptr || !name->is_string()) {
    throw ValueError("Could not interpret a dtype policy: " + config->dump());
  }
  return name->as_string();
}

}  // namespace rhyton
