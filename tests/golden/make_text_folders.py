#!/usr/bin/env python3
"""Writes text_folders.json: `keras.utils.text_dataset_from_directory` on a folder that the file describes.

    make_text_folders.py
"""

import contextlib
import io
import json
import os
import pathlib
import tempfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import keras  # noqa: E402
import numpy as np  # noqa: E402

FILES = {
    "neg/a.txt": "dull\n",
    "neg/b.TXT": "not good",
    "neg/deep/c.txt": "a film\r\nof no worth",
    "neg/notes.md": "no text",
    "pos/1.txt": "gréat",
    "pos/10.txt": "good",
    "pos/2.txt": "",
    "pos/3.txt": "a moving film",
    "other/z.txt": "neither",
    ".hidden/x.txt": "hidden",
}
CASES = {
    "plain": {"shuffle": False},
    "categorical": {"shuffle": False, "label_mode": "categorical", "batch_size": 3},
    "binary": {"shuffle": False, "label_mode": "binary", "class_names": ["pos", "neg"]},
    "no_labels": {"shuffle": False, "labels": None},
    "no_label_mode": {"shuffle": False, "label_mode": None},
    "list": {"shuffle": False, "labels": [3, 1, 2, 2, 1, 3, 1, 1, 9]},
    "max_length": {"shuffle": False, "max_length": 4},
    "no_batches": {"shuffle": False, "batch_size": None},
    "training": {"seed": 7, "validation_split": 0.3, "subset": "training"},
    "validation": {"seed": 7, "validation_split": 0.3, "subset": "validation"},
    "last_part": {"shuffle": False, "validation_split": 0.25, "subset": "validation"},
}
REFUSED = {
    "label_mode": {"label_mode": "ordinal"},
    "labels_text": {"labels": "guessed"},
    "no_labels_and_class_names": {"labels": None, "class_names": ["a"]},
    "class_names": {"class_names": ["pos", "birds"]},
    "split_range": {"validation_split": 1.5, "subset": "training"},
    "split_without_seed": {"validation_split": 0.5, "subset": "training"},
    "binary": {"label_mode": "binary"},
    "no_files": {"class_names": ["empty"]},
}


def made(folder, arguments):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        dataset = keras.utils.text_dataset_from_directory(folder, **arguments)
    elements = [element if isinstance(element, tuple) else (element,) for element in dataset]
    return {
        "arguments": arguments,
        "printed": printed.getvalue(),
        "class_names": dataset.class_names,
        "texts": [[text.decode() for text in np.asarray(element[0]).reshape(-1)] for element in elements],
        "labels": [np.asarray(element[1]).tolist() for element in elements if len(element) > 1],
    }


def message(folder, arguments):
    try:
        keras.utils.text_dataset_from_directory(folder, verbose=False, **arguments)
    except Exception as error:  # noqa: BLE001
        return str(error).replace(folder, "FOLDER")
    raise AssertionError(f"{arguments} are accepted")


def main():
    with tempfile.TemporaryDirectory() as folder:
        for name, text in FILES.items():
            path = pathlib.Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
        (pathlib.Path(folder) / "empty").mkdir()
        golden = {
            "keras": keras.__version__,
            "files": FILES,
            "cases": {name: made(folder, arguments) for name, arguments in CASES.items()},
            "refused": {
                name: {"arguments": arguments, "message": message(folder, arguments)}
                for name, arguments in REFUSED.items()
            },
        }
    target = pathlib.Path(__file__).with_name("text_folders.json")
    target.write_text(json.dumps(golden, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
