#!/usr/bin/env python3
"""Adds up the results of the shards of GPU tests in a folder; exit status 1 unless all succeeded.

    benchmarks/gpu_tests.py build/gpu_check/logs memcheck --filter 'GpuBatches.*:GpuSoftmax.*'

Each shard has written its output NAME.shardN.log, its exit status NAME.shardN.status and, if it finished, gtest's
NAME.shardN.xml.
"""

import argparse
import dataclasses
import fnmatch
import pathlib
import re
import xml.etree.ElementTree

SANITIZER_FOUND_ERRORS = 9  # the status used by gpu_sections.sh
LINES_OF_A_LOG = 15
LINES_OF_A_FAILURE = 8
FAILURES_OF_A_SHARD = 3  # later ones often follow from the first


@dataclasses.dataclass
class Tests:
    """The results of all shards together."""

    outcomes: dict = dataclasses.field(default_factory=dict)  # of each test: "passed", "failed" or "skipped"
    seconds: float = 0
    notes: list = dataclasses.field(default_factory=list)
    problems: list = dataclasses.field(default_factory=list)  # like notes, but nothing has passed if there are any
    excerpts: list = dataclasses.field(default_factory=list)

    def named(self, outcome):
        return sorted(name for name, is_so in self.outcomes.items() if is_so == outcome)

    @property
    def passed(self):
        return bool(self.outcomes) and not self.problems and not self.named("failed")


def read_tests(folder, name, filters=None):
    """None if there is no shard."""
    files = sorted(folder.glob(f"{name}.shard*.log"))
    if not files:
        return None
    tests = Tests()
    all_ended = True
    for file in files:
        all_ended = add_shard(tests, file) and all_ended
    if not tests.outcomes:
        tests.problems.append("no test has run")
    elif filters and all_ended:
        tests.problems += [f"{one} selects no test" for one in filters.split(":") if not selects(one, tests.outcomes)]
    return tests


def selects(pattern, names):
    return any(fnmatch.fnmatchcase(name, pattern) for name in names)


def add_shard(tests, file):
    """Whether it finished."""
    shard = file.name.split(".")[-2]
    log = file.read_text(encoding="utf-8", errors="replace")
    status = read_status(file.with_suffix(".status"))
    outcomes = read_xml(tests, file.with_suffix(".xml"))
    ended = outcomes is not None
    tests.outcomes.update(outcomes if ended else read_log(log))
    if not ended:
        began = re.findall(r"^\[ RUN      \] (\S+)", log, re.MULTILINE)
        last = f"the last test that began is {began[-1]}" if began else "no test began"
        tests.problems.append(f"{shard} did not come to its end ({how_it_ended(status)}): {last}")
        tests.excerpts += [text for text in (sanitizer_errors(log), end_of(log)) if text]
    elif status == SANITIZER_FOUND_ERRORS:
        tests.problems.append(f"{shard}: " + (sanitizer_summary(log) or "errors found"))
        tests.excerpts.append(sanitizer_errors(log))
    elif status is None or status >= 128:
        tests.notes.append(f"{shard}: {how_it_ended(status)} after its tests")
    elif status != 0 and "failed" not in outcomes.values():
        tests.problems.append(f"{shard}: {how_it_ended(status)}")
        tests.excerpts.append(end_of(log))
    return ended


def read_status(path):
    try:
        return int(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def how_it_ended(status):
    if status is None:
        return "ended from outside"
    if status in (124, 137):
        return "timed out"
    return f"signal {status - 128}" if status > 128 else f"exit status {status}"


def read_xml(tests, path):
    """The outcome of each test, or None if gtest's output is incomplete."""
    try:
        root = xml.etree.ElementTree.parse(path).getroot()
    except (OSError, xml.etree.ElementTree.ParseError):
        return None
    tests.seconds += float(root.get("time", 0))
    outcomes = {}
    failures = []
    for case in root.iter("testcase"):
        name = f"{case.get('classname')}.{case.get('name')}"
        failure = case.find("failure")
        if failure is not None:
            lines = (failure.get("message") or "").splitlines()[:LINES_OF_A_FAILURE]
            failures.append("\n".join([name, *lines]))
        skipped = case.get("result") == "skipped"
        outcomes[name] = "failed" if failure is not None else "skipped" if skipped else "passed"
    tests.excerpts += failures[:FAILURES_OF_A_SHARD]
    return outcomes


def read_log(log):
    words = {"       OK": "passed", "  FAILED ": "failed", "  SKIPPED": "skipped"}
    ended = re.compile(r"^\[(       OK|  FAILED |  SKIPPED) \] (\S+?),? .*\(\d+ ms\)$", re.MULTILINE)
    return {name: words[word] for word, name in ended.findall(log)}


def end_of(log):
    return "\n".join(log.splitlines()[-LINES_OF_A_LOG:])


def sanitizer_summary(log):
    summaries = re.findall(r"^=+ ((?:ERROR|RACECHECK) SUMMARY: .*)", log, re.MULTILINE)
    return summaries[-1] if summaries else ""


def sanitizer_errors(log):
    return "\n".join([line for line in log.splitlines() if line.startswith("=========")][: 2 * LINES_OF_A_LOG])


def lines_of(name, tests):
    """For human readers."""
    if tests is None:
        return [f"- {name}: no shard has begun"]
    lines = [
        f"- {name}: {len(tests.outcomes)} tests in {tests.seconds:.1f} s, {len(tests.named('failed'))} failed, "
        f"{len(tests.named('skipped'))} skipped"
    ]
    return lines + [f"  - {line}" for line in [*tests.problems, *tests.notes, *tests.named("failed")]]


def as_json(tests):
    if tests is None:
        return None
    return {
        "tests": len(tests.outcomes),
        "passed": tests.passed,
        "failed": tests.named("failed"),
        "skipped": len(tests.named("skipped")),
        "seconds": tests.seconds,
        "problems": tests.problems,
        "notes": tests.notes,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("name")
    parser.add_argument("--filter", help="gtest's; each of its patterns must select a test")
    arguments = parser.parse_args()
    tests = read_tests(arguments.folder, arguments.name, arguments.filter)
    if tests is not None:
        print("\n\n".join(tests.excerpts))
    print("\n".join(lines_of(arguments.name, tests)))
    raise SystemExit(tests is None or not tests.passed)


if __name__ == "__main__":
    main()
