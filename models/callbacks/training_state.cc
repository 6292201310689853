#include <rhyton/models/callbacks/training_state.h>

#include <string>
#include <utility>

#include <rhyton/framework/error.h>

namespace rhyton::callbacks {

int integer_of(const CallbackState& state, const char* name) {
  const std::int64_t value = state.values[name].as_int();
  if (!std::in_range<int>(value)) {
    throw ValueError("\"" + std::string(name) + "\": " + std::to_string(value) + " is out of range");
  }
  return static_cast<int>(value);
}

std::optional<double> optional_number_of(const CallbackState& state, const char* name) {
  const io::Json& value = state.values[name];
  if (value.is_null()) return std::nullopt;
  return value.as_double();
}

}  // namespace rhyton::callbacks
