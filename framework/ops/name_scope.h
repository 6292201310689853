#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rhyton {

/// During its lifetime, ops that this thread calls have the scope `name`, below the enclosing scopes: "model/dense". It
/// is shown in messages, plans and profiles. An empty name opens no scope. (tf.name_scope)
class NameScope {
 public:
  explicit NameScope(std::string_view name);
  ~NameScope();
  NameScope(const NameScope&) = delete;
  NameScope& operator=(const NameScope&) = delete;

  /// The scopes of a call made now, joined with slashes.
  static const std::string& current();

 private:
  std::size_t outer_length_;
};

}  // namespace rhyton
