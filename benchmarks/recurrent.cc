// The products and the recurrence of LSTM and GRU layers with 128 units on 64 steps of 128 features: forward and
// gradients of a batch of 128, and the prediction of one sequence. The argument is the number of threads.

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include <rhyton/benchmarks/traced_function.h>
#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/ops/recurrent.h>
#include <rhyton/framework/ops/reduce.h>

namespace {

using namespace rhyton;
using rhyton::benchmarks::measure;
using rhyton::benchmarks::uniform;
using Tensors = std::vector<Tensor>;

constexpr std::int64_t steps = 64;
constexpr std::int64_t features = 128;
constexpr std::int64_t units = 128;

/// The weights of a layer.
class Layer {
 public:
  explicit Layer(const RecurrentAttributes& cell)
      : cell_(cell),
        kernel_(uniform({features, columns()}, -0.1F, 0.1F), {.name = "kernel"}),
        recurrent_kernel_(uniform({units, columns()}, -0.1F, 0.1F), {.name = "recurrent_kernel"}),
        bias_(uniform({columns()}, -0.1F, 0.1F), {.name = "bias"}),
        recurrent_bias_(uniform({columns()}, -0.1F, 0.1F), {.name = "recurrent_bias"}) {}

  RecurrentResult operator()(const Tensor& x) const {
    RecurrentTensors tensors{.projected = matmul(x, kernel_) + bias_, .recurrent_kernel = recurrent_kernel_};
    if (cell_.reset_after) tensors.recurrent_bias = recurrent_bias_;
    return recurrent(tensors, cell_);
  }

  std::vector<Variable> variables() const {
    std::vector<Variable> result = {kernel_, recurrent_kernel_, bias_};
    if (cell_.reset_after) result.push_back(recurrent_bias_);
    return result;
  }

 private:
  std::int64_t columns() const { return units * recurrent_gates(cell_.cell); }

  RecurrentAttributes cell_;
  Variable kernel_;
  Variable recurrent_kernel_;
  Variable bias_;
  Variable recurrent_bias_;
};

void train(benchmark::State& state, const RecurrentAttributes& cell) {
  const Layer layer(cell);
  const Tensor x = uniform({128, steps, features}, -1.0F, 1.0F);
  measure(state, static_cast<int>(state.range(0)), {x}, [&](const Tensors& in) {
    GradientTape tape;
    return tape.gradient(sum(square(layer(in[0]).h)), layer.variables());
  });
}

void predict(benchmark::State& state, const RecurrentAttributes& cell) {
  const Layer layer(cell);
  const Tensor x = uniform({1, steps, features}, -1.0F, 1.0F);
  measure(state, static_cast<int>(state.range(0)), {x},
          [&](const Tensors& in) { return Tensors{layer(in[0]).final_h}; });
}

const RecurrentAttributes lstm{.cell = RecurrentCell::lstm};
const RecurrentAttributes gru{.cell = RecurrentCell::gru, .reset_after = true};

void thread_counts(benchmark::internal::Benchmark* benchmark) {
  benchmark->Arg(1)->Arg(2)->Unit(benchmark::kMicrosecond)->MeasureProcessCPUTime()->UseRealTime();
}

BENCHMARK_CAPTURE(train, lstm, lstm)->Apply(thread_counts);
BENCHMARK_CAPTURE(train, gru, gru)->Apply(thread_counts);
BENCHMARK_CAPTURE(predict, lstm, lstm)->Apply(thread_counts);
BENCHMARK_CAPTURE(predict, gru, gru)->Apply(thread_counts);

}  // namespace
