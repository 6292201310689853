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
  const auto text = [&](const char* key) -> const io::Json* {
    const io::Json* const found = arguments != nullptr && arguments->is_object() ? arguments->find(key) : nullptr;
    return found != nullptr && found->is_string() ? found : nullptr;
  };
  const io::Json* const mode = text("mode");
  const io::Json* const source = text("source_name");
  if (mode != nullptr && source != nullptr) return mode->as_string() + "_from_" + source->as_string();
  const io::Json* const name = text("name");
  if (name == nullptr) {
    throw ValueError("Could not interpret a dtype policy: " + config->dump());
  }
  return name->as_string();
}

}  // namespace rhyton
