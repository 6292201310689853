#include <rhyton/framework/autodiff/jvp.h>

#include <cmath>
#include <vector>

#include <gtest/gtest.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/graph/executable.h>
#include <rhyton/framework/graph/tracing.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/ops/reduce.h>

namespace rhyton {
namespace {

using Tensors = std::vector<Tensor>;

TEST(Jvp, IsTheDerivativeInADirection) {
  const Tensor x = Tensor::from_data({3}, {0.1, 0.5, 2.0});
  const Tensor t = Tensor::from_data({3}, {1.0, -2.0, 0.5});
  const auto [y, dy] = jvp([](const Tensor& v) { return sin(v); }, x, t);
  EXPECT_EQ(y.to_vector(), sin(x).to_vector());
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(dy.to_vector()[i], std::cos(x.to_vector()[i]) * t.to_vector()[i], 1e-15);
  }
}

TEST(Jvp, AddsTheChangesOfAllArguments) {
  const auto f = [](const Tensors& x) { return Tensors{matmul(x[0], x[1]), sum(x[0]), cast(x[1], int32)}; };
  const Tensor a = Tensor::from_data({1, 2}, {1.0, 2.0});
  const Tensor b = Tensor::from_data({2, 1}, {3.0, 4.0});
  const Tensor da = Tensor::from_data({1, 2}, {0.5, 0.0});
  const Tensor db = Tensor::from_data({2, 1}, {0.0, 10.0});
  const auto [y, dy] = jvp(f, {a, b}, {da, db});
  EXPECT_EQ(y[0].item(), 11.0);
  EXPECT_EQ(dy[0].item(), 0.5 * 3.0 + 2.0 * 10.0);
  EXPECT_EQ(dy[1].item(), 0.5);
  EXPECT_TRUE(dy[2].is_empty());
}

TEST(Jvp, IsPartOfAGraph) {
  const auto f = [](const Tensors& x) {
    const auto [y, dy] = jvp([](const Tensor& v) { return exp(v * v); }, x[0], x[1]);
    return Tensors{y, dy};
  };
  graph::Executable executable(graph::trace({{TensorSpec{{2}, float64}, -1}, {TensorSpec{{2}, float64}, -1}}, f));
  const Tensors results = executable({Tensor::from_data({2}, {0.5, 1.0}), Tensor::from_data({2}, {1.0, 2.0})});
  EXPECT_NEAR(results[1].to_vector()[0], std::exp(0.25), 1e-12);
  EXPECT_NEAR(results[1].to_vector()[1], 4.0 * std::exp(1.0), 1e-12);
}

TEST(Jvp, RefusesTangentsOfAnotherNumberOrShape) {
  const auto f = [](const Tensors& x) { return x; };
  EXPECT_THROW(jvp(f, {Tensor::zeros({2})}, {}), ValueError);
  EXPECT_THROW(jvp(f, {Tensor::zeros({2})}, {Tensor::zeros({3})}), ValueError);
}

}  // namespace
}  // namespace rhyton
