#include <rhyton/framework/autodiff/gradient_tape.h>

#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/ops/reduce.h>

namespace rhyton {
namespace {

TEST(GradientTape, DifferentiatesWhatIsComputedFromAVariable) {
  const Variable x(Tensor::scalar(3.0F));
  GradientTape tape;
  const Tensor y = square(x.value());
  EXPECT_EQ(tape.gradient(y, x).item(), 6.0);
}

TEST(GradientTape, WatchesATensorWhenAsked) {
  const Tensor x = Tensor::scalar(3.0F);
  GradientTape tape;
  tape.watch(x);
  const Tensor y = x * x * x;
  EXPECT_EQ(tape.gradient(y, x).item(), 27.0);
}

TEST(GradientTape, DoesNotWatchOtherTensors) {
  const Tensor x = Tensor::scalar(3.0F);
  GradientTape tape;
  const Tensor y = x * x;
  EXPECT_TRUE(tape.gradient(y, x).is_empty());
}

TEST(GradientTape, DoesNotWatchVariablesThatAreNotTrainable) {
  const Variable x(Tensor::scalar(3.0F), {.trainable = false});
  GradientTape tape;
  const Tensor y = square(x.value());
  EXPECT_TRUE(tape.gradient(y, x).is_empty());
}

TEST(GradientTape, ContributionsOfAVariableThatIsUsedTwiceAreSummed) {
  const Variable x(Tensor::scalar(2.0F));
  GradientTape tape;
  const Tensor y = x.value() * 3.0 + square(x.value());
  EXPECT_EQ(tape.gradient(y, x).item(), 7.0);
}

TEST(GradientTape, NestedTapesGiveSecondDerivatives) {
  const Variable x(Tensor::scalar(2.0F));
  GradientTape outer;
  Tensor first;
  {
    GradientTape inner;
    const Tensor y = x.value() * x.value() * x.value();
    first = inner.gradient(y, x);
  }
  EXPECT_EQ(first.item(), 12.0);
  EXPECT_EQ(outer.gradient(first, x).item(), 12.0);
}

TEST(GradientTape, AskedTwiceThrowsUnlessItIsPersistent) {
  const Variable x(Tensor::scalar(2.0F));
  GradientTape once;
  const Tensor y = square(x.value());
  once.gradient(y, x);
  EXPECT_THROW(once.gradient(y, x), RuntimeError);

  GradientTape persistent({.persistent = true});
  const Tensor z = square(x.value());
  const Tensor w = z * z;
  EXPECT_EQ(persistent.gradient(z, x).item(), 4.0);
  EXPECT_EQ(persistent.gradient(w, x).item(), 32.0);
}

TEST(GradientTape, AVariableAssignedSinceThrows) {
  const Variable x(Tensor::scalar(2.0F), {.name = "x"});
  GradientTape tape;
  const Tensor y = square(x.value());
  x.assign(Tensor::scalar(5.0F));
  EXPECT_THROW(tape.gradient(y, x), RuntimeError);
}

TEST(GradientTape, StopsRecordingWhenTold) {
  const Variable x(Tensor::scalar(2.0F));
  GradientTape tape;
  const Tensor y = square(x.value());
  tape.stop_recording();
  const Tensor z = square(y);
  EXPECT_TRUE(tape.gradient(z, x).is_empty());
}

TEST(GradientTape, OutputGradientsWeightTheTarget) {
  const Tensor x = Tensor::from_data<float>({3}, {1, 2, 3});
  GradientTape tape;
  tape.watch(x);
  const Tensor y = square(x);
  const Tensor gradient = tape.gradient(y, x, Tensor::from_data<float>({3}, {1, 10, 100}));
  EXPECT_EQ(gradient.to_vector(), (std::vector<double>{2, 40, 600}));
}

TEST(GradientTape, MatrixProduct) {
  const Variable w(Tensor::from_data<float>({2, 2}, {1, 2, 3, 4}));
  const Tensor x = Tensor::from_data<float>({1, 2}, {5, 6});
  GradientTape tape;
  const Tensor loss = sum(matmul(x, w));
  EXPECT_EQ(tape.gradient(loss, w).to_vector(), (std::vector<double>{5, 5, 6, 6}));
}

TEST(GradientTape, SourcesAreGivenAsAList) {
  const Variable a(Tensor::scalar(2.0F));
  const Variable b(Tensor::scalar(3.0F));
  const Tensor x = Tensor::scalar(4.0F);
  GradientTape tape({.persistent = true});
  tape.watch(x);
  const Tensor y = a.value() * b.value() * x;
  const std::vector<Tensor> of_variables = tape.gradient(y, {a, b});
  EXPECT_EQ(of_variables[0].item(), 12.0);
  EXPECT_EQ(of_variables[1].item(), 8.0);
  EXPECT_EQ(tape.gradient(y, std::vector<Tensor>{x})[0].item(), 6.0);
}

TEST(GradientTape, IntegersCannotBeWatched) {
  GradientTape tape;
  EXPECT_THROW(tape.watch(Tensor::scalar(std::int32_t{1})), ValueError);
}

TEST(GradientTape, WatchedVariablesAreListedInTheOrderOfTheirReading) {
  const Variable a(Tensor::scalar(1.0F), {.name = "a"});
  const Variable b(Tensor::scalar(1.0F), {.name = "b"});
  GradientTape tape;
  const Tensor y = b.value() + a.value() + b.value();
  ASSERT_EQ(tape.watched_variables().size(), 2U);
  EXPECT_EQ(tape.watched_variables()[0].name(), "b");
}

}  // namespace
}  // namespace rhyton
