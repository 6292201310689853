// Reading models with very many layers from their configurations: the time per layer must not grow with their number.

#include <cstdint>
#include <string>

#include <benchmark/benchmark.h>

#include <rhyton/rhyton.h>

namespace {

using namespace rhyton;

std::string name_of(std::int64_t i) { return "l" + std::to_string(i); }

std::string input_layer() {
  return R"({"class_name":"InputLayer","config":{"batch_shape":[null,1],"dtype":"float32","name":"l0"},)"
         R"("name":"l0","inbound_nodes":[]})";
}

/// `calls` gives the end of a layer's configuration from the number of the layer before it.
template <class Calls>
std::string layers_of(std::int64_t count, const std::string& arguments, const Calls& calls) {
  std::string layers = "[" + input_layer();
  for (std::int64_t i = 1; i <= count; ++i) {
    layers += R"(,{"class_name":)" + arguments + R"(,"name":")" + name_of(i) + R"("})" + calls(i) + "}";
  }
  return layers + "]";
}

std::string sequential(std::int64_t count, const std::string& arguments) {
  return R"({"class_name":"Sequential","config":{"name":"m","layers":)" +
         layers_of(count, arguments, [](std::int64_t) { return std::string(); }) + "}}";
}

std::string functional(std::int64_t count, const std::string& arguments) {
  const auto calls = [](std::int64_t i) {
    return R"(,"name":")" + name_of(i) + R"(","inbound_nodes":[[[")" + name_of(i - 1) + R"(",0,0,{}]]])";
  };
  return R"({"class_name":"Functional","config":{"name":"m","layers":)" + layers_of(count, arguments, calls) +
         R"(,"input_layers":[["l0",0,0]],"output_layers":[[")" + name_of(count) + R"(",0,0]]}})";
}

using Writer = std::string (*)(std::int64_t, const std::string&);

void read(benchmark::State& state, Writer write, const char* arguments) {
  const std::string config = write(state.range(0), arguments);
  for (auto _ : state) {
    benchmark::DoNotOptimize(models::model_from_json(config));
    state.PauseTiming();
    clear_session();
    state.ResumeTiming();
  }
  const auto layers = static_cast<double>(state.range(0) * state.iterations());
  state.counters["per_layer"] = benchmark::Counter(layers, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

constexpr const char* activation = R"("Activation","config":{"activation":"linear")";
constexpr const char* dense = R"("Dense","config":{"units":1)";

BENCHMARK_CAPTURE(read, sequential_activations, sequential, activation)
    ->Arg(10'000)
    ->Arg(100'000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read, functional_activations, functional, activation)
    ->Arg(10'000)
    ->Arg(100'000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read, sequential_dense, sequential, dense)->Arg(10'000)->Arg(100'000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read, functional_dense, functional, dense)->Arg(10'000)->Arg(100'000)->Unit(benchmark::kMillisecond);

}  // namespace
