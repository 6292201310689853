#include <rhyton/framework/tensor/printing.h>

#include <gtest/gtest.h>

#include <sstream>

#include <rhyton/tests/framework/tensor/printing_golden.h>

namespace rhyton {
namespace {

TEST(PrintingTest, AgreesWithTensorFlow) {
  for (const PrintingCase& expected : printing_cases()) {
    EXPECT_EQ(expected.tensor.to_string(), expected.text) << expected.code;
  }
}

TEST(PrintingTest, EmptyAndTracedTensorsSayWhatTheyAre) {
  EXPECT_EQ(Tensor().to_string(), "tf.Tensor(<empty>)");
  const Tensor traced = Tensor::traced({Shape{-1, 3}, float32}, nullptr, 0);
  EXPECT_EQ(traced.to_string(), "tf.Tensor(<traced>, shape=(None, 3), dtype=float32)");
}

TEST(PrintingTest, StreamsWriteTheSameText) {
  std::ostringstream stream;
  stream << Tensor::scalar(3.0F) << ' ' << Shape{1, 2} << ' ' << bfloat16;
  EXPECT_EQ(stream.str(), "tf.Tensor(3.0, shape=(), dtype=float32) (1, 2) bfloat16");
}

}  // namespace
}  // namespace rhyton
