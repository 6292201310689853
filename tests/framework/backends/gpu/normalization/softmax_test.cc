#include <rhyton/framework/ops/softmax.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/tests/framework/backends/gpu/cpu_reference.h>

namespace rhyton::gpu::softmax_tests {
namespace {

OpPtr softmax_op() {
  return op_of([] { softmax(Tensor::zeros({1, 1})); });
}
OpPtr log_softmax_op() {
  return op_of([] { log_softmax(Tensor::zeros({1, 1})); });
}
OpPtr cross_entropy_op() {
  return op_of([] { sparse_softmax_cross_entropy_with_logits(Tensor::zeros({1}, int32), Tensor::zeros({1, 1})); });
}

/// Rows for a part of a warp, a warp, and a block that keeps them or reads them again.
std::vector<Shape> shapes() {
  return {{1},      {1, 1},     {33},        {7, 3},    {64, 10},  {3, 31},   {5, 32},      {5, 33},
          {3, 257}, {530, 300}, {530, 1000}, {2, 1000}, {2, 4096}, {2, 5000}, {2, 3, 5, 10}};
}

TEST(GpuSoftmax, IsTheCpusForRowsOfEachLength) {
  for (const DType dtype : floating_dtypes) {
    for (const Shape& shape : shapes()) {
      const Tensor x = random_of(shape, dtype, 1, -8, 8);
      expect_as_on_cpu(*softmax_op(), {x});
      expect_as_on_cpu(*log_softmax_op(), {x});
    }
  }
}

TEST(GpuSoftmax, NothingIsWrittenForNoRowsOrNoClasses) {
  for (const Shape& shape : {Shape{0}, Shape{0, 3}, Shape{3, 0}}) {
    EXPECT_EQ(run_kernel(*softmax_op(), std::vector<Tensor>{Tensor::zeros(shape)}, test_stream())[0].shape(), shape);
    EXPECT_EQ(run_kernel(*log_softmax_op(), std::vector<Tensor>{Tensor::zeros(shape)}, test_stream())[0].shape(),
              shape);
  }
}

TEST(GpuSoftmax, LargeNumbersDoNotOverflow) {
  for (const DType dtype : floating_dtypes) {
    const Tensor x = Tensor::from_data<double>({2, 3}, {10000, 9999, -10000, -60000, -60000, -60000}).cast(dtype);
    expect_as_on_cpu(*softmax_op(), {x});
    expect_as_on_cpu(*log_softmax_op(), {x});
  }
}

TEST(GpuSoftmax, NanAndInfinitiesSpoilTheirRowsOnly) {
  for (const std::int64_t length : {4, 40, 300, 5000}) {
    std::vector<double> values(static_cast<std::size_t>(5 * length), 0.5);
    values[1] = nan;
    values[static_cast<std::size_t>(length) + 2] = infinity;
    values[static_cast<std::size_t>(2 * length) + 3] = -infinity;
    for (std::int64_t i = 3 * length; i < 4 * length; ++i) values[static_cast<std::size_t>(i)] = -infinity;
    const Tensor x = Tensor::from_data<double>({5, length}, values);
    expect_as_on_cpu(*softmax_op(), {x});
    expect_as_on_cpu(*softmax_op(), {x.cast(float32)});
    const std::vector<double> y = run_kernel(*softmax_op(), std::vector<Tensor>{x}, test_stream())[0].to_vector();
    EXPECT_TRUE(std::isnan(y[0]));
    EXPECT_EQ(y[static_cast<std::size_t>(2 * length) + 3], 0.0);
    EXPECT_TRUE(std::isnan(y[static_cast<std::size_t>(3 * length)]));
    EXPECT_NEAR(y.back(), 1.0 / static_cast<double>(length), 1e-15);
  }
}

TEST(GpuSoftmax, CrossEntropyIsTheCpusForLabelsOfEachDtype) {
  for (const DType dtype : floating_dtypes) {
    for (const DType label_dtype : {int32, int64, uint8}) {
      for (const Shape& shape : shapes()) {
        const double classes = std::min(255.0, static_cast<double>(shape.at(-1)));
        const Tensor labels = random_of(shape.slice(0, shape.rank() - 1), label_dtype, 2, 0, classes);
        expect_as_on_cpu(*cross_entropy_op(), {random_of(shape, dtype, 3, -8, 8), labels});
      }
    }
  }
}

TEST(GpuSoftmax, NoSamplesHaveNoCrossEntropy) {
  const std::vector<Tensor> inputs = {Tensor::zeros({0, 10}), Tensor::zeros({0}, int32)};
  EXPECT_EQ(run_kernel(*cross_entropy_op(), inputs, test_stream())[0].shape(), Shape({0}));
}

TEST(GpuSoftmax, ALabelOutOfRangeIsReportedByTheNextCopy) {
  for (const std::int64_t label : {-1, 10, 1 << 30}) {
    const std::vector<Tensor> inputs = {random_of({3, 10}, float32, 4),
                                        Tensor::from_data<std::int64_t>({3}, {1, label, 2})};
    try {
      run_kernel(*cross_entropy_op(), inputs, test_stream());
      ADD_FAILURE() << "label " << label << " was taken";
    } catch (const InvalidArgumentError& error) {
      EXPECT_NE(std::string(error.what())
                    .find("label value of " + std::to_string(label) + " which is outside the valid range of [0, 10)"),
                std::string::npos)
          << error.what();
    }
  }
}

TEST(GpuSoftmax, ALabelOutOfRangeGivesTheLossNanAndLeavesTheOthers) {
  const std::vector<Tensor> inputs = {random_of({3, 10}, float32, 5), Tensor::from_data<std::int32_t>({3}, {1, 10, 2})};
  const std::vector<Tensor> good = {inputs[0], Tensor::from_data<std::int32_t>({3}, {1, 0, 2})};
  const OpPtr cross_entropy = cross_entropy_op();
  const Op& op = *cross_entropy;
  const std::vector<TensorSpec> output_specs = op.infer(std::vector<TensorSpec>{inputs[0].spec(), inputs[1].spec()});
  GpuStream& stream = test_stream();
  const DeviceBlock logits(inputs[0].spec().bytes());
  const DeviceBlock labels(inputs[1].spec().bytes());
  const DeviceBlock loss(output_specs[0].bytes());
  const DeviceBlock probabilities(output_specs[1].bytes());
  stream.copy_from_host(logits.data(), inputs[0].raw_data(), inputs[0].spec().bytes());
  stream.copy_from_host(labels.data(), inputs[1].raw_data(), inputs[1].spec().bytes());
  const std::vector<TensorView> input_views = {{logits.data(), inputs[0].spec()}, {labels.data(), inputs[1].spec()}};
  const std::vector<TensorView> output_views = {{loss.data(), output_specs[0]},
                                                {probabilities.data(), output_specs[1]}};
  gpu_kernels()
      .get(op, std::vector<TensorSpec>{inputs[0].spec(), inputs[1].spec()})
      .run({.op = &op, .stream = &stream, .inputs = input_views, .outputs = output_views});
  EXPECT_THROW(stream.synchronize(), InvalidArgumentError);

  Tensor actual = Tensor::zeros({3});
  stream.copy_to_host(actual.mutable_raw_data(), loss.data(), output_specs[0].bytes());
  const std::vector<double> losses = actual.to_vector();
  const std::vector<double> expected = run_on_cpu(op, good)[0].to_vector();
  EXPECT_NEAR(losses[0], expected[0], 1e-5);
  EXPECT_TRUE(std::isnan(losses[1]));
  EXPECT_NEAR(losses[2], expected[2], 1e-5);
}

}  // namespace
}  // namespace rhyton::gpu::softmax_tests
