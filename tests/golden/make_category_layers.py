"""category_layers.json: CategoryEncoding and Discretization, each called once, and the boundaries that Discretization
finds in data."""

import json
import os

from common import FOLDER
from common import array
from common import keras
from common import np
from common import serialized
from common import tf

L = keras.layers
MODES = ("one_hot", "multi_hot", "count")
cases = []


def inline(value):
    value = np.asarray(value)
    dtype = str(value.dtype)
    values = value.astype("float64").ravel().tolist()
    return {"dtype": dtype, "shape": list(value.shape), "values": values}


def called(name, layer, x, **arguments):
    tensors = {key: tf.constant(value) for key, value in arguments.items()}
    output = array(layer(tf.constant(x), **tensors))
    case = {"name": name} | {key: serialized(layer)[key] for key in ("module", "class_name", "config")}
    case |= {"input": inline(x), "arguments": {key: inline(value) for key, value in arguments.items()}}
    cases.append(case | {"output": inline(output)})


# CategoryEncoding.

TOKENS = {
    "scalar": np.array(2),
    "vector": np.array([0, 2, 2]),
    "one": np.array([3]),
    "rows": np.array([[0, 2, 2], [1, 1, 3]]),
    "column": np.array([[0], [3]]),
    "three_axes": np.array([[[0, 1], [2, 2], [1, 3]], [[1, 1], [1, 1], [0, 0]]]),
    "three_axes_column": np.array([[[0], [1]], [[3], [3]]]),
    "no_rows": np.zeros((0, 3), "int64"),
    "no_tokens": np.zeros((3, 0), "int64"),
    "too_large": np.array([[0, 4, 9], [1, 7, 3]]),
}
for mode in MODES:
    for name, tokens in TOKENS.items():
        layer = L.CategoryEncoding(num_tokens=4, output_mode=mode, name="encoding")
        called(f"category_encoding/{mode}/{name}", layer, tokens)
    for dtype in ("int32", "bool", "float16", "float32", "float64"):
        layer = L.CategoryEncoding(num_tokens=4, output_mode=mode, name="encoding")
        called(f"category_encoding/{mode}/of_{dtype}", layer, np.array([[0, 1], [1, 1]]).astype(dtype))
    for dtype in ("float64", "int32", "int64"):
        layer = L.CategoryEncoding(num_tokens=4, output_mode=mode, name="encoding", dtype=dtype)
        called(f"category_encoding/{mode}/in_{dtype}", layer, np.array([[0, 1], [3, 3]]))
    layer = L.CategoryEncoding(num_tokens=4, output_mode=mode, name="encoding")
    called(f"category_encoding/{mode}/fractions", layer, np.array([[0.5, 1.9, 2.99]]))
NEGATIVE = np.array([[0, -1], [2, 3]])
for name, x in {"negative": NEGATIVE, "negative_in_three_axes": NEGATIVE[None]}.items():
    layer = L.CategoryEncoding(num_tokens=4, output_mode="one_hot", name="encoding")
    called(f"category_encoding/one_hot/{name}", layer, x)
called(
    "category_encoding/multi_hot/negative_in_three_axes",
    L.CategoryEncoding(num_tokens=4, name="encoding"),
    NEGATIVE[None],
)


def weighted(name, x, weights, **arguments):
    layer = L.CategoryEncoding(num_tokens=4, output_mode="count", name="encoding", **arguments)
    called(f"category_encoding/count/weighted_{name}", layer, np.array(x), count_weights=np.array(weights))


weighted("vector", [0, 1, 1], [1.5, 2.0, 3.0])
weighted("rows", [[0, 1], [3, 3]], [[0.1, 0.2], [0.3, 0.4]])
weighted("by_integers", [[0, 1], [3, 3]], [[1, 2], [3, 4]])
weighted("three_axes", [[[0, 1], [3, 3]]], [[[1.0, 2.0], [3.0, 4.0]]])
weighted("three_axes_broadcast", [[[0, 1], [3, 3]]], [[1.0, 2.0]])
weighted("without_weights", [[0, 1], [3, 3]], np.zeros(0))

# Discretization with given boundaries.

VALUES = {
    "scalar": np.array(0.5),
    "vector": np.array([0.5, 2.0]),
    "rows": np.array([[-1.5, 1.0, 3.4, 0.5], [0.0, 3.0, 1.3, 0.0]]),
    "column": np.array([[0.5], [2.0]]),
    "three_axes": np.array([[[0.5, 1.0], [2.0, 0.0]], [[-0.5, 1.0], [1.0, 7.0]]]),
    "no_rows": np.zeros((0, 3)),
    "no_values": np.zeros((3, 0)),
}


def discretization(mode="int", boundaries=(0.0, 1.0, 2.0), **arguments):
    return L.Discretization(bin_boundaries=list(boundaries), output_mode=mode, name="bins", **arguments)


for mode in ("int", *MODES):
    for name, x in VALUES.items():
        called(f"discretization/{mode}/{name}", discretization(mode), x.astype("float32"))
    for dtype in ("int32", "int64", "uint8", "bool", "float16", "float64"):
        called(f"discretization/{mode}/of_{dtype}", discretization(mode), np.abs(VALUES["rows"]).astype(dtype))
    for dtype in ("float64", "int32"):
        called(f"discretization/{mode}/in_{dtype}", discretization(mode, dtype=dtype), VALUES["rows"])
    called(f"discretization/{mode}/no_boundaries", discretization(mode, ()), np.array([[0.1, 1.0, 2.5]], "float32"))
for dtype in ("float16", "bfloat16"):
    called(f"discretization/int/in_{dtype}", discretization(dtype=dtype), VALUES["rows"].astype("float32"))
ROWS = VALUES["rows"].astype("float32")
BETWEEN = np.array([[0.1, 1.0, 2.5]], "float32")
called("discretization/one_hot/in_float16", discretization("one_hot", dtype="float16"), ROWS)
called("discretization/int/rounded_input", discretization(boundaries=[0.1]), np.array([[0.1, 0.09999999]]))
called("discretization/int/large_integers", discretization(boundaries=[16777216.0]), np.array([[16777217, 16777215]]))
called("discretization/int/equal_boundaries", discretization(boundaries=[1.0, 1.0]), BETWEEN)

# What Discretization finds. The data are numbers ((factor i + offset) mod modulus) / divisor, the same in C++.


def numbers(count, factor, offset, modulus, divisor, is_cubed):
    values = (factor * np.arange(count) + offset) % modulus / divisor
    return (values**3 if is_cubed else values).astype("float32")


def adapted(name, num_bins, batches, modulus=10007, divisor=7.0, is_cubed=False, **arguments):
    """batches: (count, factor, offset) of each."""
    layer = L.Discretization(num_bins=num_bins, **arguments)
    layer.adapt([numbers(*batch, modulus, divisor, is_cubed) for batch in batches])
    case = {"name": f"adapt/{name}", "num_bins": num_bins, "epsilon": layer.epsilon}
    case |= {"batches": [list(batch) for batch in batches]}
    case |= {"modulus": modulus, "divisor": divisor, "is_cubed": is_cubed}
    cases.append(case | {"bin_boundaries": layer.bin_boundaries})


for bins in (1, 2, 4, 7, 10, 49, 99, 100, 101, 1000):
    adapted(f"bins_{bins}", bins, [(9000, 37, 5)])
for count in (1, 2, 3, 5, 99, 100, 101, 150, 199, 201, 1000):
    adapted(f"count_{count}", 4, [(count, 41, 3)])
for epsilon in (1e-4, 0.001, 0.03, 0.1, 0.3, 0.5, 0.7, 1.0, 2.0, -0.1):
    adapted(f"epsilon_{epsilon}", 5, [(3000, 3, 0), (70, 3, 1)], epsilon=epsilon)
# Batches without equal values: 3 i, 3 i + 1, 3 i + 2.
adapted("batches", 8, [(500, 3, 0), (1000, 3, 1), (30, 3, 2)])
adapted("batches_of_few", 3, [(5, 3, 0), (4, 3, 1), (1, 3, 2)])
adapted("many_batches", 6, [(40, 20, i) for i in range(20)], epsilon=0.05)
adapted("empty_batches", 4, [(0, 3, 0), (500, 3, 1), (0, 3, 2)])
adapted("cubes", 12, [(700, 3, 0), (900, 3, 1)], modulus=5003, divisor=2503.0, is_cubed=True)
adapted("nothing", 4, [])
adapted("no_values", 4, [(0, 3, 1)])
# Equal values of equal weights.
adapted("few_values", 4, [(60, 1, 0)], modulus=3)

with open(os.path.join(FOLDER, "category_layers.json"), "w", encoding="utf-8") as file:
    # One case a line, so that changes are readable.
    file.write("[" + ",\n".join(json.dumps(case) for case in cases) + "]\n")
