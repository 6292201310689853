"""Operations on symbolic tensors, between layers: operators, indices, and functions of keras.ops."""

import numpy as np
from cases import case
from library import Input
from library import Model
from library import keras
from library import layers as L
from samples import classes
from samples import flags
from samples import integers
from samples import numbers
from samples import one_hot
from samples import positive

ops = getattr(keras, "ops", None)
# The first version whose operations have these classes and arguments.
SINCE = (3, 12)


def adam():
    return keras.optimizers.Adam(0.01, epsilon=1e-4)


def operation_case(name, x, y=None, covers=(), **arguments):
    covers = ("structure: operations", *covers)
    return case(f"operations/{name}", x, y or numbers(2), covers=covers, since=SINCE, in_tf_keras=False, **arguments)


def flat(tensors):
    """Vectors of all elements of each sample."""
    tensors = tensors if isinstance(tensors, (list, tuple)) else [tensors]
    tensors = [L.Flatten()(t) if len(t.shape) > 2 else t for t in tensors]
    return tensors[0] if len(tensors) == 1 else L.Concatenate()(tensors)


def between_case(name, *calls, shape=(4,), scale=1.0, **arguments):
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

    operation_case(name, numbers(*shape, scale=scale), **arguments)(make)


def sequence_case(name, *calls, shape=(5, 4), **arguments):
    between_case(name, *calls, shape=shape, **arguments)


def pair_case(name, *calls, left=(4,), right=(4,), **arguments):
    """The calls get two tensors, whose last axes have the lengths of the inputs'."""

    def make():
        a, b = Input(left), Input(right)
        found = []
        for call in calls:
            first, second = L.Dense(left[-1], activation="tanh")(a), L.Dense(right[-1], activation="sigmoid")(b)
            found.append(flat(call(first, second)))
        model = Model([a, b], L.Dense(2)(flat(found)))
        model.compile(adam(), "mse")
        return model

    operation_case(name, [numbers(*left), numbers(*right)], **arguments)(make)


# Operators.

between_case("plus_and_minus", lambda x: x + 1, lambda x: 2.5 + x, lambda x: x - 0.5, lambda x: 1 - x)
between_case("times_and_by", lambda x: x * 3, lambda x: -0.5 * x, lambda x: x / 2, lambda x: 1.0 / (x + 2.0))
between_case("floor_and_remainder", lambda x: x + (3 * x) // 1, lambda x: (4 * x) % 1.5, lambda x: x * (7 // (x + 2)), lambda x: 5 % (x + 2.0))
between_case("powers", lambda x: x**2, lambda x: (x + 2.0) ** 0.5, lambda x: 2.0**x, lambda x: (x + 1.5) ** -1)
between_case("signs", lambda x: -x, abs, lambda x: -abs(-x) + x)
between_case("rounded", lambda x: x + round(3 * x), lambda x: x * ops.round(x, 1))
between_case("matrix_product_with_constant", lambda x: x @ np.arange(12.0, dtype="float32").reshape(4, 3))
between_case("comparisons_with_numbers", *(lambda x, c=c: x * ops.cast(c(x), "float32") for c in (
    lambda x: x < 0.1, lambda x: x <= 0, lambda x: x > -0.2, lambda x: 0.3 >= x, lambda x: x != 0)))
pair_case("arithmetic_of_tensors", lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b, lambda a, b: a / (b + 1.0))
pair_case("further_arithmetic_of_tensors", lambda a, b: (a + 2.0) ** b, lambda a, b: a + (5.0 * a) // b, lambda a, b: (5.0 * a) % b)
pair_case("comparisons_of_tensors", *(lambda a, b, c=c: ops.where(c(a, b), a, b) for c in (
    lambda a, b: a < b, lambda a, b: a <= b, lambda a, b: a > b, lambda a, b: a >= b, lambda a, b: a != b)))
pair_case("truth_of_tensors", *(lambda a, b, c=c: ops.where(c(a > 0.0, b > 0.5), 2.0 * a, b - 1.0) for c in (
    lambda p, q: p & q, lambda p, q: p | q, lambda p, q: p ^ q, lambda p, q: ~(p & q), lambda p, q: p | False)))
pair_case("matrix_product", lambda a, b: a @ b, lambda a, b: ops.matmul(b, a), left=(3, 4), right=(4, 3))
pair_case("matrix_product_with_vector", lambda a, b: ops.einsum("bij,bj->bi", a, b), left=(3, 4), right=(4,))
pair_case("broadcasting_of_ranks", lambda a, b: a + b[:, None, :], lambda a, b: a * ops.expand_dims(b, 1), left=(3, 4), right=(4,))
pair_case("broadcasting_of_ones", lambda a, b: a - b, lambda a, b: b / (a + 2.0), left=(3, 1), right=(1, 5))

CONSTANT = np.array([0.5, -1.0, 2.0, 0.25], "float32")
between_case(
    "constant_arrays",
    lambda x: x + CONSTANT,
    lambda x: x * CONSTANT,
    lambda x: ops.subtract(CONSTANT, x),
    lambda x: x / CONSTANT.reshape(1, 4),
    lambda x: ops.maximum(x, CONSTANT),
)
between_case("constant_tensors", lambda x: x - ops.convert_to_tensor(CONSTANT), lambda x: ops.convert_to_tensor(CONSTANT) * x)
between_case("constant_variable", lambda x: x * keras.Variable(CONSTANT, trainable=False, name="scale"))
between_case("constant_scalars", lambda x: x * np.float32(1.5), lambda x: x + np.array(0.25, "float32"))
sequence_case(
    "constants_of_more_axes",
    lambda x: ops.stop_gradient(x) * np.linspace(-1.0, 1.0, 20, dtype="float32").reshape(5, 4) + x,
    lambda x: x + np.arange(5.0, dtype="float32")[:, None],
)
between_case(
    "constant_of_truth_values", lambda x: ops.where(np.array([True, False, True, True]), x, -x)
)


# Indices.

sequence_case("index_of_step", lambda x: x[:, 0], lambda x: x[:, -1], lambda x: x[:, 2, :], lambda x: x[:, -2, 1:])
sequence_case("index_of_feature", lambda x: x[:, :, 0], lambda x: x[..., -1], lambda x: x[:, 1, 2, None])
sequence_case("slices", lambda x: x[:, 1:], lambda x: x[:, :-1], lambda x: x[:, 1:4, 2:], lambda x: x[:, -3:-1])
sequence_case("slices_beyond_the_end", lambda x: x[:, 2:100], lambda x: x[:, -100:3], lambda x: x[:, :, 3:9])
sequence_case("steps", lambda x: x[:, ::2], lambda x: x[:, 1::2, ::3], lambda x: x[:, :4:3])
sequence_case("negative_steps", lambda x: x[:, ::-1] * x, lambda x: x[:, ::-2], lambda x: x[:, 3:0:-1], lambda x: x[:, :, -1::-1] - x)
sequence_case("ellipsis", lambda x: x[..., 1:3], lambda x: x[:, 1, ...], lambda x: x[:, 1:, ..., 2])
sequence_case("new_axes", lambda x: x[:, None, 1:], lambda x: x[..., None], lambda x: x[:, :, None, ::2], lambda x: x[:, 0, None])
sequence_case("indices_of_indices", lambda x: x[:, 1:][:, ::-1][:, 0, 1:], lambda x: (x[:, 1:] - x[:, :-1])[:, -1])
between_case("index_of_image", lambda x: x[:, 1, :, 0], lambda x: x[:, ::2, 1::2], lambda x: x[:, -1, ::-1, :], shape=(4, 5, 2))


# Reductions.

sequence_case("sums", lambda x: ops.sum(x, axis=1), lambda x: ops.sum(x, axis=-1, keepdims=True), lambda x: ops.sum(x, axis=(1, 2))[:, None])
sequence_case("means", lambda x: ops.mean(x, axis=1), lambda x: ops.mean(x, axis=[1, 2], keepdims=True), lambda x: ops.mean(x, axis=-1))
sequence_case("largest", lambda x: ops.max(x, axis=1), lambda x: ops.max(x, axis=-1, keepdims=True), lambda x: ops.amax(x, axis=(1, 2))[:, None])
sequence_case("smallest", lambda x: ops.min(x, axis=1), lambda x: ops.min(x, axis=2, initial=-0.1), lambda x: ops.amin(x, axis=1))
sequence_case("deviations", lambda x: ops.var(x, axis=1), lambda x: ops.std(x, axis=-1), lambda x: ops.var(x, axis=(1, 2), keepdims=True))
sequence_case("products", lambda x: ops.prod(x, axis=1), lambda x: ops.prod(x + 2.0, axis=-1, keepdims=True))
sequence_case("moments", lambda x: flat(list(ops.moments(x, axes=[1]))), lambda x: ops.moments(x, axes=[1, 2], keepdims=True)[1])
sequence_case("logsumexp", lambda x: ops.logsumexp(x, axis=1), lambda x: ops.logsumexp(x, axis=-1, keepdims=True))
sequence_case(
    "norms",
    lambda x: ops.norm(x, axis=-1),
    lambda x: ops.norm(x, ord=1, axis=1),
    lambda x: ops.norm(x, ord=3, axis=-1, keepdims=True),
    lambda x: ops.norm(x, axis=(1, 2))[:, None],
)
sequence_case("normalized", lambda x: ops.normalize(x, axis=-1), lambda x: ops.normalize(x, axis=1, order=1))
sequence_case("of_whole_batch", lambda x: x - ops.mean(x, axis=0, keepdims=True), lambda x: x / (1.0 + ops.max(ops.abs(x))), evaluated=16)
sequence_case("counts", lambda x: x[:, 0] * ops.cast(ops.count_nonzero(x > 0.0, axis=1), "float32"), lambda x: x[:, 0] + ops.cast(ops.any(x > 0.9, axis=1), "float32"))
sequence_case("average_with_weights", lambda x: ops.average(x, axis=1, weights=np.array([1.0, 2.0, 0.0, 3.0, 1.0], "float32")))


# Shapes.

sequence_case("reshaped", lambda x: ops.reshape(x, (-1, 20)), lambda x: ops.reshape(x, (-1, 2, 10)), lambda x: x.reshape((-1, 4, 5)))
sequence_case("transposed", lambda x: ops.transpose(x, (0, 2, 1)), lambda x: ops.swapaxes(x, 1, 2) * 2.0, lambda x: ops.moveaxis(x, -1, 1))
sequence_case("more_and_fewer_axes", lambda x: ops.expand_dims(x, (1, -1)), lambda x: ops.squeeze(ops.expand_dims(x, 2), 2), lambda x: ops.squeeze(x[:, 1:2], axis=1))
sequence_case("joined", lambda x: ops.concatenate([x, x * x], axis=-1), lambda x: ops.concatenate([x, x[:, :2], -x], axis=1))
sequence_case("stacked", lambda x: ops.stack([x, x * x], axis=1), lambda x: ops.stack([x[:, 0], x[:, 1], x[:, 2]], axis=-1))
sequence_case("split", lambda x: flat(ops.split(x, 2, axis=-1)), lambda x: ops.split(x, [1, 3], axis=1)[1], lambda x: ops.split(x, 4, axis=2)[3])
sequence_case("unstacked", lambda x: flat(ops.unstack(x, axis=1)[1:3]), lambda x: ops.multiply(*ops.unstack(x, 5, axis=1)[3:]))
sequence_case("tiled_and_repeated", lambda x: ops.tile(x, (1, 2, 1)), lambda x: ops.repeat(x, 3, axis=1), lambda x: ops.repeat(x, [1, 0, 2, 1], axis=-1))
sequence_case(
    "padded",
    lambda x: ops.pad(x, [[0, 0], [1, 2], [0, 0]]),
    lambda x: ops.pad(x, [[0, 0], [0, 0], [1, 1]], constant_values=0.5),
    lambda x: ops.pad(x, [[0, 0], [2, 2], [1, 0]], mode="reflect"),
    lambda x: ops.pad(x, [[0, 0], [1, 1], [2, 2]], mode="symmetric"),
)
sequence_case("flipped_and_rolled", lambda x: x * ops.flip(x, axis=1), lambda x: ops.roll(x, 2, axis=1), lambda x: ops.roll(x, (1, -1), axis=(1, 2)))
sequence_case("triangles", lambda x: ops.tril(x), lambda x: ops.triu(x, k=1), lambda x: ops.diagonal(x, axis1=1, axis2=2), lambda x: ops.trace(x, axis1=1, axis2=2)[:, None])
sequence_case("broadcast", lambda x: ops.broadcast_to(x[:1, ...], (8, 5, 4)) - x, predicted=8, evaluated=16)
sequence_case("sliced", lambda x: ops.slice(x, [0, 1, 2], [-1, 3, 1]), lambda x: ops.slice(x, (0, 0, 0), (-1, 2, 4)))


# Selections.

sequence_case("taken", lambda x: ops.take(x, [0, 2, 2, -1], axis=1), lambda x: ops.take(x, 1, axis=-1), lambda x: ops.take(x, np.array([[0, 1], [3, 0]]), axis=2))
sequence_case("taken_along_axis", lambda x: ops.take_along_axis(x, ops.argsort(x, axis=1), axis=1), lambda x: ops.take_along_axis(x, np.array([[[0, 1, 2, 4]]]), axis=1))
sequence_case("sorted", lambda x: ops.sort(x, axis=1), lambda x: ops.sort(x))
sequence_case("largest_k", lambda x: ops.top_k(x, 2)[0], lambda x: ops.cast(ops.top_k(x, 2)[1], "float32") * ops.top_k(x, 2)[0], lambda x: x[:, 0] + ops.cast(ops.argmax(x, axis=1), "float32"))
sequence_case("cumulative", lambda x: ops.cumsum(x, axis=1), lambda x: ops.cumprod(x + 1.5, axis=-1), lambda x: ops.diff(x, axis=1))
sequence_case("clipped", lambda x: ops.clip(x, -0.3, 0.4), lambda x: ops.maximum(x, 0.1), lambda x: ops.minimum(0.2, x))
sequence_case("where", lambda x: ops.where(x > 0.0, x, 0.1 * x), lambda x: ops.where(x < 0.5, 0.0, x), lambda x: ops.where(ops.abs(x) > 0.5, x * x, 1.0))
sequence_case("selected", lambda x: ops.select([x > 0.5, x > 0.0], [x, 2.0 * x], -x), lambda x: ops.select([x > 0.0], [x * x], 0.25))
sequence_case("median_and_quantile", lambda x: ops.median(x, axis=1), lambda x: ops.quantile(x, 0.3, axis=-1))


# Functions of single elements.

between_case("exponentials", ops and ops.exp, ops and ops.expm1, lambda x: ops.log(x + 2.0), lambda x: ops.log1p(x * x), lambda x: ops.exp2(x))
between_case("roots", lambda x: ops.sqrt(x + 1.5), lambda x: ops.square(x), lambda x: ops.rsqrt(x + 1.5), lambda x: ops.reciprocal(x + 2.0), lambda x: ops.cbrt(x + 2.0))
between_case("trigonometry", *(ops and [ops.sin, ops.cos, ops.arctan, ops.sinh, ops.arcsinh]), lambda x: ops.tan(0.5 * x), lambda x: ops.arccos(0.5 * x))
between_case("angles", lambda x: ops.arctan2(x, x + 2.0), lambda x: ops.hypot(x, x + 2.0), lambda x: ops.deg2rad(90.0 * x), lambda x: ops.sinc(x))
between_case("error_function", *(ops and [ops.erf, ops.erfc]), lambda x: ops.erfinv(0.5 * x), lambda x: ops.logaddexp(x, 0.5))
between_case("steps_of_numbers", lambda x: x + ops.floor(3 * x), lambda x: x - ops.ceil(2 * x), lambda x: x * ops.sign(x), lambda x: x + ops.trunc(3 * x))
between_case(
    "activations",
    *(ops and [ops.relu, ops.sigmoid, ops.tanh, ops.gelu, ops.silu, ops.softplus, ops.elu, ops.softsign]),
    lambda x: ops.leaky_relu(x, 0.3),
    lambda x: ops.gelu(x, approximate=False),
    lambda x: ops.celu(x, 0.5),
    lambda x: ops.hard_sigmoid(4.0 * x),
    lambda x: ops.glu(x),
)
between_case("activations_of_module", *(lambda x, f=f: f(x) for f in (
    keras.activations.relu, keras.activations.tanh, keras.activations.exponential, keras.activations.selu)),
    lambda x: keras.activations.relu(x, negative_slope=0.2, max_value=0.5))
sequence_case("softmax", lambda x: ops.softmax(x), lambda x: ops.softmax(x, axis=1), lambda x: ops.log_softmax(x, axis=-1))
between_case("special_values", lambda x: ops.nan_to_num(x / (x * 0.0 + 1.0)), lambda x: x * ops.cast(ops.isfinite(x), "float32"))


# Products.

pair_case(
    "einsum",
    lambda a, b: ops.einsum("bij,bjk->bik", a, b),
    lambda a, b: ops.einsum("bij,bjk->bi", a, b),
    lambda a, b: ops.einsum("bij,bkl->bjl", a, b),
    lambda a, b: ops.einsum("...ij->...ji", a),
    lambda a, b: ops.einsum("bij,jk->bik", a, np.arange(8.0, dtype="float32").reshape(4, 2)),
    left=(3, 4),
    right=(4, 2),
)
pair_case(
    "products_of_tensors",
    lambda a, b: ops.dot(a, np.ones((4, 2), "float32")),
    lambda a, b: ops.tensordot(a, np.ones((4, 3), "float32"), axes=1),
    lambda a, b: ops.sum(a * b, axis=-1, keepdims=True),
    lambda a, b: a[:, :, None] * b[:, None, :],
    lambda a, b: ops.inner(a, np.array([[1.0, -1.0, 0.5, 2.0]], "float32")),
)
between_case("outer_with_constant", lambda x: ops.reshape(ops.outer(x, np.array([1.0, -2.0], "float32")), (-1, 8)))
pair_case("cross", lambda a, b: ops.cross(a, b), left=(3,), right=(3,))


# Dtypes, segments, scatters.


@operation_case("integers", [integers(7, 4), numbers(4)])
def integers_case():
    n, x = Input((4,), dtype="int32"), Input((4,))
    y = ops.cast((n * 2 + 1) % 5, "float32") * L.Dense(4, activation="tanh")(x)
    z = ops.cast(ops.where(n > 3, n - 3, n // 2), "float32")
    model = Model([n, x], L.Dense(2)(L.Concatenate()([y, z, ops.cast(ops.maximum(n, 2), "float32")])))
    model.compile(adam(), "mse")
    return model


@operation_case("truth_values", [flags(4), flags(4), numbers(4)])
def truth_values():
    p, q, x = Input((4,), dtype="bool"), Input((4,), dtype="bool"), Input((4,))
    y = L.Dense(4, activation="tanh")(x)
    found = [y * ops.cast(p & ~q, "float32"), ops.where(p ^ q, y, 0.0), ops.where(ops.logical_or(p, q), 1.0, y)]
    model = Model([p, q, x], L.Dense(2)(L.Concatenate()(found)))
    model.compile(adam(), "mse")
    return model


@operation_case("one_hot_tokens", integers(6, 3), classes(3))
def one_hot_tokens():
    tokens = Input((3,), dtype="int32")
    x = ops.reshape(ops.one_hot(tokens, 6), (-1, 18))
    model = Model(tokens, L.Dense(3, activation="softmax")(L.Dense(5, activation="relu")(x)))
    model.compile(adam(), "sparse_categorical_crossentropy", metrics=["accuracy"])
    return model


@operation_case("taken_by_tokens", [integers(4, 3), numbers(4)])
def taken_by_tokens():
    tokens, x = Input((3,), dtype="int32"), Input((4,))
    y = ops.take_along_axis(L.Dense(4, activation="tanh")(x), tokens, axis=1)
    model = Model([tokens, x], L.Dense(2)(y))
    model.compile(adam(), "mse")
    return model


# A table of constants, taken by tokens.
@operation_case("table_of_constants", integers(5, 3))
def table_of_constants():
    tokens = Input((3,), dtype="int32")
    table = np.random.default_rng(5).standard_normal((5, 4)).astype("float32")
    x = L.Dense(4, activation="tanh")(ops.take(ops.convert_to_tensor(table), tokens, axis=0))
    model = Model(tokens, L.Dense(2)(ops.mean(x, axis=1)))
    model.compile(adam(), "mse")
    return model


@operation_case("sums_of_segments", [integers(3, dtype="int32"), numbers(4)], predicted=8, evaluated=16)
def sums_of_segments():
    group, x = Input((), dtype="int32"), Input((4,))
    y = L.Dense(4, activation="tanh")(x)
    sums = ops.segment_sum(y, group, num_segments=3)
    largest = ops.segment_max(y, group, num_segments=3)
    of_group = ops.take(sums, group, axis=0) + ops.take(largest, group, axis=0)
    model = Model([group, x], L.Dense(2)(L.Concatenate()([y, of_group])))
    model.compile(adam(), "mse")
    return model


@operation_case("scattered_updates", numbers(4))
def scattered_updates():
    x = Input((4,), batch_size=None)
    y = ops.transpose(L.Dense(4, activation="tanh")(x))
    updated = ops.scatter_update(y, [[0], [2]], y[1:3, ...] * 2.0)
    model = Model(x, L.Dense(2)(ops.transpose(updated)))
    model.compile(adam(), "mse")
    return model


# TensorFlow has no derivative of it.
@operation_case("updates_of_slices", numbers(4, 3))
def updates_of_slices():
    x = Input((4, 3))
    updated = ops.slice_update(x, [0, 1, 1], 2.0 * x[:, 2:, :2])
    model = Model(x, L.Dense(2)(L.Flatten()(L.Dense(3, activation="tanh")(updated))))
    model.compile(adam(), "mse")
    return model


@operation_case("without_gradient", numbers(4))
def without_gradient():
    x = Input((4,))
    y = L.Dense(4, activation="tanh")(x)
    model = Model(x, L.Dense(2)(y * ops.stop_gradient(y) + ops.stop_gradient(L.Dense(4)(x))))
    model.compile(keras.optimizers.SGD(0.05, momentum=0.5), "mse")
    return model


@operation_case("casts", numbers(4))
def casts():
    x = Input((4,))
    y = L.Dense(4, activation="tanh")(x)
    z = ops.cast(ops.cast(y, "float64") * 0.5, "float32") + ops.cast(ops.cast(3.0 * y, "int32"), "float32")
    model = Model(x, L.Dense(2)(z))
    model.compile(adam(), "mse")
    return model


@operation_case("named", numbers(4))
def named():
    x = Input((4,), name="x")
    y = keras.src.ops.numpy.Multiply(name="double")(L.Dense(4, activation="tanh")(x), 2.0)
    model = Model(x, L.Dense(2)(keras.src.ops.numpy.Mean(axis=1, keepdims=True, name="the mean")(y) - y))
    model.compile(adam(), "mse")
    return model


@operation_case("operation_called_twice", [numbers(4), numbers(4)], covers=("structure: shared layers",))
def operation_called_twice():
    a, b = Input((4,)), Input((4,))
    shared = keras.src.ops.numpy.Maximum(name="shared")
    y = L.Dense(4, activation="tanh")(a)
    model = Model([a, b], L.Dense(2)(shared(shared(y, b), 0.1)))
    model.compile(adam(), "mse")
    return model


@operation_case("as_outputs", numbers(4, 3), [numbers(3), numbers(4)], covers=("structure: several outputs",))
def as_outputs():
    x = Input((4, 3))
    y = L.Dense(3, activation="tanh")(x)
    model = Model(x, [ops.mean(y, axis=1), ops.sum(y, axis=-1)])
    model.compile(adam(), ["mse", "mae"], metrics=[["mae"], []])
    return model


@operation_case("of_the_input", numbers(4))
def of_the_input():
    x = Input((4,))
    model = Model(x, L.Dense(2)(ops.sin(x) - x / 2))
    model.compile(adam(), "mse")
    return model


@operation_case("outputs_in_dict", numbers(6), {"low": numbers(3), "high": numbers(3)}, covers=("structure: dict of outputs",))
def outputs_in_dict():
    x = Input((6,))
    low, high = ops.split(L.Dense(6)(x), 2, axis=-1)
    model = Model(x, {"low": low, "high": high})
    model.compile(adam(), {"low": "mse", "high": "mae"})
    return model


# Models as users write them.


@operation_case("residual_mlp", numbers(6), classes(3))
def residual_mlp():
    x = Input((6,))
    y = L.Dense(8)(x)
    for _ in range(3):
        y = y + 0.5 * L.Dense(8)(ops.gelu(L.LayerNormalization()(y)))
    model = Model(x, L.Dense(3, activation="softmax")(y))
    model.compile(adam(), "sparse_categorical_crossentropy", metrics=["accuracy"])
    return model


@operation_case("attention_by_hand", numbers(5, 6), numbers(5, 2))
def attention_by_hand():
    x = Input((5, 6))
    heads, width = 2, 3

    def part(y):
        return ops.transpose(ops.reshape(L.Dense(heads * width)(y), (-1, 5, heads, width)), (0, 2, 1, 3))

    q, k, v = part(x), part(x), part(x)
    scores = ops.matmul(q, ops.transpose(k, (0, 1, 3, 2))) / np.sqrt(width)
    scores = ops.where(np.tril(np.ones((5, 5), "bool")), scores, -1e9)
    mixed = ops.matmul(ops.softmax(scores, axis=-1), v)
    mixed = ops.reshape(ops.transpose(mixed, (0, 2, 1, 3)), (-1, 5, heads * width))
    model = Model(x, L.Dense(2)(x + L.Dense(6)(mixed)))
    model.compile(adam(), "mse")
    return model


@operation_case("attention_by_einsum", [numbers(4, 3), numbers(6, 3)], numbers(4, 2))
def attention_by_einsum():
    a, b = Input((4, 3)), Input((6, 3))
    q, k, v = L.Dense(5)(a), L.Dense(5)(b), L.Dense(5)(b)
    weights = ops.softmax(ops.einsum("bqd,bkd->bqk", q, k) * 5**-0.5)
    model = Model([a, b], L.Dense(2)(ops.einsum("bqk,bkd->bqd", weights, v)))
    model.compile(adam(), "mse")
    return model


@operation_case("fourier_features", numbers(2))
def fourier_features():
    x = Input((2,))
    frequencies = np.random.default_rng(1).standard_normal((2, 8)).astype("float32")
    angles = 2.0 * np.pi * ops.matmul(x, frequencies)
    features = ops.concatenate([ops.sin(angles), ops.cos(angles)], axis=-1)
    model = Model(x, L.Dense(2)(L.Dense(8, activation="relu")(features)))
    model.compile(adam(), "mse")
    return model


@operation_case("positions", integers(9, 6), classes(3))
def positions():
    tokens = Input((6,), dtype="int32")
    places = np.arange(6)[:, None] / 10.0 ** (np.arange(4)[None] / 2)
    table = np.where(np.arange(4) % 2, np.cos(places), np.sin(places)).astype("float32")
    x = L.Embedding(9, 4, embeddings_regularizer="l2")(tokens) * 2.0 + table
    model = Model(tokens, L.Dense(3, activation="softmax")(ops.max(L.Dense(5, activation="tanh")(x), axis=1)))
    model.compile(adam(), "sparse_categorical_crossentropy")
    return model


@operation_case("radial_basis", numbers(3))
def radial_basis():
    x = Input((3,))
    centers = np.random.default_rng(2).standard_normal((6, 3)).astype("float32")
    y = L.Dense(3)(x)
    squares = ops.sum((ops.expand_dims(y, 1) - centers) ** 2, axis=-1)
    model = Model(x, L.Dense(2)(ops.exp(-0.5 * squares)))
    model.compile(adam(), "mse")
    return model


@operation_case("distances_in_a_batch", numbers(3), numbers(2), predicted=8, evaluated=16)
def distances_in_a_batch():
    x = Input((3,))
    y = L.Dense(3, activation="tanh")(x)
    squares = ops.sum(ops.square(y[:, None, :] - y[None, :, :]), axis=-1)
    kernel = ops.exp(-squares)
    model = Model(x, L.Dense(2)(kernel @ y))
    model.compile(adam(), "mse")
    return model


@operation_case("layer_normalization_by_hand", numbers(4, 5))
def layer_normalization_by_hand():
    x = Input((4, 5))
    y = L.Dense(5)(x)
    mean = ops.mean(y, axis=-1, keepdims=True)
    variance = ops.mean(ops.square(y - mean), axis=-1, keepdims=True)
    y = (y - mean) / ops.sqrt(variance + 1e-3)
    model = Model(x, L.Dense(2)(ops.reshape(y, (-1, 20))))
    model.compile(adam(), "mse")
    return model


@operation_case("gated_unit", numbers(6))
def gated_unit():
    x = Input((6,))
    value, gate = ops.split(L.Dense(10)(x), 2, axis=-1)
    model = Model(x, L.Dense(2)(value * ops.sigmoid(gate)))
    model.compile(adam(), "mse")
    return model


@operation_case("softmax_by_hand", numbers(5), one_hot(3))
def softmax_by_hand():
    x = Input((5,))
    y = L.Dense(3)(x)
    y = ops.exp(y - ops.max(y, axis=-1, keepdims=True))
    model = Model(x, y / ops.sum(y, axis=-1, keepdims=True))
    model.compile(adam(), "categorical_crossentropy", metrics=["accuracy"])
    return model


@operation_case("weighted_mean_by_scores", numbers(5, 4))
def weighted_mean_by_scores():
    x = Input((5, 4))
    scores = ops.softmax(ops.squeeze(L.Dense(1)(ops.tanh(L.Dense(6)(x))), axis=-1))
    model = Model(x, L.Dense(2)(ops.sum(x * scores[..., None], axis=1)))
    model.compile(adam(), "mse")
    return model


@operation_case("mean_without_padding", [integers(9, 5), numbers(3)])
def mean_without_padding():
    tokens, other = Input((5,), dtype="int32"), Input((3,))
    x = L.Embedding(9, 4, embeddings_regularizer="l2")(tokens)
    mask = ops.cast(tokens != 0, "float32")[..., None]
    mean = ops.sum(x * mask, axis=1) / ops.maximum(ops.sum(mask, axis=1), 1.0)
    model = Model([tokens, other], L.Dense(2)(ops.concatenate([mean, other], axis=-1)))
    model.compile(adam(), "mse")
    return model


@operation_case("siamese", [numbers(4), numbers(4)], classes(2, 1, dtype="float32"), covers=("structure: shared layers",))
def siamese():
    a, b = Input((4,)), Input((4,))
    encoder = L.Dense(5, activation="tanh")
    distance = ops.norm(encoder(a) - encoder(b) + 0.01, axis=-1, keepdims=True)
    model = Model([a, b], L.Dense(1, activation="sigmoid")(ops.abs(distance)))
    model.compile(adam(), "binary_crossentropy", metrics=["accuracy"])
    return model


@operation_case("nested_model", numbers(4, 3), covers=("structure: nested models",))
def nested_model():
    start = Input((4, 3))
    y = L.Dense(3, activation="tanh")(start)
    inner = Model(start, [ops.mean(y, axis=1), y[:, -1] - y[:, 0]], name="summary")
    x = Input((4, 3))
    mean, slope = inner(x * 2.0)
    model = Model(x, L.Dense(2)(ops.concatenate([mean, slope], axis=-1)))
    model.compile(adam(), "mse")
    return model


@operation_case("patches_of_images", numbers(8, 8, 2), classes(3))
def patches_of_images():
    x = Input((8, 8, 2))
    y = ops.reshape(x, (-1, 2, 4, 2, 4, 2))
    y = ops.reshape(ops.transpose(y, (0, 1, 3, 2, 4, 5)), (-1, 4, 32))
    y = L.Dense(6, activation="relu")(y)
    model = Model(x, L.Dense(3, activation="softmax")(ops.mean(y, axis=1)))
    model.compile(adam(), "sparse_categorical_crossentropy")
    return model


@operation_case("squeeze_and_excite", numbers(6, 6, 3), classes(3))
def squeeze_and_excite():
    x = Input((6, 6, 3))
    y = L.Conv2D(4, 3, padding="same")(x)
    scale = L.Dense(4, activation="sigmoid")(L.Dense(2, activation="relu")(ops.mean(y, axis=(1, 2))))
    y = y * scale[:, None, None, :]
    model = Model(x, L.Dense(3, activation="softmax")(ops.max(y, axis=[1, 2])))
    model.compile(adam(), "sparse_categorical_crossentropy")
    return model


@operation_case("log_of_positive", positive(4))
def log_of_positive():
    x = Input((4,))
    model = Model(x, L.Dense(2)(L.Dense(4, activation="tanh")(ops.log(x)) * ops.power(x, 0.3)))
    model.compile(adam(), "mse")
    return model


@operation_case("in_float64", numbers(4), covers=("dtype float64",))
def in_float64():
    x = Input((4,))
    y = L.Dense(4, activation="tanh", dtype="float64")(x)
    model = Model(x, L.Dense(2, dtype="float64")(ops.sin(y) * 2.0 + ops.sum(y, axis=-1, keepdims=True)))
    model.compile(adam(), "mse")
    return model
