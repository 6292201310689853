"""Models that begin with the layers of a FeatureSpace, drawn at random."""

import numpy as np
from cases import ALL
from cases import Case
from library import Model
from library import keras
from library import layers as L
from samples import integers
from samples import numbers
from samples import tokens

WORDS = ["red", "blue", "straße", "1"]
COMMON = {
    "covers": ("FeatureSpace",),
    "formats": ("keras",),
    "steps": 10,
    "is_adapted": True,
    "is_disturbed": False,
    "in_tf_keras": False,
    "since": (3, 15),
}
FLOATS = ("float", "float_rescaled", "float_normalized")
DISCRETE = ("float_discretized", "integer_categorical", "string_categorical", "integer_hashed", "string_hashed")


class Drawing:
    """One draw: a table, and a FeatureSpace of its columns."""

    def __init__(self, seed, index):
        self.rng = np.random.default_rng([seed, index, 11])
        names = [str(name) for name in self.rng.permutation(["age", "sex", "thal", "oldpeak", "slope", "zip"])]
        self.kinds = {name: self.pick(FLOATS + DISCRETE) for name in names[: int(self.rng.integers(1, 7))]}
        self.x = {name: self.column(kind) for name, kind in self.kinds.items()}

    def pick(self, choices):
        return choices[int(self.rng.integers(len(choices)))]

    @staticmethod
    def column(kind):
        if kind.startswith("float"):
            return numbers(1, scale=2.0)
        return tokens(WORDS, 1) if kind.startswith("string") else integers(6, 1)

    def feature(self, kind):
        make = getattr(keras.utils.FeatureSpace, kind)
        if kind == "float_rescaled":
            return make(scale=0.5, offset=-1.0)
        if kind == "float_discretized":
            return make(num_bins=int(self.rng.integers(2, 6)))
        if kind.endswith("hashed"):
            return make(num_bins=int(self.rng.integers(2, 7)))
        if kind.endswith("categorical"):
            return make(num_oov_indices=int(self.rng.integers(1, 3)))
        return make()

    def space(self):
        discrete = [name for name, kind in self.kinds.items() if kind in DISCRETE]
        crosses = []
        if len(discrete) > 1 and self.rng.random() < 0.7:
            crosses.append(keras.utils.FeatureSpace.cross(tuple(str(name) for name in self.rng.permutation(discrete)[:2]), 6))
        features = {
            name: kind if self.rng.random() < 0.4 else self.feature(kind) for name, kind in self.kinds.items()
        }
        mode = self.pick(["concat", "concat", "dict"])
        return keras.utils.FeatureSpace(features, mode, crosses, hashing_dim=5, num_discretization_bins=4)

    def model(self):
        space = self.space()
        space.adapt({name: sample(self.rng, 40) for name, sample in self.x.items()})
        encoded = space.get_encoded_features()
        if isinstance(encoded, dict):
            parts = [L.Dense(2, activation="tanh")(encoded[name]) for name in encoded]
            encoded = L.Concatenate()(parts) if len(parts) > 1 else parts[0]
        model = Model(space.get_inputs(), L.Dense(1)(L.Dense(4, activation="tanh")(encoded)))
        model.compile(keras.optimizers.SGD(0.02, momentum=0.5), "mse", metrics=["mae"])
        return model


def drawn_case(seed, index, prefix="drawn_features"):
    return Case(
        name=f"{prefix}/{seed}/{index}",
        make=lambda: Drawing(seed, index).model(),
        x=Drawing(seed, index).x,
        y=numbers(1),
        **COMMON,
    )


ALL.extend(drawn_case(0, index, "feature_space") for index in range(8))
