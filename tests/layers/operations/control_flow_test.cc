// Branches and loops of keras.ops on symbolic tensors: in a functional model they compute what they compute on tensors,
// and no file holds them.

#include <rhyton/layers/operations/control_flow.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/control_flow.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/scan.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/operations/numpy_binary.h>
#include <rhyton/layers/operations/numpy_reductions.h>
#include <rhyton/models/cloning.h>
#include <rhyton/models/model.h>
#include <rhyton/optimizers/sgd.h>
#include <rhyton/tests/framework/io/temporary_folder.h>
#include <rhyton/tests/support/message_of.h>
#include <rhyton/tests/support/random_tensor.h>
#include <rhyton/tests/support/tensor_distance.h>

namespace rhyton::layers::control_flow {
namespace {

using Symbols = std::vector<SymbolicTensor>;
using Tensors = std::vector<Tensor>;

const std::function<Tensor(const Tensor&)> doubled = [](const Tensor& x) { return x * 2.0; };

/// The model of `function` gives `expected` when it is called, and compiled by `predict`, for batches of several sizes.
void expect_outputs(const std::function<Symbols(const SymbolicTensor&)>& function,
                    const std::function<Tensors(const Tensor&)>& expected) {
  const SymbolicTensor symbol = Input({.shape = {3}});
  const models::Model model({.inputs = {symbol}, .outputs = function(symbol)});
  for (const std::int64_t batch : {4, 2}) {
    const Tensor x = test::random_tensor({batch, 3}, 1);
    const Tensors results = expected(x);
    const Tensors called = model.call_many({x});
    ASSERT_EQ(called.size(), results.size());
    for (std::size_t i = 0; i < results.size(); ++i) test::expect_close_to_largest(called[i], results[i], 1e-6);
    if (results.size() == 1) test::expect_close_to_largest(model.predict(x), results[0], 1e-6);
  }
}

TEST(ControlFlowOverloads, MapAndItsOtherName) {
  const std::function<Tensor(const Tensor&)> total = [](const Tensor& row) { return sum(row * row); };
  expect_outputs([&](const SymbolicTensor& x) { return Symbols{ops::map(total, x)}; },
                 [&](const Tensor& x) { return Tensors{ops::map(total, x)}; });
  expect_outputs([&](const SymbolicTensor& x) { return Symbols{ops::vectorized_map(total, x)}; },
                 [&](const Tensor& x) { return Tensors{ops::map(total, x)}; });
  const auto both = [](const Tensors& rows) { return Tensors{rows[0] + rows[1], sum(rows[0])}; };
  expect_outputs(
      [&](const SymbolicTensor& x) {
        return ops::map(both, Symbols{x, x});
      },
      [&](const Tensor& x) {
        return ops::map(both, Tensors{x, x});
      });
}

TEST(ControlFlowOverloads, Scan) {
  const auto step = [](const Tensor& carry, const Tensor& row) { return std::pair(carry + row, carry * row); };
  const Tensor start = Tensor::full({3}, 0.5);
  const auto listed = [](const std::pair<Tensor, Tensor>& results) { return Tensors{results.first, results.second}; };
  expect_outputs(
      [&](const SymbolicTensor& x) {
        const auto [carry, ys] = ops::scan(step, start, x);
        return Symbols{carry, ys};
      },
      [&](const Tensor& x) { return listed(ops::scan(step, start, x)); });
  expect_outputs(
      [&](const SymbolicTensor& x) {
        const auto [carry, ys] = ops::scan(step, ops::sum(x, {0}), x, {.reverse = true});
        return Symbols{carry, ys};
      },
      [&](const Tensor& x) { return listed(ops::scan(step, ops::sum(x, {0}), x, {.reverse = true})); });
}

TEST(ControlFlowOverloads, AssociativeScan) {
  const auto add = [](const Tensor& a, const Tensor& b) { return a + b; };
  expect_outputs([&](const SymbolicTensor& x) { return Symbols{ops::associative_scan(add, x, false, 1)}; },
                 [&](const Tensor& x) { return Tensors{ops::associative_scan(add, x, false, 1)}; });
}

TEST(ControlFlowOverloads, Loops) {
  const auto is_small = [](const Tensor& x) { return sum(abs(x)) < 100.0; };
  expect_outputs([&](const SymbolicTensor& x) { return Symbols{ops::while_loop(is_small, doubled, x)}; },
                 [&](const Tensor& x) { return Tensors{ops::while_loop(is_small, doubled, x)}; });
  const auto are_small = [](const Tensors& x) { return sum(abs(x[0])) < 100.0; };
  const auto grown = [](const Tensors& x) { return Tensors{x[0] * 2.0, x[1] + 1.0}; };
  expect_outputs(
      [&](const SymbolicTensor& x) {
        return ops::while_loop(are_small, grown, Symbols{x, x}, 3);
      },
      [&](const Tensor& x) {
        return ops::while_loop(are_small, grown, Tensors{x, x}, 3);
      });
  const auto body = [](const Tensor& i, const Tensor& x) { return x * 2.0 + cast(i, float32); };
  expect_outputs([&](const SymbolicTensor& x) { return Symbols{ops::fori_loop(0, 3, body, x)}; },
                 [&](const Tensor& x) { return Tensors{ops::fori_loop(0, 3, body, x)}; });
}

TEST(ControlFlowOverloads, Branches) {
  using Branch = std::function<Tensor(const Tensors&)>;
  const std::vector<Branch> branches{[](const Tensors& x) { return x[0] * 2.0; },
                                     [](const Tensors& x) { return x[0] + 1.0; }};
  const SymbolicTensor symbol = Input({.shape = {3}});
  const SymbolicTensor is_large = ops::greater(ops::sum(symbol), 3.0);
  const models::Model chosen({.inputs = {symbol}, .outputs = ops::switch_(is_large, branches, {symbol})});
  const models::Model constant(
      {.inputs = {symbol},
       .outputs = ops::cond(
           is_large, [] { return Tensor::full({1}, 5.0); }, [] { return Tensor::full({1}, 7.0); })});
  for (const double value : {0.25, 2.0}) {
    const Tensor x = Tensor::full({2, 3}, value);
    EXPECT_EQ(chosen.predict(x).to_vector(), (value > 1 ? x + 1.0 : x * 2.0).to_vector());
    EXPECT_EQ(constant(x).item(), value > 1 ? 5.0 : 7.0);
  }
}

TEST(ControlFlowOverloads, AreTrainedThrough) {
  const SymbolicTensor symbol = Input({.shape = {3}});
  const SymbolicTensor hidden = Dense(2)(symbol);
  const models::Model model({.inputs = {symbol}, .outputs = ops::map(doubled, hidden)});
  model.compile({.optimizer = optimizers::SGD(0.05), .loss = "mse"});
  const Tensor x = test::random_tensor({8, 3}, 1);
  const Tensor y = test::random_tensor({8, 2}, 2);
  const double before = model.evaluate(x, y, {.verbose = 0}).at("loss");
  model.fit(x, y, {.batch_size = 8, .epochs = 5, .verbose = 0});
  EXPECT_LT(model.evaluate(x, y, {.verbose = 0}).at("loss"), before);
}

TEST(ControlFlowOverloads, AreClonedAndNotSaved) {
  const SymbolicTensor symbol = Input({.shape = {3}});
  const models::Model model({.inputs = {symbol}, .outputs = ops::map(doubled, symbol)});
  const Tensor x = test::random_tensor({2, 3}, 1);
  EXPECT_EQ(models::clone_model(model)(x).to_vector(), model(x).to_vector());
  EXPECT_EQ(model.layers().back().name().substr(0, 3), "map");

  const test::TemporaryFolder folder;
  const std::string message = test::message_of<ValueError>([&] { model.save((folder / "model.keras").string()); });
  EXPECT_NE(message.find("The operation Map cannot be serialized: it has a C++ function among its arguments, which a "
                         "file cannot hold."),
            std::string::npos)
      << message;
}

}  // namespace
}  // namespace rhyton::layers::control_flow
