"""initializers.json: statistics of every initializer over many draws, with the
analytic values; exact values of those that draw nothing.

Keras's random values belong to its backend; only their distribution can be
compared. "draws" tensors of one shape are drawn with the seeds 0, 1, ...; mean,
stddev, min and max are those of all their elements together.
"""

import math

from common import Golden
from common import array
from common import keras
from common import np
from common import serialized

I = keras.initializers
golden = Golden("initializers")
ELEMENTS = 400_000
TRUNCATION = 0.87962566103423978
SHAPES = {
    "dense": (120, 80),
    "wide": (10, 500),
    "conv": (3, 3, 16, 32),
    "bias": (300,),
    "embedding": (1000, 16),
}


def fans(shape):
    if len(shape) == 1:
        return shape[0], shape[0]
    field = math.prod(shape[:-2])
    return shape[-2] * field, shape[-1] * field


def expected(distribution, mean=0.0, stddev=None, low=None, high=None):
    """Mean, standard deviation and the limits of all values."""
    if distribution == "uniform":
        stddev = (high - low) / math.sqrt(12)
        mean = (low + high) / 2
    elif distribution == "truncated_normal":
        low, high = mean - 2 * stddev, mean + 2 * stddev
        stddev = stddev * TRUNCATION
    return {
        "distribution": distribution,
        "mean": mean,
        "stddev": stddev,
        "low": low,
        "high": high,
    }


def scaled(scale, mode, distribution, shape):
    fan_in, fan_out = fans(shape)
    n = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2}[mode]
    s = scale / max(1.0, n)
    if distribution == "uniform":
        limit = math.sqrt(3 * s)
        return expected("uniform", low=-limit, high=limit)
    if distribution == "truncated_normal":
        return expected("truncated_normal", stddev=math.sqrt(s) / TRUNCATION)
    return expected("normal", stddev=math.sqrt(s))


def random(name, make, analytic, shapes=SHAPES):
    """make: function of a seed; analytic: function of a shape."""
    for label, shape in shapes.items():
        draws = max(2, ELEMENTS // math.prod(shape))
        values = np.stack([array(make(seed)(shape)) for seed in range(draws)])
        values = values.astype("float64")
        data = serialized(make(None))
        data["config"]["seed"] = None
        theory = analytic(shape)
        measured = {
            "mean": values.mean(),
            "stddev": values.std(),
            "min": values.min(),
            "max": values.max(),
        }
        if theory["low"] is not None:
            # Up to the rounding of float32.
            slack = 1e-6 * max(abs(theory["low"]), abs(theory["high"]))
            assert theory["low"] - slack <= measured["min"], name
            assert measured["max"] <= theory["high"] + slack, name
        assert abs(measured["mean"] - theory["mean"]) < 0.02 * theory["stddev"], name
        assert abs(measured["stddev"] / theory["stddev"] - 1) < 0.02, (name, label)
        golden.add(
            {
                "name": f"{name}_{label}",
                "class_name": data["class_name"],
                "config": data["config"],
                "shape": list(shape),
                "draws": draws,
                "elements": values.size,
                "measured": {k: float(f"{v:.6g}") for k, v in measured.items()},
                "expected": theory,
            }
        )


def exact(name, initializer, shape):
    data = serialized(initializer)
    golden.add(
        {
            "name": name,
            "class_name": data["class_name"],
            "config": data["config"],
            "shape": list(shape),
            "values": array(initializer(shape)).astype("float64").ravel().tolist(),
        }
    )


exact("zeros", I.Zeros(), (3, 4))
exact("zeros_scalar", I.Zeros(), ())
exact("ones", I.Ones(), (2, 3, 2))
exact("constant", I.Constant(0.25), (5,))
exact("constant_default", I.Constant(), (2, 2))
exact("identity", I.Identity(), (3, 3))
exact("identity_wide_gain_2", I.Identity(gain=2.0), (2, 4))
exact("identity_tall", I.Identity(), (4, 2))

# The windows that SciPy knows by a name without parameters.
WINDOWS = (
    "barthann bartlett blackman blackmanharris bohman boxcar cosine exponential flattop hamming hann lanczos nuttall "
    "parzen taylor triang tukey hann_periodic hamming_symmetric"
).split()
for window in WINDOWS:
    for label, frames, periodic in (("even", 10, False), ("odd", 9, False), ("periodic", 10, True)):
        initializer = I.STFT("real", window, None, periodic)
        # Frequency 0: the window itself.
        exact(f"stft_{window}_{label}", initializer, (frames, 1, 2))
for side in ("real", "imag"):
    for scaling in ("density", "spectrum", None):
        exact(f"stft_{side}_{scaling}", I.STFT(side, scaling=scaling), (7, 1, 5))
exact("stft_default", I.STFT(), (12, 1, 9))
exact("stft_without_window", I.STFT("imag", None), (4, 1, 3))
exact("stft_given_window", I.STFT("real", [0.5, 1.0, 1.5, -0.25], "spectrum", True), (4, 1, 5))
exact("stft_one_element", I.STFT(), (1, 1, 3))

random(
    "random_normal",
    lambda seed: I.RandomNormal(seed=seed),
    lambda shape: expected("normal", stddev=0.05),
)
random(
    "random_normal_arguments",
    lambda seed: I.RandomNormal(mean=1.5, stddev=0.5, seed=seed),
    lambda shape: expected("normal", mean=1.5, stddev=0.5),
    {"dense": (120, 80)},
)
random(
    "truncated_normal",
    lambda seed: I.TruncatedNormal(seed=seed),
    lambda shape: expected("truncated_normal", stddev=0.05),
)
random(
    "random_uniform",
    lambda seed: I.RandomUniform(seed=seed),
    lambda shape: expected("uniform", low=-0.05, high=0.05),
)
random(
    "random_uniform_arguments",
    lambda seed: I.RandomUniform(minval=1.0, maxval=4.0, seed=seed),
    lambda shape: expected("uniform", low=1.0, high=4.0),
    {"dense": (120, 80)},
)
for name, cls, scale, mode, distribution in (
    ("glorot_uniform", I.GlorotUniform, 1, "fan_avg", "uniform"),
    ("glorot_normal", I.GlorotNormal, 1, "fan_avg", "truncated_normal"),
    ("he_uniform", I.HeUniform, 2, "fan_in", "uniform"),
    ("he_normal", I.HeNormal, 2, "fan_in", "truncated_normal"),
    ("lecun_uniform", I.LecunUniform, 1, "fan_in", "uniform"),
    ("lecun_normal", I.LecunNormal, 1, "fan_in", "truncated_normal"),
):
    random(
        name,
        lambda seed: cls(seed=seed),
        lambda shape: scaled(scale, mode, distribution, shape),
    )
random(
    "variance_scaling",
    lambda seed: I.VarianceScaling(seed=seed),
    lambda shape: scaled(1.0, "fan_in", "truncated_normal", shape),
)
for mode in ("fan_in", "fan_out", "fan_avg"):
    for distribution in ("truncated_normal", "untruncated_normal", "uniform"):
        random(
            f"variance_scaling_{mode}_{distribution}",
            lambda seed: I.VarianceScaling(2.5, mode, distribution, seed=seed),
            lambda shape: scaled(2.5, mode, distribution, shape),
            {"conv": (3, 3, 16, 32)},
        )


def orthogonal(gain):
    # rows or columns of unit norm times the gain: the mean square is
    # gain^2 / max(rows, columns).
    def analytic(shape):
        rows, columns = math.prod(shape[:-1]), shape[-1]
        return expected("orthogonal", stddev=gain / math.sqrt(max(rows, columns)))

    return analytic


ORTHOGONAL = {"dense": (120, 80), "wide": (40, 90), "conv": (3, 3, 8, 16)}
random("orthogonal", lambda seed: I.Orthogonal(seed=seed), orthogonal(1.0), ORTHOGONAL)
random(
    "orthogonal_gain_2",
    lambda seed: I.Orthogonal(gain=2.0, seed=seed),
    orthogonal(2.0),
    {"dense": (120, 80)},
)

golden.save()
