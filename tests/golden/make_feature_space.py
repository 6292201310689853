"""feature_space.json and feature_space/: what FeatureSpaces make of a table, whole and of single rows, and their files."""

import json
import os

import common
from common import np
from common import plain
from common import serialized
from common import tf
from keras.utils import FeatureSpace

FOLDER = os.path.join(common.FOLDER, "feature_space")
TYPES = (
    "float",
    "float_rescaled",
    "float_normalized",
    "float_discretized",
    "integer_categorical",
    "string_categorical",
    "integer_hashed",
    "string_hashed",
)
WORDS = ["fixed", "normal", "reversible", "1", "2", "straße", ""]
ROWS = 70  # more than the 32 of a batch of `adapt`


def column(rng, kind):
    if kind.startswith("float"):
        return (8 * rng.standard_normal(ROWS)).round(3).astype("float32")
    if kind.startswith("integer"):
        return rng.integers(-3, 9, ROWS).astype("int64" if rng.integers(2) else "int32")
    return np.array([WORDS[i] for i in rng.integers(0, len(WORDS), ROWS)], dtype=object)


def drawn_feature(rng, kind):
    """The arguments of a function of FeatureSpace, None for the defaults of a name."""
    if rng.integers(3) == 0:
        return None
    arguments = {}
    if kind == "float_rescaled":
        arguments = {"scale": float(rng.integers(1, 5)) / 4, "offset": float(rng.integers(-2, 3))}
    elif kind == "float_discretized":
        arguments = {"num_bins": int(rng.integers(2, 7))}
    elif kind.endswith("categorical"):
        arguments = {"num_oov_indices": int(rng.integers(1, 4))}
        if rng.integers(2):
            arguments["max_tokens"] = arguments["num_oov_indices"] + int(rng.integers(1, 4))
    elif kind.endswith("hashed"):
        arguments = {"num_bins": int(rng.integers(1, 9))}
    if kind.split("_")[-1] in ("discretized", "categorical", "hashed") and rng.integers(4) == 0:
        arguments["output_mode"] = "int"
    return arguments


def listed(value):
    return [word for word in value] if value.dtype == object else value.tolist()


def described(encoded):
    encoded = {"": encoded} if not isinstance(encoded, dict) else encoded
    arrays = {name: np.asarray(tensor) for name, tensor in encoded.items()}
    return {
        name: {"dtype": str(array.dtype), "shape": list(array.shape), "values": array.astype("float64").ravel().tolist()}
        for name, array in arrays.items()
    }


def drawn_case(number):
    rng = common.rng_for(f"feature_space/{number}")
    count = int(rng.integers(1, 7))
    kinds = {f"{'nmlkji'[i]}_{i}": str(rng.choice(TYPES)) for i in range(count)}
    arguments = {name: drawn_feature(rng, kind) for name, kind in kinds.items()}
    is_int = any((given or {}).get("output_mode") == "int" for given in arguments.values())
    output_mode = "dict" if is_int or rng.integers(3) == 0 else "concat"
    crossable = [name for name, kind in kinds.items() if not kind.startswith("float") or kind == "float_discretized"]
    crosses = []
    if len(crossable) > 1 and rng.integers(4):
        names = [str(name) for name in rng.permutation(crossable)[:2]]
        cross = {"names": names}
        if rng.integers(2):
            cross |= {"crossing_dim": int(rng.integers(2, 9))}
            cross |= {"output_mode": "int" if output_mode == "dict" and rng.integers(2) else "one_hot"}
        crosses.append(cross)
    sizes = {"crossing_dim": 11, "hashing_dim": 5, "num_discretization_bins": 4}
    features = {
        name: kind if arguments[name] is None else getattr(FeatureSpace, kind)(**arguments[name])
        for name, kind in kinds.items()
    }
    space = FeatureSpace(
        features,
        output_mode=output_mode,
        crosses=[
            FeatureSpace.cross(tuple(c["names"]), c["crossing_dim"], c["output_mode"]) if "crossing_dim" in c else c["names"]
            for c in crosses
        ],
        **sizes,
    )
    data = {name: column(rng, kind) for name, kind in kinds.items()}
    tensors = {
        name: tf.constant(list(value), dtype=tf.string) if value.dtype == object else tf.constant(value)
        for name, value in data.items()
    }
    dataset = tf.data.Dataset.from_tensor_slices(tensors)
    space.adapt(dataset.batch(9) if number % 2 else dataset)
    path = os.path.join(FOLDER, f"{number}.keras")
    space.save(path)
    row = {name: tensor[5] for name, tensor in tensors.items()}
    return {
        "name": f"{number}",
        "is_batched": bool(number % 2),
        "features": [{"name": name, "type": kinds[name], "arguments": arguments[name]} for name in kinds],
        "output_mode": output_mode,
        "crosses": crosses,
        "sizes": sizes,
        "data": {
            name: {"dtype": "string" if value.dtype == object else str(value.dtype), "values": listed(value)}
            for name, value in data.items()
        },
        "encoded": described(space(tensors)),
        "row": described(space(row)),
        "config": plain(serialized(space))["config"],
    }


os.makedirs(FOLDER, exist_ok=True)
with open(os.path.join(common.FOLDER, "feature_space.json"), "w", encoding="utf-8") as file:
    # One case a line, so that changes are readable.
    file.write("[" + ",\n".join(json.dumps(drawn_case(number)) for number in range(16)) + "]\n")
