"""utils.json: keras.utils.to_categorical and keras.utils.pad_sequences on lists."""

import json
import os

from common import FOLDER
from common import keras
from common import np

cases = []


def inline(value):
    value = np.asarray(value)
    return {"dtype": str(value.dtype), "shape": list(value.shape), "values": value.astype("float64").ravel().tolist()}


def outcome(function, *arguments, **options):
    """{"output"}, or {"error"} if Keras raises."""
    try:
        return {"output": inline(function(*arguments, **options))}
    except (ValueError, IndexError) as error:
        return {"error": str(error)}


def categorical(name, x, num_classes=None):
    x = np.array(x)
    case = {"name": f"to_categorical/{name}", "x": inline(x), "num_classes": num_classes}
    cases.append(case | outcome(keras.utils.to_categorical, x, num_classes))


categorical("inferred", [0, 2, 1, 2])
categorical("given", [0, 2, 1, 2], 5)
categorical("of_zero", [0, 2], 0)
categorical("column", [[1], [0], [2]])
categorical("one", [3])
categorical("scalar", 2)
categorical("rows", [[0, 1, 2], [2, 2, 0]], 3)
categorical("three_axes_column", [[[0], [1]], [[3], [3]]])
categorical("fractions", np.array([0.9, 2.1], "float32"))
categorical("negative", [-1, 0, -3], 3)
categorical("too_large", [0, 5], 3)
categorical("too_small", [0, -4], 3)
categorical("none", np.zeros((0,), "int64"))
categorical("none_of_three", np.zeros((0,), "int64"), 3)


def padded(name, sequences, **options):
    arrays = [np.asarray(sequence) for sequence in sequences]
    case = {"name": f"pad_sequences/{name}", "sequences": [inline(array) for array in arrays], "options": options}
    cases.append(case | outcome(keras.utils.pad_sequences, arrays, **options))


SEQUENCES = [[1], [2, 3], [4, 5, 6], []]
padded("defaults", SEQUENCES)
for padding in ("pre", "post"):
    for truncating in ("pre", "post"):
        padded(f"{padding}_{truncating}", SEQUENCES, maxlen=2, padding=padding, truncating=truncating)
padded("longer", SEQUENCES, maxlen=5, padding="post", value=-1)
padded("floats", [[0.5, 1.5], [2.25]], dtype="float32", value=0.125)
padded("truncated_fractions", [[0.5, 1.75], [-2.25]], value=7.9)
padded("samples", [[[1, 2]], [[3, 4], [5, 6]]], padding="post", value=9)
padded("samples_behind_an_empty_one", [[], [[3, 4], [5, 6]]])
padded("one_byte", [[1, 0], [1]], dtype="uint8")
padded("truth_values", [[1, 0], [3]], dtype="bool")
padded("no_steps", [[], []])
padded("no_sequences", [], maxlen=3)
padded("no_sequences_and_no_length", [])
padded("negative_length", SEQUENCES, maxlen=-2)
padded("other_samples", [[[1, 2]], [[3, 4, 5]]])
padded("without_steps", [[1], 2])
padded("unknown_padding", SEQUENCES, padding="middle")
padded("unknown_truncating", SEQUENCES, truncating="middle")

with open(os.path.join(FOLDER, "utils.json"), "w", encoding="utf-8") as f:
    json.dump(cases, f, indent=1)
    f.write("\n")
print(f"utils: {len(cases)} cases")
