"""tf_functions.json: functions of TensorFlow in functional models of tf.keras, and what they compute.

    pip install tensorflow-cpu==2.15.1 && python make_tf_functions.py
"""

import json
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")

import numpy as np
import tensorflow as tf

keras = tf.keras
K = keras.backend
FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "tf_functions.json")
C = np.array([0.5, -1.0, 2.0, 0.25], "float32")
# The shapes, without the batch, and dtypes of the inputs.
VECTOR = [((4,), "float32")]
VECTORS = [((4,), "float32")] * 2
MATRIX = [((3, 4), "float32")]
SQUARE = [((4, 4), "float32")]
MATRICES = [((3, 4), "float32"), ((4, 3), "float32")]
INTEGERS = [((4,), "int32")]
TRUTH = [((4,), "bool")] * 2

CASES = [
    (VECTOR, "x + 1; 2.5 + x; x - 0.5; 1 - x; x * 3; -0.5 * x; x / 2; 1.0 / (x + 5.0)"),
    (VECTOR, "x // 0.5; 3 // (x + 5.0); x % 1.5; 5 % (x + 5.0); x**2; 2.0**x; -x; abs(x)"),
    (VECTOR, "x + C; C * x; x - [1, 2, 3, 4]; tf.constant(C) - x; x * np.float32(1.5); tf.maximum(x, C)"),
    (VECTOR, "x < 0.1; x <= 0; x > -0.2; 0.3 >= x; tf.equal(x, 0.5); tf.not_equal(x, C)"),
    (VECTORS, "x + y; x - y; x * y; x / (y + 5.0); x // y; x % y; tf.pow(x + 5.0, y); x * x; tf.add(x, y)"),
    (VECTORS, "x < y; x <= y; x > y; x >= y; tf.equal(x, y); tf.not_equal(x, y); tf.maximum(x, y); tf.minimum(x, y)"),
    (VECTORS, "tf.math.squared_difference(x, y); tf.math.divide_no_nan(x, y); tf.atan2(x, y); tf.add_n([x, y, x])"),
    (VECTOR, "tf.scalar_mul(2.0, x); tf.nn.bias_add(x, C); tf.clip_by_value(x, -0.3, 0.4); tf.clip_by_value(x, C - 3, C)"),
    (TRUTH, "x & y; x | y; x ^ y; ~x; tf.logical_and(x, True); tf.math.logical_xor(x, y)"),
    (INTEGERS, "x + 1; x * 2; x // 3; x % 3; x & 3; x | 4; x ^ 1; ~x; tf.bitwise.left_shift(x, 2); tf.bitwise.right_shift(x, 1)"),
    (INTEGERS, "x / 4; tf.reduce_sum(x, 1); tf.reduce_max(x); tf.one_hot(x, 5); tf.one_hot(x, 3, axis=1, dtype=tf.int32); tf.cast(x, 'float32')"),
    (INTEGERS, "tf.gather(tf.constant(C), x % 4); tf.nn.embedding_lookup(np.ones((9, 2), 'float32') * 3, x)"),
    (MATRIX, "x[:, 0]; x[:, -1]; x[:, 1, :]; x[:, 1:]; x[:, :-1]; x[:, ::2]; x[:, ::-1]; x[:, 3:0:-1]; x[:, -2:, 1:3]"),
    (MATRIX, "x[..., 1:3]; x[:, 1, ...]; x[...]; x[:, None, 1:]; x[..., tf.newaxis]; x[0]; x[-1]; x[None]; x[1:]; x[1:, 0]"),
    (MATRIX, "tf.slice(x, [0, 1, 2], [-1, 2, 1]); tf.strided_slice(x, [0, 1], [2, 3]); tf.gather(x, [0, 2, 2], axis=1); tf.gather(x, 3, axis=-1)"),
    (MATRIX, "tf.reshape(x, [-1, 2, 6]); tf.transpose(x, [0, 2, 1]); tf.transpose(x); tf.linalg.matrix_transpose(x); K.batch_flatten(x)"),
    (MATRIX, "tf.expand_dims(x, 1); tf.squeeze(x[:, 1:2], [1]); tf.squeeze(x[:, 1:2], axis=1); tf.squeeze(tf.expand_dims(x, -1))"),
    (MATRIX, "tf.concat([x, x * x], axis=-1); tf.concat([x[:1], np.ones((1, 3, 4), 'float32')], 0); tf.stack([x, -x], axis=1); tf.concat([x], 0)"),
    (MATRIX, "tf.split(x, 2, axis=-1)[1]; tf.split(x, [1, 2], axis=1)[1]; tf.split(x, [1, -1, 2], 2)[1]; tf.unstack(x, axis=1)[2]"),
    (MATRIX, "tf.tile(x, [1, 2, 1]); tf.repeat(x, 3, axis=1); tf.roll(x, 2, axis=1); tf.roll(x, [1, -1], [1, 2]); tf.reverse(x, [1]); tf.reverse(x, [1, 2])"),
    (MATRIX, "tf.pad(x, [[0, 0], [1, 2], [0, 0]]); tf.pad(x, [[0, 0], [0, 0], [1, 1]], constant_values=0.5); tf.pad(x, [[0, 0], [2, 2], [1, 0]], 'REFLECT')"),
    (SQUARE, "tf.linalg.band_part(x, -1, 0); tf.linalg.band_part(x, 1, -1); tf.linalg.diag_part(x); tf.linalg.trace(x)"),
    (MATRICES, "x @ y; tf.matmul(y, x); tf.matmul(x, x, transpose_b=True); tf.matmul(x, y, transpose_a=True, transpose_b=True)"),
    (MATRICES, "x @ np.ones((2, 4, 2), 'float32'); tf.tensordot(x, np.ones((4, 2), 'float32'), 1); tf.tensordot(x, y, [[2], [1]])"),
    (MATRIX, "tf.reduce_sum(x, axis=1); tf.reduce_mean(x, [1, 2], keepdims=True); tf.reduce_max(x); tf.reduce_min(x, -1); tf.reduce_prod(x, 1)"),
    (MATRIX, "tf.math.reduce_std(x, 1); tf.math.reduce_variance(x, -1); tf.reduce_logsumexp(x, 1); tf.nn.moments(x, [1])[1]"),
    (MATRIX, "tf.reduce_any(x > 0.9, 1); tf.reduce_all(x > -0.9, axis=1); tf.math.count_nonzero(x > 0.0, axis=1); tf.argmax(x, 1); tf.argmin(x, axis=-1)"),
    (MATRIX, "tf.norm(x); tf.norm(x, axis=-1); tf.norm(x, ord=1, axis=1); tf.norm(x, ord=3, axis=1, keepdims=True); tf.math.reduce_euclidean_norm(x, 1); tf.math.l2_normalize(x, axis=-1)"),
    (MATRIX, "tf.sort(x, axis=1); tf.sort(x, direction='DESCENDING'); tf.argsort(x, axis=1); tf.math.top_k(x, 2)[0]; tf.math.top_k(x, 2)[1]"),
    (MATRIX, "tf.cumsum(x, axis=1); tf.math.cumprod(x, axis=-1); tf.cumsum(x, 1, reverse=True)"),
    (VECTOR, "tf.exp(x); tf.math.expm1(x); tf.math.log(x + 5.0); tf.math.log1p(x * x); tf.sqrt(x + 5.0); tf.square(x); tf.math.rsqrt(x + 5.0); tf.math.reciprocal(x)"),
    (VECTOR, "tf.sin(x); tf.cos(x); tf.tan(x); tf.asin(x / 9); tf.acos(x / 9); tf.atan(x); tf.sinh(x); tf.cosh(x); tf.asinh(x); tf.acosh(x + 9.0); tf.atanh(x / 9)"),
    (VECTOR, "tf.floor(x); tf.math.ceil(x); tf.round(x); tf.sign(x); tf.math.erf(x); tf.math.erfc(x); tf.math.is_nan(x); tf.math.is_finite(x)"),
    (VECTOR, "tf.nn.relu(x); tf.nn.relu6(x); tf.nn.elu(x); tf.nn.selu(x); tf.nn.silu(x); tf.nn.swish(x, beta=2.0); tf.nn.gelu(x); tf.nn.gelu(x, True); tf.nn.leaky_relu(x); tf.nn.leaky_relu(x, 0.3)"),
    (VECTOR, "tf.nn.softplus(x); tf.nn.softsign(x); tf.sigmoid(x); tf.tanh(x); tf.math.log_sigmoid(x); tf.nn.softmax(x); tf.nn.log_softmax(x, axis=-1)"),
    (VECTOR, "keras.activations.hard_sigmoid(x); keras.activations.relu(x, alpha=0.1, max_value=2.0, threshold=0.5); K.relu(x, max_value=0.5)"),
    (VECTOR, "tf.where(x > 0, x, -x); tf.where(x > 0.5, 0.0, x); tf.where([True, False, True, True], x, C); tf.where(x > 0, 1.0, 2.0)"),
    (VECTOR, "tf.cast(x, 'int32'); tf.cast(x, tf.float64) * 2; tf.cast(x, tf.bool); tf.identity(x); tf.stop_gradient(x); tf.zeros_like(x); tf.ones_like(x, dtype='int32'); tf.ensure_shape(x, [None, 4])"),
]
# The function that cannot be read, and the layer that calls it.
REFUSED = [
    (MATRIX, "tf.shape(x)", "compat.v1.shape"),
    (MATRIX, "tf.reshape(x, [tf.shape(x)[0], 12])", "compat.v1.shape"),
    (VECTOR, "x == 0.5", "__operators__.eq"),
    (MATRICES, "tf.einsum('bij,bjk->bik', x, y)", "einsum"),
    (MATRIX, "x[x > 0.0]", "__operators__.getitem"),
    (VECTOR, "tf.where(x > 0.0)", "where"),
    (INTEGERS, "tf.reduce_mean(x, 1)", "math.reduce_mean"),
    (VECTOR, "tf.cumsum(x, 1, exclusive=True)", "math.cumsum"),
    (VECTOR, "tf.one_hot(tf.cast(x, 'int32'), 3, on_value=2.0)", "one_hot"),
    (VECTOR, "tf.nn.dropout(x, 0.5)", "nn.dropout"),
]


def values_of(array):
    array = np.asarray(array)
    if array.dtype.kind == "f":
        return [float(f"{value:.9g}") for value in array.ravel()]
    return array.astype("int64").ravel().tolist()


def described(array):
    array = np.asarray(array)
    return {"shape": list(array.shape), "dtype": str(array.dtype), "values": values_of(array)}


def inputs_of(signature, rng):
    arrays = []
    for shape, dtype in signature:
        draw = rng.standard_normal((2, *shape)) if dtype == "float32" else rng.integers(0, 2 if dtype == "bool" else 9, (2, *shape))
        arrays.append(draw.astype(dtype))
    return arrays


def case(signature, expression):
    keras.backend.clear_session()
    symbols = [keras.Input(shape, dtype=dtype, name=name) for name, (shape, dtype) in zip("xy", signature)]
    output = eval(expression, globals() | dict(zip("xy", symbols)))  # pylint: disable=eval-used
    model = keras.Model(symbols, output)
    arrays = inputs_of(signature, np.random.default_rng(len(expression)))
    config = json.loads(model.to_json())
    for layer in config["config"]["layers"]:
        layer.pop("build_config", None)
    return {
        "expression": expression,
        "config": {"class_name": "Functional", "config": config["config"]},
        "inputs": [described(array) for array in arrays],
    }, model(arrays if len(arrays) > 1 else arrays[0])


def main():
    cases = []
    for signature, expressions in CASES:
        for expression in expressions.split("; "):
            entry, output = case(signature, expression)
            cases.append(entry | {"output": described(output)})
    for signature, expression, function in REFUSED:
        entry, _ = case(signature, expression)
        layers = entry["config"]["config"]["layers"]
        name = next(layer["name"] for layer in layers if layer["config"].get("function") == function)
        cases.append(entry | {"refused_function": "tf." + function, "refused_layer": name})
    with open(FILE, "w", encoding="utf-8") as file:
        file.write("[\n" + ",\n".join(json.dumps(entry, separators=(",", ":")) for entry in cases) + "\n]\n")
    print(len(cases), os.path.getsize(FILE))


if __name__ == "__main__":
    main()
