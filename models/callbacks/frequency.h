#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace rhyton::callbacks {

/// How often a callback acts: "epoch", at the end of every epoch, or after a number of batches.
class Frequency {
 public:
  Frequency(std::string name) : name_(std::move(name)) {}  // NOLINT(google-explicit-constructor)
  Frequency(const char* name) : name_(name) {}             // NOLINT(google-explicit-constructor)
  template <std::integral T>
  requires(!std::same_as<T, bool>) Frequency(T batches)
      : batches_(static_cast<std::int64_t>(batches)) {}  // NOLINT(google-explicit-constructor)

  /// The number of batches; empty for a text.
  const std::optional<std::int64_t>& batches() const { return batches_; }
  bool is_epoch() const { return !batches_ && name_ == "epoch"; }
  /// Whether it is neither "epoch" nor a positive number.
  bool is_invalid() const { return batches_ ? *batches_ < 1 : name_ != "epoch"; }
  /// The text that Python prints.
  std::string text() const { return batches_ ? std::to_string(*batches_) : name_; }

 private:
  std::string name_;
  std::optional<std::int64_t> batches_;
};

}  // namespace rhyton::callbacks
