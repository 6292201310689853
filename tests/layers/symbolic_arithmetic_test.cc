#include <gtest/gtest.h>

#include <rhyton/layers/call_node.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/symbolic_operators.h>

namespace rhyton::layers {
namespace {

TEST(SymbolicArithmetic, BecomesOperations) {
  const SymbolicTensor x = Input({.shape = {3}, .name = "x"});
  const SymbolicTensor y = Input({.shape = {3}, .name = "y"});
  EXPECT_EQ((x + y).node()->layer->class_name(), "Add");
  EXPECT_EQ((x - y).node()->layer->class_name(), "Subtract");
  EXPECT_EQ((x * y).node()->layer->class_name(), "Multiply");
  EXPECT_EQ((x * y).node()->arguments.args.size(), 2U);
  const SymbolicTensor z = 1.0 - x / 4.0 * 2.0;
  EXPECT_EQ(z.shape(), (Shape{-1, 3}));
  EXPECT_EQ(z.node()->layer->class_name(), "Subtract");
}

}  // namespace
}  // namespace rhyton::layers
