"""pipelines.json: what chains of steps of tf.data give, drawn at random.

    make_pipelines.py [--seed SEED] [--cases COUNT] [--output FILE]
"""

import argparse
import json
import os
import random

from common import FOLDER

import numpy as np
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--cases", type=int, default=160)
parser.add_argument("--output", default=os.path.join(FOLDER, "pipelines.json"))
arguments = parser.parse_args()
print("seed", arguments.seed)
rng = random.Random(arguments.seed)

# The functions of map, flat_map, … by name; the test has the same.
MAPS = {
    "double": lambda x: x * 2,
    "fill": lambda x: tf.fill([x % 4], x),
    "fill_some": lambda x: tf.fill([x % 5 + 1], x),
    "pair": lambda x: (x, x * 3),
    "join": lambda x, y: x * 10 + y,
}
NESTED = {
    "range": lambda x: tf.data.Dataset.range(x % 4),
    "repeat": lambda x: tf.data.Dataset.from_tensors(x).repeat(x % 3 + 1),
    "count_from": lambda x: tf.data.Dataset.range(x * 10, x * 10 + 3),
}


def apply(dataset, step):
    """The dataset after a step, a list of its name and arguments."""
    name, *args = step
    if name == "range":
        return tf.data.Dataset.range(*args)
    if name in ("take", "skip", "repeat", "shard", "enumerate", "unbatch"):
        return getattr(dataset, name)(*args)
    if name == "concatenate":
        return dataset.concatenate(tf.data.Dataset.range(*args))
    if name == "zip":
        return tf.data.Dataset.zip((dataset, tf.data.Dataset.range(*args)))
    if name == "batch":
        return dataset.batch(args[0], drop_remainder=args[1])
    if name == "filter_even":
        return dataset.filter(lambda x: x % 2 == 0)
    if name == "map":
        return dataset.map(MAPS[args[0]])
    if name == "parallel_map":
        return dataset.map(MAPS[args[0]], num_parallel_calls=args[1])
    if name == "prefetch":
        return dataset.prefetch(args[0])
    if name == "cache":
        return dataset.cache()
    if name == "flat_map":
        return dataset.flat_map(NESTED[args[0]])
    if name == "interleave":
        return dataset.interleave(NESTED[args[0]], cycle_length=args[1], block_length=args[2])
    if name == "window":
        size, shift, stride, drop = args
        return dataset.window(size, shift, stride, drop).flat_map(lambda w: w.batch(size))
    if name == "window_sizes":
        size, shift, stride, drop = args
        return dataset.window(size, shift, stride, drop).flat_map(
            lambda w: tf.data.Dataset.from_tensors(w.cardinality())
        )
    if name == "window_pairs":
        size, shift, stride, drop = args
        return dataset.window(size, shift, stride, drop).flat_map(
            lambda x, y: tf.data.Dataset.zip((x.batch(size), y.batch(size)))
        )
    if name == "window_interleave":
        size, shift, stride, drop, cycle, block = args
        return dataset.window(size, shift, stride, drop).interleave(
            lambda w: w, cycle_length=cycle, block_length=block
        )
    if name == "padded_batch":
        size, shape, value, drop = args
        return dataset.padded_batch(size, shape, value if value is None else np.int64(value), drop)
    if name == "bucket":
        boundaries, sizes, to_boundary, drop = args
        return dataset.bucket_by_sequence_length(
            lambda x: tf.shape(x)[0],
            boundaries,
            sizes,
            padded_shapes=[None] if to_boundary else None,
            pad_to_bucket_boundary=to_boundary,
            drop_remainder=drop,
        )
    raise KeyError(name)


def flag():
    return rng.random() < 0.5


def windows():
    return [rng.randint(1, 5), rng.randint(1, 7), rng.randint(1, 3), flag()]


def any_kind():
    return rng.choice(
        [
            ["take", rng.randint(-1, 12)],
            ["skip", rng.randint(-1, 5)],
            ["repeat", rng.choice([-1, 0, 1, 2, 3])],
            ["shard", *rng.choice([(1, 0), (2, 0), (2, 1), (3, 2), (5, 3)])],
            ["prefetch", rng.choice([-1, 1, 3])],
            ["cache"],
        ]
    )


def draw_step(kind):
    """A step for elements of that kind, and the kind of its results."""
    if rng.random() < 0.3:
        return any_kind(), kind
    if kind == "number":
        return rng.choice(
            [
                (["concatenate", rng.randint(0, 4)], "number"),
                (["enumerate", rng.randint(-2, 5)], "pair"),
                (["zip", rng.randint(0, 9)], "pair"),
                (["batch", rng.randint(1, 5), flag()], "list"),
                (["filter_even"], "number"),
                (["map", "double"], "number"),
                (["parallel_map", "double", rng.choice([-1, 1, 3])], "number"),
                (["map", "fill"], "list"),
                (["map", "fill_some"], "list"),
                (["parallel_map", "fill", 2], "list"),
                (["map", "pair"], "pair"),
                (["flat_map", rng.choice(list(NESTED))], "number"),
                (["interleave", rng.choice(list(NESTED)), rng.randint(1, 4), rng.randint(1, 3)], "number"),
                (["window", *windows()], "list"),
                (["window_sizes", *windows()], "number"),
                (["window_interleave", *windows(), rng.randint(1, 4), rng.randint(1, 3)], "number"),
            ]
        )
    if kind == "pair":
        return rng.choice(
            [
                (["map", "join"], "number"),
                (["batch", rng.randint(1, 5), flag()], "end"),
                (["window_pairs", *windows()], "end"),
            ]
        )
    if kind == "list":
        return rng.choice(
            [
                (["unbatch"], "number"),
                (["padded_batch", rng.randint(1, 4), [None], None, flag()], "matrix"),
                (["padded_batch", rng.randint(1, 4), [rng.randint(3, 9)], rng.randint(-3, 3), flag()], "matrix"),
                (["bucket", [2, 4], [rng.randint(1, 3) for _ in range(3)], False, flag()], "matrix"),
                (["bucket", [rng.randint(1, 3), 7], [2, 3, 1], True, flag()], "matrix"),
            ]
        )
    return (["unbatch"], "list") if kind == "matrix" and flag() else (any_kind(), kind)


def flat(element):
    parts = element if isinstance(element, tuple) else (element,)
    return [{"shape": list(part.shape), "values": part.numpy().ravel().tolist()} for part in parts]


def make_case(number):
    steps = [["range", *rng.choice([(rng.randint(0, 14),), (2, 11), (-3, 12, 4), (9, -2, -3), (5, 2)])]]
    kind = "number"
    for _ in range(rng.randint(1, 5)):
        step, kind = draw_step(kind)
        steps.append(step)
    case = {"name": f"case{number}", "steps": steps}
    dataset = None
    try:
        for step in steps:
            dataset = apply(dataset, step)
    except (ValueError, TypeError):
        return None  # what TensorFlow knows before the first pass
    case["cardinality"] = int(dataset.cardinality())
    elements = []
    try:
        for element in dataset.take(30):
            elements.append(flat(element))
    except tf.errors.OpError as error:
        case["error"] = type(error).__name__
    return case | {"elements": elements}


cases = []
while len(cases) < arguments.cases:
    case = make_case(len(cases))
    if case is not None:
        cases.append(case)
with open(arguments.output, "w") as file:
    file.write("[\n" + ",\n".join(json.dumps(case) for case in cases) + "\n]\n")
print(len(cases), "cases,", sum("error" in case for case in cases), "with errors")
