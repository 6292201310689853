"""preprocessing_layers.json, preprocessing_layers.npz: preprocessing layers, each called once, with their gradients."""

from common import keras
from common import np
from layer_cases import LayerCases
from layer_cases import floats
from layer_cases import ints

L = keras.layers
cases = LayerCases("preprocessing_layers")
case = cases.case

# Normalization with weights: mean, variance, count. Keras uses new weights once its state is final.


def adapted_case(name, make, inputs):
    case(name, make, inputs, built=lambda layer: layer.finalize_state())


adapted_case("normalization", lambda: L.Normalization(), floats((5, 4)))
adapted_case("normalization_invert", lambda: L.Normalization(invert=True), floats((5, 4)))
adapted_case("normalization_all", lambda: L.Normalization(axis=None), floats((5, 4)))
adapted_case("normalization_axis_1", lambda: L.Normalization(axis=1), floats((3, 4, 2)))
adapted_case("normalization_two_axes", lambda: L.Normalization(axis=(-1, 1)), floats((3, 4, 2, 3)))
adapted_case("normalization_every_axis", lambda: L.Normalization(axis=(0, 1)), floats((3, 2)))
adapted_case("normalization_images", lambda: L.Normalization(), floats((2, 3, 4, 3)))
adapted_case("normalization_integers", lambda: L.Normalization(), ints(10, (4, 3)))
# With given values.
case("normalization_given", lambda: L.Normalization(mean=3.0, variance=2.0), floats((4, 3)))
case("normalization_given_integers", lambda: L.Normalization(mean=3, variance=2, invert=True), floats((4, 3)))
case(
    "normalization_given_channels",
    lambda: L.Normalization(mean=[0.485, 0.456, 0.406], variance=[0.05, 0.0, 1e-20]),
    floats((2, 3, 4, 3)),
)
case(
    "normalization_given_channels_first",
    lambda: L.Normalization(axis=1, mean=[0.485, 0.456, 0.406], variance=[0.05, 0.5, 2.0]),
    floats((2, 3, 4, 5)),
)
case("normalization_given_one", lambda: L.Normalization(mean=[0.25], variance=[4.0]), floats((4, 3)))
case(
    "normalization_given_two_axes",
    lambda: L.Normalization(axis=(1, 2), mean=np.arange(6.0).reshape(2, 3), variance=np.ones((2, 3)) / 4),
    floats((4, 2, 3)),
)
case(
    "normalization_given_fewer_axes",
    lambda: L.Normalization(axis=(1, 2), mean=[1.0, 2.0, 3.0], variance=[1.0, 2.0, 3.0], invert=True),
    floats((4, 2, 3)),
)

cases.save()
