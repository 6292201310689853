#pragma once

#include <string>
#include <utility>

#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/serialization/config_form.h>

namespace rhyton {

/// Writes the `config` of an object from its options: the `Fields` that an options struct lists its members to (see
/// ConfigReader). A key that is written again moves to its last place.
class ConfigWriter {
 public:
  /// Appends to `config`, an object.
  explicit ConfigWriter(io::Json config = io::Json::object()) : config_(std::move(config)) {}

  template <class T>
  void operator()(const char* key, const T& value) {
    add(key, ConfigForm<T>::write(value));
  }
  template <class T>
  void required(const char* key, const T& value) {
    add(key, ConfigForm<T>::write(value));
  }
  template <class T>
  void unless_default(const char* key, const T& value, const T& default_value) {
    io::Json written = ConfigForm<T>::write(value);
    if (!(written == ConfigForm<T>::write(default_value))) add(key, std::move(written));
  }
  void count(const char* key, double value) { add(key, python_number(value)); }
  void required_count(const char* key, double value) { count(key, value); }
  void policy(const char* key, const std::string& value, bool is_written = true) {
    if (is_written) add(key, value);
  }
  void constant(const char* key, const io::Json& value) { add(key, value); }
  void ignored(const char* /*key*/, const io::Json& /*only_value*/) {}
  void ignored(const char* /*key*/) {}

  /// What was written.
  io::Json config() && { return std::move(config_); }

 private:
  void add(const char* key, io::Json value) {
    config_.erase(key);
    config_[key] = std::move(value);
  }

  io::Json config_;
};

/// `config` with the options appended, in the order of their listing.
template <class Options>
io::Json written(io::Json config, const Options& options) {
  ConfigWriter writer(std::move(config));
  Options::visit(options, writer);
  return std::move(writer).config();
}

/// The options alone.
template <class Options>
io::Json written(const Options& options) {
  return written(io::Json::object(), options);
}

}  // namespace rhyton
