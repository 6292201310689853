#pragma once

#include <map>
#include <optional>
#include <string>

#include <rhyton/framework/io/json/json.h>

/// Dtype policies as objects (`keras.dtype_policies`). Layers take their names: `Dense(4, {.dtype = policy})` is
/// `Dense(4, {.dtype = policy.name()})`.
namespace rhyton::dtype_policies {

/// A dtype policy: the dtype of a layer's computations and that of its weights. (`keras.DTypePolicy`)
class DTypePolicy {
 public:
  /// "mixed_float16" and "mixed_bfloat16" compute in the half type and keep weights in float32; the name of a dtype sets
  /// both. The global policy if empty. Throws ValueError in Keras's words for any other name.
  explicit DTypePolicy(const std::string& name = {});

  const std::string& name() const { return name_; }
  const std::string& compute_dtype() const { return compute_dtype_; }
  const std::string& variable_dtype() const { return variable_dtype_; }
  /// {"name": …}
  io::Json get_config() const;

  operator const std::string&() const { return name_; }  // NOLINT(google-explicit-constructor): an argument `dtype`
  friend bool operator==(const DTypePolicy& a, const DTypePolicy& b) { return a.name_ == b.name_; }

 private:
  std::string name_;
  std::string compute_dtype_;
  std::string variable_dtype_;
};

/// The other name of the class in Keras.
using FloatDTypePolicy = DTypePolicy;

/// Policies by the paths of layers (`keras.dtype_policies.DTypePolicyMap`). A key is a path, or a regular expression of
/// paths: "encoder/.*".
///
///     DTypePolicyMap policies(DTypePolicy("float32"));
///     policies.set("encoder/.*", DTypePolicy("float16"));
///     policies["encoder/attention/query"].name();  // "float16"
class DTypePolicyMap {
 public:
  /// The default is the global policy at the time of the look-up.
  DTypePolicyMap() = default;
  explicit DTypePolicyMap(const DTypePolicy& default_policy) : default_policy_(default_policy) {}

  /// Adds a policy. Throws ValueError in Keras's words if there is one for this key.
  void set(const std::string& key, const DTypePolicy& policy);
  /// Removes the policy of this key. Throws NotFoundError if there is none.
  void erase(const std::string& key);

  /// The policy for a path: that of the equal key, else that of the only key that matches the whole path as a regular
  /// expression, else the default one. Throws ValueError in Keras's words if several keys match.
  DTypePolicy operator[](const std::string& path) const;
  bool contains(const std::string& key) const { return policies_.contains(key); }
  std::size_t size() const { return policies_.size(); }
  const std::map<std::string, DTypePolicy>& policies() const { return policies_; }

  DTypePolicy default_policy() const { return default_policy_ ? *default_policy_ : DTypePolicy(); }
  /// "map_float32", after the default policy.
  std::string name() const { return "map_" + default_policy().name(); }
  std::string compute_dtype() const { return default_policy().compute_dtype(); }
  std::string variable_dtype() const { return default_policy().variable_dtype(); }
  /// {"default_policy": …, "policy_map": {…}}
  io::Json get_config() const;
  /// Reads the result of `get_config`, or of Keras's.
  static DTypePolicyMap from_config(const io::Json& config);

 private:
  std::optional<DTypePolicy> default_policy_;
  std::map<std::string, DTypePolicy> policies_;
};

/// The policy in the form of `config.json`.
io::Json serialize(const DTypePolicy& policy);
io::Json serialize(const DTypePolicyMap& policies);
/// Creates the policy that `serialize` or Keras has written, or that a string names. Throws ValueError for a map and
/// for other classes.
DTypePolicy deserialize(const io::Json& serialized);
/// The policy of that name, or the global one if it is empty.
DTypePolicy get(const std::string& identifier = {});

}  // namespace rhyton::dtype_policies
