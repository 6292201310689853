"""Starts jobs of several processes: with mpirun, on this machine, also as root, on as many cores as there are."""

import atexit
import os
import shutil
import subprocess
import sys
import tempfile

# The exit status of skipped tests.
SKIPPED = 77
# A lost process ends the job within this time, in seconds.
PROMISED = 30
# Nothing here takes longer, even on a busy machine; beyond it the job is deadlocked.
HANGING = 200


def add_arguments(parser):
    parser.add_argument("--mpirun", required=True)
    parser.add_argument("--program", required=True)


def require_mpirun(arguments):
    """Ends this program if there is no mpirun."""
    if not os.access(arguments.mpirun, os.X_OK):
        print("Skipped: there is no mpirun of Open MPI here (Debian: apt-get install openmpi-bin).")
        sys.exit(SKIPPED)


def start(arguments, processes, program_arguments, variables=None, **options):
    """Starts the program as a job of that many processes, with these environment variables; `options` are for Popen."""
    # By default all jobs of a user share one folder, and a job does not start where another creates that one just then.
    session = tempfile.mkdtemp(prefix="rhyton-mpi-")
    atexit.register(shutil.rmtree, session, ignore_errors=True)
    environment = dict(os.environ)
    environment.pop("RHYTON_WORKER_TIMEOUT", None)
    environment.update(
        # mpirun refuses to run as root, which containers use, unless it is allowed twice.
        OMPI_ALLOW_RUN_AS_ROOT="1",
        OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
        OMPI_MCA_mpi_yield_when_idle="1",
        OMPI_MCA_orte_tmpdir_base=session,
        # Containers often forbid reading another process's memory.
        OMPI_MCA_btl_vader_single_copy_mechanism="none",
        # Open MPI does not free all its memory at its end; a suppression list cannot name plugins that it has unloaded.
        ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0",
    )
    environment.update(variables or {})
    return subprocess.Popen(
        [arguments.mpirun, "--oversubscribe", "--bind-to", "none", "-np", str(processes), arguments.program,
         *program_arguments], env=environment, stdin=subprocess.DEVNULL, **options)


def start_and_read(arguments, processes, program_arguments, variables=None):
    """The same; its output is read from its `stdout`."""
    return start(arguments, processes, program_arguments, variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                 text=True, errors="replace")
