#pragma once

#if __has_include(<nccl.h>)

#include <nccl.h>

#include <string>

namespace rhyton::gpu {

/// The functions of NCCL, which is looked for when they are first asked for and never linked: one GPU needs none of it.
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

/// NCCL as it stands in a file, which is looked for as `dlopen` does; in the program itself where `file` is empty.
/// Throws NotFoundError where there is none, or where it lacks a function.
NcclLibrary load_nccl_library(const std::string& file);

/// NCCL from the file that RHYTON_NCCL_LIBRARY names in the environment, else from libnccl.so.2; looked for once.
/// Throws NotFoundError as above.
const NcclLibrary& nccl_library();

/// "NCCL 2.28.9, in /usr/lib/libnccl.so.2".
std::string describe(const NcclLibrary& library);

/// What has gone wrong, in NCCL's words: "unhandled cuda error: …". `communicator` may be null.
std::string nccl_error_text(const NcclLibrary& library, ncclResult_t result, ncclComm_t communicator);

}  // namespace rhyton::gpu

#endif
