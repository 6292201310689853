// The messages of training steps to other processes.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/benchmarks/measuring.h>
#include <rhyton/benchmarks/workloads/epoch_times.h>
#include <rhyton/benchmarks/workloads/models.h>
#include <rhyton/benchmarks/workloads/workloads.h>
#include <rhyton/framework/distribute/mpi/process_group.h>
#include <rhyton/framework/distribute/process_group.h>
#include <rhyton/framework/distribute/reduction_messages.h>
#include <rhyton/framework/distribute/strategy.h>
#include <rhyton/framework/distribute/strategy_impl.h>
#include <rhyton/rhyton.h>

namespace workloads {

using namespace measuring;
using namespace rhyton;

namespace {

struct Traffic {
  std::int64_t calls = 0;
  std::int64_t tensors = 0;
  /// The bytes of each message, in the order of the calls.
  std::vector<std::int64_t> messages;
  /// Inside the calls, including the wait for other processes.
  double seconds = 0;
};

constexpr std::int64_t bytes_of_agreement = 16;

/// Wraps another group and counts the traffic of steps.
class CountingProcessGroup final : public distribute::ProcessGroup {
 public:
  explicit CountingProcessGroup(std::shared_ptr<distribute::ProcessGroup> group) : group_(std::move(group)) {}

  int size() const override { return group_->size(); }
  int rank() const override { return group_->rank(); }
  void all_reduce(std::span<const ReductionBuffer> buffers) override {
    std::vector<std::int64_t> messages;
    for (const distribute::ReductionMessage& message : distribute::reduction_messages(buffers)) {
      messages.push_back(message.elements * static_cast<std::int64_t>(size_of(message.sum_dtype)));
    }
    // Before some steps, depending on the time, processes agree on whether one of them was interrupted.
    if (messages == std::vector<std::int64_t>{bytes_of_agreement}) return group_->all_reduce(buffers);
    ++traffic.calls;
    traffic.tensors += static_cast<std::int64_t>(buffers.size());
    traffic.messages.insert(traffic.messages.end(), messages.begin(), messages.end());
    const Clock::time_point start = Clock::now();
    group_->all_reduce(buffers);
    traffic.seconds += seconds_since(start);
  }
  void broadcast(std::span<std::byte> bytes, int root) override { group_->broadcast(bytes, root); }
  std::vector<std::string> all_gather(const std::string& own) override { return group_->all_gather(own); }
  void barrier() override { group_->barrier(); }
  [[noreturn]] void fail(const std::string& message) override {
    group_->fail(message);
    std::abort();  // unreachable, but the compiler cannot know
  }

  Traffic traffic;

 private:
  std::shared_ptr<distribute::ProcessGroup> group_;
};

struct Subject {
  std::string name;
  std::function<models::Model()> make;
  /// Of one sample, without the batch axis.
  std::vector<std::int64_t> shape;
};

struct Samples {
  Samples(const Subject& subject, std::int64_t count) {
    std::vector<std::int64_t> sizes = {count};
    sizes.insert(sizes.end(), subject.shape.begin(), subject.shape.end());
    x = random_uniform(Shape(sizes), /*key=*/1, /*counter=*/0);
    y = random_uniform({count}, /*key=*/2, /*counter=*/0, 0.0, 10.0).cast(int32).cast(int64);
  }
  Tensor x;
  Tensor y;
};

/// Trains for this many steps in one epoch, and returns the seconds per step.
double train(const models::Model& model, const Subject& subject, std::int64_t batch_size, std::int64_t steps) {
  const Samples samples(subject, batch_size * steps);
  std::vector<double> seconds;
  model.fit(samples.x, samples.y,
            {.batch_size = batch_size, .verbose = 0, .callbacks = {callbacks::make_callback<EpochTimes>(seconds)}});
  return seconds.front() / static_cast<double>(steps);
}

/// The traffic of each step.
io::Json traffic_of_step(const Subject& subject, const std::shared_ptr<CountingProcessGroup>& processes,
                         std::int64_t batch_size) {
  const distribute::Strategy strategy(std::make_shared<distribute::StrategyImpl>(distribute::StrategyImpl::Options{
      .name = "MultiWorkerMirroredStrategy", .devices = {&current_device()}, .processes = processes}));
  const auto scope = strategy.scope();
  const models::Model model = subject.make();
  constexpr std::int64_t few = 2;
  constexpr std::int64_t more = 5;
  Traffic& traffic = processes->traffic;
  traffic = {};
  train(model, subject, batch_size, few);
  const Traffic of_few = std::exchange(traffic, {});
  const double seconds = train(model, subject, batch_size, more);
  io::Json messages = io::Json::array();
  const std::size_t in_one = traffic.messages.size() / more;
  if (in_one * few != of_few.messages.size()) throw RuntimeError("Steps of " + subject.name + " send unlike messages.");
  for (std::size_t i = 0; i < in_one; ++i) messages.push_back(traffic.messages[i]);
  return io::Json::object({{"calls", static_cast<double>(traffic.calls) / more},
                           {"tensors", static_cast<double>(traffic.tensors) / more},
                           {"messages", messages},
                           {"step_seconds", seconds},
                           {"sum_seconds", traffic.seconds / more}});
}

}  // namespace

io::Json messages(const Options&) {
  const std::vector<Subject> subjects = {{"MNIST CNN", [] { return mnist_cnn(); }, {28, 28, 1}},
                                         {"ResNet-20", [] { return resnet20_model(); }, {32, 32, 3}},
                                         {"MLP, 25 million", [] { return wide_mlp_model(); }, {784}}};
  const auto processes = std::make_shared<CountingProcessGroup>(distribute::mpi_process_group());
  const int threads = config::num_threads();
  io::Json models = io::Json::array();
  for (const Subject& subject : subjects) {
    config::set_num_threads(1);
    constexpr std::int64_t batch_size = 64;
    io::Json result = traffic_of_step(subject, processes, batch_size);
    result["name"] = subject.name;
    if (processes->rank() == 0) {
      config::set_num_threads(threads);
      const models::Model alone = subject.make();
      result["alone"] = io::Json::object();
      for (const std::int64_t samples : {1, 8, 64}) {
        std::vector<double> seconds;
        for (int run = 0; run < 4; ++run) seconds.push_back(train(alone, subject, samples, 4));
        seconds.erase(seconds.begin());
        result["alone"][std::to_string(samples)] = median(std::move(seconds));
      }
      std::int64_t parameters = 0;
      for (const Variable& weight : alone.trainable_weights()) parameters += weight.shape().size();
      result["parameters"] = parameters;
    }
    processes->barrier();
    models.push_back(std::move(result));
  }
  if (processes->rank() != 0) return {};
  return io::Json::object({{"models", models}});
}

}  // namespace workloads
