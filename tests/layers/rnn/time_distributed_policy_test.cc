// TimeDistributed whose dtype policy is another than that of the layer in it.

#include <string>

#include <gtest/gtest.h>

#include <rhyton/framework/context.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/core/embedding.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/regularization/dropout.h>
#include <rhyton/layers/rnn/time_distributed.h>
#include <rhyton/models/model.h>
#include <rhyton/models/sequential.h>
#include <rhyton/tests/support/random_tensor.h>

namespace rhyton::layers {
namespace {

/// A wrapper of one policy around a Dense of another.
TimeDistributed mixed(const std::string& wrapper, const std::string& wrapped) {
  return TimeDistributed(Dense(3, {.dtype = wrapped}), {.dtype = wrapper});
}

/// What the layer's weights give in one dtype, without a wrapper.
Tensor product(const Layer& layer, const Tensor& x, const std::string& dtype) {
  const Dense dense(3, {.dtype = dtype});
  dense.build({-1, 4});
  dense.set_weights(layer.get_weights());
  return dense(x);
}

TEST(TimeDistributedPolicy, IsTheOneThatTheLayerComputesIn) {
  const Tensor x = test::random_tensor({2, 5, 4}, 1);
  for (const auto& [wrapper, wrapped, dtype] :
       std::vector<std::tuple<std::string, std::string, DType>>{{"mixed_bfloat16", "float32", DType::bfloat16},
                                                                {"float32", "mixed_bfloat16", DType::float32},
                                                                {"float64", "float32", DType::float64}}) {
    const TimeDistributed layer = mixed(wrapper, wrapped);
    const Tensor y = layer(x);
    EXPECT_EQ(y.dtype(), dtype) << wrapper;
    EXPECT_EQ(layer(Input({.shape = {5, 4}})).dtype(), dtype) << wrapper;
    EXPECT_EQ(y.to_vector(), product(layer, x, wrapper).to_vector()) << wrapper;
    EXPECT_EQ(layer.weights().front().dtype(), DType::float32) << wrapper;
  }
}

TEST(TimeDistributedPolicy, HoldsForEachStepToo) {
  const Tensor x = test::random_tensor({2, 5, 4}, 1);
  const TimeDistributed layer(models::Sequential({Dropout(0.5), Dense(3)}), {.dtype = "mixed_bfloat16"});
  EXPECT_EQ(layer(x).dtype(), DType::bfloat16);
  EXPECT_EQ(layer(Input({.shape = {5, 4}})).dtype(), DType::bfloat16);
}

TEST(TimeDistributedPolicy, OfTheOutermostWrapperHolds) {
  const Tensor x = test::random_tensor({2, 3, 5, 4}, 1);
  const TimeDistributed layer(mixed("mixed_bfloat16", "mixed_bfloat16"), {.dtype = "float32"});
  const Tensor y = layer(x);
  EXPECT_EQ(y.dtype(), DType::float32);
  EXPECT_EQ(y.to_vector(), product(layer, x, "float32").to_vector());
}

TEST(TimeDistributedPolicy, HoldsInModels) {
  const SymbolicTensor x = Input({.shape = {5, 4}});
  const TimeDistributed layer = mixed("float32", "mixed_bfloat16");
  const models::Model model({.inputs = x, .outputs = layer(x)});
  const Tensor values = test::random_tensor({2, 5, 4}, 1);
  EXPECT_EQ(model.predict(values).to_vector(), product(layer, values, "float32").to_vector());
}

TEST(TimeDistributedPolicy, IsThatOfLookUps) {
  const TimeDistributed layer(Embedding(7, 3, {.dtype = "float32"}), {.dtype = "mixed_bfloat16"});
  const Tensor indices = Tensor::from_data<std::int32_t>({1, 2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(layer(indices).dtype(), DType::bfloat16);
  EXPECT_EQ(layer(Input({.shape = {2, 2}, .dtype = "int32"})).dtype(), DType::bfloat16);
}

}  // namespace
}  // namespace rhyton::layers
