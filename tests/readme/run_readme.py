#!/usr/bin/env python3
"""Compiles the first C++ program of the README, or all of another page, and runs it, one short epoch long."""

import argparse
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import zipfile

WARNINGS = ["-std=c++20", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]


def cpp_blocks(markdown):
    blocks = re.findall(r"^```cpp\n(.*?)^```$", markdown, re.MULTILINE | re.DOTALL)
    if not blocks:
        sys.exit("the page has no ```cpp block")
    return blocks


def run(command, **options):
    print("+", " ".join(str(word) for word in command), flush=True)
    start = time.monotonic()
    status = subprocess.run(command, stdin=subprocess.DEVNULL, **options).returncode
    print(f"  {time.monotonic() - start:.2f} s, exit status {status}", flush=True)
    if status != 0:
        sys.exit(1)


def free_addresses(count):
    listeners = [socket.create_server(("localhost", 0)) for _ in range(count)]
    addresses = [f"localhost:{listener.getsockname()[1]}" for listener in listeners]
    for listener in listeners:
        listener.close()
    return addresses


def run_in_cluster(program, **options):
    """A process per task: a chief, a server and two workers."""
    addresses = free_addresses(4)
    cluster = {"chief": addresses[:1], "ps": addresses[1:2], "worker": addresses[2:]}
    processes = []
    for job, index in [("ps", 0), ("worker", 0), ("worker", 1), ("chief", 0)]:
        task = {"cluster": cluster, "task": {"type": job, "index": index}}
        environment = dict(options["env"], TF_CONFIG=json.dumps(task))
        print(f"+ {program}, {job} {index}", flush=True)
        processes.append(subprocess.Popen([program], stdin=subprocess.DEVNULL, cwd=options["cwd"], env=environment))
    try:
        statuses = [process.wait(timeout=120) for process in reversed(processes)]
    finally:
        for process in processes:
            process.kill()
    print(f"  exit statuses {statuses}", flush=True)
    if any(statuses):
        sys.exit(1)


def compile_and_run(program, folder, arguments):
    source = folder / "readme.cc"
    source.write_text(program, encoding="utf-8")
    flags = [*WARNINGS, f"-I{arguments.include}"]
    if arguments.clang:
        run([arguments.clang, *flags, "-fsyntax-only", source])
    run([arguments.compiler, *flags, "-O1", source, "-o", folder / "readme", arguments.library,
         f"-Wl,-rpath,{arguments.library.parent}"])
    environment = dict(os.environ, KERAS_MAX_EPOCHS="1", KERAS_MAX_STEPS_PER_EPOCH="30")
    if "ParameterServerStrategy" not in program:
        run([folder / "readme"], cwd=folder, env=environment)
    elif (arguments.library.parent / "librhyton_grpc.so").exists():
        run_in_cluster(folder / "readme", cwd=folder, env=environment)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--readme", type=pathlib.Path, required=True)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--clang", help="a clang++ that checks the syntax too")
    parser.add_argument("--include", required=True)
    parser.add_argument("--library", type=pathlib.Path, required=True)
    parser.add_argument("--all", action="store_true", help="all programs of the page, not the first alone")
    parser.add_argument("--writes", default="mnist.keras", help="the archive that the program writes")
    parser.add_argument("--tool", type=pathlib.Path, help="the command line tool, which predicts with the archive")
    parser.add_argument("--image", type=pathlib.Path, help="the image that it predicts for")
    parser.add_argument("--photos", type=pathlib.Path, help="a folder of images that the program finds as photos/")
    arguments = parser.parse_args()

    programs = cpp_blocks(arguments.readme.read_text(encoding="utf-8"))
    if not arguments.all:
        programs = programs[:1]
    with tempfile.TemporaryDirectory(prefix="rhyton-readme-") as name:
        folder = pathlib.Path(name)
        if arguments.photos:
            shutil.copytree(arguments.photos, folder / "photos")
        for program in programs:
            compile_and_run(program, folder, arguments)

        saved = folder / arguments.writes
        if not saved.exists():
            sys.exit(f"the program wrote no {arguments.writes}")
        if not zipfile.is_zipfile(saved):
            sys.exit(f"{arguments.writes} is no zip archive")
        if arguments.tool:
            # Rejected unless the model scales pixels itself.
            run([arguments.tool, "predict", saved, "--input", arguments.image, "--json"])
        print(f"{arguments.writes}: {saved.stat().st_size} bytes, {zipfile.ZipFile(saved).namelist()}")


if __name__ == "__main__":
    main()
