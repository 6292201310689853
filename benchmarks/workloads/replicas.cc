// Training steps with and without strategies, alternating.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/benchmarks/workloads/epoch_times.h>
#include <rhyton/benchmarks/workloads/logical_devices.h>
#include <rhyton/benchmarks/workloads/models.h>
#include <rhyton/benchmarks/workloads/workloads.h>
#include <rhyton/framework/distribute/mirrored_strategy.h>
#include <rhyton/framework/distribute/mpi/process_group.h>
#include <rhyton/framework/distribute/multi_worker_mirrored_strategy.h>
#include <rhyton/rhyton.h>

namespace workloads {

using namespace rhyton;

namespace {

constexpr std::int64_t samples_per_step = 64;
constexpr std::int64_t steps = 100;

/// The first images of MNIST, for one epoch of `steps` steps.
class Epoch {
 public:
  Epoch() {
    auto [train, test] = datasets::mnist::load_data();
    x_ = train.images.slice(0, steps * samples_per_step).reshape({-1, 28, 28, 1}).cast(float32) / 255.0f;
    y_ = train.labels.slice(0, steps * samples_per_step);
  }

  double seconds_per_step(const models::Model& model) const {
    // Wakes threads and loads the weights into the caches: the previous model had others.
    constexpr std::int64_t warm_up = 4 * samples_per_step;
    model.fit(x_.slice(0, warm_up), y_.slice(0, warm_up), {.batch_size = samples_per_step, .verbose = 0});
    std::vector<double> seconds;
    model.fit(
        x_, y_,
        {.batch_size = samples_per_step, .verbose = 0, .callbacks = {callbacks::make_callback<EpochTimes>(seconds)}});
    return seconds.front() / static_cast<double>(steps);
  }

 private:
  Tensor x_;
  Tensor y_;
};

models::Model model_under(const std::optional<distribute::Strategy>& strategy) {
  if (!strategy) return mnist_cnn();
  const auto scope = strategy->scope();
  return mnist_cnn();
}

void append(io::Json& rounds, const std::string& name, double seconds) {
  if (!rounds.contains(name)) rounds[name] = io::Json::array();
  rounds[name].push_back(seconds);
}

}  // namespace

io::Json mirrored(const Options& options) {
  const std::vector<std::string> cpus = logical_devices("CPU", 4);
  const auto replicas = [&](std::size_t count) {
    return distribute::MirroredStrategy(std::vector<std::string>(cpus.begin(), cpus.begin() + count));
  };
  const std::vector<std::pair<std::string, models::Model>> contestants = {{"one device", model_under({})},
                                                                          {"1 replica", model_under(replicas(1))},
                                                                          {"2 replicas", model_under(replicas(2))},
                                                                          {"4 replicas", model_under(replicas(4))}};
  const Epoch epoch;
  io::Json rounds = io::Json::object();
  for (const auto& [name, model] : contestants) epoch.seconds_per_step(model);
  for (int round = 0; round < options.rounds; ++round) {
    for (std::size_t i = 0; i < contestants.size(); ++i) {
      const auto& [name, model] = contestants[(i + static_cast<std::size_t>(round)) % contestants.size()];
      append(rounds, name, epoch.seconds_per_step(model));
    }
  }
  return io::Json::object({{"rounds", rounds}});
}

io::Json workers(const Options& options) {
  const auto processes = distribute::mpi_process_group();
  const bool is_first = processes->rank() == 0;
  const models::Model alone = model_under({});
  const models::Model together = model_under(distribute::MultiWorkerMirroredStrategy());
  const Epoch epoch;
  io::Json rounds = io::Json::object();
  // The first round is a warm-up.
  for (int round = 0; round <= options.rounds; ++round) {
    if (is_first) {
      config::set_num_threads(processes->size());
      const double seconds = epoch.seconds_per_step(alone);
      if (round > 0) append(rounds, "one process", seconds);
    }
    processes->barrier();
    config::set_num_threads(1);
    const double seconds = epoch.seconds_per_step(together);
    if (round > 0) append(rounds, std::to_string(processes->size()) + " processes", seconds);
    processes->barrier();
  }
  if (!is_first) return {};
  return io::Json::object({{"rounds", rounds}});
}

}  // namespace workloads
