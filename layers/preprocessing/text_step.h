#pragma once

#include <concepts>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <rhyton/framework/io/json/json.h>

namespace rhyton::layers {

/// A step of text processing where Keras takes a name or a callable: "whitespace", or a function of one string that
/// returns `Result`.
template <class Result>
class TextStep {
 public:
  using Function = std::function<Result(const std::string&)>;

  TextStep(const char* name) : step_(std::string(name)) {}  // NOLINT(google-explicit-constructor)
  TextStep(std::string name) : step_(std::move(name)) {}    // NOLINT(google-explicit-constructor)
  template <class F>
  requires(std::invocable<const F&, const std::string&> && !std::same_as<F, TextStep>)
      TextStep(F function)  // NOLINT(google-explicit-constructor)
      : step_(Function(std::move(function))) {}

  /// The name; null for a function.
  const std::string* name() const { return std::get_if<std::string>(&step_); }
  const Function* function() const { return std::get_if<Function>(&step_); }

  /// The name. Throws ValueError for a function, which no file can hold.
  io::Json to_config() const;
  /// Throws NotImplementedError for a serialized function of Python.
  static TextStep from_config(const char* key, const io::Json& config);
  static constexpr const char* config_type = "a string";
  static constexpr bool config_is_object = true;

 private:
  std::variant<std::string, Function> step_;
};

/// One string from one string.
using TextStandardization = TextStep<std::string>;
/// The parts of a string.
using TextSplit = TextStep<std::vector<std::string>>;

extern template class TextStep<std::string>;
extern template class TextStep<std::vector<std::string>>;

/// How many neighbouring tokens are joined, where Keras takes an integer or a tuple: 2, which is all numbers up to it,
/// or `{2, 3}`, just these.
class NGrams {
 public:
  /// None: tokens stay as they are.
  NGrams() = default;
  NGrams(int up_to) : is_some_(true), up_to_(up_to) {}                            // NOLINT(google-explicit-constructor)
  NGrams(std::initializer_list<int> widths) : is_some_(true), widths_(widths) {}  // NOLINT(google-explicit-constructor)
  NGrams(std::vector<int> widths)
      : is_some_(true), widths_(std::move(widths)) {}  // NOLINT(google-explicit-constructor)

  bool is_none() const { return !is_some_; }
  /// The numbers in order.
  std::vector<int> widths() const;

  io::Json to_config() const;
  static NGrams from_config(const io::Json& config);
  static constexpr const char* config_type = "an integer or a list of integers";

 private:
  bool is_some_ = false;
  std::optional<int> up_to_;
  std::vector<int> widths_;
};

}  // namespace rhyton::layers
