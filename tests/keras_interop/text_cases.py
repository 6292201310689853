"""Models whose inputs are strings: texts and categories, by hand and drawn at random."""

import numpy as np
from cases import Case
from cases import case
from library import Input
from library import Model
from library import Sequential
from library import keras
from library import layers as L
from samples import flags
from samples import integers
from samples import numbers
from samples import texts
from samples import tokens

WORDS = ["a", "b", "good", "bad", "film", "not", "straße", "ab"]
COMMON = {
    "covers": ("inputs of strings",),
    "formats": ("keras",),
    "steps": 10,
    "in_tf_keras": False,
    "since": (3, 15),
}


def text_case(name, x, y, **arguments):
    return case(f"text/{name}", x, y, **{**COMMON, **arguments})


def labels(rng, count):
    return flags(1)(rng, count).astype("float32")


def compiled(model, loss="binary_crossentropy", rate=0.05):
    model.compile(keras.optimizers.SGD(rate, momentum=0.5), loss, metrics=["mse"])
    return model


def adapted(layer):
    corpus = [["a b good"], ["bad film, bad"], ["not good not"], ["film straße"], ["good"]]
    layer.adapt(np.array(corpus if isinstance(layer, L.TextVectorization) else [[w] for t in corpus for w in t[0].split()]))
    return layer


@text_case("sequential", texts(WORDS, 6, 1), labels)
def sequential():
    vectorize = L.TextVectorization(output_sequence_length=5, vocabulary=WORDS)
    return compiled(
        Sequential([
            Input((1,), dtype="string"),
            vectorize,
            L.Embedding(len(WORDS) + 2, 4),
            L.GlobalAveragePooling1D(),
            L.Dense(1, activation="sigmoid"),
        ])
    )


@text_case("adapted_convolution", texts(WORDS, 6, 1), labels, is_fitted=True)
def adapted_convolution():
    inputs = Input((1,), dtype="string", name="text")
    x = adapted(L.TextVectorization(max_tokens=7, output_sequence_length=6))(inputs)
    x = L.Conv1D(3, 3, padding="same", activation="tanh")(L.Embedding(7, 4)(x))
    return compiled(Model(inputs, L.Dense(1, activation="sigmoid")(L.GlobalMaxPooling1D()(x))))


@text_case("length_of_the_batch", texts(WORDS, 6, 1), labels)
def length_of_the_batch():
    inputs = Input((1,), dtype="string")
    x = L.TextVectorization(vocabulary=WORDS)(inputs)
    x = L.LSTM(3)(L.Embedding(len(WORDS) + 2, 4, mask_zero=True)(x))
    return compiled(Model(inputs, L.Dense(1, activation="sigmoid")(x)))


@text_case("scalars", texts(WORDS, 4), labels)
def scalars():
    inputs = Input((), dtype="string")
    x = L.TextVectorization(vocabulary=WORDS, output_sequence_length=3, ngrams=2, split="character")(inputs)
    return compiled(Model(inputs, L.Dense(1, activation="sigmoid")(L.Flatten()(L.Embedding(len(WORDS) + 2, 2)(x)))))


def of_mode(mode, **arguments):
    def make():
        inputs = Input((), dtype="string")
        x = adapted(L.TextVectorization(output_mode=mode, **arguments))(inputs)
        return compiled(Model(inputs, L.Dense(1, activation="sigmoid")(x)))

    return make


for _mode, _arguments in {
    "multi_hot": {},
    "count": {"max_tokens": 12, "pad_to_max_tokens": True},
    "tf_idf": {"ngrams": 2},
}.items():
    text_case(f"mode_{_mode}", texts(WORDS, 5), labels)(of_mode(_mode, **_arguments))


@text_case(
    "features",
    {"colour": tokens(["red", "blue"], 1), "size": numbers(2), "number": integers(9, 1, dtype="int64")},
    numbers(1),
)
def features():
    colour = Input((1,), dtype="string", name="colour")
    number = Input((1,), dtype="int64", name="number")
    size = Input((2,), name="size")
    parts = [
        L.StringLookup(vocabulary=["red", "blue"], num_oov_indices=2, output_mode="one_hot")(colour),
        L.Hashing(6, mask_value="red", output_mode="one_hot")(colour),
        L.Hashing(5, salt=[3, 4], output_mode="one_hot")(number),
        L.HashedCrossing(7, output_mode="one_hot")((colour, number)),
        size,
    ]
    inputs = {"colour": colour, "size": size, "number": number}
    return compiled(Model(inputs, L.Dense(1)(L.Concatenate()(parts))), "mse", 0.02)


@text_case("nested_and_shared", [texts(WORDS, 4, 1), texts(WORDS, 4, 1)], numbers(2))
def nested_and_shared():
    inner_input = Input((1,), dtype="string")
    x = adapted(L.TextVectorization(output_sequence_length=4))(inner_input)
    inner = Model(inner_input, L.GlobalAveragePooling1D()(L.Embedding(12, 3)(x)), name="inner")
    first, second = Input((1,), dtype="string", name="first"), Input((1,), dtype="string", name="second")
    return compiled(Model([first, second], L.Dense(2)(L.Concatenate()([inner(first), inner(second)]))), "mse")


@text_case("lookups_in_a_row", tokens(WORDS, 3), numbers(3))
def lookups_in_a_row():
    inputs = Input((3,), dtype="string")
    # Given, not adapted: a clone has what the configuration has.
    indices = L.StringLookup(vocabulary=["good", "not", "bad", "film"], mask_token="")(inputs)
    again = L.Hashing(8)(indices)
    x = L.Concatenate()([L.Embedding(12, 2)(indices), L.Embedding(8, 2)(again)])
    return compiled(Model(inputs, L.Dense(3)(L.Flatten()(x))), "mse", 0.02)


class Drawing:
    """One draw: features of texts, categories and numbers, which are concatenated."""

    def __init__(self, seed, index):
        self.rng = np.random.default_rng([seed, index, 7])
        self.inputs, self.x, self.parts = {}, {}, []
        for i in range(int(self.rng.integers(1, 4))):
            getattr(self, self.pick(["text", "text", "category", "crossing", "number"]))(f"{self.pick('abc')}{i}")
        if not any(parts is not None for parts in self.parts):
            self.text("text")

    def pick(self, choices):
        return choices[int(self.rng.integers(len(choices)))]

    def input(self, name, shape, x, dtype="string"):
        self.inputs[name] = Input(shape, dtype=dtype, name=name)
        self.x[name] = x
        return self.inputs[name]

    def text(self, name):
        shape = self.pick([(), (1,)])
        # Keras gives bags of words of texts of shape (n, 1) another shape than they have.
        mode = self.pick(["int", "int", "multi_hot", "count", "tf_idf"] if shape == () else ["int"])
        arguments = {"output_mode": mode, "ngrams": self.pick([None, None, 2, (1, 3)])}
        arguments["standardize"] = self.pick(
            ["lower_and_strip_punctuation", "lower", "strip_punctuation", None]
        )
        arguments["split"] = self.pick(["whitespace", "character"])
        arguments["max_tokens"] = self.pick([None, 7, 30])
        if mode != "int" and arguments["max_tokens"]:
            arguments["pad_to_max_tokens"] = self.pick([False, True])
        if mode == "int":
            arguments["output_sequence_length"] = int(self.rng.integers(1, 8))
        layer = L.TextVectorization(**arguments)
        if mode != "tf_idf" and arguments["max_tokens"] != 7 and self.rng.random() < 0.5:
            layer.set_vocabulary(WORDS)
        else:
            adapted(layer)
        y = layer(self.input(name, shape, texts(WORDS, 6, *shape)))
        if mode == "int":
            size = max(layer.vocabulary_size(), 2)
            y = L.Embedding(size, 3, mask_zero=bool(self.rng.random() < 0.5))(y)
            y = self.pick([L.GlobalAveragePooling1D(), L.GRU(2), L.Flatten()])(y)
        self.parts.append(y)

    def category(self, name):
        length = int(self.rng.integers(1, 4))
        given = self.input(name, (length,), tokens(WORDS, length))
        if self.rng.random() < 0.5:
            mode = self.pick(["int", "multi_hot", "count"])
            layer = L.StringLookup(
                num_oov_indices=int(self.rng.integers(1, 4)),
                mask_token=self.pick([None, "a"]),
                output_mode=mode,
                vocabulary=WORDS[1:],
            )
            size = layer.vocabulary_size()
        else:
            mode, size = self.pick(["int", "multi_hot", "count"]), int(self.rng.integers(2, 9))
            salt = self.pick([None, 5, [1, 2]])
            layer = L.Hashing(size, salt=salt, mask_value=self.pick([None, "a"]), output_mode=mode)
        y = layer(given)
        self.parts.append(L.Flatten()(L.Embedding(size, 2)(y)) if mode == "int" else y)

    def crossing(self, name):
        given = (
            self.input(name, (1,), tokens(WORDS, 1)),
            self.input(name + "n", (1,), integers(5, 1, dtype="int64"), "int64"),
        )
        self.parts.append(L.HashedCrossing(int(self.rng.integers(2, 9)), output_mode="one_hot")(given))

    def number(self, name):
        self.parts.append(self.input(name, (2,), numbers(2), "float32"))

    def model(self):
        y = self.parts[0] if len(self.parts) == 1 else L.Concatenate()(self.parts)
        return compiled(Model(self.inputs, L.Dense(1)(y)), "mse", 0.002)


def drawn_case(seed, index):
    return Case(
        name=f"drawn_text/{seed}/{index}",
        make=lambda: Drawing(seed, index).model(),
        x=Drawing(seed, index).x,
        y=numbers(1),
        **COMMON,
    )
