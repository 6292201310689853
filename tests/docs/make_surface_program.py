#!/usr/bin/env python3
"""Writes sources that call every name that docs/keras_surface.tsv has as there, in some of its areas.

    make_surface_program.py SURFACE.tsv CALLS.tsv FOLDER

Writes FOLDER/surface_GROUP.cc for each of GROUPS: one source of all would take too long to compile. CALLS.tsv has the
C++ expressions of names that need arguments: columns area, name and call; "none" as a call is for a name that is partly
there but has nothing to call. Names without a line are called in the form of their area in DEFAULTS. The result of a
call is one for which surface_calls.h has require_result. A compiler reports errors at the line of SURFACE.tsv. Prints
one line for each error in the tables, and exits 1 if there is any.
"""

import csv
import pathlib
import re
import sys

HEAD = """// Written by tests/docs/make_surface_program.py from docs/keras_surface.tsv.

#include <optional>

#include <rhyton/rhyton.h>

#include <rhyton/tests/docs/surface_calls.h>

namespace rhyton::test {{

// NOLINTBEGIN
const std::vector<SurfaceCall>& {group}_calls() {{
  static const std::vector<SurfaceCall> all = {{
"""
TAIL = """  };
  return all;
}
// NOLINTEND

}  // namespace rhyton::test
"""


def rank_of(name):
    """The number of spatial axes in a name: 2 if it has none."""
    found = re.search(r"([123])D", name)
    return found[1] if found else "2"


def loss(name):
    constructed = "()" if name[0].isupper() else ""
    return f"losses::{name}{constructed}(y_true(), y_pred())"


def metric(name):
    if name[0].isupper():
        return f"measure(metrics::{name}())"
    function = name if "::" in name else f"metrics::{name}"  # most functions are those of losses
    return f"{function}(y_true(), y_pred())"


# The call of a name without a line in the table of calls.
DEFAULTS = {
    "layers": lambda name: f"layers::{name}()(x{rank_of(name)}())",
    "applications": lambda name: f"applications::{name}({{.weights = std::nullopt, .input_shape = {{32, 32, 3}}}})",
    "ops.image": lambda name: f"image::{name}(x2())",
    "ops": lambda name: f"ops::{name}(x2())",
    "random": lambda name: f"random::{name}({{2, 3}})",
    "activations": lambda name: f"activations::{name}(x2())",
    "initializers": lambda name: f"initializers::{name}()({{4, 4}})",
    "regularizers": lambda name: f"regularizers::{name}()(x0())",
    "constraints": lambda name: f"constraints::{name}()(x0())",
    "losses": loss,
    "metrics": metric,
    "optimizers": lambda name: f"value_after_step(optimizers::{name}())",
    "schedules": lambda name: f"optimizers::schedules::{name}(0.1, 10)(step())",
}
# The areas of each source.
GROUPS = {
    "layer": ["layers", "applications", "ops.image"],
    "op": ["ops", "random", "activations"],
    "training": ["initializers", "regularizers", "constraints", "losses", "metrics", "optimizers", "schedules"],
}


def read(path):
    """The rows of a table, with the numbers of their lines."""
    with path.open(encoding="utf-8", newline="") as lines:
        return [(row, number) for number, row in enumerate(csv.DictReader(lines, delimiter="\t",
                                                                           quoting=csv.QUOTE_NONE), 2)]


def words(code):
    return set(re.findall(r"\w+", code))


def calls_of(surface, calls):
    """Yields (area, name, call, line) of all names that are there, and texts for errors."""
    by_name = {}
    for row, number in calls:
        key = row["area"], row["name"]
        if key in by_name:
            yield f"{row['area']} {row['name']} has two calls"
        by_name[key] = row["call"]
    known = set()
    for row, number in surface:
        area, status = row["area"], row["status"]
        if area not in DEFAULTS:
            continue
        aliases = row["name"].split("/")
        known |= {(area, alias) for alias in aliases}
        if status == "miss":
            continue
        name = row["rhyton"] or aliases[0]
        call = next((by_name[area, key] for key in (*aliases, name) if (area, key) in by_name), DEFAULTS[area](name))
        if call == "none":
            if status == "have":
                yield f"{area} {row['name']} is there, but has no call"
            continue
        if name.split("::")[-1] not in words(call):
            yield f"the call of {area} {row['name']} does not name {name}: {call}"
        yield area, aliases[0], call, number
    for area, name in by_name.keys() - known:
        yield f"{area} {name} has a call, but is no name of Keras"


def source_of(group, found, surface, output):
    """The source of a group; what is not a row of the table counts as a line of the source itself."""
    text = HEAD.format(group=group)
    for area, name, call, number in (entry for entry in found if entry[0] in GROUPS[group]):
        text += f'#line {number} "{surface}"\n'
        text += f'{{"{area}", "{name}", [] {{ require_result({call}); }}}},\n'
    text += f'#line {text.count(chr(10)) + 2} "{output}"\n'
    return text + TAIL


def main():
    surface, calls, folder = (pathlib.Path(argument) for argument in sys.argv[1:])
    found = list(calls_of(read(surface), read(calls)))
    errors = [entry for entry in found if isinstance(entry, str)]
    for error in errors:
        print(f"{calls}: {error}")
    if errors:
        sys.exit(1)
    for group in GROUPS:
        output = folder / f"surface_{group}.cc"
        output.write_text(source_of(group, found, surface, output), encoding="utf-8")


if __name__ == "__main__":
    main()
