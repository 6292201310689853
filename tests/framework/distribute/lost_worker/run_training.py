#!/usr/bin/env python3
"""A training with two processes loses one; restarted with another number of processes, it ends with the same result.

    run_training.py --mpirun MPIRUN --program PROGRAM {killed,stopped,interrupted}

An interrupted one, of which only the last process gets SIGINT, ends regularly on all processes after the same step.

Exits with 0 if all expectations hold, with 77 if there is no mpirun.
"""

import argparse
import os
import re
import signal
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import mpi_jobs  # noqa: E402

EPOCHS = 6
SIGNALS = {"killed": signal.SIGKILL, "stopped": signal.SIGSTOP, "interrupted": signal.SIGINT}


def start(arguments, processes, folder, milliseconds):
    return mpi_jobs.start_and_read(arguments, processes, [folder, str(EPOCHS), str(milliseconds)],
                                   {"RHYTON_WORKER_TIMEOUT": "3"})


def run_to_the_end(arguments, processes, folder):
    """The epochs that it trained, and the last one's loss."""
    job = start(arguments, processes, folder, 0)
    output, _ = job.communicate(timeout=mpi_jobs.HANGING)
    found = re.search(r"ended after (\d+) epochs here with loss ([0-9.e-]+)", output)
    if job.returncode != 0 or not found:
        sys.exit(f"a job of {processes} processes ended with {job.returncode}:\n{output}")
    return int(found[1]), float(found[2])


def lose_one(arguments, folder, number):
    """Sends the signal to the last of two processes in the fourth epoch."""
    job = start(arguments, 2, folder, 100)
    output, pids = "", {}
    for line in job.stdout:
        output += line
        found = re.search(r"rank (\d+) is process (\d+)", line)
        if found:
            pids[int(found[1])] = int(found[2])
        if "epoch 3 begins" in line:
            break
    begin = time.monotonic()
    os.kill(pids[1], number)
    rest, _ = job.communicate(timeout=mpi_jobs.HANGING)
    seconds = time.monotonic() - begin
    if number == signal.SIGINT:
        steps = re.findall(r"rank \d+ is interrupted after (\d+) steps", rest)
        if job.returncode != 130 or len(steps) != 2 or len(set(steps)) != 1:
            sys.exit(f"the interrupted job ended with {job.returncode} after {seconds:.0f} s:\n{output}{rest}")
    elif job.returncode == 0 or seconds > mpi_jobs.PROMISED or not re.search(r"rank 1\b", rest):
        sys.exit(f"after signal {number} the job ended with {job.returncode} after {seconds:.0f} s:\n{output}{rest}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    mpi_jobs.add_arguments(parser)
    parser.add_argument("how", choices=list(SIGNALS))
    arguments = parser.parse_args()
    mpi_jobs.require_mpirun(arguments)
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a background job ignores it, as would its processes
    with tempfile.TemporaryDirectory() as folder:
        epochs, expected = run_to_the_end(arguments, 1, os.path.join(folder, "whole"))
        assert epochs == EPOCHS
        backup = os.path.join(folder, "interrupted")
        lose_one(arguments, backup, SIGNALS[arguments.how])
        epochs, loss = run_to_the_end(arguments, 3, backup)
        if not 0 < epochs < EPOCHS:
            sys.exit(f"it did not go on from the backup: {epochs} epochs were trained")
        if abs(loss - expected) > 1e-4 * expected:
            sys.exit(f"the loss is {loss}, without interruption {expected}")
        leftovers = [name for name in os.listdir(backup) if name.endswith(".tmp")]
        if leftovers:
            sys.exit(f"half-written files are left: {leftovers}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
