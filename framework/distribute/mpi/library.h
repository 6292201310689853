#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace rhyton::distribute {

/// The part of Open MPI's binary interface (versions 4 and 5) that is used here, under the standard's names.
namespace mpi {

using Communicator = struct CommunicatorHandle*;
using Datatype = struct DatatypeHandle*;
using Request = struct RequestHandle*;
using ErrorHandler = struct ErrorHandlerHandle*;

/// MPI_Status. Open MPI writes the first five members; the rest is reserved for versions that have more of them.
struct Status {
  int source = 0;
  int tag = 0;
  int error = 0;
  int cancelled = 0;
  std::size_t bytes = 0;
  std::size_t reserved[4] = {};
};

inline constexpr int success = 0;
inline constexpr int any_source = -1;
inline constexpr int any_tag = -1;
/// The levels of thread support, MPI_THREAD_SINGLE to MPI_THREAD_MULTIPLE.
inline constexpr int thread_single = 0;
inline constexpr int thread_multiple = 3;
inline constexpr int max_error_string = 256;

using CopyAttribute = int (*)(Communicator, int keyval, void* extra, void* in, void* out, int* flag);
using DeleteAttribute = int (*)(Communicator, int keyval, void* value, void* extra);

}  // namespace mpi

/// Open MPI, loaded when the program runs: nothing is compiled against it or linked with it. The members are MPI's own
/// functions and objects.
class MpiLibrary {
 public:
  /// Loads the file that the environment variable RHYTON_MPI_LIBRARY names, else libmpi.so.40, else libmpi.so. Throws
  /// RuntimeError that states what to install when there is none, and one that names the library when it is another MPI
  /// than Open MPI.
  MpiLibrary();
  /// Loads that file. Throws as the other constructor.
  explicit MpiLibrary(const std::string& file);

  /// The library's version string: "Open MPI v4.1.4, package: …".
  const std::string& version() const { return version_; }
  /// The text for the return value of an MPI function.
  std::string error_text(int code) const;

  int (*init_thread)(int*, char***, int required, int* provided) = nullptr;
  int (*initialized)(int*) = nullptr;
  int (*query_thread)(int*) = nullptr;
  int (*finalize)() = nullptr;
  int (*finalized)(int*) = nullptr;
  int (*abort)(mpi::Communicator, int) = nullptr;
  int (*error_string)(int, char*, int*) = nullptr;

  int (*comm_dup)(mpi::Communicator, mpi::Communicator*) = nullptr;
  int (*comm_free)(mpi::Communicator*) = nullptr;
  int (*comm_size)(mpi::Communicator, int*) = nullptr;
  int (*comm_rank)(mpi::Communicator, int*) = nullptr;
  int (*comm_set_errhandler)(mpi::Communicator, mpi::ErrorHandler) = nullptr;
  int (*comm_create_keyval)(mpi::CopyAttribute, mpi::DeleteAttribute, int*, void*) = nullptr;
  int (*comm_set_attr)(mpi::Communicator, int, void*) = nullptr;

  int (*isend)(const void*, int, mpi::Datatype, int, int, mpi::Communicator, mpi::Request*) = nullptr;
  int (*irecv)(void*, int, mpi::Datatype, int, int, mpi::Communicator, mpi::Request*) = nullptr;
  int (*recv)(void*, int, mpi::Datatype, int, int, mpi::Communicator, mpi::Status*) = nullptr;
  int (*iprobe)(int, int, mpi::Communicator, int*, mpi::Status*) = nullptr;
  int (*test)(mpi::Request*, int*, mpi::Status*) = nullptr;
  int (*testall)(int, mpi::Request*, int*, mpi::Status*) = nullptr;
  int (*ibcast)(void*, int, mpi::Datatype, int, mpi::Communicator, mpi::Request*) = nullptr;
  int (*ibarrier)(mpi::Communicator, mpi::Request*) = nullptr;
  int (*iallgather)(const void*, int, mpi::Datatype, void*, int, mpi::Datatype, mpi::Communicator,
                    mpi::Request*) = nullptr;

  /// MPI_COMM_WORLD and MPI_COMM_SELF.
  mpi::Communicator world = nullptr;
  mpi::Communicator self = nullptr;
  /// MPI_BYTE.
  mpi::Datatype byte = nullptr;
  /// MPI_REQUEST_NULL.
  mpi::Request no_request = nullptr;
  /// MPI_ERRORS_RETURN.
  mpi::ErrorHandler errors_return = nullptr;

 private:
  struct Unload {
    void operator()(void* handle) const;
  };

  void* symbol(const char* name) const;
  template <class Function>
  void find(Function*& function, const char* name) const;
  void identify(const std::string& file);

  std::unique_ptr<void, Unload> handle_;
  std::string version_;
};

/// The MPI of this process, loaded at the first call. Throws as `MpiLibrary` does.
const MpiLibrary& mpi_library();

}  // namespace rhyton::distribute
