#include <nccl.h>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <calls.h>
#include <device_memory.h>
#include <nccl_emulation.h>
#include <streams.h>

using namespace rhyton::cuda_emulation;

namespace {

/// One rank's side of a sum.
struct Call {
  const void* source;
  void* target;
  std::size_t count;
  ncclDataType_t type;
};

/// A sum that some ranks have called.
struct Exchange {
  std::vector<Call> calls;
  std::shared_ptr<JointAction> joint_action;
};

/// The ranks that were created from one id.
struct Group {
  explicit Group(int ranks) : devices(static_cast<std::size_t>(ranks), -1) {}

  int ranks() const { return static_cast<int>(devices.size()); }

  /// By rank; -1 for missing ranks.
  std::vector<int> devices;
  int arrived = 0;
  ncclResult_t error = ncclSuccess;
  /// By number; sums that all ranks have called are removed.
  std::map<std::int64_t, Exchange> exchanges;
};

}  // namespace

struct ncclComm {
  std::shared_ptr<Group> group;
  int rank;
  int device;
  /// Sums that were queued, including those of graph launches.
  std::int64_t sums = 0;
  ncclResult_t async_error = ncclSuccess;
  bool is_aborted = false;
  std::vector<std::weak_ptr<Queued>> queued{};
  /// Graphs that include this communicator hold copies of it.
  std::shared_ptr<const int> recordings = std::make_shared<const int>(0);
};

namespace {

using Communicator = std::shared_ptr<ncclComm>;

std::map<ncclComm_t, Communicator>& communicators() {
  static auto& all = *new std::map<ncclComm_t, Communicator>();
  return all;
}

std::map<std::string, std::shared_ptr<Group>>& groups() {
  static auto& all = *new std::map<std::string, std::shared_ptr<Group>>();
  return all;
}

std::vector<std::pair<std::string, ncclResult_t>> planned_failures;
NcclCounters counted_calls;
bool blocks_next_sum = false;
std::int64_t unique_ids = 0;

// The sums of the group that this thread has opened.
thread_local int open_groups = 0;
thread_local ncclResult_t group_error = ncclSuccess;
thread_local std::vector<std::function<ncclResult_t()>> grouped;
thread_local std::string last_error;

ncclResult_t failure(ncclResult_t error, std::string text) {
  last_error = std::move(text);
  if (open_groups > 0) group_error = error;
  return error;
}

template <class Body>
ncclResult_t nccl_call(std::string_view function, const Body& body) {
  const std::scoped_lock lock(mutex());
  const auto planned = std::ranges::find(planned_failures, function, &std::pair<std::string, ncclResult_t>::first);
  if (planned != planned_failures.end()) {
    const ncclResult_t error = planned->second;
    planned_failures.erase(planned);
    return failure(error, std::string(function) + " was told to fail");
  }
  return body();
}

Communicator find(ncclComm_t handle) {
  const auto found = communicators().find(handle);
  return found == communicators().end() ? nullptr : found->second;
}

std::size_t bytes_of(ncclDataType_t type) {
  switch (type) {
    case ncclFloat64:
    case ncclInt64:
    case ncclUint64:
      return 8;
    case ncclFloat32:
    case ncclInt32:
    case ncclUint32:
      return 4;
    case ncclFloat16:
    case ncclBfloat16:
      return 2;
    default:
      return 1;
  }
}

// Sums in the order of the ranks. `add` returns the sum of two elements, rounded to their type.
template <class T, class Add>
void sum_elements(const std::vector<Call>& calls, const Add& add) {
  for (std::size_t i = 0; i < calls.front().count; ++i) {
    T sum = static_cast<const T*>(calls.front().source)[i];
    for (std::size_t rank = 1; rank < calls.size(); ++rank)
      sum = add(sum, static_cast<const T*>(calls[rank].source)[i]);
    for (const Call& call : calls) static_cast<T*>(call.target)[i] = sum;
  }
}

template <class T>
void sum_numbers(const std::vector<Call>& calls) {
  sum_elements<T>(calls, [](T a, T b) { return static_cast<T>(a + b); });
}

void sum(const std::vector<Call>& calls) {
  switch (calls.front().type) {
    case ncclFloat32:
      return sum_numbers<float>(calls);
    case ncclFloat64:
      return sum_numbers<double>(calls);
    case ncclFloat16:
      return sum_elements<__half>(
          calls, [](__half a, __half b) { return __float2half_rn(__half2float(a) + __half2float(b)); });
    case ncclBfloat16:
      return sum_elements<__nv_bfloat16>(calls, [](__nv_bfloat16 a, __nv_bfloat16 b) {
        return __float2bfloat16_rn(__bfloat162float(a) + __bfloat162float(b));
      });
    // Unsigned, since integers wrap around.
    case ncclInt32:
    case ncclUint32:
      return sum_numbers<std::uint32_t>(calls);
    case ncclInt64:
    case ncclUint64:
      return sum_numbers<std::uint64_t>(calls);
    default:
      fail("Sums of the data type %d are not emulated.", static_cast<int>(calls.front().type));
  }
}

// Adds this rank's part to the sum that has the same number on the other ranks.
void meet(ncclComm& communicator, const Call& call, const std::shared_ptr<Queued>& queued) {
  if (communicator.is_aborted) return;
  Group& group = *communicator.group;
  const auto ranks = static_cast<std::size_t>(group.ranks());
  const std::int64_t number = communicator.sums++;
  auto& [calls, joint_action] = group.exchanges[number];
  if (joint_action == nullptr) {
    calls.resize(ranks);
    joint_action = std::make_shared<JointAction>(JointAction{.members = ranks});
  } else {
    const auto other = std::ranges::find_if(calls, [](const Call& each) { return each.source != nullptr; });
    if (other != calls.end() && (other->count != call.count || other->type != call.type)) {
      fail("The ranks of a communicator sum different things: %zu elements of type %d and %zu of type %d.",
           other->count, static_cast<int>(other->type), call.count, static_cast<int>(call.type));
    }
  }
  calls[static_cast<std::size_t>(communicator.rank)] = call;
  queued->joint_action = joint_action;
  joint_action->queued.push_back(queued);
  std::erase_if(communicator.queued, [](const std::weak_ptr<Queued>& each) {
    const std::shared_ptr<Queued> alive = each.lock();
    return alive == nullptr || alive->is_done;
  });
  communicator.queued.push_back(queued);
  if (joint_action->queued.size() < ranks) return;
  Devices devices = 0;
  for (const int device : group.devices) devices |= only(device);
  joint_action->work = {.run = [calls = calls] { sum(calls); }, .devices = devices};
  group.exchanges.erase(number);
}

ncclResult_t give(const Communicator& communicator, cudaStream_t handle, const Call& call) {
  CUstream_st* const stream = stream_of(handle);
  if (stream == nullptr) return failure(ncclUnhandledCudaError, "the stream has been destroyed");
  const std::shared_ptr<const int> recording = stream->capture == nullptr ? nullptr : communicator->recordings;
  const auto come = [communicator, recording, call](const std::shared_ptr<Queued>& queued) {
    meet(*communicator, call, queued);
  };
  const cudaError_t error = submit(stream, {.run = nullptr, .devices = 0, .meet = come});
  if (error != cudaSuccess) return failure(ncclUnhandledCudaError, cudaGetErrorString(error));
  ++counted_calls.all_reduces;
  return ncclSuccess;
}

bool is_memory_of(int device, const void* data, std::size_t bytes) {
  const Location location = locate(data, bytes);
  return location.kind == Kind::device && location.devices == only(device);
}

}  // namespace

namespace rhyton::cuda_emulation {

void fail_next_nccl(std::string_view function, ncclResult_t error) {
  const std::scoped_lock lock(mutex());
  planned_failures.emplace_back(function, error);
}

void set_nccl_async_error(ncclResult_t error) {
  const std::scoped_lock lock(mutex());
  for (const auto& [handle, communicator] : communicators()) communicator->async_error = error;
}

void block_next_nccl_sum() {
  const std::scoped_lock lock(mutex());
  blocks_next_sum = true;
}

NcclCounters nccl_counters() {
  const std::scoped_lock lock(mutex());
  return counted_calls;
}

}  // namespace rhyton::cuda_emulation

ncclResult_t ncclGetVersion(int* version) {
  if (version == nullptr) return ncclInvalidArgument;
  *version = NCCL_VERSION_CODE;
  return ncclSuccess;
}

const char* ncclGetErrorString(ncclResult_t result) {
  static constexpr std::array texts = {
      "no error",
      "unhandled cuda error (run with NCCL_DEBUG=INFO for details)",
      "unhandled system error (run with NCCL_DEBUG=INFO for details)",
      "internal error - please report this issue to the NCCL developers",
      "invalid argument (run with NCCL_DEBUG=WARN for details)",
      "invalid usage (run with NCCL_DEBUG=WARN for details)",
      "remote process exited or there was a network error",
      "NCCL operation in progress",
  };
  const auto index = static_cast<std::size_t>(result);
  return index < texts.size() ? texts[index] : "unknown result code";
}

const char* ncclGetLastError(ncclComm_t) { return last_error.c_str(); }

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  return nccl_call("ncclGetUniqueId", [&]() -> ncclResult_t {
    if (id == nullptr) return failure(ncclInvalidArgument, "the id is null");
    *id = {};
    // It contains a zero byte, as NCCL's ids may.
    const std::int64_t number = ++unique_ids;
    std::memcpy(id->internal + 8, &number, sizeof number);
    id->internal[NCCL_UNIQUE_ID_BYTES - 1] = 1;
    return ncclSuccess;
  });
}

ncclResult_t ncclCommInitRank(ncclComm_t* handle, int ranks, ncclUniqueId id, int rank) {
  return nccl_call("ncclCommInitRank", [&]() -> ncclResult_t {
    if (handle == nullptr || ranks < 1 || rank < 0 || rank >= ranks) {
      return failure(ncclInvalidArgument,
                     "Invalid rank requested : " + std::to_string(rank) + "/" + std::to_string(ranks));
    }
    if (open_groups > 0) return failure(ncclInvalidUsage, "communicators in groups are not emulated");
    *handle = nullptr;
    const std::string key(id.internal, sizeof id.internal);
    std::shared_ptr<Group>& entry = groups()[key];
    if (entry == nullptr) entry = std::make_shared<Group>(ranks);
    const std::shared_ptr<Group> group = entry;
    const auto index = static_cast<std::size_t>(rank);
    if (group->ranks() != ranks || group->devices[index] >= 0) {
      return failure(ncclInvalidUsage,
                     "rank " + std::to_string(rank) + " has come twice, or to another number of ranks");
    }
    for (std::size_t other = 0; other < group->devices.size(); ++other) {
      if (group->devices[other] != current_device()) continue;
      group->error = ncclInvalidUsage;
    }
    const int device = current_device();
    group->devices[index] = device;
    ++group->arrived;
    if (group->arrived == ranks) groups().erase(key);
    tell_waiting_threads();
    while (group->arrived < ranks) wait_for_other_threads();
    if (group->error != ncclSuccess) {
      return failure(group->error, "Duplicate GPU detected : ranks on one CUDA device");
    }
    const auto communicator = std::make_shared<ncclComm>(ncclComm{.group = group, .rank = rank, .device = device});
    communicators()[communicator.get()] = communicator;
    *handle = communicator.get();
    ++counted_calls.made;
    return ncclSuccess;
  });
}

ncclResult_t ncclCommDestroy(ncclComm_t handle) {
  return nccl_call("ncclCommDestroy", [&]() -> ncclResult_t {
    const Communicator communicator = find(handle);
    if (communicator == nullptr) return failure(ncclInvalidArgument, "the communicator does not exist");
    if (communicator->recordings.use_count() > 1) {
      fail("ncclCommDestroy would wait forever: a graph takes part in the communicator.");
    }
    for (const std::weak_ptr<Queued>& each : communicator->queued) {
      const std::shared_ptr<Queued> queued = each.lock();
      if (queued != nullptr && !queued->is_done) fail("A communicator is destroyed before its work is done.");
    }
    communicators().erase(handle);
    ++counted_calls.destroyed;
    return ncclSuccess;
  });
}

ncclResult_t ncclCommAbort(ncclComm_t handle) {
  return nccl_call("ncclCommAbort", [&]() -> ncclResult_t {
    const Communicator communicator = find(handle);
    if (communicator == nullptr) return failure(ncclInvalidArgument, "the communicator does not exist");
    communicator->is_aborted = true;
    for (const std::weak_ptr<Queued>& each : communicator->queued) {
      const std::shared_ptr<Queued> queued = each.lock();
      if (queued == nullptr || queued->joint_action == nullptr || queued->joint_action->is_over) continue;
      queued->joint_action->is_broken = true;
      queued->joint_action = nullptr;
    }
    communicators().erase(handle);
    ++counted_calls.aborted;
    tell_waiting_threads();
    return ncclSuccess;
  });
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t handle, ncclResult_t* error) {
  return nccl_call("ncclCommGetAsyncError", [&]() -> ncclResult_t {
    const Communicator communicator = find(handle);
    if (communicator == nullptr || error == nullptr) return failure(ncclInvalidArgument, "an argument is null");
    *error = communicator->async_error;
    return ncclSuccess;
  });
}

ncclResult_t ncclAllReduce(const void* source, void* target, size_t count, ncclDataType_t type, ncclRedOp_t operation,
                           ncclComm_t handle, cudaStream_t stream) {
  return nccl_call("ncclAllReduce", [&]() -> ncclResult_t {
    const Communicator communicator = find(handle);
    if (communicator == nullptr) return failure(ncclInvalidArgument, "AllReduce : comm argument is NULL");
    if (operation != ncclSum) return failure(ncclInvalidArgument, "AllReduce : only sums are emulated");
    if (device_of(stream) != communicator->device) {
      return failure(ncclUnhandledCudaError, "AllReduce : the stream belongs to another device");
    }
    if (current_device() != communicator->device) {
      return failure(ncclInvalidUsage, "AllReduce : another device is the current one");
    }
    if (count == 0) return ncclSuccess;
    if (std::exchange(blocks_next_sum, false)) {
      ++counted_calls.blocked;
      while (!communicator->is_aborted) wait_for_other_threads();
      return failure(ncclSystemError, "AllReduce : the communicator was aborted");
    }
    const std::size_t bytes = count * bytes_of(type);
    if (!is_memory_of(communicator->device, source, bytes) || !is_memory_of(communicator->device, target, bytes)) {
      return failure(ncclInvalidArgument, "AllReduce : a buffer is not of the communicator's device");
    }
    const Call call{source, target, count, type};
    if (open_groups == 0) return give(communicator, stream, call);
    grouped.emplace_back([communicator, stream, call] { return give(communicator, stream, call); });
    return ncclSuccess;
  });
}

ncclResult_t ncclGroupStart() {
  return nccl_call("ncclGroupStart", [] {
    ++open_groups;
    return ncclSuccess;
  });
}

ncclResult_t ncclGroupEnd() {
  return nccl_call("ncclGroupEnd", [] {
    if (open_groups == 0) return failure(ncclInvalidUsage, "ncclGroupEnd: not in a group call.");
    if (--open_groups > 0) return ncclSuccess;
    const std::vector<std::function<ncclResult_t()>> calls = std::exchange(grouped, {});
    ncclResult_t error = std::exchange(group_error, ncclSuccess);
    for (const auto& each : calls) {
      if (error == ncclSuccess) error = each();
    }
    ++counted_calls.groups;
    return error;
  });
}
