"""spectrogram_layers.json, .npz: STFTSpectrogram and MelSpectrogram, each called once, with their gradients."""

from common import keras
from common import np
from common import tf
from layer_cases import LayerCases
from layer_cases import floats
from layer_cases import ints

L = keras.layers
cases = LayerCases("spectrogram_layers")
case = cases.case

conv = keras.src.ops.conv


def transposing(inputs, kernel, data_format, **arguments):
    """Channels first, which TensorFlow's CPU kernels lack, by channels last."""
    if data_format == "channels_last":
        return conv(inputs, kernel, data_format=data_format, **arguments)
    outputs = conv(tf.transpose(inputs, (0, 2, 1)), kernel, data_format="channels_last", **arguments)
    return tf.transpose(outputs, (0, 2, 1))


keras.src.ops.conv = transposing

MODES = ["log", "magnitude", "psd", "real", "imag", "angle", "stft"]


def positive(*shapes):
    """Of others some frequencies have so little power that the logarithm's derivative multiplies rounding errors."""
    return lambda rng: [np.abs(x) for x in floats(*shapes)(rng)]


def stft(name, inputs, frame_length=6, **arguments):
    case(f"stft_{name}", lambda: L.STFTSpectrogram(frame_length=frame_length, **arguments), inputs)


for mode in MODES:
    stft(f"{mode}", floats((2, 17, 3)), mode=mode)
    stft(f"{mode}_images", floats((2, 17, 3)), mode=mode, expand_dims=True, padding="same", frame_step=4)
    first = {"mode": mode, "data_format": "channels_first"}
    stft(f"{mode}_channels_first", floats((2, 3, 17)), **first, padding="same")
    stft(f"{mode}_channels_first_images", floats((2, 3, 17)), **first, expand_dims=True)
stft("long", positive((1, 100, 1)), frame_length=32, frame_step=5, fft_length=64)
stft("odd", floats((2, 17, 1)), frame_length=5, fft_length=9, mode="stft")
stft("every_element", floats((2, 9, 1)), frame_step=1, padding="same", mode="psd")
stft("one_frame", floats((2, 6, 2)))
stft("shorter_than_a_frame", floats((2, 4, 2)), padding="same")
stft("without_window", floats((2, 17, 1)), window=None, scaling=None)
stft("given_window", floats((2, 17, 1)), window=[0.5, 1.0, 1.5, 1.5, 1.0, 0.5], scaling="spectrum", periodic=True)
stft("frozen", floats((2, 17, 1)), trainable=False)
stft("penalty", floats((2, 17, 1)), mode="real", activity_regularizer=keras.regularizers.L2(0.1))


def mel(name, inputs, **arguments):
    options = {"fft_length": 16, "sequence_stride": 5, "sampling_rate": 100, "num_mel_bins": 4} | arguments
    case(f"mel_{name}", lambda: L.MelSpectrogram(**options), inputs)


mel("batch", floats((2, 40)))
mel("signal", floats((40,)))
mel("channels", floats((2, 3, 40)))
mel("integers", ints(100, (2, 40)))
mel("odd", floats((2, 40)), fft_length=15, sequence_stride=4)
mel("stride_divides", floats((2, 39)), power_to_db=False)
mel("shortest", floats((2, 9)))
mel("shorter_window", floats((2, 40)), sequence_length=10, window="hamming")
mel("without_window", floats((2, 40)), window=None)
mel("given_window", floats((2, 40)), window=[float(i % 5) for i in range(16)])
mel("limits", floats((2, 40)), min_freq=5.0, max_freq=30.5, sampling_rate=101)
mel("power", floats((2, 40)), power_to_db=False)
mel("magnitude", floats((2, 40)), power_to_db=False, mag_exp=1.0)
mel("narrow", floats((2, 40)), top_db=6.0)
mel("reference", floats((2, 40)), ref_power=-2.5, min_power=0.125)
# The band without a frequency has the least power, which `top_db` raises.
mel("empty_band", floats((2, 60)), fft_length=32, sampling_rate=8000, num_mel_bins=40)
mel("usual", lambda rng: [np.sin(np.arange(6000) / 7).astype("float32")], fft_length=2048, sequence_stride=512,
    sampling_rate=16000, num_mel_bins=128, power_to_db=False)

cases.save()
