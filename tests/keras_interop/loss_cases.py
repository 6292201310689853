"""Each loss: as a string and as an object with other arguments than the default ones."""

from cases import case
from library import Input
from library import Sequential
from library import keras
from library import layers as L
from samples import classes
from samples import numbers
from samples import one_hot
from samples import positive
from samples import probabilities
from samples import signs
from samples import words

K = keras.losses


def kept(loss, **arguments):
    """The loss with these arguments, if its configuration has them, which some versions of Keras omit."""
    made = loss(**arguments)
    config = made.get_config()
    return made if all(config.get(key) == value for key, value in arguments.items()) else loss()


def loss_case(name, make, y, units=3, activation=None, axes=(), covers=(), class_name=None, **arguments):
    """`class_name`: of a loss that some versions of Keras lack; tf.keras lacks those that the first Keras 3 lacks."""
    arguments.setdefault("in_tf_keras", "since" not in arguments)
    x = numbers(*axes, 5)
    covers = (f"loss {class_name or make().__class__.__name__}", *covers)

    def network():
        layers = [Input((*axes, 5)), L.Dense(4, activation="tanh"), L.Dense(units, activation=activation)]
        model = Sequential(layers)
        model.compile(keras.optimizers.Adam(0.01), make())
        return model

    case(f"loss/{name}", x, y, covers=covers, **arguments)(network)


def named_loss_case(name, identifier, class_name, y, units=3, activation=None, **arguments):
    arguments.setdefault("in_tf_keras", "since" not in arguments)

    def network():
        model = Sequential([Input((5,)), L.Dense(4, activation="tanh"), L.Dense(units, activation=activation)])
        model.compile(keras.optimizers.Adam(0.01), identifier)
        return model

    case(f"loss/{name}", numbers(5), y, covers=(f"loss {class_name}",), **arguments)(network)


loss_case("mean_squared_error", lambda: K.MeanSquaredError(reduction="sum", name="squares"), numbers(4, 3), axes=(4,))
loss_case("mean_absolute_error", lambda: K.MeanAbsoluteError(), numbers(3))
named_loss_case("mean_absolute_error_string", "mae", "MeanAbsoluteError", numbers(3))
loss_case("mean_absolute_percentage_error", lambda: K.MeanAbsolutePercentageError(reduction="sum"), positive(3))
named_loss_case(
    "mean_absolute_percentage_error_string",
    "mean_absolute_percentage_error",
    "MeanAbsolutePercentageError",
    positive(3),
)
loss_case("mean_squared_logarithmic_error", lambda: K.MeanSquaredLogarithmicError(), positive(3), activation="softplus")
named_loss_case(
    "mean_squared_logarithmic_error_string",
    "msle",
    "MeanSquaredLogarithmicError",
    positive(3),
    activation="exponential",
)
loss_case("log_cosh", lambda: K.LogCosh(name="cosh"), numbers(3))
loss_case("huber", lambda: kept(K.Huber, delta=0.4), numbers(3))
named_loss_case("huber_string", "huber", "Huber", numbers(3))
loss_case("cosine_similarity", lambda: kept(K.CosineSimilarity, axis=1), numbers(4, 3), axes=(4,))
named_loss_case("cosine_similarity_string", "cosine_similarity", "CosineSimilarity", numbers(3))
loss_case("hinge", lambda: K.Hinge(reduction="sum"), signs(3))
named_loss_case("hinge_string", "hinge", "Hinge", signs(3))
loss_case("squared_hinge", lambda: K.SquaredHinge(), signs(3))
named_loss_case("squared_hinge_string", "squared_hinge", "SquaredHinge", signs(3))
loss_case("categorical_hinge", lambda: K.CategoricalHinge(), one_hot(3))
named_loss_case("categorical_hinge_string", "categorical_hinge", "CategoricalHinge", one_hot(3))
loss_case("kl_divergence", lambda: K.KLDivergence(), probabilities(3), activation="softmax")
named_loss_case("kl_divergence_string", "kl_divergence", "KLDivergence", probabilities(3), activation="softmax")
loss_case("poisson", lambda: K.Poisson(reduction="sum"), positive(3), activation="softplus")
loss_case(
    "binary_crossentropy",
    lambda: K.BinaryCrossentropy(label_smoothing=0.2),
    classes(2, 3, dtype="float32"),
    activation="sigmoid",
)
loss_case(
    "binary_crossentropy_of_logits",
    lambda: K.BinaryCrossentropy(from_logits=True, axis=1),
    classes(2, 4, 3, dtype="float32"),
    axes=(4,),
)
named_loss_case(
    "binary_crossentropy_string", "binary_crossentropy", "BinaryCrossentropy", classes(2, 1), 1, "sigmoid"
)
loss_case("categorical_crossentropy", lambda: K.CategoricalCrossentropy(label_smoothing=0.3), one_hot(3), 3, "softmax")
loss_case(
    "categorical_crossentropy_of_logits",
    lambda: K.CategoricalCrossentropy(from_logits=True, reduction="sum"),
    probabilities(3),
)
named_loss_case(
    "categorical_crossentropy_string", "categorical_crossentropy", "CategoricalCrossentropy", one_hot(3), 3, "softmax"
)
loss_case(
    "sparse_categorical_crossentropy",
    lambda: K.SparseCategoricalCrossentropy(ignore_class=1, from_logits=True),
    classes(3),
)
loss_case(
    "sparse_categorical_crossentropy_of_sequences",
    lambda: K.SparseCategoricalCrossentropy(),
    classes(3, 4, dtype="int64"),
    activation="softmax",
    axes=(4,),
)
named_loss_case(
    "sparse_categorical_crossentropy_string",
    "sparse_categorical_crossentropy",
    "SparseCategoricalCrossentropy",
    classes(3, 1),
    3,
    "softmax",
)


# Older versions write fewer arguments, or lack these losses.
loss_case(
    "binary_focal_crossentropy",
    lambda: K.BinaryFocalCrossentropy(apply_class_balancing=True, alpha=0.6, gamma=1.5, label_smoothing=0.1),
    classes(2, 3, dtype="float32"),
    activation="sigmoid",
    class_name="BinaryFocalCrossentropy",
    since=(3, 12),
)
loss_case(
    "binary_focal_crossentropy_of_logits",
    lambda: K.BinaryFocalCrossentropy(from_logits=True, axis=1),
    classes(2, 4, 3, dtype="float32"),
    axes=(4,),
    class_name="BinaryFocalCrossentropy",
    since=(3, 12),
)
named_loss_case(
    "binary_focal_crossentropy_string",
    "binary_focal_crossentropy",
    "BinaryFocalCrossentropy",
    classes(2, 1),
    1,
    "sigmoid",
    since=(3, 12),
)
loss_case(
    "categorical_focal_crossentropy",
    lambda: K.CategoricalFocalCrossentropy(alpha=[0.2, 0.7, 0.4], gamma=1.0, label_smoothing=0.2),
    one_hot(3),
    activation="softmax",
    class_name="CategoricalFocalCrossentropy",
    since=(3, 12),
)
loss_case(
    "categorical_focal_crossentropy_of_logits",
    lambda: K.CategoricalFocalCrossentropy(from_logits=True, reduction="sum"),
    probabilities(3),
    class_name="CategoricalFocalCrossentropy",
    since=(3, 12),
)
named_loss_case(
    "categorical_focal_crossentropy_string",
    "categorical_focal_crossentropy",
    "CategoricalFocalCrossentropy",
    one_hot(3),
    3,
    "softmax",
    since=(3, 12),
)
loss_case(
    "categorical_generalized_cross_entropy",
    lambda: K.CategoricalGeneralizedCrossEntropy(q=0.3),
    classes(3),
    activation="softmax",
    class_name="CategoricalGeneralizedCrossEntropy",
    since=(3, 15),
)
loss_case(
    "dice",
    lambda: K.Dice(axis=(1, 2)),
    classes(2, 4, 3, dtype="float32"),
    activation="sigmoid",
    axes=(4,),
    weight=positive(),
    covers=("sample weights",),
    class_name="Dice",
    since=(3, 12),
)
named_loss_case("dice_string", "dice", "Dice", classes(2, 3, dtype="float32"), 3, "sigmoid", since=(3, 12))
loss_case(
    "tversky",
    lambda: K.Tversky(alpha=0.3, beta=0.8, axis=-1),
    classes(2, 4, 3, dtype="float32"),
    activation="sigmoid",
    axes=(4,),
    class_name="Tversky",
    since=(3, 12),
)
named_loss_case("tversky_string", "tversky", "Tversky", classes(2, 3, dtype="float32"), 3, "sigmoid", since=(3, 12))
loss_case("ctc", lambda: K.CTC(reduction="sum"), classes(4, 3), units=4, axes=(9,), class_name="CTC", since=(3, 12))


# Embeddings of length 1, several in each class of a batch.
@case("loss/circle", numbers(5), classes(3), covers=("loss Circle",), since=(3, 12), in_tf_keras=False)
def circle():
    layers = [Input((5,)), L.Dense(4, activation="tanh"), L.Dense(3), L.UnitNormalization()]
    model = Sequential(layers)
    model.compile(keras.optimizers.Adam(0.001), K.Circle(gamma=4.0, margin=0.25, remove_diagonal=False))
    return model


@case("loss/circle_string", numbers(5), classes(3, 1), covers=("loss Circle",), since=(3, 12), in_tf_keras=False)
def circle_string():
    model = Sequential([Input((5,)), L.Dense(3), L.UnitNormalization()])
    model.compile(keras.optimizers.SGD(0.0001), "circle")
    return model


# Labels of different lengths.
@case("loss/ctc_string", numbers(12, 5), words(5, 4), covers=("loss CTC",), since=(3, 12), in_tf_keras=False)
def ctc_string():
    model = Sequential([Input((12, 5)), L.Dense(6, activation="tanh"), L.Dense(5)])
    model.compile(keras.optimizers.Adam(0.01), "ctc")
    return model
