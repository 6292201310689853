// The overhead of a strategy per step, with next to no arithmetic: its parts one by one, and all of them around a
// compiled function of a few small ops and around `fit` of a single neuron. Two replicas on logical CPUs.

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <rhyton/framework/context.h>
#include <rhyton/framework/device/config.h>
#include <rhyton/framework/distribute/mirrored_strategy.h>
#include <rhyton/framework/distribute/mirrored_variables.h>
#include <rhyton/framework/distribute/replica_group.h>
#include <rhyton/framework/distribute/replicated_executable.h>
#include <rhyton/framework/distribute/strategy_impl.h>
#include <rhyton/framework/graph/executable.h>
#include <rhyton/framework/graph/tracing.h>
#include <rhyton/framework/threading/rendezvous.h>
#include <rhyton/framework/threading/team.h>
#include <rhyton/rhyton.h>

namespace {

using namespace rhyton;

constexpr int replicas = 2;

std::shared_ptr<distribute::StrategyImpl> two_replicas() {
  return std::make_shared<distribute::StrategyImpl>(
      distribute::StrategyImpl::Options{.name = "MirroredStrategy", .devices = config::list_logical_devices("CPU")});
}

/// Wakes the threads of the replicas and waits for them.
void team_round(benchmark::State& state) {
  threading::Team team(replicas);
  for (auto _ : state) team.run([](int) {});
}

/// The same with this many synchronization points in between.
void synchronization_points(benchmark::State& state) {
  threading::Team team(replicas);
  threading::Rendezvous rendezvous(replicas);
  for (auto _ : state) {
    team.run([&](int) {
      for (std::int64_t i = 0; i < state.range(0); ++i) rendezvous.arrive();
    });
  }
}

/// A team's round and one sum of this many elements.
void sum_of_replicas(benchmark::State& state) {
  threading::Team team(replicas);
  const auto group = distribute::ReplicaGroup::make(replicas);
  std::vector<std::shared_ptr<Communicator>> sides;
  std::vector<std::vector<float>> values;
  for (int member = 0; member < replicas; ++member) {
    sides.push_back(group->member(member));
    values.emplace_back(static_cast<std::size_t>(state.range(0)));
  }
  for (auto _ : state) {
    team.run([&](int member) {
      const auto at = static_cast<std::size_t>(member);
      const ReductionBuffer buffer = {values[at].data(), values[at].data(), state.range(0), float32};
      sides[at]->all_reduce({&buffer, 1}, nullptr);
    });
  }
}

std::vector<Variable> variables(std::int64_t count) {
  std::vector<Variable> result;
  for (std::int64_t i = 0; i < count; ++i) {
    result.emplace_back(Tensor::zeros({8}), VariableOptions{.name = "v" + std::to_string(i)});
  }
  return result;
}

/// Checks whether one of this many variables was assigned, before and after the step.
void renewal(benchmark::State& state) {
  distribute::MirroredVariables mirrored(config::list_logical_devices("CPU"));
  const std::vector<Variable> all = variables(state.range(0));
  mirrored.renew(all);
  for (auto _ : state) {
    mirrored.renew(all);
    mirrored.note_step(all);
  }
}

/// The overhead of running replicas that do no work.
void run_replicas(benchmark::State& state) {
  const auto strategy = two_replicas();
  for (auto _ : state) strategy->run_replicas([](int) {});
}

/// A step of a linear model on 8 numbers per sample: product, gradient, its sum over the replicas, update.
graph::Function small_step(const Variable& weights) {
  return [weights](const std::vector<Tensor>& inputs) {
    const Tensor& x = inputs[0];
    const Tensor error = matmul(x, weights) - 1.0;
    const Tensor gradient = all_reduce(matmul(x, error, /*transpose_a=*/true));
    weights.assign(weights.value() - gradient * 1e-3);
    return std::vector<Tensor>();
  };
}

/// `small_step` on 8 samples, on one device with one thread.
void small_step_on_one_device(benchmark::State& state) {
  config::set_num_threads(1);
  const Variable weights(Tensor::zeros({8, 1}), {.name = "weights"});
  graph::Executable executable(graph::trace({{.spec = {{8, 8}, float32}, .batch_axis = 0}}, small_step(weights)));
  const Tensor x = Tensor::full({8, 8}, 0.5);
  const void* const inputs[] = {x.raw_data()};
  for (auto _ : state) executable.run(inputs);
  config::set_num_threads(0);
}

/// `small_step` on 4 samples for each replica.
void small_step_on_two_replicas(benchmark::State& state) {
  const auto strategy = two_replicas();
  const Variable weights(Tensor::zeros({8, 1}), {.name = "weights"});
  std::vector<distribute::ReplicatedExecutable::Part> parts;
  for (int i = 0; i < replicas; ++i) {
    parts.push_back({.batch = {.global_samples = 8, .first_sample = 4 * i, .samples = 4},
                     .inputs = {{.spec = {{4, 8}, float32}, .batch_axis = 0}}});
  }
  distribute::ReplicatedExecutable executable(
      strategy, parts, [&](int) { return small_step(weights); }, "step");
  const Tensor x = Tensor::full({8, 8}, 0.5);
  const float* const data = x.data<float>();
  const std::vector<std::vector<const void*>> inputs = {{data}, {data + 32}};
  for (auto _ : state) executable.run(inputs);
}

/// Steps of `fit` for one dense layer with one unit, 8 samples each.
void fit(benchmark::State& state, const std::optional<distribute::Strategy>& strategy) {
  constexpr std::int64_t steps = 512;
  models::Sequential model({layers::Input({.shape = {8}}), layers::Dense(1)});
  {
    std::optional<distribute::StrategyScope> scope;
    if (strategy) scope.emplace(*strategy);
    model.compile({.optimizer = optimizers::SGD(), .loss = "mse"});
  }
  const Tensor x = Tensor::full({8 * steps, 8}, 0.5);
  const Tensor y = Tensor::zeros({8 * steps, 1});
  for (auto _ : state) model.fit(x, y, {.batch_size = 8, .verbose = 0, .shuffle = false});
  state.counters["step"] = benchmark::Counter(
      static_cast<double>(steps), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void fit_on_one_device(benchmark::State& state) { fit(state, {}); }
void fit_on_two_replicas(benchmark::State& state) { fit(state, distribute::Strategy(two_replicas())); }

BENCHMARK(team_round)->UseRealTime();
BENCHMARK(synchronization_points)->Arg(1)->Arg(10)->UseRealTime();
BENCHMARK(sum_of_replicas)->Arg(16)->Arg(4096)->UseRealTime();
BENCHMARK(renewal)->Arg(8)->Arg(64)->UseRealTime();
BENCHMARK(run_replicas)->UseRealTime();
BENCHMARK(small_step_on_one_device)->UseRealTime();
BENCHMARK(small_step_on_two_replicas)->UseRealTime();
BENCHMARK(fit_on_one_device)->UseRealTime();
BENCHMARK(fit_on_two_replicas)->UseRealTime();

}  // namespace

int main(int argc, char** argv) {
  // Before any device is used.
  config::set_logical_device_configuration(config::list_physical_devices("CPU").front(),
                                           std::vector<LogicalDeviceConfiguration>(replicas));
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
}
