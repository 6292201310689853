#!/usr/bin/env python3
"""Runs clang-tidy over the sources of a configured build, several at once.

    tidy.py BUILD_DIR JOBS SOURCE...

A source that passed is not examined again until it, one of its headers or .clang-tidy changes: a stamp of its
preprocessed text is kept below ~/.cache/rhyton/tidy. A source without a compile command in the build is a failure:
otherwise it would no longer be examined, unnoticed.
"""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import shlex
import subprocess
import sys
import time

# Sources of separate projects, which no build of this one compiles.
OTHER_PROJECTS = ("tests/consumer/",)


def unknown_sources(wanted, examined):
    """The sources among `wanted` (headers have no compile command) that are not examined."""
    return sorted(name for name in wanted
                  if name.endswith(".cc") and name not in examined and not name.startswith(OTHER_PROJECTS))


def without_output(command):
    """The words of a compile command but for its output file."""
    words = shlex.split(command)
    if "-o" in words:
        at = words.index("-o")
        del words[at:at + 2]
    return words


def different_commands(entries):
    """The entries of a source but for those that compile it in the same way into another output."""
    return list({tuple(without_output(entry["command"])): entry for entry in entries}.values())


def digest_of(entries, source, salt):
    """A hash of the preprocessed source with its comments (they may contain NOLINT); None if it does not preprocess."""
    here = str(pathlib.Path.cwd()).encode()  # the same tree in another folder has the same stamps
    digest = hashlib.sha256(salt + source.encode())
    for entry in entries:
        words = without_output(entry["command"])
        words.remove("-c")
        result = subprocess.run([*words, "-E", "-C"], cwd=entry["directory"], capture_output=True)
        if result.returncode != 0:
            return None
        digest.update(result.stdout.replace(here, b"."))
    return digest.hexdigest()


def examine(entries, source, commands, stamps, salt):
    digest = digest_of(entries, source, salt)
    if digest and (stamps / digest).exists():
        return source, True, ""
    result = subprocess.run(["clang-tidy", "-p", commands, "--quiet", source], capture_output=True, text=True)
    if result.returncode == 0 and digest:
        (stamps / digest).touch()
    output = result.stdout
    if result.returncode != 0 and not output.strip():
        output = result.stderr
    return source, result.returncode == 0, output


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    build, jobs, wanted = sys.argv[1], int(sys.argv[2]), {os.path.normpath(name) for name in sys.argv[3:]}
    root = pathlib.Path.cwd()
    stamps = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "rhyton" / "tidy"
    stamps.mkdir(parents=True, exist_ok=True)

    salt = subprocess.run(["clang-tidy", "--version"], capture_output=True, check=True).stdout
    for config in [root / ".clang-tidy", *sorted(root.glob("*/.clang-tidy")), *sorted(root.glob("*/*/.clang-tidy"))]:
        salt += config.read_bytes() if config.exists() else b""

    work = {}
    for entry in json.loads((pathlib.Path(build) / "compile_commands.json").read_text(encoding="utf-8")):
        source = os.path.relpath(os.path.join(entry["directory"], entry["file"]), root)
        if source in wanted:
            work.setdefault(source, []).append(entry)
    work = {source: different_commands(entries) for source, entries in work.items()}
    unknown = unknown_sources(wanted, work)
    for source in unknown:
        print(f"{source}: {build} has no compile command for it, so it is not examined", flush=True)

    # clang-tidy examines a source once for each of its commands.
    commands = pathlib.Path(build) / "tidy"
    commands.mkdir(exist_ok=True)
    (commands / "compile_commands.json").write_text(
        json.dumps([entry for entries in work.values() for entry in entries]), encoding="utf-8")

    start = time.monotonic()
    failed = []
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(examine, entries, source, commands, stamps, salt) for source, entries in work.items()]
        for future in concurrent.futures.as_completed(futures):
            source, passed, output = future.result()
            if not passed:
                failed.append(source)
                print(output.strip(), flush=True)
    print(f"clang-tidy: {len(work)} files, {len(failed)} with findings, {time.monotonic() - start:.0f} s")
    for source in sorted(failed):
        print("  ", source)
    sys.exit(1 if failed or unknown else 0)


if __name__ == "__main__":
    main()
