#!/usr/bin/env python3
"""Which of Keras's public names Rhyton has, from docs/keras_surface.tsv.

    keras_surface.py            marks missing names that the headers declare as available, and writes the section
                                "Missing names" of docs/keras_compatibility.md
    keras_surface.py --check    checks that this section is up to date, and compares the table with the headers:
                                available names are declared, missing names are not

The table has a line per name, aliases separated by '/': area, name, status ("have", "partly" or "miss"), the name in C++
if it differs, and a remark: the missing part or what stands against it, "Python" for names without meaning in C++,
"deprecated" for names that Keras itself deprecates.
"""

import argparse
import csv
import pathlib
import re
import sys
from collections import Counter

BEGIN = "<!-- begin: written by scripts/keras_surface.py -->"
END = "<!-- end: written by scripts/keras_surface.py -->"

# Area -> the headers, and folders of headers, in which its names are declared.
HEADERS = {
    "layers": ["layers"],
    "losses": ["models/losses"],
    "metrics": ["models/metrics", "models/losses"],
    "optimizers": ["optimizers"],
    "schedules": ["optimizers/schedules"],
    "callbacks": ["models/callbacks", "models/model.h"],
    "initializers": ["layers/initializers.h", "layers/stft_initializer.h"],
    "regularizers": ["layers/regularizers.h"],
    "constraints": ["layers/constraints.h"],
    "activations": ["layers/activations.h"],
    "ops": ["framework/ops", "framework/tensor", "framework/autodiff/jvp.h", "layers/activations.h",
            "layers/operations/second_names.h", "models/losses"],
    "ops.image": ["framework/ops/image"],
    "random": ["framework/ops/seeded_random.h", "framework/ops/seed_generator.h"],
    "datasets": ["datasets"],
    "distillation": ["models/distillation"],
    "utils": ["datasets", "framework/context.h", "framework/serialization", "framework/tensor/keras_dtypes.h", "layers",
              "models"],
    "utils.bounding_boxes": ["layers/bounding_boxes"],
    "preprocessing": ["layers/preprocessing"],
    "visualization": ["models/visualization"],
    "saving": ["framework/serialization", "layers", "models"],
    "models": ["models"],
    "Model": ["models", "layers"],
    "Layer": ["layers", "models/metric_owner.h"],
    "KerasTensor": ["layers"],
    "Variable": ["framework/tensor"],
    "keras": ["framework", "layers", "models", "optimizers"],
    "backend": ["framework", "models/config.h", "models/keras_names.h"],
    "config": ["framework", "layers", "models/config.h"],
    "mixed_precision": ["framework", "layers", "optimizers"],
    "dtype_policies": ["framework", "layers"],
    "distribution": ["framework/distribute"],
    "applications": ["applications"],
    "tf.data": ["datasets"],
    "quantizers": ["framework/ops/quantization.h", "layers/quantizers.h"],
}
# Remarks of names that are not to come, and what they mean.
NEVER = {"Python": "Without a meaning in C++", "deprecated": "Deprecated by Keras"}

# Areas whose names are classes and functions of one folder, in which a missing name must not occur.
GUARDED = ["layers", "losses", "metrics", "optimizers", "schedules", "callbacks", "initializers", "regularizers",
           "constraints", "activations", "ops", "ops.image", "applications"]
# The headers in these areas' folders that belong to another area.
FOREIGN = {"layers": ["layers/initializers.h", "layers/stft_initializer.h", "layers/regularizers.h",
                      "layers/constraints.h", "layers/activations.h"]}


def read_table(file):
    with file.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    for row in rows:
        if row["status"] not in ("have", "partly", "miss"):
            sys.exit(f"{file}: {row['area']} {row['name']} has the status '{row['status']}'")
    return rows


def write_table(file, rows):
    lines = ["\t".join(rows[0])] + ["\t".join(row.values()) for row in rows]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def declarations(source, places, without=()):
    """The text of the headers, without comments."""
    text = []
    for place in places:
        path = source / place
        headers = sorted(path.rglob("*.h")) if path.is_dir() else [path] if path.exists() else []
        for header in headers:
            if header.relative_to(source).as_posix() in without:
                continue
            text.append(re.sub(r"//.*|/\*.*?\*/", "", header.read_text(encoding="utf-8")))
    return "\n".join(text)


def is_named(text, name):
    if name.startswith("operator"):
        return name + "(" in text
    return re.search(rf"\b{re.escape(name)}\b", text) is not None


def is_declared(text, name):
    name = re.escape(name)
    function = rf"^(Tensor|models::Model|std::\S+<.*>) {name}\("
    return re.search(rf"\b(class|struct) {name}\b(?! *;)|{function}", text, re.MULTILINE) is not None


def declared_name(source, row):
    """The alias under which a name that the table has as missing is declared; None for none."""
    area = row["area"]
    if row["status"] != "miss" or area not in GUARDED or row["remark"] in NEVER:
        return None
    text = declarations(source, HEADERS[area], FOREIGN.get(area, ()))
    return next((name for name in row["name"].split("/") if is_declared(text, name)), None)


def mark_declared(source, rows):
    """Marks the names as there that are declared by now; whether there are any."""
    found = [(row, name) for row in rows if (name := declared_name(source, row))]
    for row, name in found:
        row.update(status="have", rhyton="" if name == row["name"] else name)
    return bool(found)


def violations(source, rows):
    for row in rows:
        area, status = row["area"], row["status"]
        if status == "miss":
            if name := declared_name(source, row):
                yield f"{area} {name} is declared: it is not missing any more"
        elif status == "have" or row["rhyton"]:
            name = (row["rhyton"] or row["name"]).split("::")[-1]
            if not is_named(declarations(source, HEADERS[area]), name):
                yield f"{area} {row['name']}: no header of {', '.join(HEADERS[area])} names {name}"


def shown(row):
    return "`" + row["name"].split("/")[0] + "`"


def with_remarks(rows):
    """The names of the rows, those of one remark together: "`a`; `b`, `c` (remark)"."""
    by_remark = {}
    for row in rows:
        by_remark.setdefault(row["remark"], []).append(shown(row))
    return "; ".join(", ".join(names) + (f" ({remark})" if remark else "") for remark, names in by_remark.items())


def section(rows):
    areas = list(dict.fromkeys(row["area"] for row in rows))
    counts = Counter((row["area"], row["status"]) for row in rows)
    total = Counter(row["status"] for row in rows)
    lines = [
        BEGIN,
        "",
        f"Of {len(rows)} public names of Keras 3.15, and of `tf.data`, {total['have']} are available, {total['partly']} "
        f"partly, and {total['miss']} are missing. [keras_surface.tsv](keras_surface.tsv) lists them all, with their names in C++"
        " where these differ. Files that need a missing name are refused with a message that names it.",
        "",
        "| area | available | partly | missing |",
        "|---|---|---|---|",
    ]
    for area in areas:
        lines.append(f"| {area} | " + " | ".join(str(counts[area, status] or "–") for status in ("have", "partly", "miss")) + " |")
    lines += ["", "### Partly available", ""]
    for area in areas:
        partly = [row for row in rows if row["area"] == area and row["status"] == "partly"]
        if partly:
            lines.append(f"* {area}: {with_remarks(partly)}")
    lines += ["", "### Not available", ""]
    for area in areas:
        missing = [row for row in rows if row["area"] == area and row["status"] == "miss"]
        to_come = [row for row in missing if row["remark"] not in NEVER]
        if to_come:
            lines.append(f"* **{area}**: {with_remarks(to_come)}")
    for remark, text in NEVER.items():
        names = [f"{shown(row)} ({row['area']})" for row in rows if row["status"] == "miss" and row["remark"] == remark]
        if names:
            lines.append(f"* {text}: " + ", ".join(names))
    return "\n".join([*lines, "", END])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()

    table = arguments.source / "docs/keras_surface.tsv"
    rows = read_table(table)
    if not arguments.check and mark_declared(arguments.source, rows):
        write_table(table, rows)
    page = arguments.source / "docs/keras_compatibility.md"
    old = page.read_text(encoding="utf-8")
    if old.count(BEGIN) != 1 or old.count(END) != 1:
        sys.exit(f"{page} lacks the markers of the section")
    new = old[: old.index(BEGIN)] + section(rows) + old[old.index(END) + len(END) :]
    if not arguments.check:
        page.write_text(new, encoding="utf-8")
        return
    found = list(violations(arguments.source, rows))
    if new != old:
        found.append("docs/keras_compatibility.md differs from docs/keras_surface.tsv: run scripts/keras_surface.py")
    for line in found:
        print(line)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
