#include <rhyton/framework/distribute/mpi/job.h>

#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <thread>

#include <rhyton/framework/distribute/exit_deadline.h>

namespace rhyton::distribute {
namespace {

using HostName = std::array<char, 256>;

HostName own_host() {
  HostName name = {};
  if (gethostname(name.data(), name.size() - 1) != 0) return {"unknown"};
  return name;
}

}  // namespace

MpiJob::MpiJob(const MpiLibrary& library) : library_(library), hosts_(1, own_host().data()) {
  check(library.comm_size(library.world, &size_), "MPI_Comm_size");
  check(library.comm_rank(library.world, &rank_), "MPI_Comm_rank");
  const HostName own = own_host();
  std::vector<HostName> all(static_cast<std::size_t>(size_));
  mpi::Request request = library.no_request;
  check(library.iallgather(own.data(), static_cast<int>(own.size()), library.byte, all.data(),
                           static_cast<int>(own.size()), library.byte, library.world, &request),
        "MPI_Iallgather");
  for (int done = 0; done == 0;) {
    check(library.test(&request, &done, nullptr), "MPI_Test");
    std::this_thread::yield();
  }
  hosts_.clear();
  for (const HostName& host : all) hosts_.emplace_back(host.data());
}

std::string MpiJob::name_of(int rank) const {
  return "rank " + std::to_string(rank) + " (host " + hosts_.at(static_cast<std::size_t>(rank)) + ")";
}

void MpiJob::fail(const std::string& message) const {
  failed_ = true;
  const std::string host =
      hosts_.size() == static_cast<std::size_t>(size_) ? hosts_[static_cast<std::size_t>(rank_)] : hosts_.front();
  const std::string text = "rhyton: rank " + std::to_string(rank_) + " of " + std::to_string(size_) + " (host " + host +
                           "): " + message + "\n";
  // One call: other processes write to the same terminal.
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
  // MPI_Abort may itself wait for a lost process.
  const ExitDeadline deadline(std::chrono::seconds(5), "");
  library_.abort(library_.world, 1);
  _exit(1);
}

void MpiJob::check(int code, const char* function) const {
  if (code == mpi::success) return;
  fail(std::string(function) + " has failed: " + library_.error_text(code) +
       ". A process of the job may be lost, or the connection to it.");
}

}  // namespace rhyton::distribute
