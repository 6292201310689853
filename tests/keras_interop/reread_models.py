#!/usr/bin/env python3
"""Computes the results of models from an older Keras anew, with the Keras that runs this program.

    reread_models.py MODELS

MODELS is the folder of make_models.py. Of the cases that their Keras computes otherwise than the newest one
(`computes_alike_since`), this loads the .keras files and replaces the predictions, the evaluation and the training that
are recorded with them by its own: Rhyton reads such files as the newest Keras does.
"""

import argparse
import json
import pathlib
import sys
import types
import warnings

import library  # first: it selects the backend
import numpy as np
from check_models import Arrays
from check_models import compare
from check_models import in_form
from check_models import load
from library import keras
from make_models import FORMATS
from make_models import Outcome
from make_models import clone_calls
from make_models import depends_on_seed
from make_models import drawn_logs
from make_models import hurry
from make_models import plain
from make_models import plain_array
from make_models import variables

ROLES = ("x", "y", "weight")


def keep_names(model, config):
    """Gives the model's operations the names of the file. Before Keras 3.11 operations with options have no name in
    their configuration, and Keras names them anew where Rhyton keeps the name beside it."""
    layers = model._layers if isinstance(model, keras.Sequential) else model.operations
    for layer, saved in zip(layers, config["layers"], strict=True):
        name = saved.get("name", saved["config"].get("name"))
        if type(layer).__name__ != saved["class_name"] or saved["config"].get("name") not in (None, layer.name):
            raise ValueError(f"{layer.name}, a {type(layer).__name__}, is in the place of {name}")
        if isinstance(layer, (keras.Sequential, keras.Model)) and "layers" in saved["config"]:
            keep_names(layer, saved["config"])
        if "name" not in saved["config"]:
            layer.name = name


def reread(folder, description):
    data = Arrays(folder / "data.npz")
    model = load(description, folder / FORMATS["keras"], "keras")
    keep_names(model, description["model"]["config"])
    hurry(model)
    weights, slots = model.get_weights(), variables(model.optimizer.variables)
    compare("weights", weights, data.all("weight"), 0)
    compare("optimizer variables", slots, data.all("optimizer"), 0)

    def step(i):
        return [in_form(description, role, [values[i] for values in data.all(f"train_{role}")]) for role in ROLES]

    def batch(prefix):
        return [in_form(description, role, data.all(f"{prefix}_{role}")) for role in ROLES]

    case = types.SimpleNamespace(
        batch_size=description["batch_size"],
        is_fitted=description["fit"] is not None,
        class_weight={int(number): weight for number, weight in description["class_weight"].items()} or None,
        drawn_with=None,
    )
    steps = [step(i) for i in range(description["steps"])]
    outcome = Outcome(case, model, in_form(description, "x", data.all("predict_x")), batch("evaluate"), steps)
    if "draws" in description:
        description["draws"] = drawn_logs(case, model, weights, slots, batch("draw"))
        description["is_unseeded"] = depends_on_seed(model, batch("draw")[0])
    description |= {
        "computed_with": library.NAME,
        "clone": clone_calls(model),
        "evaluation": outcome.evaluation,
        "logs": outcome.logs,
        "fit": outcome.fitted,
    }
    with np.load(folder / "data.npz") as file:
        arrays = dict(file)
    new = {"prediction": outcome.predictions, "weight_after": outcome.weights, "optimizer_after": outcome.slots}
    for role, values in new.items():
        arrays.update({f"{role}{i}": plain_array(value) for i, value in enumerate(values)})
    np.savez(folder / "data.npz", **arrays)
    (folder / "case.json").write_text(json.dumps(plain(description), indent=1), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", type=pathlib.Path)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    count = failures = 0
    for path in sorted(arguments.models.glob("*/case.json")):
        description = json.loads(path.read_text(encoding="utf-8"))
        if description["computes_alike"]:
            continue
        keras.backend.clear_session()
        count += 1
        try:
            reread(path.parent, description)
        except Exception as error:  # pylint: disable=broad-except
            failures += 1
            print(f"{description['name']}: {library.NAME} cannot read it: {type(error).__name__}: {error}", file=sys.stderr)
    print(f"{count - failures} models computed anew with {library.NAME}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
