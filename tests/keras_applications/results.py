"""The results of comparisons: as a file, as printed lines and as the table of docs/applications.md."""

import json

import applications

BEGIN = "<!-- begin: written by scripts/keras_applications.sh -->"
END = "<!-- end -->"
# Results, as the columns of both tables.
ERRORS = {
    "prediction": "prediction",
    "loss": "loss",
    "update": "update",
    "statistics": "statistics",
    "trained": "after training",
    "written": "Rhyton's files",
}
HEAD = f"{'':18}{'million':>8}{'image':>6}" + "".join(f"{title:>15}" for title in ERRORS.values()) + f"{'seconds':>9}"


def cells(measured):
    millions = f"{measured['parameters'] / 1e6:.1f}" if "parameters" in measured else ""
    # With a mark where Keras's own rounding explains more than the tolerance.
    rounding = measured.get("rounding", {})
    errors = (f"{measured[key]:.0e}" + "*" * (key in rounding) if key in measured else "–" for key in ERRORS)
    return [measured["name"], millions, str(measured["size"]), *errors]


def line(measured):
    """One row of the printed table."""
    name, millions, size, *errors = cells(measured)
    text = f"{name:18}{millions:>8}{size:>6}" + "".join(f"{error:>15}" for error in errors)
    text += f"{measured['seconds']:>9}"
    return text if measured["ok"] else f"{text}\n    failed: {measured['error']}"


class Results:
    """The last result of each model."""

    def __init__(self, path):
        self._path = path
        self._by_name = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}

    def add(self, measured):
        self._by_name[measured["name"]] = measured
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._path.write_text(json.dumps(self._by_name, indent=1), encoding="utf-8")

    def all(self):
        return [self._by_name[a.name] for a in applications.ALL if a.name in self._by_name]


def markdown(measured):
    versions = sorted({result["keras"] for result in measured})
    dates = sorted({result["date"] for result in measured})
    passed = sum(result["ok"] for result in measured)
    lines = ["", f"Last run: {' to '.join(sorted({dates[0], dates[-1]}))}, {', '.join(versions)}: {passed} of the"]
    lines[-1] += f" {len(applications.ALL)} models passed, {len(measured) - passed} failed, and"
    lines[-1] += f" {len(applications.ALL) - len(measured)} were not run."
    lines += ["", "| | parameters, millions | image | " + " | ".join(ERRORS.values()) + " |"]
    lines.append("|---" * (3 + len(ERRORS)) + "|")
    for result in measured:
        name, *others = cells(result)
        lines.append("| " + " | ".join([name if result["ok"] else f"{name} (failed)", *others]) + " |")
    return "\n".join([*lines, ""])


def write_page(results, page):
    text = page.read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"{page} has no place for the table: {BEGIN} … {END}")
    page.write_text(before + BEGIN + "\n" + markdown(results.all()) + "\n" + END + after, encoding="utf-8")
