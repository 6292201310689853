"""Keras's part: makes a model with its files and results, and reads Rhyton's."""

import json

import library  # first: it selects the backend
import h5py
import numpy as np
import random_weights
import tensorflow as tf
from check_models import require
from keras.src.legacy.saving import legacy_h5_format
from library import keras

STEPS = 3
# How much of the loss a step takes away, if the loss were linear: enough to see errors of the gradient.
DECREASE = 0.02
LARGEST_TRAINED = 100e6
SAMPLES = 8

# Other arguments of the model that is trained. Keras on TensorFlow computes the crossentropy of probabilities from
# their logits; Rhyton clips them, as Keras on other backends.
TRAINED = {"classifier_activation": None}

PREDICTION_TOLERANCE = 1e-4
LOSS_TOLERANCE = 1e-4
UPDATE_TOLERANCE = 1e-2
UNIT_ROUNDOFF = 2.0**-24
# The maximum ratio of Rhyton's difference from Keras to Keras's difference from the same in float64, where that is
# larger.
ROUNDING_FACTOR = 4
# The part of the output's size by which the images of a prediction must differ at least.
VARIATION = 0.1


def numbers_of(model):
    return [np.asarray(library.array(weight)) for weight in model.weights]


def predicted(model, x):
    return np.asarray(model(x, training=False))


def images(application, rng):
    """With structure on all scales, as photographs have it: the features of noise would all be alike."""
    size = application.size
    x = np.zeros((SAMPLES, size, size, 3))
    cells = 1
    while cells < size:
        coarse = rng.standard_normal((SAMPLES, cells, cells, 3))
        x += np.repeat(np.repeat(coarse, -(-size // cells), 1), -(-size // cells), 2)[:, :size, :size]
        cells *= 2
    x /= x.std()
    return (np.clip(127.5 + 60 * x, 0, 255) if application.takes_pixels else x).astype("float32")


def loss_function():
    return keras.losses.SparseCategoricalCrossentropy(from_logits=True)


def gradient_size(model, x, y):
    """The loss, and the square of the norm of its gradient."""
    with tf.GradientTape() as tape:
        loss = loss_function()(y, model(x, training=True))
    gradients = tape.gradient(loss, [weight.value for weight in model.trainable_weights])
    return float(loss), sum(float(tf.reduce_sum(tf.square(gradient))) for gradient in gradients)


def minus(a, b):
    """The difference of two arrays or lists of arrays."""
    if isinstance(a, list):
        return [minus(x, y) for x, y in zip(a, b)]
    return a.astype("float64") - b


def largest(array):
    return float(np.abs(array).max())


def norm(arrays):
    return float(sum(np.square(array).sum() for array in arrays)) ** 0.5


class Comparison:
    """One model: `make` writes its files, `check` reads Rhyton's."""

    def __init__(self, application, folder):
        self.application = application
        self.folder = folder
        self.measured = {"name": application.name, "size": application.size}
        self.model = None  # the last one: trained if it is small enough
        self.data = {}
        self.arguments = {"input_shape": [application.size, application.size, 3]}
        self.learning_rate = 0.0
        self.losses = []
        self.before = []
        self.after = []
        self.is_trainable = []
        self._exact = None

    def make(self, seed):
        rng = np.random.default_rng(seed)
        self.model = self.make_model()
        parameters = self.model.count_params()
        self.measured["parameters"] = parameters
        random_weights.randomize(self.model, np.concatenate([images(self.application, rng) for _ in range(2)]), seed)
        self.data["x"] = images(self.application, rng)
        self.data["prediction"] = predicted(self.model, self.data["x"])
        self.measured["variation"] = self.variation()

        self.model.save_weights(self.folder / "model.weights.h5")
        self.model.save(self.folder / "model.keras")
        with h5py.File(self.folder / "model.h5", "w") as file:  # as the files that keras.applications downloads
            legacy_h5_format.save_weights_to_hdf5_group(file, self.model)
        if parameters <= LARGEST_TRAINED:
            self.train(rng)
        description = {
            "name": self.application.name,
            "arguments": self.arguments,
            "trained_arguments": self.arguments | TRAINED,
            "files": ["model.weights.h5", "model.h5", "model.keras"],
            "steps": len(self.losses),
            "learning_rate": self.learning_rate,
        }
        (self.folder / "case.json").write_text(json.dumps(description), encoding="utf-8")
        np.savez(self.folder / "data.npz", **self.data)

    def make_model(self, **arguments):
        return getattr(keras.applications, self.application.name)(weights=None, **self.arguments, **arguments)

    def variation(self):
        """How much the predictions of different images differ, as a part of the output's size."""
        prediction = self.data["prediction"]
        variation = float(np.abs(prediction - prediction.mean(axis=0)).max() / np.abs(prediction).max())
        if not variation >= VARIATION:
            raise AssertionError(f"the predictions of all images differ by no more than {variation:.2g} of their size")
        return variation

    def train(self, rng):
        """Trains on one batch."""
        self.data["train_x"] = images(self.application, rng)
        self.data["train_y"] = rng.integers(0, 1000, SAMPLES).astype("int32")
        loss, square = gradient_size(self.make_trained(), self.data["train_x"], self.data["train_y"])
        self.learning_rate = float(np.float32(DECREASE * loss / square))
        self.model = self.make_trained()
        self.before = numbers_of(self.model)
        self.is_trainable = [weight.trainable for weight in self.model.weights]
        self.losses = self.measured["losses"] = self.take_steps(self.model)
        self.after = numbers_of(self.model)
        self.data["trained"] = predicted(self.model, self.data["x"])

    def make_trained(self):
        """The model with logits as its outputs and without random numbers in training."""
        model = self.make_model(**TRAINED)
        config = model.get_config()
        for layer in config["layers"]:
            if layer["class_name"] == "Dropout":
                layer["config"]["rate"] = 0.0
        changed = type(model).from_config(config)
        changed.load_weights(self.folder / "model.weights.h5")
        return changed

    def take_steps(self, model):
        """The losses of three steps."""
        model.compile(keras.optimizers.SGD(self.learning_rate), loss_function(), run_eagerly=True)
        return [float(model.train_on_batch(self.data["train_x"], self.data["train_y"])) for _ in range(STEPS)]

    def check(self):
        """Compares Rhyton's results; raises AssertionError."""
        with np.load(self.folder / "rhyton.npz") as file:
            ours = dict(file)
        losses = json.loads((self.folder / "rhyton.json").read_text(encoding="utf-8"))["losses"]
        files = [name for name in ours if name.startswith("model.")]
        assert len(files) == 3
        for name in files:
            self.compare_outputs("prediction", f"with {name}", ours[name], self.data["prediction"], "prediction")
        assert len(losses) == len(self.losses)
        for step, numbers in enumerate(zip(losses, self.losses)):
            ours_and_keras = [np.array([number]) for number in numbers]
            self.compare("loss", f" of step {step}", *ours_and_keras, largest, LOSS_TOLERANCE, ("losses", step))
        last = ours["trained"] if self.losses else ours["model.keras"]

        reread = keras.models.load_model(self.folder / "rhyton.keras")
        self.compare_outputs("written", "by Keras with rhyton.keras", last, predicted(reread, self.data["x"]), "written")
        del reread
        self.model.load_weights(self.folder / "rhyton.weights.h5")
        again = predicted(self.model, self.data["x"])
        self.compare_outputs("written", "by Keras with rhyton.weights.h5", last, again, "written")
        if self.losses:
            self.check_updates(numbers_of(self.model))
            self.compare_outputs("trained", "after training", last, self.data["trained"], "trained")

    def compare_outputs(self, key, what, ours, keras_values, exact=None):
        if ours.shape != keras_values.shape:
            raise AssertionError(f"{what} the shape is {ours.shape} where Keras has {keras_values.shape}")
        self.compare(key, f" {what}", ours, keras_values, largest, PREDICTION_TOLERANCE, exact and (exact,))

    def check_updates(self, ours):
        """Compares what training has changed, of all trainable weights together and of all statistics together."""
        for key, is_trainable in (("update", True), ("statistics", False)):
            changes, size = [], 0.0
            for values in (ours, self.after):
                chosen = zip(values, self.before, self.is_trainable)
                changes.append([a.astype("float64") - b for a, b, trainable in chosen if trainable == is_trainable])
            if norm(changes[1]) > 0:
                # Where changes are small, they differ by the rounding of the weights in each step.
                size = norm([b.astype("float64") for b, trainable in zip(self.before, self.is_trainable)
                             if trainable == is_trainable])
                floor = STEPS * UNIT_ROUNDOFF * size
                self.compare(key, "", *changes, norm, UPDATE_TOLERANCE, (key,), floor)

    def compare(self, key, what, ours, keras_values, measure, tolerance, exact, floor=0.0):
        """The difference may be this part of the size, or `floor`, or some times Keras's own difference from its
        results in float64, whichever is largest."""
        difference, size = measure(minus(ours, keras_values)), measure(keras_values)
        if exact and not difference <= max(tolerance * size, floor):
            values = self.exact()
            for entry in exact:
                values = values[entry]
            error = measure(minus(keras_values, values))
            floor = ROUNDING_FACTOR * error
            self.measured.setdefault("rounding", {})[key] = {
                "keras": error / size, "rhyton": measure(minus(ours, values)) / size
            }
        self.measured[key] = max(self.measured.get(key, 0.0), require(key + what, difference, size, tolerance, floor))

    def exact(self):
        """Keras's results in float64."""
        if self._exact is None:
            keras.config.set_floatx("float64")
            keras.config.set_dtype_policy("float64")  # layers do not follow floatx once there were some
            try:
                model = self.make_model()
                model.load_weights(self.folder / "model.weights.h5")
                self._exact = {"prediction": predicted(model, self.data["x"])}
                model = self.make_trained() if self.losses else self.make_model()
                model.load_weights(self.folder / "rhyton.weights.h5")
                self._exact["written"] = predicted(model, self.data["x"])
                if self.losses:
                    model = self.make_trained()
                    losses = [np.array([loss]) for loss in self.take_steps(model)]
                    changes = [a - b for a, b in zip(numbers_of(model), self.before)]
                    self._exact |= {
                        "losses": losses,
                        "update": [c for c, trainable in zip(changes, self.is_trainable) if trainable],
                        "statistics": [c for c, trainable in zip(changes, self.is_trainable) if not trainable],
                        "trained": predicted(model, self.data["x"]),
                    }
            finally:
                keras.config.set_floatx("float32")
                keras.config.set_dtype_policy("float32")
        return self._exact
