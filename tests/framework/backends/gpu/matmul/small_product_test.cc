#include <rhyton/framework/backends/gpu/matmul/small_product.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/tests/framework/backends/gpu/matmul/product_checks.h>
#include <rhyton/tests/framework/backends/gpu/run_kernel.h>
#include <rhyton/tests/framework/backends/gpu/test_stream.h>
#include <rhyton/tests/support/tensor_distance.h>
#ifdef RHYTON_CUDA_EMULATION
#include <rhyton/tests/cuda_emulation/cublas_lt_emulation.h>
#include <rhyton/tests/cuda_emulation/emulator.h>
#endif

namespace rhyton::gpu::matmul_tests {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// The kind of a product, and what is done with its results.
struct Form {
  DType dtype = float32;
  bool transpose_a = false;
  bool transpose_b = false;
  bool adds_bias = false;
  bool is_rectified = false;

  std::string to_string() const {
    return std::string(name_of(dtype)) + (transpose_a ? " a^T" : "") + (transpose_b ? " b^T" : "") +
           (adds_bias ? " bias" : "") + (is_rectified ? " relu" : "");
  }
};

std::vector<Form> all_forms() {
  std::vector<Form> forms;
  for_each_kind([&](DType dtype, bool transpose_a, bool transpose_b) {
    for (const bool adds_bias : {false, true}) {
      for (const bool is_rectified : {false, true}) {
        forms.push_back({dtype, transpose_a, transpose_b, adds_bias, is_rectified});
      }
    }
  });
  return forms;
}

/// `count` products, or one if `count` is empty.
struct Operands {
  Form form;
  Tensor a;
  Tensor b;
  Tensor bias;

  Operands(const Form& form_, const Lengths& lengths, const Shape& count = {})
      : form(form_),
        a(random_of(stored(count.concatenate({lengths.rows, lengths.depth}), form.transpose_a), form.dtype, 1)),
        b(random_of(stored(count.concatenate({lengths.depth, lengths.columns}), form.transpose_b), form.dtype, 2)),
        bias(random_of({lengths.columns}, form.dtype, 3)) {}

  MatrixProduct product() const {
    MatrixProduct product = {.dtype = form.dtype,
                             .transpose_a = form.transpose_a,
                             .transpose_b = form.transpose_b,
                             .rows = a.shape().at(form.transpose_a ? -1 : -2),
                             .columns = bias.shape()[0],
                             .depth = a.shape().at(form.transpose_a ? -2 : -1)};
    if (a.rank() == 2) return product;
    product.count = a.shape()[0];
    product.a_stride = product.rows * product.depth;
    product.b_stride = product.depth * product.columns;
    product.c_stride = product.rows * product.columns;
    return product;
  }

  Tensor expected() const {
    Tensor c = expected_of(make_op<MatMulOp>(form.transpose_a, form.transpose_b), {a, b});
    if (form.adds_bias) c = add(c, bias.cast(float64));
    return form.is_rectified ? relu(c) : c;
  }
};

/// Memory of the GPU whose contents begin `offset` elements after an address that is aligned for packs.
class Placed {
 public:
  Placed(const TensorSpec& spec, std::int64_t offset)
      : bytes_before_(static_cast<std::size_t>(offset) * size_of(spec.dtype)), block_(bytes_before_ + spec.bytes()) {}
  Placed(const Tensor& tensor, std::int64_t offset) : Placed(tensor.spec(), offset) {
    test_stream().copy_from_host(data(), tensor.raw_data(), tensor.spec().bytes());
  }

  void* data() const { return static_cast<std::byte*>(block_.data()) + bytes_before_; }

 private:
  std::size_t bytes_before_;
  DeviceBlock block_;
};

Tensor computed(const Operands& operands, std::int64_t offset = 0) {
  const MatrixProduct product = operands.product();
  EXPECT_TRUE(is_small(product));
  const Placed a(operands.a, offset);
  const Placed b(operands.b, offset);
  const Placed bias(operands.bias, offset);
  Tensor result = Tensor::uninitialized(operands.a.rank() == 2 ? Shape{product.rows, product.columns}
                                                               : Shape{product.count, product.rows, product.columns},
                                        product.dtype);
  const Placed c(result.spec(), offset);
  small_product(test_stream(), product,
                {.a = a.data(), .b = b.data(), .bias = operands.form.adds_bias ? bias.data() : nullptr, .c = c.data()},
                operands.form.is_rectified);
  test_stream().copy_to_host(result.mutable_raw_data(), c.data(), result.spec().bytes());
  return result;
}

void check_small(const Operands& operands) {
  SCOPED_TRACE(operands.form.to_string() + " " + operands.a.shape().to_string() + " " + operands.b.shape().to_string());
  expect_close(computed(operands), operands.expected(), tolerance(operands.form.dtype));
}

constexpr std::array<std::int64_t, 7> odd_lengths = {1, 3, 17, 63, 64, 65, 130};

TEST(SmallProduct, TakesAllCombinationsOfLengths) {
  // The forms take turns.
  const std::vector<Form> forms = all_forms();
  std::size_t turn = 0;
  for (const std::int64_t rows : odd_lengths) {
    for (const std::int64_t depth : odd_lengths) {
      for (const std::int64_t columns : odd_lengths) {
        check_small(Operands(forms[turn++ % forms.size()], {rows, depth, columns}));
      }
    }
  }
}

TEST(SmallProduct, TakesEachLengthInAllForms) {
  for (const Form& form : all_forms()) {
    for (const std::int64_t length : odd_lengths) {
      check_small(Operands(form, {length, 20, 12}));
      check_small(Operands(form, {12, length, 20}));
      check_small(Operands(form, {20, 12, length}));
    }
  }
}

TEST(SmallProduct, TakesDeepProductsInSeveralSteps) {
  for (const Form& form : all_forms()) {
    check_small(Operands(form, {16, 576, 8}));
    check_small(Operands(form, {3, 1023, 9}));
  }
}

TEST(SmallProduct, TakesProductsWithATileForEachMultiprocessor) {
  for_each_kind([](DType dtype, bool transpose_a, bool transpose_b) {
    check_small(Operands({dtype, transpose_a, transpose_b, true, true}, {189, 35, 190}));
    check_small(Operands({dtype, transpose_a, transpose_b}, {192, 8, 192}));
  });
  // Deeper than the most warps of a block take in one step.
  check_small(Operands({.dtype = float64}, {180, 233, 180}));
}

TEST(SmallProduct, TakesBatches) {
  for_each_kind([](DType dtype, bool transpose_a, bool transpose_b) {
    check_small(Operands({dtype, transpose_a, transpose_b}, {9, 10, 11}, {5}));
    check_small(Operands({dtype, transpose_a, transpose_b, true, true}, {17, 8, 20}, {36}));
  });
}

TEST(SmallProduct, HasTheSameBitsEveryTimeAndAtOddAddresses) {
  for (const Form& form : all_forms()) {
    for (const Lengths& lengths : {Lengths{20, 132, 24}, Lengths{3, 520, 9}, Lengths{180, 12, 192}}) {
      SCOPED_TRACE(form.to_string() + " depth " + std::to_string(lengths.depth));
      const Operands operands(form, lengths);
      const Tensor result = computed(operands);
      EXPECT_TRUE(test::same_bits(computed(operands), result));
      EXPECT_TRUE(test::same_bits(computed(operands, 1), result));
    }
  }
}

TEST(SmallProduct, NaNReachesTheResultsThatItBelongsToAndStaysNaN) {
  for (const DType dtype : all_dtypes()) {
    for (const bool is_rectified : {false, true}) {
      Operands operands({.dtype = dtype, .adds_bias = true, .is_rectified = is_rectified}, {9, 6, 10});
      std::vector<double> a = operands.a.to_vector();
      a[4 * 6 + 5] = not_a_number;
      operands.a = Tensor::from_data(operands.a.shape(), a).cast(dtype);
      std::vector<double> bias = operands.bias.to_vector();
      bias[8] = not_a_number;
      operands.bias = Tensor::from_data(operands.bias.shape(), bias).cast(dtype);
      const Tensor expected = operands.expected();
      for (std::int64_t row = 0; row < 9; ++row) {
        for (std::int64_t column = 0; column < 10; ++column) {
          const double value = expected.to_vector()[static_cast<std::size_t>(row * 10 + column)];
          ASSERT_EQ(std::isnan(value), row == 4 || column == 8);
        }
      }
      check_small(operands);
    }
  }
}

TEST(SmallProduct, IsComputedInFullFloat32) {
  const Operands operands({}, {64, 64, 64});
  const TensorFloat32 fast(true);
  expect_close(computed(operands), operands.expected(), 1e-6);
}

TEST(SmallProduct, IsAMatterOfTheLengthsAlone) {
  // The products of a small classifier's training step.
  for (const Lengths& lengths :
       {Lengths{64, 576, 64}, Lengths{64, 64, 10}, Lengths{64, 10, 64}, Lengths{64, 64, 576}, Lengths{576, 64, 64}}) {
    EXPECT_TRUE(is_small({.rows = lengths.rows, .columns = lengths.columns, .depth = lengths.depth}));
  }
  EXPECT_TRUE(is_small({.rows = 1, .columns = 1, .depth = 1024}));
  EXPECT_FALSE(is_small({.rows = 1, .columns = 1, .depth = 1025}));
  EXPECT_TRUE(is_small({.rows = 256, .columns = 512, .depth = 64}));
  EXPECT_FALSE(is_small({.rows = 256, .columns = 512, .depth = 65}));
  EXPECT_FALSE(is_small({.rows = 256, .columns = 513, .depth = 1}));
  EXPECT_TRUE(is_small({.rows = 8, .columns = 8, .depth = 8, .count = 2048}));
  EXPECT_FALSE(is_small({.rows = 8, .columns = 8, .depth = 8, .count = 2049}));
  // One result costs a whole block.
  EXPECT_FALSE(is_small({.rows = 1, .columns = 1, .depth = 8, .count = 2049}));
  constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  EXPECT_FALSE(is_small({.rows = huge, .columns = huge, .depth = huge, .count = huge}));
}

#ifdef RHYTON_CUDA_EMULATION
TEST(SmallProduct, IsOneLaunchWithoutTheLibrary) {
  for (const DType dtype : all_dtypes()) {
    const Tensor a = random_of({64, 36}, dtype, 1);
    const Tensor b = random_of({36, 10}, dtype, 2);
    const Tensor bias = random_of({10}, dtype, 3);
    const auto library = cuda_emulation::cublas_lt_counters();
    const std::int64_t before = cuda_emulation::counters().kernels_launched;
    on_gpu(FusedMatMulOp(Epilogue::relu), {a, b, bias});
    EXPECT_EQ(cuda_emulation::counters().kernels_launched - before, 1);
    on_gpu(FusedMatMulOp(Epilogue::none), {a, b, bias});
    on_gpu(MatMulOp(), {a, b});
    on_gpu(MatMulKernelGradientOp(), {a, random_of({64, 10}, dtype, 4)});
    EXPECT_EQ(cuda_emulation::counters().kernels_launched - before, 4);
    EXPECT_EQ(cuda_emulation::cublas_lt_counters().heuristics, library.heuristics);
    EXPECT_EQ(cuda_emulation::cublas_lt_counters().products, library.products);
  }
}
#endif

}  // namespace
}  // namespace rhyton::gpu::matmul_tests
