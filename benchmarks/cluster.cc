// How fast variables travel between a client and a server of a cluster, which is another process:
//
//   cluster CLUSTER [MEGABYTES]
//
// CLUSTER is JSON with the server, a running `rhyton server`, as task 0 of the job "ps". Variables of 4 MB each,
// MEGABYTES (100) together, are pulled, assigned and pushed, as gradients of an SGD without momentum; further times are
// those of a call without tensors, and of the step of an optimizer alone, in this process. Prints the median of seven
// times of each, in seconds, as JSON. benchmarks/cluster.py compares them with peers/grpc_stream.cc.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <rhyton/benchmarks/measuring.h>
#include <rhyton/models/cluster/parameter_server.h>
#include <rhyton/models/cluster/remote_task.h>
#include <rhyton/rhyton.h>

namespace {

using namespace rhyton;

template <class Work>
double seconds_of(Work work) {
  work();  // memory is there, and connections are warm
  return measuring::median_seconds(7, work);
}

std::vector<distribute::NamedTensor> tensors_of(double megabytes, float value) {
  const auto count = static_cast<int>(megabytes / 4.0);
  std::vector<distribute::NamedTensor> tensors;
  for (int i = 0; i < count; ++i) {
    tensors.push_back({.name = "variable" + std::to_string(i), .value = Tensor::full({1000, 1000}, value)});
  }
  return tensors;
}

/// The step that a server takes for gradients of all variables.
double step_seconds(const std::vector<distribute::NamedTensor>& variables,
                    const std::vector<distribute::NamedTensor>& gradients, const optimizers::Optimizer& optimizer) {
  distribute::ParameterServer server(distribute::ClusterSpec{{"ps", {"localhost:1"}}}, {.type = "ps", .index = 0});
  server.create(variables);
  server.set_optimizer(optimizers::serialize(optimizer));
  return seconds_of([&] { server.apply_gradients(gradients); });
}

void require_value(const std::vector<distribute::NamedTensor>& tensors, std::size_t count, float value) {
  bool is_right = tensors.size() == count;
  for (const distribute::NamedTensor& tensor : tensors) {
    const std::span<const float> elements(tensor.value.data<float>(), static_cast<std::size_t>(tensor.value.size()));
    is_right = is_right && std::all_of(elements.begin(), elements.end(), [&](float x) { return x == value; });
  }
  if (!is_right) throw std::runtime_error("the values of the server are wrong");
}

int run(measuring::Words words) {
  if (words.size() < 2 || words.size() > 3) {
    std::fputs("Usage: cluster CLUSTER [MEGABYTES]\n", stderr);
    return 2;
  }
  const double megabytes = measuring::number_in(words, 2, 100.0);
  const std::vector<distribute::NamedTensor> variables = tensors_of(megabytes, 1.0F);
  const std::vector<distribute::NamedTensor> gradients = tensors_of(megabytes, 0.5F);
  std::vector<std::string> names;
  std::size_t bytes = 0;
  for (const distribute::NamedTensor& variable : variables) {
    names.push_back(variable.name);
    bytes += variable.value.spec().bytes();
  }

  const distribute::RemoteTask server(distribute::ClusterSpec::parse(words[1], "CLUSTER"), {.type = "ps", .index = 0});
  const optimizers::SGD sgd({.learning_rate = 0.25});
  server.create(variables);
  server.set_optimizer(sgd);
  const double call = seconds_of([&] { server.iterations(); });
  const double assign = seconds_of([&] { server.assign(variables); });
  const double pull = seconds_of([&] { server.pull(names); });
  const double push = seconds_of([&] { server.push(gradients); });
  require_value(server.pull(names), names.size(), 1.0F - 8 * 0.25F * 0.5F);
  const double sgd_step = step_seconds(variables, gradients, sgd);
  const double adam_step = step_seconds(variables, gradients, optimizers::Adam());
  std::printf(
      "{\"bytes\": %zu, \"call\": %.9f, \"pull\": %.6f, \"assign\": %.6f, \"push\": %.6f, \"sgd\": %.6f, \"adam\": "
      "%.6f}\n",
      bytes, call, pull, assign, push, sgd_step, adam_step);
  return 0;
}

}  // namespace

int main(int count, char** words) { return measuring::run_program("cluster", count, words, run); }
