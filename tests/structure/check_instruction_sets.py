#!/usr/bin/env python3
"""Checks, by reading the compiled code, that code of a wide instruction set never runs if another set was chosen.

    check_instruction_sets.py OBJDUMP LIBRARY [SET FOLDER]...

LIBRARY is the linked library; FOLDER contains the output of cmake/InstructionSets.cmake of the kernels for SET.
Prints one line per violation and exits 1 if there is any.
"""

import pathlib
import re
import subprocess
import sys

LEVELS = ["x86-64", "x86-64-v3", "x86-64-v4"]

# --- Symbols and sections ---------------------------------------------------------------------------------

SYMBOL = re.compile(r"^[0-9a-f]{8,16} (?P<binding>.)(?P<weak>.).{5} (?P<section>\S+)\t[0-9a-f]+ (?:\.\w+ )?(?P<name>.+)$")
SECTION = re.compile(r"^\s*\d+ (?P<name>\S+)\s+[0-9a-f]{8,16} ", re.MULTILINE)
# Functions that run when the library is loaded, on any machine.
RUNS_AT_LOAD = re.compile(r"\.(init|fini|preinit)_array|\.(c|d)tors|\.(init|fini)$")
WRITABLE = re.compile(r"\.(data|bss|tdata|tbss)\b(?!\.rel\.ro)")
# Each set has its own Eigen and its own pointer to the language's exception handler.
OWN_STATE = re.compile(r"5Eigen|^DW\.ref\.")


def section_of(instruction_set):
    return ".text_" + re.sub(r"\W", "_", instruction_set)


def entry_of(instruction_set):
    return "rhyton_register_kernels_" + re.sub(r"\W", "_", instruction_set)


def check_symbols(instruction_set, table):
    """`table`: the output of objdump -t for the object that is linked into the library."""
    entry = entry_of(instruction_set)
    found = False
    for symbol in filter(None, map(SYMBOL.match, table.splitlines())):
        if symbol["section"] == "*UND*" or symbol["binding"] == "l" and symbol["weak"] != "w":
            continue
        if symbol["name"] == entry and symbol["binding"] == "g":
            found = True
        else:
            yield f"{instruction_set}: {symbol['name']} is seen by the rest of the library"
    if not found:
        yield f"{instruction_set}: {entry} is missing"


def check_state(instruction_set, table):
    """`table`: the same before the symbols became local, when it still has those that were to be shared."""
    for symbol in filter(None, map(SYMBOL.match, table.splitlines())):
        is_shared = symbol["weak"] == "w" or symbol["binding"] == "u"
        if is_shared and WRITABLE.match(symbol["section"]) and not OWN_STATE.search(symbol["name"]):
            yield f"{instruction_set}: {symbol['name']} is a variable of the whole library, of which the set has a copy"


def check_sections(instruction_set, headers):
    for name in SECTION.findall(headers):
        if RUNS_AT_LOAD.match(name):
            yield f"{instruction_set}: {name} would run when the library is loaded; make what is static constexpr"


# --- Instructions -----------------------------------------------------------------------------------------

CODE_SECTION = re.compile(r"^Disassembly of section (\S+):$")
FUNCTION = re.compile(r"^[0-9a-f]{8,16} <(.+)>:$")
PREFIX = re.compile(r"(?:(?:26|2e|36|3e|64|65|66|67|f0|f2|f3|4[0-9a-f]) )*")
MASK = re.compile(r"%k[0-7]\b")
# Newer than x86-64 but not detected by their first bytes. tzcnt is missing: older processors read it as bsf, as meant.
NEWER = re.compile(r"\s*(popcnt|lzcnt|lddqu|h(add|sub)p[sd]|addsubp[sd]|movs[lh]dup|movddup)\b")


def level_of(code, text):
    """The index in LEVELS of the narrowest set with this instruction. `code`: its bytes, "c5 f8 77 "."""
    first = code[:2]
    if first not in ("62", "c4", "c5", "0f", "f2", "f3") and not PREFIX.match(code).end():
        return 0
    rest = code[PREFIX.match(code).end():]
    if rest.startswith("62"):  # EVEX
        return 2
    if rest.startswith(("c4", "c5")):  # VEX
        return 2 if MASK.search(text) else 1
    if rest.startswith(("0f 38", "0f 3a")) or NEWER.match(text):
        return 1
    return 0


def check_code(lines, sets):
    """`lines`: the output of objdump -d -w for the library. Sections of no set contain code that runs everywhere."""
    limits = {section_of(name): LEVELS.index(name) for name in sets}
    reached = {section: 0 for section in limits}
    limit, section, function, told = 0, "", "", None
    for line in lines:
        parts = line.split("\t", 2)
        if len(parts) < 3:
            if match := FUNCTION.match(line):
                function = match[1]
            elif match := CODE_SECTION.match(line):
                section = match[1]
                limit = limits.get(section, 0)
            continue
        level = level_of(parts[1], parts[2])
        if level > limit and function != told:
            told = function  # one line per function
            yield f"{section}: {function} has an instruction of {LEVELS[level]}: {parts[2].strip()}"
        if section in reached:
            reached[section] = max(reached[section], level)
    for section, level in reached.items():
        if level < limits[section]:
            yield f"{section}: no instruction of {LEVELS[limits[section]]}, so it cannot be what its name says"


def main():
    if len(sys.argv) < 3 or len(sys.argv) % 2 == 0:
        sys.exit(__doc__)
    objdump, library, *rest = sys.argv[1:]
    sets = dict(zip(rest[::2], map(pathlib.Path, rest[1::2])))

    def read(*arguments):
        return subprocess.run([objdump, *map(str, arguments)], stdout=subprocess.PIPE, text=True, check=True).stdout

    violations = []
    for name, folder in sets.items():
        violations.extend(check_symbols(name, read("-t", folder / "kernels.o")))
        violations.extend(check_sections(name, read("-h", folder / "kernels.o")))
        violations.extend(check_state(name, read("-t", folder / "joined.o")))
    with subprocess.Popen([objdump, "-d", "-w", library], stdout=subprocess.PIPE, text=True) as process:
        violations.extend(check_code(process.stdout, sets))
    if process.returncode != 0:
        sys.exit(f"{objdump} could not read {library}")
    for violation in violations:
        print(violation)
    print(f"{len(sets)} sets, {len(violations)} violations")
    sys.exit(1 if violations else 0)


if __name__ == "__main__":
    main()
