#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/io/json/json.h>

namespace rhyton {

/// The form of an argument of type T in a configuration. Types of their own have the members `to_config`, `from_config`
/// and `config_type` (what messages and the documentation call it: "an initializer"). Types whose `from_config` says
/// itself what is wrong also have `config_is_object`, types that null is no value of have `config_refuses_null`.
template <class T>
struct ConfigForm {
  static constexpr const char* type = T::config_type;
  static constexpr bool is_object = requires { T::config_is_object; };
  static constexpr bool refuses_null = requires { T::config_refuses_null; };

  static io::Json write(const T& value) { return value.to_config(); }
  /// `key` is for messages. A TypeError means that the value is not of this type.
  static T read(const char* key, const io::Json& json) {
    if constexpr (requires { T::from_config(key, json); }) {
      return T::from_config(key, json);
    } else {
      return T::from_config(json);
    }
  }
};

/// The same for types that are no classes of their own; `Form` has `type` and `read`.
template <class T>
struct PlainConfigForm {
  static constexpr bool is_object = false;
  static constexpr bool refuses_null = false;
  static io::Json write(const T& value) { return io::Json(value); }
};

template <>
struct ConfigForm<bool> : PlainConfigForm<bool> {
  static constexpr const char* type = "a bool";
  static bool read(const char* /*key*/, const io::Json& json) { return json.as_bool(); }
};

template <>
struct ConfigForm<std::int64_t> : PlainConfigForm<std::int64_t> {
  static constexpr const char* type = "an integer";
  static std::int64_t read(const char* /*key*/, const io::Json& json) { return json.as_int(); }
};

template <>
struct ConfigForm<int> : PlainConfigForm<int> {
  static constexpr const char* type = "an integer";
  static int read(const char* key, const io::Json& json) {
    const std::int64_t value = json.as_int();
    if (value < std::numeric_limits<int>::min() || value > std::numeric_limits<int>::max()) {
      throw ValueError("\"" + std::string(key) + "\": " + std::to_string(value) + " is out of range");
    }
    return static_cast<int>(value);
  }
};

template <>
struct ConfigForm<double> : PlainConfigForm<double> {
  static constexpr const char* type = "a number";
  static double read(const char* /*key*/, const io::Json& json) { return json.as_double(); }
};

template <>
struct ConfigForm<std::string> : PlainConfigForm<std::string> {
  static constexpr const char* type = "a string";
  static std::string read(const char* /*key*/, const io::Json& json) { return json.as_string(); }
};

/// Null for none.
template <class T>
struct ConfigForm<std::optional<T>> {
  static constexpr const char* type = ConfigForm<T>::type;
  static constexpr bool is_object = ConfigForm<T>::is_object;
  static constexpr bool refuses_null = false;
  static io::Json write(const std::optional<T>& value) { return value ? ConfigForm<T>::write(*value) : io::Json(); }
  static std::optional<T> read(const char* key, const io::Json& json) { return ConfigForm<T>::read(key, json); }
};

template <class T>
struct ConfigForm<std::vector<T>> {
  static constexpr const char* type = std::same_as<T, std::string> ? "a list of strings"
                                      : std::integral<T>           ? "a list of integers"
                                                                   : "a list of numbers";
  static constexpr bool is_object = false;
  static constexpr bool refuses_null = false;
  static io::Json write(const std::vector<T>& values) { return io::Json::array_from(values); }
  static std::vector<T> read(const char* key, const io::Json& json) {
    std::vector<T> values;
    for (const io::Json& value : json) values.push_back(ConfigForm<T>::read(key, value));
    return values;
  }
};

/// A number as Python writes a number of steps: 1000 instead of 1000.0.
io::Json python_number(double value);

/// The name of a dtype policy in a configuration: the name itself, or {"class_name": "DTypePolicy", "config": {"name":
/// "float32"}}, also of the older classes "Policy" and "FloatDTypePolicy". Empty if it is null or absent. Throws
/// ValueError for anything else.
std::string policy_name(const io::Json* config);

}  // namespace rhyton
