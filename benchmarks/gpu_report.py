#!/usr/bin/env python3
"""Makes report.md and report.json of what scripts/gpu_check.sh has left in a folder.

    benchmarks/gpu_report.py build/gpu_check
"""

import argparse
import datetime
import json
import pathlib
import re
import xml.etree.ElementTree

REPOSITORY = pathlib.Path(__file__).resolve().parents[1]
RHYTON = "Rhyton"
LINES_OF_A_LOG = 40


def read_sections(folder):
    sections = []
    for line in (folder / "sections.tsv").read_text(encoding="utf-8").splitlines():
        name, result, seconds, limit, note = line.split("\t")
        sections.append({"name": name, "result": result, "seconds": int(seconds), "limit": int(limit), "note": note})
    return sections


def read_results(folder):
    """One entry per case and program; those of Rhyton's workloads look like those of the peers then."""
    results = []
    for line in (folder / "results.jsonl").read_text(encoding="utf-8").splitlines():
        try:
            entry = json.loads(line)
        except ValueError:
            continue  # cut off by the time limit
        inner = entry.pop("result", None)
        if inner is not None:
            unit, seconds = next(iter(inner["cases"].items()))
            entry.update(seconds=seconds, unit=unit, device=inner.get("device"))
            entry.update({key: inner[key] for key in ("loss", "accuracy") if key in inner})
        results.append(entry)
    return results + read_matmul(folder / "matmul.log")


def read_matmul(path):
    """The table that bin/matmul prints."""
    if not path.exists():
        return []
    row = re.compile(r"\((\d+), \d+\) +(\S+) +(\S+) +(\S+) +(\S+) +(\S+)")
    results = []
    for match in map(row.match, path.read_text(encoding="utf-8").splitlines()):
        if match:
            size, device, _, milliseconds, gflops, _ = match.groups()
            results.append(
                {
                    "case": f"matmul {size}",
                    "program": RHYTON,
                    "device": device,
                    "seconds": float(milliseconds) / 1000,
                    "unit": "product and sum",
                    "gflops": float(gflops),
                }
            )
    return results


def read_tests(path):
    """What gtest has counted, or None where it did not come to its end."""
    try:
        root = xml.etree.ElementTree.parse(path).getroot()
    except (OSError, xml.etree.ElementTree.ParseError):
        return None
    cases = list(root.iter("testcase"))
    return {
        "tests": len(cases),
        "failed": sorted(
            f"{case.get('classname')}.{case.get('name')}" for case in cases if case.find("failure") is not None
        ),
        "skipped": sum(1 for case in cases if case.get("result") == "skipped"),
        "seconds": float(root.get("time", 0)),
    }


def table(head, rows):
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    return "\n".join(lines + [f"| {' | '.join(map(str, row))} |" for row in rows])


def benchmark_table(results):
    """A row for each case, a column for each program, the ratio of Rhyton's time to that of its fastest peer last."""
    programs = list(dict.fromkeys(entry["program"] for entry in results))
    programs.sort(key=lambda name: not name.startswith(RHYTON))
    rows = []
    for case in dict.fromkeys(entry["case"] for entry in results):
        entries = {entry["program"]: entry for entry in results if entry["case"] == case}
        times = {name: entry["seconds"] for name, entry in entries.items() if "seconds" in entry}
        unit = next((entry["unit"] for entry in entries.values() if "unit" in entry), "")
        cells = []
        for name in programs:
            failed = "failed" if name in entries else ""
            cells.append(f"{1000 * times[name]:.3f}" if name in times else failed)
        peers = [seconds for name, seconds in times.items() if not name.startswith(RHYTON)]
        ratio = f"{times[RHYTON] / min(peers):.2f}" if peers and RHYTON in times else ""
        rows.append([case, f"ms per {unit}" if unit else "ms", *cells, ratio])
    return table(["case", "unit", *programs, "Rhyton / fastest peer"], rows)


def result_lines(results):
    """What the benchmarks learned, and the versions: numbers that are too good show here."""
    rows = []
    for entry in results:
        if "error" in entry:
            rows.append([entry["case"], entry["program"], "", "", entry["error"].replace("|", "/").replace("\n", " ")])
        elif "loss" in entry or "gflops" in entry:
            rows.append(
                [
                    entry["case"],
                    entry["program"],
                    f"{entry['loss']:.4f}" if "loss" in entry else "",
                    f"{entry['accuracy']:.4f}" if "accuracy" in entry else "",
                    f"{entry['gflops']:.0f} GFLOP/s" if "gflops" in entry else "",
                ]
            )
    return table(["case", "program", "loss", "accuracy", ""], rows)


def test_lines(tests):
    lines = []
    for name, counts in tests.items():
        if counts is None:
            lines.append(f"- {name}: did not come to its end")
            continue
        lines.append(
            f"- {name}: {counts['tests']} tests in {counts['seconds']:.1f} s, {len(counts['failed'])} failed, "
            f"{counts['skipped']} skipped"
        )
        lines += [f"  - {failed}" for failed in counts["failed"]]
    return "\n".join(lines)


def page(report, folder):
    parts = [f"# GPU check, {report['date']}"]
    hardware = folder / "hardware.log"
    if hardware.exists():
        parts.append(f"```\n{hardware.read_text(encoding='utf-8').strip()}\n```")
    devices = folder / "devices.log"
    if devices.exists():
        parts.append(f"What Rhyton says of its devices:\n\n```\n{devices.read_text(encoding='utf-8').strip()}\n```")
    rows = [
        [entry["name"], entry["result"], f"{entry['seconds']} of {entry['limit']} s", entry["note"]]
        for entry in report["sections"]
    ]
    parts.append("## Sections\n\n" + table(["section", "result", "time", ""], rows))
    if report["tests"]:
        parts.append("## Tests\n\n" + test_lines(report["tests"]))
    if report["results"]:
        parts.append("## Benchmarks\n\n" + benchmark_table(report["results"]))
        versions = dict.fromkeys(entry["version"] for entry in report["results"] if "version" in entry)
        if versions:
            parts.append("Beside " + ", ".join(versions) + ". Warm, data on the device, TensorFloat-32 allowed.")
        parts.append(result_lines(report["results"]))
    for entry in report["sections"]:
        if entry["result"] in ("failed", "timed out"):
            log = (folder / f"{entry['name']}.log").read_text(encoding="utf-8", errors="replace").splitlines()
            tail = "\n".join(log[-LINES_OF_A_LOG:])
            parts.append(f"## The end of {entry['name']}.log\n\n```\n{tail}\n```")
    # A report goes to other people; where the files lay is of no use to them.
    return "\n\n".join(parts).replace(str(folder), "<out>").replace(str(REPOSITORY), "<repository>") + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    folder = parser.parse_args().folder.resolve()
    sections = read_sections(folder)
    tested = {"tests": "test_gpu", "memcheck": "memcheck", "racecheck": "racecheck", "initcheck": "initcheck"}
    report = {
        "date": datetime.datetime.now().astimezone().isoformat(timespec="seconds"),
        "sections": sections,
        "tests": {
            entry["name"]: read_tests(folder / f"{tested[entry['name']]}.xml")
            for entry in sections
            if entry["name"] in tested and entry["result"] != "skipped"
        },
        "results": read_results(folder),
    }
    (folder / "report.json").write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    (folder / "report.md").write_text(page(report, folder), encoding="utf-8")


main()
