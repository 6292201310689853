// Ops and variables on the tasks of a cluster, following TensorFlow's guides: constants and weights on a parameter
// server, the work on two workers.
//
//     rhyton server --cluster "$CLUSTER" --job ps --task 0 &        # and --job worker --task 0, --job worker --task 1
//     cluster --cluster "$CLUSTER"

#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <rhyton/framework/graph/executable.h>
#include <rhyton/framework/graph/tracing.h>
#include <rhyton/rhyton.h>

using namespace rhyton;

namespace {

void heading(const std::string& text) { std::cout << "\n# " << text << "\n" << std::flush; }

void print(const std::string& name, const Tensor& tensor) {
  std::cout << name << " on " << tensor.device().full_name() << ":\n" << tensor.to_string() << "\n";
}

void run_single_ops() {
  heading("Two constants on the parameter server; one worker multiplies, the other adds");
  Tensor a;
  Tensor b;
  {
    auto scope = device("/job:ps/task:0");
    a = Tensor::from_data<float>({2, 2}, {1, 2, 3, 4});
    b = Tensor::from_data<float>({2, 2}, {2, 0, 0, 2});
  }
  Tensor product;
  {
    auto scope = device("/job:worker/task:0");
    product = matmul(a, b);
  }
  auto scope = device("/job:worker/task:1");
  print("product", product);
  print("sum", product + a);
}

/// The loss of y = x w for this half of the samples, on its worker.
Tensor loss_of_half(const std::string& worker, const Tensor& x, const Tensor& y, const Variable& w) {
  auto scope = device(worker);
  return sum(square(matmul(x, w) - y));
}

void train() {
  heading("A compiled training step: each worker has half of the samples, the weights stay on the parameter server");
  Variable w;
  {
    auto scope = device("/job:ps/task:0");
    w = Variable(Tensor::zeros({2, 1}), {.name = "w"});
  }
  const Tensor x = random_uniform({64, 2}, /*key=*/1, /*counter=*/0, -1, 1);
  const Tensor y = matmul(x, Tensor::from_data<float>({2, 1}, {2, -1}));
  const optimizers::SGD sgd({.learning_rate = 0.5});
  sgd.build({w});

  const auto step = [&](const std::vector<Tensor>& batch) {
    GradientTape tape;
    const Tensor first = loss_of_half("/job:worker/task:0", batch[0].slice(0, 32), batch[1].slice(0, 32), w);
    const Tensor second = loss_of_half("/job:worker/task:1", batch[0].slice(32, 64), batch[1].slice(32, 64), w);
    const Tensor loss = (first + second) / 64.0;
    sgd.apply(tape.gradient(loss, std::vector<Variable>{w}), {w});
    return std::vector<Tensor>{loss};
  };
  graph::Executable function(graph::trace({{x.spec()}, {y.spec()}}, step));
  for (int i = 0; i < 50; ++i) {
    const double loss = function({x, y})[0].item();
    if (i % 10 == 0) std::cout << "step " << i << ": loss " << loss << "\n";
  }
  print("w", w.value());
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Runs ops on the tasks of a cluster, which must have a job \"ps\" and two tasks of a job \"worker\"");
  std::string cluster;
  bool log_placement = false;
  app.add_option("--cluster", cluster,
                 "The tasks: '{\"ps\": [\"host:port\"], \"worker\": [\"host:port\", \"host:port\"]}'")
      ->required();
  app.add_flag("--log-placement", log_placement, "Write to standard error on which device each op runs");
  CLI11_PARSE(app, argc, argv);
  try {
    distribute::connect_to_cluster(distribute::ClusterSpec::parse(cluster, "--cluster"));
    debugging::set_log_device_placement(log_placement);
    run_single_ops();
    train();
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "cluster: " << error.what() << "\n";
    return 1;
  }
}
