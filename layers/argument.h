#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <rhyton/framework/tensor/index.h>
#include <rhyton/framework/tensor/scalar.h>
#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/layers/symbolic_tensor.h>

namespace rhyton::layers {

/// One argument of a layer's call, as in Python: None, a number, a string, a tensor, a symbolic tensor, a slice, or a
/// list or dictionary of arguments.
///
/// ```
/// decoder(x, {.kwargs = {{"initial_state", {h, c}}, {"use_causal_mask", true}}});
/// ```
class Argument {
 public:
  using List = std::vector<Argument>;
  /// In the order in which the entries were given. `tensors_of` lists them by key, as Keras does.
  using Dictionary = std::vector<std::pair<std::string, Argument>>;

  /// None.
  Argument() = default;
  template <class T>
  requires std::is_arithmetic_v<T> Argument(T value) : value_(Scalar(value)) {}  // NOLINT(google-explicit-constructor)
  Argument(const Scalar& value) : value_(value) {}                               // NOLINT(google-explicit-constructor)
  Argument(std::string value) : value_(std::move(value)) {}                      // NOLINT(google-explicit-constructor)
  Argument(const char* value) : value_(std::string(value)) {}                    // NOLINT(google-explicit-constructor)
  Argument(const Tensor& value) : value_(value) {}                               // NOLINT(google-explicit-constructor)
  /// A symbolic tensor, or an `Input`.
  template <class T>
  requires std::convertible_to<const T&, SymbolicTensor> Argument(
      const T& value)  // NOLINT(google-explicit-constructor)
      : value_(static_cast<SymbolicTensor>(value)) {}
  Argument(const Slice& value) : value_(value) {}     // NOLINT(google-explicit-constructor)
  Argument(const Ellipsis& value) : value_(value) {}  // NOLINT(google-explicit-constructor)
  /// A list.
  Argument(List value) : value_(std::move(value)) {}  // NOLINT(google-explicit-constructor)
  template <class T>
  requires(!std::same_as<T, Argument> && std::convertible_to<const T&, Argument>)
      Argument(const std::vector<T>& values)  // NOLINT(google-explicit-constructor)
      : value_(List(values.begin(), values.end())) {}
  /// A list: `{h, c}`. Of a single element that is an `Argument` itself, `{argument}` is a list with GCC and a copy
  /// with Clang: `Argument::List{argument}` is a list with both.
  Argument(std::initializer_list<Argument> values) : value_(List(values)) {}  // NOLINT(google-explicit-constructor)
  /// A dictionary.
  template <class T>
  Argument(const std::map<std::string, T>& values)  // NOLINT(google-explicit-constructor)
      : value_(Dictionary(values.begin(), values.end())) {}
  static Argument dictionary(Dictionary entries);

  bool is_none() const { return std::holds_alternative<std::monostate>(value_); }
  bool is_number() const { return std::holds_alternative<Scalar>(value_); }
  bool is_string() const { return std::holds_alternative<std::string>(value_); }
  bool is_tensor() const { return std::holds_alternative<Tensor>(value_); }
  bool is_symbolic() const { return std::holds_alternative<SymbolicTensor>(value_); }
  bool is_slice() const { return std::holds_alternative<Slice>(value_); }
  bool is_ellipsis() const { return std::holds_alternative<Ellipsis>(value_); }
  bool is_list() const { return std::holds_alternative<List>(value_); }
  bool is_dictionary() const { return std::holds_alternative<Dictionary>(value_); }

  // The value. Throw TypeError for an argument of another kind.
  const Scalar& number() const;
  const std::string& string() const;
  const Tensor& tensor() const;
  const SymbolicTensor& symbolic() const;
  const Slice& slice() const;
  const List& list() const;
  const Dictionary& dictionary() const;

  /// As Python prints it, shortened: `[1, 'a', <KerasTensor shape=(None, 2), dtype=float32>]`.
  std::string to_string() const;

 private:
  std::variant<std::monostate, Scalar, std::string, Tensor, SymbolicTensor, Slice, Ellipsis, List, Dictionary> value_;
};

/// Arguments by position. A class of its own because compilers take `std::vector<Argument>{Argument::List{a, b}}` for
/// different things: a vector of one list, or a copy of the list.
class PositionalArguments : public std::vector<Argument> {
 public:
  using std::vector<Argument>::vector;
  PositionalArguments(std::vector<Argument> arguments)  // NOLINT(google-explicit-constructor)
      : std::vector<Argument>(std::move(arguments)) {}
};

/// Keyword arguments.
using Keywords = Argument::Dictionary;

/// Calls `visit` with each argument in the tree that is neither a list nor a dictionary, in Keras's order: dictionaries
/// by key.
void for_each_leaf(const Argument& argument, const std::function<void(const Argument&)>& visit);
/// The tree with the result of `change` in place of each argument that is neither a list nor a dictionary, in the same
/// order.
Argument map_leaves(const Argument& argument, const std::function<Argument(const Argument&)>& change);

/// All tensors of the tree, in the order of `for_each_leaf`.
std::vector<Tensor> tensors_of(const Argument& argument);

}  // namespace rhyton::layers
