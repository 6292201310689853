#include <gtest/gtest.h>

#include <rhyton/layers/core/input.h>
#include <rhyton/layers/symbolic_arithmetic.h>

namespace rhyton::layers {
namespace {

TEST(SymbolicArithmetic, BecomesLayers) {
  const SymbolicTensor x = Input({.shape = {3}, .name = "x"});
  const SymbolicTensor y = Input({.shape = {3}, .name = "y"});
  EXPECT_EQ((x + y).node()->layer->class_name(), "Add");
  EXPECT_EQ((x - y).node()->layer->class_name(), "Subtract");
  EXPECT_EQ((x * y).node()->layer->class_name(), "Multiply");
  EXPECT_TRUE((x * y).node()->called_with_list);
  const SymbolicTensor z = 1.0 - x / 4.0 * 2.0;
  EXPECT_EQ(z.shape(), (Shape{-1, 3}));
  EXPECT_EQ(z.node()->layer->class_name(), "Rescaling");
}

}  // namespace
}  // namespace rhyton::layers
