#pragma once

#include <string>

#include <rhyton/framework/context.h>

namespace rhyton::test {

/// Sets the global dtype policy during its lifetime.
class PolicyScope {
 public:
  explicit PolicyScope(const std::string& policy) : before_(config::dtype_policy()) {
    config::set_dtype_policy(policy);
  }
  ~PolicyScope() { config::set_dtype_policy(before_); }
  PolicyScope(const PolicyScope&) = delete;
  PolicyScope& operator=(const PolicyScope&) = delete;

 private:
  std::string before_;
};

}  // namespace rhyton::test
