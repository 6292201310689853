#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::io {

/// A value in a file of Python's `pickle`: None, truth values, numbers, text and bytes, lists and tuples, dictionaries,
/// and arrays of NumPy. An array of objects is a list, with two axes a list of lists.
class PickleValue {
 public:
  using List = std::vector<PickleValue>;
  /// In the order of the file.
  using Dictionary = std::vector<std::pair<PickleValue, PickleValue>>;

  PickleValue() = default;
  template <class T>
  explicit PickleValue(T value) : value_(std::move(value)) {}

  bool is_none() const { return std::holds_alternative<std::monostate>(value_); }
  /// These throw TypeError, which says what the value is, if it is something else.
  std::int64_t as_int() const;
  /// Text or bytes.
  const std::string& as_string() const;
  /// A list or tuple.
  const List& as_list() const;
  const Dictionary& as_dictionary() const;
  const Tensor& as_array() const;
  bool is_array() const { return std::holds_alternative<Tensor>(value_); }
  /// The entry of a dictionary whose key is that text, or these bytes. Throws NotFoundError, which lists the keys.
  const PickleValue& at(std::string_view key) const;

 private:
  friend class Unpickler;
  template <class T>
  const T& as(const char* expected) const;
  std::string type_name() const;

  // Shared, since a file refers to a value many times: to lists and dictionaries also while they grow.
  using Text = std::shared_ptr<const std::string>;
  std::variant<std::monostate, bool, std::int64_t, double, Text, std::shared_ptr<List>, std::shared_ptr<Dictionary>,
               Tensor>
      value_;
};

/// Reads such a file, of protocol 0 to 4. Only the values of PickleValue are made: no code of the file runs, and a file
/// that names other classes or functions is refused. `name` is for error messages. Throws IOError for a damaged file,
/// NotImplementedError for other classes, for more than 1000 lists, tuples and dictionaries that hold others, and for
/// arrays of objects with no axis or more than two.
PickleValue parse_pickle(std::span<const std::byte> bytes, std::string_view name);

/// The array of a `.npy` file that may be one of objects, which NumPy pickles: such an array is a list (see PickleValue),
/// any other an array. Throws as `parse_npy` and `parse_pickle`.
PickleValue parse_npy_objects(std::span<const std::byte> bytes, std::string_view name);

/// The same for one array of a `.npz` archive. Throws NotFoundError, which lists the archive's names, when it has no array
/// of that name.
PickleValue read_npz_objects(const std::filesystem::path& path, std::string_view name);

}  // namespace rhyton::io
