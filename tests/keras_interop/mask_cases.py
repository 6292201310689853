"""Masks: layers that make, pass on, use or drop them, and masks as arguments."""

import numpy as np
import samples
from cases import case
from cases import formats_in_turn
from library import Input
from library import Model
from library import Sequential
from library import keras
from library import layers as L
from samples import classes
from samples import flags
from samples import numbers
from samples import with_masked

TOKENS = 12
STEPS = 5
# The first version that these cases are run with; some need later ones.
SINCE = (3, 4)


def sgd(rate=0.05):
    # Optimizers that square gradients differ between Keras's backends for tokens that a batch has twice.
    return keras.optimizers.SGD(rate)


# Samples with masked steps.


def words(steps=STEPS, lengths=None, dtype="int32"):
    """Keras's mean of no step is NaN: there is at least one token, unless `lengths` has 0."""
    return samples.words(TOKENS, steps, lengths, dtype)


def scattered(steps=STEPS, kept=1):
    return samples.scattered(TOKENS, steps, kept)


def some_flags(steps):
    """Truth values, of which each sample has both."""
    return lambda rng, count: rng.permuted(np.tile(np.arange(steps) < steps // 2, (count, 1)), axis=1)


def mask_case(name, x, y, covers=(), family="of layers", **arguments):
    """`family`: the row of the table of results."""
    arguments = {"since": SINCE, **arguments}
    return case(f"masks/{name}", x, y, covers=(f"masks {family}", *covers), in_tf_keras=False, formats=formats_in_turn(), **arguments)


def embedded(x, width=4):
    return L.Embedding(TOKENS, width, mask_zero=True)(x)


def text(steps=STEPS, dtype="int32"):
    return Input((steps,), dtype=dtype)


# Layers behind an embedding.


def mean(x):
    """Of the steps that are not masked."""
    return L.GlobalAveragePooling1D()(x)


def flat(x):
    """Without the mask."""
    return L.Flatten()(x)


def between_case(name, make_layers, steps=STEPS, x=None, width=4, end=mean, **arguments):
    """`make_layers` returns layers that are called one after the other on the masked sequence."""

    def make():
        tokens = text(steps)
        y = embedded(tokens, width)
        for layer in make_layers():
            y = layer(y)
        model = Model(tokens, L.Dense(2)(end(y)))
        model.compile(sgd(), "mse")
        return model

    mask_case(name, x or words(steps), numbers(2), **arguments)(make)


between_case("embedding", list)
between_case("embedding_of_scattered_tokens", list, x=scattered())
between_case("nothing_masked", list, x=words(lengths=[STEPS]))
between_case("all_masked", lambda: [L.Masking(), L.Dense(3)], x=words(lengths=[0]), end=flat)
between_case("one_step", list, x=words(lengths=[1]))
between_case("one_step_or_none", lambda: [L.LayerNormalization(), L.Dense(3)], x=words(lengths=[0, 1]), end=flat)
between_case("single_step", list, steps=1)
between_case("dense", lambda: [L.Dense(6, activation="tanh"), L.Dense(3, activation="sigmoid")])
between_case("activations", lambda: [L.Activation("tanh"), L.ReLU(negative_slope=0.1), L.Activation("softplus")])
between_case("rescaling", lambda: [L.Rescaling(2.0, offset=0.5)])
between_case("layer_normalization", lambda: [L.LayerNormalization(), L.Dense(3)])
between_case("layer_normalization_of_steps", lambda: [L.LayerNormalization(axis=[1, 2])])
between_case("dropout_of_nothing", lambda: [L.Dropout(0.0), L.Dense(3, activation="elu")])
between_case("dropout", lambda: [L.Dropout(0.4), L.Dense(3, activation="elu")], is_random=True)
between_case("masked_again", lambda: [L.Dense(3, activation="relu"), L.Masking(0.0), L.Dense(3)])
between_case("flattened", lambda: [L.Flatten(), L.Reshape((2, 10)), L.Dense(3)])
between_case("reshaped", lambda: [L.Reshape((10, 2)), L.Dense(3)])
between_case("batch_normalization", lambda: [L.Dense(4, use_bias=False), L.BatchNormalization(momentum=0.7)])
between_case(
    "batch_normalization_of_all_masked",
    lambda: [L.BatchNormalization(momentum=0.7, epsilon=0.3, center=False)],
    x=words(lengths=[0]),
    end=flat,
)
between_case(
    "batch_normalization_of_one_step",
    lambda: [L.BatchNormalization(momentum=0.7, epsilon=0.3)],
    x=words(lengths=[0, 0, 1]),
    end=flat,
)
between_case("batch_normalization_of_scattered_tokens", lambda: [L.BatchNormalization(scale=False)], x=scattered(kept=0), end=flat)
between_case("frozen_batch_normalization", lambda: [L.BatchNormalization(trainable=False), L.Dense(3)])
between_case(
    "nested_sequential",
    lambda: [Sequential([Input((STEPS, 4)), L.Dense(5, activation="tanh"), L.BatchNormalization()], name="inner")],
    covers=("structure: nested models",),
)


def inner_functional():
    start = Input((STEPS, 4))
    return Model(start, L.Add()([L.Dense(4, activation="tanh")(start), start]), name="inner")


between_case("nested_functional", lambda: [inner_functional(), L.Dense(3)], covers=("structure: nested models",))


@mask_case("nested_embedding", words(), numbers(2), covers=("structure: nested models",))
def nested_embedding():
    inner = Sequential([text(), L.Embedding(TOKENS, 4, mask_zero=True), L.Dense(3, activation="tanh")], name="encoder")
    model = Sequential([text(), inner, L.GlobalAveragePooling1D(), L.Dense(2)])
    model.compile(sgd(), "mse")
    return model


@mask_case("shared_inner_model", [words(), words()], numbers(2), covers=("structure: nested models", "structure: shared layers"))
def shared_inner_model():
    a, b = text(), text()
    inner = Sequential([text(), L.Embedding(TOKENS, 4, mask_zero=True), L.GlobalAveragePooling1D()], name="encoder")
    model = Model([a, b], L.Dense(2)(L.Subtract()([inner(a), inner(b)])))
    model.compile(sgd(), "mse")
    return model


@mask_case("tokens_of_floats", words(dtype="float32"), numbers(2))
def tokens_of_floats():
    model = Sequential(
        [text(dtype="float32"), L.Embedding(TOKENS, 4, mask_zero=True), L.GlobalAveragePooling1D(), L.Dense(2)]
    )
    model.compile(sgd(), "mse")
    return model


@mask_case("tokens_of_int64", words(dtype="int64"), numbers(2))
def tokens_of_int64():
    tokens = text(dtype="int64")
    x = L.GlobalAveragePooling1D(keepdims=True)(L.Dense(3)(embedded(tokens)))
    model = Model(tokens, L.Dense(2)(L.Flatten()(x)))
    model.compile(sgd(), "mse")
    return model


# Of channels_first, the masked steps are the last axis: Masking and Embedding cannot make that mask.
@mask_case("mean_of_channels_first", [numbers(3, STEPS), some_flags(STEPS)], numbers(2), family="as arguments")
def mean_of_channels_first():
    x, mask = Input((3, STEPS)), Input((STEPS,), dtype="bool")
    pooled = L.GlobalAveragePooling1D(data_format="channels_first")(x, mask=mask)
    model = Model([x, mask], L.Dense(2)(pooled))
    model.compile(sgd(), "mse")
    return model


# Masking.


def masking_case(name, value, *shape, make=mean, **arguments):
    def network():
        x = Input(shape)
        y = make(L.Dense(4, activation="tanh")(L.Masking(value)(x)))
        model = Model(x, L.Dense(2)(y))
        model.compile(keras.optimizers.Adam(0.01), "mse")
        return model

    mask_case(f"masking_{name}", with_masked(value, *shape), numbers(2), **arguments)(network)


masking_case("0", 0.0, STEPS, 3)
masking_case("minus_1", -1.0, STEPS, 3)
masking_case("a_fraction", 0.1, STEPS, 2)
masking_case("one_feature", 10.0, STEPS, 1)
masking_case("many_features", 0.5, 7, 9)
masking_case("of_one_axis", 0.0, 4, make=lambda x: L.BatchNormalization()(L.Rescaling(2.0)(x)), unsettled=("dense/bias",))
masking_case("of_images", 0.0, 4, 4, 2, make=lambda x: L.Flatten()(L.Conv2D(2, 3)(x)))
masking_case("of_images_and_mean", 0.0, 4, 4, 2, make=lambda x: L.GlobalAveragePooling2D()(L.BatchNormalization()(x)), unsettled=("dense/bias",))


# Layers that merge.


# Before, Keras cannot join masks of unknown batch sizes.
MASKS_JOINED = {"since": (3, 12)}


def merge_case(name, merge, tensors, width=4, pool=True, **arguments):
    """`tensors`: which of two masked and an unmasked sequence are merged: "abc" are a, b and c, where c has no mask."""

    def make():
        starts = [text(), text(), Input((STEPS, width))]
        found = [embedded(starts[0], width), embedded(starts[1], width), L.Dense(width)(starts[2])]
        y = merge([found["abc".index(letter)] for letter in tensors])
        y = mean(L.Dense(3, activation="tanh")(y)) if pool else y
        head = L.Concatenate()([L.Dense(2)(y), L.Dense(2)(L.Flatten()(L.Concatenate()(found)))])
        model = Model(starts, head)
        model.compile(sgd(), "mse")
        return model

    mask_case(f"{name}_of_{tensors}", [words(), scattered(), numbers(STEPS, width)], numbers(4), family="of layers that merge", **arguments)(make)


merge_case("add", lambda x: L.Add()(x), "ab")
merge_case("add", lambda x: L.Add()(x), "abc")
merge_case("subtract", lambda x: L.Subtract()(x), "ab")
merge_case("average", lambda x: L.Average()(x), "aab")
merge_case("multiply", lambda x: L.Multiply()(x), "ab")
merge_case("multiply", lambda x: L.Multiply()(x), "abc")
merge_case("multiply", lambda x: L.Multiply()(x), "ac")
merge_case("maximum", lambda x: L.Maximum()(x), "ab")
merge_case("maximum", lambda x: L.Maximum()(x), "cab")
merge_case("minimum", lambda x: L.Minimum()(x), "ab")
merge_case("minimum", lambda x: L.Minimum()(x), "bc")
merge_case("concatenate", lambda x: L.Concatenate()(x), "ab", **MASKS_JOINED)
merge_case("concatenate", lambda x: L.Concatenate()(x), "ac", **MASKS_JOINED)
merge_case("concatenate_steps", lambda x: L.Concatenate(axis=1)(x), "ab", **MASKS_JOINED)
merge_case("concatenate_steps", lambda x: L.Concatenate(axis=1)(x), "bca", **MASKS_JOINED)
merge_case("concatenate_flat", lambda x: L.Flatten()(L.Concatenate(axis=-2)(x)), "ba", pool=False)


@mask_case("residual", words(), classes(3))
def residual():
    tokens = text()
    x = embedded(tokens)
    for _ in range(2):
        x = L.LayerNormalization()(L.Add()([x, L.Dense(4, activation="gelu")(x)]))
    model = Model(tokens, L.Dense(3, activation="softmax")(L.GlobalAveragePooling1D()(x)))
    model.compile(sgd(), "sparse_categorical_crossentropy", metrics=["accuracy"])
    return model


# Masks as arguments of calls.



def argument_case(name, call, width=3, **arguments):
    """`call` gets a sequence and a mask for its steps."""

    def make():
        x, mask = Input((STEPS, width)), Input((STEPS,), dtype="bool", name="mask")
        model = Model([x, mask], L.Dense(2)(call(L.Dense(width, use_bias=False)(x), mask)))
        model.compile(sgd(), "mse")
        return model

    mask_case(f"argument_{name}", [numbers(STEPS, width), some_flags(STEPS)], numbers(2), family="as arguments", **arguments)(make)


argument_case("of_mean", lambda x, mask: L.GlobalAveragePooling1D()(x, mask=mask))
argument_case("of_batch_normalization", lambda x, mask: L.Flatten()(L.BatchNormalization(momentum=0.6)(x, mask=mask)))
argument_case(
    "of_softmax_of_steps", lambda x, mask: flat(L.Softmax()(L.Reshape((STEPS,))(L.Dense(1)(x)), mask=mask))
)
argument_case("that_is_computed", lambda x, mask: L.GlobalAveragePooling1D()(x, mask=~mask))
argument_case(
    "of_comparison", lambda x, mask: L.GlobalAveragePooling1D()(x, mask=(x[:, :, 0] > 0.0) | mask)
)
argument_case(
    "of_model", lambda x, mask: Sequential([Input((STEPS, 3)), L.Dense(4, activation="tanh"), L.GlobalAveragePooling1D()])(x, mask=mask)
)
argument_case(
    "that_is_constant", lambda x, mask: L.GlobalAveragePooling1D()(x, mask=np.array([[True, True, False, True, False]])),
    since=(3, 14),  # some versions before do not connect it
)


@mask_case("argument_in_place_of_own", [words(), some_flags(STEPS)], numbers(2), family="as arguments")
def argument_in_place_of_own():
    tokens, mask = text(), Input((STEPS,), dtype="bool")
    x = embedded(tokens)
    model = Model([tokens, mask], L.Dense(2)(L.Add()([L.GlobalAveragePooling1D()(x, mask=mask), L.GlobalAveragePooling1D()(x)])))
    model.compile(sgd(), "mse")
    return model


# Before, a row without any element that counts was not zero.
@mask_case("softmax_of_matrix", [numbers(3, 4), flags(3, 4)], numbers(3, 4), family="as arguments", since=(3, 10))
def softmax_of_matrix():
    x, mask = Input((3, 4)), Input((3, 4), dtype="bool")
    model = Model([x, mask], L.Reshape((3, 4))(L.Softmax(axis=1)(L.Dense(4)(x), mask=mask)))
    model.compile(sgd(), "mse")
    return model


@mask_case("softmax_of_several_axes", [numbers(3, 4), flags(3, 4)], numbers(3, 4), family="as arguments")
def softmax_of_several_axes():
    x, mask = Input((3, 4)), Input((3, 4), dtype="bool")
    model = Model([x, mask], L.Reshape((3, 4))(L.Softmax(axis=[1, 2])(L.Dense(4)(x), mask=mask)))
    model.compile(sgd(), "mse")
    return model
