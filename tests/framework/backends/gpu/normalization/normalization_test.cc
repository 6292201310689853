#include <rhyton/framework/ops/normalization.h>

#include <gtest/gtest.h>

#include <vector>

#include <rhyton/tests/framework/backends/gpu/cpu_reference.h>

namespace rhyton::gpu {
namespace {

constexpr double epsilon = 1e-3;

struct Rows {
  Shape outer;
  Shape row;

  Shape shape() const { return outer.concatenate(row); }
};

/// Rows for a part of a warp, a warp, and a block that keeps them or reads them again.
std::vector<Rows> all_rows() {
  return {{{1}, {3}},    {{3}, {31}},   {{33}, {33}},  {{5}, {64}},    {{257}, {8}}, {{2, 3}, {4, 5}}, {{530}, {300}},
          {{2}, {1024}}, {{2}, {4096}}, {{2}, {5000}}, {{2000}, {10}}, {{}, {257}},  {{3000}, {16}}};
}

TEST(GpuNormalization, RowsAreNormalizedAsOnTheCpu) {
  for (const DType dtype : floating_dtypes) {
    for (const Rows& rows : all_rows()) {
      expect_as_on_cpu(LayerNormalizationOp(epsilon), {random_of(rows.shape(), dtype, 1, -2, 3),
                                                       random_of(rows.row, dtype, 2), random_of(rows.row, dtype, 3)});
    }
  }
}

TEST(GpuNormalization, TheGradientIsTheCpus) {
  for (const DType dtype : floating_dtypes) {
    for (const Rows& rows : all_rows()) {
      expect_as_on_cpu(
          LayerNormalizationInputGradOp(epsilon),
          {random_of(rows.shape(), dtype, 4), random_of(rows.shape(), dtype, 1, -2, 3), random_of(rows.row, dtype, 2)});
      expect_as_on_cpu(LayerNormalizationGradOp(epsilon),
                       {random_of(rows.shape(), dtype, 4, 0, 1), random_of(rows.shape(), dtype, 1, -2, 3),
                        random_of(rows.row, dtype, 2)});
    }
  }
}

TEST(GpuNormalization, TheParametersGradientsAreTheCpus) {
  for (const DType dtype : floating_dtypes) {
    for (const Rows& rows : all_rows()) {
      expect_as_on_cpu(LayerNormalizationParameterGradOp(epsilon, rows.row.rank()),
                       {random_of(rows.shape(), dtype, 4, 0, 1), random_of(rows.shape(), dtype, 1, -2, 3)});
    }
  }
}

TEST(GpuNormalization, ARowOfOneLengthOneGivesBeta) {
  const Tensor x = random_of({5, 1}, float32, 1);
  const Tensor row = Tensor::from_data<float>({1}, {0.25F});
  const std::vector<Tensor> y =
      run_kernel(LayerNormalizationOp(epsilon), std::vector<Tensor>{x, row, row}, test_stream());
  EXPECT_EQ(y[0].to_vector(), std::vector<double>(5, 0.25));
}

TEST(GpuNormalization, ALargeMeanDoesNotHideTheVariance) {
  for (const std::int64_t length : {31, 300, 5000}) {
    const Tensor x = random_of({3, length}, float32, 5, 1000, 1001);
    const Tensor ones = Tensor::full({length}, 1);
    const Tensor zeros = Tensor::zeros({length});
    const std::vector<Tensor> inputs = {x, ones, zeros};
    const Tensor y = run_kernel(LayerNormalizationOp(epsilon), inputs, test_stream())[0];
    expect_close(y, run_on_cpu(LayerNormalizationOp(epsilon), inputs)[0], 5e-4);
  }
}

TEST(GpuNormalization, NoRowsHaveGradientsOfZero) {
  for (const DType dtype : floating_dtypes) {
    const Tensor none = Tensor::zeros({0, 5}, dtype);
    const Tensor row = Tensor::zeros({5}, dtype);
    expect_as_on_cpu(LayerNormalizationOp(epsilon), {none, row, row});
    expect_as_on_cpu(LayerNormalizationGradOp(epsilon), {none, none, row});
    expect_as_on_cpu(LayerNormalizationInputGradOp(epsilon), {none, none, row});
    expect_as_on_cpu(LayerNormalizationParameterGradOp(epsilon, 1), {none, none});
  }
}

}  // namespace
}  // namespace rhyton::gpu
