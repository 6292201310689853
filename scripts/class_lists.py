#!/usr/bin/env python3
"""The headers that include a family of classes, and the lists of the classes that files can name, from the sources.

    class_lists.py            writes layers/layers.h, optimizers/optimizers.h, optimizers/schedules/schedules.h and
                              models/callbacks/callbacks.h
    class_lists.py --check    checks that they are up to date
"""

import argparse
import pathlib
import re
import sys
from dataclasses import dataclass


@dataclass
class Family:
    header: str
    # Where its classes are declared; folders below `folder` too if `is_deep`.
    folder: str
    is_deep: bool
    # Or several, as alternatives of a pattern.
    base: str
    namespace: str
    what: str
    # The list of the classes that files can name, those with `from_config`; empty: there is none.
    list_name: str = ""


FAMILIES = [
    Family("layers/layers.h", "layers", True, "Layer|LoraLayer|RNN", "rhyton::layers", "layers", "BuiltinLayers"),
    Family("optimizers/optimizers.h", "optimizers", False, "Optimizer", "rhyton::optimizers", "optimizers",
           "BuiltinOptimizers"),
    Family("optimizers/schedules/schedules.h", "optimizers/schedules", False, "LearningRateSchedule",
           "rhyton::optimizers::schedules", "learning rate schedules", "BuiltinSchedules"),
    Family("models/callbacks/callbacks.h", "models/callbacks", False, "Callback", "rhyton::callbacks", "callbacks"),
]


def classes_of(family, root):
    """The headers of the family, and its classes that have `from_config`."""
    headers, classes = [], []
    folder = root / family.folder
    for file in sorted(folder.rglob("*.h") if family.is_deep else folder.glob("*.h")):
        text = file.read_text(encoding="utf-8")
        found = re.findall(rf"^class (\w+) : public (?:{family.base}) {{\n(.*?)^}};", text, re.MULTILINE | re.DOTALL)
        if found:
            headers.append(file.relative_to(root).as_posix())
        classes += [name for name, body in found if re.search(rf"static {name} from_config\(", body)]
    return headers, sorted(classes)


def text_of(family, root):
    headers, classes = classes_of(family, root)
    includes = [f"#include <rhyton/{header}>" for header in headers]
    lines = ["#pragma once", "", f"// All {family.what}. Written by scripts/class_lists.py; do not edit.", ""]
    if not family.list_name:
        return "\n".join(lines + includes) + "\n"
    includes = sorted(includes + ["#include <rhyton/framework/serialization/class_list.h>"])
    entries = ",\n".join(f"    {name}" for name in classes)
    return "\n".join(lines + includes + [
        "", f"namespace {family.namespace} {{", "",
        f"/// The {family.what} that files can name.",
        "// clang-format off",
        f"using {family.list_name} = ClassList<", entries + ">;",
        "// clang-format on",
        "", f"}}  // namespace {family.namespace}"]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    arguments = parser.parse_args()
    stale = []
    for family in FAMILIES:
        file = arguments.root / family.header
        text = text_of(family, arguments.root)
        if file.exists() and file.read_text(encoding="utf-8") == text:
            continue
        stale.append(family.header)
        if not arguments.check:
            file.write_text(text, encoding="utf-8")
    if arguments.check and stale:
        print("not up to date, run scripts/class_lists.py: " + ", ".join(stale))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
