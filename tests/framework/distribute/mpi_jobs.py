"""How the jobs of several processes are started: with mpirun, on this machine, as root too, on as many cores as there are."""

import os
import subprocess
import sys

# The exit status of what could not be tested.
SKIPPED = 77
# A lost process ends the job within this time, in seconds.
PROMISED = 30
# Nothing here takes longer, on however busy a machine; beyond it the job hangs.
HANGING = 200


def add_arguments(parser):
    parser.add_argument("--mpirun", required=True)
    parser.add_argument("--program", required=True)


def require_mpirun(arguments):
    """Ends this program where there is no mpirun."""
    if not os.access(arguments.mpirun, os.X_OK):
        print("Skipped: there is no mpirun of Open MPI here (Debian: apt-get install openmpi-bin).")
        sys.exit(SKIPPED)


def start(arguments, processes, program_arguments, variables=None, **options):
    """The program as a job of that many processes, with these environment variables; `options` are those of Popen."""
    environment = dict(os.environ)
    environment.pop("RHYTON_WORKER_TIMEOUT", None)
    environment.update(
        # mpirun refuses root, as which containers run, unless it is told so twice.
        OMPI_ALLOW_RUN_AS_ROOT="1",
        OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
        OMPI_MCA_mpi_yield_when_idle="1",
        # Containers often forbid reading another process's memory.
        OMPI_MCA_btl_vader_single_copy_mechanism="none",
        # Open MPI leaves much to the system at its end; plugins that it has unloaded cannot be named in a list.
        ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0",
    )
    environment.update(variables or {})
    return subprocess.Popen(
        [arguments.mpirun, "--oversubscribe", "--bind-to", "none", "-np", str(processes), arguments.program,
         *program_arguments], env=environment, stdin=subprocess.DEVNULL, **options)


def start_and_read(arguments, processes, program_arguments, variables=None):
    """The same; what it prints is read from its `stdout`."""
    return start(arguments, processes, program_arguments, variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                 text=True, errors="replace")
