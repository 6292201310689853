"""indexed_texts.json and the folder indexed_texts: `keras.datasets.imdb` and `reuters` on files that NumPy writes.

    make_indexed_texts.py [--seed SEED] [--cases COUNT] [--output FOLDER]

The functions read the files of the folder in place of those that they would download.
"""

import argparse
import io
import json
import os
import pickle
import random
import zipfile
from unittest import mock

from common import FOLDER
from common import keras
from common import np
from keras.src.datasets import imdb
from keras.src.datasets import reuters

parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--cases", type=int, default=70)
parser.add_argument("--output", default=FOLDER)
arguments = parser.parse_args()
print("seed", arguments.seed)
rng = random.Random(arguments.seed)
folder = os.path.join(arguments.output, "indexed_texts")
os.makedirs(folder, exist_ok=True)


def texts(count, shortest=1, longest=9):
    return [[rng.choice([1, 2, 3, 5, 8, 13, 300, 70000]) + rng.randint(0, 4) for _ in range(rng.randint(shortest, longest))]
            for _ in range(count)]


def save(name, arrays, protocol=None):
    """As `numpy.savez`, with a protocol of pickle of one's choice."""
    with zipfile.ZipFile(os.path.join(folder, name), "w", zipfile.ZIP_DEFLATED) as archive:
        for key, array in arrays.items():
            buffer = io.BytesIO()
            if protocol is None or array.dtype != object:
                np.lib.format.write_array(buffer, array)
            else:
                np.lib.format.write_array_header_1_0(buffer, np.lib.format.header_data_from_array_1_0(array))
                pickle.dump(array, buffer, protocol=protocol)
            archive.writestr(zipfile.ZipInfo(key + ".npy"), buffer.getvalue())


def objects(lists):
    array = np.empty(len(lists), dtype=object)
    array[:] = lists
    return array


def labels(count, classes):
    return np.array([rng.randrange(classes) for _ in range(count)])


def halves(train, test):
    return {"x_train": train, "y_train": labels(len(train), 2), "x_test": test, "y_test": labels(len(test), 2)}


save("imdb.npz", halves(objects(texts(13)), objects(texts(9))))
save("imdb_3.npz", halves(objects(texts(5)), objects(texts(6))), protocol=3)
save("imdb_square.npz", halves(np.array(texts(4, 3, 3), dtype=object), np.array(texts(3, 2, 2))))
save("imdb_arrays.npz", halves(objects([np.array(t) for t in texts(4)]), objects([np.array(t, "int32") for t in texts(3)])))
save("imdb_empty.npz", halves(objects([*texts(3), []]), objects(texts(2))))
for name, protocol in [("reuters.npz", None), ("reuters_3.npz", 3)]:
    save(name, {"x": objects(texts(17)), "y": labels(17, 46)}, protocol)
save("reuters_fortran.npz", {"x": np.asfortranarray(np.array(texts(5, 3, 3), dtype=object)), "y": labels(5, 46)})


def draw(module):
    options = {}
    for name, values in {
        "num_words": [None, 0, 5, 9, 20, 303, 10**6],
        "skip_top": [0, 3, 6],
        "maxlen": [None, 0, 4, 7, 9, 30],
        "seed": [0, 113, 2**32 - 1, rng.randrange(2**32)],
        "start_char": [None, 1, 7],
        "oov_char": [None, 2, 0],
        "index_from": [0, 3, 10, -1],
    }.items():
        if rng.random() < 0.5:
            options[name] = rng.choice(values)
    if module is reuters and rng.random() < 0.6:
        options["test_split"] = rng.choice([0.0, 0.2, 0.5, 0.33, 1.0, 1.3, -0.2, 3.0, round(rng.random(), 3)])
    if rng.random() < 0.08:
        options["maxlen"] = 1
    return options


def outcome(module, file, options):
    with mock.patch.object(module, "get_file", lambda *_, **__: os.path.join(folder, file)):
        try:
            parts = module.load_data(**options)
        except ValueError as error:
            return {"error": str(error)}
    return {
        part: {"x": [[int(word) for word in text] for text in x], "y": [int(label) for label in y]}
        for part, (x, y) in zip(("train", "test"), parts)
    }


cases = []
for number in range(arguments.cases):
    module = rng.choice([imdb, reuters])
    file = rng.choice([n for n in sorted(os.listdir(folder)) if n.startswith(module.__name__.split(".")[-1])])
    options = draw(module)
    cases.append({"name": f"case{number}", "file": file, "options": options} | outcome(module, file, options))
words = {"the": 1, "größe": 2, "\"": 70000}
with open(os.path.join(folder, "words.json"), "w") as file:
    json.dump(words, file)
golden = {"cases": cases, "label_names": reuters.get_label_names(), "words": words}
with open(os.path.join(arguments.output, "indexed_texts.json"), "w") as file:
    json.dump(golden, file, separators=(",", ":"))
    file.write("\n")
print(len(cases), "cases,", sum("error" in case for case in cases), "errors, Keras", keras.__version__)
