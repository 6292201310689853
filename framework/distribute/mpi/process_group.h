#pragma once

#include <memory>

#include <rhyton/framework/distribute/process_group.h>

namespace rhyton::distribute {

/// The processes that `mpirun` has started together with this one, as ranks of MPI_COMM_WORLD; a program that was
/// started without it is alone. Every call returns the same group.
///
/// The first call, which all processes must make, initialises MPI with MPI_THREAD_MULTIPLE unless the program has done
/// so, and begins to monitor the other processes (`Heartbeat`): one that is lost, or stopped for longer than
/// RHYTON_WORKER_TIMEOUT seconds (20 unless set), ends the job. MPI is finalised when the process ends, if it was
/// initialised here; a process that ends earlier than the others, for any reason, ends the job as soon as they wait for
/// it.
///
/// Throws RuntimeError when there is no Open MPI (`MpiLibrary`), when the program has initialised MPI with less than
/// MPI_THREAD_MULTIPLE, and when MPI was finalised already; ValueError for a malformed RHYTON_WORKER_TIMEOUT.
std::shared_ptr<ProcessGroup> mpi_process_group();

}  // namespace rhyton::distribute
