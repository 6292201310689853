#include <rhyton/framework/ops/vectorize.h>

#include <vector>

#include <gtest/gtest.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/tensor_products.h>

namespace rhyton {
namespace {

using Tensors = std::vector<Tensor>;

Tensor plus(const Tensors& x) {
  EXPECT_EQ(x[0].rank(), 0);
  return x[0] + x[1];
}

TEST(Vectorize, CallsTheFunctionForEachElement) {
  const auto add_elements = vectorize(&plus);
  const Tensor a = Tensor::from_data<float>({2, 1}, {1, 2});
  const Tensor b = Tensor::from_data<float>({3}, {10, 20, 30});
  const Tensor y = add_elements({a, b});
  EXPECT_EQ(y.shape(), Shape({2, 3}));
  EXPECT_EQ(y.to_vector(), (std::vector<double>{11, 21, 31, 12, 22, 32}));
  EXPECT_EQ(add_elements({Tensor::scalar(1.0F), Tensor::scalar(2.0F)}).item(), 3.0);
}

TEST(Vectorize, PassesTheAxesOfASignature) {
  const auto products = vectorize([](const Tensors& x) { return dot(x[0], x[1]); }, "(m,n),(n)->(m)");
  const Tensor matrices = Tensor::from_data<float>({2, 1, 2}, {1, 2, 3, 4});
  const Tensor vector = Tensor::from_data<float>({2}, {10, 1});
  EXPECT_EQ(products({matrices, vector}).shape(), Shape({2, 1}));
  EXPECT_EQ(products({matrices, vector}).to_vector(), (std::vector<double>{12, 34}));
}

TEST(Vectorize, GivesSeveralResults) {
  const auto extremes = vectorize([](const Tensors& x) { return Tensors{min(x[0]), max(x[0])}; }, "(n)->(),()");
  const Tensors both = extremes({Tensor::from_data<float>({2, 2}, {4, 1, 2, 3})});
  EXPECT_EQ(both[0].to_vector(), (std::vector<double>{1, 2}));
  EXPECT_EQ(both[1].to_vector(), (std::vector<double>{4, 3}));
}

TEST(Vectorize, RefusesWhatDoesNotFit) {
  const auto first = [](const Tensors& x) { return x[0]; };
  EXPECT_THROW(vectorize(first, "(n"), ValueError);
  EXPECT_THROW(vectorize(first, "(n),(n)->()")({Tensor::zeros({2})}), TypeError);
  EXPECT_THROW(vectorize(first, "(n),(n)->()")({Tensor::zeros({2}), Tensor::zeros({3})}), ValueError);
  EXPECT_THROW(vectorize(first, "(n)->()")({Tensor::zeros({2})}), ValueError);
  EXPECT_THROW(vectorize(first, "(n)->()")({Tensor::scalar(1.0F)}), ValueError);
}

}  // namespace
}  // namespace rhyton
