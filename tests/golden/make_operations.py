"""Operations of keras.ops and of Python called on symbolic tensors: what Keras writes of them into config.json, whether it
reads that again, and what the models compute.

A case is a Python expression of the inputs x, y and z (batch size None, unless its shape says otherwise) and is the only
thing in its model. The files are operations_<area>.json, an area being a module of keras.src.ops (or a part of numpy), and
besides "operators" (those of Python, and indexing), "constants" (arguments that are no symbolic tensors), "graphs" (several
operations) and "activations".

Left out, because no operation comes of them: eye, identity, ones, zeros and tri (which take no tensor), dtype, shape,
is_tensor and convert_to_numpy (which give no tensor), and custom_gradient (inside of layers only). None is random.
"""

import sys
import warnings

import operations_numpy
import operations_windows
from operations import Area


def operators():
    f = Area("operators")
    binary = {"plus": "+", "minus": "-", "times": "*", "divided": "/", "floor_divided": "//", "modulo": "%", "power": "**"}
    comparisons = {"less": "<", "less_equal": "<=", "greater": ">", "greater_equal": ">=", "not_equal": "!="}
    for name, sign in {**binary, **comparisons}.items():
        f.add("2 float32 positive|2 float32 positive", f"x {sign} y", f"{name}_tensor")
        f.add("2 float32 positive", f"x {sign} 2", f"{name}_integer")
        f.add("2 float32 positive", f"x {sign} 0.5", f"{name}_float")
        f.add("2 float32 positive", f"2 {sign} x", f"integer_{name}")
        f.add("2 float32 positive", f"0.5 {sign} x", f"float_{name}")
        f.add("2 int32 positive|2 int32 positive", f"x {sign} y", f"{name}_tensor_int32")
        f.add("2 int32 positive", f"x {sign} 2", f"{name}_integer_int32")
        f.add("2 int32 positive", f"3 {sign} x", f"integer_{name}_int32")
        f.add("2 int32 positive", f"x {sign} 1.5", f"{name}_float_int32")
    f.add("2|2 int32 positive", "x * y", "times_mixed")
    f.add("2 float16|2", "x + y", "plus_float16_float32")
    f.add("2,3|3,2", "x @ y", "matmul")
    f.add("2|!2,3", "x @ y", "matmul_matrix")
    f.add("2", "x @ np.array([[1.0, 2.0], [3.0, 4.0]], 'float32')", "matmul_numpy")
    f.add("2", "np.array([[1.0, 2.0, 3.0]], 'float32') @ x", "numpy_matmul")
    f.add("2", "x == 2", "equal_is_no_operation")
    f.add("2", "-x", "negative")
    f.add("2", "+x", "positive")
    f.add("2", "abs(x)", "abs")
    f.add("2", "round(x)", "round")
    f.add("2", "round(x, 1)", "round_1")
    f.add("2 bool", "~x", "invert")
    f.add("2 int32", "~x", "invert_int32")
    for name, sign in {"and": "&", "or": "|", "xor": "^"}.items():
        f.add("2 bool|2 bool", f"x {sign} y", name)
        f.add("2 bool", f"x {sign} True", f"{name}_true")
        f.add("2 bool", f"False {sign} x", f"false_{name}")
        f.add("2 int32 positive|2 int32 positive", f"x {sign} y", f"{name}_int32")
    f.add("2", "x * np.array([1.0, 2.0], 'float32')", "times_numpy")
    f.add("2", "x + np.float32(1.5)", "plus_numpy_scalar")
    f.add("2", "x + np.array(1.5)", "plus_numpy_0d")
    f.add("2", "np.array([1.0, 2.0], 'float32') * x", "numpy_times")
    f.add("2", "np.float32(2.0) * x", "numpy_scalar_times")
    f.add("2", "x + ops.convert_to_tensor([1.0, 2.0])", "plus_tensor_constant")
    f.add("2", "ops.convert_to_tensor([1.0, 2.0]) - x", "tensor_constant_minus")
    f.add("2", "x + [1.0, 2.0]", "plus_list")
    f.add("2", "x / True", "divided_bool")

    inputs = "4,3"
    for name, key in {
        "integer": "0", "negative_integer": "-1", "column": ":, 1", "negative_column": ":, -1", "columns": ":, 0, 2",
        "slice": "1:3", "slice_all": ":", "slice_step": "::2", "slice_rest": ":, 1:", "slice_to": ":, :2",
        "slice_negative": ":, -2:", "slice_to_negative": ":, :-1", "slice_steps": ":, 1:4:2, ::2", "slice_beyond": ":, 1:9",
        "reverse": ":, ::-1", "reverse_part": ":, 3:0:-2", "reverse_last": "..., ::-1", "ellipsis": "...",
        "ellipsis_integer": "..., 0", "ellipsis_slice": "..., 1:", "integer_ellipsis": "0, ..., 1",
        "ellipsis_none": "..., None",
        "none": "None", "none_first": "None, ..., 0", "none_middle": ":, None, 1:3", "none_twice": ":, None, :, None, 0",
        "slice_none_bounds": "slice(None, None, 2), slice(1, None)", "list": "[0, 2]", "list_column": ":, [0, 2]",
        "numpy": "np.array([0, 2])", "numpy_column": ":, np.array([0, 2])", "numpy_integer": ":, np.int64(1)",
        "tensor": "ops.convert_to_tensor([0, 2])", "bool": "True", "empty": ":, 2:2", "empty_tuple": "()",
        "tuple": "(0, 1)", "out_of_range": ":, 7", "too_many": "0, 0, 0, 0", "two_ellipses": "..., 0, ...",
    }.items():  # fmt: skip
        f.add(inputs, f"x[{key}]", f"get_item_{name}")
    f.add(inputs + "|!1 int32 indices", "x[y]", "get_item_symbolic")
    f.add(inputs + "|!1 int32 indices", "x[y[0]]", "get_item_symbolic_scalar")
    f.add(inputs + "|!1 int32 indices", "x[:, y[0]]", "get_item_symbolic_column")
    f.add(inputs, "x[ops.greater(x, 0.0)]", "get_item_mask")
    f.add(inputs + " int32", "x[:, 1:, 0]", "get_item_int32")
    f.add(inputs, "ops.get_item(x, 1)", "get_item_function_integer")
    f.add(inputs, "ops.get_item(x, (slice(None), 1))", "get_item_function_tuple")
    f.add(inputs, "ops.get_item(x, [slice(None), slice(0, 2)])", "get_item_function_list")
    f.add(inputs, "ops.get_item(x, key=(Ellipsis, 1))", "get_item_function_keyword")
    f.add("!4,3", "x[1]", "get_item_fixed_integer")
    f.add("!4,3", "x[-1:]", "get_item_fixed_slice")
    f.add("!4,3", "x[1:3, ::-1]", "get_item_fixed_slices")
    f.save()


def constants():
    f = Area("constants")
    f.add("2", "ops.add(x, [1.0, 2.0])", "list")
    f.add("2", "ops.add([[1.0, 2.0]], x)", "nested_list_first")
    f.add("2", "ops.add(x, (1.0, 2.0))", "tuple")
    f.add("2", "ops.add(x, [1, 2])", "list_of_integers")
    for dtype in "float32 float64 float16 int32 int64 uint8 bool".split():
        f.add("2", f"ops.add(x, np.array([1, 0], '{dtype}'))", f"numpy_{dtype}")
        f.add("2", f"ops.add(x, ops.convert_to_tensor([1, 0], '{dtype}'))", f"tensor_{dtype}")
    f.add("2", "ops.add(x, ops.convert_to_tensor([1, 0], 'bfloat16'))", "tensor_bfloat16")
    f.add("2", "ops.multiply(np.array([[1.5], [2.0], [3.0]], 'float32'), x)", "numpy_matrix_first")
    f.add("2", "ops.multiply(x, np.float32(1.5))", "numpy_float32_scalar")
    f.add("2", "ops.multiply(x, np.float64(1.5))", "numpy_float64_scalar")
    f.add("2", "ops.multiply(x, np.int64(2))", "numpy_int64_scalar")
    f.add("2", "ops.multiply(x, np.array(1.5, 'float32'))", "numpy_0d")
    f.add("2", "ops.multiply(x, ops.convert_to_tensor(1.5))", "tensor_0d")
    f.add("2", "ops.multiply(x, np.zeros((0, 2), 'float32'))", "numpy_empty")
    f.add("2", "ops.multiply(x, np.array([np.inf, np.nan], 'float32'))", "numpy_infinite")
    f.add("2", "ops.maximum(x, float('-inf'))", "minus_infinity")
    f.add("2", "ops.minimum(x, float('inf'))", "infinity")
    f.add("2", "ops.multiply(x, float('nan'))", "nan")
    f.add("2", "ops.multiply(x, 1e30)", "large_number")
    f.add("2", "ops.multiply(x, 0.1)", "tenth")
    f.add("2 int64", "ops.add(x, 2**40)", "large_integer")
    f.add("2", "ops.add(x, True)", "true")
    f.add("2", "ops.add(x, keras.Variable([1.0, 2.0], name='v'))", "variable")
    f.add("2", "ops.matmul(x, np.array([[1.0], [2.0]], 'float32'))", "matmul_numpy")
    f.add("2", "ops.concatenate([x, np.zeros((3, 1), 'float32')], axis=1)", "concatenate_numpy")
    f.add("2", "ops.concatenate([x, ops.ones((3, 1))], axis=1)", "concatenate_tensor")
    f.add("2", "ops.stack([x, ops.zeros_like(x)], axis=1)", "stack_zeros_like")
    f.add("2", "ops.where(x > 0.0, x, np.array([1.0, 2.0], 'float32'))", "where_numpy")
    f.add("2 bool", "ops.where(x, np.array([1.0, 2.0]), ops.convert_to_tensor([3.0, 4.0]))", "where_constants")
    f.add("2", "ops.einsum('bi,ij->bj', x, np.array([[1.0, 2.0], [3.0, 4.0]], 'float32'))", "einsum_numpy")
    f.add("2", "ops.clip(x, np.float32(-1.0), np.float32(1.0))", "clip_numpy_scalars")
    f.add("2", "ops.clip(x, np.array([-1.0, 0.0]), 1.0)", "clip_numpy")
    f.add("2", "ops.sum(x, axis=np.int64(1))", "axis_numpy")
    f.add("2", "ops.cast(x, np.int32)", "dtype_numpy")
    f.add("2", "ops.cast(x, tf.int32)", "dtype_tensorflow")
    f.add("2", "ops.cast(x, x.dtype)", "dtype_of_tensor")
    f.save()


def graphs():
    f = Area("graphs")
    f.add("2", "ops.add(ops.add(x, 1.0), ops.add(x, 2.0))", "three_of_a_kind")
    f.add("2", "(x - ops.mean(x, axis=-1, keepdims=True)) / (ops.std(x, axis=-1, keepdims=True) + 1e-3)", "standardize")
    f.add("2|2", "keras.layers.Add()([x, ops.relu(y)]) * 2.0", "between_layers")
    f.add("4", "ops.concatenate(ops.split(x, 2, axis=1)[::-1], axis=1)", "split_and_join")
    f.add("4", "(lambda parts: [parts[1], parts[0] + parts[1]])(ops.split(x, 2, axis=1))", "second_output_twice")
    f.add("2", "[x, ops.exp(x), x + 0.0]", "input_as_output")
    f.add("2|2", "ops.matmul(ops.expand_dims(x, 1), ops.expand_dims(y, 2))[:, 0, 0]", "dot_of_rows")
    f.add("3", "ops.top_k(x, 2)[0] * ops.cast(ops.top_k(x, 2)[1], 'float32')", "top_k_twice")
    f.add("2", "(lambda op: op(op(x)))(classes.Exp())", "nested_calls")
    f.add("2", "(lambda op: op(op(x, 1.0), 2.0))(classes.Add(name='shared'))", "one_operation_twice")
    f.add("2", "classes.Mean(axis=1, name='average')(x)", "named_operation")
    f.add("2", "keras.Sequential([keras.Input((2,)), keras.layers.ReLU()])(x * 2.0) + 1.0", "around_a_model")
    f.add("2", "(lambda i: keras.Model(i, i * 2.0)(x) + keras.Model(i, i * 2.0)(x))(keras.Input((2,)))", "inner_models")
    f.add("3|2", "ops.softmax(ops.matmul(ops.transpose(x), y), axis=0)", "batch_inside")
    f.add("4,2", "ops.stack(ops.unstack(x, axis=1)[::-1], axis=1)", "unstack_and_stack")
    f.save()


def neural():
    f = Area("nn")
    for name in (
        "relu relu6 sigmoid sparse_sigmoid softplus softsign soft_shrink sparse_plus silu swish squareplus log_sigmoid"
        " leaky_relu hard_sigmoid hard_silu hard_swish elu selu gelu celu glu tanh_shrink hard_tanh hard_shrink softmax"
        " log_softmax sparsemax"
    ).split():
        f.add("2", f"ops.{name}(x)")
    for call in (
        "soft_shrink(x, threshold=0.25)", "squareplus(x, b=2)", "squareplus(x, 2.5)", "leaky_relu(x, negative_slope=0.1)",
        "leaky_relu(x, 1)", "elu(x, alpha=0.5)", "celu(x, 0.5)", "gelu(x, approximate=False)", "gelu(x, False)",
        "hard_shrink(x, 1.0)", "threshold(x, 0.5, -1.0)", "threshold(x, threshold=0, default_value=2)", "softmax(x, axis=0)",
        "log_softmax(x, 0)", "sparsemax(x, axis=1)", "normalize(x)", "normalize(x, axis=1, order=1)",
        "normalize(x, -1, 3, epsilon=1e-3)", "normalize(x, axis=0)",
    ):  # fmt: skip
        f.add("2", f"ops.{call}")
    f.add("4", "ops.glu(x, axis=1)")
    f.add("2,2", "ops.softmax(x, axis=(1, 2))")
    f.add("2,2", "ops.softmax(x, axis=[1, 2])")
    f.add("2,2", "ops.log_softmax(x, axis=(1, 2))")
    f.add("2,2", "ops.softmax(x, axis=None)")
    f.add("2 int32", "ops.relu(x)")
    f.add("2 int32", "ops.sigmoid(x)")
    for arguments in ("3", "num_classes=3, axis=1", "3, dtype='int32'", "3, axis=0, dtype='bool'", "3, -1, 'float16'"):
        f.add("2 int32 indices", f"ops.one_hot(x, {arguments})")
        f.add("2 int32 indices", f"ops.multi_hot(x, {arguments.replace('axis=0', 'axis=1')})")
    f.add(" int32 indices", "ops.one_hot(x, 2)")
    f.add("2|2 float32 unit", "ops.binary_crossentropy(ops.cast(x > 0.0, 'float32'), y)")
    f.add("2 float32 unit|2", "ops.binary_crossentropy(x, y, from_logits=True)")
    f.add("2 float32 probabilities|2 float32 probabilities", "ops.categorical_crossentropy(x, y)")
    f.add("2 float32 probabilities|2", "ops.categorical_crossentropy(x, y, from_logits=True, axis=1)")
    f.add(" int32 indices|2 float32 probabilities", "ops.sparse_categorical_crossentropy(x, y)")
    f.add(" int32 indices|2", "ops.sparse_categorical_crossentropy(x, y, from_logits=True, axis=-1)")
    f.add("2 int32 indices|2,3", "ops.sparse_categorical_crossentropy(target=x, output=y, from_logits=True)")
    f.add("2 int32 indices|5,4| int32 indices", "ops.ctc_loss(x, y, z, z + 3)")
    f.add("2 int32 indices|5,4| int32 indices", "ops.ctc_loss(x, y, target_length=z, output_length=z + 4, mask_index=-1)")
    f.add("5,4| int32 indices", "ops.ctc_decode(x, y + 4)")
    f.add("5,4| int32 indices", "ops.ctc_decode(x, y + 4, 'beam_search', beam_width=5, top_paths=2, mask_index=1)")
    f.add("5,4| int32 indices", "ops.ctc_decode(x, y, merge_repeated=False, mask_index=None)")
    f.add("2,2", "ops.moments(x, axes=[1])")
    f.add("2,2", "ops.moments(x, (0, 1), keepdims=True)")
    f.add("2,2", "ops.moments(x, axes=0)")
    f.add("2,2", "ops.moments(x, axes=[0, 2], synchronized=False)[1]")
    f.add("2|!2|!2 float32 positive", "ops.batch_normalization(x, y, z, axis=1)")
    f.add("2|!2|!2 float32 positive",
          "ops.batch_normalization(x, mean=y, variance=z, axis=-1, offset=y, scale=z, epsilon=0.1)")  # fmt: skip
    f.add("2", "ops.batch_normalization(x, np.array([1.0, 2.0]), np.array([4.0, 9.0]), axis=-1)")
    f.add("2", "ops.layer_normalization(x)")
    f.add("2|!2|!2", "ops.layer_normalization(x, y, z, axis=-1, epsilon=0.1)")
    f.add("2|!2", "ops.layer_normalization(x, gamma=y)")
    f.add("2,2", "ops.layer_normalization(x, axis=[1, 2])")
    f.add("3,2,4|5,2,4|5,2,4", "ops.dot_product_attention(x, y, z)")
    f.add("3,2,4", "ops.dot_product_attention(x, x, x, is_causal=True)")
    f.add("3,2,4|3,2,4|3,3 bool", "ops.dot_product_attention(x, y, y, mask=ops.expand_dims(z, 1), flash_attention=False)")
    f.add("3,2,4|5,2,4|!3,5", "ops.dot_product_attention(query=x, key=y, value=y, bias=z)")
    f.add("3,2,4|!3,3,2,4|!1,1,3,3 bool", "ops.dot_product_attention(x, y, y, None, z, 1.0, True)")
    f.add("3,4,4|5,2,4", "ops.dot_product_attention(x, y, y)")
    f.add("3,4|3,2,4", "ops.dot_product_attention(x, y, y)")
    f.add("4,4,1", "ops.max_pool(x, 2)")
    f.add("4,4,1", "ops.max_pool(x, (2, 3), strides=1, padding='same')")
    f.add("4,4,1", "ops.average_pool(x, 2)")
    f.add("4,4,1", "ops.average_pool(x, (3, 2), strides=(1, 2), padding='SAME', data_format='channels_last')")
    f.add("4,4,1", "ops.max_pool(inputs=x, pool_size=2)")
    f.add("4,4,1|!2,2,1,2", "ops.conv(x, y)")
    f.add("4,4,1|!2,2,1,2", "ops.conv(x, y, strides=2, padding='same')")
    f.add("4,4,1|!2,2,1,1", "ops.conv(x, y, 1, 'valid', None, (2, 1))")
    f.add("4,4,1", "ops.conv(x, np.ones((2, 2, 1, 1), 'float32'), strides=(2, 1), data_format='channels_last')")
    f.add("3,3,2|!2,2,2,1", "ops.depthwise_conv(x, y)")
    f.add("3,3,2|!2,2,2,2", "ops.depthwise_conv(x, y, padding='same')")
    f.add("3,3,2|!2,2,2,1|!1,1,2,2", "ops.separable_conv(x, y, z, padding='same')")
    f.add("2,2,1|!2,2,2,1", "ops.conv_transpose(x, y)")
    f.add("2,2,1|!2,2,1,1", "ops.conv_transpose(x, y, strides=2, padding='same')")
    f.add("2,2,1|!3,3,1,1", "ops.conv_transpose(x, y, 2, 'valid', output_padding=1)")
    f.save()


def activations():
    f = Area("activations")
    for name in (
        "celu elu exponential gelu glu hard_shrink hard_sigmoid hard_silu hard_tanh leaky_relu linear log_sigmoid"
        " log_softmax mish relu relu6 selu sigmoid silu soft_shrink softmax softplus softsign sparse_plus sparse_sigmoid"
        " sparsemax squareplus tanh tanh_shrink"
    ).split():
        f.add("2", f"keras.activations.{name}(x)", name)
    for call in (
        "relu(x, negative_slope=0.25)", "relu(x, max_value=1.0)", "relu(x, 0.1, 1, -0.5)", "relu(x, threshold=0.5)",
        "leaky_relu(x, 0.1)", "elu(x, 0.5)", "celu(x, alpha=0.5)", "gelu(x, approximate=True)", "softmax(x, axis=0)",
        "log_softmax(x, axis=1)", "threshold(x, 0.5, -1.0)", "squareplus(x, b=2)", "soft_shrink(x, 0.25)", "glu(x, axis=1)",
    ):  # fmt: skip
        f.add("2", f"keras.activations.{call}")
    f.add("2", "keras.activations.get('relu')(x)", "get_relu")
    f.add("2,2", "keras.activations.softmax(x, axis=(1, 2))", "softmax_axes")
    f.save()


def core():
    f = Area("core")
    for dtype in "float16 bfloat16 float64 int32 int64 uint8 bool".split():
        f.add("2 float32 positive", f"ops.cast(x, '{dtype}')")
    f.add("2 bool", "ops.cast(x, dtype='float32')")
    f.add("2 int32", "ops.cast(x, 'float32')")
    f.add("2", "ops.convert_to_tensor(x)")
    f.add("2", "ops.convert_to_tensor(x, dtype='int32')")
    f.add("2", "ops.stop_gradient(x)")
    f.add("3,2", "ops.unstack(x, axis=1)")
    f.add("3,2", "ops.unstack(x, 3, 1)")
    f.add("3,2", "ops.unstack(x, num=2, axis=-1)")
    f.add("!2,2", "ops.unstack(x)")
    f.add("2", "ops.unstack(x)")
    f.add("1 int32 indices|2", "ops.scatter(x, y, (4, 2))")
    f.add("2 int32 indices|", "ops.scatter(x, values=y, shape=[2, 3])")
    f.add("2|!2,1 int32 indices|!2,2", "ops.scatter_update(x, y, z)")
    for reduction in "add max min mul".split():
        f.add("2|!2,2 int32 indices|!2", f"ops.scatter_update(x, y, z, reduction='{reduction}')")
    f.add("2", "ops.scatter_update(x, [[0, 1]], [9.0])")
    f.add("2", "ops.scatter_update(x, np.array([[0], [2]]), np.zeros((2, 2), 'float32'))")
    f.add("2", "ops.slice(x, (1, 0), (2, 1))")
    f.add("2", "ops.slice(x, [0, 1], [3, 1])")
    f.add("2", "ops.slice(x, np.array([0, 1]), (1, 1))")
    f.add("2|!2 int32 indices", "ops.slice(x, y, (2, 1))")
    f.add("2", "ops.slice(inputs=x, start_indices=(1, 0), shape=(-1, 1))")
    f.add("2|!1,2", "ops.slice_update(x, [1, 0], y)")
    f.add("2|!2 int32 indices|!1,1", "ops.slice_update(x, y, z)")
    f.add("2", "ops.slice_update(x, (0, 1), np.array([[5.0]], 'float32'))")
    f.save()


def mathematics():
    f = Area("math")
    for name in "erf erfc rsqrt logsumexp".split():
        f.add("2 float32 positive", f"ops.{name}(x)")
    f.add("2 float32 unit", "ops.erfinv(x)")
    f.add("2 int32 positive", "ops.rsqrt(x)")
    for arguments in (", axis=1", ", axis=(0, 1)", ", -1, True", ", axis=[1], keepdims=True"):
        f.add("2", f"ops.logsumexp(x{arguments})")
    f.add("3", "ops.top_k(x, 2)")
    f.add("3", "ops.top_k(x, k=1, sorted=False)")
    f.add("3", "ops.top_k(x, 2, False)[1]")
    f.add("3 int32", "ops.top_k(x, 2)")
    f.add(" int32 indices|3", "ops.in_top_k(x, y, 2)")
    f.add(" int32 indices|3", "ops.in_top_k(targets=x, predictions=y, k=1)")
    for name in "segment_sum segment_max segment_min segment_prod".split():
        f.add("2| int32 indices", f"ops.{name}(x, y, num_segments=3)")
        f.add("2| int32 sorted", f"ops.{name}(x, y, 3, sorted=True)")
        f.add("2| int32 indices", f"ops.{name}(x, y)")
    f.add("2", "ops.segment_sum(x, np.array([0, 1, 0]), num_segments=2)")
    f.add("2| int32 indices", "ops.segment_sum(data=x, segment_ids=y, num_segments=2)")
    f.save()


def linalg():
    f = Area("linalg")
    f.add("2", "ops.norm(x)")
    for arguments in (", axis=1", ", ord=1, axis=1", ", ord=3, axis=-1, keepdims=True", ", 2, 1",
                      ", ord=float('inf'), axis=1", ", ord=-np.inf, axis=1", ", ord=0, axis=1",
                      ", ord=0.5, axis=1"):  # fmt: skip
        f.add("2", f"ops.norm(x{arguments})")
    for arguments in (", ord='fro', axis=(1, 2)", ", axis=(1, 2)", ", ord=1, axis=(1, 2)", ", ord='nuc', axis=(1, 2)",
                      ", ord=2, axis=(-2, -1), keepdims=True", ", ord=np.inf, axis=[1, 2]"):  # fmt: skip
        f.add("2,2", f"ops.norm(x{arguments})")
    f.add("3,2", "ops.qr(x)")
    f.add("3,2", "ops.qr(x, mode='complete')")
    f.add("!2,2", "ops.qr(x, 'reduced')")
    symmetric = "ops.add(ops.matmul(x, ops.swapaxes(x, 1, 2)), np.eye(3, dtype='float32'))"
    for function in (
        "cholesky(S)", "cholesky(S, upper=True)", "cholesky_inverse(ops.cholesky(S))", "eigh(S)", "logdet(S)",
        "slogdet(S)", "inv(S)",
    ):  # fmt: skip
        f.add("3,3", "ops." + function.replace("S", symmetric), name=function.replace("(S", "_of_symmetric").strip(")"))
    for function in "cholesky(x) eigh(x) det(x) inv(x) slogdet(x) logdet(x) cholesky_inverse(x)".split():
        f.add("3,3", f"ops.{function}")
    f.add("3,3", "ops.cholesky_inverse(x, upper=True)")
    f.add("!3,3", "ops.lu_factor(x)")
    f.add("3,2", "ops.lu_factor(x)")
    for shape in ("3,2", "2,4", "3,3"):
        for arguments in ("", ", full_matrices=False", ", compute_uv=False", ", False, True"):
            f.add(shape, f"ops.svd(x{arguments})")
        for function in (
            "pinv(x)", "pinv(x, rcond=0.5)", "matrix_rank(x)", "matrix_rank(x, tol=2.0)",
        ):  # fmt: skip
            f.add(shape, f"ops.{function}")
    for right in ("3,3", "3,2", "3"):
        for function in ("solve(x, y)", "solve_triangular(x, y)", "solve_triangular(x, y, lower=True)"):
            f.add(f"3,3|{right}", f"ops.{function}")
    f.add("3,3", "ops.solve(x, np.ones((3, 3, 1), 'float32'))")
    f.add("3,3|2,2", "ops.solve(x, y)")
    for left, right in (("4,2", "4"), ("4,2", "4,3"), ("2,4", "2"), ("3,3", "3,1")):
        f.add(f"!{left}|!{right}", "ops.lstsq(x, y)")
        f.add(f"!{left}|!{right}", "ops.lstsq(x, y, rcond=0.5)")
    f.save()


def fourier():
    f = Area("fourier")
    for shape in ("6", "5", "2,4", "1"):
        f.add(f"{shape}|{shape}", "ops.fft((x, y))")
    f.add("3,4|3,4", "ops.fft2((x, y))")
    f.add("3,4|3,4", "ops.fft2([x, y])")
    f.add("4,5|4,5", "ops.ifft2((x, y))")
    for shape in ("6", "2,5"):
        for arguments in ("", ", 4", ", fft_length=9"):
            f.add(shape, f"ops.rfft(x{arguments})")
    for shape in ("4", "2,3"):
        for arguments in ("", ", 5", ", fft_length=12"):
            f.add(f"{shape}|{shape}", f"ops.irfft((x, y){arguments})")
    f.add("5", "ops.irfft(ops.rfft(x), 5)")
    for arguments in ("2, 3", "3, 2", "4, 1", "sequence_length=2, sequence_stride=2"):
        f.add("9", f"ops.extract_sequences(x, {arguments})")
    f.add("2,9", "ops.extract_sequences(x, 3, 3)")
    f.add("2,9 int32", "ops.extract_sequences(x, 3, 3)")
    for arguments in (
        "4, 2, 4", "5, 3, 8", "sequence_length=4, sequence_stride=4, fft_length=6, window='hamming'",
        "4, 2, 8, None", "4, 2, 4, center=False", "3, 2, 4, 'hann', False",
        "3, 2, 4, window=np.array([0.5, 1.0, 0.25], 'float32')",
    ):  # fmt: skip
        f.add("12", f"ops.stft(x, {arguments})")
    f.add("2,12", "ops.stft(x, 4, 2, 4)")
    for arguments in (
        "4, 2, 4", "3, 2, 4", "4, 1, 4, length=5", "4, 2, 4, window='hamming'", "4, 4, 4, None", "4, 3, 4, window=None",
        "4, 2, 4, center=False", "4, 2, 4, length=30, center=False", "4, 2, 4, None, 'hann', False",
    ):  # fmt: skip
        f.add("5,3|5,3", f"ops.istft((x, y), {arguments})")
    f.save()


AREAS = {
    "numpy": operations_numpy.elementwise,
    "numpy_reductions": operations_numpy.reductions,
    "numpy_shapes": operations_numpy.shapes,
    "numpy_products": operations_numpy.products,
    "numpy_numbers": operations_numpy.numbers,
    "operators": operators,
    "constants": constants,
    "graphs": graphs,
    "nn": neural,
    "activations": activations,
    "core": core,
    "math": mathematics,
    "linalg": linalg,
    "fourier": fourier,
    "windows": operations_windows.windows,
    "blocks": operations_windows.blocks,
    "image": operations_windows.images,
}


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for area in sys.argv[1:] or AREAS:
        AREAS[area]()
