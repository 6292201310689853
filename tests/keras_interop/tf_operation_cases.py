"""Functions of TensorFlow between layers of tf.keras: operators, indices, and functions of `tf`."""

import numpy as np
import tensorflow as tf
from cases import case
from library import Input
from library import Model
from library import keras
from library import layers as L
from samples import classes
from samples import integers
from samples import numbers

K = keras.backend
CONSTANT = np.array([0.5, -1.0, 2.0, 0.25], "float32")


def adam():
    return keras.optimizers.Adam(0.01, epsilon=1e-4)


def tf_case(name, x, y=None, covers=(), **arguments):
    """Keras 3 has no such functions."""
    covers = ("structure: functions of TensorFlow", *covers)
    return case(f"tf_operations/{name}", x, y or numbers(2), covers=covers, since=(99, 0), formats=("keras", "h5"), **arguments)


def flat(tensors):
    """Vectors of all elements of each sample."""
    tensors = tensors if isinstance(tensors, (list, tuple)) else [tensors]
    tensors = [L.Flatten()(t) if len(t.shape) > 2 else t for t in tensors]
    return tensors[0] if len(tensors) == 1 else L.Concatenate()(tensors)


def between_case(name, *calls, shape=(4,), **arguments):
    """The calls get the tanh of a Dense layer, each that of its own; a Dense layer gets all results."""

    def make():
        x = Input(shape)
        found = []
        for call in calls:
            y = L.Dense(shape[-1], activation="tanh", kernel_initializer="he_normal")(x)
            found.append(flat(call(y)))
        model = Model(x, L.Dense(2)(flat(found)))
        model.compile(adam(), "mse")
        return model

    tf_case(name, numbers(*shape), **arguments)(make)


def sequence_case(name, *calls, shape=(5, 4), **arguments):
    between_case(name, *calls, shape=shape, **arguments)


def pair_case(name, *calls, left=(4,), right=(4,), **arguments):
    def make():
        a, b = Input(left), Input(right)
        found = []
        for call in calls:
            first, second = L.Dense(left[-1], activation="tanh")(a), L.Dense(right[-1], activation="sigmoid")(b)
            found.append(flat(call(first, second)))
        model = Model([a, b], L.Dense(2)(flat(found)))
        model.compile(adam(), "mse")
        return model

    tf_case(name, [numbers(*left), numbers(*right)], **arguments)(make)


def as_float(x):
    return tf.cast(x, "float32")


# Operators.

between_case("plus_and_minus", lambda x: x + 1, lambda x: 2.5 + x, lambda x: x - 0.5, lambda x: 1 - x)
between_case("times_and_by", lambda x: x * 3, lambda x: -0.5 * x, lambda x: x / 2, lambda x: 1.0 / (x + 2.0))
between_case("floor_and_remainder", lambda x: x + (3 * x) // 1, lambda x: (4 * x) % 1.5, lambda x: 5 % (x + 2.0), lambda x: x + 3 // (x + 2))
between_case("powers", lambda x: x**2, lambda x: (x + 2.0) ** 0.5, lambda x: 2.0**x)
between_case("signs", lambda x: -x, abs, lambda x: -abs(-x) + x)
between_case(
    "comparisons_with_numbers",
    *(lambda x, c=c: x * as_float(c(x)) for c in (
        lambda x: x < 0.1, lambda x: x <= 0, lambda x: x > -0.2, lambda x: 0.3 >= x, lambda x: tf.not_equal(x, 0.0))),
)
pair_case("arithmetic_of_tensors", lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b, lambda a, b: a / (b + 1.0), lambda a, b: a * a)
pair_case("further_arithmetic", lambda a, b: (a + 2.0) ** b, lambda a, b: a + (5.0 * a) // b, lambda a, b: (5.0 * a) % b, lambda a, b: tf.math.divide_no_nan(a, b), lambda a, b: tf.atan2(a, b + 1.0))
pair_case(
    "truth",
    *(lambda a, b, c=c: tf.where(c(a > 0.0, b > 0.5), 2.0 * a, b - 1.0) for c in (
        tf.logical_and, tf.logical_or, tf.math.logical_xor, lambda p, q: ~(p & q), lambda p, q: p | q, lambda p, q: p ^ q)),
)
pair_case("comparisons_of_tensors", *(lambda a, b, c=c: tf.where(c(a, b), a, b) for c in (
    tf.less, tf.less_equal, tf.greater, tf.greater_equal, tf.equal, tf.not_equal)))
between_case("constants", lambda x: x + CONSTANT, lambda x: tf.constant(CONSTANT) * x, lambda x: x - [1, 2, 3, 4], lambda x: x * np.float32(1.5), lambda x: tf.subtract(CONSTANT[None], x), lambda x: tf.maximum(x, CONSTANT))
pair_case(
    "matrix_products",
    lambda a, b: a @ b,
    lambda a, b: tf.matmul(b, a),
    lambda a, b: tf.matmul(a, a, transpose_b=True),
    lambda a, b: tf.matmul(a, b, transpose_a=True, transpose_b=True),
    lambda a, b: a @ np.ones((2, 4, 2), "float32")[0],
    lambda a, b: tf.tensordot(a, np.ones((4, 2), "float32"), 1),
    left=(3, 4),
    right=(4, 3),
)


# Indices.

sequence_case("index_of_step", lambda x: x[:, 0], lambda x: x[:, -1], lambda x: x[:, 2, :], lambda x: x[:, -2, 1:])
sequence_case("slices", lambda x: x[:, 1:], lambda x: x[:, :-1], lambda x: x[:, 1:4, 2:], lambda x: x[:, -3:-1], lambda x: x[:, 2:100])
sequence_case("steps", lambda x: x[:, ::2], lambda x: x[:, 1::2, ::3], lambda x: x[:, ::-1] * x, lambda x: x[:, 3:0:-1])
# tf.keras cannot write `...` to `.keras` files.
sequence_case("new_axes", lambda x: x[:, None, 1:], lambda x: x[:, :, tf.newaxis], lambda x: x[:, 0, None])
between_case("of_batch", lambda x: x - x[0], lambda x: x + x[None][0], lambda x: x * x[1:2], evaluated=16)
sequence_case("gathered_and_sliced", lambda x: tf.slice(x, [0, 1, 2], [-1, 3, 1]), lambda x: tf.gather(x, [0, 2, 2], axis=1), lambda x: tf.gather(x, 3, axis=-1))


# Shapes.

sequence_case("reshaped", lambda x: tf.reshape(x, [-1, 20]), lambda x: tf.reshape(x, (-1, 2, 10)))
sequence_case("transposed", lambda x: tf.transpose(x, [0, 2, 1]), lambda x: tf.linalg.matrix_transpose(x) * 2.0, lambda x: K.permute_dimensions(x, (0, 2, 1)))
sequence_case("more_and_fewer_axes", lambda x: tf.expand_dims(x, 1), lambda x: tf.squeeze(tf.expand_dims(x, -1), [-1]), lambda x: tf.squeeze(x[:, 1:2], axis=1))
sequence_case("joined", lambda x: tf.concat([x, x * x], axis=-1), lambda x: tf.concat([x, x[:, :2], -x], 1), lambda x: tf.stack([x, x * x], axis=1))
sequence_case("divided", lambda x: flat(tf.split(x, 2, axis=-1)), lambda x: tf.split(x, [1, 2, -1], axis=1)[1], lambda x: tf.unstack(x, axis=1)[2], lambda x: flat(list(tf.unstack(x, 4, axis=2))[1:3]))
sequence_case("tiled", lambda x: tf.tile(x, [1, 2, 1]), lambda x: tf.repeat(x, 3, axis=1), lambda x: tf.roll(x, 2, axis=1), lambda x: tf.reverse(x, [1]), lambda x: tf.roll(x, [1, -1], [1, 2]))
sequence_case("padded", lambda x: tf.pad(x, [[0, 0], [1, 2], [0, 0]]), lambda x: tf.pad(x, [[0, 0], [0, 0], [1, 1]], constant_values=0.5), lambda x: tf.pad(x, [[0, 0], [2, 2], [1, 0]], "REFLECT"))
sequence_case("triangles", lambda x: tf.linalg.band_part(x, -1, 0), lambda x: tf.linalg.band_part(x, 0, -1), tf.linalg.diag_part, lambda x: tf.linalg.trace(x)[:, None], shape=(4, 4))


# Reductions.

sequence_case("sums_and_means", lambda x: tf.reduce_sum(x, axis=1), lambda x: tf.reduce_mean(x, [1, 2], keepdims=True), lambda x: tf.reduce_mean(x, -1), lambda x: K.sum(x, axis=1))
sequence_case("extremes", lambda x: tf.reduce_max(x, 1), lambda x: tf.reduce_min(x, axis=-1, keepdims=True), lambda x: tf.reduce_prod(x, 1), lambda x: K.max(x, axis=-1))
sequence_case("deviations", lambda x: tf.math.reduce_std(x, 1), lambda x: tf.math.reduce_variance(x, -1), lambda x: tf.reduce_logsumexp(x, 1))
sequence_case("norms", lambda x: tf.norm(x, axis=-1), lambda x: tf.norm(x, ord=1, axis=1), lambda x: tf.math.l2_normalize(x, axis=-1), lambda x: tf.math.reduce_euclidean_norm(x, 1))
sequence_case("truth_reduced", lambda x: x[:, 0] + as_float(tf.reduce_any(x > 0.9, 1)), lambda x: x[:, 0] + as_float(tf.reduce_all(x > -0.9, axis=1)), lambda x: x[:, 0] * as_float(tf.math.count_nonzero(x > 0.0, axis=1)))
between_case("of_whole_batch", lambda x: x - tf.reduce_mean(x, axis=0, keepdims=True), lambda x: x / (1.0 + tf.reduce_max(tf.abs(x))), evaluated=16)
sequence_case("sorted", lambda x: tf.sort(x, axis=1), lambda x: tf.math.top_k(x, 2)[0], lambda x: x[:, 0] + as_float(tf.argmax(x, axis=1)))
sequence_case("cumulative", lambda x: tf.cumsum(x, axis=1), lambda x: tf.math.cumprod(x + 1.5, axis=-1))


# Functions of elements.

between_case("exponentials", lambda x: tf.exp(x), lambda x: tf.math.expm1(x), lambda x: tf.math.log(x + 2.0), lambda x: tf.math.log1p(x * x), lambda x: tf.sqrt(x + 1.5), lambda x: tf.square(x), lambda x: tf.math.rsqrt(x + 1.5), lambda x: tf.math.reciprocal(x + 2.0))
between_case("trigonometry", *(lambda x, f=f: f(0.5 * x) for f in (tf.sin, tf.cos, tf.tan, tf.asin, tf.acos, tf.atan, tf.sinh, tf.cosh, tf.asinh, tf.atanh)))
between_case("rounded", lambda x: x + tf.floor(3 * x), lambda x: x - tf.math.ceil(2 * x), lambda x: x * tf.sign(x), lambda x: x + tf.round(3 * x), lambda x: tf.math.erf(x))
between_case(
    "activations",
    *(lambda x, f=f: f(x) for f in (
        tf.nn.relu, tf.nn.relu6, tf.nn.elu, tf.nn.selu, tf.nn.silu, tf.nn.gelu, tf.nn.softplus, tf.nn.softsign, tf.nn.leaky_relu, tf.sigmoid, tf.tanh, tf.math.log_sigmoid)),
    lambda x: tf.nn.gelu(x, approximate=True),
    lambda x: tf.nn.leaky_relu(x, 0.3),
)
sequence_case("softmax", lambda x: tf.nn.softmax(x), lambda x: tf.nn.softmax(x, axis=1), lambda x: tf.nn.log_softmax(x))
between_case("activations_of_module", *(lambda x, f=f: f(x) for f in (
    keras.activations.relu, keras.activations.hard_sigmoid, keras.activations.swish, keras.activations.gelu, keras.activations.exponential)))
between_case("clipped", lambda x: tf.clip_by_value(x, -0.3, 0.4), lambda x: tf.maximum(x, 0.1), lambda x: tf.minimum(0.2, x), lambda x: tf.where(x > 0.0, x, 0.1 * x), lambda x: tf.where(x < 0.5, 0.0, x), lambda x: K.relu(x, alpha=0.1, max_value=0.5))
between_case("sums_of_lists", lambda x: tf.add_n([x, x * x]), lambda x: tf.scalar_mul(2.0, x), lambda x: tf.nn.bias_add(x, CONSTANT))


# Functions that become several operations of Keras 3, one after the other: between branches of a model they would change
# the order of the layers.


@tf_case("several_operations", numbers(5, 4))
def several_operations():
    x = Input((5, 4))
    y = L.Dense(4, activation="tanh")(x)
    y = tf.nn.swish(y, beta=2.0) + tf.math.squared_difference(y, 0.5)
    y = L.Dense(4, activation="tanh")(tf.cumsum(y, axis=1, reverse=True))
    y = tf.add_n([y, tf.sort(y, direction="DESCENDING"), -0.5 * y])
    y = tf.concat(tf.nn.moments(tf.clip_by_value(y, CONSTANT - 2.0, 1.5), [1]), -1)
    model = Model(x, L.Dense(2)(y))
    model.compile(adam(), "mse")
    return model


# Integers, truth values, dtypes.


@tf_case("integers", [integers(7, 4), numbers(4)])
def integers_case():
    n, x = Input((4,), dtype="int32"), Input((4,))
    y = as_float((n * 2 + 1) % 5) * L.Dense(4, activation="tanh")(x)
    z = as_float(tf.where(n > 3, n - 3, n // 2))
    quotient = as_float(n / 4)
    found = [y, z, quotient, as_float(tf.maximum(n, 2)), as_float(tf.reduce_sum(n, axis=1, keepdims=True))]
    model = Model([n, x], L.Dense(2)(L.Concatenate()(found)))
    model.compile(adam(), "mse")
    return model


@tf_case("one_hot_tokens", integers(6, 3), classes(3))
def one_hot_tokens():
    tokens = Input((3,), dtype="int32")
    x = tf.reshape(tf.one_hot(tokens, 6), (-1, 18))
    model = Model(tokens, L.Dense(3, activation="softmax")(L.Dense(5, activation="relu")(x)))
    model.compile(adam(), "sparse_categorical_crossentropy", metrics=["accuracy"])
    return model


@tf_case("table_of_constants", integers(5, 3))
def table_of_constants():
    tokens = Input((3,), dtype="int32")
    table = np.random.default_rng(5).standard_normal((5, 4)).astype("float32")
    x = L.Dense(4, activation="tanh")(tf.gather(tf.constant(table), tokens))
    model = Model(tokens, L.Dense(2)(tf.reduce_mean(x, axis=1)))
    model.compile(adam(), "mse")
    return model


@tf_case("casts", numbers(4))
def casts():
    x = Input((4,))
    y = L.Dense(4, activation="tanh")(x)
    z = as_float(tf.cast(y, "float64") * 0.5) + as_float(tf.cast(3.0 * y, tf.int32))
    model = Model(x, L.Dense(2)(tf.identity(z) + tf.stop_gradient(y) + tf.zeros_like(y)))
    model.compile(adam(), "mse")
    return model


# Structures.


@tf_case("residual_mlp", numbers(6), classes(3))
def residual_mlp():
    x = Input((6,))
    y = L.Dense(8)(x)
    for _ in range(3):
        y = y + 0.5 * L.Dense(8)(tf.nn.gelu(L.LayerNormalization()(y)))
    model = Model(x, L.Dense(3, activation="softmax")(y))
    model.compile(adam(), "sparse_categorical_crossentropy", metrics=["accuracy"])
    return model


@tf_case("attention_by_hand", numbers(5, 6), numbers(5, 2))
def attention_by_hand():
    x = Input((5, 6))
    heads, width = 2, 3

    def part(y):
        # The bias of keys has the gradient 0.
        return tf.transpose(tf.reshape(L.Dense(heads * width, use_bias=False)(y), (-1, 5, heads, width)), (0, 2, 1, 3))

    q, k, v = part(x), part(x), part(x)
    scores = tf.matmul(q, k, transpose_b=True) / np.sqrt(width)
    mixed = tf.matmul(tf.nn.softmax(scores), v)
    mixed = tf.reshape(tf.transpose(mixed, (0, 2, 1, 3)), (-1, 5, heads * width))
    model = Model(x, L.Dense(2)(x + L.Dense(6)(mixed)))
    model.compile(adam(), "mse")
    return model


@tf_case("nested_model", numbers(4, 3), covers=("structure: nested models",))
def nested_model():
    start = Input((4, 3))
    y = L.Dense(3, activation="tanh")(start)
    inner = Model(start, [tf.reduce_mean(y, axis=1), y[:, -1] - y[:, 0]], name="summary")
    x = Input((4, 3))
    mean, slope = inner(x * 2.0)
    model = Model(x, L.Dense(2)(tf.concat([mean, slope], axis=-1) * 1.5))
    model.compile(adam(), "mse")
    return model


@tf_case("as_outputs", numbers(4, 3), [numbers(3), numbers(4)], covers=("structure: several outputs",))
def as_outputs():
    x = Input((4, 3))
    y = L.Dense(3, activation="tanh")(x)
    model = Model(x, [tf.reduce_mean(y, axis=1), tf.reduce_sum(y, -1)])
    model.compile(adam(), ["mse", "mae"])
    return model


@tf_case("siamese", [numbers(4), numbers(4)], classes(2, 1, dtype="float32"), covers=("structure: shared layers",))
def siamese():
    a, b = Input((4,)), Input((4,))
    encoder = L.Dense(5, activation="tanh")
    distance = tf.norm(encoder(a) - encoder(b) + 0.01, axis=-1, keepdims=True)
    model = Model([a, b], L.Dense(1, activation="sigmoid")(tf.abs(distance)))
    model.compile(adam(), "binary_crossentropy")
    return model


# What Rhyton has to refuse.


@case("refused/function_of_shapes", numbers(4, 3), numbers(2), refused_layer="tf.compat.v1.shape", refused_class="tf.compat.v1.shape", since=(99, 0))
def function_of_shapes():
    x = Input((4, 3))
    model = Model(x, L.Dense(2)(tf.reshape(x, [tf.shape(x)[0], 12])))
    model.compile("adam", "mse")
    return model


@case("refused/changed_order", numbers(4), numbers(2), refused_layer="first", refused_class="Functions of TensorFlow", since=(99, 0))
def changed_order():
    x = Input((4,))
    first = tf.math.squared_difference(L.Dense(4, name="first")(x), 1.0)
    other = tf.tanh(L.Dense(4, name="other")(x))
    model = Model(x, L.Dense(2)(tf.concat([other, first], -1)))
    model.compile("adam", "mse")
    return model


# tf.keras does not write the second operand.
@case("refused/equality_operator", numbers(4), numbers(2), refused_layer="tf.__operators__.eq", refused_class="tf.__operators__.eq", since=(99, 0))
def equality_operator():
    x = Input((4,))
    model = Model(x, L.Dense(2)(as_float(x == 0.5) + x))
    model.compile("adam", "mse")
    return model
