"""ReversibleEmbedding: models of language, which give a number for each token."""

from cases import case
from cases import formats_in_turn
from library import Input
from library import Model
from library import keras
from library import layers as L
from samples import classes
from samples import integers
from samples import words

TOKENS, STEPS = 9, 5


def language_case(name, hidden=lambda x: L.Dense(6, activation="tanh")(x), x=None, optimizer=None, **arguments):
    case_arguments = {key: arguments.pop(key) for key in ("formats", "is_disturbed") if key in arguments}
    case_arguments.setdefault("formats", formats_in_turn())

    def make():
        layer = L.ReversibleEmbedding(TOKENS, 6, **arguments)
        tokens = Input((STEPS,), dtype="int32")
        model = Model(tokens, layer(hidden(layer(tokens)), reverse=True))
        loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        model.compile(optimizer() if optimizer else keras.optimizers.SGD(0.1), loss, metrics=["accuracy"])
        return model

    case(
        f"embedding/{name}",
        x or integers(TOKENS, STEPS),
        classes(TOKENS, STEPS),
        steps=8,
        since=(3, 15),
        in_tf_keras=False,
        **case_arguments,
    )(make)


ALL_FORMATS = ("keras", "h5", "weights.h5")


def recurrent(x):
    return L.GRU(6, return_sequences=True)(x)


language_case("reversible", formats=ALL_FORMATS)
# The gradient of tied weights is dense, so that each optimizer computes the same on all backends.
language_case("reversible_adam", optimizer=lambda: keras.optimizers.Adam(0.01))
language_case("reversible_own_weights", tie_weights=False, formats=ALL_FORMATS)
language_case("reversible_capped", logit_soft_cap=1.5)
language_case("reversible_masked", recurrent, words(TOKENS, STEPS), mask_zero=True)
language_case("reversible_masked_own_weights", recurrent, words(TOKENS, STEPS), mask_zero=True, tie_weights=False)
language_case("reversible_float64", reverse_dtype="float64", logit_soft_cap=5)
language_case(
    "reversible_regularized",
    embeddings_initializer="normal",
    embeddings_regularizer=keras.regularizers.L2(0.01),
    activity_regularizer=keras.regularizers.L1(0.01),
    tie_weights=False,
)
