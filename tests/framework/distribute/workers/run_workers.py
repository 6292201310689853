#!/usr/bin/env python3
"""Runs a test program in several processes.

    run_workers.py --mpirun MPIRUN --program PROGRAM --processes N

Exits with mpirun's status, with 77 if there is no mpirun.
"""

import argparse
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import mpi_jobs  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    mpi_jobs.add_arguments(parser)
    parser.add_argument("--processes", type=int, required=True)
    arguments = parser.parse_args()
    mpi_jobs.require_mpirun(arguments)
    job = mpi_jobs.start(arguments, arguments.processes, ["--gtest_brief=1"], {"RHYTON_TEST_JOB": str(os.getpid())})
    return job.wait()


if __name__ == "__main__":
    sys.exit(main())
