#!/usr/bin/env python3
"""Trains with parameter servers: a chief, a server and workers, each a process of its own on the loopback interface.

    run_tasks.py --program PROGRAM [--tool RHYTON] [--seed SEED] [--repeat N] CHECK

CHECK is one of the program's; "digits" or "digits_synchronous", for which --app is the app parameter_servers; or the loss of a task at a random moment: {worker,server}_{killed,stopped}, followed by
"_synchronous" or "_backup" for these forms of training. A training that loses a worker ends with the right sums. One that
loses its server ends with one error within 30 s, and started again it goes on from its backup, to the right sums.

Exits with 0 if all expectations hold, with 77 if the program was built without gRPC.
"""

import argparse
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time

SKIPPED = 77
# A lost task is noticed within this time, in seconds; the chief's error comes within the first, all tasks end within both.
PROMISED = 30
# Nothing here takes longer, even on a busy machine; beyond it the job is deadlocked.
HANGING = 240

# A training that one process ends with an accuracy above the second number.
DIGITS = ["--limit", "6000", "--epochs", "2", "--batch-size", "32", "--seed", "1"]
ACCURACY = 0.93


def free_addresses(count):
    """Addresses of this process's own: others do not take the ports before they are used."""
    host = f"127.{os.getpid() % 250 + 1}.{os.getpid() // 250 % 250}.2"
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind((host, 0))
    addresses = [f"{host}:{one.getsockname()[1]}" for one in sockets]
    for one in sockets:
        one.close()
    return addresses


class Job:
    def __init__(self, arguments, check, folder="", servers=1, workers=2, timeout=None):
        self.arguments = arguments
        addresses = free_addresses(1 + servers + workers)
        self.cluster = {"chief": addresses[:1], "ps": addresses[1:1 + servers], "worker": addresses[1 + servers:]}
        self.command = [arguments.program, check, folder]
        if check.startswith("digits"):
            self.command = [arguments.app, *DIGITS, *(["--synchronous"] if check.endswith("_synchronous") else [])]
        self.environment = dict(os.environ, RHYTON_NUM_THREADS="1")
        self.environment.pop("RHYTON_WORKER_TIMEOUT", None)
        if timeout is not None:
            self.environment["RHYTON_WORKER_TIMEOUT"] = str(timeout)
        self.tasks = {}
        for job in ("ps", "worker", "chief"):
            for index in range(len(self.cluster[job])):
                self.start(job, index)

    def start(self, job, index):
        config = json.dumps({"cluster": self.cluster, "task": {"type": job, "index": index}})
        command = self.command
        if job == "ps" and self.arguments.tool:
            command = [self.arguments.tool, "server"]
        self.tasks[job, index] = subprocess.Popen(
            command, env=dict(self.environment, TF_CONFIG=config), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, errors="replace")

    def wait(self, job, index, seconds=HANGING):
        """Its exit status and output."""
        task = self.tasks[job, index]
        try:
            output, _ = task.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            self.fail(f"{job} {index} has not ended after {seconds:.0f} s")
        return task.returncode, output

    def fail(self, what):
        self.kill()
        texts = [f"--- {job} {index}:\n{task.communicate()[0]}" for (job, index), task in self.tasks.items()]
        sys.exit(what + "\n" + "\n".join(texts))

    def kill(self):
        for task in self.tasks.values():
            if task.poll() is None:
                task.kill()

    def expect_success(self, lost=()):
        status, output = self.wait("chief", 0)
        if "needs gRPC" in output or "need gRPC" in output:
            self.kill()
            sys.exit(SKIPPED)
        if status != 0:
            self.fail(f"the chief ended with {status}:\n{output}")
        for job, index in self.tasks:
            if job == "chief" or (job, index) in lost or (job == "ps" and self.arguments.tool):
                continue
            status, rest = self.wait(job, index, PROMISED)
            if status != 0:
                self.fail(f"{job} {index} ended with {status}:\n{rest}")
        self.kill()
        return output


def wait_for_line(job, name, index, wanted):
    """Waits until the task has written such a line."""
    text = ""
    for line in job.tasks[name, index].stdout:
        text += line
        if wanted in line:
            return
    if "gRPC" in text:
        job.kill()
        sys.exit(SKIPPED)
    job.fail(f"{name} {index} has not come to '{wanted}':\n{text}")


def wait_for_a_moment(job, moment):
    """Waits until the chief trains, and then for so many seconds."""
    wait_for_line(job, "chief", 0, "epoch 0 begins")
    time.sleep(moment)


def lose(arguments, who, how, form, moment):
    number = {"killed": signal.SIGKILL, "stopped": signal.SIGSTOP}[how]
    check = "slow" + (f"_{form}" if form else "")
    with tempfile.TemporaryDirectory() as folder:
        job = Job(arguments, check, os.path.join(folder, "backup"))
        wait_for_a_moment(job, moment)
        victim = ("worker", 1) if who == "worker" else ("ps", 0)
        begin = time.monotonic()
        if job.tasks["chief", 0].poll() is None:
            job.tasks[victim].send_signal(number)
        if who == "worker":
            output = job.expect_success(lost=[victim])
        else:
            status, output = job.wait("chief", 0, PROMISED + 10)
            seconds = time.monotonic() - begin
            errors = [line for line in output.splitlines() if line.startswith("error: ")]
            if status == 0:
                output = "ended before: " + output
            elif len(errors) != 1 or "ps 0" not in errors[0] or seconds > PROMISED:
                job.fail(f"the chief ended with {status} after {seconds:.0f} s:\n{output}")
            for index in range(2):
                job.wait("worker", index, PROMISED)
            job.kill()
            # All tasks are started again; the training goes on from its backup.
            if status != 0:
                job = Job(arguments, check, os.path.join(folder, "backup"))
                output = f"error after {seconds:.1f} s, " + job.expect_success()
        print(f"{who} {how}{' ' + form if form else ''} after {moment:.2f} s: {output.strip().splitlines()[-1]}", flush=True)


def train_on_digits(arguments):
    output = Job(arguments, arguments.check).expect_success()
    accuracies = [float(text) for text in re.findall(r"val_accuracy: ([0-9.]+)", output)]
    print(output.strip(), flush=True)
    if len(accuracies) != 2 or accuracies[-1] < ACCURACY:
        sys.exit(f"expected a val_accuracy of at least {ACCURACY} after two epochs")


def refuse_another_model(arguments):
    """One worker builds another model: the chief and this worker say what differs, and all tasks end."""
    job = Job(arguments, "different")
    status, output = job.wait("chief", 0)
    others = {task: job.wait(*task, PROMISED)[1] for task in job.tasks if task[0] != "chief"}
    expected = r"the model of this worker is .*\(1, 17\).*, that of the chief .*\(1, 16\)"
    if status == 0 or not re.search(expected, output) or not re.search(expected, others["worker", 1]):
        job.fail(f"the chief ended with {status}:\n{output}\nothers: {others}")


def lose_chief(arguments):
    """All other tasks end, with a message."""
    job = Job(arguments, "endless", timeout=3)
    wait_for_a_moment(job, 0.3)
    for index in range(2):
        wait_for_line(job, "worker", index, "the first step")
    job.tasks["chief", 0].kill()
    for task in job.tasks:
        if task[0] == "chief":
            continue
        status, output = job.wait(*task, PROMISED)
        if status == 0 or "The chief is lost" not in output:
            job.fail(f"{task} ended with {status}:\n{output}")


def restart_worker(arguments):
    """A worker that is started again takes part again."""
    with tempfile.TemporaryDirectory() as folder:
        job = Job(arguments, "long", os.path.join(folder, "backup"))
        for index in range(2):
            wait_for_line(job, "worker", index, "the first step")
            job.tasks["worker", index].kill()
            job.tasks["worker", index].wait()
            job.start("worker", index)
        output = job.expect_success()
        if " 2 lost" not in output:
            sys.exit(f"not both workers were lost:\n{output}")


SPECIAL = {"restarted": restart_worker, "chief_killed": lose_chief, "different": refuse_another_model}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True)
    parser.add_argument("--app")
    parser.add_argument("--tool", help="servers are `rhyton server`, with this rhyton; else the program itself")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("check")
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}", flush=True)
    moments = random.Random(arguments.seed)
    loss = re.fullmatch(r"(worker|server)_(killed|stopped)(?:_(synchronous|backup))?", arguments.check)
    for _ in range(arguments.repeat):
        if loss:
            lose(arguments, loss[1], loss[2], loss[3], moments.uniform(0.0, 1.5))
        elif arguments.check.startswith("digits"):
            train_on_digits(arguments)
        elif arguments.check in SPECIAL:
            SPECIAL[arguments.check](arguments)
        elif arguments.check == "random":
            lose(arguments, moments.choice(["worker", "server"]), moments.choice(["killed", "stopped"]),
                 moments.choice(["", "synchronous", "backup"]), moments.uniform(0.0, 1.5))
        else:
            servers = 2 if arguments.check in ("partitioned", "synchronous") else 1
            lost = [("worker", 1)] if arguments.check == "hanging" else []
            print(Job(arguments, arguments.check, servers=servers).expect_success(lost).strip(), flush=True)


if __name__ == "__main__":
    main()
