#!/usr/bin/env python3
"""Checks docs/compiler_errors.md: the compilers' errors for the README's program with a misspelled option."""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

from run_readme import WARNINGS, cpp_blocks

OPTION = '{.activation = "relu"}'
WRONG = '{.activaton = "relu"}'


def errors_of(compiler, include, program):
    """The compiler's output for a program that it must reject."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "readme.cc"
        source.write_text(program, encoding="utf-8")
        outcome = subprocess.run([compiler, *WARNINGS, f"-I{include}", "-fsyntax-only", source], capture_output=True,
                                 text=True, check=False, env=dict(os.environ, LC_ALL="C"))
    if outcome.returncode == 0:
        sys.exit(f"{compiler} accepts a misspelled option")
    return outcome.stderr


def require(text, *pieces):
    for line in text.splitlines():
        if all(piece in line for piece in pieces):
            return
    sys.exit(f"no line has {pieces} in\n{text}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--readme", type=pathlib.Path, required=True)
    parser.add_argument("--compiler", action="append", required=True)
    parser.add_argument("--include", required=True)
    arguments = parser.parse_args()

    program = cpp_blocks(arguments.readme.read_text(encoding="utf-8"))[0]
    if program.count(OPTION) != 1:
        sys.exit(f"the README's program has no {OPTION}")
    for compiler in arguments.compiler:
        errors = errors_of(compiler, arguments.include, program.replace(OPTION, WRONG))
        require(errors, "error: no matching", "Conv2D")
        require(errors, "initializer list", "Conv2DOptions")  # the note that names the options' type
        errors = errors_of(compiler, arguments.include, program.replace(OPTION, "layers::Conv2DOptions" + WRONG))
        require(errors, "error:", "'activaton'", "layers::Conv2DOptions")


if __name__ == "__main__":
    main()
