#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/serialization/config_form.h>

namespace rhyton {

/// Reads the `config` of a saved object into its options, as written by Keras 2 and every Keras 3. It is one of the
/// `Fields` to which an options struct lists its members:
///
///     struct DropoutOptions {
///       …
///       template <class Self, class Fields>
///       static void visit(Self& self, Fields& fields) {
///         fields("seed", self.seed);
///         fields("noise_shape", self.noise_shape);
///       }
///     };
///
/// The others are ConfigWriter and OptionTable. The listing has Keras's names and the order of Keras's `get_config`.
/// An absent key leaves its member unchanged, and so does null, except that it empties an optional one.
class ConfigReader {
 public:
  /// `kind` ("layer") and `class_name` are for error messages. `config` must outlive the reader. Throws ValueError if
  /// it is no object.
  ConfigReader(std::string kind, std::string class_name, const io::Json& config);

  /// An argument. Throws TypeError naming class, argument and the expected type for a value of another type.
  template <class T>
  void operator()(const char* key, T& value) {
    const io::Json* const json = find(key);
    if (json != nullptr) {
      read(key, *json, ConfigForm<T>::type, ConfigForm<T>::is_object,
           [&](const io::Json& given) { value = ConfigForm<T>::read(key, given); });
    } else if (contains(key)) {
      if constexpr (ConfigForm<T>::refuses_null) throw_null(key, ConfigForm<T>::type);
      set_null(value);
    }
  }
  /// An argument without a default. Throws ValueError if it is absent or null.
  template <class T>
  void required(const char* key, T& value) {
    if (find(key) == nullptr) throw_missing(key);
    (*this)(key, value);
  }
  /// An argument that is written only if it is not the default.
  template <class T>
  void unless_default(const char* key, T& value, const T& /*default_value*/) {
    (*this)(key, value);
  }
  /// A number that is written as an integer if it is one.
  void count(const char* key, double& value) { (*this)(key, value); }
  void required_count(const char* key, double& value) { required(key, value); }
  /// A dtype or dtype policy: a name or an object.
  void policy(const char* key, std::string& value, bool is_written = true);
  /// An argument of Keras that has only this value here, with which it is written. Throws ValueError for any other
  /// value but null.
  void constant(const char* key, const io::Json& value) { ignored(key, value); }
  /// The same for one that is not written.
  void ignored(const char* key, const io::Json& only_value);
  /// An argument of older versions of Keras that has no effect.
  void ignored(const char* key) { find(key); }

  /// The value, or nullptr if it is absent or null. It counts as read.
  const io::Json* find(const char* key);
  /// The keys that were not read. Null and false are omitted: of keys that came with later versions they mean nothing.
  std::vector<std::string> unread_keys() const;
  /// The same with their values, as Python prints them: "'nonsense': 1".
  std::string unread() const;
  /// Throws ValueError in Keras's words if there are any.
  void finish() const;

 private:
  bool contains(const char* key) const { return config_.contains(key); }
  template <class T>
  static void set_null(T& /*value*/) {}
  template <class T>
  static void set_null(std::optional<T>& value) {
    value.reset();
  }
  void read(const char* key, const io::Json& json, const char* type, bool is_object,
            const std::function<void(const io::Json&)>& assign) const;
  [[noreturn]] void throw_missing(const char* key) const;
  [[noreturn]] void throw_null(const char* key, const char* type) const;

  std::string kind_;
  std::string class_name_;
  const io::Json& config_;
  std::set<std::string, std::less<>> seen_;
};

}  // namespace rhyton
