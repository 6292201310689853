#include <rhyton/framework/ops/eager.h>

#include <utility>

#include <gtest/gtest.h>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/context.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/tests/support/random_tensor.h>

namespace rhyton {
namespace {

TEST(Eager, ATemporaryGivesItsMemoryToTheResult) {
  Tensor x = Tensor::full({4, 4}, 3.0);
  const void* memory = x.raw_data();
  const Tensor y = std::move(x) / 2.0;
  EXPECT_EQ(y.raw_data(), memory);
  EXPECT_EQ(y.to_vector(), std::vector<double>(16, 1.5));
}

TEST(Eager, ATensorThatSomebodyHoldsIsLeftAlone) {
  Tensor x = Tensor::full({4, 4}, 3.0);
  const Tensor other = x;
  const Tensor view = x.reshape({16});
  const Tensor y = std::move(x) + 1.0;
  EXPECT_EQ(other.to_vector(), std::vector<double>(16, 3.0));
  EXPECT_EQ(view.to_vector(), std::vector<double>(16, 3.0));
  EXPECT_EQ(y.to_vector(), std::vector<double>(16, 4.0));
}

TEST(Eager, ATapeKeepsWhatItHasSeen) {
  const Tensor x = Tensor::full({2}, 3.0);
  GradientTape tape;
  tape.watch(x);
  const Tensor y = (x * 2.0) * (x * 5.0);
  EXPECT_EQ(tape.gradient(y, x).to_vector(), std::vector<double>(2, 60.0));
}

TEST(Eager, LargeOpsAreSplitWithoutChangingTheResult) {
  const Tensor a = test::random_tensor({500, 300}, 1);
  const Tensor b = test::random_tensor({300, 70}, 2);
  const int threads = config::num_threads();
  config::set_num_threads(1);
  const std::vector<double> alone = matmul(a, b).to_vector();
  config::set_num_threads(4);
  const std::vector<double> together = matmul(a, b).to_vector();
  config::set_num_threads(threads);
  EXPECT_EQ(alone, together);
}

TEST(Eager, OneImageIsSplitWithoutChangingTheResult) {
  const Tensor image = test::random_tensor({1, 61, 90, 33}, 1);
  const Tensor channels = test::random_tensor({33}, 2);
  const Tensor pixels = test::random_tensor({1, 61, 90, 1}, 3);
  const auto compute = [&] {
    return concatenate({tanh(image * channels) - pixels, channels / (2.0 + image * image)}, 3).to_vector();
  };
  const int threads = config::num_threads();
  config::set_num_threads(1);
  const std::vector<double> alone = compute();
  config::set_num_threads(4);
  const std::vector<double> together = compute();
  config::set_num_threads(threads);
  EXPECT_EQ(alone, together);
  // The first image of two is not split by rows, but has the same results.
  const Tensor two = concatenate({image, image}, 0);
  EXPECT_EQ(tanh(two * channels).slice(0, 1).to_vector(), tanh(image * channels).to_vector());
}

TEST(Eager, AReshapeSharesItsElements) {
  const Tensor x = Tensor::full({2, 3}, 1.0);
  EXPECT_EQ(x.reshape({3, 2}).raw_data(), x.raw_data());
}

TEST(Eager, AnEmptyTensorIsRefused) {
  EXPECT_THROW(add(Tensor(), Tensor::scalar(1.0F)), ValueError);
  EXPECT_THROW(relu(Tensor()), ValueError);
}

TEST(Eager, VariablesAndTensorsMakeExpressions) {
  const Variable w(Tensor::full({2}, 3.0), {.name = "w"});
  const Tensor y = w.value() * 2.0 + 1.0;
  EXPECT_EQ(y.to_vector(), std::vector<double>(2, 7.0));
  EXPECT_EQ(w.stored_value().to_vector(), std::vector<double>(2, 3.0)) << "reading must not give the memory away";
}

}  // namespace
}  // namespace rhyton
