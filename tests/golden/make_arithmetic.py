"""Dtypes and values of keras.ops on all pairs of Rhyton's dtypes and Python's
numbers, of its functions of one tensor and of its reductions."""

import json
import os
import warnings

from common import FOLDER, keras, np, plain, tf

ops = keras.ops
DTYPES = [
    "float32", "float64", "float16", "bfloat16", "int32", "int64", "uint8", "bool",
    "int8", "int16", "uint16", "uint32",
]  # fmt: skip
SCALARS = {
    "True": True,
    "False": False,
    "2": 2,
    "-1": -1,
    "300": 300,
    "4503599627370497": 4503599627370497,
    "0.5": 0.5,
    "2.5": 2.5,
}
# 2**53 + 1 is not a float64: a conversion through float64 would be detected.
# The largest and the smallest narrow integers overflow.
FIRST = {
    "uint8": [200, 3, 7, 1],
    "bool": [1, 0, 1, 0],
    "int64": [9007199254740993, 3, -7, 1],
    "int8": [127, -128, 7, 1],
    "int16": [32767, -32768, 7, 1],
    "uint16": [65535, 3, 7, 1],
    "uint32": [4294967295, 3, 7, 1],
}
SECOND = {"uint8": [2, 5, 1, 4], "bool": [1, 1, 0, 0], "uint16": [2, 5, 1, 4], "uint32": [2, 5, 1, 4]}


def first(dtype):
    floats = [1.5, 3.0, 0.25, 2.5]
    return tensor(FIRST.get(dtype, floats if "float" in dtype else [3, -2, 7, 1]), dtype)


def second(dtype):
    floats = [2.5, 2.0, -1.5, 2.5]
    return tensor(SECOND.get(dtype, floats if "float" in dtype else [2, 3, 1, 4]), dtype)


def tensor(values, dtype):
    return tf.cast(tf.constant(values, "int64" if all(isinstance(v, int) for v in values) else "float64"), dtype)


def number(value):
    if isinstance(value, (bool, np.bool_)):
        return int(value)
    if isinstance(value, (int, np.integer)):
        return int(value)
    value = float(value)
    return value if np.isfinite(value) else str(value)


def values_of(x):
    if x.dtype in (tf.bfloat16, tf.float16):
        x = tf.cast(x, tf.float32)
    return [number(v) for v in np.asarray(x).reshape(-1)]


def outcome(function, *arguments, **options):
    """{"dtype", "shape", "values"}, or {"error"} if Keras raises."""
    try:
        result = function(*arguments, **options)
        result = tf.convert_to_tensor(result)
    except Exception as error:  # noqa: BLE001: whatever it refuses with
        return {"error": type(error).__name__}
    return {
        "dtype": keras.backend.standardize_dtype(result.dtype),
        "values": values_of(result),
    }


BINARY = {
    name: getattr(ops, name)
    for name in [
        "add", "subtract", "multiply", "divide", "power", "maximum", "minimum",
        "equal", "not_equal", "less", "less_equal", "greater", "greater_equal",
        "logical_and", "logical_or",
    ]
}  # fmt: skip
BINARY["where"] = lambda a, b: ops.where(tf.constant([True, False, False, True]), a, b)

UNARY = {
    name: getattr(ops, name)
    for name in [
        "negative", "exp", "log", "log1p", "expm1", "sqrt", "rsqrt", "square", "abs", "sign",
        "floor", "ceil", "round", "reciprocal", "sin", "cos", "erf", "isnan", "isfinite", "logical_not",
        "tanh", "sigmoid", "relu", "silu", "softplus", "zeros_like", "ones_like", "elu",
        "softmax", "log_softmax",
    ]
}  # fmt: skip

# TensorFlow rounds the slope to float32.
UNARY["leaky_relu"] = lambda x: ops.leaky_relu(x, negative_slope=0.25)

REDUCTIONS = {
    name: getattr(ops, name)
    for name in ["sum", "prod", "max", "min", "mean", "var", "all", "any", "argmax", "argmin", "logsumexp"]
}

PYTHON_TYPES = {"bool": bool, "int": int, "float": float}

BOUNDS = [(0, 2), (1, 2.5), (0.5, 2.5), (False, True)]


def matrix(x):
    return tf.reshape(x, (2, 2))


def main():
    warnings.simplefilter("ignore")
    cases = []

    def add(kind, op, results):
        cases.append({"name": f"{op}_{kind}", "kind": kind, "op": op, "results": results})

    pairs = [(a, b) for a in DTYPES for b in DTYPES]
    for op, function in BINARY.items():
        add("tensors", op, {f"{a} {b}": outcome(function, first(a), second(b)) for a, b in pairs})
        if op.startswith("logical"):
            continue
        numbers = [(a, text) for a in DTYPES for text in SCALARS]
        add("tensor_number", op, {f"{a} {n}": outcome(function, first(a), SCALARS[n]) for a, n in numbers})
        add("number_tensor", op, {f"{a} {n}": outcome(function, SCALARS[n], second(a)) for a, n in numbers})
    for op, function in UNARY.items():
        add("one", op, {a: outcome(function, second(a)) for a in DTYPES})
    for op, function in REDUCTIONS.items():
        add("reduction", op, {a: outcome(function, second(a)) for a in DTYPES})
    bounds = [(a, low, high) for a in DTYPES for low, high in BOUNDS]
    add("bounds", "clip", {f"{a} {low} {high}": outcome(ops.clip, second(a), low, high) for a, low, high in bounds})
    joining = {
        "matmul": lambda x, y: ops.matmul(matrix(x), matrix(y)),
        "concatenate": lambda x, y: ops.concatenate([x, y], axis=0),
        "stack": lambda x, y: ops.stack([x, y]),
    }
    for op, function in joining.items():
        add("joining", op, {f"{a} {b}": outcome(function, second(a), second(b)) for a, b in pairs})

    rule = keras.backend.result_type
    types = [(a, n) for a in DTYPES for n in PYTHON_TYPES]
    add("promotion", "result_type", {
        **{f"{a} {b}": rule(a, b) for a, b in pairs},
        **{f"{a} Python's {n}": rule(a, PYTHON_TYPES[n]) for a, n in types},
    })  # fmt: skip

    operands = {"first": first, "second": second}
    operands = {which: {a: values_of(x(a)) for a in DTYPES} for which, x in operands.items()}
    with open(os.path.join(FOLDER, "arithmetic.json"), "w", encoding="utf-8") as f:
        lines = [json.dumps(plain(entry), allow_nan=False) for entry in [operands, *cases]]
        f.write("[" + ",\n".join(lines) + "]\n")
    print(f"arithmetic: {len(cases)} cases")


if __name__ == "__main__":
    main()
