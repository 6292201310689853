#include <rhyton/framework/distribute/mpi/library.h>

#include <dlfcn.h>

#include <initializer_list>
#include <string_view>

#include <rhyton/framework/context.h>
#include <rhyton/framework/environment.h>
#include <rhyton/framework/error.h>

namespace rhyton::distribute {
namespace {

// Global, as Open MPI's own plugins search for its symbols there.
void* open_library(const char* file) { return dlopen(file, RTLD_NOW | RTLD_GLOBAL); }

[[noreturn]] void throw_missing(const std::string& problem) {
  throw RuntimeError("Training with several processes needs Open MPI, which was not found: " + problem +
                     ". Install it (on Debian and Ubuntu: apt-get install openmpi-bin), or let the environment "
                     "variable RHYTON_MPI_LIBRARY name its libmpi.so.");
}

/// The first of these files that can be opened.
std::string first_that_opens(std::initializer_list<const char*> files) {
  std::string problems;
  for (const char* const file : files) {
    if (void* const handle = open_library(file)) {
      dlclose(handle);
      return file;
    }
    problems += (problems.empty() ? "" : "; ") + std::string(dlerror());
  }
  throw_missing(problems);
}

std::string file_to_load() {
  const std::string_view wanted = environment("RHYTON_MPI_LIBRARY");
  if (!wanted.empty()) return std::string(wanted);
  return first_that_opens({"libmpi.so.40", "libmpi.so"});
}

}  // namespace

void MpiLibrary::Unload::operator()(void* handle) const { dlclose(handle); }

MpiLibrary::MpiLibrary() : MpiLibrary(file_to_load()) {}

MpiLibrary::MpiLibrary(const std::string& file) : handle_(open_library(file.c_str())) {
  if (handle_ == nullptr) throw_missing(dlerror());
  identify(file);

  find(init_thread, "MPI_Init_thread");
  find(initialized, "MPI_Initialized");
  find(query_thread, "MPI_Query_thread");
  find(finalize, "MPI_Finalize");
  find(finalized, "MPI_Finalized");
  find(abort, "MPI_Abort");
  find(error_string, "MPI_Error_string");
  find(comm_dup, "MPI_Comm_dup");
  find(comm_free, "MPI_Comm_free");
  find(comm_size, "MPI_Comm_size");
  find(comm_rank, "MPI_Comm_rank");
  find(comm_set_errhandler, "MPI_Comm_set_errhandler");
  find(comm_create_keyval, "MPI_Comm_create_keyval");
  find(comm_set_attr, "MPI_Comm_set_attr");
  find(isend, "MPI_Isend");
  find(irecv, "MPI_Irecv");
  find(recv, "MPI_Recv");
  find(iprobe, "MPI_Iprobe");
  find(test, "MPI_Test");
  find(testall, "MPI_Testall");
  find(ibcast, "MPI_Ibcast");
  find(ibarrier, "MPI_Ibarrier");
  find(iallgather, "MPI_Iallgather");

  // Open MPI's handles are the addresses of these objects.
  world = static_cast<mpi::Communicator>(symbol("ompi_mpi_comm_world"));
  self = static_cast<mpi::Communicator>(symbol("ompi_mpi_comm_self"));
  byte = static_cast<mpi::Datatype>(symbol("ompi_mpi_byte"));
  no_request = static_cast<mpi::Request>(symbol("ompi_request_null"));
  errors_return = static_cast<mpi::ErrorHandler>(symbol("ompi_mpi_errors_return"));
}

void* MpiLibrary::symbol(const char* name) const {
  void* const found = dlsym(handle_.get(), name);
  if (found == nullptr) throw RuntimeError(version_ + " lacks '" + name + "'; Rhyton needs Open MPI 4 or 5.");
  return found;
}

template <class Function>
void MpiLibrary::find(Function*& function, const char* name) const {
  function = reinterpret_cast<Function*>(symbol(name));
}

void MpiLibrary::identify(const std::string& file) {
  version_ = "'" + file + "'";
  // One of the few functions that may be called before MPI_Init.
  int (*get_library_version)(char*, int*) = nullptr;
  find(get_library_version, "MPI_Get_library_version");
  char text[8192] = {};  // other libraries have longer texts than Open MPI's 256
  int length = 0;
  get_library_version(text, &length);
  version_ = text;
  while (!version_.empty() && (version_.back() == '\n' || version_.back() == ' ')) version_.pop_back();
  if (std::string_view(version_).find("Open MPI") == std::string_view::npos) {
    throw RuntimeError("'" + file + "' is not Open MPI, which Rhyton needs, but '" +
                       version_.substr(0, version_.find('\n')) +
                       "'. Let the environment variable RHYTON_MPI_LIBRARY name Open MPI's libmpi.so, and start the "
                       "processes with Open MPI's mpirun.");
  }
}

std::string MpiLibrary::error_text(int code) const {
  char text[mpi::max_error_string + 1] = {};
  int length = 0;
  if (error_string(code, text, &length) != mpi::success) return "error " + std::to_string(code);
  return text;
}

const MpiLibrary& mpi_library() { return context().slot<MpiLibrary>(); }

}  // namespace rhyton::distribute
