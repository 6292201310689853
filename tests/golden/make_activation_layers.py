"""activation_layers.json, .npz: activations with arguments, and what regularizing layers compute without noise, each
called once, with their gradients."""

from common import keras
from layer_cases import LayerCases
from layer_cases import floats
from layer_cases import ints

L = keras.layers
R = keras.regularizers
cases = LayerCases("activation_layers")
case = cases.case

SHAPES = {"vectors": (4, 5), "sequences": (2, 3, 4), "images": (2, 3, 4, 2), "flat": (7,)}

for name, shape in SHAPES.items():
    case(f"leaky_relu_{name}", lambda: L.LeakyReLU(), floats(shape))
    case(f"elu_{name}", lambda: L.ELU(), floats(shape))
    case(f"prelu_{name}", lambda: L.PReLU(), floats(shape))
    case(f"relu_{name}", lambda: L.ReLU(max_value=1.0, negative_slope=0.2, threshold=0.1), floats(shape))
for slope in (0.0, 0.01, 1.0, 1.5):
    case(f"leaky_relu_slope_{slope}", lambda: L.LeakyReLU(negative_slope=slope), floats((3, 4)))
for alpha in (0.0, 0.5, 2.5, -1.0):
    case(f"elu_alpha_{alpha}", lambda: L.ELU(alpha=alpha), floats((3, 4)))
case("elu_large", lambda: L.ELU(alpha=0.3), floats((3, 4), scale=30.0))

for name, axes in {"1": 1, "1_of_list": [1], "1_2": [1, 2], "2_1": (2, 1), "all": [1, 2, 3], "none": []}.items():
    case(f"prelu_shared_{name}", lambda: L.PReLU(shared_axes=axes), floats((2, 3, 4, 2)))
case("prelu_shared_0", lambda: L.PReLU(shared_axes=[0]), floats((2, 3, 4)))
case("prelu_shared_-1", lambda: L.PReLU(shared_axes=[-1]), floats((2, 3, 4)))
case(
    "prelu_regularized",
    lambda: L.PReLU(alpha_initializer="ones", alpha_regularizer=R.L1L2(0.01, 0.02), shared_axes=[1]),
    floats((2, 3, 4)),
)
case("prelu_constant", lambda: L.PReLU(alpha_initializer=keras.initializers.Constant(0.25)), floats((2, 5)))

for name, arguments in {
    "max_6": dict(max_value=6.0),
    "max_0": dict(max_value=0.0),
    "slope": dict(negative_slope=0.3),
    "threshold": dict(threshold=0.5),
    "slope_and_threshold": dict(negative_slope=0.3, threshold=0.5),
    "slope_and_max": dict(negative_slope=0.3, max_value=0.5),
}.items():
    case(f"relu_{name}", lambda: L.ReLU(**arguments), floats((3, 6), scale=3.0))
for name, axis in {"0": 0, "1": 1, "list": [2], "1_2": [1, 2], "0_-1": [0, -1]}.items():
    case(f"softmax_{name}", lambda: L.Softmax(axis=axis), floats((2, 3, 4)))

case("identity", lambda: L.Identity(), floats((2, 3)))
case("identity_integers", lambda: L.Identity(), ints(9, (2, 3)))

for name, arguments in {
    "default": {},
    "l1": dict(l1=0.1),
    "l2": dict(l2=0.2),
    "both": dict(l1=0.03, l2=0.01),
}.items():
    case(f"activity_regularization_{name}", lambda: L.ActivityRegularization(**arguments), floats((3, 2, 4)))

FIRST = dict(data_format="channels_first")
NOISY = {
    "spatial_dropout1d": (lambda rate, **a: L.SpatialDropout1D(rate, **a), (2, 3, 4), {}),
    "spatial_dropout2d": (lambda rate, **a: L.SpatialDropout2D(rate, **a), (2, 3, 2, 4), {}),
    "spatial_dropout2d_first": (lambda rate, **a: L.SpatialDropout2D(rate, **a), (2, 3, 2, 4), FIRST),
    "spatial_dropout3d": (lambda rate, **a: L.SpatialDropout3D(rate, **a), (1, 2, 3, 2, 2), {}),
    "spatial_dropout3d_first": (lambda rate, **a: L.SpatialDropout3D(rate, **a), (1, 2, 3, 2, 2), FIRST),
    "gaussian_noise": (lambda rate, **a: L.GaussianNoise(rate, **a), (3, 4), {}),
    "gaussian_dropout": (lambda rate, **a: L.GaussianDropout(rate, **a), (3, 4), {}),
    "alpha_dropout": (lambda rate, **a: L.AlphaDropout(rate, **a), (3, 4), {}),
    "alpha_dropout_of_rows": (lambda rate, **a: L.AlphaDropout(rate, **a), (3, 4), dict(noise_shape=(None, 1))),
}
for name, (make, shape, arguments) in NOISY.items():
    case(f"{name}_in_inference", lambda: make(0.4, seed=7, **arguments), floats(shape))
    case(f"{name}_without_noise", lambda: make(0.0, **arguments), floats(shape), training=True)
cases.save()
