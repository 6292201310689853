#pragma once

#include <any>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <typeindex>
#include <utility>

#include <rhyton/framework/io/json/json.h>

// Custom classes that can be created from a saved configuration. The kind of an object is given by its handle: `Layer`,
// `Loss`, `Optimizer`, ….

namespace rhyton {

/// Creates an object from the result of its `get_config`.
template <class Handle>
using Factory = std::function<Handle(const io::Json& config)>;

/// Factories of several kinds, by name: "Scale", or "package>Scale".
class CustomObjects {
 public:
  /// Adds or replaces the factory of that kind and name.
  template <class Handle>
  void add(const std::string& name, Factory<Handle> factory) {
    factories_[{std::type_index(typeid(Handle)), name}] = std::move(factory);
  }

  /// The factory of that kind with the name `registered_name`, else the one whose name without package is `class_name`;
  /// empty if there is none.
  template <class Handle>
  Factory<Handle> find(const std::string& registered_name, const std::string& class_name) const {
    const std::any* const factory = find_any(typeid(Handle), registered_name, class_name);
    return factory == nullptr ? Factory<Handle>() : std::any_cast<const Factory<Handle>&>(*factory);
  }

  /// "package>name" for a name without package; empty if there is none of that kind.
  template <class Handle>
  std::string registered_name(const std::string& class_name) const {
    return registered_name_of(typeid(Handle), class_name);
  }

  /// Adds all factories of `others`.
  void add(const CustomObjects& others);
  bool empty() const { return factories_.empty(); }

 private:
  using Key = std::pair<std::type_index, std::string>;
  const std::any* find_any(std::type_index kind, const std::string& registered_name,
                           const std::string& class_name) const;
  std::string registered_name_of(std::type_index kind, const std::string& class_name) const;

  std::map<Key, std::any> factories_;
};

/// During its lifetime, objects that this thread creates from a configuration may be of these classes too. Scopes nest;
/// the innermost is searched first.
class DeserializationScope {
 public:
  /// `custom_objects` must outlive the scope.
  DeserializationScope(const CustomObjects& custom_objects, bool safe_mode);
  ~DeserializationScope();
  DeserializationScope(const DeserializationScope&) = delete;
  DeserializationScope& operator=(const DeserializationScope&) = delete;

  /// The innermost scope of this thread; null outside of any.
  static DeserializationScope* innermost();

  const CustomObjects& custom_objects() const { return custom_objects_; }
  DeserializationScope* outer() const { return outer_; }
  /// Whether objects that would bring code with them are refused.
  bool safe_mode() const { return safe_mode_; }
  /// An object that the file refers to several times (Keras's "shared_object_id"); empty at first.
  std::any& shared_object(std::int64_t id) { return shared_objects_[id]; }

 private:
  const CustomObjects& custom_objects_;
  bool safe_mode_;
  DeserializationScope* outer_;
  std::map<std::int64_t, std::any> shared_objects_;
};

/// Registers classes globally, from now on.
void register_custom_objects(const CustomObjects& custom_objects);
/// All globally registered classes.
std::shared_ptr<const CustomObjects> registered_custom_objects();

template <class Handle>
void register_class(const std::string& package, const std::string& class_name, Factory<Handle> factory) {
  CustomObjects objects;
  objects.add<Handle>(package + ">" + class_name, std::move(factory));
  register_custom_objects(objects);
}

/// The factory of that class: from the scopes, else from the registered ones. Empty if there is none.
template <class Handle>
Factory<Handle> find_class(const std::string& registered_name, const std::string& class_name) {
  for (const DeserializationScope* scope = DeserializationScope::innermost(); scope != nullptr;
       scope = scope->outer()) {
    if (auto factory = scope->custom_objects().template find<Handle>(registered_name, class_name)) return factory;
  }
  return registered_custom_objects()->template find<Handle>(registered_name, class_name);
}

/// "package>name" of a registered class; empty for others.
template <class Handle>
std::string registered_name(const std::string& class_name) {
  return registered_custom_objects()->template registered_name<Handle>(class_name);
}

/// An object of a custom class as in `config.json`: no module, and "package>name" as registered name, or the class's
/// name if it is not registered.
template <class Handle>
io::Json custom_object(const std::string& class_name, io::Json config) {
  const std::string registered = registered_name<Handle>(class_name);
  return io::Json::object({{"module", nullptr},
                           {"class_name", class_name},
                           {"config", std::move(config)},
                           {"registered_name", registered.empty() ? class_name : registered}});
}

}  // namespace rhyton
