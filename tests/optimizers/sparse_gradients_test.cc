// Gradients that are sums of slices, as real Keras applies tf.IndexedSlices.

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/graph/executable.h>
#include <rhyton/framework/graph/tracing.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/gather.h>
#include <rhyton/framework/ops/indexed_slices.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/optimizers/adam.h>
#include <rhyton/optimizers/loss_scale_optimizer.h>
#include <rhyton/optimizers/optimizer.h>
#include <rhyton/optimizers/sgd.h>
#include <rhyton/tests/optimizers/golden.h>
#include <rhyton/tests/optimizers/golden_optimizer.h>
#include <rhyton/tests/support/tensor_distance.h>

namespace rhyton::optimizers {
namespace {

const test::GoldenArea& sparse_area() {
  static const test::GoldenArea area("sparse_gradients");
  return area;
}

/// The gradient of a table by two lookups, the first of four rows.
SparseGradient in_two_lookups(const Tensor& values, const Tensor& indices, const Tensor& table) {
  const std::int64_t count = indices.shape()[0];
  std::vector<IndexedSlices> slices{{values.slice(0, 4), indices.slice(0, 4)},
                                    {values.slice(4, count), indices.slice(4, count)}};
  return {.sum = sum_of_slices(slices, table), .slices = slices};
}

/// The floating variables of an optimizer, one after the other.
Tensor state_of(const Optimizer& optimizer) {
  std::vector<float> state;
  for (const Variable& variable : optimizer.variables()) {
    if (!is_floating(variable.dtype())) continue;
    for (const double value : variable.value().to_vector()) state.push_back(static_cast<float>(value));
  }
  return Tensor::from_data({static_cast<std::int64_t>(state.size())}, state);
}

TEST(SparseGradients, StepsAreThoseOfKeras) {
  const test::GoldenArea& area = sparse_area();
  const io::Json& inputs = area.find("inputs");
  const Tensor indices = area.array(inputs, "indices");
  const Tensor values = area.array(inputs, "values");
  std::size_t compared = 0;
  for (const io::Json& golden : area.cases()) {
    if (golden.find("kind") == nullptr || golden["kind"].as_string() != "steps") continue;
    SCOPED_TRACE(golden["name"].as_string());
    const Variable table(area.array(inputs, "initial0"), {.name = "embeddings"});
    const Variable kernel(area.array(inputs, "initial1"), {.name = "kernel"});
    const Optimizer optimizer = test::make_optimizer(golden);
    std::int64_t kept = 0;
    for (std::int64_t step = 0; step < inputs["steps"].as_int(); ++step) {
      std::vector<SparseGradient> gradients{in_two_lookups(values[step], indices[step], table.value()),
                                            {.sum = area.array(inputs, "kernel_gradients")[step]}};
      optimizer.apply(gradients, {table, kernel});
      if (kept == static_cast<std::int64_t>(inputs["kept"].size())) continue;
      if (step != inputs["kept"][static_cast<std::size_t>(kept)].as_int()) continue;
      SCOPED_TRACE("step " + std::to_string(step));
      test::expect_close(table.value(), area.array(golden, "trajectory0")[kept], 5e-6, 2e-6);
      test::expect_close(kernel.value(), area.array(golden, "trajectory1")[kept], 5e-6, 2e-6);
      ++kept;
    }
    ++compared;
    // A LossScaleOptimizer in Keras does not list the product of a Nadam.
    if (golden["name"].as_string().starts_with("nadam/loss_scale")) continue;
    test::expect_close(state_of(optimizer), area.array(golden, "state"), 1e-5, 1e-6);
  }
  EXPECT_GT(compared, 200U);
}

/// A custom optimizer that is not linear in the gradient, and says nothing of slices.
class Signs : public OptimizerImpl {
 public:
  explicit Signs(const OptimizerOptions& options = {.learning_rate = 1.0}) : OptimizerImpl("Signs", options) {}
  void update_step(const Tensor& gradient, const Variable& variable, const Tensor& learning_rate) override {
    variable.assign(variable.value() - learning_rate * sign(gradient));
  }
};

/// The same, which takes the sum of slices.
class SignsOfSums final : public Signs {
 public:
  SliceMoment slice_moment(const Variable& /*variable*/) const override { return SliceMoment::none; }
};

struct OneRow {
  Variable table{Tensor::zeros({2, 1}), {.name = "embeddings", .path = "words/embeddings"}};
  /// 3 and -1 for row 1.
  std::vector<SparseGradient> gradient() const {
    const std::vector<IndexedSlices> slices{
        {Tensor::from_data<float>({2, 1}, {3, -1}), Tensor::from_data<std::int32_t>({2}, {1, 1})}};
    return {{.sum = sum_of_slices(slices, table.value()), .slices = slices}};
  }
};

TEST(SparseGradients, ACustomOptimizerSaysWhetherItTakesSlices) {
  const OneRow row;
  const Optimizer silent = optimizers::make_optimizer<Signs>(OptimizerOptions{.learning_rate = 1.0, .name = "signs"});
  EXPECT_EQ(test::message_of<NotImplementedError>([&] { silent.apply(row.gradient(), {row.table}); }),
            "Optimizer 'signs' (Signs) has no update by slices, but the gradient of variable 'words/embeddings' is a "
            "sum of slices, of lookups of its rows. Override `slice_moment`, or train without "
            "`sparse_embedding_gradients`.");
  optimizers::make_optimizer<SignsOfSums>().apply(row.gradient(), {row.table});
  EXPECT_EQ(row.table.value().to_vector(), (std::vector<double>{0, -1}));
}

TEST(SparseGradients, AccumulatedGradientsAreSums) {
  const OneRow row;
  const Optimizer silent =
      optimizers::make_optimizer<Signs>(OptimizerOptions{.learning_rate = 1.0, .gradient_accumulation_steps = 2});
  silent.apply(row.gradient(), {row.table});
  silent.apply(row.gradient(), {row.table});
  EXPECT_EQ(row.table.value().to_vector(), (std::vector<double>{0, -1}));
}

TEST(SparseGradients, CannotBeDividedByALossScaleFactor) {
  const OneRow row;
  const Adam adam({.loss_scale_factor = 2.0});
  EXPECT_EQ(test::message_of<TypeError>([&] { adam.apply(row.gradient(), {row.table}); }),
            "The gradient of variable 'words/embeddings' is a sum of slices, which cannot be divided by "
            "`loss_scale_factor`, as in Keras on TensorFlow. Use a LossScaleOptimizer, or train without "
            "`sparse_embedding_gradients`.");
}

TEST(SparseGradients, AStepWithASliceThatIsNotFiniteIsLeftOut) {
  const OneRow row;
  const std::vector<IndexedSlices> slices{
      {Tensor::from_data<float>({2, 1}, {std::numeric_limits<float>::infinity(), -1}),
       Tensor::from_data<std::int32_t>({2}, {1, 1})}};
  const LossScaleOptimizer optimizer(Adam(0.1), {.initial_scale = 8.0});
  optimizer.apply(std::vector<SparseGradient>{{.sum = sum_of_slices(slices, row.table.value()), .slices = slices}},
                  {row.table});
  EXPECT_EQ(row.table.value().to_vector(), (std::vector<double>{0, 0}));
  EXPECT_EQ(optimizer.iterations().item(), 0.0);
}

/// A model with a table, trained by slices.
struct TableTrainer {
  explicit TableTrainer(const Optimizer& optimizer) : optimizer(optimizer) { optimizer.build({table, kernel}); }

  /// Takes tokens [samples, 4] and targets [samples, 2].
  std::vector<Tensor> step(const std::vector<Tensor>& inputs) const {
    GradientTape tape;
    const Tensor rows = gather(table.value(), inputs[0]);
    const Tensor loss = mean(square(matmul(mean(rows, {1}), kernel.value()) - inputs[1]));
    optimizer.apply(tape.sparse_gradient(loss, {table, kernel}), {table, kernel});
    return {loss};
  }

  std::vector<Variable> state() const {
    std::vector<Variable> all{table, kernel};
    const std::vector<Variable> own = optimizer.variables();
    all.insert(all.end(), own.begin(), own.end());
    return all;
  }

  Variable table{sparse_area().array(sparse_area().find("inputs"), "initial0"), {.name = "embeddings"}};
  Variable kernel{sparse_area().array(sparse_area().find("inputs"), "initial1"), {.name = "kernel"}};
  Optimizer optimizer;
};

std::vector<Tensor> batch_of_tokens(int number) {
  constexpr std::int64_t samples = 7;
  std::vector<std::int32_t> tokens;
  std::vector<float> targets;
  for (int i = 0; i < 4 * samples; ++i) tokens.push_back((number * 5 + i * i) % 6);
  for (int i = 0; i < 2 * samples; ++i) targets.push_back(static_cast<float>((number + 3 * i) % 7 - 3));
  return {Tensor::from_data({samples, 4}, tokens), Tensor::from_data({samples, 2}, targets)};
}

TEST(SparseGradients, StepsOfSlicesOfTheBatchAreThoseOfTheWhole) {
  for (const char* const name :
       {"adam/plain", "adam/clipnorm", "adamax/clipvalue", "adagrad/clipvalue", "adafactor/global_clipnorm",
        "rmsprop/plain", "nadam/loss_scale_clipvalue", "sgd_momentum/plain"}) {
    for (const std::int64_t slices : {1, 3, 7}) {
      SCOPED_TRACE(std::string(name) + ", slices " + std::to_string(slices));
      const TableTrainer eager(test::make_optimizer(sparse_area().find(name)));
      const TableTrainer traced(test::make_optimizer(sparse_area().find(name)));
      std::vector<graph::FunctionInput> specs;
      for (const Tensor& input : batch_of_tokens(0)) specs.push_back({input.spec(), 0});
      const graph::Graph graph = graph::trace(specs, [&](const std::vector<Tensor>& in) { return traced.step(in); });
      graph::Executable executable(graph, {.plan = {.slices = slices, .check = true}});
      for (int number = 0; number < 5; ++number) {
        test::expect_close(executable(batch_of_tokens(number))[0], eager.step(batch_of_tokens(number))[0], 1e-5, 1e-6);
      }
      for (std::size_t i = 0; i < eager.state().size(); ++i) {
        SCOPED_TRACE(eager.state()[i].name());
        test::expect_close(traced.state()[i].value(), eager.state()[i].value(), 1e-5, 1e-6);
      }
    }
  }
}

}  // namespace
}  // namespace rhyton::optimizers
