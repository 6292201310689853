#include <gtest/gtest.h>

#include <rhyton/layers/activations/relu.h>
#include <rhyton/layers/call_node.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/merging/add.h>
#include <rhyton/layers/merging/average.h>
#include <rhyton/layers/merging/concatenate.h>
#include <rhyton/layers/merging/dot.h>
#include <rhyton/layers/merging/maximum.h>
#include <rhyton/layers/merging/minimum.h>
#include <rhyton/layers/merging/multiply.h>
#include <rhyton/layers/merging/subtract.h>
#include <rhyton/layers/serialization.h>

namespace rhyton::layers {
namespace {

using Values = std::vector<double>;

const Tensor a = Tensor::from_data<float>({2, 3}, {1, -2, 3, 4, 5, -6});
const Tensor b = Tensor::from_data<float>({2, 3}, {3, 2, 1, 0, -1, 2});

TEST(Merging, ElementByElement) {
  EXPECT_EQ(Add()({a, b}).to_vector(), (Values{4, 0, 4, 4, 4, -4}));
  EXPECT_EQ(Subtract()({a, b}).to_vector(), (Values{-2, -4, 2, 4, 6, -8}));
  EXPECT_EQ(Multiply()({a, b}).to_vector(), (Values{3, -4, 3, 0, -5, -12}));
  EXPECT_EQ(Average()({a, b, b, a}).to_vector(), (Values{2, 0, 2, 2, 2, -2}));
  EXPECT_EQ(Maximum()({a, b}).to_vector(), (Values{3, 2, 3, 4, 5, 2}));
  EXPECT_EQ(Minimum()({a, b}).to_vector(), (Values{1, -2, 1, 0, -1, -6}));
}

TEST(Merging, HasFunctionalForms) {
  EXPECT_EQ(layers::add({a, b}).to_vector(), Add()({a, b}).to_vector());
  EXPECT_EQ(layers::subtract({a, b}).to_vector(), Subtract()({a, b}).to_vector());
  EXPECT_EQ(layers::multiply({a, b}).to_vector(), Multiply()({a, b}).to_vector());
  EXPECT_EQ(layers::average({a, b}).to_vector(), Average()({a, b}).to_vector());
  EXPECT_EQ(layers::maximum({a, b}).to_vector(), Maximum()({a, b}).to_vector());
  EXPECT_EQ(layers::minimum({a, b}).to_vector(), Minimum()({a, b}).to_vector());
  EXPECT_EQ(layers::concatenate({a, b}, {.axis = 0}).shape(), (Shape{4, 3}));
  EXPECT_EQ(layers::dot({a, b}, 1).to_vector(), (Values{2, -17}));
  const SymbolicTensor x = Input({.shape = {3}});
  const SymbolicTensor sum = layers::add({x, x}, {.name = "residual"});
  EXPECT_EQ(sum.node()->layer->name(), "residual");
  EXPECT_EQ(layers::concatenate({x, sum}).shape(), (Shape{-1, 6}));
  EXPECT_EQ(layers::dot({x, sum}, -1, {.normalize = true}).shape(), (Shape{-1, 1}));
  EXPECT_THROW(layers::subtract({a, b, a}), ValueError);
}

TEST(Merging, AListOfOneTensorIsThatTensor) {
  const SymbolicTensor x = Input({.shape = {3}});
  for (const Layer& layer : std::vector<Layer>{Add(), Multiply(), Average(), Maximum(), Minimum(), Concatenate()}) {
    const std::string name = layer.class_name();
    EXPECT_EQ(layer(std::vector<Tensor>{a}).to_vector(), a.to_vector()) << name;
    EXPECT_EQ(layer(std::vector<SymbolicTensor>{x}).shape(), x.shape()) << name;
    const std::vector<SymbolicTensor> many = layer.call_many(std::vector<SymbolicTensor>{x});
    EXPECT_TRUE(many.at(0).node()->arguments.args.at(0).is_list()) << name;
    EXPECT_EQ(layer.impl()->get_build_config()["input_shape"], io::Json::array({io::Json::array({nullptr, 3})}))
        << name;
    EXPECT_THROW(layer(a), ValueError) << name << ": no list";
    EXPECT_THROW(layer(x), ValueError) << name << ": no list";
  }
  EXPECT_THROW(Subtract()(std::vector<Tensor>{a}), ValueError);
  EXPECT_THROW(Subtract()(std::vector<SymbolicTensor>{x}), ValueError);
  // For other layers it is no list.
  EXPECT_FALSE(ReLU().call_many(std::vector<SymbolicTensor>{x}).at(0).node()->arguments.args.at(0).is_list());
}

TEST(Merging, RanksAndLengthsAreBroadcast) {
  const Tensor steps = Tensor::from_data<float>({2, 2, 3}, {1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4});
  // [2, 3] becomes [2, 1, 3].
  const Tensor product = Multiply()({steps, b});
  EXPECT_EQ(product.shape(), (Shape{2, 2, 3}));
  EXPECT_EQ(product.to_vector(), (Values{3, 2, 1, 6, 4, 2, 0, -3, 6, 0, -4, 8}));
  const SymbolicTensor x = Input({.shape = {4, 3}});
  const SymbolicTensor y = Input({.shape = {3}});
  EXPECT_EQ(Add()({x, y}).shape(), (Shape{-1, 4, 3}));
  EXPECT_EQ(Concatenate({.axis = 1})({x, x}).shape(), (Shape{-1, 8, 3}));
}

TEST(Merging, MixedDtypesAreCast) {
  const Tensor integers = Tensor::from_data<std::int32_t>({2, 3}, {1, 1, 1, 2, 2, 2});
  EXPECT_EQ(Add()({integers, a}).to_vector(), (Values{2, -1, 4, 6, 7, -4}));
  EXPECT_EQ(Add()({integers, integers}).dtype(), DType::int32);
}

TEST(Merging, ConfigsComeBack) {
  for (const Layer& layer : std::vector<Layer>{Add(), Subtract(), Multiply(), Average(), Maximum(), Minimum()}) {
    const Layer again = deserialize(serialize(layer));
    EXPECT_EQ(again({a, b}).to_vector(), layer({a, b}).to_vector());
    EXPECT_EQ(again.class_name(), layer.class_name());
  }
}

}  // namespace
}  // namespace rhyton::layers
