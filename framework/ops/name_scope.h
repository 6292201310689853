#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rhyton {

/// While it lives, ops that this thread calls belong to `name`, below the scopes around it: "model/dense". Messages,
/// plans and profiles show it. An empty name opens no scope. (tf.name_scope)
class NameScope {
 public:
  explicit NameScope(std::string_view name);
  ~NameScope();
  NameScope(const NameScope&) = delete;
  NameScope& operator=(const NameScope&) = delete;

  /// The scopes around a call made now, joined with slashes.
  static const std::string& current();

 private:
  std::size_t outer_length_;
};

}  // namespace rhyton
