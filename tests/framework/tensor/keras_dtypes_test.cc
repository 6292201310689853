// Dtypes by name, compared with Keras.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/tensor/keras_dtypes.h>
#include <rhyton/tests/optimizers/golden.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::backend {
namespace {

TEST(KerasDtypes, ResultTypesAreThoseOfKeras) {
  const test::GoldenArea area("dtypes");
  int cases = 0;
  for (const io::Json& golden : area.find("result_type")["cases"]) {
    std::vector<std::string> dtypes;
    for (const io::Json& dtype : golden["dtypes"]) dtypes.push_back(dtype.as_string());
    EXPECT_EQ(result_type(dtypes), golden["result"].as_string()) << golden["dtypes"].dump();
    ++cases;
  }
  EXPECT_GT(cases, 150);
}

TEST(KerasDtypes, NamesAreStandardized) {
  EXPECT_EQ(standardize_dtype(), "float32");
  EXPECT_EQ(standardize_dtype("int"), "int64");
  EXPECT_EQ(standardize_dtype("float"), "float32");
  EXPECT_EQ(standardize_dtype("bfloat16"), "bfloat16");
  EXPECT_EQ(standardize_dtype(bool_), "bool");
  EXPECT_EQ(test::message_of<ValueError>([] { standardize_dtype("real"); }), "Invalid dtype: real");
  EXPECT_EQ(test::message_of<ValueError>([] { result_type({"int32", "real"}); }), "Invalid dtype: real");
}

TEST(KerasDtypes, KindsAreThoseOfTheName) {
  EXPECT_TRUE(is_float_dtype("bfloat16"));
  EXPECT_TRUE(is_float_dtype("float64"));
  EXPECT_FALSE(is_float_dtype("int32"));
  EXPECT_TRUE(is_int_dtype("uint8"));
  EXPECT_FALSE(is_int_dtype("bool"));
}

}  // namespace
}  // namespace rhyton::backend
