#!/usr/bin/env python3
"""Checks that what README.md and docs/*.md name exists: files, folders, headings and identifiers.

    check_pages.py SOURCE_DIR

* A word in backticks that looks like a path of the tree (`framework/graph/plan.h`, `passes/`, `vector.h`) is the end of
  the path of a file or folder; it may leave out a source's suffix (`passes/bucket_reductions`) or contain *. Headers that
  are included and scripts that are called exist, also in blocks of code.
* A link leads to a file of the tree, and to a heading of it if it names one.
* The folders listed in docs/architecture.md under "Where things are" exist, and every folder with sources of the library
  is listed there. Identifiers in backticks on that page occur in the tree. Its table of passes has the names of
  framework/graph/passes/pass_table.cc in the same order, after those of the passes that cannot be disabled.

Prints one line per violation and exits 1 if there is any.
"""

import fnmatch
import itertools
import pathlib
import re
import sys

LIBRARY = ("framework", "layers", "optimizers", "models", "datasets", "applications")
TOPS = (*LIBRARY, "apps", "tests", "benchmarks", "scripts", "cmake", ".ci", "docs")
SOURCES = (".h", ".cc", ".cu", ".cuh")
READ = (*SOURCES, ".py", ".sh", ".cmake", ".txt")  # files in which identifiers are looked for
ARCHITECTURE = "docs/architecture.md"
PASSES = "framework/graph/passes/pass_table.cc"

FENCE = re.compile(r"^ *```.*?^ *```", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.*?) *$", re.MULTILINE)
INCLUDE_OR_CALL = re.compile(r"<rhyton/([\w/]+\.h)>|\b((?:scripts|benchmarks|tests)/[\w/]+\.(?:py|sh))\b")
NAMED_FILE = re.compile(rf"(?!/)[\w./*-]*[\w*]({'|'.join(map(re.escape, (*SOURCES, '.py', '.sh', '.cmake')))})")
NAMED_PATH = re.compile(r"[\w.-]+(/[\w.*-]+)+/?|[\w.-]+/")  # of the tree, if the first part is a folder of it
IDENTIFIER = re.compile(r"[A-Za-z_]\w*(::[A-Za-z_]\w*)*")


def paths_of(root):
    """The files and folders of the tree, relative to it. What a build or a run leaves there is not looked at."""
    found = {path.name for path in root.iterdir() if path.is_file()}
    for top in TOPS:
        found |= {top, *(path.relative_to(root).as_posix() for path in (root / top).rglob("*")
                         if "__pycache__" not in path.parts)}
    return found


def anchors_of(text):
    """The anchors of the headings of a page, as GitHub makes them."""
    plain = [re.sub(r"[^\w\- ]", "", heading.lower()) for heading in HEADING.findall(FENCE.sub("", text))]
    return {heading.replace(" ", "-") for heading in plain}


def exists(word, paths):
    """Whether a path of the tree is the word or ends with it, with or without the suffix of a source."""
    word = word.rstrip("/")
    if "*" in word:
        return any(fnmatch.fnmatch(path, word) or fnmatch.fnmatch(path, "*/" + word) for path in paths)
    names = [word, *(word + suffix for suffix in SOURCES)]
    return any(path in names or path.endswith(tuple("/" + name for name in names)) for path in paths)


def check_words(page, text, paths):
    folders = {part for path in paths for part in path.split("/")}
    for number, line in enumerate(text.split("\n"), 1):
        words = [word for code in CODE.findall(line) for word in code.split()]
        words = [word for word in words
                 if NAMED_FILE.fullmatch(word) or (NAMED_PATH.fullmatch(word) and word.split("/")[0] in folders)]
        words += ["".join(groups) for groups in INCLUDE_OR_CALL.findall(line)]
        for word in dict.fromkeys(words):
            if not exists(word, paths):
                yield f"{page}:{number}: {word} is no file or folder of the tree"


def check_identifiers(page, text, root, paths):
    files = [root / path for path in paths if path.endswith(READ)]
    known = {word for file in files for word in re.findall(r"\w+", file.read_text(encoding="utf-8", errors="replace"))}
    for number, line in enumerate(text.split("\n"), 1):
        for word in CODE.findall(line):
            if IDENTIFIER.fullmatch(word) and not known.issuperset(word.split("::")):
                yield f"{page}:{number}: `{word}` does not occur in the tree"


def check_links(page, text, root):
    for number, line in enumerate(text.split("\n"), 1):
        for target in LINK.findall(line):
            if re.match(r"\w+:", target):
                continue
            name, _, anchor = target.partition("#")
            file = (root / page).parent / name if name else root / page
            if not file.exists():
                yield f"{page}:{number}: the link to {target} leads to no file"
            elif anchor and anchor not in anchors_of(file.read_text(encoding="utf-8")):
                yield f"{page}:{number}: the link to {target} leads to no heading"


def listed_folders(text):
    """The folders of the first block of the section "Where things are". Lines are indented by two spaces per level;
    the words at the beginning of a line that end with a slash are folders."""
    block = re.search(r"^## Where things are$.*?^```\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    parents = []
    for line in block.group(1).splitlines() if block else ():
        level = (len(line) - len(line.lstrip())) // 2
        folders = list(itertools.takewhile(lambda word: word.endswith("/"), line.split()))
        yield from ("/".join([*parents[:level], folder.rstrip("/")]) for folder in folders)
        parents = [*parents[:level], *(folder.rstrip("/") for folder in folders[:1])]


def check_list_of_folders(page, text, paths):
    listed = set(listed_folders(text))
    for folder in sorted(listed - paths):
        yield f"{page}: the list of folders has {folder}/, which does not exist"
    parents = {path.rpartition("/")[0] for path in paths if path.startswith(LIBRARY) and path.endswith(SOURCES)}
    for folder in sorted(parents - listed):
        yield f"{page}: the list of folders lacks {folder}/"


def check_passes(page, text, root):
    if not (root / PASSES).is_file():
        return
    passes = list(dict.fromkeys(re.findall(r'\.name = "(\w+)"', (root / PASSES).read_text(encoding="utf-8"))))
    section = re.search(r"^## Passes$(.*?)^## ", text, re.MULTILINE | re.DOTALL)
    rows = re.findall(r"^\| `(\w+)` \|", section.group(1) if section else "", re.MULTILINE)
    if not passes or rows[-len(passes):] != passes:
        yield f"{page}: the table of passes has {', '.join(rows)}, but {PASSES} has {', '.join(passes)}"


def check_tree(root):
    paths = paths_of(root)
    for file in [root / "README.md", *sorted((root / "docs").glob("*.md"))]:
        page, text = file.relative_to(root).as_posix(), file.read_text(encoding="utf-8")
        prose = FENCE.sub(lambda block: re.sub(r"`", "'", block.group()), text)
        yield from check_words(page, prose, paths)
        yield from check_links(page, prose, root)
        if page == ARCHITECTURE:
            yield from check_list_of_folders(page, text, paths)
            yield from check_identifiers(page, prose, root, paths)
            yield from check_passes(page, text, root)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    violations = list(check_tree(pathlib.Path(sys.argv[1])))
    for violation in violations:
        print(violation)
    sys.exit(1 if violations else 0)


if __name__ == "__main__":
    main()
