"""file_sources.json: tf.data.TextLineDataset and TFRecordDataset on files that are drawn at random.

    make_file_sources.py [--seed SEED] [--cases COUNT] [--output FILE]

Each byte of a file and of an element is a character U+0000 to U+00FF.
"""

import argparse
import gzip
import json
import os
import random
import tempfile
import zlib

from common import FOLDER
from common import tf

parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--cases", type=int, default=60)
parser.add_argument("--output", default=os.path.join(FOLDER, "file_sources.json"))
arguments = parser.parse_args()
print("seed", arguments.seed)
rng = random.Random(arguments.seed)


def text():
    pieces = [b"\n", b"\r\n", b"\r", b"word", b"x", "ä".encode(), b"\0", b"\xff", b" ", b"\n\n"]
    return b"".join(rng.choice(pieces) for _ in range(rng.choice([0, 1, 2, 8, 20])))


def members(content):
    """The content in one or two parts, which are not empty: TensorFlow reads nothing behind a member without content."""
    cut = rng.randint(0, len(content))
    return [content[:cut], content[cut:]] if 0 < cut < len(content) and rng.random() < 0.4 else [content]


def line_file(path, compression):
    pack = {"": lambda part: part, "GZIP": lambda part: gzip.compress(part, mtime=0), "ZLIB": zlib.compress}[compression]
    with open(path, "wb") as file:
        file.write(b"".join(pack(part) for part in members(text())))


def record_file(path, compression):
    with tf.io.TFRecordWriter(path, compression) as writer:
        for _ in range(rng.choice([0, 1, 3, 6])):
            writer.write(bytes(rng.randrange(256) for _ in range(rng.choice([0, 1, 5, 40]))))


def draw(number, folder):
    kind = rng.choice(["lines", "records"])
    compression = rng.choice(["", "", "GZIP", "ZLIB"])
    paths = [os.path.join(folder, f"{number}_{i}") for i in range(rng.choice([0, 1, 1, 2, 4]))]
    for path in paths:
        (line_file if kind == "lines" else record_file)(path, compression)
    case = {"name": f"case{number}", "kind": kind, "compression_type": compression}
    if rng.random() < 0.4:
        case["num_parallel_reads"] = rng.choice([1, 2, 3, 7])
    files = []
    for path in paths:
        with open(path, "rb") as file:
            files.append(file.read())
    if files and rng.random() < 0.15:
        damaged = bytearray(files[-1])
        if damaged and kind == "records" and not compression:
            damaged[rng.randrange(len(damaged))] ^= 16
        elif damaged and compression:
            damaged[0] ^= 255
        files[-1] = bytes(damaged)
        with open(paths[-1], "wb") as file:
            file.write(files[-1])
    make = tf.data.TextLineDataset if kind == "lines" else tf.data.TFRecordDataset
    elements = []
    try:
        for element in make(paths, compression, num_parallel_reads=case.get("num_parallel_reads")):
            elements.append(element.numpy())
    except tf.errors.OpError as error:
        case["error"] = type(error).__name__
    return case | {
        "files": [content.decode("latin-1") for content in files],
        "elements": [element.decode("latin-1") for element in elements],
    }


with tempfile.TemporaryDirectory() as folder:
    cases = [draw(number, folder) for number in range(arguments.cases)]
with open(arguments.output, "w") as file:
    file.write("[\n" + ",\n".join(json.dumps(case) for case in cases) + "\n]\n")
print(len(cases), "cases,", sum("error" in case for case in cases), "with errors")
