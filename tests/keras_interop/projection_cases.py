"""EinsumDense and Dot, and the layers that bring their inputs into shape: RepeatVector and Permute."""

from cases import case
from library import Input
from library import Model
from library import Sequential
from library import keras
from library import layers as L
from samples import numbers


def sgd(rate=0.02):
    return keras.optimizers.SGD(rate, momentum=0.5)


@case("projection/einsum_dense", numbers(5), numbers(3))
def einsum_dense():
    model = Sequential(
        [
            Input((5,)),
            L.EinsumDense("ab,bc->ac", 6, activation="tanh", bias_axes="c"),
            L.EinsumDense("...x,xy->...y", 3, bias_axes="y", kernel_regularizer="l2", bias_initializer="ones"),
        ]
    )
    model.compile(sgd(), "mse")
    return model


@case("projection/heads", numbers(4, 5), numbers(4, 3), in_tf_keras=False, since=(3, 5))
def heads():
    model = Sequential(
        [
            Input((4, 5)),
            L.EinsumDense("abc,cde->abde", (4, 2, 3), bias_axes="de", kernel_initializer="he_normal"),
            L.EinsumDense("abde,dec->abc", (4, 6), bias_axes="c", activation="elu"),
            L.EinsumDense("abc,bcd->abd", (4, 5), bias_axes="bd", activity_regularizer="l2"),
            L.EinsumDense("...x,xy->...y", 3),
        ]
    )
    model.compile("adam", "mse")
    return model


@case("projection/mixing_of_steps", numbers(6, 4), numbers(3, 4))
def mixing_of_steps():
    model = Sequential(
        [
            Input((6, 4)),
            L.EinsumDense("ab...,bc->ac...", 5, bias_axes="c", activation="tanh"),
            L.EinsumDense("abc,bd->adc", (3, None)),
        ]
    )
    model.compile(sgd(), "mse")
    return model


@case("projection/dot_of_vectors", [numbers(4), numbers(6)], numbers(1))
def dot_of_vectors():
    a, b = Input((4,), name="a"), Input((6,), name="b")
    model = Model([a, b], L.Dot(axes=1)([L.Dense(5)(a), L.Dense(5)(b)]))
    model.compile(sgd(), "mse")
    return model


@case("projection/cosine_similarity", [numbers(4), numbers(6)], numbers(1))
def cosine_similarity():
    a, b = Input((4,), name="a"), Input((6,), name="b")
    model = Model([a, b], L.Dot(axes=-1, normalize=True)([L.Dense(5)(a), L.Dense(5)(b)]))
    model.compile(sgd(), "mse")
    return model


@case("projection/attention", [numbers(3, 4), numbers(5, 4)], numbers(3, 2))
def attention():
    queries, values = Input((3, 4), name="queries"), Input((5, 4), name="values")
    # A bias of the keys would change nothing: softmax does not depend on it.
    keys = L.Permute((2, 1))(L.Dense(6, use_bias=False)(values))
    scores = L.Softmax()(L.Dot(axes=(2, 1))([L.Dense(6)(queries), keys]))
    model = Model([queries, values], L.Dense(2)(L.Dot(axes=(2, 1))([scores, values])))
    model.compile(sgd(), "mse")
    return model


@case("projection/repeated_code", numbers(5), numbers(4, 3))
def repeated_code():
    model = Sequential(
        [
            Input((5,)),
            L.Dense(3, activation="tanh"),
            L.RepeatVector(4),
            L.EinsumDense("abc,bcd->abd", (4, 6), bias_axes="d", activation="elu"),
            L.Dense(3),
        ]
    )
    model.compile(sgd(), "mse")
    return model


@case("projection/permuted_images", numbers(4, 5, 2), numbers(3))
def permuted_images():
    model = Sequential(
        [Input((4, 5, 2)), L.Permute((3, 1, 2)), L.Dense(3, activation="tanh"), L.Flatten(), L.Dense(3)]
    )
    model.compile(sgd(), "mse")
    return model
