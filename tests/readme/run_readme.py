#!/usr/bin/env python3
"""Compiles the first C++ program of the README, or another page, and runs it, one short epoch long."""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile

WARNINGS = ["-std=c++20", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]


def first_cpp_block(markdown):
    match = re.search(r"^```cpp\n(.*?)^```$", markdown, re.MULTILINE | re.DOTALL)
    if match is None:
        sys.exit("the page has no ```cpp block")
    return match.group(1)


def run(command, **options):
    print("+", " ".join(str(word) for word in command), flush=True)
    start = time.monotonic()
    status = subprocess.run(command, stdin=subprocess.DEVNULL, **options).returncode
    print(f"  {time.monotonic() - start:.2f} s, exit status {status}", flush=True)
    if status != 0:
        sys.exit(1)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--readme", type=pathlib.Path, required=True)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--clang", help="a clang++ that checks the syntax too")
    parser.add_argument("--include", required=True)
    parser.add_argument("--library", type=pathlib.Path, required=True)
    parser.add_argument("--writes", default="mnist.keras", help="the archive that the program writes")
    parser.add_argument("--photos", type=pathlib.Path, help="a folder of images that the program finds as photos/")
    arguments = parser.parse_args()

    with tempfile.TemporaryDirectory(prefix="rhyton-readme-") as name:
        folder = pathlib.Path(name)
        source = folder / "readme.cc"
        source.write_text(first_cpp_block(arguments.readme.read_text(encoding="utf-8")), encoding="utf-8")
        flags = [*WARNINGS, f"-I{arguments.include}"]

        if arguments.clang:
            run([arguments.clang, *flags, "-fsyntax-only", source])
        run([arguments.compiler, *flags, "-O1", source, "-o", folder / "readme", arguments.library,
             f"-Wl,-rpath,{arguments.library.parent}"])

        if arguments.photos:
            shutil.copytree(arguments.photos, folder / "photos")
        environment = dict(os.environ, KERAS_MAX_EPOCHS="1", KERAS_MAX_STEPS_PER_EPOCH="30")
        run([folder / "readme"], cwd=folder, env=environment)

        saved = folder / arguments.writes
        if not saved.exists():
            sys.exit(f"the program wrote no {arguments.writes}")
        if not zipfile.is_zipfile(saved):
            sys.exit(f"{arguments.writes} is no zip archive")
        print(f"{arguments.writes}: {saved.stat().st_size} bytes, {zipfile.ZipFile(saved).namelist()}")


if __name__ == "__main__":
    main()
