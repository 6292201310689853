#pragma once

#if __has_include(<nccl.h>)

#include <nccl.h>

#include <string>

namespace rhyton::gpu {

/// The functions of NCCL, which is searched for at first use and never linked: one GPU does not need it.
struct NcclLibrary {
  decltype(&ncclGetVersion) get_version = nullptr;
  decltype(&ncclGetErrorString) get_error_string = nullptr;
  /// Null before NCCL 2.13.
  decltype(&ncclGetLastError) get_last_error = nullptr;
  decltype(&ncclGetUniqueId) get_unique_id = nullptr;
  decltype(&ncclCommInitRank) comm_init_rank = nullptr;
  decltype(&ncclCommDestroy) comm_destroy = nullptr;
  decltype(&ncclCommAbort) comm_abort = nullptr;
  decltype(&ncclCommGetAsyncError) comm_get_async_error = nullptr;
  decltype(&ncclAllReduce) all_reduce = nullptr;
  decltype(&ncclGroupStart) group_start = nullptr;
  decltype(&ncclGroupEnd) group_end = nullptr;
};

/// NCCL from a file, which is searched for as `dlopen` does; from the program itself where `file` is empty. Throws
/// NotFoundError if there is none, or if it lacks a function.
NcclLibrary load_nccl_library(const std::string& file);

/// NCCL from the file that the environment variable RHYTON_NCCL_LIBRARY names, else from libnccl.so.2; searched for
/// once. Throws NotFoundError as above.
const NcclLibrary& nccl_library();

/// "NCCL 2.28.9, in /usr/lib/libnccl.so.2".
std::string describe(const NcclLibrary& library);

/// NCCL's error text: "unhandled cuda error: …". `communicator` may be null.
std::string nccl_error_text(const NcclLibrary& library, ncclResult_t result, ncclComm_t communicator);

}  // namespace rhyton::gpu

#endif
