#include <rhyton/framework/backends/gpu/nccl/library.h>

#if __has_include(<nccl.h>)

#include <dlfcn.h>

#include <optional>

#include <fmt/format.h>

#include <rhyton/framework/device/device_log.h>
#include <rhyton/framework/environment.h>
#include <rhyton/framework/error.h>

namespace rhyton::gpu {
namespace {

NotFoundError not_found(const std::string& why) {
  return NotFoundError("Nccl kernel is not found, not using nccl allreduce. " + why +
                       ". The environment variable RHYTON_NCCL_LIBRARY names the file of another NCCL.");
}

template <class Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
}

template <class Function>
void require(void* library, const char* name, Function& function) {
  find(library, name, function);
  if (function == nullptr) throw not_found("It lacks the function " + std::string(name));
}

/// The result of the search.
struct Search {
  std::optional<NcclLibrary> found;
  std::string problem;
};

Search search() {
  try {
    const NcclLibrary library =
        load_nccl_library(std::string(environment_if_set("RHYTON_NCCL_LIBRARY").value_or("libnccl.so.2")));
    log_device_event(describe(library));
    return {.found = library, .problem = {}};
  } catch (const NotFoundError& error) {
    return {.found = {}, .problem = error.what()};
  }
}

}  // namespace

NcclLibrary load_nccl_library(const std::string& file) {
  // Stays loaded: communicators may be needed until the program ends.
  void* const library = dlopen(file.empty() ? nullptr : file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw not_found(dlerror());
  NcclLibrary functions;
  require(library, "ncclGetVersion", functions.get_version);
  require(library, "ncclGetErrorString", functions.get_error_string);
  find(library, "ncclGetLastError", functions.get_last_error);
  require(library, "ncclGetUniqueId", functions.get_unique_id);
  require(library, "ncclCommInitRank", functions.comm_init_rank);
  require(library, "ncclCommDestroy", functions.comm_destroy);
  require(library, "ncclCommAbort", functions.comm_abort);
  require(library, "ncclCommGetAsyncError", functions.comm_get_async_error);
  require(library, "ncclAllReduce", functions.all_reduce);
  require(library, "ncclGroupStart", functions.group_start);
  require(library, "ncclGroupEnd", functions.group_end);
  return functions;
}

const NcclLibrary& nccl_library() {
  static const Search result = search();
  if (!result.found) throw NotFoundError(result.problem);
  return *result.found;
}

std::string describe(const NcclLibrary& library) {
  int version = 0;
  library.get_version(&version);
  // Older versions have the major version in the thousands: 2708 is 2.7.8.
  const int major_unit = version < 10000 ? 1000 : 10000;
  Dl_info info{};
  const bool has_file =
      dladdr(reinterpret_cast<const void*>(library.get_version), &info) != 0 && info.dli_fname != nullptr;
  return fmt::format("NCCL {}.{}.{}, in {}", version / major_unit, version % major_unit / 100, version % 100,
                     has_file ? info.dli_fname : "an unknown file");
}

std::string nccl_error_text(const NcclLibrary& library, ncclResult_t result, ncclComm_t communicator) {
  std::string text = library.get_error_string(result);
  const char* const details = library.get_last_error == nullptr ? nullptr : library.get_last_error(communicator);
  if (details != nullptr && *details != '\0') text.append(": ").append(details);
  while (!text.empty() && (text.back() == '\n' || text.back() == '.')) text.pop_back();
  return text;
}

}  // namespace rhyton::gpu

#endif
