#!/usr/bin/env python3
"""Checks that docs/architecture.md lists every thread_local of the library with its reason, and no other.

    check_hidden_state.py SOURCE_DIR

The list is the table of the section "Hidden state": file, variable, reason. Prints one line per difference and exits 1
if there is any.
"""

import pathlib
import re
import sys

MODULES = ["framework", "layers", "optimizers", "models", "datasets", "applications"]
SUFFIXES = {".h", ".cc", ".cu"}
PAGE = "docs/architecture.md"
SECTION = re.compile(r"^## Hidden state\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
ROW = re.compile(r"^\| `([^`]+)` \| `([^`]+)` \|(.*)\|$", re.MULTILINE)
VARIABLE = re.compile(r"\bthread_local\b[^;={]*?(\w+)\s*[;={]")


def declared(root):
    """(file, variable) of every thread_local."""
    found = set()
    for module in MODULES:
        for file in sorted((root / module).rglob("*")):
            if file.suffix not in SUFFIXES:
                continue
            code = re.sub(r"//.*", "", file.read_text(encoding="utf-8"))
            path = file.relative_to(root).as_posix()
            names = VARIABLE.findall(code)
            if len(names) != len(re.findall(r"\bthread_local\b", code)):
                sys.exit(f"{path}: a thread_local whose name cannot be read")
            found.update((path, name) for name in names)
    return found


def listed(root):
    """{(file, variable): reason} of the page."""
    section = SECTION.search((root / PAGE).read_text(encoding="utf-8"))
    return {(path, name): reason.strip() for path, name, reason in ROW.findall(section.group(1))} if section else {}


def check_tree(root):
    variables, reasons = declared(root), listed(root)
    for path, name in sorted(variables - reasons.keys()):
        yield f"{path}: thread_local {name} is not in the section \"Hidden state\" of {PAGE}"
    for path, name in sorted(reasons.keys() - variables):
        yield f"{PAGE}: {path} has no thread_local {name}"
    for (path, name), reason in sorted(reasons.items()):
        if not reason:
            yield f"{PAGE}: no reason for the thread_local {name} in {path}"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    violations = list(check_tree(pathlib.Path(sys.argv[1])))
    for violation in violations:
        print(violation)
    sys.exit(1 if violations else 0)


if __name__ == "__main__":
    main()
