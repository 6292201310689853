#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include <rhyton/framework/error.h>

namespace rhyton::utils {

/// The result of a FeatureSpace: one tensor or symbolic tensor of all features in the mode "concat", to which it converts,
/// or in the mode "dict" one for each, by its name.
template <class T>
class EncodedFeatures {
 public:
  explicit EncodedFeatures(T whole) : whole_(std::move(whole)) {}
  explicit EncodedFeatures(std::map<std::string, T> by_name) : by_name_(std::move(by_name)) {}

  /// Throws ValueError in the mode "dict".
  operator const T&() const {  // NOLINT(google-explicit-constructor): in the mode "concat" it is a tensor
    if (is_dict()) {
      throw ValueError(
          "A FeatureSpace with `output_mode='dict'` returns a dictionary. Take its tensors by their names.");
    }
    return whole_;
  }
  /// Throws ValueError for an unknown name, and in the mode "concat".
  const T& operator[](std::string_view name) const {
    const auto found = by_name_.find(std::string(name));
    if (found != by_name_.end()) return found->second;
    throw ValueError("The FeatureSpace has no encoded feature '" + std::string(name) + "'" +
                     (is_dict() ? "." : ": with `output_mode='concat'` it returns one tensor."));
  }
  bool is_dict() const { return !by_name_.empty(); }
  /// None in the mode "concat".
  const std::map<std::string, T>& by_name() const { return by_name_; }

 private:
  T whole_ = {};
  std::map<std::string, T> by_name_;
};

}  // namespace rhyton::utils
