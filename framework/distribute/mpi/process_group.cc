#include <rhyton/framework/distribute/mpi/process_group.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include <rhyton/framework/context.h>
#include <rhyton/framework/distribute/exit_deadline.h>
#include <rhyton/framework/distribute/heartbeat.h>
#include <rhyton/framework/distribute/mpi/all_reduce.h>
#include <rhyton/framework/distribute/mpi/job.h>
#include <rhyton/framework/distribute/mpi/messages.h>
#include <rhyton/framework/distribute/reduction_messages.h>
#include <rhyton/framework/error.h>

namespace rhyton::distribute {
namespace {

mpi::Communicator duplicate_of_world(const MpiJob& job) {
  mpi::Communicator duplicate = nullptr;
  job.check(job.library().comm_dup(job.library().world, &duplicate), "MPI_Comm_dup");
  job.check(job.library().comm_set_errhandler(duplicate, job.library().errors_return), "MPI_Comm_set_errhandler");
  return duplicate;
}

class MpiProcessGroup final : public ProcessGroup {
 public:
  MpiProcessGroup(const MpiLibrary& library, std::chrono::milliseconds timeout)
      : job_(library),
        watch_(job_, timeout),
        messages_(job_, duplicate_of_world(job_), [this] { watch_.expect_calls(calls_); }),
        all_reduce_(messages_) {}

  int size() const override { return job_.size(); }
  int rank() const override { return job_.rank(); }

  void all_reduce(std::span<const ReductionBuffer> buffers) override {
    begin_call();
    for (const ReductionMessage& message : reduction_messages(buffers)) {
      std::byte* const sums = gather_inputs(buffers, message, staging_);
      all_reduce_.sum(sums, message.elements, message.sum_dtype);
      scatter_sums(buffers, message, sums);
    }
  }

  void broadcast(std::span<std::byte> bytes, int root) override {
    begin_call();
    for (std::size_t begin = 0; begin < bytes.size(); begin += MpiMessages::max_bytes) {
      messages_.wait(
          messages_.broadcast(bytes.subspan(begin, std::min(MpiMessages::max_bytes, bytes.size() - begin)), root));
    }
  }

  std::vector<std::string> all_gather(const std::string& own) override {
    begin_call();
    const std::array<std::uint64_t, 1> own_length = {own.size()};
    std::vector<std::uint64_t> lengths(static_cast<std::size_t>(size()));
    messages_.wait(
        messages_.all_gather(std::as_bytes(std::span(own_length)), std::as_writable_bytes(std::span(lengths))));
    std::vector<std::string> all(lengths.size());
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
      all[rank] = static_cast<int>(rank) == this->rank() ? own : std::string(lengths[rank], '\0');
      broadcast(std::as_writable_bytes(std::span(all[rank])), static_cast<int>(rank));
    }
    return all;
  }

  void barrier() override {
    begin_call();
    messages_.wait(messages_.barrier());
  }

  [[noreturn]] void fail(const std::string& message) override { job_.fail(message); }

  /// Before MPI_Finalize; all processes must call it.
  void leave() {
    if (left_ || job_.has_failed()) return;
    left_ = true;
    watch_.leave(calls_);
  }
  bool has_failed() const { return job_.has_failed(); }

 private:
  void begin_call() {
    if (left_) throw RuntimeError("MPI was finalised: the processes of the job cannot be reached any more.");
    ++calls_;
  }

  MpiJob job_;
  Heartbeat watch_;
  /// The number of collective calls so far.
  std::int64_t calls_ = 0;
  bool left_ = false;
  MpiMessages messages_;
  MpiAllReduce all_reduce_;
  std::vector<std::byte> staging_;
};

/// The state of MPI in this process, in the Context.
struct MpiState {
  std::mutex mutex;
  bool was_initialised_here = false;
  std::shared_ptr<MpiProcessGroup> group;
};

/// Registered to run at the end of the process.
void finalize_mpi() {
  auto& state = context().slot<MpiState>();
  if (state.group != nullptr && state.group->has_failed())
    return;  // MPI_Abort may call exit, which calls this function
  const MpiLibrary& library = mpi_library();
  int is_finalized = 0;
  library.finalized(&is_finalized);
  if (!state.was_initialised_here || is_finalized != 0) return;
  if (state.group != nullptr) state.group->leave();
  const ExitDeadline deadline(std::chrono::seconds(20), "rhyton: MPI_Finalize did not come to its end.");
  library.finalize();
}

/// Initialises MPI unless the program has done so.
void initialize_mpi(const MpiLibrary& library, MpiState& state) {
  int flag = 0;
  library.finalized(&flag);
  if (flag != 0) throw RuntimeError("MPI was finalised already; it cannot be initialised twice in one process.");
  int level = mpi::thread_single;
  library.initialized(&flag);
  if (flag != 0) {
    library.query_thread(&level);
  } else {
    if (std::atexit(&finalize_mpi) != 0) throw RuntimeError("MPI_Finalize cannot be registered for the process's end.");
    if (const int code = library.init_thread(nullptr, nullptr, mpi::thread_multiple, &level); code != mpi::success) {
      throw RuntimeError("MPI_Init_thread has failed: " + library.error_text(code));
    }
    state.was_initialised_here = true;
  }
  if (level >= mpi::thread_multiple) return;
  constexpr std::array<const char*, 3> names = {"MPI_THREAD_SINGLE", "MPI_THREAD_FUNNELED", "MPI_THREAD_SERIALIZED"};
  throw RuntimeError(std::string("Rhyton needs MPI with MPI_THREAD_MULTIPLE, but it was initialised with ") +
                     names.at(static_cast<std::size_t>(std::max(level, 0))) + " by " +
                     (state.was_initialised_here
                          ? "Rhyton: this Open MPI offers no more."
                          : "the program: request it from MPI_Init_thread, or let Rhyton initialise MPI."));
}

/// Makes the group leave before a program finalises MPI itself: MPI_Finalize first deletes the attributes of
/// MPI_COMM_SELF.
void leave_at_finalize(const MpiLibrary& library, MpiProcessGroup& group) {
  const auto do_not_copy = [](mpi::Communicator, int, void*, void*, void*, int* flag) {
    *flag = 0;
    return mpi::success;
  };
  const auto leave = [](mpi::Communicator, int, void* value, void*) {
    static_cast<MpiProcessGroup*>(value)->leave();
    return mpi::success;
  };
  int keyval = 0;
  if (library.comm_create_keyval(do_not_copy, leave, &keyval, nullptr) != mpi::success ||
      library.comm_set_attr(library.self, keyval, &group) != mpi::success) {
    throw RuntimeError("MPI takes no attribute for MPI_COMM_SELF.");
  }
}

}  // namespace

std::shared_ptr<ProcessGroup> mpi_process_group() {
  auto& state = context().slot<MpiState>();
  const std::scoped_lock lock(state.mutex);
  if (state.group == nullptr) {
    const MpiLibrary& library = mpi_library();
    const std::chrono::milliseconds timeout = worker_timeout();
    initialize_mpi(library, state);
    auto group = std::make_shared<MpiProcessGroup>(library, timeout);
    leave_at_finalize(library, *group);
    state.group = std::move(group);
  }
  return state.group;
}

}  // namespace rhyton::distribute
