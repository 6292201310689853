"""layers.json, layers.npz: layers, each called once, with their gradients."""

from common import keras
from common import normal
from common import np
from layer_cases import LayerCases
from layer_cases import floats
from layer_cases import ints
from layer_cases import spread

L = keras.layers
R = keras.regularizers
cases = LayerCases("layers")
case = cases.case

# Dense.
case("dense", lambda: L.Dense(4), floats((3, 5)))
case("dense_relu", lambda: L.Dense(7, activation="relu"), floats((4, 3)))
case("dense_no_bias", lambda: L.Dense(4, use_bias=False), floats((3, 5)))
case("dense_softmax", lambda: L.Dense(10, activation="softmax"), floats((2, 6)))
case("dense_tanh_rank3", lambda: L.Dense(3, activation="tanh"), floats((2, 4, 5)))
case("dense_gelu_rank4", lambda: L.Dense(3, activation="gelu"), floats((2, 3, 2, 4)))
case("dense_1_to_1", lambda: L.Dense(1), floats((1, 1)))
case("dense_wide", lambda: L.Dense(33, activation="sigmoid"), floats((5, 17)))
case(
    "dense_regularized",
    lambda: L.Dense(
        4,
        kernel_regularizer=R.L1(0.01),
        bias_regularizer=R.L2(0.02),
    ),
    floats((3, 5)),
)
case(
    "dense_l1_l2_and_activity",
    lambda: L.Dense(
        4,
        activation="tanh",
        kernel_regularizer=R.L1L2(0.01, 0.03),
        activity_regularizer=R.L2(0.05),
    ),
    floats((3, 5)),
)
case(
    "dense_regularizer_strings",
    lambda: L.Dense(4, kernel_regularizer="l2", bias_regularizer="l1"),
    floats((3, 5)),
)

# Conv2D.
conv_cases = {
    "valid": (dict(filters=4, kernel_size=3), (2, 7, 6, 3)),
    "same": (dict(filters=4, kernel_size=3, padding="same"), (2, 7, 6, 3)),
    "relu": (dict(filters=5, kernel_size=3, activation="relu"), (2, 6, 5, 2)),
    "1x1": (dict(filters=6, kernel_size=1), (2, 4, 5, 3)),
    "1x1_strides_2": (dict(filters=3, kernel_size=1, strides=2), (2, 5, 6, 3)),
    "no_bias": (dict(filters=4, kernel_size=3, use_bias=False), (2, 6, 6, 2)),
    "even_kernel_same": (
        dict(filters=3, kernel_size=(2, 4), padding="same"),
        (2, 5, 6, 2),
    ),
    "strides_2_valid": (dict(filters=4, kernel_size=3, strides=2), (2, 8, 9, 2)),
    "strides_2_same": (
        dict(filters=4, kernel_size=3, strides=2, padding="same"),
        (2, 8, 9, 2),
    ),
    "strides_differ_same": (
        dict(filters=2, kernel_size=(3, 5), strides=(2, 3), padding="same"),
        (1, 9, 11, 3),
    ),
    "strides_beyond_kernel": (
        dict(filters=3, kernel_size=2, strides=3),
        (2, 8, 10, 2),
    ),
    "strides_beyond_kernel_same": (
        dict(filters=3, kernel_size=2, strides=3, padding="same"),
        (2, 7, 8, 2),
    ),
    "dilation_valid": (dict(filters=3, kernel_size=3, dilation_rate=2), (2, 9, 8, 2)),
    "dilation_same": (
        dict(filters=3, kernel_size=3, dilation_rate=(2, 3), padding="same"),
        (2, 9, 8, 2),
    ),
    "groups_2": (dict(filters=6, kernel_size=3, groups=2), (2, 6, 5, 4)),
    "groups_2_strides_same": (
        dict(filters=4, kernel_size=3, groups=2, strides=2, padding="same"),
        (2, 7, 6, 4),
    ),
    "groups_depthwise": (
        dict(filters=3, kernel_size=3, groups=3, padding="same"),
        (2, 5, 5, 3),
    ),
    "kernel_is_image": (dict(filters=4, kernel_size=(5, 4)), (2, 5, 4, 3)),
    "one_pixel_same": (dict(filters=3, kernel_size=3, padding="same"), (2, 1, 1, 2)),
    "1_channel": (dict(filters=8, kernel_size=5), (1, 9, 9, 1)),
    "wide": (dict(filters=17, kernel_size=3, padding="same"), (1, 6, 7, 19)),
    "row_kernel": (dict(filters=3, kernel_size=(1, 5)), (2, 3, 9, 2)),
    "elu": (dict(filters=3, kernel_size=3, activation="elu"), (2, 5, 5, 2)),
    "regularized": (
        dict(
            filters=3,
            kernel_size=3,
            kernel_regularizer=R.L2(0.01),
            bias_regularizer=R.L1(0.02),
            activity_regularizer=R.L1(0.001),
        ),
        (2, 5, 5, 2),
    ),
}
for name, (arguments, shape) in conv_cases.items():
    case("conv2d_" + name, lambda: L.Conv2D(**arguments), floats(shape))
for name, arguments, shape in (
    ("valid", dict(filters=4, kernel_size=3), (2, 3, 7, 6)),
    (
        "strides_2_same_relu",
        dict(filters=4, kernel_size=3, strides=2, padding="same", activation="relu"),
        (2, 2, 8, 9),
    ),
    (
        "dilation_no_bias",
        dict(filters=3, kernel_size=3, dilation_rate=2, use_bias=False),
        (2, 2, 9, 8),
    ),
    ("groups_2", dict(filters=4, kernel_size=3, groups=2), (2, 4, 6, 5)),
):
    case(
        "conv2d_channels_first_" + name,
        lambda: L.Conv2D(data_format="channels_first", **arguments),
        floats(shape),
        twin=True,
        note="computed channels last and transposed",
    )

# Pooling.
pool_cases = {
    "valid": (dict(pool_size=2), (2, 6, 4, 3)),
    "valid_odd": (dict(pool_size=2), (2, 7, 5, 3)),
    "same_odd": (dict(pool_size=2, padding="same"), (2, 7, 5, 3)),
    "overlapping_valid": (dict(pool_size=3, strides=2), (2, 8, 7, 2)),
    "overlapping_same": (dict(pool_size=3, strides=2, padding="same"), (2, 8, 7, 2)),
    "strides_1_same": (dict(pool_size=3, strides=1, padding="same"), (1, 5, 4, 2)),
    "rectangular": (dict(pool_size=(2, 3), strides=(1, 2)), (2, 5, 8, 3)),
    "strides_beyond_pool": (dict(pool_size=2, strides=3), (2, 8, 9, 2)),
    "channels_first": (dict(pool_size=2, data_format="channels_first"), (2, 3, 6, 5)),
    "channels_first_same": (
        dict(pool_size=3, strides=2, padding="same", data_format="channels_first"),
        (2, 3, 6, 5),
    ),
}
for name, (arguments, shape) in pool_cases.items():
    case("max_pooling2d_" + name, lambda: L.MaxPooling2D(**arguments), spread(shape))
    case(
        "average_pooling2d_" + name,
        lambda: L.AveragePooling2D(**arguments),
        floats(shape),
    )
for keep in (False, True):
    suffix = "_keepdims" if keep else ""
    for data_format in ("channels_last", "channels_first"):
        end = suffix + ("_channels_first" if data_format == "channels_first" else "")
        case(
            "global_average_pooling1d" + end,
            lambda: L.GlobalAveragePooling1D(data_format=data_format, keepdims=keep),
            floats((2, 5, 3)),
        )
        case(
            "global_average_pooling2d" + end,
            lambda: L.GlobalAveragePooling2D(data_format=data_format, keepdims=keep),
            floats((2, 4, 5, 3)),
        )

# Shapes.
case("flatten", L.Flatten, floats((2, 3, 4, 2)))
case("flatten_rank2", L.Flatten, floats((2, 3)))
case("flatten_rank1", L.Flatten, floats((4,)))
case(
    "flatten_channels_first",
    lambda: L.Flatten(data_format="channels_first"),
    floats((2, 3, 4, 2)),
)
case("reshape", lambda: L.Reshape((3, 4)), floats((2, 12)))
case("reshape_unknown", lambda: L.Reshape((-1, 2)), floats((2, 3, 4)))
case("reshape_unknown_middle", lambda: L.Reshape((2, -1, 3)), floats((2, 6, 4)))
case("repeat_vector", lambda: L.RepeatVector(3), floats((2, 4)))
case("repeat_vector_once", lambda: L.RepeatVector(1), floats((3, 1)))
case("permute", lambda: L.Permute((2, 1)), floats((2, 3, 4)))
case("permute_rank4", lambda: L.Permute((3, 1, 2)), floats((2, 3, 4, 5)))
case("permute_rank2", lambda: L.Permute((1,)), floats((2, 3)))

# Dropout, Activation, Rescaling.
case("dropout_inference", lambda: L.Dropout(0.5, seed=1), floats((3, 4)))
case(
    "dropout_rate_0_training",
    lambda: L.Dropout(0.0, seed=1),
    floats((3, 4)),
    training=True,
)
case("activation_relu", lambda: L.Activation("relu"), floats((3, 4)))
case("activation_softmax", lambda: L.Activation("softmax"), floats((2, 3, 4)))
case("activation_linear", lambda: L.Activation(None), floats((3, 4)))
case(
    "activation_tanh_activity_l2",
    lambda: L.Activation("tanh", activity_regularizer=R.L2(0.1)),
    floats((3, 4)),
)
case("rescaling", lambda: L.Rescaling(1 / 255.0), floats((2, 3, 3, 1), scale=50))
case("rescaling_offset", lambda: L.Rescaling(1 / 127.5, offset=-1), floats((2, 4)))
case(
    "rescaling_per_channel",
    lambda: L.Rescaling([0.5, 2.0, 3.0], offset=[1.0, 0.0, -1.0]),
    floats((2, 2, 2, 3)),
)
case(
    "rescaling_uint8",
    lambda: L.Rescaling(1 / 255.0),
    ints(256, (2, 3, 3, 1), dtype="uint8"),
)

# Normalization.
norm_cases = {
    "rank2": ({}, (6, 3)),
    "rank3": ({}, (3, 4, 2)),
    "rank4": ({}, (3, 4, 5, 2)),
    "no_center": ({"center": False}, (6, 3)),
    "no_scale": ({"scale": False}, (6, 3)),
    "no_center_no_scale": ({"center": False, "scale": False}, (3, 3, 2, 2)),
    "axis_1_rank4": ({"axis": 1}, (3, 2, 4, 5)),
    "momentum_epsilon": ({"momentum": 0.5, "epsilon": 0.1}, (6, 3)),
    "batch_of_1": ({}, (1, 3, 3, 2)),
}
for name, (arguments, shape) in norm_cases.items():
    for training in (True, False):
        case(
            f"batch_normalization_{name}_{'training' if training else 'inference'}",
            lambda: L.BatchNormalization(**arguments),
            lambda rng: [normal(rng, shape, 2.0) + np.float32(0.7)],
            training=training,
        )
case(
    "batch_normalization_frozen_training",
    lambda: L.BatchNormalization(trainable=False),
    floats((6, 3)),
    training=True,
    note="layer.trainable is False: the moving statistics are used and kept",
)
case(
    "batch_normalization_regularized",
    lambda: L.BatchNormalization(
        gamma_regularizer=R.L2(0.01), beta_regularizer=R.L1(0.02)
    ),
    floats((6, 3)),
    training=True,
)
for name, arguments, shape in (
    ("", {}, (4, 5)),
    ("_rank4", {}, (2, 3, 4, 5)),
    ("_axes_1_2", {"axis": [1, 2]}, (3, 4, 5)),
    ("_axis_1_rank3", {"axis": 1}, (3, 4, 5)),
    ("_no_center", {"center": False}, (4, 5)),
    ("_no_scale", {"scale": False}, (4, 5)),
    ("_no_center_no_scale", {"center": False, "scale": False}, (4, 5)),
    ("_epsilon", {"epsilon": 0.1}, (4, 5)),
):
    case(
        "layer_normalization" + name,
        lambda: L.LayerNormalization(**arguments),
        lambda rng: [normal(rng, shape, 2.0) + np.float32(0.7)],
    )

for name, arguments, shape in (
    ("", {}, (4, 5)),
    ("_rank4", {}, (2, 3, 4, 5)),
    ("_axes_1_2", {"axis": [1, 2]}, (3, 4, 5)),
    ("_axes_2_1", {"axis": [2, 1]}, (3, 4, 5)),
    ("_axes_of_equal_lengths", {"axis": 1}, (3, 4, 4)),
    ("_epsilon", {"epsilon": 0.1}, (4, 5)),
):
    case(
        "rms_normalization" + name,
        lambda: L.RMSNormalization(**arguments),
        lambda rng: [normal(rng, shape, 2.0) + np.float32(0.7)],
    )
for name, arguments, shape in (
    ("", {}, (4, 5)),
    ("_axis_1_rank3", {"axis": 1}, (3, 4, 5)),
    ("_axes_1_2", {"axis": [1, 2]}, (3, 4, 5)),
    ("_axis_0", {"axis": 0}, (3, 2)),
):
    case("unit_normalization" + name, lambda: L.UnitNormalization(**arguments), floats(shape))
for name, arguments, shape in (
    ("_rank2", {"groups": 3}, (4, 12)),
    ("_rank3_one_group", {"groups": 1}, (3, 4, 2)),
    ("_rank4", {"groups": 2}, (2, 3, 4, 6)),
    ("_each_channel", {"groups": -1}, (2, 3, 4, 3)),
    ("_axis_1_rank4", {"groups": 2, "axis": 1}, (2, 4, 3, 5)),
    ("_axis_minus_2", {"groups": 2, "axis": -2}, (3, 4, 5)),
    ("_no_center", {"groups": 2, "center": False}, (2, 3, 4)),
    ("_no_scale", {"groups": 2, "scale": False}, (2, 3, 4)),
    ("_no_center_no_scale", {"groups": 2, "center": False, "scale": False}, (2, 3, 4)),
    ("_epsilon", {"groups": 2, "epsilon": 0.1}, (2, 3, 4)),
    (
        "_regularized",
        {
            "groups": 2,
            "gamma_regularizer": R.L2(0.01),
            "beta_regularizer": R.L1(0.02),
        },
        (2, 3, 4),
    ),
):
    case(
        "group_normalization" + name,
        lambda: L.GroupNormalization(**arguments),
        lambda rng: [normal(rng, shape, 2.0) + np.float32(0.7)],
    )

# EinsumDense.
for name, equation, arguments, shape in (
    ("", "ab,bc->ac", {"output_shape": 4, "bias_axes": "c"}, (3, 5)),
    ("_no_bias", "abc,cd->abd", {"output_shape": (None, 3)}, (2, 4, 5)),
    (
        "_bias_of_steps",
        "abc,cd->abd",
        {"output_shape": (4, 3), "bias_axes": "bd", "activation": "tanh"},
        (2, 4, 5),
    ),
    ("_left_ellipsis", "...x,xy->...y", {"output_shape": 3, "bias_axes": "y"}, (2, 3, 2, 4)),
    ("_left_ellipsis_rank2", "...x,xy->...y", {"output_shape": 3, "bias_axes": "y"}, (2, 4)),
    ("_right_ellipsis", "ab...,bc->ac...", {"output_shape": 3, "bias_axes": "c"}, (2, 4, 3, 2)),
    (
        "_heads",
        "abc,cde->abde",
        {"output_shape": (None, 2, 3), "bias_axes": "de", "activation": "relu"},
        (2, 3, 4),
    ),
    ("_bias_of_heads", "abc,cde->abde", {"output_shape": (None, 2, 3), "bias_axes": "d"}, (2, 3, 4)),
    ("_joined_heads", "abde,dec->abc", {"output_shape": (None, 5), "bias_axes": "c"}, (2, 3, 2, 4)),
    ("_other_order", "abc,bd->adc", {"output_shape": (5, None)}, (2, 3, 4)),
    ("_kernel_per_step", "abc,bcd->abd", {"output_shape": (3, 2), "bias_axes": "d"}, (2, 3, 4)),
    ("_to_numbers", "ab,b->a", {"output_shape": ()}, (3, 4)),
    (
        "_regularized",
        "abc,cd->abd",
        {
            "output_shape": (None, 3),
            "bias_axes": "d",
            "kernel_regularizer": R.L2(0.01),
            "bias_regularizer": R.L1(0.02),
            "activity_regularizer": R.L2(0.05),
        },
        (2, 3, 4),
    ),
):
    case("einsum_dense" + name, lambda: L.EinsumDense(equation, **arguments), floats(shape))

# Wrappers.
for name, make, arguments, shape in (
    ("_dense", lambda: L.Dense(3), {}, (4, 5)),
    ("_dense_rank3", lambda: L.Dense(1, activation="tanh"), {}, (2, 3, 5)),
    ("_several_iterations", lambda: L.Dense(3), {"power_iterations": 4}, (4, 5)),
    ("_convolution", lambda: L.Conv2D(3, 2), {}, (2, 4, 4, 2)),
    (
        "_einsum_dense",
        lambda: L.EinsumDense("abc,cde->abde", (None, 2, 3), bias_axes="de"),
        {},
        (2, 3, 4),
    ),
    (
        "_regularized",
        lambda: L.Dense(3, kernel_regularizer=R.L2(0.01), activity_regularizer=R.L2(0.05)),
        {},
        (4, 5),
    ),
):
    for training in (True, False):
        case(
            f"spectral_normalization{name}_{'training' if training else 'inference'}",
            lambda: L.SpectralNormalization(make(), **arguments),
            floats(shape),
            training=training,
        )
for name, make, shape in (
    ("_dense", lambda: L.Dense(3, activation="tanh"), (2, 3, 4)),
    ("_one_step", lambda: L.Dense(3), (2, 1, 4)),
    ("_dense_rank4", lambda: L.Dense(2), (2, 3, 2, 4)),
    ("_convolution", lambda: L.Conv2D(2, 2, activation="relu"), (2, 3, 4, 4, 1)),
    ("_flatten", L.Flatten, (2, 3, 2, 2)),
    ("_layer_normalization", L.LayerNormalization, (2, 3, 4)),
    (
        "_regularized",
        lambda: L.Dense(3, kernel_regularizer=R.L2(0.01), activity_regularizer=R.L2(0.05)),
        (2, 3, 4),
    ),
    ("_twice", lambda: L.TimeDistributed(L.Dense(2)), (2, 3, 2, 4)),
):
    case("time_distributed" + name, lambda: L.TimeDistributed(make()), floats(shape))
for training in (True, False):
    case(
        f"time_distributed_batch_normalization_{'training' if training else 'inference'}",
        lambda: L.TimeDistributed(L.BatchNormalization(momentum=0.6)),
        lambda rng: [normal(rng, (5, 3, 2), 2.0) + np.float32(0.7)],
        training=training,
    )

# Embedding.
case("embedding", lambda: L.Embedding(7, 3), ints(7, (2, 5)))
case("embedding_rank1", lambda: L.Embedding(5, 4), ints(5, (6,)))
case("embedding_rank3", lambda: L.Embedding(9, 2), ints(9, (2, 3, 4)))
case("embedding_int64", lambda: L.Embedding(7, 3), ints(7, (3, 4), dtype="int64"))
case(
    "embedding_regularized",
    lambda: L.Embedding(7, 3, embeddings_regularizer=R.L2(0.01)),
    ints(7, (2, 5)),
)

# Merging.
case("add_2", L.Add, floats((2, 3, 4), (2, 3, 4)))
case("add_3", L.Add, floats((3, 4), (3, 4), (3, 4)))
case("add_broadcast_1", L.Add, floats((2, 3, 4), (2, 1, 4)))
case("add_broadcast_rank", L.Add, floats((2, 3, 4), (2, 4)))
case("concatenate_2", L.Concatenate, floats((2, 3), (2, 5)))
case("concatenate_3", L.Concatenate, floats((2, 3, 2), (2, 3, 1), (2, 3, 4)))
case(
    "concatenate_axis_1",
    lambda: L.Concatenate(axis=1),
    floats((2, 3, 4), (2, 1, 4)),
)
case(
    "concatenate_axis_1_rank4",
    lambda: L.Concatenate(axis=1),
    floats((2, 1, 3, 2), (2, 2, 3, 2), (2, 4, 3, 2)),
)
for name, arguments, shapes in (
    ("", {"axes": 1}, ((3, 4), (3, 4))),
    ("_sequences", {"axes": 2}, ((2, 3, 4), (2, 5, 4))),
    ("_last_axis", {"axes": -1}, ((2, 3, 4), (2, 5, 4))),
    ("_two_axes", {"axes": (1, 2)}, ((2, 3, 5), (2, 4, 3))),
    ("_negative_axes", {"axes": (-1, -2)}, ((2, 5, 3), (2, 3, 4))),
    ("_vector_and_sequence", {"axes": (1, 2)}, ((2, 3), (2, 5, 3))),
    ("_sequence_and_vector", {"axes": (2, 1)}, ((2, 5, 3), (2, 3))),
    ("_images", {"axes": (3, 2)}, ((2, 2, 3, 4), (2, 2, 4, 3, 2))),
    ("_normalized", {"axes": 1, "normalize": True}, ((3, 4), (3, 4))),
    ("_normalized_sequences", {"axes": (1, 2), "normalize": True}, ((2, 3, 5), (2, 4, 3))),
):
    case("dot" + name, lambda: L.Dot(**arguments), floats(*shapes))

cases.save()
