"""Models in models."""

from cases import case
from library import Input
from library import Model
from library import Sequential
from library import keras
from library import layers as L
from samples import classes
from samples import numbers


def sgd(rate=0.02):
    return keras.optimizers.SGD(rate, momentum=0.5)


def block(units, features, name):
    return Sequential(
        [Input((features,)), L.Dense(units, activation="tanh", name=f"{name}_dense"), L.LayerNormalization()], name=name
    )


@case("nested/sequential_in_sequential", numbers(5), numbers(2), covers=("structure: nested models",))
def sequential_in_sequential():
    model = Sequential([Input((5,)), block(4, 5, "one"), L.Dense(3), block(4, 3, "two"), L.Dense(2)])
    model.compile("adam", "mse")
    return model


@case("nested/sequential_in_functional", numbers(5), numbers(5), covers=("structure: nested models",))
def sequential_in_functional():
    inputs = Input((5,))
    x = block(4, 5, "encoder")(inputs)
    x = L.Add()([x, L.Dense(4)(inputs)])
    model = Model(inputs, block(5, 4, "decoder")(x))
    model.compile(sgd(), "mse")
    return model


def functional_block(name):
    a, b = Input((4,), name=f"{name}_a"), Input((3,), name=f"{name}_b")
    x = L.Dense(5, activation="elu", name="inner")(L.Concatenate()([a, b]))
    return Model([a, b], [L.Dense(4, name="first")(x), L.Dense(3, name="second")(x)], name=name)


@case("nested/functional_in_functional", [numbers(4), numbers(3)], numbers(2), covers=("structure: nested models",))
def functional_in_functional():
    a, b = Input((4,), name="a"), Input((3,), name="b")
    x, y = functional_block("one")([a, b])
    x, y = functional_block("two")([x, y])
    model = Model([a, b], L.Dense(2)(L.Concatenate()([x, y])))
    model.compile(sgd(), "mse")
    return model


@case("nested/functional_as_output", numbers(4), numbers(3), covers=("structure: nested models",))
def functional_as_output():
    inner_input = Input((4,), name="inner_input")
    inner = Model(inner_input, L.Dense(3, name="inner_dense")(inner_input), name="inner")
    outer_input = Input((4,), name="outer_input")
    model = Model(outer_input, inner(L.Dense(4, activation="tanh", name="before")(outer_input)), name="outer")
    model.compile(sgd(), "mse")
    return model


@case("nested/functional_in_sequential", numbers(6, 6, 2), classes(3), covers=("structure: nested models",))
def functional_in_sequential():
    inputs = Input((6, 6, 2))
    x = L.Conv2D(3, 3, padding="same", activation="relu")(inputs)
    base = Model(inputs, L.Concatenate()([x, inputs]), name="base")
    model = Sequential([base, L.GlobalAveragePooling2D(), L.Dense(3, activation="softmax")], name="classifier")
    model.compile(sgd(), "sparse_categorical_crossentropy", metrics=["accuracy"])
    return model


@case(
    "nested/shared_model",
    [numbers(5), numbers(5)],
    numbers(1),
    covers=("structure: nested models", "structure: shared layers"),
)
def shared_model():
    inner_input = Input((5,))
    x = L.Dense(6, activation="tanh")(inner_input)
    x = L.BatchNormalization()(x)
    encoder = Model(inner_input, L.Dense(3)(x), name="encoder")
    a, b = Input((5,), name="a"), Input((5,), name="b")
    difference = L.Subtract()([encoder(a), encoder(b)])
    model = Model([a, b], L.Dense(1)(L.Multiply()([difference, difference])), name="siamese")
    model.compile(sgd(), "mse")
    return model


@case("nested/three_deep", numbers(4), numbers(2), covers=("structure: nested models",))
def three_deep():
    inner = Sequential([Input((4,)), L.Dense(4, activation="tanh"), L.Dense(4)], name="inner")
    middle_input = Input((4,), name="middle_input")
    middle = Model(middle_input, L.Add()([inner(middle_input), L.Dense(4)(middle_input)]), name="middle")
    model = Sequential([Input((4,)), L.Dense(4, activation="elu"), middle, L.Dense(2)], name="outer")
    model.compile("adam", "mse")
    return model


@case(
    "nested/partly_frozen",
    numbers(5),
    numbers(2),
    covers=("structure: nested models", "structure: frozen layers"),
    since=(3, 4),
)
def partly_frozen():
    inner = Sequential(
        [
            Input((5,)),
            L.Dense(4, activation="tanh", trainable=False, name="frozen"),
            L.BatchNormalization(name="norm"),
            L.Dense(3, activation="tanh", name="free"),
        ],
        name="inner",
    )
    inputs = Input((5,))
    model = Model(inputs, L.Dense(2, name="head")(inner(inputs)))
    model.compile(sgd(), "mse")
    return model


@case(
    "nested/frozen_base",
    numbers(6, 6, 2),
    classes(3),
    covers=("structure: nested models", "structure: frozen layers", "structure: training=False"),
)
def frozen_base():
    base = Sequential(
        [Input((6, 6, 2)), L.Conv2D(3, 3, use_bias=False), L.BatchNormalization(), L.ReLU(), L.GlobalAveragePooling2D()],
        name="base",
    )
    base.trainable = False
    inputs = Input((6, 6, 2))
    x = base(inputs, training=False)
    model = Model(inputs, L.Dense(3, activation="softmax")(x))
    model.compile("adam", "sparse_categorical_crossentropy")
    return model


def called_for_inference(said):
    """An argument that Rhyton keeps and Keras 3 overrides in `fit`; there, `trainable=False` has the same effect."""
    inputs = Input((5,))
    norm = L.BatchNormalization(name="as_it_is", trainable=said)
    x = L.Dense(4, activation="tanh")(norm(inputs, training=False) if said else norm(inputs))
    x = L.Dropout(0.5)(x, training=False)
    model = Model(inputs, L.Dense(2)(x))
    model.compile(keras.optimizers.SGD(0.02), "mse")
    return model


# The call of a Dropout has training=False in every file, which is ignored: it drops.
@case(
    "nested/call_for_inference",
    numbers(5),
    numbers(2),
    is_random=True,
    drawn_with=lambda: called_for_inference(said=False),
    covers=("structure: training=False",),
)
def call_for_inference():
    return called_for_inference(said=True)
