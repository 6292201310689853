"""errors.json: the exceptions of real Keras for invalid use: class and message."""

import contextlib
import io
import os
import re
import sys
import warnings

if os.environ.get("PYTHONHASHSEED") != "0":
    # Some messages print a set, whose order depends on the hash seed.
    os.environ["PYTHONHASHSEED"] = "0"
    os.execv(sys.executable, [sys.executable, *sys.argv])

from common import Golden  # noqa: E402
from common import keras  # noqa: E402
from common import np  # noqa: E402

L = keras.layers
golden = Golden("errors")
ZEROS = np.zeros


def case(name, code, bad, setup=lambda: None):
    """code: the same as text, for the reader. bad gets setup's result."""
    keras.backend.clear_session()
    keras.utils.set_random_seed(1)
    prepared = setup()
    entry = {"name": name, "code": code}
    output = io.StringIO()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            with contextlib.redirect_stdout(output):
                result = bad(prepared) if prepared is not None else bad()
        except Exception as error:
            entry["exception"] = type(error).__name__
            entry["message"] = clean(str(error))
        else:
            entry["exception"] = None
            entry["message"] = None
            entry["result"] = clean(repr(result))[:300]
    messages = [clean(str(w.message)) for w in caught]
    if messages:
        entry["warnings"] = messages
    golden.add(entry)


def clean(text):
    """Without colours, addresses and the stack of a graph error."""
    text = re.sub(r"\x1b\[\d+m", "", text)
    stack = r" defined at \(most recent call last\):\n.*?\n\n(?!  File)"
    text = re.sub(stack, "\n", text, flags=re.S)
    text = re.sub(r"(inference_\w+?)_\d+\]", r"\1]", text)
    text = re.sub(r"0x[0-9a-f]{6,}", "0x0", text)
    return text


def small():
    return keras.Sequential([keras.Input((4,)), L.Dense(3, activation="softmax")])


def compiled(loss="sparse_categorical_crossentropy", **arguments):
    model = small()
    model.compile("sgd", loss, **arguments)
    return model


def unbuilt():
    return keras.Sequential([L.Dense(3), L.Dense(2)])


def two_outputs():
    x = keras.Input((4,), name="x")
    return keras.Model(x, [L.Dense(1, name="a")(x), L.Dense(2, name="b")(x)])


def two_inputs():
    a = keras.Input((4,), name="a")
    b = keras.Input((3,), name="b")
    model = keras.Model([a, b], L.Dense(1)(L.Concatenate()([a, b])))
    model.compile("sgd", "mse")
    return model


X = ZEROS((6, 4), "float32")
Y = ZEROS((6,), "int32")

# Shapes between layers.
case(
    "conv2d_on_rank_2",
    "Conv2D(4, 3)(Input((10,)))",
    lambda: L.Conv2D(4, 3)(keras.Input((10,))),
)
case(
    "conv2d_on_rank_3",
    "Sequential([Input((28, 28)), Conv2D(4, 3)])",
    lambda: keras.Sequential([keras.Input((28, 28)), L.Conv2D(4, 3)]),
)
case(
    "conv2d_wrong_channels",
    "conv = Conv2D(4, 3); conv(Input((8, 8, 3))); conv(Input((8, 8, 1)))",
    lambda: [c := L.Conv2D(4, 3), c(keras.Input((8, 8, 3))), c(keras.Input((8, 8, 1)))],
)
case(
    "conv2d_kernel_beyond_image",
    "Conv2D(4, 5)(Input((3, 3, 1)))",
    lambda: L.Conv2D(4, 5)(keras.Input((3, 3, 1))),
)
case(
    "dense_wrong_width",
    "dense = Dense(3); dense(zeros(2, 4)); dense(zeros(2, 5))",
    lambda: [d := L.Dense(3), d(ZEROS((2, 4))), d(ZEROS((2, 5)))],
)
case(
    "dense_on_rank_1",
    "Dense(3)(zeros(4))",
    lambda: L.Dense(3)(ZEROS((4,))),
)
case(
    "dense_on_unknown_width",
    "Dense(3)(Input((None,)))",
    lambda: L.Dense(3)(keras.Input((None,))),
)
case(
    "max_pooling2d_on_rank_2",
    "MaxPooling2D()(Input((10,)))",
    lambda: L.MaxPooling2D()(keras.Input((10,))),
)
case(
    "max_pooling2d_beyond_image",
    "MaxPooling2D(4)(Input((3, 3, 1)))",
    lambda: L.MaxPooling2D(4)(keras.Input((3, 3, 1))),
)
case(
    "global_average_pooling2d_on_rank_3",
    "GlobalAveragePooling2D()(Input((5, 3)))",
    lambda: L.GlobalAveragePooling2D()(keras.Input((5, 3))),
)
case(
    "batch_normalization_wrong_channels",
    "b = BatchNormalization(); b(zeros(2, 4)); b(zeros(2, 5))",
    lambda: [b := L.BatchNormalization(), b(ZEROS((2, 4))), b(ZEROS((2, 5)))],
)
case(
    "batch_normalization_axis_out_of_range",
    "BatchNormalization(axis=3)(zeros(2, 4))",
    lambda: L.BatchNormalization(axis=3)(ZEROS((2, 4))),
)
case(
    "layer_normalization_axis_out_of_range",
    "LayerNormalization(axis=3)(zeros(2, 4))",
    lambda: L.LayerNormalization(axis=3)(ZEROS((2, 4))),
)
case(
    "reshape_mismatch",
    "Reshape((3, 5))(Input((12,)))",
    lambda: L.Reshape((3, 5))(keras.Input((12,))),
)
case(
    "reshape_mismatch_unknown",
    "Reshape((5, -1))(Input((12,)))",
    lambda: L.Reshape((5, -1))(keras.Input((12,))),
)
case(
    "reshape_two_unknown",
    "Reshape((-1, -1))(Input((12,)))",
    lambda: L.Reshape((-1, -1))(keras.Input((12,))),
)
case(
    "reshape_mismatch_values",
    "Reshape((3, 5))(zeros(2, 12))",
    lambda: L.Reshape((3, 5))(ZEROS((2, 12))),
)
case(
    "concatenate_mismatch",
    "Concatenate()([Input((3, 4)), Input((2, 4))])",
    lambda: L.Concatenate()([keras.Input((3, 4)), keras.Input((2, 4))]),
)
case(
    "concatenate_ranks",
    "Concatenate()([Input((3, 4)), Input((4,))])",
    lambda: L.Concatenate()([keras.Input((3, 4)), keras.Input((4,))]),
)
case(
    "concatenate_one_input",
    "Concatenate()(Input((4,)))",
    lambda: L.Concatenate()(keras.Input((4,))),
)
case(
    "concatenate_axis_out_of_range",
    "Concatenate(axis=4)([Input((3, 4)), Input((3, 4))])",
    lambda: L.Concatenate(axis=4)([keras.Input((3, 4)), keras.Input((3, 4))]),
)
case(
    "add_incompatible",
    "Add()([Input((3,)), Input((4,))])",
    lambda: L.Add()([keras.Input((3,)), keras.Input((4,))]),
)
case(
    "add_one_input",
    "Add()([Input((3,))])",
    lambda: L.Add()([keras.Input((3,))]),
)
case("add_single", "Add()(Input((3,)))", lambda: L.Add()(keras.Input((3,))))
case(
    "repeat_vector_0",
    "RepeatVector(0)",
    lambda: L.RepeatVector(0),
)
case(
    "repeat_vector_on_rank_3",
    "RepeatVector(2)(Input((3, 4)))",
    lambda: L.RepeatVector(2)(keras.Input((3, 4))),
)
case(
    "permute_with_a_gap",
    "Permute((1, 3))",
    lambda: L.Permute((1, 3)),
)
case(
    "permute_of_the_batch",
    "Permute((0, 1))",
    lambda: L.Permute((0, 1)),
)
case(
    "permute_on_rank_2",
    "Permute((2, 1))(Input((3,)))",
    lambda: L.Permute((2, 1))(keras.Input((3,))),
)
case(
    "unit_normalization_axis_out_of_range",
    "UnitNormalization(axis=5)(Input((3,)))",
    lambda: L.UnitNormalization(axis=5)(keras.Input((3,))),
)
case(
    "unit_normalization_axes_out_of_range",
    "UnitNormalization(axis=[1, 5])(Input((3,)))",
    lambda: L.UnitNormalization(axis=[1, 5])(keras.Input((3,))),
)
case(
    "rms_normalization_on_unknown_width",
    "RMSNormalization()(Input((None,)))",
    lambda: L.RMSNormalization()(keras.Input((None,))),
)
case(
    "group_normalization_groups_0",
    "GroupNormalization(0)",
    lambda: L.GroupNormalization(0),
)
case(
    "group_normalization_groups_-2",
    "GroupNormalization(-2)",
    lambda: L.GroupNormalization(-2),
)
case(
    "group_normalization_too_many_groups",
    "GroupNormalization()(Input((4,)))",
    lambda: L.GroupNormalization()(keras.Input((4,))),
)
case(
    "group_normalization_channels_not_of_groups",
    "GroupNormalization(3)(Input((4,)))",
    lambda: L.GroupNormalization(3)(keras.Input((4,))),
)
case(
    "group_normalization_on_unknown_width",
    "GroupNormalization(1)(Input((None,)))",
    lambda: L.GroupNormalization(1)(keras.Input((None,))),
)
case(
    "group_normalization_of_the_batch",
    "GroupNormalization(1, axis=0)(Input((4,)))",
    lambda: L.GroupNormalization(1, axis=0)(keras.Input((4,))),
)
case(
    "group_normalization_wrong_channels",
    "g = GroupNormalization(1); g(zeros(2, 4)); g(zeros(2, 5))",
    lambda: [g := L.GroupNormalization(1), g(ZEROS((2, 4))), g(ZEROS((2, 5)))],
)
case(
    "group_normalization_wrong_rank",
    "g = GroupNormalization(1); g(zeros(2, 4)); g(zeros(2, 3, 4))",
    lambda: [g := L.GroupNormalization(1), g(ZEROS((2, 4))), g(ZEROS((2, 3, 4)))],
)
case(
    "dot_mismatch",
    "Dot(1)([Input((3,)), Input((4,))])",
    lambda: L.Dot(1)([keras.Input((3,)), keras.Input((4,))]),
)
case(
    "dot_mismatch_of_two_axes",
    "Dot((1, 2))([Input((3, 5)), Input((3, 4))])",
    lambda: L.Dot((1, 2))([keras.Input((3, 5)), keras.Input((3, 4))]),
)
case(
    "dot_mismatch_later",
    "d = Dot(1); d([zeros(2, 3), zeros(2, 3)]); d([zeros(2, 3), zeros(2, 4)])",
    lambda: [d := L.Dot(1), d([ZEROS((2, 3))] * 2), d([ZEROS((2, 3)), ZEROS((2, 4))])],
)
case(
    "dot_on_unknown_width",
    "Dot(1)([Input((None,)), Input((3,))])",
    lambda: L.Dot(1)([keras.Input((None,)), keras.Input((3,))]),
)
case(
    "dot_of_the_batch",
    "Dot(0)([zeros(2, 3), zeros(2, 3)])",
    lambda: L.Dot(0)([ZEROS((2, 3))] * 2),
)
case(
    "dot_batches_differ",
    "Dot(1)([zeros(2, 3), zeros(1, 3)])",
    lambda: L.Dot(1)([ZEROS((2, 3)), ZEROS((1, 3))]),
)
case(
    "dot_single",
    "Dot(1)(Input((3,)))",
    lambda: L.Dot(1)(keras.Input((3,))),
)
case(
    "dot_three_inputs",
    "Dot(1)([Input((3,)), Input((3,)), Input((3,))])",
    lambda: L.Dot(1)([keras.Input((3,)) for _ in range(3)]),
)
case(
    "dot_three_axes",
    "Dot([1, 2, 3])",
    lambda: L.Dot([1, 2, 3]),
)
case(
    "einsum_dense_format",
    'EinsumDense("ab,bc", 5)(Input((3,)))',
    lambda: L.EinsumDense("ab,bc", 5)(keras.Input((3,))),
)
case(
    "einsum_dense_ellipsis_in_the_middle",
    'EinsumDense("a...b,bc->a...c", 5)(Input((3,)))',
    lambda: L.EinsumDense("a...b,bc->a...c", 5)(keras.Input((3,))),
)
case(
    "einsum_dense_ellipsis_in_the_input_only",
    'EinsumDense("...ab,bc->ac", 5)(Input((3, 4)))',
    lambda: L.EinsumDense("...ab,bc->ac", 5)(keras.Input((3, 4))),
)
case(
    "einsum_dense_ellipsis_behind_one_letter",
    'EinsumDense("a...,ac->c...", 5)(Input((3,)))',
    lambda: L.EinsumDense("a...,ac->c...", 5)(keras.Input((3,))),
)
case(
    "einsum_dense_spaces",
    'EinsumDense("ab , bc -> ac", 5)(Input((3,)))',
    lambda: L.EinsumDense("ab , bc -> ac", 5)(keras.Input((3,))),
)
case(
    "einsum_dense_shared_dimension",
    'EinsumDense("abc,cd->abd", (4, 6), bias_axes="d")(Input((5, 3)))',
    lambda: L.EinsumDense("abc,cd->abd", (4, 6), bias_axes="d")(keras.Input((5, 3))),
)
case(
    "einsum_dense_shared_dimension_unknown",
    'EinsumDense("abc,cd->abd", (4, 6), bias_axes="d")(Input((None, 3)))',
    lambda: L.EinsumDense("abc,cd->abd", (4, 6), bias_axes="d")(keras.Input((None, 3))),
)
case(
    "einsum_dense_too_few_lengths",
    'EinsumDense("abc,cd->abd", 6, bias_axes="d")(Input((5, 3)))',
    lambda: L.EinsumDense("abc,cd->abd", 6, bias_axes="d")(keras.Input((5, 3))),
)
case(
    "einsum_dense_unknown_in_output",
    'EinsumDense("ab,bc->ad", 5)(Input((3,)))',
    lambda: L.EinsumDense("ab,bc->ad", 5)(keras.Input((3,))),
)
case(
    "einsum_dense_unknown_in_weight",
    'EinsumDense("ab,cd->ad", 5)(Input((3,)))',
    lambda: L.EinsumDense("ab,cd->ad", 5)(keras.Input((3,))),
)
case(
    "einsum_dense_unknown_in_bias",
    'EinsumDense("ab,bc->ac", 5, bias_axes="z")(Input((3,)))',
    lambda: L.EinsumDense("ab,bc->ac", 5, bias_axes="z")(keras.Input((3,))),
)
case(
    "einsum_dense_kernel_of_unknown_length",
    'EinsumDense("ab,bc->ac", (None,))(Input((3,)))',
    lambda: L.EinsumDense("ab,bc->ac", (None,))(keras.Input((3,))),
)
case(
    "einsum_dense_kernel_of_unknown_input",
    'EinsumDense("ab,bc->ac", 5)(Input((None,)))',
    lambda: L.EinsumDense("ab,bc->ac", 5)(keras.Input((None,))),
)
case(
    "einsum_dense_bias_of_unknown_length",
    'EinsumDense("abc,cde->abde", (None, 2, 7), bias_axes="be")(Input((5, 3)))',
    lambda: L.EinsumDense("abc,cde->abde", (None, 2, 7), bias_axes="be")(keras.Input((5, 3))),
)
case(
    "einsum_dense_bias_of_the_batch",
    'EinsumDense("ab,bc->ac", 5, bias_axes="ac")(Input((3,)))',
    lambda: L.EinsumDense("ab,bc->ac", 5, bias_axes="ac")(keras.Input((3,))),
)
case(
    "einsum_dense_wrong_rank",
    'e = EinsumDense("...x,xy->...y", 4); e(zeros(2, 3)); e(zeros(2, 5, 3))',
    lambda: [e := L.EinsumDense("...x,xy->...y", 4), e(ZEROS((2, 3))), e(ZEROS((2, 5, 3)))],
)
case(
    "spectral_normalization_iterations_0",
    "SpectralNormalization(Dense(2), power_iterations=0)",
    lambda: L.SpectralNormalization(L.Dense(2), power_iterations=0),
)
case(
    "spectral_normalization_without_a_kernel",
    "SpectralNormalization(Flatten())(Input((3,)))",
    lambda: L.SpectralNormalization(L.Flatten())(keras.Input((3,))),
)
case(
    "spectral_normalization_wrong_width",
    "s = SpectralNormalization(Dense(2)); s(zeros(2, 3)); s(zeros(2, 4))",
    lambda: [s := L.SpectralNormalization(L.Dense(2)), s(ZEROS((2, 3))), s(ZEROS((2, 4)))],
)
case(
    "time_distributed_nothing",
    "TimeDistributed(None)",
    lambda: L.TimeDistributed(None),
)
case(
    "time_distributed_on_rank_2",
    "TimeDistributed(Dense(2))(Input((3,)))",
    lambda: L.TimeDistributed(L.Dense(2))(keras.Input((3,))),
)
case(
    "time_distributed_two_inputs",
    "TimeDistributed(Dense(2))([Input((3, 4)), Input((3, 4))])",
    lambda: L.TimeDistributed(L.Dense(2))([keras.Input((3, 4)), keras.Input((3, 4))]),
)
case(
    "layer_two_inputs_for_one",
    "Dense(3)([Input((3,)), Input((3,))])",
    lambda: L.Dense(3)([keras.Input((3,)), keras.Input((3,))]),
)
case("layer_of_text", 'Dense(3)("text")', lambda: L.Dense(3)("text"))
case(
    "embedding_out_of_range",
    "Embedding(3, 2)([[0, 3]])",
    lambda: L.Embedding(3, 2)(np.array([[0, 3]])),
)

# Unknown names.
case(
    "unknown_activation",
    'Dense(3, activation="nonsense")',
    lambda: L.Dense(3, activation="nonsense"),
)
case(
    "unknown_activation_layer",
    'Activation("nonsense")',
    lambda: L.Activation("nonsense"),
)
case(
    "unknown_initializer",
    'Dense(3, kernel_initializer="nonsense")',
    lambda: L.Dense(3, kernel_initializer="nonsense"),
)
case(
    "unknown_regularizer",
    'Dense(3, kernel_regularizer="nonsense")',
    lambda: L.Dense(3, kernel_regularizer="nonsense"),
)
case(
    "unknown_constraint",
    'Dense(3, kernel_constraint="nonsense")',
    lambda: L.Dense(3, kernel_constraint="nonsense"),
)
case(
    "unknown_optimizer",
    'model.compile("nonsense")',
    lambda m: m.compile("nonsense", "mse"),
    small,
)
case(
    "unknown_loss",
    'model.compile("sgd", "nonsense"); model.fit(x, y)',
    lambda m: [m.compile("sgd", "nonsense"), m.fit(X, Y, verbose=0)],
    small,
)
case(
    "unknown_loss_get",
    'losses.get("nonsense")',
    lambda: keras.losses.get("nonsense"),
)
case(
    "unknown_metric",
    'model.compile("sgd", "mse", ["nonsense"]); model.fit(x, y)',
    lambda m: [m.compile("sgd", "mse", metrics=["nonsense"]), m.fit(X, Y, verbose=0)],
    small,
)
case(
    "metrics_not_a_list",
    'model.compile("sgd", "mse", metrics="mae"); model.fit(x, x[:, :3])',
    lambda m: [
        m.compile("sgd", "mse", metrics="mae"),
        m.fit(X, X[:, :3], verbose=0),
    ],
    small,
)
case("activation_a_number", "activations.get(3)", lambda: keras.activations.get(3))
case("optimizer_a_number", "optimizers.get(3)", lambda: keras.optimizers.get(3))
case(
    "unknown_dtype",
    'Dense(3, dtype="nonsense")',
    lambda: L.Dense(3, dtype="nonsense"),
)
case(
    "unknown_padding",
    'Conv2D(3, 3, padding="nonsense")',
    lambda: L.Conv2D(3, 3, padding="nonsense"),
)
case(
    "causal_padding_2d",
    'Conv2D(3, 3, padding="causal")',
    lambda: L.Conv2D(3, 3, padding="causal"),
)
case(
    "unknown_data_format",
    'Conv2D(3, 3, data_format="nonsense")',
    lambda: L.Conv2D(3, 3, data_format="nonsense"),
)
case(
    "unknown_reduction",
    'MeanSquaredError(reduction="nonsense")',
    lambda: keras.losses.MeanSquaredError(reduction="nonsense"),
)
case("unknown_argument", "Dense(3, nonsense=1)", lambda: L.Dense(3, nonsense=1))
case(
    "unknown_layer_class",
    'layers.deserialize({"class_name": "Nonsense", "config": {}})',
    lambda: L.deserialize({"class_name": "Nonsense", "config": {}}),
)

# Bad numbers.
for value in (-1, 0, 2.5):
    case(f"dense_units_{value}", f"Dense({value})", lambda: L.Dense(value))
    case(f"conv2d_filters_{value}", f"Conv2D({value}, 3)", lambda: L.Conv2D(value, 3))
case("conv2d_kernel_size_0", "Conv2D(3, 0)", lambda: L.Conv2D(3, 0))
case("conv2d_kernel_size_-1", "Conv2D(3, -1)", lambda: L.Conv2D(3, -1))
case(
    "conv2d_kernel_size_3_values",
    "Conv2D(3, (1, 2, 3))",
    lambda: L.Conv2D(3, (1, 2, 3)),
)
case("conv2d_strides_0", "Conv2D(3, 3, strides=0)", lambda: L.Conv2D(3, 3, strides=0))
case(
    "conv2d_dilation_0",
    "Conv2D(3, 3, dilation_rate=0)",
    lambda: L.Conv2D(3, 3, dilation_rate=0),
)
case(
    "conv2d_strides_and_dilation",
    "Conv2D(3, 3, strides=2, dilation_rate=2)",
    lambda: L.Conv2D(3, 3, strides=2, dilation_rate=2),
)
case("conv2d_groups_0", "Conv2D(4, 3, groups=0)", lambda: L.Conv2D(4, 3, groups=0))
case(
    "conv2d_filters_not_of_groups",
    "Conv2D(4, 3, groups=3)",
    lambda: L.Conv2D(4, 3, groups=3),
)
case(
    "conv2d_channels_not_of_groups",
    "Conv2D(4, 3, groups=2)(Input((8, 8, 3)))",
    lambda: L.Conv2D(4, 3, groups=2)(keras.Input((8, 8, 3))),
)
case("max_pooling2d_size_0", "MaxPooling2D(0)", lambda: L.MaxPooling2D(0))
case(
    "max_pooling2d_strides_0",
    "MaxPooling2D(2, strides=0)",
    lambda: L.MaxPooling2D(2, strides=0),
)
case("dropout_rate_1.5", "Dropout(1.5)", lambda: L.Dropout(1.5))
case("dropout_rate_-0.1", "Dropout(-0.1)", lambda: L.Dropout(-0.1))
case("embedding_dimension_0", "Embedding(0, 4)", lambda: L.Embedding(0, 4))
case(
    "embedding_negative",
    "Embedding(-1, 4)(zeros(2, 3))",
    lambda: L.Embedding(-1, 4)(ZEROS((2, 3), "int32")),
)
case(
    "batch_normalization_momentum_2",
    "BatchNormalization(momentum=2.0)",
    lambda: L.BatchNormalization(momentum=2.0),
)
case("l2_negative", "regularizers.L2(-0.1)", lambda: keras.regularizers.L2(-0.1))
case(
    "learning_rate_text",
    'SGD(learning_rate="fast")',
    lambda: keras.optimizers.SGD(learning_rate="fast"),
)
case(
    "ftrl_accumulator",
    "Ftrl(initial_accumulator_value=-0.1)",
    lambda: keras.optimizers.Ftrl(initial_accumulator_value=-0.1),
)
case("ftrl_power", "Ftrl(learning_rate_power=0.5)", lambda: keras.optimizers.Ftrl(learning_rate_power=0.5))
case(
    "ftrl_l1",
    "Ftrl(l1_regularization_strength=-1.0)",
    lambda: keras.optimizers.Ftrl(l1_regularization_strength=-1.0),
)
case(
    "ftrl_l2",
    "Ftrl(l2_regularization_strength=-1.0)",
    lambda: keras.optimizers.Ftrl(l2_regularization_strength=-1.0),
)
case(
    "ftrl_shrinkage",
    "Ftrl(l2_shrinkage_regularization_strength=-1.0)",
    lambda: keras.optimizers.Ftrl(l2_shrinkage_regularization_strength=-1.0),
)
case("lion_beta_1", "Lion(beta_1=0.0)", lambda: keras.optimizers.Lion(beta_1=0.0))
case("momentum_2", "SGD(momentum=2.0)", lambda: keras.optimizers.SGD(momentum=2.0))
case("clipnorm_-1", "SGD(clipnorm=-1.0)", lambda: keras.optimizers.SGD(clipnorm=-1.0))
case(
    "two_clips",
    "SGD(clipnorm=1.0, clipvalue=1.0)",
    lambda: keras.optimizers.SGD(clipnorm=1.0, clipvalue=1.0),
)
case(
    "ema_momentum_2",
    "SGD(use_ema=True, ema_momentum=2.0)",
    lambda: keras.optimizers.SGD(use_ema=True, ema_momentum=2.0),
)
case(
    "optimizer_unknown_argument",
    "SGD(nonsense=1)",
    lambda: keras.optimizers.SGD(nonsense=1),
)
case(
    "adamw_weight_decay_none",
    "AdamW(weight_decay=None)",
    lambda: keras.optimizers.AdamW(weight_decay=None),
)
case(
    "optimizer_other_variables",
    "sgd built for two variables, apply of one gradient",
    lambda: [
        o := keras.optimizers.SGD(),
        o.build([keras.Variable(ZEROS(2)), keras.Variable(ZEROS(3))]),
        o.apply([ZEROS(2)]),
    ],
)
case(
    "orthogonal_rank_1",
    "initializers.Orthogonal()((3,))",
    lambda: keras.initializers.Orthogonal()((3,)),
)
case(
    "identity_rank_3",
    "initializers.Identity()((3, 3, 3))",
    lambda: keras.initializers.Identity()((3, 3, 3)),
)
case(
    "variance_scaling_scale_0",
    "initializers.VarianceScaling(scale=0.0)",
    lambda: keras.initializers.VarianceScaling(scale=0.0),
)
case(
    "variance_scaling_mode",
    'initializers.VarianceScaling(mode="nonsense")',
    lambda: keras.initializers.VarianceScaling(mode="nonsense"),
)

# compile and fit.
FIT = "model.fit(x, y)"
case("fit_before_compile", FIT, lambda m: m.fit(X, Y), small)
case(
    "evaluate_before_compile", "model.evaluate(x, y)", lambda m: m.evaluate(X, Y), small
)
case(
    "train_on_batch_before_compile",
    "model.train_on_batch(x, y)",
    lambda m: m.train_on_batch(X, Y),
    small,
)
case(
    "fit_without_loss",
    'model.compile("sgd"); model.fit(x, y)',
    lambda m: [m.compile("sgd"), m.fit(X, Y, verbose=0)],
    small,
)
for value in (3, -1):
    case(
        f"label_{value}",
        f"model.fit(x, y) of 3 classes with a label {value},"
        " sparse_categorical_crossentropy",
        lambda m: m.fit(X, Y + value, verbose=0),
        compiled,
    )
case(
    "label_3_logits",
    "SparseCategoricalCrossentropy(from_logits=True)([0, 3], zeros(2, 3))",
    lambda: keras.losses.SparseCategoricalCrossentropy(from_logits=True)(
        np.array([0, 3]), ZEROS((2, 3), "float32")
    ),
)
case(
    "empty_data",
    "model.fit(zeros(0, 4), zeros(0))",
    lambda m: m.fit(X[:0], Y[:0], verbose=0),
    compiled,
)
case(
    "empty_data_evaluate",
    "model.evaluate(zeros(0, 4), zeros(0))",
    lambda m: m.evaluate(X[:0], Y[:0], verbose=0),
    compiled,
)
case(
    "empty_data_predict",
    "model.predict(zeros(0, 4))",
    lambda m: m.predict(X[:0], verbose=0),
    compiled,
)
case(
    "different_lengths",
    "model.fit(x of 6, y of 5)",
    lambda m: m.fit(X, Y[:5], verbose=0),
    compiled,
)
case(
    "different_lengths_sample_weight",
    "model.fit(x, y, sample_weight of 5)",
    lambda m: m.fit(X, Y, sample_weight=ZEROS(5), verbose=0),
    compiled,
)
case(
    "different_lengths_inputs",
    "model.fit([a of 6, b of 5], y of 6)",
    lambda m: m.fit([X, X[:5, :3]], X[:, :1], verbose=0),
    two_inputs,
)
case(
    "one_input_of_two",
    "model.fit(a, y)",
    lambda m: m.fit(X, X[:, :1], verbose=0),
    two_inputs,
)
case(
    "three_inputs_of_two",
    "model.predict([a, b, b])",
    lambda m: m.predict([X, X[:, :3], X[:, :3]], verbose=0),
    two_inputs,
)
case("fit_without_y", "model.fit(x)", lambda m: m.fit(X, verbose=0), compiled)
case(
    "mse_shapes",
    "model.fit(x, y) with mse, outputs (6, 3) and y (6, 2)",
    lambda m: m.fit(X, X[:, :2], verbose=0),
    lambda: compiled("mse"),
)
case(
    "categorical_crossentropy_sparse_labels",
    "model.fit(x, integer labels) with categorical_crossentropy",
    lambda m: m.fit(X, Y, verbose=0),
    lambda: compiled("categorical_crossentropy"),
)
case(
    "sparse_crossentropy_one_hot_labels",
    "model.fit(x, one hot labels) with sparse_categorical_crossentropy",
    lambda m: m.fit(X, X[:, :3], verbose=0),
    compiled,
)
case(
    "binary_crossentropy_shapes",
    "model.fit(x, y of rank 1) with binary_crossentropy and 3 outputs",
    lambda m: m.fit(X, Y, verbose=0),
    lambda: compiled("binary_crossentropy"),
)
for method in ("fit", "evaluate", "predict", "predict_on_batch"):
    case(
        f"{method}_wrong_width",
        f"model.{method}(zeros(6, 5)) of a model of width 4",
        lambda m: (
            m.fit(ZEROS((6, 5)), Y, verbose=0)
            if method == "fit"
            else (
                m.evaluate(ZEROS((6, 5)), Y, verbose=0)
                if method == "evaluate"
                else (
                    m.predict(ZEROS((6, 5)), verbose=0)
                    if method == "predict"
                    else m.predict_on_batch(ZEROS((6, 5)))
                )
            )
        ),
        compiled,
    )
case(
    "predict_wrong_rank",
    "model.predict(zeros(6, 4, 4))",
    lambda m: m.predict(ZEROS((6, 4, 4)), verbose=0),
    compiled,
)
case(
    "call_wrong_width",
    "model(zeros(6, 5))",
    lambda m: m(ZEROS((6, 5))),
    small,
)
case(
    "losses_too_many",
    "two outputs, compile(loss=[mse, mse, mse]), fit",
    lambda m: [
        m.compile("sgd", ["mse"] * 3),
        m.fit(X, [X[:, :1], X[:, :2]], verbose=0),
    ],
    two_outputs,
)
case(
    "losses_too_few",
    "two outputs, compile(loss=[mse]), fit",
    lambda m: [m.compile("sgd", ["mse"]), m.fit(X, [X[:, :1], X[:, :2]], verbose=0)],
    two_outputs,
)
case(
    "losses_unknown_output",
    'two outputs, compile(loss={"a": mse, "c": mse}), fit',
    lambda m: [
        m.compile("sgd", {"a": "mse", "c": "mse"}),
        m.fit(X, [X[:, :1], X[:, :2]], verbose=0),
    ],
    two_outputs,
)
case(
    "loss_weights_too_many",
    "two outputs, compile(loss=[mse, mse], loss_weights=[1, 2, 3]), fit",
    lambda m: [
        m.compile("sgd", ["mse", "mse"], loss_weights=[1, 2, 3]),
        m.fit(X, [X[:, :1], X[:, :2]], verbose=0),
    ],
    two_outputs,
)
case(
    "metrics_too_many",
    "two outputs, compile(metrics=[[mae]] * 3), fit",
    lambda m: [
        m.compile("sgd", ["mse", "mse"], metrics=[["mae"]] * 3),
        m.fit(X, [X[:, :1], X[:, :2]], verbose=0),
    ],
    two_outputs,
)
case(
    "metrics_flat_for_two_outputs",
    "two outputs, compile(metrics=[mae]), fit",
    lambda m: [
        m.compile("sgd", ["mse", "mse"], metrics=["mae"]),
        m.fit(X, [X[:, :1], X[:, :2]], verbose=0),
    ],
    two_outputs,
)
case(
    "metrics_unknown_output",
    'two outputs, compile(metrics={"c": [mae]}), fit',
    lambda m: [
        m.compile("sgd", ["mse", "mse"], metrics={"c": ["mae"]}),
        m.fit(X, [X[:, :1], X[:, :2]], verbose=0),
    ],
    two_outputs,
)
case(
    "one_target_of_two",
    "two outputs, fit(x, one array)",
    lambda m: [m.compile("sgd", ["mse", "mse"]), m.fit(X, X[:, :1], verbose=0)],
    two_outputs,
)
case(
    "class_weight_two_outputs",
    "two outputs, fit(class_weight={0: 1.0})",
    lambda m: [
        m.compile("sgd", ["mse", "mse"]),
        m.fit(X, [X[:, :1], X[:, :2]], class_weight={0: 1.0}, verbose=0),
    ],
    two_outputs,
)
case(
    "class_and_sample_weight",
    "model.fit(x, y, class_weight={0: 1.0}, sample_weight=w)",
    lambda m: m.fit(X, Y, class_weight={0: 1.0}, sample_weight=ZEROS(6), verbose=0),
    compiled,
)
case(
    "validation_split_1.5",
    "model.fit(x, y, validation_split=1.5)",
    lambda m: m.fit(X, Y, validation_split=1.5, verbose=0),
    compiled,
)
case(
    "validation_split_too_small",
    "model.fit(x of 1, y of 1, validation_split=0.5)",
    lambda m: m.fit(X[:1], Y[:1], validation_split=0.5, verbose=0),
    compiled,
)
case(
    "batch_size_0",
    "model.fit(x, y, batch_size=0)",
    lambda m: m.fit(X, Y, batch_size=0, verbose=0),
    compiled,
)

# Names.
case(
    "duplicate_name_sequential",
    'Sequential([Dense(3, name="a"), Dense(3, name="a")])',
    lambda: keras.Sequential([L.Dense(3, name="a"), L.Dense(3, name="a")]),
)
case(
    "duplicate_name_functional",
    'x = Input((4,)); y = Dense(3, name="a")(x); Model(x, Dense(3, name="a")(y))',
    lambda: [
        x := keras.Input((4,)),
        keras.Model(x, L.Dense(3, name="a")(L.Dense(3, name="a")(x))),
    ],
)
case(
    "same_layer_twice_sequential",
    "d = Dense(4); Sequential([Input((4,)), d, d])",
    lambda: [d := L.Dense(4), keras.Sequential([keras.Input((4,)), d, d])],
)
case(
    "layer_name_with_slash",
    'Dense(3, name="a/b")',
    lambda: L.Dense(3, name="a/b"),
)
case(
    "get_layer_name",
    'model.get_layer("nonsense")',
    lambda m: m.get_layer("nonsense"),
    small,
)
case(
    "get_layer_index", "model.get_layer(index=7)", lambda m: m.get_layer(index=7), small
)
case("get_layer_nothing", "model.get_layer()", lambda m: m.get_layer(), small)
case(
    "get_layer_both",
    'model.get_layer("dense", index=0)',
    lambda m: m.get_layer("dense", index=0),
    small,
)
case("pop_empty", "Sequential().pop()", lambda: [m := keras.Sequential(), m.pop()])
case("sequential_add_text", 'Sequential(["text"])', lambda: keras.Sequential(["text"]))
case(
    "sequential_input_second",
    "Sequential([Dense(3), Input((4,))])",
    lambda: keras.Sequential([L.Dense(3), keras.Input((4,))]),
)
case(
    "sequential_two_inputs",
    "Sequential([Input((4,)), Input((4,))])",
    lambda: keras.Sequential([keras.Input((4,)), keras.Input((4,))]),
)
case(
    "functional_disconnected",
    "Model(a, Dense(1)(b)), a and b two inputs",
    lambda: keras.Model(keras.Input((4,)), L.Dense(1)(keras.Input((4,)))),
)
case(
    "functional_output_not_a_tensor",
    "Model(Input((4,)), 3)",
    lambda: keras.Model(keras.Input((4,)), 3),
)
case("input_shape_missing", "Input()", lambda: keras.Input())
case("input_shape_negative", "Input((-3,))", lambda: keras.Input((-3,)))

# Models that are not built.
case("unbuilt_get_weights", "model.get_weights()", lambda m: m.get_weights(), unbuilt)
case("unbuilt_weights", "model.weights", lambda m: m.weights, unbuilt)
case(
    "unbuilt_count_params", "model.count_params()", lambda m: m.count_params(), unbuilt
)
case("unbuilt_summary", "model.summary()", lambda m: m.summary(), unbuilt)
case(
    "unbuilt_set_weights",
    "model.set_weights([zeros(3)])",
    lambda m: m.set_weights([ZEROS(3)]),
    unbuilt,
)
case("unbuilt_inputs", "model.inputs", lambda m: m.inputs, unbuilt)
case("unbuilt_output", "model.output", lambda m: m.output, unbuilt)
case("unbuilt_output_shape", "model.output_shape", lambda m: m.output_shape, unbuilt)
case(
    "unbuilt_layer_count_params",
    "Dense(3).count_params()",
    lambda: L.Dense(3).count_params(),
)
case("unbuilt_layer_kernel", "Dense(3).kernel", lambda: L.Dense(3).kernel)
case(
    "unbuilt_layer_get_weights",
    "Dense(3).get_weights()",
    lambda: L.Dense(3).get_weights(),
)
case("unbuilt_layer_output", "Dense(3).output", lambda: L.Dense(3).output)
case(
    "empty_sequential_call",
    "Sequential()(zeros(2, 3))",
    lambda: keras.Sequential()(ZEROS((2, 3))),
)
case(
    "empty_sequential_build",
    "Sequential().build((None, 3))",
    lambda: keras.Sequential().build((None, 3)),
)
case(
    "build_without_shape",
    "Sequential([Dense(3)]).build()",
    lambda: keras.Sequential([L.Dense(3)]).build(),
)

# set_weights.
case(
    "set_weights_count",
    "model.set_weights([zeros(4, 3)])",
    lambda m: m.set_weights([ZEROS((4, 3))]),
    small,
)
case(
    "set_weights_shape",
    "model.set_weights([zeros(4, 3), zeros(4)])",
    lambda m: m.set_weights([ZEROS((4, 3)), ZEROS(4)]),
    small,
)
case(
    "layer_set_weights_count",
    "layer.set_weights([zeros(4, 3)])",
    lambda m: m.layers[0].set_weights([ZEROS((4, 3))]),
    small,
)
case(
    "layer_set_weights_shape",
    "layer.set_weights([zeros(3, 4), zeros(3)])",
    lambda m: m.layers[0].set_weights([ZEROS((3, 4)), ZEROS(3)]),
    small,
)
case(
    "variable_assign_shape",
    "Variable(zeros(3)).assign(zeros(4))",
    lambda: keras.Variable(ZEROS(3)).assign(ZEROS(4)),
)

# Files.
case(
    "save_unknown_extension",
    'model.save("model.txt")',
    lambda m: m.save("model.txt"),
    small,
)
case(
    "load_missing_file",
    'models.load_model("missing.keras")',
    lambda: keras.models.load_model("missing.keras"),
)
case(
    "load_missing_folder",
    'models.load_model("missing")',
    lambda: keras.models.load_model("missing"),
)

golden.save()
