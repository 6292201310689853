#!/usr/bin/env python3
"""Shows results of scripts/keras_interop.sh, and writes them into docs/keras_compatibility.md.

    write_table.py RESULT.json                          what failed and how many did not; exit status 1 if any failed
    write_table.py RESULT.json... --docs PAGE.md        writes the tables between the two marks of the page
"""

import argparse
import json
import pathlib
import sys

FORMATS = {"keras": ".keras", "h5": ".h5", "weights.h5": ".weights.h5"}
STAGES = ["reads", "trains", "writes"]
BEGIN = "<!-- begin: written by tests/keras_interop/write_table.py -->"
END = "<!-- end -->"
KINDS = {
    "layer": "Layers",
    "model": "Models",
    "structure": "Structure of models",
    "operations": "Operations on symbolic tensors",
    "masks": "Masks",
    "recurrent": "Recurrent layers",
    "optimizer": "Optimizers",
    "optimizer argument": "Arguments of optimizers",
    "schedule": "Learning rate schedules",
    "loss": "Losses",
    "metric": "Metrics",
    "regularizer": "Regularizers",
    "constraint": "Constraints",
    "other": "Other",
}


def kind_and_name(tag):
    for kind in sorted(KINDS, key=len, reverse=True):
        for separator in (": ", " "):
            if tag.startswith(kind + separator):
                return kind, tag[len(kind) + len(separator) :]
    return "other", tag


def outcomes(result):
    """(case, format, stage, outcome) of all attempts."""
    for case in result["cases"]:
        for name, stages in case["formats"].items():
            for stage in STAGES:
                if stages.get(stage) is not None and stages[stage]["ok"] is not None:
                    yield case, name, stage, stages[stage]


def counts(result, tag):
    """{format: {stage: (good, all)}}"""
    table = {}
    for case, name, stage, outcome in outcomes(result):
        if tag is None or tag in case["tags"]:
            good, total = table.setdefault(name, {}).get(stage, (0, 0))
            table[name][stage] = (good + outcome["ok"], total + 1)
    return table


def cell(stages):
    """"r w t" if everything succeeded; numbers if not; empty without attempts."""
    words = []
    for stage, word in (("reads", "r"), ("writes", "w"), ("trains", "t")):
        good, total = stages.get(stage, (0, 0))
        if total and good == total:
            words.append(word)
        elif total:
            words.append(f"{word} {good}/{total}")
    return " ".join(words)


def largest(result, stage, what):
    return max((o.get(what, 0.0) for _, _, s, o in outcomes(result) if s == stage and o["ok"]), default=0.0)


def show(result):
    failed = 0
    for case, name, stage, outcome in outcomes(result):
        if outcome["ok"]:
            continue
        failed += 1
        message = " ".join(outcome["error"].split())
        print(f"{case['name']} {FORMATS[name]} {stage}: {message[:400]}")
    for case in result["cases"]:
        for name, stages in case["formats"].items():
            if stages.get("writes") and stages["writes"]["ok"] is None:
                print(f"{case['name']} {FORMATS[name]}: Keras cannot read its own file either: {stages['writes']['error'][:300]}")
    print()
    rows = [("", *FORMATS.values())]
    tags = sorted({tag for case in result["cases"] for tag in case["tags"]}, key=lambda tag: (kind_and_name(tag)))
    for tag in [None, *tags]:
        table = counts(result, tag)
        rows.append((tag or "everything", *(cell(table.get(name, {})) for name in FORMATS)))
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        print("  ".join(text.ljust(width) for text, width in zip(row, widths)).rstrip())
    print()
    print(f"r: Rhyton reads the files of {result['made_with']}, and predicts the same")
    print("t: and trains on the same")
    print(f"w: {result['checked_with']} reads Rhyton's files, predicts the same and trains on the same")
    passed = sum(outcome["ok"] for _, _, _, outcome in outcomes(result))
    for stage in STAGES:
        errors = (f"{what} {largest(result, stage, what):.1e}" for what in ("prediction", "loss", "variable"))
        print(f"largest error, {stage}: {', '.join(errors)}")
    print(f"{len(result['cases'])} models, {result['made_with']}")
    print(f"{passed} passed, {failed} failed")
    return failed


def markdown(results):
    lines = ["", "Last run: " + "; ".join(f"{r['made_with']} ({r['date']}, {len(r['cases'])} models)" for r in results)]
    lines[-1] += ". r: Rhyton reads the files of that version and predicts the same (1e-5 of the output's size). t: it"
    lines[-1] += " trains on from there for 20 steps with the same losses (1e-4), weights and optimizer variables (1e-4)."
    lines[-1] += " w: that version reads Rhyton's files, predicts the same and trains on the same; files that come"
    lines[-1] += " from tf.keras are written for Keras 3. Numbers are given where not all models of a kind passed."
    every_tag = {tag for result in results for case in result["cases"] for tag in case["tags"]} - {"refused"}
    for kind, title in KINDS.items():
        tags = sorted(tag for tag in every_tag if kind_and_name(tag)[0] == kind)
        if not tags:
            continue
        columns = [(result, name) for name in FORMATS for result in results]
        columns = [(r, n) for r, n in columns if any(n in c["formats"] for c in r["cases"])]
        heads = [f"`{FORMATS[name]}` {result['made_with']}" for result, name in columns]
        lines += ["", f"### {title}", "", "| | " + " | ".join(heads) + " |", "|---" * (len(heads) + 1) + "|"]
        for tag in tags:
            cells = [cell(counts(result, tag).get(name, {})) or "–" for result, name in columns]
            lines.append(f"| {kind_and_name(tag)[1]} | " + " | ".join(cells) + " |")
    return "\n".join([*lines, ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="+", type=pathlib.Path)
    parser.add_argument("--docs", type=pathlib.Path)
    arguments = parser.parse_args()
    results = [json.loads(path.read_text(encoding="utf-8")) for path in arguments.results]
    if arguments.docs is None:
        return 1 if sum([show(result) for result in results]) else 0
    page = arguments.docs.read_text(encoding="utf-8")
    before, _, rest = page.partition(BEGIN)
    _, mark, after = rest.partition(END)
    if not mark:
        raise SystemExit(f"{arguments.docs} has no place for the tables: {BEGIN} … {END}")
    arguments.docs.write_text(before + BEGIN + "\n" + markdown(results) + "\n" + END + after, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
