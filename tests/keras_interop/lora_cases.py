"""Layers with LoRA. Files in HDF5 have their matrices; the others have sums, of which other trainings follow."""

from cases import case
from library import Input
from library import Sequential
from library import keras
from library import layers as L
from samples import integers
from samples import numbers


def lora_case(name, x, y, make_layers, formats=("h5",), **arguments):
    def make():
        model = Sequential(make_layers())
        model.compile(keras.optimizers.Adam(0.01), "mse")
        return model

    case(f"lora/{name}", x, y, steps=8, since=(3, 15), in_tf_keras=False, formats=formats, **arguments)(make)


lora_case(
    "dense",
    numbers(5),
    numbers(3),
    lambda: [Input((5,)), L.Dense(6, activation="tanh", kernel_regularizer="l2", lora_rank=2), L.Dense(3)],
)
lora_case(
    "einsum_dense",
    numbers(4, 5),
    numbers(4, 3),
    lambda: [
        Input((4, 5)),
        L.EinsumDense("abc,cde->abde", (None, 2, 3), bias_axes="de", lora_rank=2, lora_alpha=3),
        L.EinsumDense("abde,def->abf", (None, 3)),
    ],
)
lora_case(
    "embedding",
    integers(9, 6),
    numbers(3),
    lambda: [Input((6,), dtype="int32"), L.Embedding(9, 4, lora_rank=2), L.GlobalAveragePooling1D(), L.Dense(3)],
)
lora_case(
    "convolution",
    numbers(6, 6, 2),
    numbers(3),
    lambda: [
        Input((6, 6, 2)),
        L.Conv2D(4, 3, activation="tanh", lora_rank=2, lora_alpha=5),
        L.Flatten(),
        L.Dense(3),
    ],
)
