#!/usr/bin/env python3
"""Runs clang-tidy over the sources of a configured build, several at once.

    tidy.py BUILD_DIR JOBS SOURCE...

Sources that the build compiles as a group are examined as a group, since most of the time goes into headers that all
of them read, if all of the group are given; else each is examined alone. Every source of a group is also parsed alone,
so that missing includes are found.

What passed is not examined again until it, one of its headers or .clang-tidy changes: a stamp of the preprocessed text
is kept below ~/.cache/rhyton/tidy. A source without a compile command in the build is a failure: otherwise it would no
longer be examined, unnoticed.
"""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import time

# Sources of separate projects, which no build of this one compiles.
OTHER_PROJECTS = ("tests/consumer/",)


# The check finds the files of groups, and nothing else.
GROUP_CHECKS = "--checks=-bugprone-suspicious-include"


def header_filter(config):
    """That of .clang-tidy, for sources too: those of a group are included."""
    found = re.search(r"^HeaderFilterRegex: '(.*)\\.h\$'$", config, re.MULTILINE)
    return f"--header-filter={found.group(1)}\\.(h|cc)$" if found else ""


def is_group(entry):
    """Whether an entry of the build compiles the sources of a group, which may be one."""
    return pathlib.Path(entry["file"]).parent.name == "Unity"


def members_of(entry, root):
    """The sources of the tree that an entry of the build compiles: those of a group, or one."""
    path = pathlib.Path(entry["directory"], entry["file"])
    if not is_group(entry):
        return [os.path.relpath(path, root)]
    included = re.findall(r'^#include "(.*)"$', path.read_text(encoding="utf-8"), re.MULTILINE)
    return [os.path.relpath(path.parent / name, root) for name in included]


def alone(entry, source, root):
    """The entry of a source of a group, as if the build compiled it alone."""
    return {**entry, "file": str(root / source), "command": entry["command"].replace(entry["file"], str(root / source))}


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


def passes(entries, source, stamps, salt, run):
    """Whether `run` has passed for this text, or passes now, and its output."""
    digest = digest_of(entries, source, salt)
    if digest and (stamps / digest).exists():
        return True, ""
    result = run()
    if result.returncode == 0 and digest:
        (stamps / digest).touch()
    output = result.stdout
    if result.returncode != 0 and not output.strip():
        output = result.stderr
    return result.returncode == 0, output


def examine(entries, source, commands, stamps, salt, options):
    def run():
        return subprocess.run(["clang-tidy", "-p", commands, "--quiet", source, *options], capture_output=True,
                              text=True)

    return source, *passes(entries, source, stamps, salt, run)


def parse(entry, source, stamps, salt):
    """Whether a source compiles without the others of its group."""
    words = [word for word in without_output(entry["command"]) if word != "-c"]

    def run():
        return subprocess.run([*words, "-fsyntax-only"], cwd=entry["directory"], capture_output=True, text=True)

    return source, *passes([entry], source, stamps, salt + b"alone", run)


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

    work, grouped = {}, {}
    for entry in json.loads((pathlib.Path(build) / "compile_commands.json").read_text(encoding="utf-8")):
        members = members_of(entry, root)
        if len(members) > 1 and wanted.issuperset(members):
            name = os.path.relpath(os.path.join(entry["directory"], entry["file"]), root)
            work.setdefault(name, []).append(entry)
            grouped.update({source: alone(entry, source, root) for source in members})
            continue
        for source in wanted.intersection(members):
            work.setdefault(source, []).append(alone(entry, source, root) if is_group(entry) else entry)
    work = {source: different_commands(entries) for source, entries in work.items()}
    groups = {os.path.normpath(name) for name in work} - wanted
    examined = (work.keys() - groups) | grouped.keys()
    unknown = unknown_sources(wanted, examined)
    for source in unknown:
        print(f"{source}: {build} has no compile command for it, so it is not examined", flush=True)

    # clang-tidy examines a source once for each of its commands.
    commands = pathlib.Path(build) / "tidy"
    commands.mkdir(exist_ok=True)
    (commands / "compile_commands.json").write_text(
        json.dumps([entry for entries in work.values() for entry in entries]), encoding="utf-8")

    group_options = [GROUP_CHECKS, header_filter((root / ".clang-tidy").read_text(encoding="utf-8"))] if groups else []
    start = time.monotonic()
    failed = []
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(examine, entries, source, commands, stamps, salt, group_options if source in groups else [])
                   for source, entries in work.items()]
        futures += [pool.submit(parse, entry, source, stamps, salt) for source, entry in grouped.items()]
        for future in concurrent.futures.as_completed(futures):
            source, passed, output = future.result()
            if not passed:
                failed.append(source)
                print(output.strip(), flush=True)
    print(f"clang-tidy: {len(examined)} files, {len(failed)} with findings, {time.monotonic() - start:.0f} s")
    for source in sorted(failed):
        print("  ", source)
    sys.exit(1 if failed or unknown else 0)


if __name__ == "__main__":
    main()
