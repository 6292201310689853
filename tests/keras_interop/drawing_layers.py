"""Which layers of a model draw random numbers in training."""


def drops(layer):
    # Layers that change images have a generator and no rate.
    return hasattr(layer, "generator") or any(getattr(layer, name, 0) for name in ("rate", "dropout", "recurrent_dropout", "drop_path_rate"))


def dropping_layers(model):
    """Layers, and cells and layers inside others."""
    if hasattr(model, "layers"):
        return [found for layer in model.layers for found in dropping_layers(layer)]
    # An LSTM has the rates of its cell, and its configuration the seed.
    if drops(model):
        return [model]
    parts = [getattr(model, name, None) for name in ("cell", "forward_layer", "backward_layer", "layer")]
    parts += getattr(model, "cells", [])
    return [found for part in parts if part is not None for found in dropping_layers(part)]


def is_unseeded(model):
    """Whether the random numbers of a training depend on the seed of the process. A seed of its own counts if it is in the
    configuration: that of a SimpleRNN is not."""
    return any(layer.get_config().get("seed") is None for layer in dropping_layers(model))
