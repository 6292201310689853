// One step of each optimizer, without the backward pass.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/benchmarks/workloads/compiled.h>
#include <rhyton/benchmarks/workloads/workloads.h>
#include <rhyton/rhyton.h>

namespace workloads {

using namespace rhyton;

namespace {

constexpr std::int64_t matrices = 10;
constexpr std::int64_t side = 1000;

std::vector<std::pair<std::string, optimizers::Optimizer>> all_optimizers() {
  return {{"SGD", optimizers::SGD({.momentum = 0.9})},
          {"Adam", optimizers::Adam()},
          {"AdamW", optimizers::AdamW()},
          {"Adagrad", optimizers::Adagrad()},
          {"RMSprop", optimizers::RMSprop()},
          {"Adadelta", optimizers::Adadelta()},
          {"Adamax", optimizers::Adamax()},
          {"Nadam", optimizers::Nadam()},
          {"Lion", optimizers::Lion()},
          {"Ftrl", optimizers::Ftrl()},
          {"Lamb", optimizers::Lamb()}};
}

double seconds_of_step(const optimizers::Optimizer& optimizer) {
  std::vector<Variable> weights;
  Tensors gradients;
  for (std::int64_t i = 0; i < matrices; ++i) {
    const Shape shape = {side, side};
    weights.emplace_back(random_normal(shape, /*key=*/1, /*counter=*/static_cast<std::uint64_t>(i)));
    gradients.push_back(random_normal(shape, /*key=*/2, /*counter=*/static_cast<std::uint64_t>(i)));
  }
  optimizer.build(weights);
  return Compiled(gradients, 0,
                  [&](const Tensors& inputs) {
                    optimizer.apply(inputs, weights);
                    return Tensors{};
                  })
      .seconds();
}

}  // namespace

io::Json optimizer_step(const Options&) {
  io::Json cases = io::Json::object();
  for (const auto& [name, optimizer] : all_optimizers()) cases[name] = seconds_of_step(optimizer);
  return io::Json::object({{"cases", cases}});
}

}  // namespace workloads
