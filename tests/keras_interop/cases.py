"""The list of cases. Each module *_cases.py adds those of its subject."""

import dataclasses
import importlib
import typing
import zlib

import library

SUBJECTS = [
    "dense_cases",
    "activation_cases",
    "image_cases",
    "normalization_cases",
    "shape_cases",
    "projection_cases",
    "wrapper_cases",
    "recurrent_cases",
    "recurrent_mask_cases",
    "recurrent_state_cases",
    "recurrent_dropout_cases",
    "bidirectional_cases",
    "conv_lstm_cases",
    "convolution_cases",
    "pooling_cases",
    "preprocessing_cases",
    "resizing_cases",
    "colour_cases",
    "augmentation_cases",
    "spectrogram_cases",
    "reversible_embedding_cases",
    "lora_cases",
    "quantization_cases",
    "reshaping_cases",
    "attention_cases",
    "structure_cases",
    "nested_cases",
    "constraint_cases",
    "optimizer_cases",
    "schedule_cases",
    "loss_cases",
    "metric_cases",
    "refused_cases",
    "stochastic_cases",
    "dictionary_cases",
    "name_cases",
    "kink_cases",
    "integer_cases",
    "text_cases",
    "feature_space_cases",
    "mask_cases",
    "masked_loss_cases",
    "operation_cases",
    "operation_model_cases",
    "window_operation_cases",
    "call_cases",
    "tf_operation_cases",
    "application_cases",
]


class LacksArguments(ValueError):
    """Keras lacks something that was drawn at random, or cannot make it."""


@dataclasses.dataclass
class Case:
    """One model, and the data for its training and prediction."""

    name: str
    # A compiled model. Throws LacksArguments where this Keras lacks something that was drawn at random.
    make: typing.Callable
    # One function of samples.py, or lists and dicts of them, nested like the model's inputs.
    x: object
    y: object
    # Sample weights, if any: one for all outputs, or one per output.
    weight: object = None
    # What it covers besides its layers, optimizer and schedule: "loss Huber", "structure: shared layers".
    covers: tuple = ()
    # Its training draws random numbers: it is compared by the distribution of its losses and metrics.
    is_random: bool = False
    # Makes the model for Keras's draws if Keras 3 overrides the argument `training` of a call, which Rhyton keeps.
    drawn_with: typing.Callable = None
    # Calls with `training=True`: Rhyton draws in `predict` and `evaluate` too, like tf.keras; Keras 3 overrides it.
    is_random_in_inference: bool = False
    # It has layers that adapted to data: a clone has not, and predicts something else.
    is_adapted: bool = False
    # False: the weights stay as `make` sets them (values at kinks).
    is_disturbed: bool = True
    # The same model in float64: the difference from it measures the effect of rounding.
    make_exact: typing.Callable = None
    # The minimum factor of the tolerances: the unit roundoff of its dtypes divided by that of float32.
    roundoff_ratio: float = 1.0
    formats: tuple = ("keras", "h5", "weights.h5")
    steps_before: int = 3
    steps: int = 20
    # Weights that change only by rounding, by parts of their paths: biases before a BatchNormalization.
    unsettled: tuple = ()
    # The same for tf.keras, whose moving variance of images is the unbiased one.
    unsettled_in_tf_keras: tuple = ()
    # The first version of Keras that has it.
    since: tuple = (3, 0)
    in_tf_keras: bool = True
    # The first TensorFlow whose tf.keras has it.
    since_tf_keras: tuple = (2, 0)
    # The first version of Keras 3 that computes it like the newest one: with files of older ones, Rhyton must do what the
    # newest one does with them.
    computes_alike_since: tuple = (3, 0)
    # The first one that trains it as Rhyton does; with others, only predictions and evaluations are compared.
    trains_alike_since: tuple = (3, 0)
    batch_size: int = 8
    # The number of samples for prediction.
    predicted: int = 5
    # The number of samples for evaluation; None: two batches.
    evaluated: int = 0
    # Ends with `fit` on the samples of the evaluation, with these weights of classes if any.
    is_fitted: bool = False
    class_weight: dict = None
    # The layer that Rhyton has to name when it refuses the model.
    refused_layer: str = ""
    # The word in the error that names what is refused: the class.
    refused_class: str = ""

    @property
    def subject(self):
        return self.name.split("/")[0]

    def trains_alike(self):
        return library.IS_TF_KERAS or library.VERSION_NUMBERS >= self.trains_alike_since

    def computes_alike(self):
        return library.IS_TF_KERAS or library.VERSION_NUMBERS >= self.computes_alike_since

    def is_available(self):
        if library.IS_TF_KERAS:
            return self.in_tf_keras and library.VERSION_NUMBERS >= self.since_tf_keras
        return library.VERSION_NUMBERS >= self.since


ALL = []


def case(name, x=None, y=None, **arguments):
    """Decorates the function that makes the model."""

    def add(make):
        if any(known.name == name for known in ALL):
            raise ValueError(f"two cases named {name}")
        ALL.append(Case(name=name, make=make, x=x, y=y, **arguments))
        return make

    return add


def formats_in_turn():
    """The formats of the next case of a large subject: the second one alternates."""
    return ("keras", ("h5", "weights.h5")[len(ALL) % 2])


def drawn(seed, index):
    """The random case of that index and seed."""
    return importlib.import_module("drawn_cases").drawn_case(seed, index)


def drawn_text(seed, index):
    """The same of models whose inputs are strings, of which there is one for each ten others."""
    return importlib.import_module("text_cases").drawn_case(seed, index)


def drawn_features(seed, index):
    """The same of models that begin with a FeatureSpace."""
    return importlib.import_module("feature_space_cases").drawn_case(seed, index)


def load(share="1/1", only="", seed=0, count=0):
    """The cases of a share: of 2/5 the second, seventh, twelfth … of each subject, so that every share has all of them;
    and `count` random ones."""
    for subject in SUBJECTS:
        importlib.import_module(subject)
    part, parts = (int(number) for number in share.split("/"))
    if not 1 <= part <= parts:
        raise ValueError(f"--share {share}: expected K/N with 1 <= K <= N")
    chosen = []
    by_subject = {}
    for each in ALL:
        by_subject.setdefault(each.subject, []).append(each)
    for subject, members in by_subject.items():
        # Subjects begin at different places, so that the shares are about equally large.
        first = zlib.crc32(subject.encode())
        chosen += [each for i, each in enumerate(members) if (first + i) % parts == part - 1]
    if not library.IS_TF_KERAS:
        chosen += [drawn(seed, i) for i in range(count) if only in f"drawn/{seed}/{i}"]
        chosen += [drawn_text(seed, i) for i in range(count // 10) if only in f"drawn_text/{seed}/{i}"]
        chosen += [drawn_features(seed, i) for i in range(count // 10) if only in f"drawn_features/{seed}/{i}"]
    return [each for each in chosen if only in each.name and each.is_available()]
