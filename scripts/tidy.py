#!/usr/bin/env python3
"""Runs clang-tidy over the sources of a configured build, several at once.

    tidy.py BUILD_DIR JOBS SOURCE...

Sources that the build compiles as a group are examined as a group, since most of the time goes into headers that all
of them read, if all of the group are given; else each is examined alone. Every source of a group is also parsed alone,
so that missing includes are found.

What passed is not examined again until it changes: a stamp is kept below ~/.cache/rhyton/tidy. A source changes with
its text, with its compile command, and when a name that it uses appears in or disappears from the headers that it
reads; for sources parsed alone, also a name that its own header uses, and each header of a library that is read no more
or newly. It does not change with every other change of a header, which would mean to examine all sources again for each
new function. That such a change breaks nothing is what the build shows. A header changes with its text; it is examined with a source
that reads it. A source without a compile command in the build is a failure: otherwise it would no longer be examined,
unnoticed.
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


class Headers:
    """The headers of the tree that sources read, and the names in them."""

    WORD = re.compile(r"[A-Za-z_]\w*")
    COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
    INCLUDE = re.compile(r"^\s*#\s*include\s*([<\"])([^>\"]+)[>\"]", re.MULTILINE)

    def __init__(self, root):
        self.root = root
        self.files = {}  # by path: text, names, and what it includes
        self.found = {}  # by the name in an include and where it is looked for

    def read(self, path):
        """The text of a file of the tree, the names in it (those of comments left out), and its includes."""
        if path not in self.files:
            text = path.read_text(encoding="utf-8", errors="replace")
            names = frozenset(self.WORD.findall(self.INCLUDE.sub(" ", self.COMMENT.sub(" ", text))))
            self.files[path] = (text, names, self.INCLUDE.findall(text))
        return self.files[path]

    def find(self, name, folders):
        """The file of the tree that an include means; None for a header of the system or of a library."""
        key = (name, folders)
        if key not in self.found:
            paths = ((folder / name).resolve() for folder in folders)
            self.found[key] = next((path for path in paths if path.is_relative_to(self.root) and path.is_file()), None)
        return self.found[key]

    def read_by(self, path, folders):
        """The headers of the tree that a source reads, and the names of all others, whatever conditions say."""
        headers, others, left = set(), set(), [path]
        while left:
            file = left.pop()
            for mark, name in self.read(file)[2]:
                found = self.find(name, (file.parent, *folders) if mark == '"' else folders)
                if found is None:
                    others.add(name)
                elif found != path and found not in headers:
                    headers.add(found)
                    left.append(found)
        return headers, others


def include_folders(entry):
    """The folders in which an entry of the build looks for headers."""
    words = without_output(entry["command"])
    names = [word[2:] for word in words if word.startswith("-I") and len(word) > 2]
    names += [after for word, after in zip(words, words[1:]) if word in ("-I", "-isystem", "-iquote")]
    return tuple(pathlib.Path(entry["directory"], name) for name in names)


def content_of(entry, source, headers, root, is_alone):
    """What the findings in a source depend on: its command, its text, and which of the names in it its headers have. If it
    is parsed alone, which shows missing includes, also the names in its own header, and which other headers it reads."""
    path = (root / source).resolve()
    text, names, _ = headers.read(path)
    own = path.with_suffix(".h")
    read, others = headers.read_by(path, include_folders(entry))
    where = read
    if is_alone and own in read:
        names = names | headers.read(own)[1]
        where = read - {own}
    known = names.intersection(others).union(*(names & headers.read(header)[1] for header in where))
    command = " ".join(without_output(entry["command"])).replace(entry["file"], "").replace(str(root), ".")
    includes = sorted(others) if is_alone else ()
    return "\0".join([source, command, text, *sorted(known), *includes]).encode(), read


class Stamps:
    """The files that say what has passed."""

    def __init__(self, folder, headers, root, salt):
        self.folder, self.headers, self.root, self.salt = folder, headers, root, salt
        self.contents = {}  # by source and command: what `content_of` says

    def missing(self, stamps):
        return {stamp for stamp in stamps if not (self.folder / stamp).exists()}

    def content(self, entry, source):
        """`content_of`, with the compile command of a group or with one of its own."""
        is_alone = not is_group(entry)
        key = (source, entry["directory"], entry["command"].replace(entry["file"], ""), is_alone)
        if key not in self.contents:
            self.contents[key] = content_of(entry, source, self.headers, self.root, is_alone)
        return self.contents[key]

    def of_sources(self, sources, entries, purpose):
        """The stamp of each source, compiled in these ways, and the headers that they read."""
        stamps, read = [], set()
        for source in sources:
            digest = hashlib.sha256(self.salt + purpose)
            for entry in entries:
                content, more = self.content(entry, source)
                digest.update(content)
                read |= more
            stamps.append(digest.hexdigest())
        return stamps, read

    def of_header(self, header):
        content = [os.path.relpath(header, self.root), self.headers.read(header)[0]]
        return hashlib.sha256(self.salt + b"header" + "\0".join(content).encode()).hexdigest()


def smallest_cover(headers, calls):
    """Few of the calls that together examine these headers."""
    chosen, left = [], set(headers)
    while left:
        best = max(calls, key=lambda call: len(left & call.headers))
        chosen.append(best)
        left -= best.headers
    return chosen


class Call:
    """One call of a program, with the stamps of the sources and headers that it examines."""

    def __init__(self, name, command, directory, sources, headers=()):
        self.name, self.command, self.directory, self.sources, self.headers = name, command, directory, sources, headers

    def run(self, stamps):
        """The name, whether it passes, and the output."""
        result = subprocess.run(self.command, cwd=self.directory, capture_output=True, text=True)
        if result.returncode == 0:
            for stamp in (*self.sources, *self.headers):
                (stamps / stamp).touch()
            return self.name, True, result.stdout
        return self.name, False, result.stdout if result.stdout.strip() else result.stderr


def tidy_calls(work, groups, commands, stamps):
    """The calls of clang-tidy for all sources and groups of `work`, whether they have stamps or not."""
    group_options = []
    if groups:
        group_options = [GROUP_CHECKS, header_filter((stamps.root / ".clang-tidy").read_text(encoding="utf-8"))]
    calls = []
    for name, entries in work.items():
        members = members_of(entries[0], stamps.root) if name in groups else [name]
        sources, read = stamps.of_sources(members, entries, b"tidy")
        options = group_options if name in groups else []
        calls.append(Call(name, ["clang-tidy", "-p", commands, "--quiet", name, *options], None, sources,
                          {stamps.of_header(header) for header in read}))
    return calls


def parse_calls(grouped, stamps):
    """The calls of the compiler that parse each source of a group without the others."""
    calls = []
    for source, entry in grouped.items():
        words = [word for word in without_output(entry["command"]) if word != "-c"]
        calls.append(Call(source, [*words, "-fsyntax-only"], entry["directory"],
                          stamps.of_sources([source], [entry], b"parse")[0]))
    return calls


def calls_to_make(calls, stamps):
    """Those of the calls that examine every source and every header without a stamp."""
    chosen = [call for call in calls if stamps.missing(call.sources)]
    headers = set().union(*(call.headers for call in calls)).difference(*(call.headers for call in chosen))
    return chosen + smallest_cover(stamps.missing(headers), calls)


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

    start = time.monotonic()
    made = Stamps(stamps, Headers(root.resolve()), root, salt)
    checks = tidy_calls(work, groups, commands, made)
    parses = parse_calls(grouped, made)
    tasks = calls_to_make(checks, made) + [call for call in parses if made.missing(call.sources)]

    failed = []
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for future in concurrent.futures.as_completed([pool.submit(task.run, stamps) for task in tasks]):
            source, passed, output = future.result()
            if not passed:
                failed.append(source)
                print(output.strip(), flush=True)
    print(f"clang-tidy: {len(examined)} files, {len(failed)} with findings, {len(tasks)} of "
          f"{len(checks) + len(parses)} calls not made before, {time.monotonic() - start:.0f} s")
    for source in sorted(failed):
        print("  ", source)
    sys.exit(1 if failed or unknown else 0)


if __name__ == "__main__":
    main()
