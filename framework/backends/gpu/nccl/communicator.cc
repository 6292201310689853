#include <rhyton/framework/backends/gpu/nccl/communicator.h>

#if __has_include(<nccl.h>)

#include <chrono>
#include <cstring>
#include <exception>
#include <span>

#include <fmt/format.h>

#include <rhyton/framework/backends/gpu/runtime/check.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/reduction_neighbours.h>

namespace rhyton::gpu {
namespace {

constexpr const char* left_group = "the group was left because a member has failed";

ncclDataType_t nccl_type(DType dtype) {
  switch (dtype) {
    case DType::float32:
      return ncclFloat32;
    case DType::float64:
      return ncclFloat64;
    case DType::float16:
      return ncclFloat16;
    case DType::bfloat16:
      return ncclBfloat16;
    case DType::int32:
      return ncclInt32;
    case DType::int64:
      return ncclInt64;
    case DType::uint8:
    case DType::bool_:
    case DType::int8:
    case DType::int16:
    case DType::uint16:
    case DType::uint32:
      break;
  }
  throw InvalidArgumentError("AllReduce: tensors of " + std::string(name_of(dtype)) + " cannot be summed.");
}

/// Calls `body` for each buffer that is not empty; contiguous ones are merged.
template <class Body>
void for_each_joined(std::span<const ReductionBuffer> buffers, const Body& body) {
  ReductionBuffer joined;
  for (const ReductionBuffer& buffer : buffers) {
    if (buffer.elements == 0) continue;
    if (joined.elements != 0 && are_neighbours(joined, buffer)) {
      joined.elements += buffer.elements;
      continue;
    }
    if (joined.elements != 0) body(joined);
    joined = buffer;
  }
  if (joined.elements != 0) body(joined);
}

GpuStream& stream_of_gpu(LogicalDevice& device) {
  if (device.type() == "GPU") return static_cast<GpuStream&>(device.stream());
  throw ValueError("NCCL sums over GPUs; '" + device.full_name() + "' is none.");
}

}  // namespace

NcclCommunicator::NcclCommunicator(const std::string& id, int size, int rank, LogicalDevice& device)
    : nccl_(nccl_library()),
      size_(size),
      rank_(rank),
      device_(device),
      stream_(stream_of_gpu(device)),
      exceptions_at_start_(std::uncaught_exceptions()) {
  if (id.size() != sizeof(ncclUniqueId)) {
    throw ValueError(fmt::format("The id of a group of NCCL has {} bytes, not {}.", sizeof(ncclUniqueId), id.size()));
  }
  if (size < 1 || rank < 0 || rank >= size) {
    throw ValueError(fmt::format("A group of {} members has no rank {}.", size, rank));
  }
  join(id);
}

NcclCommunicator::~NcclCommunicator() {
  const std::scoped_lock lock(mutex_);
  const ncclComm_t communicator = communicator_.exchange(nullptr);
  if (communicator == nullptr) return;
  ncclResult_t lost = ncclSuccess;
  const bool is_well = failure_.empty() && std::uncaught_exceptions() <= exceptions_at_start_ &&
                       nccl_.comm_get_async_error(communicator, &lost) == ncclSuccess && lost == ncclSuccess;
  const bool is_done = is_well && cudaSetDevice(stream_.ordinal()) == cudaSuccess &&
                       cudaStreamSynchronize(stream_.handle()) == cudaSuccess;
  if (is_done) {
    nccl_.comm_destroy(communicator);
  } else {
    nccl_.comm_abort(communicator);
  }
}

void NcclCommunicator::join(const std::string& id) {
  ncclUniqueId unique_id;
  std::memcpy(&unique_id, id.data(), sizeof unique_id);
  stream_.make_current();
  ncclComm_t communicator = nullptr;
  const ncclResult_t result = nccl_.comm_init_rank(&communicator, size_, unique_id, rank_);
  communicator_ = communicator;
  require_success(result, "ncclCommInitRank");
}

void NcclCommunicator::all_reduce(std::span<const ReductionBuffer> buffers, Stream* stream) {
  if (stream != &stream_) {
    throw ValueError("AllReduce: the memory is to be that of '" + device_.full_name() +
                     "', and the work to go into its stream.");
  }
  int calls = 0;
  for_each_joined(buffers, [&](const ReductionBuffer& buffer) {
    static_cast<void>(nccl_type(buffer.dtype));
    ++calls;
  });
  if (calls == 0) return;
  const std::scoped_lock stream_lock(stream_.mutex());
  const std::scoped_lock lock(mutex_);
  throw_if_lost();
  const ncclComm_t communicator = communicator_;
  stream_.make_current();
  // One launch for all of them. The group has to be ended even after an error.
  if (calls > 1) require_success(nccl_.group_start(), "ncclGroupStart");
  ncclResult_t result = ncclSuccess;
  for_each_joined(buffers, [&](const ReductionBuffer& buffer) {
    if (result != ncclSuccess) return;
    result = nccl_.all_reduce(buffer.input, buffer.output, static_cast<std::size_t>(buffer.elements),
                              nccl_type(buffer.dtype), ncclSum, communicator, stream_.handle());
  });
  const ncclResult_t end = calls > 1 ? nccl_.group_end() : ncclSuccess;
  require_success(result, "ncclAllReduce");
  require_success(end, "ncclGroupEnd");
}

std::string NcclCommunicator::description() const { return fmt::format("{} GPUs through NCCL", size_); }

void NcclCommunicator::abort() noexcept {
  // A call that does not wait for the other members ends within this time; one that does ends by the abort, which NCCL
  // allows at the same time.
  constexpr std::chrono::milliseconds longest_call(200);
  is_left_ = true;
  const std::unique_lock lock(mutex_, longest_call);
  const ncclComm_t communicator = communicator_.exchange(nullptr);
  if (communicator != nullptr) nccl_.comm_abort(communicator);
}

void NcclCommunicator::throw_if_lost() {
  if (is_left_) fail(left_group);
  if (!failure_.empty()) fail(failure_);
  ncclResult_t lost = ncclSuccess;
  require_success(nccl_.comm_get_async_error(communicator_, &lost), "ncclCommGetAsyncError");
  require_success(lost, "A sum given earlier");
}

void NcclCommunicator::require_success(ncclResult_t result, const char* call) {
  // A call that was ended by `abort` may return anything, and its communicator is gone.
  if (is_left_) fail(left_group);
  if (result == ncclSuccess) return;
  failure_ = fmt::format("{} failed with {}", call, nccl_error_text(nccl_, result, communicator_));
  fail(failure_);
}

void NcclCommunicator::fail(const std::string& what) {
  throw RuntimeError(
      fmt::format("AllReduce on '{}' (rank {} of {} of NCCL): {}.", device_.full_name(), rank_, size_, what));
}

}  // namespace rhyton::gpu

#endif
