"""STFTSpectrogram and MelSpectrogram. Windows are numbers or none: with a name, Keras needs SciPy."""

from cases import case
from cases import formats_in_turn
from library import Input
from library import Model
from library import keras
from library import layers as L
from samples import numbers

WINDOW = [0.25, 0.75, 1.0, 1.0, 0.75, 0.5, 0.25, 0.125]


def spectrogram_case(name, make_layer, shape, reduce, learning_rate=1e-4, **arguments):
    """Behind a layer with weights, so that the gradient goes through the spectrogram."""

    def make():
        inputs = Input(shape)
        features = L.Dense(shape[-1], activation="tanh")(inputs)
        y = L.Dense(2)(reduce()(make_layer()(features)))
        model = Model(inputs, y)
        model.compile(keras.optimizers.SGD(learning_rate), "mse")
        return model

    arguments.setdefault("formats", formats_in_turn())
    x = [33 if length is None else length for length in shape]
    case(f"preprocessing/{name}", numbers(*x), numbers(2), steps=6, since=(3, 15), in_tf_keras=False, **arguments)(make)


for mode in ("log", "magnitude", "psd", "real", "imag", "stft"):
    spectrogram_case(
        f"stft_spectrogram/{mode}",
        lambda mode=mode: L.STFTSpectrogram(mode=mode, frame_length=8, frame_step=3, window=None),
        (33, 2),
        L.Flatten,
    )
spectrogram_case(
    "stft_spectrogram/window",
    lambda: L.STFTSpectrogram(
        frame_length=8, fft_length=16, window=WINDOW, scaling="spectrum", padding="same", expand_dims=True
    ),
    (33, 2),
    L.Flatten,
    formats=("keras", "h5", "weights.h5"),
)
spectrogram_case(
    "stft_spectrogram/frozen",
    lambda: L.STFTSpectrogram(mode="magnitude", frame_length=8, window=WINDOW, scaling=None, trainable=False),
    (None, 3),
    L.GlobalAveragePooling1D,
)
for name, options in {
    "decibels": {},
    "power": {"power_to_db": False, "window": WINDOW, "sequence_length": 8},
    "magnitudes": {"power_to_db": False, "mag_exp": 1.0, "min_freq": 100.0, "max_freq": 3000.0},
}.items():
    spectrogram_case(
        f"mel_spectrogram/{name}",
        lambda options=options: L.MelSpectrogram(
            **{"fft_length": 16, "sequence_stride": 4, "window": None, "num_mel_bins": 4, "sampling_rate": 8000} | options
        ),
        (32,),
        L.Flatten,
        learning_rate=1e-6 if name == "decibels" else 1e-4,  # tens of decibels
        formats=("keras", "h5", "weights.h5") if name == "decibels" else formats_in_turn(),
    )
