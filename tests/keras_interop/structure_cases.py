"""Functional models: several inputs and outputs, lists and dicts of them, shared layers, frozen layers."""

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


@case("structure/shared_layer", [numbers(5), numbers(5)], numbers(2), covers=("structure: shared layers",))
def shared_layer():
    a, b = Input((5,), name="a"), Input((5,), name="b")
    shared = L.Dense(4, activation="tanh", name="shared")
    again = L.Dense(4, activation="sigmoid", name="again")
    x = L.Add()([again(shared(a)), again(shared(b))])
    model = Model([a, b], L.Dense(2)(L.Multiply()([x, shared(a)])), name="siblings")
    model.compile("adam", "mse")
    return model


@case("structure/layer_called_on_its_own_output", numbers(4), numbers(4), covers=("structure: shared layers",))
def layer_called_on_its_own_output():
    inputs = Input((4,))
    step = L.Dense(4, activation="tanh", kernel_regularizer="l2")
    x = inputs
    for _ in range(3):
        x = step(x)
    model = Model(inputs, x)
    model.compile(sgd(), "mse")
    return model


@case("structure/residual", numbers(8, 8, 3), classes(3), covers=("structure: branches",), unsettled_in_tf_keras=("moving_variance",))
def residual():
    inputs = Input((8, 8, 3))
    x = L.Conv2D(4, 3, padding="same", use_bias=False, name="stem")(inputs)
    for i in range(2):
        y = L.BatchNormalization(name=f"norm_{i}")(x)
        y = L.Activation("relu", name=f"relu_{i}")(y)
        y = L.Conv2D(4, 3, padding="same", name=f"conv_{i}")(y)
        x = L.Add(name=f"add_{i}")([x, y])
    x = L.GlobalAveragePooling2D()(x)
    model = Model(inputs, L.Dense(3, activation="softmax")(x), name="residual")
    model.compile(sgd(), "sparse_categorical_crossentropy", metrics=["accuracy"])
    return model


@case(
    "structure/two_inputs_and_outputs",
    [numbers(5), integers(12, 4)],
    [numbers(1), classes(3)],
    covers=("structure: several inputs", "structure: several outputs", "loss weights", "loss MeanSquaredError"),
)
def two_inputs_and_outputs():
    values, words = Input((5,), name="values"), Input((4,), dtype="int32", name="words")
    a = L.Dense(6, activation="silu", name="values_dense")(values)
    b = L.GlobalAveragePooling1D(name="mean_vector")(L.Embedding(12, 6, name="vectors")(words))
    x = L.Concatenate(name="joined")([L.LayerNormalization(name="norm")(L.Add(name="sum")([a, b])), a])
    kind = L.Dense(3, activation="softmax", name="kind")(x)
    model = Model([values, words], [L.Dense(1, name="value")(x), kind], name="two_inputs")
    model.compile(
        keras.optimizers.SGD(0.05, momentum=0.9, nesterov=True),
        loss=["mse", "sparse_categorical_crossentropy"],
        loss_weights=[1.0, 0.5],
        metrics=[["mae"], ["accuracy"]],
    )
    return model


@case(
    "structure/losses_by_name",
    numbers(6),
    [one_hot(4), positive(2), numbers(3)],
    covers=("structure: several outputs", "loss weights", "loss Huber", "loss Poisson", "loss CategoricalCrossentropy"),
)
def losses_by_name():
    inputs = Input((6,), name="features")
    x = L.Dense(7, activation="gelu")(inputs)
    outputs = [
        L.Dense(4, activation="softmax", name="kind")(x),
        L.Dense(2, activation="softplus", name="count")(x),
        L.Dense(3, name="place")(x),
    ]
    model = Model(inputs, outputs)
    model.compile(
        "rmsprop",
        loss={
            "kind": keras.losses.CategoricalCrossentropy(label_smoothing=0.1),
            "count": "poisson",
            "place": keras.losses.Huber(),
        },
        loss_weights={"kind": 2.0, "count": 0.3, "place": 1.0},
        metrics={"kind": ["accuracy"], "place": ["mae", "mse"], "count": []},
    )
    return model


@case(
    "structure/one_loss_for_all_outputs",
    numbers(4),
    [numbers(2), numbers(3)],
    covers=("structure: several outputs", "loss LogCosh"),
    in_tf_keras=False,
)
def one_loss_for_all_outputs():
    inputs = Input((4,))
    x = L.Dense(4, activation="tanh")(inputs)
    model = Model(inputs, [L.Dense(2, name="a")(x), L.Dense(3, name="b")(x)])
    model.compile(sgd(), loss=["log_cosh", "log_cosh"])
    return model


@case(
    "structure/outputs_without_a_loss",
    numbers(4),
    [numbers(2), numbers(3), numbers(1)],
    covers=("structure: several outputs", "loss weights"),
    in_tf_keras=False,
    since=(3, 15),
)
def outputs_without_a_loss():
    inputs = Input((4,))
    x = L.Dense(4, activation="tanh")(inputs)
    model = Model(inputs, [L.Dense(2, name="a")(x), L.Dense(3, name="b")(x), L.Dense(1, name="c")(x)])
    model.compile(
        sgd(),
        loss=["mse", None, "mae"],
        loss_weights=[2.0, 1.0, 0.5],
        metrics=[["mae", "mse"], ["mae"], None],
    )
    return model


@case(
    "structure/output_inside_the_model",
    numbers(4),
    [numbers(3), numbers(2)],
    covers=("structure: several outputs",),
)
def output_inside_the_model():
    inputs = Input((4,))
    hidden = L.Dense(3, activation="tanh", name="hidden")(inputs)
    model = Model(inputs, [hidden, L.Dense(2, name="end")(hidden)])
    model.compile(sgd(), loss=["mae", "mse"], loss_weights=[0.25, 1.0])
    return model


@case(
    "structure/dict_of_inputs",
    {"left": numbers(3), "right": numbers(4)},
    numbers(2),
    covers=("structure: dict of inputs", "structure: several inputs"),
)
def dict_of_inputs():
    left, right = Input((3,), name="left"), Input((4,), name="right")
    x = L.Concatenate()([L.Dense(3, activation="tanh")(left), L.Dense(3, activation="tanh")(right)])
    model = Model({"left": left, "right": right}, L.Dense(2)(x))
    model.compile("adam", "mse")
    return model


@case(
    "structure/unsorted_dict_of_inputs",
    {"zebra": numbers(3), "ape": numbers(4)},
    numbers(2),
    covers=("structure: dict of inputs", "structure: several inputs"),
)
def unsorted_dict_of_inputs():
    zebra, ape = Input((3,), name="zebra"), Input((4,), name="ape")
    x = L.Concatenate()([zebra, L.Dense(3, activation="tanh")(ape)])
    model = Model({"zebra": zebra, "ape": ape}, L.Dense(2)(x))
    model.compile("adam", "mse")
    return model


@case(
    "structure/dict_of_outputs",
    numbers(4),
    {"kind": classes(3), "value": numbers(2)},
    covers=("structure: dict of outputs", "structure: several outputs"),
)
def dict_of_outputs():
    inputs = Input((4,))
    x = L.Dense(5, activation="tanh")(inputs)
    kind = L.Dense(3, activation="softmax", name="kind")(x)
    model = Model(inputs, {"kind": kind, "value": L.Dense(2, name="value")(x)})
    model.compile(sgd(), loss={"kind": "sparse_categorical_crossentropy", "value": "mse"})
    return model


# Keras 3.0 trains layers that were created with `trainable=False`.
@case("structure/frozen_layers", numbers(5), numbers(2), covers=("structure: frozen layers",), since=(3, 4))
def frozen_layers():
    model = Sequential(
        [
            Input((5,)),
            L.Dense(4, activation="tanh", name="first"),
            # tf.keras counts the penalties of frozen weights too.
            L.Dense(
                4, "tanh", trainable=False, name="second", kernel_regularizer=None if IS_TF_KERAS else "l2"
            ),
            L.LayerNormalization(trainable=False, name="third"),
            L.Dense(2, name="last"),
        ]
    )
    model.compile("adam", "mse")
    return model


@case("structure/everything_frozen_but_the_head", numbers(6, 6, 1), classes(2), covers=("structure: frozen layers",))
def everything_frozen_but_the_head():
    inputs = Input((6, 6, 1))
    x = L.Conv2D(3, 3, activation="relu", name="features")(inputs)
    x = L.BatchNormalization(name="norm")(x)
    x = L.GlobalAveragePooling2D()(x)
    base = Model(inputs, x)
    base.trainable = False
    model = Model(inputs, L.Dense(2, name="head")(base.output))
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["acc"])
    return model


@case("structure/built_by_its_data", numbers(4), numbers(2), covers=("structure: built when first called",))
def built_by_its_data():
    model = Sequential([L.Dense(3, activation="tanh"), L.BatchNormalization(), L.Dense(2)], name="late")
    model.compile(sgd(), "mse")
    return model


@case("structure/operators", [numbers(4), numbers(4)], numbers(2), in_tf_keras=False, covers=("structure: operations",))
def operators():
    a, b = Input((4,), name="a"), Input((4,), name="b")
    x = L.Dense(4, activation="tanh", name="da")(a)
    y = L.Dense(4, activation="tanh", name="db")(b)
    model = Model([a, b], L.Dense(2)((x + y) * x - y))
    model.compile(sgd(), "mse")
    return model


@case("structure/operators_with_numbers", numbers(4), numbers(2), in_tf_keras=False, covers=("structure: operations",))
def operators_with_numbers():
    a = Input((4,), name="a")
    x = L.Dense(4, activation="tanh")(a)
    model = Model(a, L.Dense(2)((2.0 * x + 1.0) / 3.0 - 0.5))
    model.compile(sgd(), "mse")
    return model
