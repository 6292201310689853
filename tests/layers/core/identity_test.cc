#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/layers/core/identity.h>
#include <rhyton/layers/core/input.h>

namespace rhyton::layers {
namespace {

using Values = std::vector<double>;

TEST(Identity, ReturnsAnyInputs) {
  const Tensor x = Tensor::from_data<float>({1, 2}, {1, 2});
  const Tensor tokens = Tensor::from_data<std::int32_t>({1, 1}, {7});
  EXPECT_EQ(Identity()(x).to_vector(), (Values{1, 2}));
  const std::vector<Tensor> listed = Identity().call_many(std::vector<Tensor>{x, tokens});
  ASSERT_EQ(listed.size(), 2U);
  EXPECT_EQ(listed[1].dtype(), DType::int32);
  EXPECT_EQ(Identity().call_many(std::map<std::string, Tensor>{{"b", x}, {"a", tokens}}).size(), 2U);
}

TEST(Identity, KeepsShapesAndMasks) {
  const std::vector<SymbolicTensor> outputs = Identity().call_many(
      std::vector<SymbolicTensor>{Input({.shape = {-1, 3}}), Input({.shape = {2}, .dtype = "int32"})});
  ASSERT_EQ(outputs.size(), 2U);
  EXPECT_EQ(outputs[0].shape(), (Shape{-1, -1, 3}));
  EXPECT_EQ(outputs[1].dtype(), DType::int32);
  const Tensor mask = Tensor::from_data<bool>({1, 2}, {true, false});
  EXPECT_TRUE(Identity()(Tensor::zeros({1, 2, 3}).with_mask(mask)).has_mask());
}

TEST(Identity, ConfigHasNothingOfItsOwn) {
  EXPECT_EQ(Identity({.name = "same"}).get_config().dump(),
            R"({"name": "same", "trainable": true, "dtype": "float32"})");
}

}  // namespace
}  // namespace rhyton::layers
