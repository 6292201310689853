"""Results of keras.ops that index, scatter, sort, accumulate, rearrange and multiply, in every dtype that Rhyton has, with
gradients, and what is refused."""

import json
import os
import sys
import warnings

from common import FOLDER, keras, np, plain, tf

ops = keras.ops
FLOATS = ["float32", "float64", "float16", "bfloat16"]
INTEGERS = ["int32", "int64", "uint8"]
DTYPES = [*FLOATS, *INTEGERS, "bool"]


def number(value):
    if isinstance(value, (bool, np.bool_)):
        return int(value)
    if isinstance(value, (int, np.integer)):
        return int(value)
    value = float(value)
    return value if np.isfinite(value) else str(value)


def described(x):
    x = tf.convert_to_tensor(x)
    values = np.asarray(tf.cast(x, tf.float32) if x.dtype in (tf.bfloat16, tf.float16) else x)
    return {
        "dtype": keras.backend.standardize_dtype(x.dtype),
        "shape": list(x.shape),
        "values": [number(v) for v in values.reshape(-1)],
    }


def tensor(values, dtype="float32"):
    values = np.asarray(values)
    return tf.cast(tf.constant(values, "int64" if values.dtype.kind in "iub" else "float64"), dtype)


def grid(*shape, dtype="float32", step=3, modulus=7, offset=-2):
    """Small numbers that every dtype holds, with ties; of floats also fractions."""
    numbers = (np.arange(int(np.prod(shape))) * step) % modulus + offset
    if dtype in ("uint8", "bool"):
        numbers = np.abs(numbers) if dtype == "uint8" else numbers % 2
    elif dtype in FLOATS:
        numbers = numbers * 0.5
    return tensor(numbers.reshape(shape), dtype)


def distinct(*shape, dtype="float32"):
    """Different numbers, none of them 0, in no order."""
    count = int(np.prod(shape))
    numbers = np.arange(1, count + 1) * 5 % (count + 1 if count % 5 != 4 else count + 2)
    numbers = numbers.reshape(shape)
    return tensor(numbers * 0.5 if dtype in FLOATS else numbers, dtype)


def index(values, dtype="int32"):
    return tensor(np.asarray(values, dtype="int64"), dtype)


def outputs_of(function, inputs):
    results = function(*inputs)
    return [tf.convert_to_tensor(y) for y in (results if isinstance(results, (list, tuple)) else [results])]


def gradients_of(function, inputs):
    """Of the sum of the outputs, their elements weighted by 1, 1.5, 2 ..."""
    sources = [x for x in inputs if x.dtype.is_floating]
    with tf.GradientTape() as tape:
        for x in sources:
            tape.watch(x)
        total = tf.constant(0.0, sources[0].dtype)
        for y in outputs_of(function, inputs):
            if y.dtype.is_floating:
                weights = tf.reshape(1 + 0.5 * tf.range(tf.size(y), dtype=tf.float32), y.shape)
                total += tf.reduce_sum(y * tf.cast(weights, y.dtype))
    gradients = tape.gradient(total, sources, unconnected_gradients="zero")
    return [described(g) for g in gradients]


class Family:
    def __init__(self, name):
        self.name = name
        self.cases = []

    def add(self, call, inputs, function, gradient=False):
        """A case; `call` is its text in Rhyton's test, where x, y, z are the inputs."""
        self.attempt(call, inputs, function, gradient)
        if "error" in self.cases[-1]:
            raise ValueError(f"{call}: {self.cases[-1]['message']}")

    def attempt(self, call, inputs, function, gradient=False):
        """The same, whether Keras refuses it or not."""
        case = {"call": call, "inputs": [described(x) for x in inputs]}
        try:
            case["outputs"] = [described(y) for y in outputs_of(function, inputs)]
            if gradient:
                case["gradients"] = gradients_of(function, inputs)
        except Exception as error:  # noqa: BLE001: whatever it refuses with
            case["error"] = type(error).__name__
            case["message"] = str(error).split("\n")[0]
        self.cases.append(plain(case))

    def sweep(self, call, make, function, dtypes=DTYPES, gradient=True):
        """The case in each dtype; what Keras refuses is left out, and gradients are those of float64."""
        for dtype in dtypes:
            before = len(self.cases)
            self.attempt(call, make(dtype), function, gradient and dtype == "float64")
            if "error" in self.cases[before]:
                if dtype == "float64":
                    raise ValueError(f"{call}: {self.cases[before]['message']}")
                del self.cases[before]

    def refuse(self, call, inputs, function):
        """A case that Keras refuses."""
        self.attempt(call, inputs, function)
        if "error" not in self.cases[-1]:
            raise ValueError(f"{call} is accepted")

    def save(self):
        path = os.path.join(FOLDER, f"ops_{self.name}.json")
        with open(path, "w", encoding="utf-8") as f:
            f.write("[" + ",\n".join(json.dumps(case, allow_nan=False) for case in self.cases) + "]\n")
        print(f"ops_{self.name}: {len(self.cases)} cases, {os.path.getsize(path)} bytes")


def indexing():
    f = Family("indexing")
    for kind in ("int32", "int64"):
        f.sweep(
            "take(x, y, 0)", lambda d: [grid(4, 3, dtype=d), index([[1, -1], [0, -4]], kind)],
            lambda x, i: ops.take(x, i, axis=0),
        )  # fmt: skip
    f.sweep("take(x, y, -1)", lambda d: [grid(2, 5, dtype=d), index([4, -5, 2])], lambda x, i: ops.take(x, i, axis=-1))
    f.sweep("take(x, y, 1)", lambda d: [grid(2, 3, 2, dtype=d), index(2)], lambda x, i: ops.take(x, i, axis=1))
    f.sweep("take(x, y)", lambda d: [grid(2, 3, dtype=d), index([[5, -6, 3]])], ops.take)
    f.sweep("take(x, y, 0)", lambda d: [grid(3, 2, dtype=d), index(np.zeros((0, 2)))], lambda x, i: ops.take(x, i, axis=0))
    for bad in (index([1, 7]), index([1, -7]), tensor([1.0]), index([1], "uint8")):
        f.refuse("take(x, y, 0)", [grid(4, 2), bad], lambda x, i: ops.take(x, i, axis=0))
    f.refuse("take(x, y, 2)", [grid(4, 2), index([1])], lambda x, i: ops.take(x, i, axis=2))

    along = ops.take_along_axis
    f.sweep("take_along_axis(x, y, 0)", lambda d: [grid(4, 2, dtype=d), index([[-1, 0], [3, 3], [1, -4]])],
            lambda x, i: along(x, i, axis=0))  # fmt: skip
    f.sweep("take_along_axis(x, y, -1)", lambda d: [grid(3, 5, dtype=d), index([[4, 0, -2]], "int64")],
            lambda x, i: along(x, i, axis=-1))  # fmt: skip
    f.sweep("take_along_axis(x, y, 1)", lambda d: [grid(1, 3, 2, dtype=d), index(np.arange(12).reshape(2, 3, 2) % 3)],
            lambda x, i: along(x, i, axis=1))  # fmt: skip
    f.sweep("take_along_axis(x, y)", lambda d: [grid(2, 3, dtype=d), index([5, -6, 0])], along)
    f.refuse("take_along_axis(x, y)", [grid(2, 3), index([[5]])], along)
    for bad in ([[4, 0]], [[0, -5]], [0], np.zeros((3, 3))):
        f.refuse("take_along_axis(x, y, 0)", [grid(4, 2), index(bad)], lambda x, i: along(x, i, axis=0))

    places = index([[0], [2], [0]])
    f.sweep("scatter(x, y, {3, 2})", lambda d: [places, grid(3, 2, dtype=d)], lambda i, v: ops.scatter(i, v, (3, 2)))
    f.sweep("scatter(x, y, {3, 2})", lambda d: [index([[0, 1], [2, 0], [0, 1], [1, 1]], "int64"), grid(4, dtype=d)],
            lambda i, v: ops.scatter(i, v, (3, 2)))  # fmt: skip
    f.sweep("scatter(x, y, {2, 3, 2})", lambda d: [index([[[0, 2], [1, 0]], [[1, 1], [0, 2]]]), grid(2, 2, 2, dtype=d)],
            lambda i, v: ops.scatter(i, v, (2, 3, 2)))  # fmt: skip
    f.sweep("scatter(x, y, {3, 2})", lambda d: [index(np.zeros((0, 1))), grid(0, 2, dtype=d)],
            lambda i, v: ops.scatter(i, v, (3, 2)))  # fmt: skip
    for bad in ([[0], [3], [1]], [[0], [-1], [0]], [[0], [1]], [[0, 0, 0]] * 3):
        f.refuse("scatter(x, y, {3, 2})", [index(bad), grid(3, 2)], lambda i, v: ops.scatter(i, v, (3, 2)))
    for reduction in (None, "add", "max", "min", "mul"):
        text = reduction or "update"

        def update(x, i, v, reduction=reduction):
            return ops.scatter_update(x, i, v, reduction=reduction)

        f.sweep(f"scatter_update(x, y, z, {text})", lambda d: [grid(3, 2, dtype=d), places, grid(3, 2, dtype=d, step=2)],
                update)  # fmt: skip
        f.sweep(f"scatter_update(x, y, z, {text})",
                lambda d: [distinct(2, 3, dtype=d), index([[1, 2], [0, 0]], "int64"), grid(2, dtype=d, step=5)],
                update)  # fmt: skip
        for bad in ([[0], [3], [1]], [[0], [-1], [0]]):
            f.refuse(f"scatter_update(x, y, z, {text})", [grid(3, 2), index(bad), grid(3, 2)], update)

    for start in ([1, 0], [0, 1], [3, 1]):
        f.sweep("slice(x, y, {1, 2})", lambda d: [grid(4, 3, dtype=d), index(start)], lambda x, s: ops.slice(x, s, (1, 2)))
    for bad in ([4, 0], [-1, 0], [0, 2], [0, 4]):
        f.refuse("slice(x, y, {1, 2})", [grid(4, 3), index(bad)], lambda x, s: ops.slice(x, s, (1, 2)))
    for start in ([1, 0], [7, 1], [-1, -5]):
        f.sweep("slice_update(x, y, z)", lambda d: [grid(4, 3, dtype=d), index(start), distinct(2, 2, dtype=d)],
                ops.slice_update, gradient=False)  # fmt: skip
    f.refuse("slice_update(x, y, z)", [grid(4, 3), index([0, 0]), grid(5, 1)], ops.slice_update)

    choices = [tensor([1, 0, 0], "bool"), tensor([1, 1, 0], "bool")]
    f.sweep("select({x, y}, {z, z + z}, 1)", lambda d: [*choices, distinct(2, 3, dtype=d)],
            lambda x, y, z: ops.select([x, y], [z, z + z], default=tf.ones((), z.dtype)),
            dtypes=[*FLOATS, "int32", "int64"])  # fmt: skip
    for kind in ("int32", "int64", "uint8"):
        for dtype in DTYPES:
            f.add(f"one_hot(x, 4, 1, {dtype})", [index([[0, 3], [2, 5]], kind)],
                  lambda x, dtype=dtype: ops.one_hot(x, 4, axis=1, dtype=dtype))  # fmt: skip
    f.add("one_hot(x, 3, 0, float32)", [index([0, -1, 5, 1])], lambda x: ops.one_hot(x, 3, axis=0))
    f.add("one_hot(x, 3, 0, float32)", [tensor([0.0, 1.75])], lambda x: ops.one_hot(x, 3, axis=0))
    for dtype in DTYPES:
        f.add(f"multi_hot(x, 4, -1, {dtype})", [index([[0, 1], [2, 2], [3, -1]])],
              lambda x, dtype=dtype: ops.multi_hot(x, 4, dtype=dtype))  # fmt: skip
    f.add("multi_hot(x, 4, -1, float32)", [index([0, 2, -1])], lambda x: ops.multi_hot(x, 4))
    f.add("multi_hot(x, 4, -1, float32)", [index(np.arange(8).reshape(2, 2, 2) % 3)], lambda x: ops.multi_hot(x, 4))
    f.add("multi_hot(x, 4, 1, float32)", [index([[0, 1], [2, 2]])], lambda x: ops.multi_hot(x, 4, axis=1))

    for name in ("sum", "max", "min", "prod"):
        segment = getattr(ops, f"segment_{name}")
        text = f"segment_{name}"
        f.sweep(f"{text}(x, y, 4)", lambda d: [grid(5, 2, dtype=d), index([0, 2, 0, -1, 2])],
                lambda x, i: segment(x, i, num_segments=4))  # fmt: skip
        f.sweep(f"{text}(x, y, 2)", lambda d: [grid(5, dtype=d, modulus=2), index([0, 1, 0, 0, 1], "int64")],
                lambda x, i: segment(x, i, num_segments=2))  # fmt: skip
        f.add(f"{text}(x, y)", [grid(4), index([0, 1, 0, 2])], segment)
        f.add(f"{text}(x, y, sorted)", [grid(4, 2), index([0, 0, 2, 2])], lambda x, i: segment(x, i, sorted=True))
        f.refuse(f"{text}(x, y, sorted)", [grid(4), index([0, 2, 0, 2])], lambda x, i: segment(x, i, sorted=True))
        for bad in ([0, 4, 0, 1], [0, 1, 1], [[0, 1], [1, 1]]):
            f.refuse(f"{text}(x, y, 4)", [grid(4), index(bad)], lambda x, i: segment(x, i, num_segments=4))
    f.save()


def rearranging():
    f = Family("rearranging")
    x23 = lambda d: [grid(2, 3, dtype=d)]  # noqa: E731
    x232 = lambda d: [grid(2, 3, 2, dtype=d)]  # noqa: E731
    f.sweep("roll(x, 1)", x23, lambda x: ops.roll(x, 1))
    f.sweep("roll(x, -7, 1)", x23, lambda x: ops.roll(x, -7, axis=1))
    f.sweep("roll(x, {1, -1}, {0, -1})", x232, lambda x: ops.roll(x, (1, -1), axis=(0, -1)))
    f.add("roll(x, 1)", [grid(0, 3)], lambda x: ops.roll(x, 1))
    f.sweep("flip(x)", x23, ops.flip)
    f.sweep("flip(x, -1)", x232, lambda x: ops.flip(x, axis=-1))
    f.sweep("fliplr(x)", x23, ops.fliplr)
    f.sweep("flipud(x)", x23, ops.flipud)
    for k in (-1, 0, 1, 3):
        f.sweep(f"rot90(x, {k})", x232, lambda x: ops.rot90(x, k=k))
    # Keras on TensorFlow turns what is not square by 180 degrees in another way than its page says.
    f.sweep("rot90(x, 2)", lambda d: [grid(2, 2, 3, dtype=d)], lambda x: ops.rot90(x, k=2))
    f.sweep("rot90(x, 1, {2, 0})", x232, lambda x: ops.rot90(x, axes=(2, 0)))
    f.refuse("rot90(x, 1)", [grid(3)], ops.rot90)
    f.sweep("moveaxis(x, {0, 1}, {-1, 0})", x232, lambda x: ops.moveaxis(x, (0, 1), (-1, 0)))
    f.sweep("moveaxis(x, 0, -1)", x232, lambda x: ops.moveaxis(x, 0, -1))
    f.refuse("moveaxis(x, 5, 0)", [grid(2, 3)], lambda x: ops.moveaxis(x, 5, 0))
    f.refuse("moveaxis(x, {0}, {-1, 0})", [grid(2, 3)], lambda x: ops.moveaxis(x, (0,), (-1, 0)))
    f.sweep("swapaxes(x, 0, -1)", x232, lambda x: ops.swapaxes(x, 0, -1))
    f.sweep("ravel(x)", x23, ops.ravel)

    f.sweep("append(x, y)", lambda d: [grid(2, 3, dtype=d), index([7])], ops.append)
    f.sweep("append(x, y, 0)", lambda d: [grid(2, 3, dtype=d), index([[7, 8, 9]])], lambda x, y: ops.append(x, y, axis=0))
    for name in ("vstack", "hstack", "dstack"):
        function = getattr(ops, name)
        f.sweep(f"{name}({{x, y}})", lambda d: [grid(2, 3, dtype=d), distinct(2, 3)], lambda x, y: function([x, y]))
        # Keras on TensorFlow joins vectors to a vector here, and not, as its page says, to a matrix.
        if name != "vstack":
            f.sweep(f"{name}({{x, y}})", lambda d: [grid(3, dtype=d), distinct(3)], lambda x, y: function([x, y]))
    f.sweep("array_split(x, 3, 0)", lambda d: [grid(5, 2, dtype=d)], lambda x: ops.array_split(x, 3, axis=0))
    f.sweep("array_split(x, 4, 1)", lambda d: [grid(2, 3, dtype=d)], lambda x: ops.array_split(x, 4, axis=1))
    f.sweep("repeat(x, 2)", x23, lambda x: ops.repeat(x, 2))
    f.sweep("repeat(x, {1, 0, 2}, 1)", x23, lambda x: ops.repeat(x, [1, 0, 2], axis=1))
    f.sweep("repeat(x, {2}, -1)", x23, lambda x: ops.repeat(x, [2], axis=-1))
    f.refuse("repeat(x, {1, 2}, 1)", [grid(2, 3)], lambda x: ops.repeat(x, np.array([1, 2]), axis=1))
    f.sweep("tile(x, {2})", x23, lambda x: ops.tile(x, 2))
    f.sweep("tile(x, {2, 1, 3})", x23, lambda x: ops.tile(x, (2, 1, 3)))
    f.sweep("tile(x, {0, 1})", x23, lambda x: ops.tile(x, (0, 1)), gradient=False)

    for mode in ("constant", "reflect", "symmetric"):
        f.sweep(f"pad(x, {{1, 1}}, {{2, 0}}, {mode})", lambda d: [grid(2, 3, dtype=d)],
                lambda x: ops.pad(x, ((1, 1), (2, 0)), mode=mode))  # fmt: skip
        f.sweep(f"pad(x, {{0, 0}}, {{2, 2}}, {mode})", lambda d: [grid(2, 3, dtype=d)],
                lambda x: ops.pad(x, ((0, 0), (2, 2)), mode=mode))  # fmt: skip
        f.refuse(f"pad(x, {{-1, 0}}, {{0, 0}}, {mode})", [grid(2, 3)], lambda x: ops.pad(x, ((-1, 0), (0, 0)), mode=mode))
    f.refuse("pad(x, {0, 0}, {3, 0}, reflect)", [grid(2, 3)], lambda x: ops.pad(x, ((0, 0), (3, 0)), mode="reflect"))
    f.refuse("pad(x, {0, 0}, {4, 0}, symmetric)", [grid(2, 3)], lambda x: ops.pad(x, ((0, 0), (4, 0)), mode="symmetric"))

    for k in (-2, -1, 0, 1, 2):
        f.sweep(f"tril(x, {k})", x232, lambda x: ops.tril(x, k=k))
        f.sweep(f"triu(x, {k})", lambda d: [grid(3, 4, dtype=d)], lambda x: ops.triu(x, k=k))
        f.add(f"tri(3, 4, {k})", [], lambda: ops.tri(3, 4, k=k))
    f.add("tril(x, 0)", [tensor([[np.nan, np.inf], [1.0, np.nan]])], ops.tril)
    f.refuse("tril(x, 0)", [grid(3)], ops.tril)
    for k in (-2, 0, 1):
        f.sweep(f"diag(x, {k})", lambda d: [grid(3, dtype=d)], lambda x: ops.diag(x, k=k))
        f.sweep(f"diag(x, {k})", lambda d: [grid(3, 4, dtype=d)], lambda x: ops.diag(x, k=k))
        f.sweep(f"diagflat(x, {k})", x23, lambda x: ops.diagflat(x, k=k))
        f.sweep(f"diagonal(x, {k}, 2, 0)", lambda d: [grid(3, 2, 4, dtype=d)], lambda x: ops.diagonal(x, k, axis1=2, axis2=0))
        f.sweep(f"trace(x, {k}, 0, 1)", lambda d: [grid(3, 4, 2, dtype=d)], lambda x: ops.trace(x, k))
        f.add(f"eye(3, 4, {k})", [], lambda: ops.eye(3, 4, k=k))
    f.refuse("diag(x, 0)", [grid(1, 1, 1)], ops.diag)
    for dtype in DTYPES:
        f.add(f"eye(2, {dtype})", [], lambda: ops.eye(2, dtype=dtype))
    for indexing in ("xy", "ij"):
        f.sweep(f"meshgrid({{x, y}}, {indexing})", lambda d: [grid(2, dtype=d), distinct(3, dtype=d)],
                lambda x, y: ops.meshgrid(x, y, indexing=indexing), dtypes=[*FLOATS, "int32", "int64"])  # fmt: skip
        f.sweep(f"meshgrid({{x, y, x}}, {indexing})", lambda d: [grid(2, dtype=d), distinct(3, dtype=d)],
                lambda x, y: ops.meshgrid(x, y, x, indexing=indexing), dtypes=["float64"])  # fmt: skip

    for text, arguments in {"5": (5,), "5.0": (5.0,), "1, 7, 2": (1, 7, 2), "7, 1, -2": (7, 1, -2), "0, 1, 0.3": (0, 1, 0.3),
                            "2, 2": (2, 2), "-1.5, 2": (-1.5, 2)}.items():  # fmt: skip
        f.add(f"arange({text})", [], lambda: ops.arange(*arguments))
    for dtype in ("float16", "bfloat16", "float32", "float64", "int32", "int64"):
        f.add(f"arange(1, 7, 2, {dtype})", [], lambda: ops.arange(1, 7, 2, dtype=dtype))
    for text, arguments in {"3, 1": (3, 1), "1, 3, 0": (1, 3, 0), "1, 3, -1": (1, 3, -1)}.items():
        f.refuse(f"arange({text})", [], lambda: ops.arange(*arguments))
    for num in (0, 1, 2, 5):
        for endpoint in (True, False):
            f.add(f"linspace(0, 10, {num}, {endpoint})", [], lambda: ops.linspace(0, 10, num, endpoint=endpoint, retstep=True))
            f.add(f"linspace(x, y, {num}, {endpoint})", [grid(2, 1), distinct(3)],
                  lambda x, y: ops.linspace(x, y, num, endpoint=endpoint, axis=-1), gradient=num > 1)  # fmt: skip
    for dtype in ("float16", "float64", "int32", "int64"):
        f.add(f"linspace(0, 10, 4, {dtype})", [], lambda: ops.linspace(0, 10, 4, dtype=dtype))
    f.refuse("linspace(0, 10, -1)", [], lambda: ops.linspace(0, 10, -1))
    f.add("logspace(0, 2, 5)", [], lambda: ops.logspace(0, 2, 5))
    f.add("logspace(0, 2, 5, 2)", [], lambda: ops.logspace(0, 2, 5, base=2))
    f.add("geomspace(1, 100, 5)", [], lambda: ops.geomspace(1, 100, 5))
    f.save()


def ordering():
    f = Family("ordering")
    x = lambda d: [grid(3, 5, dtype=d)]  # noqa: E731
    for axis in (0, 1, -1):
        f.sweep(f"sort(x, {axis})", x, lambda x: ops.sort(x, axis=axis))
        f.sweep(f"argsort(x, {axis})", x, lambda x: ops.argsort(x, axis=axis), gradient=False)
    f.sweep("sort(x, 1)", lambda d: [distinct(2, 3, 2, dtype=d)], lambda x: ops.sort(x, axis=1))
    f.sweep("sort(x, none)", x, lambda x: ops.sort(x, axis=None))
    f.sweep("argsort(x, none)", x, lambda x: ops.argsort(x, axis=None), gradient=False)
    f.add("argsort(x, -1)", [tensor(3.0)], ops.argsort)
    f.add("sort(x, -1)", [grid(2, 0)], ops.sort)
    f.add("sort(x, -1)", [tensor([3, -(2**31), 2**31 - 1, 0], "int32")], ops.sort)
    f.add("sort(x, -1)", [tensor([np.inf, 1.0, -np.inf, 0.0])], ops.sort)
    for k in (0, 1, 3, 5):
        f.sweep(f"top_k(x, {k})", x, lambda x: ops.top_k(x, k))
    for k in (-1, 6):
        f.refuse(f"top_k(x, {k})", [grid(3, 5)], lambda x: ops.top_k(x, k))
    f.refuse("top_k(x, 1)", [tensor(1.0)], lambda x: ops.top_k(x, 1))
    f.refuse("top_k(x, 1)", [tensor([1, 0], "bool")], lambda x: ops.top_k(x, 1))
    scores = [[1, 2, 3], [1, 3, 3], [np.nan, 1, 2], [1, 2, 3], [1, 2, 3], [np.inf, 1, 2], [3, 3, 3]]
    targets = [0, 1, 2, 5, -1, 0, 2]
    for k in (0, 1, 2, 3):
        for kind in ("int32", "int64"):
            f.add(f"in_top_k(x, y, {k})", [index(targets, kind), tensor(scores)], lambda x, y: ops.in_top_k(x, y, k))
    for kth in (0, 2, 4):
        for dtype in ("int32", "int64", "uint8"):
            f.add(f"argpartition(x, {kth})", [distinct(5, dtype=dtype)], lambda x: ops.argpartition(x, kth))
    for side in ("left", "right"):
        f.sweep(f"searchsorted(x, y, {side})",
                lambda d: [tensor([0, 1, 1, 4], d), tensor([1, 0, 5, 4, 2, 1], d)],
                lambda x, y: ops.searchsorted(x, y, side=side), gradient=False)  # fmt: skip
        f.add(f"searchsorted(x, y, {side})", [tensor(np.zeros(0)), tensor([1.0])],
              lambda x, y: ops.searchsorted(x, y, side=side))  # fmt: skip
    f.refuse("searchsorted(x, y, left)", [grid(2, 2), grid(2)], ops.searchsorted)
    f.sweep("digitize(x, {0, 1, 2.5})", x, lambda x: ops.digitize(x, [0.0, 1.0, 2.5]), gradient=False)
    for axis in (0, -1, None):
        text = "none" if axis is None else axis
        f.sweep(f"cumsum(x, {text})", x, lambda x: ops.cumsum(x, axis=axis))
        f.sweep(f"cumprod(x, {text})", x, lambda x: ops.cumprod(x, axis=axis))
    f.sweep("cumsum(x, 1)", lambda d: [distinct(2, 3, 2, dtype=d)], lambda x: ops.cumsum(x, axis=1))
    f.sweep("cumprod(x, 1)", lambda d: [distinct(2, 3, 2, dtype=d)], lambda x: ops.cumprod(x, axis=1))
    f.add("cumsum(x, none, float32)", [index([3, -2])], lambda x: ops.cumsum(x, dtype="float32"))
    f.add("cumsum(x, none)", [tensor(2.0)], ops.cumsum)
    f.add("cumsum(x, 0)", [grid(0, 3)], lambda x: ops.cumsum(x, axis=0))
    for n in (0, 1, 2):
        f.sweep(f"diff(x, {n}, -1)", x, lambda x: ops.diff(x, n=n))
    f.sweep("diff(x, 1, 0)", x, lambda x: ops.diff(x, axis=0))
    f.add("diff(x, 3, 0)", [grid(2, 2)], lambda x: ops.diff(x, n=3, axis=0))
    f.refuse("diff(x, -1, -1)", [grid(3)], lambda x: ops.diff(x, n=-1))
    f.refuse("diff(x, 1, -1)", [tensor(1.0)], ops.diff)
    f.sweep("trapezoid(x, 0.5)", x, lambda x: ops.trapezoid(x, dx=0.5))
    f.sweep("trapezoid(x, y, -1)", lambda d: [grid(3, 5, dtype=d), tensor([0, 1, 2, 4, 8], d)],
            lambda x, y: ops.trapezoid(x, y, axis=-1))  # fmt: skip
    f.save()


EINSUMS = {
    "ij,jk->ik": [(2, 3), (3, 4)],
    "ij,jk": [(2, 3), (3, 4)],
    "ij,kj->ki": [(2, 3), (4, 3)],
    "ji,jk->ik": [(3, 2), (3, 4)],
    "ij->ji": [(2, 3)],
    "ba": [(2, 3)],
    "ij->": [(2, 3)],
    "ijk->j": [(2, 3, 4)],
    "ii->i": [(3, 3)],
    "ii": [(3, 3)],
    "iji->j": [(3, 2, 3)],
    "iiji->ij": [(2, 2, 3, 2)],
    "i,j->ij": [(2,), (3,)],
    "i,i->": [(3,), (3,)],
    "ij,ij->ij": [(2, 3), (2, 3)],
    "ij,ij->i": [(2, 3), (2, 3)],
    "ij,k->k": [(2, 3), (4,)],
    "ij,i->ij": [(2, 3), (2,)],
    "abc,cd->abd": [(2, 3, 4), (4, 5)],
    "abc,dc->abd": [(2, 3, 4), (5, 4)],
    "abcd,cde->abe": [(2, 3, 2, 4), (2, 4, 5)],
    "abcd,ecd->abe": [(2, 3, 2, 4), (5, 2, 4)],
    "btnh,bsnh->bnts": [(2, 3, 2, 4), (2, 5, 2, 4)],
    "bnts,bsnh->btnh": [(2, 2, 3, 5), (2, 5, 2, 4)],
    "bd,bd,bd->b": [(2, 3), (2, 3), (2, 3)],
    "ij,jk,kl->il": [(2, 3), (3, 4), (4, 2)],
    "ij,jk,kl->li": [(2, 3), (3, 4), (4, 2)],
    "...ij,...jk->...ik": [(4, 1, 2, 3), (5, 3, 2)],
    "...i,...i->...": [(2, 1, 3), (4, 3)],
    "...i->i...": [(2, 1, 3)],
    "i...,i->...": [(3, 2, 2), (3,)],
    "...ab,bc->...ac": [(2, 3), (3, 2)],
    "a...b,bc->a...c": [(2, 2, 3), (3, 2)],
    "...,...->...": [(2, 3), (3,)],
    "ij,jk->...ik": [(2, 3), (3, 4)],
    " i j , jk -> i k ": [(2, 3), (3, 4)],
    "Ab,bC->CA": [(2, 3), (3, 4)],
    "ij,jk->ik ": [(0, 3), (3, 4)],
    "ij,jk->ki": [(2, 0), (0, 4)],
}
REFUSED_EINSUMS = {
    "ij;jk": [(2, 3), (3, 4)],
    "i.j->ij": [(2, 3)],
    "ij,jk->ik->x": [(2, 3), (3, 4)],
    "ij,jk->il": [(2, 3), (3, 4)],
    "ij->ii": [(2, 3)],
    "ij,jk,kl->il": [(2, 3), (3, 4)],
    "ij,jk->ik": [(2, 3), (2, 3)],
    "ijk->i": [(2, 3)],
    "...i->i": [(2, 3)],
    "bi,bi->b": [(1, 3), (4, 3)],
}


def products():
    f = Family("products")
    for text, shapes in EINSUMS.items():
        f.sweep(f"einsum({text})", lambda d: [grid(*s, dtype=d, step=2 + i) for i, s in enumerate(shapes)],
                lambda *x: ops.einsum(text, *x))  # fmt: skip
    for text, shapes in REFUSED_EINSUMS.items():
        f.refuse(f"einsum({text})", [grid(*s) for s in shapes], lambda *x: ops.einsum(text, *x))
    for a in DTYPES:
        for b in DTYPES:
            pair = [grid(2, 3, dtype=a), distinct(3, dtype=b)]
            for text, function in {"einsum(ij,j->i)": lambda x, y: ops.einsum("ij,j->i", x, y),
                                   "tensordot(x, y, 1)": lambda x, y: ops.tensordot(x, y, 1),
                                   "dot(x, y)": ops.dot, "outer(x, y)": ops.outer, "kron(x, y)": ops.kron}.items():  # fmt: skip
                f.attempt(text, pair, function)
                if "error" in f.cases[-1]:
                    del f.cases[-1]
    both = lambda *shapes: lambda d: [grid(*shapes[0], dtype=d), grid(*shapes[1], dtype=d, step=5)]  # noqa: E731
    f.sweep("tensordot(x, y, 0)", both((2,), (3, 2)), lambda x, y: ops.tensordot(x, y, 0))
    f.sweep("tensordot(x, y, 2)", both((2, 3, 2), (3, 2, 4)), ops.tensordot)
    f.sweep("tensordot(x, y, {0, -1}, {1, 0})", both((2, 3, 4), (4, 2, 3)),
            lambda x, y: ops.tensordot(x, y, axes=([0, -1], [1, 0])))  # fmt: skip
    f.refuse("tensordot(x, y, 1)", [grid(2, 3), grid(2, 3)], lambda x, y: ops.tensordot(x, y, 1))
    f.sweep("dot(x, y)", both((2, 3, 4), (5, 4, 2)), ops.dot)
    f.sweep("dot(x, y)", both((2, 3), ()), ops.dot)
    f.sweep("inner(x, y)", both((2, 3), (4, 3)), ops.inner)
    f.sweep("inner(x, y)", both((), (4, 3)), ops.inner)
    f.sweep("outer(x, y)", both((2, 3), (2,)), ops.outer)
    f.sweep("vdot(x, y)", both((2, 3), (3, 2)), ops.vdot)
    f.refuse("vdot(x, y)", [grid(2), grid(3)], ops.vdot)
    f.sweep("kron(x, y)", both((2, 2), (1, 3)), ops.kron)
    f.sweep("kron(x, y)", both((2,), (1, 2, 2)), ops.kron)
    f.sweep("cross(x, y)", both((3,), (3,)), ops.cross)
    f.sweep("cross(x, y)", both((2, 3), (3,)), ops.cross)
    f.sweep("cross(x, y)", both((4, 2), (4, 2)), ops.cross)
    f.sweep("cross(x, y)", both((2,), (4, 3)), ops.cross)
    f.sweep("cross(x, y, 0, -1, 0)", both((3, 2), (2, 3)), lambda x, y: ops.cross(x, y, axisa=0, axisb=-1, axisc=0))
    f.refuse("cross(x, y)", [grid(4), grid(4)], ops.cross)
    for order in (None, 1, 2, 3, 0.5, -1, np.inf, -np.inf):
        text = {None: "none", np.inf: "inf", -np.inf: "-inf"}.get(order, order)
        f.sweep(f"norm(x, {text}, {{1}})", lambda d: [distinct(2, 3, 2, dtype=d)], lambda x: ops.norm(x, ord=order, axis=1),
                dtypes=[*FLOATS, *INTEGERS])  # fmt: skip
        f.sweep(f"norm(x, {text}, {{-1}}, keepdims)", lambda d: [distinct(3, dtype=d)],
                lambda x: ops.norm(x, ord=order, axis=-1, keepdims=True))  # fmt: skip
    f.sweep("norm(x, 0, {1})", lambda d: [grid(2, 4, dtype=d)], lambda x: ops.norm(x, ord=0, axis=1))
    for order in (None, "fro", 1, -1, np.inf, -np.inf):
        text = {None: "none", np.inf: "inf", -np.inf: "-inf"}.get(order, order)
        f.sweep(f"norm(x, {text}, {{2, 0}})", lambda d: [distinct(2, 3, 4, dtype=d)], lambda x: ops.norm(x, ord=order, axis=(2, 0)))
        f.sweep(f"norm(x, {text}, {{0, 1}}, keepdims)", lambda d: [distinct(2, 3, dtype=d)],
                lambda x: ops.norm(x, ord=order, axis=(0, 1), keepdims=True))  # fmt: skip
    f.add("norm(x, none, {})", [grid(2, 3)], ops.norm)
    f.refuse("norm(x, none, {})", [grid(2, 3, 4)], ops.norm)
    f.refuse("norm(x, none, {5})", [grid(2, 3)], lambda x: ops.norm(x, axis=5))
    f.refuse("norm(x, 3, {0, 1})", [grid(2, 3)], lambda x: ops.norm(x, ord=3, axis=(0, 1)))
    f.refuse("norm(x, fro, {0})", [grid(3)], lambda x: ops.norm(x, ord="fro", axis=0))
    for order in (1, 2, 3):
        f.sweep(f"normalize(x, -1, {order})", lambda d: [distinct(2, 3, dtype=d)], lambda x: ops.normalize(x, order=order),
                dtypes=FLOATS)  # fmt: skip
    f.add("normalize(x, 0, 2)", [tensor([[0.0, 3.0], [0.0, 4.0]])], lambda x: ops.normalize(x, axis=0))
    f.save()


def with_nan(*shape, dtype="float32", small=False):
    """As `distinct`, or small numbers; of floats some are NaN, and a row is all NaN."""
    x = grid(*shape, dtype=dtype, modulus=2, offset=1) if small else distinct(*shape, dtype=dtype)
    if dtype not in FLOATS:
        return x
    places = np.arange(int(np.prod(shape))).reshape(shape)
    return tf.where((places % 3 == 1) | (places < shape[-1]), tf.constant(np.nan, x.dtype), x)


def statistics():
    f = Family("statistics")
    x = lambda d: [distinct(2, 3, 4, dtype=d)]  # noqa: E731
    for axes in ((), (0,), (-1,), (2, 0)):
        axis = axes or None
        text = "{" + ", ".join(map(str, axes)) + "}"
        f.sweep(f"median(x, {text})", x, lambda x: ops.median(x, axis=axis))
        for method in ("linear", "lower", "higher", "midpoint", "nearest"):
            # Keras rounds the number to float32.
            f.sweep(f"quantile(x, 0.3125, {text}, {method})", x,
                    lambda x: ops.quantile(x, 0.3125, axis=axis, method=method))  # fmt: skip
        f.sweep(f"std(x, {text})", x, lambda x: ops.std(x, axis=axis))
        f.sweep(f"ptp(x, {text})", x, lambda x: ops.ptp(x, axis=axis))
        f.sweep(f"count_nonzero(x, {text})", lambda d: [grid(2, 3, 4, dtype=d)], lambda x: ops.count_nonzero(x, axis=axis),
                gradient=False)  # fmt: skip
        for name in ("nansum", "nanprod", "nanmax", "nanmin", "nanmean", "nanvar", "nanstd"):
            f.sweep(f"{name}(x, {text})", lambda d: [with_nan(2, 3, 4, dtype=d, small=name == "nanprod")],
                    lambda x: getattr(ops, name)(x, axis=axis), gradient=False)  # fmt: skip
    f.sweep("median(x, {1}, keepdims)", x, lambda x: ops.median(x, axis=1, keepdims=True))
    f.add("median(x, {1})", [with_nan(3, 4)], lambda x: ops.median(x, axis=1))
    f.sweep("quantile(x, {0.0, 0.5, 1.0}, {1}, linear)", x, lambda x: ops.quantile(x, [0.0, 0.5, 1.0], axis=1))
    f.sweep("percentile(x, 25, {1})", x, lambda x: ops.percentile(x, 25, axis=1))
    for axis in (None, 0, -1):
        text = "none" if axis is None else axis
        f.sweep(f"average(x, {text})", x, lambda x: ops.average(x, axis=axis))
        f.sweep(f"average(x, {text}, y)", lambda d: [distinct(3, 4, dtype=d), distinct(3, 4)],
                lambda x, w: ops.average(x, axis=axis, weights=w))  # fmt: skip
        if axis is not None:
            f.sweep(f"nanargmax(x, {text})", lambda d: [with_nan(3, 4, dtype=d)], lambda x: ops.nanargmax(x, axis=axis),
                    gradient=False)  # fmt: skip
            f.sweep(f"nanargmin(x, {text})", lambda d: [with_nan(3, 4, dtype=d)], lambda x: ops.nanargmin(x, axis=axis),
                    gradient=False)  # fmt: skip
    f.sweep("average(x, 1, y)", lambda d: [distinct(2, 3, dtype=d), distinct(3)],
            lambda x, w: ops.average(x, axis=1, weights=w))  # fmt: skip
    # The weights' dtype counts before integers become floating numbers; weights of less precision are summed in that
    # of the result.
    for dtype in ("bool", "uint8", "int32", "float64"):
        for kind in ("float16", "float32", "int64"):
            f.add("average(x, 1, y)", [grid(2, 3, dtype=dtype), tensor([0.1, 0.7, 1.3], kind) + tensor(1, kind)],
                  lambda x, w: ops.average(x, axis=1, weights=w))  # fmt: skip
    f.sweep("corrcoef(x)", lambda d: [grid(3, 4, dtype=d)], ops.corrcoef, dtypes=["float32", "float64", "int32"],
            gradient=False)  # fmt: skip
    f.sweep("isin(x, y)", lambda d: [grid(2, 3, dtype=d), grid(2, dtype=d)], ops.isin, gradient=False)
    f.sweep("isin(x, y, invert)", lambda d: [grid(2, 3, dtype=d), grid(2, dtype=d)],
            lambda x, y: ops.isin(x, y, invert=True), gradient=False)  # fmt: skip
    f.sweep("vander(x, 3)", lambda d: [distinct(3, dtype=d)], lambda x: ops.vander(x, 3), dtypes=[*FLOATS, *INTEGERS])
    f.sweep("vander(x, 4, increasing)", lambda d: [distinct(3, dtype=d)], lambda x: ops.vander(x, 4, increasing=True),
            dtypes=[*FLOATS, *INTEGERS])  # fmt: skip
    f.save()


def special():
    f = Family("special")
    ranges = {"tan": (-1.5, 1.5), "arcsin": (-1, 1), "arccos": (-1, 1), "arctan": (-4, 4), "sinh": (-3, 3), "cosh": (-3, 3),
              "arcsinh": (-4, 4), "arccosh": (1, 5), "arctanh": (-0.75, 0.75), "erfinv": (-0.75, 0.75), "sinc": (-2, 2),
              "exp2": (-4, 4), "log2": (0.5, 5), "log10": (0.5, 5), "cbrt": (-4, 4), "deg2rad": (-90, 90),
              "rad2deg": (-4, 4), "trunc": (-4, 4)}  # fmt: skip
    for name, (low, high) in ranges.items():
        # 0.25 apart from -0.125 on: no kinks, and exact in every dtype.
        numbers = np.array([v for v in np.arange(-90.125, 91, 0.25 if high < 10 else 30.25) if low <= v <= high])

        def make(d, numbers=numbers):
            return [tensor(numbers if d in FLOATS else np.trunc(numbers).astype("int64"), d)]

        f.sweep(f"{name}(x)", make, getattr(ops, name), dtypes=[*FLOATS, "int32", "int64", "bool"])
    f.add("erfinv(x)", [tensor([-1.0, 1.0, 0.0, 1.5])], ops.erfinv)
    f.add("arcsin(x)", [tensor([-1.5, 1.0])], ops.arcsin)
    f.add("trunc(x)", [tensor([-np.inf, np.nan, -0.5, 2.0])], ops.trunc)
    two = lambda d: [grid(4, 3, dtype=d), distinct(3, dtype=d)]  # noqa: E731
    for name in ("arctan2", "hypot", "logaddexp", "logaddexp2", "heaviside", "fmax", "fmin", "floor_divide", "mod", "fmod",
                 "logical_xor", "isclose", "allclose"):  # fmt: skip
        differentiable = name in ("arctan2", "logaddexp", "logaddexp2")
        # Keras rounds the logarithm of 2 to float32.
        dtypes = {"dtypes": [dtype for dtype in DTYPES if dtype != "float64"]} if name == "logaddexp2" else {}
        f.sweep(f"{name}(x, y)", two, getattr(ops, name), gradient=differentiable, **dtypes)
    f.add("mod(x, y)", [grid(4, 3, dtype="float64"), distinct(3, dtype="float64")], ops.mod, gradient=True)
    f.add("fmod(x, y)", [tensor([5.5, -5.5, 2.5]), tensor([2.0, 3.0, -1.5])], ops.fmod, gradient=True)
    f.add("logaddexp(x, y)", [tensor([np.inf, -np.inf, np.inf, 500.0]), tensor([np.inf, -np.inf, -np.inf, 1.0])],
          ops.logaddexp)  # fmt: skip
    signs = [index([7, -7, 7, -7, -(2**31)]), index([2, 2, -2, -2, -1])]
    for name in ("floor_divide", "mod", "bitwise_and", "bitwise_or", "bitwise_xor"):
        f.add(f"{name}(x, y)", signs, getattr(ops, name))
    f.add("fmod(x, y)", [index([7, -7, 7, -7]), index([2, 2, -2, -2])], ops.fmod)
    for name in ("floor_divide", "mod"):
        f.refuse(f"{name}(x, y)", [index([1]), index([0])], getattr(ops, name))
        f.add(f"{name}(x, y)", [tensor([1.0, -1.0, 0.0]), tensor([0.0])], getattr(ops, name))
    for name in ("bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_left_shift", "bitwise_right_shift"):
        for a in INTEGERS:
            for b in INTEGERS:
                f.add(f"{name}(x, y)", [distinct(2, 3, dtype=a), distinct(3, dtype=b)], getattr(ops, name))
        f.refuse(f"{name}(x, y)", [grid(2), grid(2)], getattr(ops, name))
        f.refuse(f"{name}(x, y)", [grid(2, dtype="bool"), grid(2, dtype="bool")], getattr(ops, name))
        f.add(f"{name}(x, y)", [index([5, -3, 7]), tensor([1, 0, 1], "bool")], getattr(ops, name))
        f.add(f"{name}(x, y)", [tensor([1, 0, 1], "bool"), index([5, 3, 7], "uint8")], getattr(ops, name))
    f.add("bitwise_left_shift(x, y)", [index([1, 1, 1, 1]), index([0, 31, 32, -1])], ops.bitwise_left_shift)
    f.add("bitwise_right_shift(x, y)", [index([-8, -8, -8, 8]), index([1, 31, 32, -1])], ops.bitwise_right_shift)
    for dtype in INTEGERS:
        f.add("bitwise_invert(x)", [grid(2, 3, dtype=dtype)], ops.bitwise_invert)
    values = tensor([np.inf, -np.inf, np.nan, 1.5, -2.0, 0.0])
    for name in ("isinf", "isposinf", "isneginf", "nan_to_num", "nancumsum", "nancumprod"):
        for dtype in FLOATS:
            # The product of float16 overflows, or not, with the precision in which it is computed.
            if name != "nancumprod" or dtype != "float16":
                f.add(f"{name}(x)", [tf.cast(values, dtype)], getattr(ops, name))
        f.add(f"{name}(x)", [grid(3, dtype="int32")], getattr(ops, name))
    f.add("nan_to_num(x, 1, 2, 3)", [values], lambda x: ops.nan_to_num(x, nan=1, posinf=2, neginf=3))
    others = tensor([np.inf, np.inf, np.nan, 1.50001, -2.1, 1e-9])
    for name in ("fmax", "fmin", "isclose", "allclose"):
        f.add(f"{name}(x, y)", [values, others], getattr(ops, name))
    f.add("isclose(x, y, nan)", [values, others], lambda x, y: ops.isclose(x, y, equal_nan=True))
    f.add("divide_no_nan(x, y)", [grid(4), tensor([0.0, 1.0, 0.0, -2.0])], keras.src.backend.math.divide_no_nan
          if hasattr(keras.src.backend.math, "divide_no_nan") else tf.math.divide_no_nan)  # fmt: skip
    f.save()


def numbers():
    f = Family("numbers")
    x = lambda d: [tensor(np.arange(-3.125, 3.2, 0.25) if d in FLOATS else np.arange(-3, 4), d)]  # noqa: E731
    f.sweep("i0(x)", x, ops.i0)
    f.add("i0(x)", [tensor([-40.0, -25.0, -19.75, 20.25, 60.0, 0.0])], ops.i0, gradient=True)
    for name in ("angle", "real", "imag", "conj", "isreal", "signbit"):
        f.sweep(f"{name}(x)", x, getattr(ops, name), gradient=False)
    f.refuse("conj(x)", [tensor([1, 0], "bool")], ops.conj)
    f.add("angle(x)", [tensor([np.nan, np.inf, -np.inf, -0.0])], ops.angle)
    f.add("signbit(x)", [tensor([-0.0, 0.0, np.inf, -np.inf])], ops.signbit)
    f.sweep("ldexp(x, y)", lambda d: [grid(2, 3, dtype=d), index([3, -2, 0])], ops.ldexp)
    f.add("ldexp(x, y)", [tensor([np.inf, -np.inf, 0.0, 3.0, np.nan]), index([-200, -300, 200, 200, 1])], ops.ldexp)
    f.add("ldexp(x, y)", [index([3, 5], "int64"), index([1, 2], "int64")], ops.ldexp)
    f.refuse("ldexp(x, y)", [grid(3), grid(3)], ops.ldexp)
    f.refuse("ldexp(x, y)", [grid(2), tensor([1, 0], "bool")], ops.ldexp)
    # In other dtypes Keras rounds the next number of float64.
    f.add("nextafter(x, y)", [tensor([1.0, 1.0, 0.0, -1.0, 2.5, np.inf, np.nan, 1.0], "float64"),
                              tensor([2.0, 0.0, -1.0, 0.0, 2.5, 0.0, 1.0, np.nan], "float64")], ops.nextafter)  # fmt: skip
    for name in ("gcd", "lcm"):
        for a in INTEGERS:
            for b in INTEGERS:
                f.add(f"{name}(x, y)", [index([[12, 18, 0], [7, 0, 60]], a), index([[8, 27, 5]], b)], getattr(ops, name))
        f.add(f"{name}(x, y)", [index([-12, 12, -12, 0]), index([18, -18, -18, 0])], getattr(ops, name))
        f.refuse(f"{name}(x, y)", [grid(2), index([1, 2])], getattr(ops, name))
        f.refuse(f"{name}(x, y)", [tensor([1, 0], "bool"), tensor([1, 0], "bool")], getattr(ops, name))
    for name in ("bartlett", "blackman", "hamming", "hanning"):
        for length in (0, 1, 3, 5, 8):
            f.add(f"{name}({length})", [], lambda: getattr(ops, name)(length))
    for length, beta in ((1, 3.0), (2, 3.0), (5, 0.0), (8, 14.0)):
        f.add(f"kaiser({length}, {beta})", [], lambda: ops.kaiser(length, beta))
    f.add("empty({2, 3})", [], lambda: ops.empty((2, 3)))
    f.sweep("empty_like(x)", lambda d: [grid(2, 3, dtype=d)], ops.empty_like, gradient=False)
    f.save()


def counting():
    f = Family("counting")
    number = lambda d: [with_nan(3, 4, dtype=d)]  # noqa: E731
    for axes in ((), (0,), (-1,), (1, 0)):
        axis = axes or None
        text = "{" + ", ".join(map(str, axes)) + "}"
        f.sweep(f"nanmedian(x, {text})", number, lambda x: ops.nanmedian(x, axis=axis), dtypes=FLOATS, gradient=False)
        for method in ("linear", "lower", "higher", "midpoint", "nearest"):
            f.sweep(f"nanquantile(x, 0.3125, {text}, {method})", number,
                    lambda x: ops.nanquantile(x, 0.3125, axis=axis, method=method), dtypes=FLOATS, gradient=False)  # fmt: skip
    # Keras fails for a list of levels.
    f.sweep("nanquantile(x, {0.0, 0.5, 1.0}, {1}, linear)", number,
            lambda x: ops.stack([ops.nanquantile(x, level, axis=1) for level in (0.0, 0.5, 1.0)]),
            dtypes=["float32", "float64"], gradient=False)  # fmt: skip
    f.sweep("nanpercentile(x, 25, {1})", number, lambda x: ops.nanpercentile(x, 25, axis=1), dtypes=FLOATS, gradient=False)
    f.sweep("nanmedian(x, {})", lambda d: [distinct(2, 3, dtype=d)], ops.nanmedian)

    for kind in (*INTEGERS, "float32"):
        f.add("bincount(x)", [tensor([3, 1, 1, 5], kind)], ops.bincount)
        f.add("bincount(x, none, 7)", [tensor([[3, 1, 1], [0, 2, 0]], kind)], lambda x: ops.bincount(x, minlength=7))
        for weights in DTYPES:
            f.attempt("bincount(x, y)", [tensor([3, 1, 1], kind), distinct(3, dtype=weights)],
                      lambda x, w: ops.bincount(x, weights=w))  # fmt: skip
            if "error" in f.cases[-1]:
                del f.cases[-1]
    f.add("bincount(x, y, 6)", [index([[3, 1, 1], [0, 2, 0]]), distinct(2, 3)],
          lambda x, w: ops.bincount(x, weights=w, minlength=6))  # fmt: skip
    f.refuse("bincount(x)", [index([1, -1])], ops.bincount)
    f.sweep("histogram(x)", lambda d: [distinct(7, dtype=d)], ops.histogram, gradient=False)
    f.sweep("histogram(x, 4)", lambda d: [grid(3, dtype=d)], lambda x: ops.histogram(x, 4), gradient=False)
    f.sweep("histogram(x, 4, 1.0, 3.0)", lambda d: [distinct(7, dtype=d)], lambda x: ops.histogram(x, 4, range=(1.0, 3.0)),
            dtypes=["float32"], gradient=False)  # fmt: skip
    f.refuse("histogram(x, 4)", [grid(2, 2)], lambda x: ops.histogram(x, 4))
    f.refuse("histogram(x, -1)", [grid(2)], lambda x: ops.histogram(x, -1))
    f.refuse("histogram(x, 4, 3.0, 1.0)", [grid(2)], lambda x: ops.histogram(x, 4, range=(3.0, 1.0)))
    for shape in ((5,), (2, 3), (0, 2), (2, 2, 2)):
        f.sweep("nonzero(x)", lambda d: [grid(*shape, dtype=d, modulus=3, offset=-1)], ops.nonzero, gradient=False)

    def unique(x, **arguments):
        return ops.unique(x, return_index=True, return_inverse=True, return_counts=True, **arguments)

    f.sweep("unique(x)", lambda d: [grid(2, 4, dtype=d, modulus=4)], unique, gradient=False)
    f.sweep("unique(x, unsorted)", lambda d: [grid(6, dtype=d, modulus=4)], lambda x: unique(x, sorted=False), gradient=False)
    for axis in (0, 1, -1):
        f.sweep(f"unique(x, sorted, {axis})", lambda d: [grid(4, 3, dtype=d, step=2, modulus=2)],
                lambda x: unique(x, axis=axis), gradient=False)  # fmt: skip
    f.sweep("unique(x, sorted, 1)", lambda d: [grid(2, 4, 2, dtype=d, step=1, modulus=4)], lambda x: unique(x, axis=1),
            gradient=False)  # fmt: skip
    f.add("unique(x, sorted, none, 2)", [grid(6)], lambda x: unique(x, size=2))
    f.add("unique(x, sorted, none, 6, 9)", [index([3, 1, 1, 3])], lambda x: unique(x, size=6, fill_value=9))
    f.add("unique(x, sorted, 0, 4)", [grid(3, 2)], lambda x: unique(x, axis=0, size=4))

    for kind in ("int32", "int64", "uint8"):
        f.add("unravel_index(x, {3, 4})", [index([0, 5, 11], kind)], lambda x: ops.unravel_index(x, (3, 4)))
        f.add("unravel_index(x, {2, 3, 2})", [index([0, 5, 11], kind)], lambda x: ops.unravel_index(x, (2, 3, 2)))
    f.add("view(x, int32)", [grid(2, 3)], lambda x: ops.view(x, "int32"))
    f.add("view(x, int64)", [grid(3, 2)], lambda x: ops.view(x, "int64"))
    f.add("view(x, uint8)", [grid(2, 1, dtype="int32")], lambda x: ops.view(x, "uint8"))
    f.add("view(x, float32)", [grid(2, dtype="float64")], lambda x: ops.view(x, "float32"))
    f.add("view(x, bfloat16)", [grid(3, dtype="float16")], lambda x: ops.view(x, "bfloat16"))
    f.refuse("view(x, int64)", [grid(2, 3)], lambda x: ops.view(x, "int64"))
    f.refuse("view(x, float64)", [tensor(1.0)], lambda x: ops.view(x, "float64"))
    for mode in ("valid", "same", "full"):
        f.sweep(f"correlate(x, y, {mode})", lambda d: [grid(6, dtype=d), distinct(3, dtype=d)],
                lambda x, y: ops.correlate(x, y, mode=mode))  # fmt: skip
        f.sweep(f"correlate(x, y, {mode})", lambda d: [grid(5, dtype=d), distinct(2, dtype=d)],
                lambda x, y: ops.correlate(x, y, mode=mode))  # fmt: skip
    for mode in ("same", "full"):
        f.add(f"correlate(x, y, {mode})", [grid(2), distinct(5)], lambda x, y: ops.correlate(x, y, mode=mode))
    f.refuse("correlate(x, y, valid)", [grid(2, 3), grid(3)], ops.correlate)
    f.sweep("cdist(x, y)", lambda d: [grid(2, 3, dtype=d), distinct(4, 3, dtype=d)], ops.cdist)
    f.sweep("cdist(x, y)", lambda d: [grid(2, 1, 2, 3, dtype=d), distinct(3, 4, 3, dtype=d)], ops.cdist, gradient=False)
    f.refuse("cdist(x, y)", [grid(3), grid(2, 3)], ops.cdist)
    f.refuse("cdist(x, y)", [grid(2, 2), grid(2, 3)], ops.cdist)
    for name, shape in (("hsplit", (2, 4)), ("hsplit", (4,)), ("vsplit", (4, 2)), ("dsplit", (2, 1, 4))):
        f.sweep(f"{name}(x, 2)", lambda d: [grid(*shape, dtype=d)], lambda x: getattr(ops, name)(x, 2))
        f.sweep(f"{name}(x, {{1, 3}})", lambda d: [grid(*shape, dtype=d)], lambda x: getattr(ops, name)(x, [1, 3]))
    f.refuse("hsplit(x, 1)", [tensor(1.0)], lambda x: ops.hsplit(x, 1))
    f.refuse("dsplit(x, 1)", [grid(2, 2)], lambda x: ops.dsplit(x, 1))
    for pattern, shape, lengths in (
        ("b h w c -> b c h w", (2, 3, 4, 2), {}),
        ("b h w c -> b (c h w)", (2, 3, 4, 2), {}),
        ("b (h1 h) (w1 w) c -> (b h1 w1) h w c", (2, 4, 6, 1), {"h1": 2, "w1": 3}),
        ("b (h h1) w->b h (w h1)", (2, 4, 3), {"h1": 2}),
        ("(a b c) -> c (a b)", (12,), {"a": 2, "c": 3}),
    ):
        named = "".join(f", {name}={length}" for name, length in lengths.items())
        f.sweep(f"rearrange(x, {pattern}{named})", lambda d: [grid(*shape, dtype=d)],
                lambda x: ops.rearrange(x, pattern, **dict(lengths)))  # fmt: skip
    f.refuse("rearrange(x, a b -> a c)", [grid(2, 3)], lambda x: ops.rearrange(x, "a b -> a c"))
    f.save()


def filling():
    f = Family("filling")
    x23 = lambda d: [grid(2, 3, dtype=d)]  # noqa: E731
    for name in ("zeros", "ones"):
        f.add(f"{name}({{2, 3}})", [], lambda: getattr(ops, name)((2, 3)))
        f.add(f"{name}({{0, 3}})", [], lambda: getattr(ops, name)((0, 3)))
        f.sweep(f"{name}_like(x)", x23, getattr(ops, f"{name}_like"), gradient=False)
        for dtype in DTYPES:
            f.add(f"{name}({{2}}, {dtype})", [], lambda: getattr(ops, name)((2,), dtype=dtype))
            f.add(f"{name}_like(x, {dtype})", x23("float32"), lambda x: getattr(ops, f"{name}_like")(x, dtype=dtype))
    f.refuse("zeros({-1})", [], lambda: ops.zeros((-1,)))
    for value in (3, 1.5, -2):
        f.add(f"full({{2, 3}}, {value})", [], lambda: ops.full((2, 3), value))
        f.sweep(f"full_like(x, {value})", x23, lambda x: ops.full_like(x, value), dtypes=[*FLOATS, "int32"], gradient=False)
        for dtype in (*FLOATS, "int32", "int64"):
            f.add(f"full({{2, 3}}, {value}, {dtype})", [], lambda: ops.full((2, 3), value, dtype=dtype))
            f.add(f"full_like(x, {value}, {dtype})", x23("int32"), lambda x: ops.full_like(x, value, dtype=dtype))
    f.add("full({}, 3)", [], lambda: ops.full((), 3))
    f.sweep("full({2, 3}, x)", lambda d: [grid(3, dtype=d)], lambda x: ops.full((2, 3), x), gradient=False)
    f.sweep("full({2, 3}, x, int32)", lambda d: [grid(2, 1, dtype=d)], lambda x: ops.full((2, 3), x, dtype="int32"), gradient=False)
    f.refuse("full({2, 3}, x)", [grid(2)], lambda x: ops.full((2, 3), x))
    f.sweep("full_like(x, y)", lambda d: [grid(2, 3, dtype=d), grid(3, dtype=d)], lambda x, y: ops.full_like(x, y), gradient=False)
    f.refuse("full_like(x, y)", [grid(2, 3), grid(2)], lambda x, y: ops.full_like(x, y))

    # Lower bounds at most the upper ones: TensorFlow and NumPy order them differently else.
    lowest = lambda d: grid(3, dtype=d)  # noqa: E731
    highest = lambda d: lowest(d) + tensor([0, 1, 2], d)  # noqa: E731
    f.sweep("clip(x, y, z)", lambda d: [grid(2, 3, dtype=d), lowest(d), highest(d)], ops.clip, dtypes=[*FLOATS, *INTEGERS])
    f.sweep("clip(x, y, z)", lambda d: [grid(4, dtype=d), tensor(0, d), tensor(1, d)], ops.clip, dtypes=[*FLOATS, *INTEGERS])
    f.sweep("clip(x, y, 2)", lambda d: [grid(2, 3, dtype=d), tensor([[0], [1]], d)], lambda x, y: ops.clip(x, y, 2), dtypes=[*FLOATS, *INTEGERS])
    f.sweep("clip(x, 0, y)", lambda d: [grid(2, 3, dtype=d), tensor([[1], [0]], d)], lambda x, y: ops.clip(x, 0, y), dtypes=[*FLOATS, *INTEGERS])
    f.sweep("clip(x, -1, 2)", x23, lambda x: ops.clip(x, -1, 2), dtypes=[*FLOATS, "int32", "int64"])
    f.add("clip(x, 0, 0)", [grid(2, 3, dtype="bool")], lambda x: ops.clip(x, 0, 0))
    f.refuse("clip(x, y, z)", [grid(3), grid(2, 3), grid(2, 3)], ops.clip)
    f.refuse("clip(x, y, 1)", [grid(3, dtype="int32"), grid(3)], lambda x, y: ops.clip(x, y, 1))
    f.save()


FAMILIES = {
    "filling": filling,
    "indexing": indexing,
    "rearranging": rearranging,
    "ordering": ordering,
    "products": products,
    "statistics": statistics,
    "special": special,
    "numbers": numbers,
    "counting": counting,
}


def main():
    warnings.simplefilter("ignore")
    for family in sys.argv[1:] or FAMILIES:
        FAMILIES[family]()


if __name__ == "__main__":
    main()
