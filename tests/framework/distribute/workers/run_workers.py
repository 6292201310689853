#!/usr/bin/env python3
"""Runs a program of tests in several processes.

    run_workers.py --mpirun MPIRUN --program PROGRAM --processes N

Exits with mpirun's status, with 77 where there is no mpirun.
"""

import argparse
import os
import subprocess
import sys

SKIPPED = 77


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mpirun", required=True)
    parser.add_argument("--program", required=True)
    parser.add_argument("--processes", type=int, required=True)
    arguments = parser.parse_args()
    if not os.access(arguments.mpirun, os.X_OK):
        print("Skipped: there is no mpirun of Open MPI here (Debian: apt-get install openmpi-bin).")
        return SKIPPED
    # mpirun refuses root, as which containers run, unless it is told so twice; they often forbid reading another
    # process's memory.
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                       OMPI_MCA_mpi_yield_when_idle="1", OMPI_MCA_btl_vader_single_copy_mechanism="none",
                       # What Open MPI leaves behind is its own affair.
                       ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0",
                       RHYTON_TEST_JOB=str(os.getpid()))
    return subprocess.run([arguments.mpirun, "--oversubscribe", "--bind-to", "none", "-np", str(arguments.processes),
                           arguments.program, "--gtest_brief=1"], env=environment, stdin=subprocess.DEVNULL).returncode


if __name__ == "__main__":
    sys.exit(main())
