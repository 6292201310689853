#include <rhyton/models/saving/custom_objects.h>

namespace rhyton::saving {
namespace {

CustomObjects objects_of(const CustomObjectMap& map) {
  CustomObjects objects;
  for (const auto& [name, object] : map) object.add_to(objects, name);
  return objects;
}

}  // namespace

void register_keras_serializable(const std::string& package, const std::string& name, const CustomObject& object) {
  CustomObjects objects;
  object.add_to(objects, package + ">" + name);
  register_custom_objects(objects);
}

CustomObjectScope::CustomObjectScope(const CustomObjectMap& custom_objects, bool safe_mode)
    : objects_(objects_of(custom_objects)), scope_(objects_, safe_mode) {}

}  // namespace rhyton::saving
