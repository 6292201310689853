#!/usr/bin/env python3
"""Writes audio_folders.json: `tf.audio.decode_wav` on drawn files, and `keras.utils.audio_dataset_from_directory`.

    make_audio_folders.py [--seed SEED] [--files COUNT] [--output FILE]

The bytes of files are hexadecimal.
"""

import argparse
import contextlib
import io
import json
import os
import pathlib
import random
import struct
import tempfile

from common import FOLDER
from common import keras
from common import np
from common import tf

parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--files", type=int, default=80)
parser.add_argument("--output", default=os.path.join(FOLDER, "audio_folders.json"))
arguments = parser.parse_args()
print("seed", arguments.seed)
rng = random.Random(arguments.seed)


def chunk(name, content):
    return name + struct.pack("<I", len(content)) + content


def wav(values, channels=1, rate=8000, bits=16, audio_format=1, extension=b"", before=b"", between=b"", behind=b""):
    data = struct.pack(f"<{len(values)}h", *values)
    sample = channels * bits // 8
    form = struct.pack("<HHIIHH", audio_format, channels, rate, rate * sample, sample, bits) + extension
    body = b"WAVE" + before + chunk(b"fmt ", form) + between + chunk(b"data", data) + behind
    return b"RIFF" + struct.pack("<I", len(body)) + body


def values(count):
    return [rng.choice([0, 1, -1, 32767, -32768, rng.randrange(-32768, 32768)]) for _ in range(count)]


def drawn_file():
    channels = rng.choice([1, 1, 2, 3])
    options = {"channels": channels, "rate": rng.choice([8000, 16000, 44100, 0])}
    for name, draw in {
        "bits": lambda: rng.choice([8, 24, 32]),
        "audio_format": lambda: rng.choice([0, 3, 65534]),
        "extension": lambda: rng.choice([b"\0\0", bytes(24), b"\1"]),
        "before": lambda: rng.choice([chunk(b"JUNK", bytes(6)), chunk(b"data", b"")]),
        "between": lambda: chunk(b"LIST", bytes(rng.choice([0, 4, 8]))),
        "behind": lambda: rng.choice([chunk(b"LIST", b"abcd"), chunk(b"data", b"ab"), b"x"]),
    }.items():
        if rng.random() < 0.12:
            options[name] = draw()
    content = bytearray(wav(values(channels * rng.choice([0, 1, 4, 7]) + (rng.random() < 0.1)), **options))
    if rng.random() < 0.2:
        content[rng.randrange(len(content))] = rng.choice([0, 1, 2, 127])
    if rng.random() < 0.1:
        content = content[: rng.randrange(len(content))]
    return bytes(content)


def decoded():
    content = drawn_file()
    desired = rng.choice([None, None, 0, 3, 9])
    case = {"content": content.hex(), "desired_samples": desired}
    try:
        audio = tf.audio.decode_wav(content, desired_samples=-1 if desired is None else desired)
    except UnicodeDecodeError:
        return decoded()  # a message with bytes of the file
    except tf.errors.InvalidArgumentError as error:
        return case | {"error": error.message.split("}} ")[-1].split(" [Op:")[0]}
    return case | {
        "shape": list(audio.audio.shape),
        "samples": (audio.audio.numpy() * 32768).ravel().tolist(),
        "sample_rate": int(audio.sample_rate),
    }


FILES = {
    "yes/a.wav": wav(values(4)),
    "yes/b.WAV": wav(values(2)),
    "yes/deep/c.wav": wav(values(6)),
    "yes/notes.txt": b"no sound",
    "no/1.wav": wav(values(5)),
    "no/10.wav": wav(values(1)),
    "no/2.wav": wav([]),
    "no/3.wav": wav(values(8)),
    ".hidden/x.wav": wav(values(1)),
}
CASES = {
    "plain": {"shuffle": False},
    "categorical": {"shuffle": False, "label_mode": "categorical", "batch_size": 3},
    "binary": {"shuffle": False, "label_mode": "binary", "class_names": ["yes", "no"]},
    "no_labels": {"shuffle": False, "labels": None, "batch_size": 2},
    "no_label_mode": {"shuffle": False, "label_mode": None},
    "list": {"shuffle": False, "labels": [3, 1, 2, 2, 1, 3, 1, 1]},
    "length": {"shuffle": False, "output_sequence_length": 4, "batch_size": 2},
    "no_batches": {"shuffle": False, "batch_size": None},
    "no_batches_length": {"shuffle": False, "batch_size": None, "output_sequence_length": 3},
    "training": {"seed": 7, "validation_split": 0.3, "subset": "training"},
    "validation": {"seed": 7, "validation_split": 0.3, "subset": "validation"},
    "last_part": {"shuffle": False, "validation_split": 0.25, "subset": "validation"},
}
REFUSED = {
    "label_mode": {"label_mode": "ordinal"},
    "labels_text": {"labels": "guessed"},
    "ragged": {"ragged": True, "output_sequence_length": 3},
    "sampling_rate": {"sampling_rate": 0},
    "no_labels_and_class_names": {"labels": None, "class_names": ["a"]},
    "class_names": {"class_names": ["yes", "birds"]},
    "split_range": {"validation_split": 1.5, "subset": "training"},
    "split_without_seed": {"validation_split": 0.5, "subset": "training"},
    "binary": {"label_mode": "binary", "class_names": ["yes"]},
    "no_files": {"class_names": ["empty"]},
}


def made(folder, options):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        dataset = keras.utils.audio_dataset_from_directory(folder, **options)
    elements = [element if isinstance(element, tuple) else (element,) for element in dataset]
    spec = dataset.element_spec
    spec = spec[0] if isinstance(spec, tuple) else spec
    return {
        "arguments": options,
        "printed": printed.getvalue(),
        "class_names": dataset.class_names,
        "spec": [-1 if length is None else length for length in spec.shape],
        "shapes": [list(element[0].shape) for element in elements],
        "samples": [(np.asarray(element[0]) * 32768).ravel().tolist() for element in elements],
        "labels": [np.asarray(element[1]).tolist() for element in elements if len(element) > 1],
    }


def message(folder, options):
    try:
        keras.utils.audio_dataset_from_directory(folder, verbose=False, **options)
    except Exception as error:  # noqa: BLE001
        return str(error).replace(folder, "FOLDER")
    raise AssertionError(f"{options} are accepted")


with tempfile.TemporaryDirectory() as folder:
    for name, content in FILES.items():
        path = pathlib.Path(folder) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    (pathlib.Path(folder) / "empty").mkdir()
    golden = {
        "decoded": [decoded() for _ in range(arguments.files)],
        "files": {name: content.hex() for name, content in FILES.items()},
        "cases": {name: made(folder, options) for name, options in CASES.items()},
        "refused": {
            name: {"arguments": options, "message": message(folder, options)} for name, options in REFUSED.items()
        },
    }
with open(arguments.output, "w") as file:
    json.dump(golden, file, separators=(",", ":"))
    file.write("\n")
print(sum("error" in case for case in golden["decoded"]), "of", arguments.files, "files are refused")
