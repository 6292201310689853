#include <rhyton/framework/distribute/mpi/messages.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

namespace rhyton::distribute {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;

// One tag: messages are distinguished by their order.
constexpr int message_tag = 0;

/// How a wait for other processes spends its time.
class Patience {
 public:
  /// To be called after each unsuccessful test. Returns true from time to time once the wait has become long.
  bool pass() {
    if (++looks_ < spinning_looks) return false;
    const Clock::duration waited = Clock::now() - start_;
    if (waited < spinning) return false;
    if (waited < yielding) {
      std::this_thread::yield();
      return false;
    }
    // In proportion to the time waited: the delay is a sixteenth at most.
    std::this_thread::sleep_for(std::clamp<Clock::duration>(waited / 16, microseconds(50), microseconds(5000)));
    return true;
  }

 private:
  static constexpr int spinning_looks = 50;
  static constexpr auto spinning = microseconds(50);
  static constexpr auto yielding = microseconds(2000);
  int looks_ = 0;
  Clock::time_point start_ = Clock::now();
};

int count_of(std::span<const std::byte> bytes) { return static_cast<int>(bytes.size()); }

}  // namespace

MpiMessages::MpiMessages(const MpiJob& job, mpi::Communicator communicator, std::function<void()> look)
    : job_(job), library_(job.library()), communicator_(communicator), look_(std::move(look)) {}

mpi::Request MpiMessages::send(std::span<const std::byte> bytes, int to) {
  mpi::Request request = library_.no_request;
  job_.check(library_.isend(bytes.data(), count_of(bytes), library_.byte, to, message_tag, communicator_, &request),
             "MPI_Isend");
  return request;
}

mpi::Request MpiMessages::receive(std::span<std::byte> bytes, int from) {
  mpi::Request request = library_.no_request;
  job_.check(library_.irecv(bytes.data(), count_of(bytes), library_.byte, from, message_tag, communicator_, &request),
             "MPI_Irecv");
  return request;
}

mpi::Request MpiMessages::broadcast(std::span<std::byte> bytes, int root) {
  mpi::Request request = library_.no_request;
  job_.check(library_.ibcast(bytes.data(), count_of(bytes), library_.byte, root, communicator_, &request),
             "MPI_Ibcast");
  return request;
}

mpi::Request MpiMessages::all_gather(std::span<const std::byte> own, std::span<std::byte> all) {
  mpi::Request request = library_.no_request;
  job_.check(library_.iallgather(own.data(), count_of(own), library_.byte, all.data(), count_of(own), library_.byte,
                                 communicator_, &request),
             "MPI_Iallgather");
  return request;
}

mpi::Request MpiMessages::barrier() {
  mpi::Request request = library_.no_request;
  job_.check(library_.ibarrier(communicator_, &request), "MPI_Ibarrier");
  return request;
}

void MpiMessages::wait(std::span<mpi::Request> requests) {
  Patience patience;
  for (;;) {
    int done = 0;
    job_.check(library_.testall(static_cast<int>(requests.size()), requests.data(), &done, nullptr), "MPI_Testall");
    if (done != 0) return;
    if (patience.pass() && look_) look_();
  }
}

}  // namespace rhyton::distribute
