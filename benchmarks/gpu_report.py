#!/usr/bin/env python3
"""Makes report.md and report.json from the output of scripts/gpu_check.sh in the subfolder `logs` of a folder.

    benchmarks/gpu_report.py build/gpu_check
"""

import argparse
import dataclasses
import datetime
import json
import pathlib
import re

import gpu_musts
import gpu_tests

REPOSITORY = pathlib.Path(__file__).resolve().parents[1]
RHYTON = "Rhyton"
LINES_OF_A_LOG = 60
SECTIONS = (
    *("hardware", "selftest", "tests", "rhyton", "memcheck", "racecheck", "initcheck", "synccheck"),
    *("torch", "jax"),
)
TESTED = ("tests", "memcheck", "racecheck", "initcheck", "synccheck")


def read_sections(logs):
    sections = []
    for section in SECTIONS:
        file = logs / f"{section}.section"
        if file.exists():
            name, result, seconds, limit, note = file.read_text(encoding="utf-8").rstrip("\n").split("\t")
            times = {"seconds": int(seconds), "limit": int(limit)}
            sections.append({"name": name, "result": result, **times, "note": note})
    return sections


def entries_of_workload(entry, result):
    """A workload with several cases, each a training step, names them itself."""
    shared = {"device": result.get("device")}
    shared.update({key: result[key] for key in ("loss", "accuracy", "peak_device_mb") if key in result})
    cases = result["cases"]
    if len(cases) == 1:
        unit, seconds = next(iter(cases.items()))
        return [{**entry, **shared, "seconds": seconds, "unit": unit}]
    return [{**entry, **shared, "case": case, "seconds": seconds, "unit": "step"} for case, seconds in cases.items()]


def read_results(logs):
    """One entry per case and program; those of Rhyton's workloads are converted to the form of the peers."""
    lines = []
    for section in SECTIONS:
        file = logs / f"{section}.jsonl"
        lines += file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    results = []
    for line in lines:
        try:
            entry = json.loads(line)
        except ValueError:
            continue  # cut off by the time limit
        inner = entry.pop("result", None)
        results += [entry] if inner is None else entries_of_workload(entry, inner)
    results += read_products(logs / "rhyton.products_float32.log", "float32")
    results += read_products(logs / "rhyton.products_tf32.log", "TensorFloat-32")
    return results + read_matmul(logs / "rhyton.matmul.log")


def rows_of(path, pattern):
    text = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
    return [match.groups() for match in map(re.compile(pattern).match, text.splitlines()) if match]


def matmul_entry(case, device, milliseconds, gflops, unit):
    return {
        "case": case,
        "program": RHYTON,
        "device": device,
        "seconds": float(milliseconds) / 1000,
        "unit": unit,
        "gflops": float(gflops),
    }


def read_matmul(path):
    """The table that bin/matmul prints."""
    rows = rows_of(path, r"\((\d+), \d+\) +(\S+) +\S+ +(\S+) +(\S+) +\S+$")
    return [matmul_entry(f"matmul {size}", *row, "product and sum") for size, *row in rows]


def read_products(path, precision):
    """The table that bin/matmul --products prints."""
    rows = rows_of(path, r"\((\d+), \d+\) +(\S+) +\d+ +(\S+) +(\S+)$")
    return [matmul_entry(f"product {size}, {precision}", *row, "product") for size, *row in rows]


def read_clock(path):
    """(seconds from the start of the process, accuracy on the test images) of each epoch."""
    rows = rows_of(path, r"(\d+) ms .* val_accuracy: (\S+)")
    return [(int(milliseconds) / 1000, float(accuracy)) for milliseconds, accuracy in rows]


def table(head, rows):
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    return "\n".join(lines + [f"| {' | '.join(map(str, row))} |" for row in rows])


def benchmark_table(results):
    """A row for each case, a column for each program, last the ratio of Rhyton's time to that of its fastest peer."""
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
    """The losses and accuracies of the benchmarks, and the versions: numbers that are too good show here."""
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


def must_table(musts, is_trial):
    rows = [[must.what, must.measured, must.limit, gpu_musts.answer(must, is_trial)] for must in musts]
    return table(["must", "measured", "limit", "met"], rows)


def section_table(sections):
    rows = [[one["name"], one["result"], f"{one['seconds']} of {one['limit']} s", one["note"]] for one in sections]
    return table(["section", "result", "time", ""], rows)


def benchmark_parts(results):
    parts = ["## Benchmarks\n\n" + benchmark_table(results)]
    versions = dict.fromkeys(entry["version"] for entry in results if "version" in entry)
    if versions:
        parts.append(
            f"Beside {', '.join(versions)}. Warm, data on the device, TensorFloat-32 where not forbidden."
        )
    return [*parts, result_lines(results)]


def log_parts(sections, tests, logs):
    """The output of failed sections; for tests, the output of the first failures of each process."""
    parts = []
    for section in sections:
        name = section["name"]
        log = logs / f"{name}.log"
        if section["result"] not in ("failed", "timed out", "cut off"):
            continue
        if tests.get(name) and tests[name].excerpts:
            text = "\n\n".join(tests[name].excerpts)
            parts.append(f"## What failed in {name}\n\n```\n{text}\n```")
        elif log.exists():
            tail = log.read_text(encoding="utf-8", errors="replace").splitlines()[-LINES_OF_A_LOG:]
            parts.append("\n".join([f"## The end of {name}.log", "", "```", *tail, "```"]))
    return parts


def quoted(path, title=""):
    return [f"{title}```\n{path.read_text(encoding='utf-8', errors='replace').strip()}\n```"] if path.exists() else []


def page(report, tests, musts, logs):
    is_trial = report["trial"]
    parts = [f"# GPU check, {report['date']}{', a trial' if is_trial else ''}"]
    parts.append("## Musts\n\n" + must_table(musts, is_trial))
    parts.append("## Sections\n\n" + section_table(report["sections"]))
    if tests:
        lines = [line for name, counts in tests.items() for line in gpu_tests.lines_of(name, counts)]
        parts.append("## Tests\n\n" + "\n".join(lines))
    if report["results"]:
        parts += benchmark_parts(report["results"])
    parts += quoted(logs / "hardware.log", "## Hardware\n\n")
    parts += quoted(logs / "selftest.devices.log", "Rhyton's list of devices:\n\n")
    parts += log_parts(report["sections"], tests, logs)
    # A report is given to others, for whom the paths of the files are useless.
    text = "\n\n".join(parts).replace(str(logs.parent), "<out>").replace(str(REPOSITORY), "<repository>")
    return text + "\n"


def measured(results, tests, logs, is_trial):
    seconds = {(entry["case"], entry["program"]): entry["seconds"] for entry in results if "seconds" in entry}
    clocks = [read_clock(logs / f"rhyton.clock{turn}.log") for turn in (1, 2)]
    all_tests = tests.get("tests")
    return gpu_musts.Measured(seconds, clocks, all_tests.outcomes if all_tests else {}, is_trial)


def write(folder, is_trial):
    logs = folder / "logs"
    sections = read_sections(logs)
    results = read_results(logs)
    tests = {
        section["name"]: gpu_tests.read_tests(logs, section["name"])
        for section in sections
        if section["name"] in TESTED and section["result"] != "skipped"
    }
    musts = gpu_musts.musts(measured(results, tests, logs, is_trial))
    report = {
        "date": datetime.datetime.now().astimezone().isoformat(timespec="seconds"),
        "trial": is_trial,
        "musts": [dataclasses.asdict(must) for must in musts],
        "sections": sections,
        "tests": {name: gpu_tests.as_json(counts) for name, counts in tests.items()},
        "results": results,
    }
    (folder / "report.json").write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    (folder / "report.md").write_text(page(report, tests, musts, logs), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--trial", action="store_true", help="the cases are those of a trial")
    arguments = parser.parse_args()
    write(arguments.folder.resolve(), arguments.trial)


if __name__ == "__main__":
    main()
