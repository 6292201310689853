#!/usr/bin/env python3
"""The MNIST CNN in Keras with TensorFlow: seconds per warm epoch."""

import time

import measurement

arguments = measurement.parse_arguments(__doc__)
measurement.restart_with(
    {
        **measurement.TUNED_MALLOC,
        "KERAS_BACKEND": "tensorflow",
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "CUDA_VISIBLE_DEVICES": "-1",
        "OMP_NUM_THREADS": str(arguments.threads),
    }
)

import mnist_idx  # noqa: E402
import tensorflow as tf  # noqa: E402

tf.config.threading.set_intra_op_parallelism_threads(arguments.threads)
# More than the threads there are would let ops run side by side on one core.
tf.config.threading.set_inter_op_parallelism_threads(arguments.threads)

import keras  # noqa: E402
from keras import layers  # noqa: E402


class EpochTimes(keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.seconds = []

    def on_epoch_begin(self, epoch, logs=None):
        self.start = time.perf_counter()

    def on_epoch_end(self, epoch, logs=None):
        self.seconds.append(time.perf_counter() - self.start)


def make_model():
    model = keras.Sequential(
        [
            keras.Input((28, 28, 1)),
            layers.Conv2D(32, 3, activation="relu"),
            layers.MaxPooling2D(2),
            layers.Conv2D(64, 3, activation="relu"),
            layers.MaxPooling2D(2),
            layers.Conv2D(64, 3, activation="relu"),
            layers.Flatten(),
            layers.Dense(64, activation="relu"),
            layers.Dense(10),
        ]
    )
    model.compile(
        optimizer=keras.optimizers.Adam(1e-3),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    return model


def main():
    keras.utils.set_random_seed(0)
    images, labels = mnist_idx.load_training_data(arguments.limit)
    images = images[..., None]
    model = make_model()
    warm_up = measurement.WARM_UP_SAMPLES
    model.fit(images[:warm_up], labels[:warm_up], batch_size=64, verbose=0)
    times = EpochTimes()
    history = model.fit(images, labels, batch_size=64, epochs=arguments.epochs, verbose=0, callbacks=[times])
    measurement.report(
        times.seconds,
        history.history["loss"][-1],
        accuracy=history.history["accuracy"][-1],
        threads=tf.config.threading.get_intra_op_parallelism_threads(),
        version=f"Keras {keras.__version__}, TensorFlow {tf.__version__}",
        settings=f"jit_compile={model.jit_compile}, tuned malloc",
    )


main()
