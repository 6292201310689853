// Dtype policies as objects, compared with Keras.

#include <string>

#include <gtest/gtest.h>

#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/dtype_policy.h>
#include <rhyton/tests/optimizers/golden.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::dtype_policies {
namespace {

using test::message_of;

TEST(DTypePolicy, HasTheDtypesOfItsName) {
  const test::GoldenArea area("dtypes");
  for (const io::Json& golden : area.find("policies")["cases"]) {
    const DTypePolicy policy(golden["name"].as_string());
    EXPECT_EQ(policy.compute_dtype(), golden["compute_dtype"].as_string());
    EXPECT_EQ(policy.variable_dtype(), golden["variable_dtype"].as_string());
    EXPECT_EQ(serialize(policy).dump(), golden["serialized"].dump());
    EXPECT_EQ(deserialize(golden["serialized"]), policy);
  }
  EXPECT_EQ(get("mixed_float16"), DTypePolicy("mixed_float16"));
  EXPECT_EQ(get().name(), config::dtype_policy());
  EXPECT_EQ(message_of<ValueError>([] { DTypePolicy("single"); }).substr(0, 48),
            "Cannot convert 'single' to a mixed precision DTy");
}

TEST(DTypePolicy, IsAnArgumentOfLayers) {
  const layers::Dense dense(4, {.dtype = DTypePolicy("mixed_bfloat16")});
  EXPECT_EQ(dense.dtype_policy(), "mixed_bfloat16");
  EXPECT_EQ(dense.compute_dtype(), bfloat16);
}

TEST(DTypePolicyMap, FindsPoliciesByPath) {
  const test::GoldenArea area("dtypes");
  const io::Json& golden = area.find("map");
  DTypePolicyMap policies(DTypePolicy("float32"));
  policies.set("encoder/layer_0/dense", DTypePolicy("bfloat16"));
  policies.set("encoder/.*", DTypePolicy("float16"));
  policies.set("decoder", DTypePolicy("mixed_bfloat16"));
  EXPECT_EQ(policies.name(), golden["map_name"].as_string());
  for (const io::Json& one : golden["paths"]) {
    EXPECT_EQ(policies[one["path"].as_string()].name(), one["policy"].as_string()) << one["path"].as_string();
  }
  const DTypePolicyMap read = DTypePolicyMap::from_config(golden["serialized"]["config"]);
  EXPECT_EQ(read.policies(), policies.policies());
  EXPECT_EQ(serialize(DTypePolicyMap::from_config(serialize(policies)["config"])).dump(), serialize(policies).dump());

  EXPECT_EQ(
      message_of<ValueError>([&] { policies.set("decoder", DTypePolicy("float32")); }),
      "decoder already exist in the DTypePolicyMap with value <DTypePolicy \"mixed_bfloat16\">. Please make sure to "
      "not use duplicated keys.");
  policies.set("encoder/attention/.*", DTypePolicy("bfloat16"));
  EXPECT_EQ(message_of<ValueError>([&] { policies["encoder/attention/query"]; }),
            "Path 'encoder/attention/query' matches multiple dtype policy specification keys: ['encoder/.*', "
            "'encoder/attention/.*']. Please make sure each path only matches at most one dtype policy specification "
            "key in the DTypePolicyMap.");
  policies.erase("encoder/.*");
  EXPECT_EQ(policies["encoder/attention/query"].name(), "bfloat16");
  EXPECT_FALSE(policies.contains("encoder/.*"));
  EXPECT_EQ(message_of<NotFoundError>([&] { policies.erase("encoder/.*"); }),
            "The DTypePolicyMap has no key 'encoder/.*'.");
}

TEST(DTypePolicyMap, WithoutDefaultHasTheGlobalPolicy) {
  const DTypePolicyMap policies;
  EXPECT_EQ(policies["any"].name(), config::dtype_policy());
  EXPECT_TRUE(policies.get_config()["default_policy"].is_null());
}

}  // namespace
}  // namespace rhyton::dtype_policies
