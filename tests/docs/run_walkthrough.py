#!/usr/bin/env python3
"""Runs the blocks of docs/fine_tune_a_keras_model.md in their order: ```sh with the programs of the build, ```cpp
compiled against its library, ```python with the interpreter that has Keras (--keras-python, or the environment
variable RHYTON_KERAS_PYTHON).

Without Keras the first Python block, which creates the model and the data, is replaced by a file that it has written
(tests/golden/keras_files/digits.keras), and by the same data written here; the others are skipped.
"""

import argparse
import ast
import gzip
import json
import math
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zipfile

WARNINGS = ["-std=c++20", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
BLOCK = re.compile(r"^```(python|sh|cpp)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SAMPLES = slice(5000, 10000)  # those that the page reserves


def run(command, **options):
    """Returns the standard output of the command, which is also shown; ends the test if the command fails."""
    print("+", " ".join(str(word) for word in command), flush=True)
    result = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, **options)
    print(result.stdout, flush=True)
    if result.returncode != 0:
        sys.exit(f"exit status {result.returncode}")
    return result.stdout


def write_npy(path, shape, elements):
    header = f"{{'descr': '|u1', 'fortran_order': False, 'shape': {shape!r}, }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + elements)


def write_data(folder, mnist):
    """The files that the first Python block saves."""
    pixels = 28 * 28
    images = gzip.decompress((mnist / "train-images-idx3-ubyte.gz").read_bytes())[16:]
    labels = gzip.decompress((mnist / "train-labels-idx1-ubyte.gz").read_bytes())[8:]
    count = SAMPLES.stop - SAMPLES.start
    write_npy(folder / "images.npy", (count, 28, 28, 1), images[SAMPLES.start * pixels:SAMPLES.stop * pixels])
    write_npy(folder / "labels.npy", (count,), labels[SAMPLES])


class Page:
    """The blocks of the page, run one by one in `folder`."""

    def __init__(self, folder, arguments):
        self.folder = folder
        self.arguments = arguments
        self.environment = dict(os.environ, KERAS_BACKEND="tensorflow", TF_CPP_MIN_LOG_LEVEL="3")
        self.environment["PATH"] = f"{arguments.bin}:{os.environ['PATH']}"
        self.python_blocks = 0
        self.programs = 0
        (folder / "datasets").symlink_to(arguments.source / "datasets")

    def run_block(self, language, code):
        getattr(self, "run_" + language)(code)

    def run_sh(self, code):
        run(["sh", "-euc", code], cwd=self.folder, env=self.environment)

    def run_cpp(self, code):
        self.programs += 1
        program = self.folder / f"program{self.programs}"
        source = program.with_suffix(".cc")
        source.write_text(code, encoding="utf-8")
        library = self.arguments.library
        run([self.arguments.compiler, *WARNINGS, f"-I{self.arguments.include}", "-O1", source, "-o", program, library,
             f"-Wl,-rpath,{library.parent}"])
        run([program], cwd=self.folder, env=self.environment)

    def run_python(self, code):
        self.python_blocks += 1
        if self.arguments.keras_python:
            output = run([self.arguments.keras_python, "-c", code], cwd=self.folder, env=self.environment)
            self.compare_figures(output)
        elif self.python_blocks == 1:
            shutil.copy(self.arguments.source / "tests/golden/keras_files/digits.keras", self.folder)
            write_data(self.folder, self.arguments.source / "datasets/data/mnist")

    def evaluate(self, model):
        """Loss and metrics according to the tool."""
        output = run(["rhyton", "evaluate", model, "--input", "images.npy", "--target", "labels.npy", "--json"],
                     cwd=self.folder, env=self.environment)
        return json.loads(output)

    def compare_figures(self, output):
        """Reads lines such as "tuned.keras {'accuracy': 0.9, 'loss': 0.3}" with Keras's results for a file."""
        for path, figures in re.findall(r"^(\S+\.keras) (\{.*\})$", output, re.MULTILINE):
            ours, keras = self.evaluate(path), ast.literal_eval(figures)
            for name in ["loss", "accuracy"]:
                if not math.isclose(ours[name], keras[name], rel_tol=1e-4):
                    sys.exit(f"{path}: {name} is {ours[name]} here and {keras[name]} in Keras")

    def check_outcome(self):
        before, after = self.evaluate("digits.keras"), self.evaluate("tuned.keras")
        if not (after["accuracy"] > before["accuracy"] and after["loss"] < before["loss"]):
            sys.exit(f"training has not helped: {before}, then {after}")
        if self.evaluate("last_layer.keras")["loss"] >= before["loss"]:
            sys.exit("training the last layer has not helped")
        for other in ["tuned.h5", "again.keras"]:
            if self.evaluate(other) != after:
                sys.exit(f"{other} is another model than tuned.keras")
        history = json.loads((self.folder / "history.json").read_text())
        if sorted(history) != ["accuracy", "loss", "val_accuracy", "val_loss"]:
            sys.exit(f"history.json holds {sorted(history)}")
        for picture in ["digits.svg", "history.svg"]:
            if not (self.folder / picture).read_text().rstrip().endswith("</svg>"):
                sys.exit(f"{picture} is no picture")
        if not zipfile.is_zipfile(self.folder / "tuned.keras"):
            sys.exit("tuned.keras is no archive")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", type=pathlib.Path, required=True, help="the folder of the repository")
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="where the program rhyton is")
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--include", required=True)
    parser.add_argument("--library", type=pathlib.Path, required=True)
    parser.add_argument("--keras-python", default=os.environ.get("RHYTON_KERAS_PYTHON"))
    parser.add_argument("--keep-model", type=pathlib.Path, help="copy the digits.keras that Python has made to here")
    arguments = parser.parse_args()

    page = (arguments.source / "docs/fine_tune_a_keras_model.md").read_text(encoding="utf-8")
    blocks = BLOCK.findall(page)
    languages = [language for language, _ in blocks]
    if len(blocks) != page.count("\n```") // 2 or not {"python", "sh", "cpp"} <= set(languages):
        sys.exit(f"the page has other blocks than expected: {languages}")
    with tempfile.TemporaryDirectory(prefix="rhyton-walkthrough-") as name:
        walkthrough = Page(pathlib.Path(name), arguments)
        for language, code in blocks:
            walkthrough.run_block(language, code)
        walkthrough.check_outcome()
        if arguments.keep_model:
            shutil.copy(pathlib.Path(name) / "digits.keras", arguments.keep_model)
    print("with Keras" if arguments.keras_python else "without Keras: its blocks were stood in for or left out")


if __name__ == "__main__":
    main()
