"""Dense, Activation, ReLU, Softmax, Dropout, Embedding."""

from cases import case
from library import IS_TF_KERAS
from library import Input
from library import Model
from library import Sequential
from library import keras
from library import layers as L
from samples import classes
from samples import integers
from samples import numbers
from samples import one_hot
from samples import positive


def sgd(rate=0.02):
    return keras.optimizers.SGD(rate, momentum=0.5)


@case(
    "dense/arguments",
    numbers(7),
    numbers(3),
    covers=("regularizer L1L2", "regularizer L2", "loss MeanSquaredError"),
    computes_alike_since=(3, 14),  # penalties on outputs were not divided by the batch size
)
def arguments():
    model = Sequential(
        [
            Input((7,)),
            L.Dense(5, activation="selu", use_bias=False, kernel_initializer="he_normal"),
            L.Dense(
                4,
                activation="tanh",
                bias_initializer=keras.initializers.Constant(0.3),
                kernel_initializer=keras.initializers.VarianceScaling(2.0, "fan_avg", "uniform", seed=3),
                kernel_regularizer=keras.regularizers.L1L2(l1=0.001, l2=0.02),
                bias_regularizer="l2",
                activity_regularizer=keras.regularizers.L2(0.05),
            ),
            L.Dense(3, name="last" if IS_TF_KERAS else "ünïcode_äöü"),
        ],
        name="dense_net",
    )
    model.compile("adam", "mse")
    return model


@case("dense/more_axes", numbers(4, 3, 5), numbers(4, 3, 2))
def more_axes():
    model = Sequential(
        [
            Input((4, 3, 5)),
            L.Dense(6, activation="elu", kernel_initializer=keras.initializers.TruncatedNormal(0.1, 0.3)),
            L.Dense(2, activation="softplus", bias_regularizer=keras.regularizers.L1(0.01)),
        ]
    )
    model.compile(sgd(), "mse")
    return model


@case("dense/one_unit", numbers(1), numbers())
def one_unit():
    model = Sequential([Input((1,)), L.Dense(1, kernel_initializer="ones", bias_initializer="zeros")])
    model.compile(keras.optimizers.SGD(0.1), "mae")
    return model


def chain(names, units=5):
    steps = [Input((units,))]
    for name in names:
        steps += [L.Dense(units, kernel_initializer="orthogonal"), L.Activation(name, name=f"as_{name}")]
    model = Sequential([*steps, L.Dense(2)])
    model.compile(sgd(), "mse")
    return model


@case("dense/activations", numbers(5), numbers(2), since_tf_keras=(2, 13))
def activations():
    return chain(["relu", "elu", "selu", "gelu", "softplus", "softsign", "swish", "tanh", "exponential", "mish"])


@case("dense/activations_of_keras_3", numbers(5), numbers(2), in_tf_keras=False)
def activations_of_keras_3():
    return chain(["relu6", "silu", "leaky_relu", "hard_sigmoid", "hard_silu", "log_softmax", "sigmoid"])


@case("dense/newer_activations", numbers(4), numbers(2), in_tf_keras=False, since=(3, 10))
def newer_activations():
    return chain(
        ["celu", "log_sigmoid", "hard_tanh", "tanh_shrink", "soft_shrink", "squareplus", "sparse_plus", "sparse_sigmoid"],
        4,
    )


# tf.keras does not save this penalty.
@case(
    "dense/activation_with_penalty",
    numbers(3, 4),
    one_hot(4, 3),
    covers=("regularizer L1",),
    computes_alike_since=(3, 14),
    in_tf_keras=False,
)
def activation_with_penalty():
    model = Sequential(
        [
            Input((3, 4)),
            L.Dense(4),
            L.Activation("tanh", activity_regularizer=keras.regularizers.L1(0.02)),
            L.Dense(4),
            L.Activation("softmax"),
        ]
    )
    model.compile("adam", "categorical_crossentropy")
    return model


@case("dense/relu", numbers(6), numbers(2))
def relu():
    model = Sequential(
        [
            Input((6,)),
            L.Dense(6),
            L.ReLU(max_value=2.5, negative_slope=0.1, threshold=0.25),
            L.Dense(6),
            L.ReLU(negative_slope=0.3),
            L.Dense(2),
            L.ReLU(max_value=6),
        ]
    )
    model.compile(sgd(), "mse")
    return model


@case("dense/relu_of_images", numbers(4, 4, 2), numbers(4, 4, 3))
def relu_of_images():
    model = Sequential([Input((4, 4, 2)), L.Dense(3), L.ReLU(threshold=0.5), L.Dense(3), L.ReLU(name="plain")])
    model.compile(sgd(0.1), "mse")
    return model


# A bias is equal for all steps, and this softmax is over the steps: it has no effect.
@case("dense/softmax_of_another_axis", numbers(4, 3), numbers(4, 2), unsettled=("before/bias",))
def softmax_of_another_axis():
    model = Sequential([Input((4, 3)), L.Dense(5, name="before"), L.Softmax(axis=1), L.Dense(2), L.Softmax()])
    model.compile(sgd(0.5), "mse")
    return model


@case("dense/softmax_of_two_axes", numbers(4, 3), numbers(4, 2), in_tf_keras=False, since=(3, 10))
def softmax_of_two_axes():
    model = Sequential([Input((4, 3)), L.Dense(5), L.Softmax(axis=[1, 2]), L.Dense(2)])
    model.compile(sgd(0.1), "mse")
    return model


@case("dense/dropout", numbers(6), numbers(2), is_random=True)
def dropout():
    model = Sequential([Input((6,)), L.Dense(8), L.Dropout(0.3, seed=7), L.Dense(8), L.Dropout(0.5), L.Dense(2)])
    model.compile("adam", "mse")
    return model


@case("dense/dropout_of_rows", numbers(3, 4), numbers(3, 2), is_random=True)
def dropout_of_rows():
    model = Sequential([Input((3, 4)), L.Dense(4), L.Dropout(0.25, noise_shape=(None, 1, 4)), L.Dense(2)])
    model.compile("adam", "mse")
    return model


@case("dense/dropout_of_nothing", numbers(4), numbers(2))
def dropout_of_nothing():
    model = Sequential([Input((4,)), L.Dense(4, activation="tanh"), L.Dropout(0.0), L.Dense(2)])
    model.compile("adam", "mse")
    return model


@case("dense/embedding", integers(20, 6), classes(3))
def embedding():
    model = Sequential(
        [
            Input((6,), dtype="int32"),
            L.Embedding(
                20, 5, embeddings_initializer="glorot_normal", embeddings_regularizer=keras.regularizers.L2(0.01)
            ),
            L.Flatten(),
            L.Dense(3, activation="softmax"),
        ]
    )
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    return model


@case("dense/embedding_of_two_axes", integers(9, 3, 4, dtype="int64"), numbers(2))
def embedding_of_two_axes():
    tokens = Input((3, 4), dtype="int64", name="tokens")
    x = L.Embedding(9, 4, embeddings_initializer=keras.initializers.RandomUniform(-0.5, 0.5, seed=1))(tokens)
    x = L.Dense(3, activation="tanh")(x)
    model = Model(tokens, L.Dense(2)(L.Flatten()(x)))
    model.compile(keras.optimizers.SGD(0.05, momentum=0.9), "mse")
    return model


@case("dense/double_precision", numbers(5, dtype="float64"), positive(2), covers=("dtype float64",))
def double_precision():
    model = Sequential(
        [
            Input((5,), dtype="float64"),
            L.Dense(4, activation="tanh", dtype="float64"),
            L.LayerNormalization(dtype="float64"),
            L.Dense(2, activation="exponential", dtype="float64"),
        ]
    )
    model.compile("adam", "mse")
    return model


@case("dense/mixed_precisions", numbers(5), numbers(2), covers=("dtype float64",))
def mixed_precisions():
    inputs = Input((5,))
    x = L.Dense(4, activation="sigmoid", dtype="float64", name="wide")(inputs)
    x = L.Dense(4, activation="tanh", dtype="float32", name="narrow")(x)
    model = Model(inputs, L.Dense(2)(x))
    model.compile(sgd(), "mse")
    return model
