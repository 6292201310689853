#pragma once

#include <cstdint>
#include <vector>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/graph/executable.h>
#include <rhyton/framework/graph/tracing.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/tensor/variable.h>
#include <rhyton/tests/support/random_tensor.h>

namespace rhyton::profiler {

/// One step of gradient descent on weights [400, 300], large enough for two threads, with all features of a step:
/// slices, sums over them, weights in another layout, pieces of whole tensors.
class Descent {
 public:
  static constexpr std::int64_t batch = 60;

  explicit Descent(const graph::PlanOptions& plan = {.slices = 4, .samples_per_chunk = 7})
      : executable_(graph(), {.plan = plan, .name = "descent"}), x_(test::random_tensor({batch, 400}, 3)) {}

  void run(int steps = 1) {
    const void* inputs[] = {x_.raw_data()};
    for (int i = 0; i < steps; ++i) executable_.run(inputs);
  }
  const graph::Executable& executable() const { return executable_; }
  const graph::Plan& plan() const { return executable_.plan(); }

 private:
  graph::Graph graph() const {
    return graph::trace({{{{batch, 400}, float32}, 0}}, [this](const std::vector<Tensor>& in) {
      GradientTape tape;
      const Tensor loss = mean(square(matmul(relu(matmul(in[0], first_)), second_)));
      const std::vector<Variable> variables{first_, second_};
      const std::vector<Tensor> gradients = tape.gradient(loss, variables);
      for (std::size_t i = 0; i < variables.size(); ++i) variables[i].assign_sub(gradients[i] * 0.01);
      return std::vector<Tensor>{loss};
    });
  }

  Variable first_{test::random_tensor({400, 300}, 1), {.name = "first"}};
  Variable second_{test::random_tensor({300, 20}, 2), {.name = "second"}};
  graph::Executable executable_;
  Tensor x_;
};

}  // namespace rhyton::profiler
