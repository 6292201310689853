"""Quantized models. Kernels stay as they are; the training is that of biases, of other layers and of LoRA's matrices."""

import warnings

from cases import case
from library import Input
from library import Sequential
from library import keras
from library import layers as L
from samples import integers
from samples import numbers


def quantized_case(name, x, y, make_layers, formats=("keras", "h5", "weights.h5"), config=None, **arguments):
    def make():
        model = Sequential(make_layers())
        with warnings.catch_warnings():
            # Layers that cannot be quantized.
            warnings.simplefilter("ignore")
            model.quantize("int8", config=config() if config else None)
        model.compile(keras.optimizers.Adam(0.01), "mse")
        return model

    arguments = {"steps": 8, "since": (3, 15), "in_tf_keras": False, "is_disturbed": False, **arguments}
    case(f"quantization/{name}", x, y, formats=formats, **arguments)(make)


def weights_only():
    return keras.quantizers.Int8QuantizationConfig(activation_quantizer=None)


quantized_case(
    "dense",
    numbers(5),
    numbers(3),
    lambda: [Input((5,)), L.Dense(6, activation="tanh"), L.LayerNormalization(), L.Dense(3)],
)
quantized_case(
    "weights_only",
    numbers(5),
    numbers(3),
    lambda: [Input((5,)), L.Dense(6, activation="tanh"), L.Dense(3)],
    config=weights_only,
)
quantized_case(
    "einsum_dense",
    numbers(4, 5),
    numbers(4, 3),
    lambda: [
        Input((4, 5)),
        L.EinsumDense("abc,cde->abde", (None, 2, 3), bias_axes="de"),
        L.EinsumDense("abde,def->abf", (None, 3), bias_axes="f"),
    ],
)
quantized_case(
    "embedding",
    integers(9, 6),
    numbers(3),
    lambda: [Input((6,), dtype="int32"), L.Embedding(9, 4), L.GlobalAveragePooling1D(), L.Dense(3)],
)
quantized_case(
    "lora",
    numbers(5),
    numbers(3),
    lambda: [Input((5,)), L.Dense(6, activation="tanh", lora_rank=2), L.Dense(3)],
    formats=("h5",),
)
