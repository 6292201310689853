#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/tensor/shape.h>
#include <rhyton/layers/activations.h>
#include <rhyton/layers/axes.h>
#include <rhyton/layers/initializers.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/regularizers.h>
#include <rhyton/layers/size2.h>

namespace rhyton::layers {

/// Writes [null, 28, 28, 1], as `config.json` does for (None, 28, 28, 1).
io::Json shape_to_json(const Shape& shape);
/// Reads that form. Throws ValueError for anything else.
Shape shape_from_json(const io::Json& json);

/// The layer options among the options of a layer class.
template <class Options>
LayerOptions base_options(const Options& options) {
  LayerOptions result;
  result.name = options.name;
  if constexpr (requires { options.dtype; }) result.dtype = options.dtype;
  if constexpr (requires { options.trainable; }) result.trainable = options.trainable;
  if constexpr (requires { options.activity_regularizer; }) result.activity_regularizer = options.activity_regularizer;
  return result;
}

/// Appends the members of `more` to `config`.
io::Json extended(io::Json config, const io::Json& more);

/// Reads the `config` of a saved layer key by key, as written by Keras 2 and every Keras 3. An absent key leaves the
/// value unchanged. `finish` throws for keys that were not read, unless their values are known to have no effect.
class ConfigReader {
 public:
  /// `class_name` is for error messages. `config` must outlive the reader.
  ConfigReader(std::string class_name, const io::Json& config);

  void read(const char* key, bool& value);
  void read(const char* key, int& value);
  void read(const char* key, std::int64_t& value);
  void read(const char* key, double& value);
  void read(const char* key, std::string& value);
  void read(const char* key, Shape& value);
  void read(const char* key, Size2& value);
  void read(const char* key, Axes& value);
  void read(const char* key, std::optional<std::int64_t>& value);
  void read(const char* key, std::optional<double>& value);
  void read(const char* key, ActivationFunction& value);
  void read(const char* key, Initializer& value);
  void read(const char* key, Regularizer& value);

  /// Reads an argument without a default. Throws ValueError if it is absent.
  template <class T>
  T require(const char* key) {
    if (find(key) == nullptr) throw_missing(key);
    T value{};
    read(key, value);
    return value;
  }

  /// Reads name, trainable, dtype and, if the options have it, activity_regularizer.
  template <class Options>
  void read_base(Options& options) {
    read("name", options.name);
    if constexpr (requires { options.trainable; }) read("trainable", options.trainable);
    if constexpr (requires { options.dtype; }) read_dtype(options.dtype);
    if constexpr (requires { options.activity_regularizer; }) {
      read("activity_regularizer", options.activity_regularizer);
    }
  }

  /// Calls `read` on the value of an argument. If it throws TypeError, as the accessors of Json do, throws one that
  /// names the argument and the `expected` type: "an integer".
  template <class Read>
  auto value_of(const char* key, const io::Json& json, const char* expected, Read read) const {
    try {
      return read(json);
    } catch (const TypeError&) {
      throw_wrong_type(key, json, expected);
    }
  }
  /// Accepts a key that Rhyton does not use and that must hold null or this value.
  void ignore(const char* key, const io::Json& only_value = nullptr);
  /// The value, or nullptr if it is absent or null. It counts as read.
  const io::Json* find(const char* key);
  /// Throws ValueError in Keras's words for keys that were not read.
  void finish() const;

 private:
  void read_dtype(std::string& dtype);
  [[noreturn]] void throw_wrong_type(const char* key, const io::Json& json, const char* expected) const;
  [[noreturn]] void throw_missing(const char* key) const;

  std::string class_name_;
  const io::Json& config_;
  std::set<std::string, std::less<>> seen_;
};

}  // namespace rhyton::layers
