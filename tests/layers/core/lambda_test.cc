#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/core/lambda.h>
#include <rhyton/layers/core/masking.h>
#include <rhyton/layers/serialization.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::layers {
namespace {

using test::message_of;
using ::testing::AllOf;
using ::testing::HasSubstr;
using Tensors = std::vector<Tensor>;
using Values = std::vector<double>;

Tensor row() { return Tensor::from_data<float>({1, 3}, {1, -2, 3}); }

Tensor doubled(const Tensor& x) { return x * 2.0; }

TEST(Lambda, CallsFunctionsOfEachForm) {
  EXPECT_EQ(Lambda(&doubled)(row()).to_vector(), (Values{2, -4, 6}));
  EXPECT_EQ(Lambda([](const auto& x) { return x + 1.0; })(row()).to_vector(), (Values{2, -1, 4}));
  EXPECT_EQ(Lambda(std::function<Tensor(const Tensor&)>(&doubled))(row()).to_vector(), (Values{2, -4, 6}));
  const Lambda sum([](const Tensors& x) { return x.at(0) + x.at(1); });
  EXPECT_EQ(sum(Tensors{row(), doubled(row())}).to_vector(), (Values{3, -6, 9}));
  EXPECT_EQ(sum.call_many(std::map<std::string, Tensor>{{"b", row()}, {"a", row()}}).at(0).to_vector(),
            (Values{2, -4, 6}));
  const Lambda two([](const Tensor& x) { return Tensors{x, doubled(x)}; });
  const Tensors outputs = two.call_many(Tensors{row()});
  ASSERT_EQ(outputs.size(), 2U);
  EXPECT_EQ(outputs[1].to_vector(), (Values{2, -4, 6}));
  // Integers stay integers.
  EXPECT_EQ(Lambda([](const Tensor& x) { return x * 2; })(Tensor::zeros({1}, DType::int32)).dtype(), DType::int32);
  EXPECT_EQ(Lambda(&doubled, {.dtype = "mixed_float16"})(row()).dtype(), DType::float16);
}

TEST(Lambda, PassesTraining) {
  const Lambda layer([](const Tensor& x, const LambdaCall& call) { return call.training ? doubled(x) : x; });
  EXPECT_EQ(layer(row()).to_vector(), (Values{1, -2, 3}));
  EXPECT_EQ(layer(row(), {.training = true}).to_vector(), (Values{2, -4, 6}));
}

TEST(Lambda, PassesMasks) {
  const Tensor x = Masking()(Tensor::from_data<float>({1, 2, 1}, {1, 0}));
  // As an argument of the function.
  const Lambda reads([](const Tensors& inputs, const LambdaCall& call) {
    const Tensor& mask = call.masks.back();
    return mask.is_empty() ? inputs[0] : inputs[0] + cast(mask, DType::float32);
  });
  EXPECT_EQ(reads(Tensor::zeros({1, 2})).to_vector(), (Values{0, 0}));
  const Tensor mask = Tensor::from_data<bool>({1, 2}, {false, true});
  EXPECT_EQ(reads(Tensor::zeros({1, 2}), {.mask = mask}).to_vector(), (Values{0, 1}));
  EXPECT_EQ(reads(Tensors{Tensor::zeros({1, 2}), x}).to_vector(), (Values{1, 0}));
  // To the output.
  EXPECT_FALSE(Lambda(&doubled)(x).has_mask());
  const Lambda keeps(&doubled, {.mask = [](const Tensor&, const Tensor& given) { return given; }});
  EXPECT_EQ(keeps(x).mask().to_vector(), (Values{1, 0}));
  EXPECT_FALSE(keeps(row()).has_mask());
  EXPECT_TRUE(keeps(Masking()(Input({.shape = {2, 1}}))).has_mask());
  EXPECT_EQ(Lambda(&doubled, {.mask = mask})(x).mask().to_vector(), (Values{0, 1}));
}

TEST(Lambda, HasDerivativesAndNoWeights) {
  const Lambda layer([](const Tensor& x) { return sum(square(x), {-1}); });
  GradientTape tape;
  const Tensor x = row();
  tape.watch(x);
  EXPECT_EQ(tape.gradient(layer(x), x).to_vector(), (Values{2, -4, 6}));
  EXPECT_TRUE(layer.weights().empty());
  EXPECT_TRUE(layer.is_built());
  EXPECT_EQ(layer.class_name(), "Lambda");
}

TEST(Lambda, InfersShapes) {
  const SymbolicTensor x = Input({.shape = {3}});
  EXPECT_EQ(Lambda(&doubled)(x).shape(), (Shape{-1, 3}));
  EXPECT_EQ(Lambda([](const Tensor& t) { return matmul(t, t, true); })(x).shape(), (Shape{3, 3}));
  EXPECT_EQ(Lambda([](const Tensor& t) { return Tensors{t, t}; }).call_many({x}).size(), 2U);
  const Lambda unequal([](const Tensors& t) { return t[0] + t[1]; }, {.name = "unequal"});
  EXPECT_THAT(message_of<NotImplementedError>([&] {
                unequal({x, Input({.shape = {4}})});
              }),
              AllOf(HasSubstr("We could not automatically infer the shape of the Lambda's output. Please specify the "
                              "`output_shape` argument for this Lambda layer."),
                    HasSubstr("Incompatible shapes"), HasSubstr("unequal")));
}

TEST(Lambda, TakesTheShapeThatItIsGiven) {
  // A function that reads values has no shape without them.
  const auto reads_values = [](const Tensor& x) { return x * static_cast<double>(x.to_vector().size()); };
  const SymbolicTensor x = Input({.shape = {3}});
  EXPECT_THROW(Lambda{reads_values}(x), NotImplementedError);
  const Lambda layer(reads_values, {.output_shape = Shape{3}});
  EXPECT_EQ(layer(x).shape(), (Shape{-1, 3}));
  EXPECT_EQ(layer(row()).to_vector(), (Values{3, -6, 9}));
  const Lambda by_function(reads_values, {.output_shape = [](const Shape& shape) { return shape; }});
  EXPECT_EQ(by_function(x).shape(), (Shape{-1, 3}));
  const auto two = [](const Tensors& t) { return Tensors{t[0], t[1]}; };
  EXPECT_EQ(
      Lambda(two, {.output_shape = std::vector<Shape>{{3}, {2}}}).call_many({x, Input({.shape = {2}})})[1].shape(),
      (Shape{-1, 2}));
  const auto swapped = [](const std::vector<Shape>& shapes) { return std::vector<Shape>{shapes[1], shapes[0]}; };
  EXPECT_EQ(Lambda(two, {.output_shape = swapped}).call_many({x, Input({.shape = {2}})})[0].shape(), (Shape{-1, 2}));
}

TEST(Lambda, RefusesWhatDoesNotFit) {
  EXPECT_EQ(message_of<TypeError>([] { Lambda(std::function<Tensor(const Tensor&)>()); }), "unsupported callable");
  EXPECT_THAT(message_of<ValueError>([] {
                Lambda(&doubled, {.name = "one"})(Tensors{row(), row()});
              }),
              HasSubstr("The function of layer \"one\" takes one tensor, but it was called on 2."));
  EXPECT_THAT(
      message_of<ValueError>([] { Lambda(&doubled, {.output_shape = Shape{7}, .name = "wide"})(row()); }),
      HasSubstr("The function of layer \"wide\" returned the shape (1, 3), but its `output_shape` says (1, 7)."));
  EXPECT_THAT(message_of<ValueError>([] { Lambda([](const Tensor&) { return Tensor(); }, {.name = "none"})(row()); }),
              HasSubstr("The function of layer \"none\" returned an empty tensor."));
}

TEST(Lambda, CannotBeSerialized) {
  EXPECT_THAT(
      message_of<ValueError>([] { serialize(Lambda(&doubled, {.name = "twice"})); }),
      AllOf(HasSubstr("A Lambda layer cannot be serialized: its function is C++ code, which a file cannot hold."),
            HasSubstr("(layer 'twice' of class Lambda)")));
}

}  // namespace
}  // namespace rhyton::layers
