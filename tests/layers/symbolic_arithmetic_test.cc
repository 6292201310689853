// Operators of symbolic tensors are operations: nodes as Keras has them, not layers.

#include <string>

#include <gtest/gtest.h>
#include <rhyton/framework/error.h>
#include <rhyton/layers/call_node.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/operations/operation.h>
#include <rhyton/layers/symbolic_operators.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::layers {
namespace {

std::string class_of(const SymbolicTensor& x) {
  const Operation* const operation = operation_of(*x.node()->layer);
  return operation == nullptr ? "a layer" : operation->class_name;
}

TEST(SymbolicArithmetic, BecomesOperations) {
  const SymbolicTensor x = Input({.shape = {3}, .name = "x"});
  const SymbolicTensor y = Input({.shape = {3}, .name = "y"});
  EXPECT_EQ(class_of(x + y), "Add");
  EXPECT_EQ(class_of(x - 1), "Subtract");
  EXPECT_EQ(class_of(2 * x), "Multiply");
  EXPECT_EQ(class_of(x / y), "TrueDivide");
  EXPECT_EQ(class_of(1 / x), "TrueDivide");
  EXPECT_EQ(class_of(x % 2), "Mod");
  EXPECT_EQ(class_of(-x), "Negative");
  EXPECT_EQ(class_of(x < y), "Less");
  EXPECT_EQ(class_of(x <= 0), "LessEqual");
  EXPECT_EQ(class_of(x > 0), "Greater");
  EXPECT_EQ(class_of(0 >= x), "GreaterEqual");
  EXPECT_EQ(class_of((x > 0) & (y > 0)), "LogicalAnd");
  EXPECT_EQ(class_of((x > 0) | (y > 0)), "LogicalOr");
  EXPECT_EQ(class_of((x > 0) ^ (y > 0)), "LogicalXor");
  EXPECT_EQ(class_of(~(x > 0)), "LogicalNot");
  EXPECT_EQ(class_of(x[0]), "GetItem");
}

TEST(SymbolicArithmetic, TakesTheOperandsOneByOneInTheirOrder) {
  const SymbolicTensor x = Input({.shape = {3}});
  const SymbolicTensor difference = 2 - x;
  const CallArguments& arguments = difference.node()->arguments;
  ASSERT_EQ(arguments.args.size(), 2U);
  EXPECT_TRUE(arguments.args[0].is_number());
  EXPECT_TRUE(arguments.args[1].is_symbolic());
  EXPECT_TRUE(arguments.kwargs.empty());
  EXPECT_TRUE(difference.node()->inputs[0].is_same(x));
}

TEST(SymbolicArithmetic, CompoundAssignmentIsTheOperation) {
  const SymbolicTensor input = Input({.shape = {3}});
  SymbolicTensor x = input;
  x += input;
  EXPECT_EQ(class_of(x), "Add");
  EXPECT_TRUE(x.node()->inputs[1].is_same(input));
  x -= 1;
  EXPECT_EQ(class_of(x), "Subtract");
  x *= Tensor::zeros({3});
  EXPECT_EQ(class_of(x), "Multiply");
  x /= 2;
  EXPECT_EQ(class_of(x), "TrueDivide");
}

TEST(SymbolicArithmetic, BroadcastsByTheRuleOfNumPy) {
  const SymbolicTensor x = Input({.shape = {4, 3}});
  const SymbolicTensor y = Input({.shape = Shape{}, .batch_size = 3});
  EXPECT_EQ((x + y).shape(), (Shape{-1, 4, 3}));
  // The length of a constant is that of the batch.
  EXPECT_EQ((Input({.shape = {3}}) * Tensor::zeros({5, 1})).shape(), (Shape{5, 3}));
  EXPECT_THROW(x + Input({.shape = {2, 3}}), Error);
}

TEST(SymbolicArithmetic, OfKeysGivesTheShapesOfKeras) {
  const SymbolicTensor x = Input({.shape = {4, 3}});
  EXPECT_EQ((x[{Slice(), Slice(1, {}), -1}].shape()), (Shape{-1, 3}));
  EXPECT_EQ((x[{Slice(), Slice({}, {}, -2)}].shape()), (Shape{-1, 2, 3}));
  EXPECT_EQ((x[{Slice(), Slice(3, 1, -1)}].shape()), (Shape{-1, 2, 3}));
  EXPECT_EQ((x[{Slice(), Slice(-9, 9)}].shape()), (Shape{-1, 4, 3}));
  EXPECT_EQ((x[{ellipsis, newaxis, 0}].shape()), (Shape{-1, 4, 1}));
  // How many elements a slice of the batch has is not known.
  EXPECT_EQ((x[{Slice(0, 2)}].shape()), (Shape{-1, 4, 3}));
  EXPECT_EQ(x[1000].shape(), (Shape{4, 3}));
}

TEST(SymbolicArithmetic, OfKeysThrowsInTheWordsOfKeras) {
  const SymbolicTensor x = Input({.shape = {4, 3}});
  EXPECT_EQ(test::message_of<ValueError>([&] {
              x[{0, 0, 0, 0}];
            }),
            "Array has shape (None, 4, 3) but slice has to many indices. Received: `(0, 0, 0, 0)`");
  EXPECT_EQ(test::message_of<ValueError>([&] {
              x[{Slice(), 7}];
            }),
            "Array has shape (None, 4, 3) but out-of-bounds index (slice(None, None, None), 7) was requested.");
  EXPECT_EQ(test::message_of<ValueError>([&] {
              x[{ellipsis, 0, ellipsis}];
            }),
            "Slice should only have one ellipsis. Received: `(Ellipsis, 0, Ellipsis)`");
}

}  // namespace
}  // namespace rhyton::layers
