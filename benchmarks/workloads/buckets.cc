// Training steps of a large model, alternating between sums at the end and sums during the backward pass.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/benchmarks/workloads/epoch_times.h>
#include <rhyton/benchmarks/workloads/models.h>
#include <rhyton/benchmarks/workloads/workloads.h>
#include <rhyton/framework/distribute/mpi/process_group.h>
#include <rhyton/framework/distribute/multi_worker_mirrored_strategy.h>
#include <rhyton/rhyton.h>

namespace workloads {

using namespace rhyton;

namespace {

constexpr std::int64_t samples_per_worker = 128;
constexpr std::int64_t steps = 4;

models::Model model_with_buckets_of(const std::string& megabytes) {
  // Read when the strategy is created.
  setenv("RHYTON_REDUCTION_BUCKET_MB", megabytes.c_str(), 1);
  const distribute::MultiWorkerMirroredStrategy strategy;
  const auto scope = strategy.scope();
  return deep_mlp_model();
}

}  // namespace

io::Json buckets(const Options& options) {
  const auto processes = distribute::mpi_process_group();
  config::set_num_threads(1);
  const std::vector<std::pair<std::string, models::Model>> contestants = {{"whole", model_with_buckets_of("0")},
                                                                          {"buckets", model_with_buckets_of("25")}};
  const std::int64_t batch_size = samples_per_worker * processes->size();
  const Tensor x = random_uniform({batch_size * steps, 784}, /*key=*/1, /*counter=*/0);
  const Tensor y = random_uniform({batch_size * steps}, /*key=*/2, /*counter=*/0, 0.0, 10.0).cast(int32).cast(int64);
  io::Json rounds = io::Json::object();
  for (const auto& [name, model] : contestants) rounds[name] = io::Json::array();
  // The first round is a warm-up.
  for (int round = 0; round <= options.rounds; ++round) {
    for (std::size_t i = 0; i < contestants.size(); ++i) {
      const auto& [name, model] = contestants[(i + static_cast<std::size_t>(round)) % contestants.size()];
      std::vector<double> seconds;
      processes->barrier();
      model.fit(x, y,
                {.batch_size = batch_size, .verbose = 0, .callbacks = {callbacks::make_callback<EpochTimes>(seconds)}});
      if (round > 0) rounds[name].push_back(seconds.front() / static_cast<double>(steps));
    }
  }
  const std::int64_t parameters = contestants.front().second.count_params();
  if (processes->rank() != 0) return {};
  return io::Json::object({{"rounds", rounds}, {"parameters", parameters}});
}

}  // namespace workloads
