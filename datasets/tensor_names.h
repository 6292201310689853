#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rhyton::datasets {

/// The names of the tensors of a dictionary, in the order in which an element lists them; none for a list. Copies share
/// them.
class TensorNames {
 public:
  TensorNames() = default;
  TensorNames(std::vector<std::string> names) {  // NOLINT(google-explicit-constructor): a list is one
    if (!names.empty()) names_ = std::make_shared<const std::vector<std::string>>(std::move(names));
  }
  TensorNames(std::initializer_list<std::string> names)  // NOLINT(google-explicit-constructor)
      : TensorNames(std::vector<std::string>(names)) {}

  bool is_empty() const { return names_ == nullptr; }
  const std::vector<std::string>& list() const;
  /// The position of a name.
  std::optional<std::size_t> find(std::string_view name) const;
  /// Throws ValueError unless there are no names, or one for each of `count` tensors, all different. `part` is "x" or "y".
  void require_fitting(std::size_t count, const char* part) const;

  friend bool operator==(const TensorNames& a, const TensorNames& b) { return a.list() == b.list(); }

 private:
  std::shared_ptr<const std::vector<std::string>> names_;
};

}  // namespace rhyton::datasets
