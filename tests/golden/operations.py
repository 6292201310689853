"""A model of one expression on symbolic tensors: what Keras writes of it, reads and computes."""

import json
import os
import re
import tempfile
import zipfile

from common import FOLDER, keras, np, plain, rng_for, tf

ops = keras.ops
BATCH = 3
LONGEST_MESSAGE = 300


def number(value):
    if isinstance(value, (bool, np.bool_, int, np.integer)):
        return int(value)
    value = float(value)
    return value if np.isfinite(value) else str(value)


def described(x):
    x = tf.convert_to_tensor(x)
    values = np.asarray(tf.cast(x, tf.float32) if x.dtype in (tf.bfloat16, tf.float16) else x)
    return {
        "shape": list(x.shape),
        "dtype": keras.backend.standardize_dtype(x.dtype),
        "values": [number(v) for v in values.reshape(-1)],
    }


def values_of(kind, shape, dtype, rng):
    """Few digits, and nothing near a kink or a tie but where `kind` is about them."""
    count = int(np.prod(shape))
    if dtype == "bool":
        return (rng.permutation(count) % 2).reshape(shape).astype(bool)
    if kind == "indices":
        return (rng.permutation(count) % 2).reshape(shape)
    if kind == "sorted":
        return np.arange(count).reshape(shape)
    if dtype.startswith(("int", "uint")):
        numbers = rng.permutation(count) + 1
        signs = np.where(np.arange(count) % 3 == 1, -1, 1) if kind == "any" and dtype.startswith("int") else 1
        return (numbers * signs).reshape(shape)
    numbers = (rng.permutation(count) + 1.0).reshape(shape)
    if kind == "unit":
        return numbers / 2 ** int(np.ceil(np.log2(count + 1)))
    if kind == "probabilities":
        return numbers / numbers.sum(-1, keepdims=True)
    if kind == "positive":
        return 0.5 * numbers + 0.75
    numbers = 0.5 * (numbers - count // 2) - 0.375
    if kind == "nan":
        flat = numbers.reshape(-1)
        flat[[0, count // 2]] = np.nan
    if kind == "infinite":
        numbers.reshape(-1)[:3] = [np.nan, np.inf, -np.inf]
    return numbers


def parsed(text):
    """"2,3 int32 indices" is of shape (None, 2, 3), "!3,2" of (3, 2), "" of (None,), "?4,3" of (None, None, 3) with lengths
    of 4: only the last one is known."""
    shape, dtype, kind = (text.split(" ") + ["float32", "any"][len(text.split(" ")) - 1 :])[:3]
    known = "all" if shape.startswith("!") else "last" if shape.startswith("?") else "rest"
    shape = tuple(int(n) for n in shape.lstrip("!?").split(",") if n)
    return (shape if known == "all" else (BATCH, *shape)), known, dtype, kind


def batch_shape(shape, known):
    if known == "all":
        return list(shape)
    return [None, *shape[1:]] if known == "rest" else [*[None] * (len(shape) - 1), shape[-1]]


def numbered(text):
    """Keras's config.json, in which objects that several layers share have addresses as their numbers."""
    found = list(dict.fromkeys(re.findall(r'"shared_object_id": (\d+)', text)))
    return re.sub(r'("shared_object_id": )(\d+)', lambda m: m.group(1) + str(found.index(m.group(2))), text)


def failure(stage, error):
    text = str(error)
    # What an operation raises is wrapped in several lines that Keras adds.
    lines = [line.strip() for line in re.sub(r"\x1b\[[0-9;]*m", "", text).split("\n") if line.strip()]
    message = re.sub(r" at 0x[0-9a-f]+", "", " ".join(lines))
    return {"stage": stage, "type": type(error).__name__, "message": message[:LONGEST_MESSAGE]}


def flat(results):
    if isinstance(results, (list, tuple)):
        return [tensor for result in results for tensor in flat(result)]
    return [results]


def same(a, b):
    return len(a) == len(b) and all(
        x["dtype"] == y["dtype"] and x["shape"] == y["shape"] and x["values"] == y["values"] for x, y in zip(a, b)
    )


class Area:
    def __init__(self, name):
        self.name = name
        self.cases = []

    def add(self, inputs, expression, name=None):
        """`inputs` are texts for `parsed`, separated by "|"; the expression calls them x, y and z."""
        if name is None:
            name = re.sub(r"\W+", "_", expression.replace("ops.", "").replace("-", "minus")).strip("_")
        if any(case["name"] == name for case in self.cases):
            name += "_" + re.sub(r"\W+", "_", inputs).strip("_")
        if any(case["name"] == name for case in self.cases):
            raise ValueError(f"{self.name}: two cases are called {name}")
        keras.backend.clear_session()
        names = ["x", "y", "z"]
        specs = [parsed(text) for text in inputs.split("|")]
        tensors = []
        case = {"name": name, "expression": expression, "inputs": []}
        self.cases.append(case)
        rng = rng_for(name)
        for shape, known, dtype, kind in specs:
            x = tf.cast(tf.constant(values_of(kind, shape, dtype, rng)), dtype)
            tensors.append(x)
            case["inputs"].append({"batch_shape": batch_shape(shape, known), **described(x)})
        symbols = [
            keras.Input(batch_shape=spec["batch_shape"], dtype=spec["dtype"], name=n)
            for spec, n in zip(case["inputs"], names)
        ]
        scope = {"keras": keras, "ops": ops, "classes": keras.src.ops.numpy, "np": np, "tf": tf, **dict(zip(names, symbols))}
        try:
            outputs = eval(expression, scope)  # noqa: S307: the texts of this file
            outputs = list(outputs) if isinstance(outputs, (list, tuple)) else outputs
            model = keras.Model(symbols if len(symbols) > 1 else symbols[0], outputs)
            case["symbolic_outputs"] = [{"shape": list(y.shape), "dtype": y.dtype} for y in flat(model.output)]
        except Exception as error:  # noqa: BLE001: whatever Keras refuses it with
            case["error"] = failure("call", error)
            return
        arguments = tensors if len(tensors) > 1 else tensors[0]
        again = self.save_and_load(case, model)
        try:
            case["outputs"] = [described(y) for y in flat(model(arguments))]
        except Exception as error:  # noqa: BLE001
            case.setdefault("error", failure("run", error))
            return
        if again is None:
            return
        try:
            results = [described(y) for y in flat(again(arguments))]
        except Exception as error:  # noqa: BLE001
            case["error"] = failure("run_again", error)
            return
        if not same(results, case["outputs"]):
            case["error"] = {"stage": "run_again", "type": "Different", "message": "", "outputs": results}

    def save_and_load(self, case, model):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.keras")
            try:
                model.save(path)
                with zipfile.ZipFile(path) as archive:
                    text = numbered(archive.read("config.json").decode())
            except Exception as error:  # noqa: BLE001
                case["error"] = failure("write", error)
                return None
            if re.search(r": -?(NaN|Infinity)|[\[ ]-?(NaN|Infinity)[,\]]", text):
                case["config_text"] = text
            else:
                case["config"] = json.loads(text)
            try:
                return keras.saving.load_model(path)
            except Exception as error:  # noqa: BLE001
                case["error"] = failure("read", error)
                return None

    def save(self):
        path = os.path.join(FOLDER, f"operations_{self.name}.json")
        with open(path, "w", encoding="utf-8") as f:
            lines = [json.dumps(plain(case), allow_nan=False) for case in self.cases]
            f.write("[" + ",\n".join(lines) + "]\n")
        errors = [case for case in self.cases if "error" in case]
        print(f"operations_{self.name}: {len(self.cases)} cases, {len(errors)} with errors, {os.path.getsize(path)} bytes")
        for case in errors:
            print(f"  {case['expression']}: {case['error']['stage']}: {case['error']['message'][:150]}")
