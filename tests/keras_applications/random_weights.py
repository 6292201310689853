"""Random weights with which a deep network has outputs that depend on all of its layers and on the image."""

import library  # first: it selects the backend
import numpy as np
from library import keras
from library import layers as L

# The part of the initial statistics, mean 0 and variance 1, that stays in each normalization: a channel that hardly
# varies is not magnified.
KEPT = 0.0
# The standard deviation of the logits.
SPREAD = 2.0


def randomize(model, images, seed):
    """Sets all weights; `images` are typical ones."""
    rng = np.random.default_rng(seed)
    for layer in model.layers:
        for variable in layer.weights:
            value = value_of(layer, variable, rng)
            if value is not None:
                variable.assign(value)
        if isinstance(layer, L.Normalization):
            layer.finalize_state()
    set_statistics(model, images)
    spread_outputs(model, images)


def value_of(layer, variable, rng):
    """A random value; None for one that stays."""
    shape = tuple(variable.shape)
    kind = type(layer).__name__
    normal = lambda: rng.standard_normal(shape, dtype="float32")  # noqa: E731
    if variable.name.endswith("kernel"):
        is_depthwise = variable.name == "depthwise_kernel" or kind == "DepthwiseConv2D"
        inputs = np.prod(shape[:2] if is_depthwise else shape[:-1])
        return normal() * np.float32((2.0 / inputs) ** 0.5)
    if kind == "LayerScale":
        return rng.uniform(0.1, 0.5, shape)
    if kind == "Normalization":
        return {"mean": lambda: rng.uniform(0.3, 0.6, shape), "variance": lambda: rng.uniform(0.05, 0.1, shape)}.get(
            variable.name, lambda: None
        )()
    if variable.name == "gamma":
        return rng.uniform(0.5, 1.5, shape)
    if variable.name in ("beta", "bias"):
        return 0.1 * normal()
    if variable.name in ("moving_mean", "moving_variance"):
        return None
    raise ValueError(f"{kind} has a weight {variable.name}")


def set_statistics(model, images):
    normalizations = [layer for layer in model.layers if isinstance(layer, L.BatchNormalization)]
    if not normalizations:
        return
    momenta = [layer.momentum for layer in normalizations]
    for layer in normalizations:
        layer.momentum = KEPT
    model(images, training=True)
    for layer, momentum in zip(normalizations, momenta):
        layer.momentum = momentum


def spread_outputs(model, images):
    """Sets the last layer with weights so that the logits have mean 0 over the images and the deviation SPREAD."""
    kernel, bias = next(layer for layer in reversed(model.layers) if layer.weights).weights
    probabilities = np.asarray(model(images, training=False), "float64")
    while not probabilities.all():  # too small for float32
        kernel.assign(library.array(kernel) / 4)
        bias.assign(library.array(bias) / 4)
        probabilities = np.asarray(model(images, training=False), "float64")
    logits = np.log(probabilities)
    logits -= logits.mean(axis=1, keepdims=True)
    mean = logits.mean(axis=0)
    factor = SPREAD / (logits - mean).std()
    kernel.assign(library.array(kernel) * factor)
    bias.assign((library.array(bias) - mean) * factor)


__all__ = ["keras", "randomize"]
