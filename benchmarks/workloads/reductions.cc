// Sums over replicas and processes, without a model.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/benchmarks/measuring.h>
#include <rhyton/benchmarks/workloads/workloads.h>
#include <rhyton/framework/distribute/host_sums.h>
#include <rhyton/framework/distribute/mpi/process_group.h>
#include <rhyton/framework/distribute/replica_group.h>
#include <rhyton/framework/threading/team.h>
#include <rhyton/rhyton.h>

namespace workloads {

using namespace measuring;
using namespace rhyton;

namespace {

constexpr int members = 2;
/// 100 MB of float32, far larger than the caches.
constexpr std::int64_t elements = 25'000'000;

/// The median seconds of several calls of `work(member)` on all members at once.
template <class Work>
double seconds_of(threading::Team& team, const Work& work) {
  constexpr int calls = 7;
  team.run(work);
  std::vector<double> seconds;
  for (int call = 0; call < calls; ++call) {
    const Clock::time_point start = Clock::now();
    team.run(work);
    seconds.push_back(seconds_since(start));
  }
  return median(std::move(seconds));
}

void append(io::Json& lists, const std::string& name, double value) {
  if (!lists.contains(name)) lists[name] = io::Json::array();
  lists[name].push_back(value);
}

/// Enough calls for timing; the same for all processes.
int calls_for(std::int64_t count) {
  if (count <= 10'000) return 300;
  return count <= 1'000'000 ? 30 : 3;
}

}  // namespace

io::Json reduction(const Options& options) {
  std::vector<Tensor> tensors;
  std::vector<float*> memory;
  for (int i = 0; i < 2 * members; ++i) {
    tensors.push_back(Tensor::full({elements}, 1.0, float32));
    memory.push_back(tensors.back().mutable_data<float>());
  }
  const std::vector<float*> gradients(memory.begin(), memory.begin() + members);
  const std::vector<float*> sums(memory.begin() + members, memory.end());

  const auto group = distribute::ReplicaGroup::make(members);
  std::vector<std::shared_ptr<Communicator>> sides;
  for (int member = 0; member < members; ++member) sides.push_back(group->member(member));
  const auto all_reduce = [&](int member, const std::vector<float*>& outputs) {
    const auto at = static_cast<std::size_t>(member);
    const ReductionBuffer buffer = {gradients[at], outputs[at], elements, float32};
    sides[at]->all_reduce({&buffer, 1}, nullptr);
  };
  const auto triad = [&](int member) {
    const distribute::Share share = distribute::share_of(elements, member, members);
    float* const a = memory[0];
    const float* const b = memory[1];
    const float* const c = memory[2];
    for (std::int64_t i = share.first; i < share.last; ++i) a[i] = b[i] + 3.0f * c[i];
  };
  const auto copy = [&](int member) {
    const distribute::Share share = distribute::share_of(elements, member, members);
    std::memcpy(memory[0] + share.first, memory[1] + share.first,
                static_cast<std::size_t>(share.last - share.first) * sizeof(float));
  };

  threading::Team team(members);
  io::Json rounds = io::Json::object();
  for (int round = 0; round < options.rounds; ++round) {
    append(rounds, "triad", seconds_of(team, triad));
    append(rounds, "sum", seconds_of(team, [&](int member) { all_reduce(member, sums); }));
    append(rounds, "copy", seconds_of(team, copy));
    append(rounds, "sum in place", seconds_of(team, [&](int member) { all_reduce(member, gradients); }));
  }
  constexpr double each = static_cast<double>(elements) * sizeof(float);
  const io::Json bytes =
      io::Json::object({{"triad", 3 * each}, {"copy", 2 * each}, {"sum", 4 * each}, {"sum in place", 4 * each}});
  return io::Json::object({{"rounds", rounds}, {"bytes", bytes}});
}

io::Json process_sums(const Options& options) {
  const auto processes = distribute::mpi_process_group();
  config::set_num_threads(1);
  io::Json rounds = io::Json::object();
  for (int round = 0; round < options.rounds; ++round) {
    for (const std::int64_t count : {1, 1024, 4096, 16'384, 131'072, 1'048'576, 25'000'000}) {
      std::vector<float> values(static_cast<std::size_t>(count));
      const ReductionBuffer buffer = {values.data(), values.data(), count, float32};
      processes->all_reduce({&buffer, 1});
      processes->barrier();
      const int calls = calls_for(count);
      const Clock::time_point start = Clock::now();
      for (int call = 0; call < calls; ++call) processes->all_reduce({&buffer, 1});
      append(rounds, std::to_string(count * 4), seconds_since(start) / calls);
    }
  }
  if (processes->rank() != 0) return {};
  return io::Json::object({{"rounds", rounds}, {"processes", processes->size()}});
}

}  // namespace workloads
