"""Operations on symbolic tensors, between layers: operators, indices, and functions of keras.ops."""

import numpy as np
from cases import case
from cases import formats_in_turn
from library import Input
from library import Model
from library import keras
from library import layers as L
from samples import numbers

ops = getattr(keras, "ops", None)

# The first version that these cases are run with; some operations came later.
SINCE = (3, 4)


def adam():
    return keras.optimizers.Adam(0.01, epsilon=1e-4)


def operation_case(name, x, y=None, family="several", covers=(), **arguments):
    """`family`: the row of the table of results."""
    covers = ("structure: operations", f"operations {family}", *covers)
    arguments = {"since": SINCE, **arguments}
    return case(f"operations/{name}", x, y or numbers(2), covers=covers, in_tf_keras=False, formats=formats_in_turn(), **arguments)


def flat(tensors):
    """Vectors of all elements of each sample."""
    tensors = tensors if isinstance(tensors, (list, tuple)) else [tensors]
    tensors = [L.Flatten()(t) if len(t.shape) > 2 else t for t in tensors]
    return tensors[0] if len(tensors) == 1 else L.Concatenate()(tensors)


def between_case(family, name, *calls, shape=(4,), scale=1.0, **arguments):
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

    operation_case(name, numbers(*shape, scale=scale), family=family, **arguments)(make)


def sequence_case(family, name, *calls, shape=(5, 4), **arguments):
    between_case(family, name, *calls, shape=shape, **arguments)


def pair_case(family, name, *calls, left=(4,), right=(4,), **arguments):
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

    operation_case(name, [numbers(*left), numbers(*right)], family=family, **arguments)(make)


# Operators.

between_case("operators", "plus_and_minus", lambda x: x + 1, lambda x: 2.5 + x, lambda x: x - 0.5, lambda x: 1 - x)
between_case("operators", "times_and_by", lambda x: x * 3, lambda x: -0.5 * x, lambda x: x / 2, lambda x: 1.0 / (x + 2.0))
between_case("operators", "floor_and_remainder", lambda x: x + (3 * x) // 1, lambda x: (4 * x) % 1.5, lambda x: x * (7 // (x + 2)), lambda x: 5 % (x + 2.0))
between_case("operators", "powers", lambda x: x**2, lambda x: (x + 2.0) ** 0.5, lambda x: 2.0**x, lambda x: (x + 1.5) ** -1)
between_case("operators", "signs", lambda x: -x, abs, lambda x: -abs(-x) + x)
between_case("operators", "rounded", lambda x: x + round(3 * x), lambda x: x * ops.round(x, 1), since=(3, 5))
between_case("operators", "matrix_product_with_constant", lambda x: x @ np.arange(12.0, dtype="float32").reshape(4, 3))
between_case("operators", "comparisons_with_numbers", *(lambda x, c=c: x * ops.cast(c(x), "float32") for c in (
    lambda x: x < 0.1, lambda x: x <= 0, lambda x: x > -0.2, lambda x: 0.3 >= x, lambda x: x != 0)))
pair_case("operators", "arithmetic_of_tensors", lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b, lambda a, b: a / (b + 1.0))
pair_case("operators", "further_arithmetic_of_tensors", lambda a, b: (a + 2.0) ** b, lambda a, b: a + (5.0 * a) // b, lambda a, b: (5.0 * a) % b)
pair_case("operators", "comparisons_of_tensors", *(lambda a, b, c=c: ops.where(c(a, b), a, b) for c in (
    lambda a, b: a < b, lambda a, b: a <= b, lambda a, b: a > b, lambda a, b: a >= b, lambda a, b: a != b)))
pair_case("operators", "truth_of_tensors", *(lambda a, b, c=c: ops.where(c(a > 0.0, b > 0.5), 2.0 * a, b - 1.0) for c in (
    lambda p, q: p & q, lambda p, q: p | q, lambda p, q: p ^ q, lambda p, q: ~(p & q), lambda p, q: p | False)))
pair_case("operators", "matrix_product", lambda a, b: a @ b, lambda a, b: ops.matmul(b, a), left=(3, 4), right=(4, 3))
pair_case("operators", "matrix_product_with_vector", lambda a, b: ops.einsum("bij,bj->bi", a, b), left=(3, 4), right=(4,))
pair_case("operators", "broadcasting_of_ranks", lambda a, b: a + b[:, None, :], lambda a, b: a * ops.expand_dims(b, 1), left=(3, 4), right=(4,))
pair_case("operators", "broadcasting_of_ones", lambda a, b: a - b, lambda a, b: b / (a + 2.0), left=(3, 1), right=(1, 5))

CONSTANT = np.array([0.5, -1.0, 2.0, 0.25], "float32")
between_case(
    "operators",
    "constant_arrays",
    lambda x: x + CONSTANT,
    lambda x: x * CONSTANT,
    lambda x: ops.subtract(CONSTANT, x),
    lambda x: x / CONSTANT.reshape(1, 4),
    lambda x: ops.maximum(x, CONSTANT),
)
between_case("operators", "constant_tensors", lambda x: x - ops.convert_to_tensor(CONSTANT), lambda x: ops.convert_to_tensor(CONSTANT) * x)
between_case("operators", "constant_variable", lambda x: x * keras.Variable(CONSTANT, trainable=False, name="scale"))
between_case("operators", "constant_scalars", lambda x: x * np.float32(1.5), lambda x: x + np.array(0.25, "float32"))
sequence_case(
    "operators",
    "constants_of_more_axes",
    lambda x: ops.stop_gradient(x) * np.linspace(-1.0, 1.0, 20, dtype="float32").reshape(5, 4) + x,
    lambda x: x + np.arange(5.0, dtype="float32")[:, None],
    since=(3, 6),
)
between_case(
    "operators",
    "constant_of_truth_values", lambda x: ops.where(np.array([True, False, True, True]), x, -x)
)


# Indices.

sequence_case("indices", "index_of_step", lambda x: x[:, 0], lambda x: x[:, -1], lambda x: x[:, 2, :], lambda x: x[:, -2, 1:])
sequence_case("indices", "index_of_feature", lambda x: x[:, :, 0], lambda x: x[..., -1], lambda x: x[:, 1, 2, None])
sequence_case("indices", "slices", lambda x: x[:, 1:], lambda x: x[:, :-1], lambda x: x[:, 1:4, 2:], lambda x: x[:, -3:-1])
sequence_case("indices", "slices_beyond_the_end", lambda x: x[:, 2:100], lambda x: x[:, -100:3], lambda x: x[:, :, 3:9])
sequence_case("indices", "steps", lambda x: x[:, ::2], lambda x: x[:, 1::2, ::3], lambda x: x[:, :4:3])
sequence_case("indices", "negative_steps", lambda x: x[:, ::-1] * x, lambda x: x[:, ::-2], lambda x: x[:, 3:0:-1], lambda x: x[:, :, -1::-1] - x)
sequence_case("indices", "ellipsis", lambda x: x[..., 1:3], lambda x: x[:, 1, ...], lambda x: x[:, 1:, ..., 2])
sequence_case("indices", "new_axes", lambda x: x[:, None, 1:], lambda x: x[..., None], lambda x: x[:, :, None, ::2], lambda x: x[:, 0, None])
sequence_case("indices", "indices_of_indices", lambda x: x[:, 1:][:, ::-1][:, 0, 1:], lambda x: (x[:, 1:] - x[:, :-1])[:, -1])
between_case("indices", "index_of_image", lambda x: x[:, 1, :, 0], lambda x: x[:, ::2, 1::2], lambda x: x[:, -1, ::-1, :], shape=(4, 5, 2))


# Reductions.

sequence_case("reductions", "sums", lambda x: ops.sum(x, axis=1), lambda x: ops.sum(x, axis=-1, keepdims=True), lambda x: ops.sum(x, axis=(1, 2))[:, None])
sequence_case("reductions", "means", lambda x: ops.mean(x, axis=1), lambda x: ops.mean(x, axis=[1, 2], keepdims=True), lambda x: ops.mean(x, axis=-1))
sequence_case("reductions", "largest", lambda x: ops.max(x, axis=1), lambda x: ops.max(x, axis=-1, keepdims=True), lambda x: ops.amax(x, axis=(1, 2))[:, None])
sequence_case("reductions", "smallest", lambda x: ops.min(x, axis=1), lambda x: ops.min(x, axis=2, initial=-0.1), lambda x: ops.amin(x, axis=1))
sequence_case("reductions", "deviations", lambda x: ops.var(x, axis=1), lambda x: ops.std(x, axis=-1), lambda x: ops.var(x, axis=(1, 2), keepdims=True))
sequence_case("reductions", "products", lambda x: ops.prod(x, axis=1), lambda x: ops.prod(x + 2.0, axis=-1, keepdims=True))
sequence_case("reductions", "moments", lambda x: flat(list(ops.moments(x, axes=[1]))), lambda x: ops.moments(x, axes=[1, 2], keepdims=True)[1])
sequence_case("reductions", "logsumexp", lambda x: ops.logsumexp(x, axis=1), lambda x: ops.logsumexp(x, axis=-1, keepdims=True), since=(3, 11))
sequence_case(
    "reductions",
    "norms",
    lambda x: ops.norm(x, axis=-1),
    lambda x: ops.norm(x, ord=1, axis=1),
    lambda x: ops.norm(x, ord=3, axis=-1, keepdims=True),
    lambda x: ops.norm(x, axis=(1, 2))[:, None],
)
sequence_case("reductions", "normalized", lambda x: ops.normalize(x, axis=-1), lambda x: ops.normalize(x, axis=1, order=1))
sequence_case("reductions", "of_whole_batch", lambda x: x - ops.mean(x, axis=0, keepdims=True), lambda x: x / (1.0 + ops.max(ops.abs(x))), evaluated=16)
sequence_case("reductions", "counts", lambda x: x[:, 0] * ops.cast(ops.count_nonzero(x > 0.0, axis=1), "float32"), lambda x: x[:, 0] + ops.cast(ops.any(x > 0.9, axis=1), "float32"))
sequence_case("reductions", "average_with_weights", lambda x: ops.average(x, axis=1, weights=np.array([1.0, 2.0, 0.0, 3.0, 1.0], "float32")))


# Shapes.

sequence_case("shapes", "reshaped", lambda x: ops.reshape(x, (-1, 20)), lambda x: ops.reshape(x, (-1, 2, 10)), lambda x: x.reshape((-1, 4, 5)))
sequence_case("shapes", "transposed", lambda x: ops.transpose(x, (0, 2, 1)), lambda x: ops.swapaxes(x, 1, 2) * 2.0, lambda x: ops.moveaxis(x, -1, 1))
sequence_case("shapes", "more_and_fewer_axes", lambda x: ops.squeeze(ops.expand_dims(x, 2), 2), lambda x: ops.expand_dims(x, -1), lambda x: ops.squeeze(x[:, 1:2], axis=1))
sequence_case("shapes", "two_more_axes", lambda x: ops.expand_dims(x, (1, -1)))
sequence_case("shapes", "joined", lambda x: ops.concatenate([x, x * x], axis=-1), lambda x: ops.concatenate([x, x[:, :2], -x], axis=1))
sequence_case("shapes", "stacked", lambda x: ops.stack([x, x * x], axis=1), lambda x: ops.stack([x[:, 0], x[:, 1], x[:, 2]], axis=-1))
sequence_case("shapes", "split", lambda x: flat(ops.split(x, 2, axis=-1)), lambda x: ops.split(x, [1, 3], axis=1)[1], lambda x: ops.split(x, 4, axis=2)[3])
sequence_case("shapes", "split_along_axes", lambda x: flat(ops.hsplit(x, [2, 3])), lambda x: ops.dsplit(x, 2)[1], lambda x: ops.hsplit(x, 5)[3], since=(3, 15))
sequence_case("shapes", "unstacked", lambda x: flat(ops.unstack(x, axis=1)[1:3]), lambda x: ops.multiply(*ops.unstack(x, 5, axis=1)[3:]))
sequence_case("shapes", "tiled_and_repeated", lambda x: ops.tile(x, (1, 2, 1)), lambda x: ops.repeat(x, 3, axis=1), lambda x: ops.repeat(x, [1, 0, 2, 1], axis=-1))
sequence_case(
    "shapes",
    "padded",
    lambda x: ops.pad(x, [[0, 0], [1, 2], [0, 0]]),
    lambda x: ops.pad(x, [[0, 0], [0, 0], [1, 1]], constant_values=0.5),
    lambda x: ops.pad(x, [[0, 0], [2, 2], [1, 0]], mode="reflect"),
    lambda x: ops.pad(x, [[0, 0], [1, 1], [2, 2]], mode="symmetric"),
)
sequence_case("shapes", "flipped_and_rolled", lambda x: x * ops.flip(x, axis=1), lambda x: ops.roll(x, 2, axis=1), lambda x: ops.roll(x, (1, -1), axis=(1, 2)))
sequence_case("shapes", "triangles", lambda x: ops.tril(x), lambda x: ops.triu(x, k=1), lambda x: ops.diagonal(x, axis1=1, axis2=2), lambda x: ops.trace(x, axis1=1, axis2=2)[:, None])
sequence_case("shapes", "broadcast", lambda x: ops.broadcast_to(x[:1, ...], (8, 5, 4)) - x, predicted=8, evaluated=16)
sequence_case("shapes", "sliced", lambda x: ops.slice(x, [0, 1, 2], [-1, 3, 1]), lambda x: ops.slice(x, (0, 0, 0), (-1, 2, 4)), since=(3, 14))


# Selections.

sequence_case("selections", "taken", lambda x: ops.take(x, [0, 2, 2, -1], axis=1), lambda x: ops.take(x, 1, axis=-1), lambda x: ops.take(x, np.array([[0, 1], [3, 0]]), axis=2))
sequence_case("selections", "taken_along_axis", lambda x: ops.take_along_axis(x, ops.argsort(x, axis=1), axis=1), lambda x: ops.take_along_axis(x, np.array([[[0, 1, 2, 4]]]), axis=1))
sequence_case("selections", "sorted", lambda x: ops.sort(x, axis=1), lambda x: ops.sort(x))
sequence_case("selections", "largest_k", lambda x: ops.top_k(x, 2)[0], lambda x: ops.cast(ops.top_k(x, 2)[1], "float32") * ops.top_k(x, 2)[0], lambda x: x[:, 0] + ops.cast(ops.argmax(x, axis=1), "float32"))
sequence_case("selections", "cumulative", lambda x: ops.cumsum(x, axis=1), lambda x: ops.cumprod(x + 1.5, axis=-1), lambda x: ops.diff(x, axis=1))
sequence_case("selections", "clipped", lambda x: ops.clip(x, -0.3, 0.4), lambda x: ops.maximum(x, 0.1), lambda x: ops.minimum(0.2, x))
sequence_case("selections", "where", lambda x: ops.where(x > 0.0, x, 0.1 * x), lambda x: ops.where(x < 0.5, 0.0, x), lambda x: ops.where(ops.abs(x) > 0.5, x * x, 1.0))
sequence_case("selections", "selected", lambda x: ops.select([x > 0.5, x > 0.0], [x, 2.0 * x], -x), lambda x: ops.select([x > 0.0], [x * x], 0.25))
sequence_case("selections", "quantiles_of_numbers", lambda x: ops.nanmedian(x, axis=1), lambda x: ops.nanquantile(x, 0.3, axis=-1), lambda x: ops.nanpercentile(x, 70, axis=1), since=(3, 15))
sequence_case("selections", "median_and_quantile", lambda x: ops.median(x, axis=1), lambda x: ops.quantile(x, 0.3, axis=-1))


# Functions of single elements.

between_case("functions of elements", "exponentials", ops and ops.exp, ops and ops.expm1, lambda x: ops.log(x + 2.0), lambda x: ops.log1p(x * x))
between_case("functions of elements", "powers_of_two", lambda x: ops.exp2(x), since=(3, 7))
between_case("functions of elements", "roots", lambda x: ops.sqrt(x + 1.5), lambda x: ops.square(x), lambda x: ops.rsqrt(x + 1.5), lambda x: ops.reciprocal(x + 2.0))
between_case("functions of elements", "cube_roots_and_degrees", lambda x: ops.cbrt(x + 2.0), lambda x: ops.deg2rad(90.0 * x), since=(3, 11))
between_case("functions of elements", "trigonometry", *([ops.sin, ops.cos, ops.arctan, ops.sinh, ops.arcsinh] if ops else []), lambda x: ops.tan(0.5 * x), lambda x: ops.arccos(0.5 * x))
between_case("functions of elements", "angles", lambda x: ops.arctan2(x, x + 2.0))
between_case("functions of elements", "hypotenuse", lambda x: ops.hypot(x, x + 2.0), since=(3, 12))
between_case("functions of elements", "cardinal_sine", lambda x: ops.sinc(x), since=(3, 14))
between_case("functions of elements", "error_function", lambda x: ops.erf(x), lambda x: ops.erfinv(0.5 * x), lambda x: ops.logaddexp(x, 0.5))
between_case("functions of elements", "complementary_error_function", lambda x: ops.erfc(x), since=(3, 15))
between_case("functions of elements", "steps_of_numbers", lambda x: x + ops.floor(3 * x), lambda x: x - ops.ceil(2 * x), lambda x: x * ops.sign(x))
between_case("functions of elements", "truncated", lambda x: x + ops.trunc(3 * x), since=(3, 6))
between_case(
    "functions of elements",
    "activations",
    *([ops.relu, ops.sigmoid, ops.tanh, ops.gelu, ops.silu, ops.softplus, ops.elu, ops.softsign] if ops else []),
    lambda x: ops.leaky_relu(x, 0.3),
    lambda x: ops.gelu(x, approximate=False),
    lambda x: ops.hard_sigmoid(4.0 * x),
)
between_case("functions of elements", "newer_activations", lambda x: ops.celu(x, 0.5), lambda x: ops.glu(x), since=(3, 7))
between_case("functions of elements", "activations_of_module", *(lambda x, f=f: f(x) for f in (
    keras.activations.relu, keras.activations.tanh, keras.activations.exponential, keras.activations.selu)),
    lambda x: keras.activations.relu(x, negative_slope=0.2, max_value=0.5))
sequence_case("functions of elements", "softmax", lambda x: ops.softmax(x), lambda x: ops.softmax(x, axis=1), lambda x: ops.log_softmax(x, axis=-1))
between_case("functions of elements", "special_values", lambda x: ops.nan_to_num(x / (x * 0.0 + 1.0)), lambda x: x * ops.cast(ops.isfinite(x), "float32"))


between_case(
    "functions of elements",
    "bessel_function_and_signs",
    lambda x: ops.i0(3.0 * x),
    lambda x: x * ops.cast(ops.signbit(x), "float32"),
    lambda x: x * ops.angle(x),
    lambda x: ops.real(x) - ops.imag(x) + ops.conj(x),
    lambda x: ops.where(ops.isreal(x), x, ops.empty_like(x)),
    since=(3, 15),
)
between_case("functions of elements", "powers_of_two_of_integers", lambda x: ops.ldexp(x, 3), lambda x: ops.ldexp(x, np.array([0, 1, -1, 2])), since=(3, 15))


# Products.

pair_case(
    "products",
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
    "products",
    "products_of_tensors",
    lambda a, b: ops.dot(a, np.ones((4, 2), "float32")),
    lambda a, b: ops.tensordot(a, np.ones((4, 3), "float32"), axes=1),
    lambda a, b: ops.sum(a * b, axis=-1, keepdims=True),
    lambda a, b: a[:, :, None] * b[:, None, :],
)
between_case("products", "inner_with_constant", lambda x: ops.inner(x, np.array([[1.0, -1.0, 0.5, 2.0]], "float32")), since=(3, 15))
between_case("products", "outer_with_constant", lambda x: ops.reshape(ops.outer(x, np.array([1.0, -2.0], "float32")), (-1, 8)))
pair_case("products", "distances", lambda a, b: ops.cdist(a, b), lambda a, b: ops.cdist(b, a), left=(3, 4), right=(2, 4), since=(3, 15))
pair_case("products", "cross", lambda a, b: ops.cross(a, b), left=(3,), right=(3,), since=(3, 14))


# Linear algebra and Fourier transforms.


def positive_definite(x):
    return ops.matmul(x, ops.transpose(x, (0, 2, 1))) + np.eye(x.shape[1], dtype="float32")


sequence_case(
    "linear algebra",
    "decompositions",
    lambda x: ops.cholesky(positive_definite(x)),
    lambda x: ops.eigh(positive_definite(x))[0],
    lambda x: ops.svd(x, compute_uv=False),
    lambda x: ops.qr(ops.transpose(x, (0, 2, 1)))[1],
    lambda x: ops.norm(x, ord="nuc", axis=(1, 2))[:, None],
    shape=(3, 4),
)
sequence_case(
    "linear algebra",
    "systems",
    lambda x: ops.solve(positive_definite(x), x),
    lambda x: ops.solve_triangular(ops.cholesky(positive_definite(x)), x, lower=True),
    lambda x: ops.inv(positive_definite(x)),
    lambda x: ops.det(positive_definite(x))[:, None],
    lambda x: ops.slogdet(positive_definite(x))[1][:, None],
    shape=(3, 4),
    since=(3, 6),  # logarithms of determinants had no batch axis
)
sequence_case(
    "linear algebra",
    "inverses",
    lambda x: ops.pinv(x),
    lambda x: ops.logdet(positive_definite(x))[:, None],
    lambda x: ops.cholesky_inverse(ops.cholesky(positive_definite(x))),
    lambda x: ops.cast(ops.matrix_rank(x), "float32")[:, None],
    shape=(3, 4),
    since=(3, 15),
)
sequence_case(
    "linear algebra",
    "fourier_transforms",
    lambda x: list(ops.fft((x, x * x))),
    lambda x: list(ops.fft2((x, x * x))),
    lambda x: list(ops.rfft(x, 5)),
    lambda x: ops.irfft(ops.rfft(x)),
    lambda x: ops.extract_sequences(x, 2, 1),
    shape=(5, 4),
)
sequence_case(
    "linear algebra",
    "short_time_fourier_transforms",
    lambda x: list(ops.stft(x, 4, 2, 8)),
    lambda x: ops.istft(ops.stft(x, 4, 2, 4), 4, 2, 4),
    shape=(2, 12),
)
