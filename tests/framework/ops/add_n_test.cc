#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>

namespace rhyton {
namespace {

TEST(AddN, AddsAllAndLeavesThemAsTheyWere) {
  const std::vector<Tensor> inputs = {Tensor::from_data<float>({2}, {1, 2}), Tensor::from_data<float>({2}, {10, 20}),
                                      Tensor::from_data<float>({2}, {100, 200})};
  EXPECT_EQ(add_n(inputs).to_vector(), (std::vector<double>{111, 222}));
  EXPECT_EQ(inputs[0].to_vector(), (std::vector<double>{1, 2}));
  EXPECT_EQ(inputs[1].to_vector(), (std::vector<double>{10, 20}));
}

TEST(AddN, OneTensorIsItsOwnSum) {
  const Tensor x = Tensor::from_data<std::int32_t>({3}, {1, 2, 3});
  EXPECT_EQ(add_n({x}).to_vector(), (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(add_n({x, x}).to_vector(), (std::vector<double>{2, 4, 6}));
}

TEST(AddN, EachInputHasTheSumsGradient) {
  const Tensor x = Tensor::from_data<float>({2}, {1, 2});
  const Tensor y = Tensor::from_data<float>({2}, {3, 4});
  GradientTape tape;
  tape.watch(x);
  tape.watch(y);
  const Tensor z = square(add_n({x, y, x}));
  const std::vector<Tensor> gradients = tape.gradient(z, std::vector<Tensor>{x, y});
  EXPECT_EQ(gradients[0].to_vector(), (std::vector<double>{20, 32}));
  EXPECT_EQ(gradients[1].to_vector(), (std::vector<double>{10, 16}));
}

TEST(AddN, RefusesNothingAndShapesThatDiffer) {
  EXPECT_THROW(add_n({}), ValueError);
  const Tensor row = Tensor::zeros({2, 3});
  try {
    add_n({row, row, Tensor::zeros({3})});
    FAIL() << "shapes must not broadcast";
  } catch (const InvalidArgumentError& error) {
    EXPECT_EQ(std::string(error.what()),
              "Inputs to operation AddN of type AddN must have the same size and shape.  Input 0: [2,3] != input 2: "
              "[3]");
  }
}

}  // namespace
}  // namespace rhyton
