#include <rhyton/framework/ops/name_scope.h>

namespace rhyton {
namespace {

std::string& scopes() {
  thread_local std::string joined;
  return joined;
}

}  // namespace

NameScope::NameScope(std::string_view name) : outer_length_(scopes().size()) {
  std::string& joined = scopes();
  if (name.empty()) return;
  if (!joined.empty()) joined += '/';
  joined += name;
}

NameScope::~NameScope() { scopes().resize(outer_length_); }

const std::string& NameScope::current() { return scopes(); }

}  // namespace rhyton
