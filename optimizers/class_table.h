#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include <rhyton/framework/context.h>
#include <rhyton/framework/io/json.h>

namespace rhyton::optimizers {

/// The classes of a program's own that can be made from a saved configuration, by class name. One table per kind of
/// object (`ClassTable<Loss>`); any thread may use it.
template <class Handle>
class ClassTable {
 public:
  using Factory = std::function<Handle(const io::Json& config)>;

  /// Adds a class, or replaces the one of that name.
  void add(const std::string& class_name, Factory factory) {
    const std::scoped_lock lock(mutex_);
    factories_[class_name] = std::move(factory);
  }

  /// What makes objects of that class; empty where there is none.
  Factory find(const std::string& class_name) const {
    const std::scoped_lock lock(mutex_);
    const auto found = factories_.find(class_name);
    return found == factories_.end() ? Factory() : found->second;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, Factory> factories_;
};

/// The table of this process.
template <class Handle>
ClassTable<Handle>& own_classes() {
  return context().slot<ClassTable<Handle>>();
}

}  // namespace rhyton::optimizers
