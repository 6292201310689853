#include <rhyton/layers/dtype_policy.h>

#include <cstddef>
#include <vector>

#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/python_list.h>
#include <rhyton/framework/regular_expression.h>
#include <rhyton/framework/tensor/dtype.h>
#include <rhyton/layers/policy.h>

namespace rhyton::dtype_policies {
namespace {

io::Json object_of(const char* module, const char* class_name, io::Json config) {
  return io::Json::object(
      {{"module", module}, {"class_name", class_name}, {"config", std::move(config)}, {"registered_name", nullptr}});
}

}  // namespace

DTypePolicy::DTypePolicy(const std::string& name) : name_(name.empty() ? context().dtype_policy() : name) {
  const layers::Policy policy = layers::policy_from_name(name_);
  compute_dtype_ = name_of(policy.compute_dtype);
  variable_dtype_ = name_of(policy.variable_dtype);
}

io::Json DTypePolicy::get_config() const { return io::Json::object({{"name", name_}}); }

void DTypePolicyMap::set(const std::string& key, const DTypePolicy& policy) {
  const auto [place, is_new] = policies_.emplace(key, policy);
  if (is_new) return;
  throw ValueError(key + " already exist in the DTypePolicyMap with value <DTypePolicy \"" + place->second.name() +
                   "\">. Please make sure to not use duplicated keys.");
}

void DTypePolicyMap::erase(const std::string& key) {
  if (policies_.erase(key) == 0) throw NotFoundError("The DTypePolicyMap has no key '" + key + "'.");
}

DTypePolicy DTypePolicyMap::operator[](const std::string& path) const {
  if (const auto exact = policies_.find(path); exact != policies_.end()) return exact->second;
  std::vector<std::string> matching;
  for (const auto& [key, policy] : policies_) {
    if (RegularExpression(key).matches(path)) matching.push_back(key);
  }
  if (matching.size() > 1) {
    throw ValueError("Path '" + path + "' matches multiple dtype policy specification keys: " + python_list(matching) +
                     ". Please make sure each path only matches at most one dtype policy specification key in the "
                     "DTypePolicyMap.");
  }
  return matching.empty() ? default_policy() : policies_.at(matching.front());
}

io::Json DTypePolicyMap::get_config() const {
  io::Json map = io::Json::object();
  for (const auto& [key, policy] : policies_) map[key] = serialize(policy);
  return io::Json::object(
      {{"default_policy", default_policy_ ? serialize(*default_policy_) : io::Json()}, {"policy_map", map}});
}

DTypePolicyMap DTypePolicyMap::from_config(const io::Json& config) {
  const io::Json* const given = config.find("default_policy");
  DTypePolicyMap policies =
      given == nullptr || given->is_null() ? DTypePolicyMap() : DTypePolicyMap(deserialize(*given));
  for (const auto& [key, policy] : config["policy_map"].items()) policies.set(key, deserialize(policy));
  return policies;
}

io::Json serialize(const DTypePolicy& policy) { return object_of("keras", "DTypePolicy", policy.get_config()); }

io::Json serialize(const DTypePolicyMap& policies) {
  return object_of("keras.dtype_policies", "DTypePolicyMap", policies.get_config());
}

DTypePolicy deserialize(const io::Json& serialized) {
  if (serialized.is_string()) return DTypePolicy(serialized.as_string());
  const std::string& class_name = serialized["class_name"].as_string();
  if (class_name != "DTypePolicy" && class_name != "FloatDTypePolicy") {
    throw ValueError("Expected a DTypePolicy, received a configuration of the class '" + class_name + "'.");
  }
  return DTypePolicy(serialized["config"].get_or("name", ""));
}

DTypePolicy get(const std::string& identifier) { return DTypePolicy(identifier); }

}  // namespace rhyton::dtype_policies
