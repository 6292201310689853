#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <rhyton/framework/error.h>

namespace rhyton::io {

/// The storage of Json. Only for its use.
namespace json_storage {

/// An immutable text, shared by all copies, of the size of a pointer.
class SharedText {
 public:
  explicit SharedText(std::string text);
  SharedText(const SharedText& other);
  SharedText(SharedText&& other) noexcept : shared_(std::exchange(other.shared_, nullptr)) {}
  SharedText& operator=(SharedText other) noexcept {
    std::swap(shared_, other.shared_);
    return *this;
  }
  ~SharedText();

  const std::string& get() const;

 private:
  struct Shared;
  /// Null for the empty text.
  Shared* shared_ = nullptr;
};

/// A value in memory of its own, of the size of a pointer; a copy copies it. After a move it is empty, as `T()` is.
template <class T>
class Boxed {
 public:
  Boxed() = default;
  Boxed(const Boxed& other) : value_(other.value_ ? std::make_unique<T>(*other.value_) : nullptr) {}
  Boxed(Boxed&& other) noexcept = default;
  Boxed& operator=(Boxed other) noexcept {
    value_.swap(other.value_);
    return *this;
  }
  ~Boxed() = default;

  const T& get() const {
    static const T nothing;
    return value_ ? *value_ : nothing;
  }
  T& get() {
    if (!value_) value_ = std::make_unique<T>();
    return *value_;
  }

 private:
  std::unique_ptr<T> value_;
};

}  // namespace json_storage

/// A JSON value: null, bool, 64-bit integer, double, string, array, or object with its members in the order in which
/// they were added. Written as Python's `json.dumps` writes, read as Python's `json.loads` reads.
///
/// ```
/// auto config = Json::object({{"units", 10}, {"activation", "relu"}, {"shape", Json::array({28, 28, 1})}});
/// config["use_bias"] = true;
/// config.dump();  // {"units": 10, "activation": "relu", "shape": [28, 28, 1], "use_bias": true}
/// ```
///
/// A value takes 16 bytes, plus memory for a text, the elements of an array or the members of an object. Copies share
/// texts, which are immutable.
class Json {
 public:
  enum class Type : std::uint8_t { null, boolean, integer, floating, string, array, object };
  /// One member of an object: `key` and `value`.
  struct Member;

  /// The maximum depth of nested arrays and objects in a text that is parsed.
  static constexpr int default_depth_limit = 512;

  Json();
  Json(std::nullptr_t);          // NOLINT(google-explicit-constructor): values convert by themselves
  Json(const char* value);       // NOLINT(google-explicit-constructor)
  Json(std::string_view value);  // NOLINT(google-explicit-constructor)
  Json(std::string value);       // NOLINT(google-explicit-constructor)
  template <std::same_as<bool> T>
  Json(T value) : Json(Exactly(), value) {}  // NOLINT(google-explicit-constructor)
  /// Throws ValueError for an unsigned value that 64 signed bits do not hold.
  template <std::integral T>
  requires(!std::same_as<T, bool>) Json(T value)
      : value_(checked_integer(value)) {}  // NOLINT(google-explicit-constructor)
  /// A float keeps its own value: 0.001f becomes 0.0010000000474974513, as Keras writes it.
  template <std::floating_point T>
  Json(T value) : Json(Exactly(), static_cast<double>(value)) {}  // NOLINT(google-explicit-constructor)

  Json(const Json& other);
  Json(Json&& other) noexcept;
  Json& operator=(const Json& other);
  Json& operator=(Json&& other) noexcept;
  ~Json();

  /// An array of these values.
  static Json array(std::initializer_list<Json> values = {});
  /// An array of the values of any range (`std::vector<int>`, `Shape`, …).
  template <class Range>
  static Json array_from(const Range& values) {
    Json result = array();
    for (const auto& value : values) {
      result.push_back(Json(value));
    }
    return result;
  }
  static Json array_from(std::vector<Json> values);
  /// An object of these members. Throws ValueError when a key occurs twice.
  static Json object(std::initializer_list<Member> members = {});
  /// An object of any number of members; of equal keys the last value is used, in the position of the first.
  static Json object_from(std::vector<Member> members);

  /// Parses `text` (UTF-8). As in Python, `NaN`, `Infinity` and `-Infinity` are numbers, of equal keys the last value
  /// is used, and an integer beyond 64 bits becomes a double. Throws ValueError, which gives line, column and error,
  /// also for more than `depth_limit` nested arrays and objects. `name` is the source of the text in that message.
  static Json parse(std::string_view text, std::string_view name = "JSON text", int depth_limit = default_depth_limit);

  /// The text that `json.dumps(value)` gives in Python: separators ", " and ": ", everything beyond ASCII escaped, the
  /// shortest digits that read back as the same double. Throws ValueError for a string that is not UTF-8.
  std::string dump() const;
  /// The text that `json.dumps(value, indent=indent)` gives: one line per member, `indent` spaces per level.
  std::string dump(int indent) const;

  Type type() const { return static_cast<Type>(value_.index()); }
  bool is_null() const { return type() == Type::null; }
  bool is_bool() const { return type() == Type::boolean; }
  bool is_int() const { return type() == Type::integer; }
  bool is_number() const { return type() == Type::integer || type() == Type::floating; }
  bool is_string() const { return type() == Type::string; }
  bool is_array() const { return type() == Type::array; }
  bool is_object() const { return type() == Type::object; }

  /// The value as that type. Throws TypeError naming what the value is instead. `as_int` also takes a double without
  /// fraction (Python writes 3.0 for one), `as_double` also takes an integer.
  bool as_bool() const;
  std::int64_t as_int() const;
  double as_double() const;
  const std::string& as_string() const;

  /// The number of elements or members. Throws TypeError when this is neither array nor object.
  std::size_t size() const;
  bool empty() const { return size() == 0; }

  /// The element at `index`. Throws TypeError when this is no array, ValueError when out of range.
  template <std::integral I>
  const Json& operator[](I index) const {
    return element(static_cast<std::int64_t>(index));
  }
  template <std::integral I>
  Json& operator[](I index) {
    return const_cast<Json&>(element(static_cast<std::int64_t>(index)));
  }
  /// Appends to an array; null becomes an array first. Throws TypeError otherwise.
  void push_back(Json value);
  /// The elements of an array. Throws TypeError when this is no array.
  const Json* begin() const;
  const Json* end() const;
  Json* begin();
  Json* end();

  /// The member of that key. Throws TypeError when this is no object, NotFoundError naming the key when it is absent.
  const Json& operator[](std::string_view key) const;
  const Json& operator[](const char* key) const { return (*this)[std::string_view(key)]; }
  /// The member of that key, added as null when absent; null becomes an object first. Throws TypeError otherwise.
  Json& operator[](std::string_view key);
  Json& operator[](const char* key) { return (*this)[std::string_view(key)]; }
  /// The member of that key, or nullptr when it is absent. Throws TypeError when this is no object.
  const Json* find(std::string_view key) const;
  Json* find(std::string_view key);
  /// True when this is an object with that key.
  bool contains(std::string_view key) const;
  /// Removes that key; returns false when there was none. Throws TypeError when this is no object.
  bool erase(std::string_view key);
  /// The members in order: `for (const auto& [key, value] : json.items())`. Throws TypeError when this is no object.
  const std::vector<Member>& items() const;

  /// The member of that key, converted to the type of `fallback`, or `fallback` when it is absent or null.
  /// Throws TypeError naming the key when it is of another type.
  template <class T>
  auto get_or(std::string_view key, T fallback) const {
    const Json* member = find(key);
    const bool absent = member == nullptr || member->is_null();
    if constexpr (std::same_as<T, bool>) {
      return absent ? fallback : converted(key, *member, &Json::as_bool);
    } else if constexpr (std::integral<T>) {
      return absent ? fallback : narrowed<T>(key, converted(key, *member, &Json::as_int));
    } else if constexpr (std::floating_point<T>) {
      return absent ? fallback : static_cast<T>(converted(key, *member, &Json::as_double));
    } else {
      return absent ? std::string(std::move(fallback)) : std::string(converted(key, *member, &Json::as_string));
    }
  }

  /// Equality as in Python: 1 equals 1.0, and the order of members does not matter.
  friend bool operator==(const Json& a, const Json& b);

 private:
  struct Exactly {};
  Json(Exactly, bool value);
  Json(Exactly, std::int64_t value);
  Json(Exactly, double value);

  template <class T>
  static std::int64_t checked_integer(T value) {
    if constexpr (std::is_unsigned_v<T> && sizeof(T) >= sizeof(std::int64_t)) {
      if (value > static_cast<T>(std::numeric_limits<std::int64_t>::max())) {
        throw_too_large();
      }
    }
    return static_cast<std::int64_t>(value);
  }
  template <class Result>
  static Result converted(std::string_view key, const Json& member, Result (Json::*conversion)() const) {
    try {
      return (member.*conversion)();
    } catch (const TypeError& error) {
      throw TypeError("\"" + std::string(key) + "\": " + error.what());
    }
  }
  template <class T>
  static T narrowed(std::string_view key, std::int64_t value) {
    if (!std::in_range<T>(value)) {
      throw ValueError("\"" + std::string(key) + "\": " + std::to_string(value) + " is out of range");
    }
    return static_cast<T>(value);
  }
  [[noreturn]] static void throw_too_large();
  [[noreturn]] void throw_not(std::string_view expected) const;
  const Json& element(std::int64_t index) const;

  using Elements = std::vector<Json>;
  using Members = std::vector<Member>;

  // 16 bytes: files may hold millions of numbers.
  std::variant<std::nullptr_t, bool, std::int64_t, double, json_storage::SharedText, json_storage::Boxed<Elements>,
               json_storage::Boxed<Members>>
      value_;
};

struct Json::Member {
  std::string key;
  Json value;
};

}  // namespace rhyton::io
