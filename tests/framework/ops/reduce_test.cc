#include <rhyton/framework/ops/reduce.h>

#include <gtest/gtest.h>

#include <rhyton/framework/autodiff/gradient_tape.h>

namespace rhyton {
namespace {

TEST(SumInAnotherDType, HalvesDoNotOverflowInFloat32) {
  for (const DType dtype : {float16, bfloat16}) {
    const Tensor x = Tensor::full({300, 1000}, 0.5, dtype);
    const Tensor total = sum(x, {}, false, float32);
    EXPECT_EQ(total.dtype(), float32);
    EXPECT_EQ(total.item(), 150000.0);
  }
}

TEST(SumInAnotherDType, ElementsAreCastFirst) {
  const Tensor x = Tensor::full({3, 100}, 200, uint8);
  const Tensor totals = sum(x, {1}, false, int32);
  EXPECT_EQ(totals.dtype(), int32);
  EXPECT_EQ(totals.to_vector(), (std::vector<double>{20000, 20000, 20000}));
}

TEST(SumInAnotherDType, TheGradientHasTheDTypeOfTheElements) {
  const Tensor x = Tensor::full({2, 3}, 0.5, bfloat16);
  GradientTape tape;
  tape.watch(x);
  const Tensor total = sum(x, {1}, true, float32);
  const Tensor gradient = tape.gradient(total, x);
  EXPECT_EQ(gradient.dtype(), bfloat16);
  EXPECT_EQ(gradient.to_vector(), std::vector<double>(6, 1.0));
}

}  // namespace
}  // namespace rhyton
