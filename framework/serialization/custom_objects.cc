#include <rhyton/framework/serialization/custom_objects.h>

#include <mutex>
#include <utility>

#include <rhyton/framework/context.h>

namespace rhyton {
namespace {

thread_local DeserializationScope* innermost_scope = nullptr;

struct Registered {
  std::mutex mutex;
  /// Never changed, only replaced: lookups need no lock.
  std::shared_ptr<const CustomObjects> objects = std::make_shared<const CustomObjects>();
};

std::string without_package(const std::string& name) { return name.substr(name.find('>') + 1); }

}  // namespace

void CustomObjects::add(const CustomObjects& others) {
  for (const auto& [key, factory] : others.factories_) factories_[key] = factory;
}

const std::any* CustomObjects::find_any(std::type_index kind, const std::string& registered_name,
                                        const std::string& class_name) const {
  if (const auto found = factories_.find({kind, registered_name}); found != factories_.end()) return &found->second;
  const std::string plain_name = without_package(class_name);
  for (const auto& [key, factory] : factories_) {
    if (key.first == kind && without_package(key.second) == plain_name) return &factory;
  }
  return nullptr;
}

std::string CustomObjects::registered_name_of(std::type_index kind, const std::string& class_name) const {
  for (const auto& [key, factory] : factories_) {
    if (key.first == kind && without_package(key.second) == class_name) return key.second;
  }
  return {};
}

DeserializationScope::DeserializationScope(const CustomObjects& custom_objects, bool safe_mode)
    : custom_objects_(custom_objects), safe_mode_(safe_mode), outer_(innermost_scope) {
  innermost_scope = this;
}

DeserializationScope::~DeserializationScope() { innermost_scope = outer_; }

DeserializationScope* DeserializationScope::innermost() { return innermost_scope; }

void register_custom_objects(const CustomObjects& custom_objects) {
  auto& registered = context().slot<Registered>();
  const std::scoped_lock lock(registered.mutex);
  auto objects = std::make_shared<CustomObjects>(*registered.objects);
  objects->add(custom_objects);
  registered.objects = std::move(objects);
}

std::shared_ptr<const CustomObjects> registered_custom_objects() {
  auto& registered = context().slot<Registered>();
  const std::scoped_lock lock(registered.mutex);
  return registered.objects;
}

}  // namespace rhyton
