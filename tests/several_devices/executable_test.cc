// Compiled graphs whose ops are on several devices.

#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/device/config.h>
#include <rhyton/framework/device/device_scope.h>
#include <rhyton/framework/graph/executable.h>
#include <rhyton/framework/graph/tracing.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/gather.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/profiler/profiler.h>
#include <rhyton/tests/several_devices/placement.h>
#include <rhyton/tests/support/random_tensor.h>
#include <rhyton/tests/support/tensor_distance.h>

namespace rhyton::graph {
namespace {

using test::cpu;
using test::placement;
using test::placements_of;
using test::random_tensor;
using test::same_bits;
using Tensors = std::vector<Tensor>;

/// Calls ops on a device, or on the default one.
using On = std::function<Tensor(int, const std::function<Tensor()>&)>;

Tensor on_device(int index, const std::function<Tensor()>& compute) {
  const auto scope = device(cpu(index));
  return compute();
}

Tensor anywhere(int /*index*/, const std::function<Tensor()>& compute) { return compute(); }

FunctionInput batch_of(const Tensor& tensor) { return {tensor.spec(), 0}; }

TEST(PlacedExecutable, ComputesWhatOneDeviceComputes) {
  const Variable first(random_tensor({6, 40}, 1), {.name = "first"});
  const Variable second(random_tensor({40, 6}, 2), {.name = "second"});
  const Tensor x = random_tensor({32, 6}, 3);
  const auto network = [&](const On& on) {
    return trace({batch_of(x)}, [&, on](const Tensors& in) {
      const Tensor hidden = on(1, [&] { return tanh(matmul(in[0], first)); });
      const Tensor out = on(2, [&] { return matmul(hidden, second); });
      return Tensors{on(0, [&] { return relu(out) + in[0]; }), out};
    });
  };
  Executable one(network(anywhere), {.plan = {.check = true}});
  Executable several(network(on_device), {.plan = {.check = true}});
  for (int run = 0; run < 2; ++run) EXPECT_TRUE(same_bits(several({x}), one({x})));
  EXPECT_EQ(&several.output(0).device(), &cpu(0));
  EXPECT_EQ(&several.output(1).device(), &cpu(2));
  EXPECT_EQ(&several.device(), &cpu(0));
  EXPECT_EQ(several.plan().batch, 32);
  EXPECT_EQ(several.plan().output_specs.size(), 2U);
  EXPECT_EQ(several.graph().outputs.size(), 2U);
  EXPECT_GT(several.memory_bytes(), 0U);
  EXPECT_THROW(several.run({}), ValueError);
}

TEST(PlacedExecutable, SaysWhereEachOpRuns) {
  const Tensor x = random_tensor({4, 3}, 1);
  const std::string log = placements_of([&] {
    Executable executable(trace({batch_of(x)},
                                [&](const Tensors& in) {
                                  const Tensor a = on_device(1, [&] { return matmul(in[0], in[0], false, true); });
                                  return Tensors{on_device(2, [&] { return relu(a); })};
                                }),
                          {.passes = PassOptions::without_fusion()});
  });
  EXPECT_EQ(log, placement("MatMul", 1) + placement("Relu", 2));
}

TEST(PlacedExecutable, AGraphOfOneDeviceIsNotCut) {
  const Tensor x = random_tensor({4, 3}, 1);
  const auto function = [&](const Tensors& in) { return Tensors{on_device(1, [&] { return tanh(in[0]); })}; };
  const Executable elsewhere(trace({batch_of(x)}, function));
  EXPECT_EQ(&elsewhere.device(), &cpu(1));
  const Executable there(trace({batch_of(x)}, function), {.device = &cpu(1)});
  EXPECT_EQ(there.plan().to_string(), elsewhere.plan().to_string());
}

TEST(PlacedExecutable, VariablesLiveWhereTheyAreRead) {
  const Variable weights(random_tensor({3, 3}, 1), {.name = "weights"});
  const Variable sum(Tensor::zeros({}), {.trainable = false, .name = "sum"});
  const Tensor x = random_tensor({4, 3}, 2);
  Executable executable(trace({batch_of(x)}, [&](const Tensors& in) {
    const Tensor a = on_device(1, [&] { return matmul(in[0], weights); });
    const Tensor b = on_device(2, [&] { return tanh(a); });
    weights.assign_sub(matmul(in[0], b, true) * 0.1F);
    sum.assign_add(rhyton::sum(b));
    return Tensors{};
  }));
  executable({x});
  EXPECT_EQ(&weights.stored_value().device(), &cpu(1));
  EXPECT_EQ(&sum.stored_value().device(), &cpu(2));
}

TEST(PlacedExecutable, UpdatesAreThoseOfOneDevice) {
  const Tensor x = random_tensor({8, 8}, 1);
  // Old and new values are exchanged, swapped and returned, in all directions.
  const auto run = [&](const On& on) {
    const Variable a(random_tensor({8, 8}, 2), {.name = "a"});
    const Variable b(random_tensor({8, 8}, 3), {.name = "b"});
    const Variable c(random_tensor({8, 8}, 4), {.name = "c"});
    const Graph graph = trace({batch_of(x)}, [&](const Tensors& in) {
      const Tensor old_a = a.value();
      const Tensor first = on(1, [&] { return matmul(in[0], a) + c.value(); });
      const Tensor second = on(2, [&] { return matmul(first, b) + a.value(); });
      a.assign(on(1, [&] { return tanh(first); }));
      c.assign(b.value());
      b.assign(old_a);
      const Tensor third = on(1, [&] { return matmul(second, a) - c.value(); });
      c.assign_add(third);
      return Tensors{old_a, a.value(), third, in[0]};
    });
    Executable executable(graph, {.plan = {.check = true}});
    Tensors results;
    for (int step = 0; step < 3; ++step) {
      for (const Tensor& result : executable({x})) results.push_back(result);
    }
    for (const Variable& variable : {a, b, c}) results.push_back(variable.stored_value().clone());
    return results;
  };
  EXPECT_TRUE(same_bits(run(on_device), run(anywhere)));
}

TEST(PlacedExecutable, TrainsAsOneDevice) {
  const Tensor x = random_tensor({64, 10}, 1);
  const auto train = [&](const On& on) {
    const Variable first(random_tensor({10, 20}, 2, -0.3, 0.3), {.name = "first"});
    const Variable second(random_tensor({20, 10}, 3, -0.3, 0.3), {.name = "second"});
    Executable step(trace({batch_of(x)}, [&](const Tensors& in) {
      GradientTape tape;
      const Tensor hidden = on(1, [&] { return tanh(matmul(in[0], first)); });
      const Tensor out = on(2, [&] { return matmul(hidden, second); });
      // Through the first weights again.
      const Tensor again = on(1, [&] { return matmul(tanh(matmul(out, first)), second); });
      const Tensor loss = mean(square(again - in[0]));
      const Tensors gradients = tape.gradient(loss, std::vector<Variable>{first, second});
      first.assign_sub(gradients[0] * 0.1F);
      second.assign_sub(gradients[1] * 0.1F);
      return Tensors{loss};
    }));
    std::vector<double> losses;
    for (int i = 0; i < 30; ++i) losses.push_back(step({x})[0].item());
    return losses;
  };
  const std::vector<double> expected = train(anywhere);
  const std::vector<double> actual = train(on_device);
  EXPECT_LT(expected.back(), 0.9 * expected.front());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(actual[i], expected[i], 1e-5 * expected[i]) << i;
}

TEST(PlacedExecutable, NothingIsWrittenWhenAKernelOfALaterDeviceThrows) {
  const Variable weights(random_tensor({4, 3}, 1), {.name = "weights"});
  const Tensor before = weights.stored_value().clone();
  const Tensor x = random_tensor({4, 3}, 2);
  const Tensor rows = Tensor::from_data<std::int32_t>({2}, {0, 9});
  Executable executable(trace({batch_of(x), {rows.spec(), -1}}, [&](const Tensors& in) {
    const Tensor a = on_device(1, [&] { return in[0] * weights.value(); });
    weights.assign(a);
    return Tensors{on_device(2, [&] { return gather(a, in[1]); })};
  }));
  EXPECT_THROW(executable({x, rows}), Error);
  EXPECT_TRUE(same_bits(weights.stored_value(), before));
  executable({x, Tensor::from_data<std::int32_t>({2}, {0, 1})});
  EXPECT_FALSE(same_bits(weights.stored_value(), before));
}

TEST(GradientTapeOnDevices, GradientsRunWhereTheirOpsDid) {
  const Variable weights(random_tensor({3, 3}, 1), {.name = "weights"});
  const Tensor x = random_tensor({4, 3}, 2);
  GradientTape tape;
  const Tensor first = on_device(1, [&] { return tanh(x * weights.value()[0]); });
  const Tensor second = on_device(2, [&] { return exp(first); });
  const std::string log = placements_of([&] { tape.gradient(second, weights, x); });
  const std::string there = placement("", 1).substr(std::string("Executing op ").size());
  EXPECT_EQ(log.substr(0, log.find('\n') + 1), placement("Mul", 2)) << log;
  EXPECT_NE(log.find("TanhGrad" + there), std::string::npos) << log;
  EXPECT_EQ(log.find("CPU:0"), std::string::npos) << log;
}

TEST(PlacedExecutable, IsProfiledPartByPart) {
  const Tensor x = random_tensor({4, 3}, 1);
  Executable executable(trace({batch_of(x)},
                              [&](const Tensors& in) {
                                const Tensor a = on_device(1, [&] { return matmul(in[0], in[0], false, true); });
                                return Tensors{on_device(2, [&] { return relu(a); })};
                              }),
                        {.name = "both"});
  profiler::Session session;
  executable({x});
  const std::string table = session.stop().table();
  EXPECT_NE(table.find("both, part 1 of 2 on /device:CPU:1"), std::string::npos) << table;
  EXPECT_NE(table.find("both, part 2 of 2 on /device:CPU:2"), std::string::npos) << table;
}

}  // namespace
}  // namespace rhyton::graph
