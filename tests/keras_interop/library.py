"""The library that the cases are made with: `keras`, or `tf.keras` where INTEROP_LIBRARY says so.

Import this module before keras: it selects the backend and makes TensorFlow deterministic.
"""

import gc
import os
import pathlib
import traceback

os.environ.setdefault("KERAS_BACKEND", "tensorflow")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")

IS_TF_KERAS = os.environ.get("INTEROP_LIBRARY", "keras") == "tf.keras"

import absl.logging  # noqa: E402
import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402

if IS_TF_KERAS:
    keras = tf.keras
else:
    import keras  # noqa: E402

tf.config.threading.set_intra_op_parallelism_threads(1)
tf.config.threading.set_inter_op_parallelism_threads(1)
tf.config.experimental.enable_op_determinism()
gc.freeze()  # Keras collects garbage for each model: exclude the objects of these imports
tf.get_logger().setLevel("ERROR")
absl.logging.set_verbosity("error")  # Keras warns about each legacy file

VERSION = tf.__version__ if IS_TF_KERAS else keras.__version__
VERSION_NUMBERS = tuple(int(part) for part in VERSION.split(".")[:2])
# Its name in results.
NAME = ("tf.keras " if IS_TF_KERAS else "Keras ") + VERSION

layers = keras.layers
Model = keras.Model
Sequential = keras.Sequential
Input = keras.Input


def array(value):
    """The elements of a variable of keras or tf.keras."""
    return np.asarray(tf.convert_to_tensor(value))


def raised(error):
    """Whether the library raised this error, and not a program of this folder."""
    file = pathlib.Path(traceback.extract_tb(error.__traceback__)[-1].filename)
    return any(folder.name in ("keras", "tensorflow") for folder in file.parents)
