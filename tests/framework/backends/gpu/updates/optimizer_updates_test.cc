#include <rhyton/framework/ops/optimizer_updates.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <rhyton/framework/backends/gpu/updates/grouped_updates.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/tests/framework/backends/gpu/run_kernel.h>
#include <rhyton/tests/framework/backends/gpu/test_stream.h>
#include <rhyton/tests/support/random_tensor.h>
#include <rhyton/tests/support/tensor_distance.h>

namespace rhyton::gpu::optimizer_updates_tests {
namespace {

using UpdatePtr = std::shared_ptr<const OptimizerUpdateOp>;

std::vector<UpdatePtr> all_updates() {
  std::vector<UpdatePtr> all = {
      std::make_shared<const SgdUpdateOp>(),
      std::make_shared<const SgdMomentumUpdateOp>(0.9),
      std::make_shared<const SgdMomentumUpdateOp>(0.5, true),
      std::make_shared<const AdamUpdateOp>(),
      std::make_shared<const AdamUpdateOp>(AdamAttributes{.beta_1 = 0.5, .beta_2 = 0.9, .epsilon = 1e-3}, true),
      std::make_shared<const AdamUpdateOp>(AdamAttributes{}, false, 0.25)};
  all.push_back(std::make_shared<const AdadeltaUpdateOp>());
  all.push_back(std::make_shared<const AdagradUpdateOp>());
  all.push_back(std::make_shared<const AdamaxUpdateOp>());
  all.push_back(std::make_shared<const FtrlUpdateOp>());
  all.push_back(std::make_shared<const FtrlUpdateOp>(FtrlAttributes{.learning_rate_power = -0.7,
                                                                    .l1_regularization_strength = 0.5,
                                                                    .l2_regularization_strength = 0.1,
                                                                    .l2_shrinkage_regularization_strength = 0.2,
                                                                    .beta = 0.3}));
  // Rates of which no sum is near 0, where rounding would decide about the sign.
  all.push_back(std::make_shared<const LionUpdateOp>(LionAttributes{.beta_1 = 0.75, .beta_2 = 0.5}));
  all.push_back(std::make_shared<const NadamUpdateOp>(AdamAttributes{.beta_1 = 0.75, .beta_2 = 0.5}));
  all.push_back(std::make_shared<const ScheduleFreeAdamWUpdateOp>(
      ScheduleFreeAttributes{.beta_1 = 0.75, .beta_2 = 0.5, .warmup_steps = 10}));
  for (const double momentum : {0.0, 0.7}) {
    for (const bool centered : {false, true}) {
      all.push_back(std::make_shared<const RMSpropUpdateOp>(
          RMSpropAttributes{.rho = 0.8, .momentum = momentum, .epsilon = 1e-3, .centered = centered}));
    }
  }
  return all;
}

std::vector<DType> all_dtypes() { return {float32, float64, float16, bfloat16}; }

double tolerance(DType dtype) {
  switch (dtype) {
    case DType::float64:
      return 1e-12;
    case DType::float16:
      return 2e-3;
    case DType::bfloat16:
      return 2e-2;
    default:
      return 1e-5;
  }
}

/// The variable, its non-negative slots, the gradient and the scalars.
std::vector<Tensor> inputs_of(const OptimizerUpdateOp& op, const Shape& shape, DType dtype, std::int64_t iterations,
                              DType rate_dtype, std::uint64_t seed = 1) {
  std::vector<Tensor> inputs = {test::random_tensor(shape, seed, -1, 1, float64).cast(dtype)};
  const auto slots = static_cast<std::uint64_t>(op.slots());
  for (std::uint64_t i = 1; i <= slots; ++i) {
    // Large enough for a centered RMSprop to have a variance.
    const bool is_average = i == slots && op.name() == "RMSpropUpdate" && i > 1;
    inputs.push_back(
        test::random_tensor(shape, seed + i, is_average ? 0.0 : 0.5, is_average ? 0.2 : 1, float64).cast(dtype));
  }
  inputs.push_back(test::random_tensor(shape, seed + 100, -1, 1, float64).cast(dtype));
  inputs.push_back(Tensor::full({}, 0.015625, rate_dtype));
  if (op.takes_iterations()) inputs.push_back(Tensor::scalar<std::int64_t>(iterations));
  if (op.takes_product()) inputs.push_back(Tensor::full({}, 0.25, dtype));
  return inputs;
}

void expect_close(const Tensor& actual, const Tensor& expected, double error) {
  ASSERT_EQ(actual.shape(), expected.shape());
  const std::vector<double> values = actual.to_vector();
  const std::vector<double> exact = expected.to_vector();
  double largest = 0;
  for (const double value : exact) largest = std::max(largest, std::abs(value));
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_NEAR(values[i], exact[i], error * largest) << i;
}

TEST(GpuOptimizerUpdates, AgreeWithTheCpu) {
  for (const UpdatePtr& op : all_updates()) {
    for (const DType dtype : all_dtypes()) {
      for (const Shape& shape : std::vector<Shape>{{}, {3}, {31, 33}, {257}, {4096}, {0}}) {
        for (const std::int64_t iterations : {0, 1, 1000}) {
          SCOPED_TRACE(std::string(op->name()) + " " + op->attributes() + " " + std::string(name_of(dtype)) + " " +
                       shape.to_string() + " step " + std::to_string(iterations));
          const std::vector<Tensor> inputs = inputs_of(*op, shape, dtype, iterations, dtype);
          const std::vector<Tensor> actual = run_kernel(*op, inputs, test_stream());
          std::vector<Tensor> wide = inputs;
          for (Tensor& input : wide) {
            if (input.dtype() == dtype) input = input.cast(float64);
          }
          const std::vector<Tensor> expected = rhyton::apply(op, wide);
          ASSERT_EQ(actual.size(), expected.size());
          // 1 - beta_2 is computed in the variable's precision, in which 0.999 is not exact.
          const double of_rate = op->takes_iterations() && dtype != float64 ? 1e-6 : 0;
          for (std::size_t i = 0; i < actual.size(); ++i) {
            EXPECT_EQ(actual[i].dtype(), dtype);
            expect_close(actual[i], expected[i], tolerance(dtype) + of_rate);
          }
          EXPECT_TRUE(test::same_bits(run_kernel(*op, inputs, test_stream()), actual));
        }
      }
    }
  }
}

TEST(GpuOptimizerUpdates, AreThoseOfTheCpuInTheSamePrecision) {
  for (const UpdatePtr& op : all_updates()) {
    for (const std::int64_t iterations : {0, 7, 100000}) {
      const std::vector<Tensor> inputs = inputs_of(*op, {33, 31}, float32, iterations, float32);
      const std::vector<Tensor> actual = run_kernel(*op, inputs, test_stream());
      const std::vector<Tensor> expected = rhyton::apply(op, inputs);
      for (std::size_t i = 0; i < actual.size(); ++i) expect_close(actual[i], expected[i], 5e-7);
    }
  }
}

TEST(GpuOptimizerUpdates, TakeALearningRateOfFloat32) {
  for (const DType dtype : all_dtypes()) {
    const AdamUpdateOp op;
    const std::vector<Tensor> own = inputs_of(op, {40}, dtype, 3, dtype);
    const std::vector<Tensor> single = inputs_of(op, {40}, dtype, 3, float32);
    EXPECT_TRUE(test::same_bits(run_kernel(op, own, test_stream()), run_kernel(op, single, test_stream())));
  }
}

TEST(GpuLambDirection, AgreesWithTheCpu) {
  for (const DType dtype : all_dtypes()) {
    for (const Shape& shape : std::vector<Shape>{{}, {3}, {31, 33}, {1024}, {5, 1000}, {0}}) {
      SCOPED_TRACE(std::string(name_of(dtype)) + " " + shape.to_string());
      const auto op = std::make_shared<const LambDirectionOp>(AdamAttributes{.beta_1 = 0.75, .beta_2 = 0.5});
      std::vector<Tensor> inputs = inputs_of(NadamUpdateOp(), shape, dtype, 12, dtype);
      inputs.erase(inputs.begin() + 4);  // the learning rate
      inputs.resize(5);
      const std::vector<Tensor> actual = run_kernel(*op, inputs, test_stream());
      std::vector<Tensor> wide = inputs;
      for (Tensor& input : wide) {
        if (input.dtype() == dtype) input = input.cast(float64);
      }
      const std::vector<Tensor> expected = rhyton::apply(op, wide);
      ASSERT_EQ(actual.size(), expected.size());
      for (std::size_t i = 0; i < actual.size(); ++i) expect_close(actual[i], expected[i], tolerance(dtype));
    }
  }
}

/// In-place updates of variables in the GPU's memory, which share the learning rate and the step count.
class Group {
 public:
  Group(const OptimizerUpdateOp& op, const std::vector<Shape>& shapes, DType dtype) : op_(op) {
    std::vector<Tensor> tensors = inputs_of(op, {}, dtype, 12, float32);
    const std::size_t renewed = static_cast<std::size_t>(op.slots()) + 1;
    std::vector<TensorView> scalars;
    for (std::size_t i = renewed + 1; i < tensors.size(); ++i) scalars.push_back(on_device(tensors[i]));
    for (std::size_t k = 0; k < shapes.size(); ++k) {
      tensors = inputs_of(op, shapes[k], dtype, 12, float32, 10 * k);
      Views& views = views_.emplace_back();
      for (std::size_t i = 0; i <= renewed; ++i) views.inputs.push_back(on_device(tensors[i]));
      views.outputs.assign(views.inputs.begin(), views.inputs.begin() + static_cast<std::ptrdiff_t>(renewed));
      views.inputs.insert(views.inputs.end(), scalars.begin(), scalars.end());
    }
  }

  std::vector<KernelArguments> calls() const {
    std::vector<KernelArguments> all;
    for (const Views& views : views_) {
      all.push_back({.op = &op_, .stream = &test_stream(), .inputs = views.inputs, .outputs = views.outputs});
    }
    return all;
  }

  std::vector<Tensor> results() const {
    std::vector<Tensor> all;
    for (const Views& views : views_) {
      for (const TensorView& view : views.outputs) {
        Tensor tensor = Tensor::uninitialized(view.spec.shape, view.spec.dtype);
        test_stream().copy_to_host(tensor.mutable_raw_data(), view.data, view.spec.bytes());
        all.push_back(tensor);
      }
    }
    return all;
  }

 private:
  struct Views {
    std::vector<TensorView> inputs;
    std::vector<TensorView> outputs;
  };

  TensorView on_device(const Tensor& tensor) {
    blocks_.emplace_back(tensor.spec().bytes());
    test_stream().copy_from_host(blocks_.back().data(), tensor.raw_data(), tensor.spec().bytes());
    return {blocks_.back().data(), tensor.spec()};
  }

  const OptimizerUpdateOp& op_;
  std::vector<DeviceBlock> blocks_;
  std::vector<Views> views_;
};

TEST(GpuGroupedUpdates, GiveTheBitsOfSingleOnes) {
  // More variables than one launch takes, of all sizes.
  std::vector<Shape> shapes = {{3000}, {}, {0}, {7, 3}};
  for (std::int64_t i = 1; i < 110; ++i) shapes.push_back({i});
  for (const UpdatePtr& op : all_updates()) {
    for (const DType dtype : {float32, float16}) {
      const Group single(*op, shapes, dtype);
      for (const KernelArguments& call : single.calls()) gpu_kernels().find(op->name(), dtype)->run(call);
      const Group grouped(*op, shapes, dtype);
      run_grouped_updates(test_stream(), grouped.calls());
      EXPECT_TRUE(test::same_bits(grouped.results(), single.results())) << op->name() << " " << name_of(dtype);
    }
  }
}

TEST(GpuGroupedUpdates, AreForCallsThatShareAttributesAndScalars) {
  const AdamUpdateOp op;
  const AdamUpdateOp other({.beta_1 = 0.8});
  const Group group(op, {{3}, {4}}, float32);
  const Group elsewhere(op, {{3}}, float32);
  const Group narrow(op, {{3}}, float16);
  const Group differs(other, {{3}}, float32);
  EXPECT_TRUE(can_share_launch(group.calls()[0], group.calls()[1]));
  EXPECT_FALSE(can_share_launch(group.calls()[0], elsewhere.calls()[0]));
  EXPECT_FALSE(can_share_launch(group.calls()[0], narrow.calls()[0]));
  EXPECT_FALSE(can_share_launch(group.calls()[0], differs.calls()[0]));
}

}  // namespace
}  // namespace rhyton::gpu::optimizer_updates_tests
