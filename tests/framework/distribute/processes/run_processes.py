#!/usr/bin/env python3
"""Runs the program `processes` under mpirun and checks the end of the job.

    run_processes.py --mpirun MPIRUN --program PROGRAM --processes N CHECK

CHECK is one of the functions below. Exits with 0 if all expectations hold, with 77 if there is no mpirun.
"""

import argparse
import os
import re
import signal
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import mpi_jobs  # noqa: E402


class Job:
    """One run of mpirun."""

    def __init__(self, arguments, cases, worker_timeout=None):
        self.size = arguments.processes
        self.last = self.size - 1
        self.pids = {}
        self.output = ""
        variables = {} if worker_timeout is None else {"RHYTON_WORKER_TIMEOUT": str(worker_timeout)}
        self.process = mpi_jobs.start_and_read(arguments, self.size, cases, variables)
        self.all_told = threading.Event()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is not None:
            return
        for pid in self.pids.values():
            self._signal(pid, signal.SIGKILL)
        self.process.terminate()  # mpirun then ends its processes
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()

    def _read(self):
        for line in self.process.stdout:
            self.output += line
            for rank, pid in re.findall(r"rank (\d+) is process (\d+)", line):
                self.pids[int(rank)] = int(pid)
            if len(self.pids) == self.size:
                self.all_told.set()

    @staticmethod
    def _signal(pid, number):
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass

    def wait_until_computing(self):
        if not self.all_told.wait(mpi_jobs.HANGING):
            self.complain("the processes did not begin")

    def signal_rank(self, rank, number):
        self._signal(self.pids[rank], number)

    def wait(self):
        """The exit status and the seconds until the end."""
        begin = time.monotonic()
        try:
            status = self.process.wait(mpi_jobs.HANGING)
        except subprocess.TimeoutExpired:
            self.complain("the job hangs")
        self.reader.join(10)
        return status, time.monotonic() - begin

    def complain(self, what):
        sys.exit(f"{what}. The output was:\n{self.output}")

    def expect_success(self):
        status, _ = self.wait()
        if status != 0:
            self.complain(f"the job ended with {status}")

    def expect_failure(self, *texts):
        status, seconds = self.wait()
        if status == 0:
            self.complain("the job ended as if all were well")
        if seconds >= mpi_jobs.PROMISED:
            self.complain(f"the job went on for {seconds:.0f} s")
        for text in texts:
            if not re.search(text, self.output):
                self.complain(f"the output lacks '{text}'")


# --- Checks -----------------------------------------------------------------------------------------------


def calls(arguments):
    """All joint operations of processes have correct results, and one process may end before the others."""
    cases = ["sums", "same_bits", "broadcasts", "gathers", "barriers", "descriptions", "early_end"]
    with Job(arguments, cases) as job:
        job.expect_success()


def failure(arguments):
    """One process fails: all end, with its message."""
    with Job(arguments, ["failure"]) as job:
        job.expect_failure(rf"rhyton: rank {job.last} of {job.size} \(host .+\): the disk is full")


def exception(arguments):
    """One process leaves main with an error, while the others compute."""
    with Job(arguments, ["exception"]) as job:
        job.expect_failure("no such data", rf"rank {job.last} \(host .+\) has come to its end early")


def missed_calls(arguments):
    """One process ends regularly, while the others compute."""
    with Job(arguments, ["missed_calls"]) as job:
        job.expect_failure(rf"rank {job.last} \(host .+\) has come to its end early")


def uncaught(arguments):
    """One process is terminated by the language."""
    with Job(arguments, ["uncaught"]) as job:
        job.expect_failure()


def killed(arguments):
    """One process is killed: mpirun ends the others."""
    with Job(arguments, ["sum_until_told"]) as job:
        job.wait_until_computing()
        job.signal_rank(job.last, signal.SIGKILL)
        job.expect_failure(rf"rank {job.last} ")


def _stopped(arguments, worker_timeout):
    with Job(arguments, ["sum_until_told"], worker_timeout) as job:
        job.wait_until_computing()
        job.signal_rank(job.last, signal.SIGSTOP)
        job.expect_failure(rf"rhyton: rank 0 of {job.size} \(host .+\): rank {job.last} \(host .+\) is lost")


def stopped(arguments):
    """One process is stopped: the others detect it."""
    _stopped(arguments, 3)


def stopped_with_usual_timeout(arguments):
    """The same with the default settings."""
    _stopped(arguments, None)


def stopped_at_the_end(arguments):
    """One process is stopped while another waits for it at its end."""
    with Job(arguments, ["last_goes_on"], 3) as job:
        job.wait_until_computing()
        job.signal_rank(job.last, signal.SIGSTOP)
        job.expect_failure(rf"rank {job.last} \(host .+\) is lost")


def slow_rank(arguments):
    """One process computes for longer than the time-out."""
    with Job(arguments, ["slow_rank"], 3) as job:
        job.expect_success()


def all_stopped(arguments):
    """All processes are stopped for longer than the time-out and continue: none is reported."""
    timeout = 2
    with Job(arguments, ["sum_until_told"], timeout) as job:
        job.wait_until_computing()
        for rank in range(job.size):
            job.signal_rank(rank, signal.SIGSTOP)
        time.sleep(2 * timeout)
        for rank in range(job.size):
            job.signal_rank(rank, signal.SIGCONT)
        time.sleep(2 * timeout)  # a report would have been made by then
        job.signal_rank(0, signal.SIGUSR1)
        job.expect_success()


CHECKS = [calls, failure, exception, missed_calls, uncaught, killed, stopped, stopped_with_usual_timeout,
          stopped_at_the_end, slow_rank, all_stopped]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    mpi_jobs.add_arguments(parser)
    parser.add_argument("--processes", type=int, required=True)
    parser.add_argument("check", choices=[check.__name__ for check in CHECKS])
    arguments = parser.parse_args()
    mpi_jobs.require_mpirun(arguments)
    next(check for check in CHECKS if check.__name__ == arguments.check)(arguments)
    return 0


if __name__ == "__main__":
    sys.exit(main())
