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


# The columns of the page after those of the results.
OUTCOME, DATE = "result", "last run"
COLUMNS = ["model", "parameters, millions", "image", *ERRORS.values(), OUTCOME, DATE]


def page_row(measured):
    outcome = "passed" if measured["ok"] else "failed"
    return dict(zip(COLUMNS, [*cells(measured), outcome, f"{measured['date']}, {measured['keras']}"]))


def not_run(application):
    row = dict.fromkeys(COLUMNS, "–")
    model, parameters, image = COLUMNS[:3]
    return row | {model: application.name, parameters: f"{application.parameters:.1f}", image: str(application.size),
                  OUTCOME: "not run"}


def rows_of_page(table):
    """The rows of a table that `markdown` wrote, by the names of the models."""
    lines = [line.strip("| ").split(" | ") for line in table.splitlines() if line.startswith("| ")]
    return {values[0]: dict(zip(COLUMNS, values)) for values in lines if len(values) == len(COLUMNS)}


def date(row):
    return row[DATE].partition(",")[0]


def newest_rows(measured, earlier):
    """A row for each model: its result, or what the page has where that is newer or the only one."""
    rows = {application.name: not_run(application) for application in applications.ALL}
    rows |= {name: row for name, row in earlier.items() if name in rows}
    for row in map(page_row, measured):
        name = row[COLUMNS[0]]
        if rows[name][OUTCOME] == "not run" or date(row) >= date(rows[name]):
            rows[name] = row
    return list(rows.values())


def markdown(rows):
    outcomes = [row[OUTCOME] for row in rows]
    passed, failed, missing = (outcomes.count(outcome) for outcome in ("passed", "failed", "not run"))
    lines = ["", f"Of the {len(rows)} models {passed} passed, {failed} failed, and {missing} were not run.", ""]
    lines += ["| " + " | ".join(COLUMNS) + " |", "|---" * len(COLUMNS) + "|"]
    lines += ["| " + " | ".join(row.values()) + " |" for row in rows]
    return "\n".join([*lines, ""])


def write_page(results, page):
    """Brings the table up to date; the page keeps its rows of models without a newer result."""
    text = page.read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    table, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"{page} has no place for the table: {BEGIN} … {END}")
    rows = newest_rows(results.all(), rows_of_page(table))
    page.write_text(before + BEGIN + "\n" + markdown(rows) + "\n" + END + after, encoding="utf-8")
