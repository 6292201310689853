"""examples.json: what tf.io.parse_single_example reads from messages that are drawn at random.

    make_examples.py [--seed SEED] [--cases COUNT] [--output FILE]

`serialized`: the message; `features`: what is in it, {kind, value} by name. `expected`: the features that are parsed,
[class, shape, dtype, default value?] by name, and `tensors` {dtype, shape, values} of sparse tensors the values alone, or
the name of an `error`. Each byte of a string is a character U+0000 to U+00FF.
"""

import argparse
import json
import os
import random
import struct

from common import FOLDER
from common import np
from common import tf

parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--cases", type=int, default=90)
parser.add_argument("--output", default=os.path.join(FOLDER, "examples.json"))
arguments = parser.parse_args()
print("seed", arguments.seed)
rng = random.Random(arguments.seed)
NAMES = ["image", "label", "x", "größe", "words", "longer name/with slash"]
DTYPES = {"bytes": tf.string, "float": tf.float32, "int64": tf.int64}


def values(kind, count):
    if kind == "bytes":
        return [bytes(rng.randrange(256) for _ in range(rng.choice([0, 1, 3, 130]))) for _ in range(count)]
    if kind == "float":
        return [struct.unpack("<f", struct.pack("<f", rng.choice([0.0, -1.5, 3e38, 1e-40, rng.gauss(0, 1)])))[0]
                for _ in range(count)]
    return [rng.choice([0, 1, -1, 127, 128, 2**31, 2**63 - 1, -(2**63), rng.randrange(1000)]) for _ in range(count)]


def feature(kind, value):
    if kind == "bytes":
        return tf.train.Feature(bytes_list=tf.train.BytesList(value=value))
    if kind == "float":
        return tf.train.Feature(float_list=tf.train.FloatList(value=value))
    if kind == "int64":
        return tf.train.Feature(int64_list=tf.train.Int64List(value=value))
    return tf.train.Feature()


def plain(value):
    value = np.asarray(value, object if isinstance(value, bytes) else None)  # NumPy's own texts end at their last zeros
    return [v.decode("latin-1") if isinstance(v, bytes) else v for v in value.ravel().tolist()]


def expectation(features):
    """What is expected of a feature: often what it is."""
    name = rng.choice(list(features) if features and rng.random() < 0.85 else NAMES)
    kind, value = features.get(name, ("none", []))
    if kind == "none" or rng.random() < 0.05:
        kind = rng.choice(list(DTYPES))
    count = len(value) if rng.random() < 0.95 else rng.randint(0, 4)
    shape = rng.choice([[count], [count], [count, 1], [1, 1, count], *([[2, count // 2]] if count % 2 == 0 else [])])
    shape = [] if count == 1 and rng.random() < 0.6 else shape
    which = rng.choice(["FixedLenFeature", "FixedLenFeature", "VarLenFeature", "FixedLenSequenceFeature"])
    if which == "FixedLenFeature":
        default = values(kind, count) if rng.random() < 0.5 and count > 0 else None
        return name, [which, shape, kind] + ([] if default is None else [default])
    if which == "VarLenFeature":
        return name, [which, [], kind]
    return name, [which, rng.choice([[], [1], [2], [1, 2]]), kind]


def described(which, shape, kind, default=None):
    dtype = DTYPES[kind]
    if which == "FixedLenFeature":
        default = None if default is None else np.array(default, dtype.as_numpy_dtype).reshape(shape)
        return tf.io.FixedLenFeature(shape, dtype, default)
    if which == "VarLenFeature":
        return tf.io.VarLenFeature(dtype)
    return tf.io.FixedLenSequenceFeature(shape, dtype, allow_missing=True)


def draw(number):
    features = {}
    for name in rng.sample(NAMES, rng.randint(0, len(NAMES))):
        kind = rng.choice(["bytes", "float", "int64", "int64", "none"])
        features[name] = (kind, [] if kind == "none" else values(kind, rng.choice([0, 1, 1, 2, 3, 4])))
    message = tf.train.Example(
        features=tf.train.Features(feature={name: feature(*entry) for name, entry in features.items()})
    )
    serialized = message.SerializeToString(deterministic=True)
    expected = dict(expectation(features) for _ in range(rng.randint(1, 3)))
    case = {
        "name": f"case{number}",
        "serialized": serialized.decode("latin-1"),
        "features": {name: {"kind": kind, "value": plain_list(value)} for name, (kind, value) in features.items()},
        "expected": {
            name: entry[:3] + [plain_list(default) for default in entry[3:]] for name, entry in expected.items()
        },
    }
    try:
        parsed = tf.io.parse_single_example(serialized, {name: described(*entry) for name, entry in expected.items()})
    except tf.errors.OpError as error:
        return case | {"error": type(error).__name__}
    tensors = {}
    for name, tensor in parsed.items():
        dense = tensor.values if isinstance(tensor, tf.SparseTensor) else tensor
        tensors[name] = {"dtype": dense.dtype.name, "shape": list(dense.shape), "values": plain(dense.numpy())}
    return case | {"tensors": tensors}


def plain_list(value):
    return [v.decode("latin-1") if isinstance(v, bytes) else v for v in value]


cases = [draw(number) for number in range(arguments.cases)]
with open(arguments.output, "w") as file:
    file.write("[\n" + ",\n".join(json.dumps(case) for case in cases) + "\n]\n")
print(len(cases), "cases,", sum("error" in case for case in cases), "with errors")
