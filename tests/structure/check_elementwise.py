#!/usr/bin/env python3
"""Checks that every elementwise op has a function in the lists of framework/backends/elementwise, and the reverse.

    check_elementwise.py SOURCE_DIR

The kernels of the CPU and of GPUs, and the members of the GPU's chains, follow from these lists. Prints one line per
violation and exits 1 if there is any.
"""

import pathlib
import re
import sys

# Elementwise ops without a function, with the reason.
EXCEPTIONS = {}

OPS = "framework/ops"
FUNCTIONS = "framework/backends/elementwise"
# A file with such a class declares ops; their names are its literals in CamelCase.
OP_CLASS = re.compile(r"\bclass \w+(?: final)? : public (?:Unary|Binary|Elementwise)Op\b")
OP_NAME = re.compile(r'"([A-Z][A-Za-z0-9]+)"')
FUNCTION = re.compile(r"^struct (\w+)(?: : \w+)? \{\n(.*?)^\};", re.MULTILINE | re.DOTALL)
FUNCTION_NAME = re.compile(r'\bname = "(\w+)";')
VARIANT = re.compile(r"\busing Variant = (\w+);")
LIST = re.compile(r"\busing \w+Functions =\s+Functions<([^;]*)>;")


def files(root, folder, suffixes):
    return sorted(file for file in (root / folder).rglob("*") if file.suffix in suffixes)


def ops_of(root):
    """{name: file} of the elementwise ops."""
    names = {}
    for file in files(root, OPS, {".h", ".cc"}):
        text = re.sub(r"//.*", "", file.read_text(encoding="utf-8"))
        if OP_CLASS.search(text) and file.name != "elementwise_op.h":
            names.update({name: file.relative_to(root).as_posix() for name in OP_NAME.findall(text)})
    return names


def check_tree(root):
    ops = ops_of(root)
    functions, variants, listed = {}, set(), []
    for file in files(root, FUNCTIONS, {".h"}):
        text = re.sub(r"//.*", "", file.read_text(encoding="utf-8"))
        for struct, body in FUNCTION.findall(text):
            if match := FUNCTION_NAME.search(body):
                functions[struct] = (match.group(1), file.relative_to(root).as_posix())
            variants.update(VARIANT.findall(body))
        for names in LIST.findall(text):
            listed += [name.strip() for name in names.split(",")]
    if not ops or not listed:
        yield f"no ops in {OPS}, or no lists in {FUNCTIONS}"
    for struct, (op, path) in sorted(functions.items()):
        if struct not in listed and struct not in variants:
            yield f"{path}: {struct} is in no list"
        if op not in ops:
            yield f"{path}: {struct} is the function of '{op}', which is no elementwise op"
    computed = {functions[struct][0] for struct in listed if struct in functions}
    for op, path in sorted(ops.items()):
        if op in computed and op in EXCEPTIONS:
            yield f"{path}: '{op}' has a function and is no exception"
        elif op not in computed and op not in EXCEPTIONS:
            yield f"{path}: '{op}' has no function in the lists of {FUNCTIONS}"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    violations = list(check_tree(pathlib.Path(sys.argv[1])))
    for violation in violations:
        print(violation)
    sys.exit(1 if violations else 0)


if __name__ == "__main__":
    main()
