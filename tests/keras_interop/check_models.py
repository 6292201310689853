#!/usr/bin/env python3
"""Lets Keras load what Rhyton has written, compares predictions, trains on and compares again.

    check_models.py MODELS RHYTON RESULT

MODELS is what make_models.py, RHYTON what keras_interop has written. RESULT, a JSON file, then holds what came of each
model: what keras_interop found and what was found here.
"""

import argparse
import datetime
import json
import pathlib
import sys
import warnings

import library  # first: it picks the backend
import h5py
import numpy as np
from library import keras
from make_models import FORMATS
from make_models import STEPS_AFTER
from make_models import flat
from make_models import hurry
from make_models import train
from make_models import variables

OUTPUT_TOLERANCE = 1e-5
LOSS_TOLERANCE = 1e-4
VARIABLE_TOLERANCE = 1e-4


class Arrays:
    def __init__(self, path):
        with np.load(path) as file:
            self._arrays = dict(file)

    def all(self, role):
        found = []
        while f"{role}{len(found)}" in self._arrays:
            found.append(self._arrays[f"{role}{len(found)}"])
        return found

    def get(self, role):
        return self._arrays.get(role)


def ratio(difference, size):
    if difference == 0:
        return 0.0
    return float(difference / size) if size else float("inf")


def require(what, error, tolerance):
    if not error <= tolerance:
        raise AssertionError(f"{what} differs by {error:.3g}, allowed is {tolerance:g}")
    return error


def compare(what, actual, expected, tolerance, skipped=()):
    if len(actual) != len(expected):
        raise AssertionError(f"{len(actual)} {what} where Rhyton has {len(expected)}")
    largest = 0.0
    for i, (a, b) in enumerate(zip(actual, expected)):
        a, b = np.asarray(a, "float64"), np.asarray(b, "float64")
        if a.shape != b.shape:
            raise AssertionError(f"{what} {i} has shape {a.shape} where Rhyton's has {b.shape}")
        if i in skipped:
            continue
        largest = max(largest, require(f"{what} {i}", ratio(np.linalg.norm(a - b), np.linalg.norm(b)), tolerance))
    return largest


def compare_outputs(actual, expected):
    if len(actual) != len(expected):
        raise AssertionError(f"{len(actual)} outputs where Rhyton has {len(expected)}")
    largest = 0.0
    for i, (a, b) in enumerate(zip(actual, expected)):
        if a.shape != b.shape:
            raise AssertionError(f"output {i} has shape {a.shape} where Rhyton's has {b.shape}")
        largest = max(largest, require(f"output {i}", ratio(np.abs(a - b).max(), np.abs(b).max()), OUTPUT_TOLERANCE))
    return largest


def in_form(description, role, members):
    names = description[role]["names"]
    if names:
        return dict(zip(names, members))
    return members[0] if description[role]["form"] == "single" else members


def restore_optimizer(model, path):
    """Keras 3 makes the optimizer of a legacy file for no variables at all: its state is lost and it cannot train. So
    this makes another one and takes its state from the file."""
    model.compile_from_config(model.get_compile_config())
    if not model.optimizer.built:
        model.optimizer.build(model.trainable_variables)
    with h5py.File(path) as file:
        group = file["optimizer_weights"]
        values = [np.asarray(group[name]) for name in group.attrs["weight_names"]]
    if len(values) != len(model.optimizer.variables):
        raise AssertionError(f"{len(values)} optimizer variables where Keras has {len(model.optimizer.variables)}")
    for variable, value in zip(model.optimizer.variables, values):
        variable.assign(value)


def load(description, path, name):
    if name == "keras":
        return keras.models.load_model(path)
    if name == "h5":
        model = keras.models.load_model(path)
        if model.optimizer is not None:
            restore_optimizer(model, path)
        return model
    model = keras.models.model_from_json(json.dumps(description["model"]))
    if model.optimizer is not None:
        model.optimizer.build(model.trainable_variables)
    model.load_weights(path)
    return model


def compare_training(model, description, data):
    first = STEPS_AFTER // 2
    largest = 0.0
    for step in range(first, STEPS_AFTER):
        x, y = ([values[step] for values in data.all(f"train_{role}")] for role in "xy")
        weight = data.get("train_weight")
        logs = train(
            model,
            in_form(description, "x", x),
            in_form(description, "y", y),
            weight[step] if weight is not None else None,
        )
        loss, expected = logs["loss"], description["logs"][step]["loss"]
        error = require(f"loss of step {step}", ratio(abs(loss - expected), abs(expected)), LOSS_TOLERANCE)
        largest = max(largest, error)
    return largest


def check(description, data, ours, path, name):
    result = {"ok": True, "error": ""}
    try:
        model = load(description, path, name)
        hurry(model)
        compare("weights", model.get_weights(), ours.all("weight"), 0)
        has_optimizer = model.optimizer is not None
        if has_optimizer:
            compare("optimizer variables", variables(model.optimizer.variables), ours.all("optimizer"), 0)
        x = in_form(description, "x", data.all("predict_x"))
        result["prediction"] = compare_outputs(flat(model.predict(x, verbose=0)), ours.all("prediction"))
        if has_optimizer and not description["is_random"]:
            result["loss"] = compare_training(model, description, data)
            result["variable"] = max(
                compare(
                    "weights after training",
                    model.get_weights(),
                    data.all("weight_after"),
                    VARIABLE_TOLERANCE,
                    description["unsettled_weights"],
                ),
                compare(
                    "optimizer variables after training",
                    variables(model.optimizer.variables),
                    data.all("optimizer_after"),
                    VARIABLE_TOLERANCE,
                    description["unsettled_optimizer_variables"],
                ),
            )
    except Exception as error:  # pylint: disable=broad-except
        result["ok"] = False
        result["error"] = f"{type(error).__name__}: {error}"
    return result


def check_own(description, data, folder, name):
    """What goes wrong when Keras loads the file that it has written itself; empty where nothing does."""
    try:
        path = folder / FORMATS[name]
        # Not compiled: Keras does not find the losses that it names in legacy files.
        model = keras.models.load_model(path, compile=False) if name == "h5" else load(description, path, name)
        hurry(model)
        x = in_form(description, "x", data.all("predict_x"))
        compare_outputs(flat(model.predict(x, verbose=0)), data.all("prediction"))
    except Exception as error:  # pylint: disable=broad-except
        return f"{type(error).__name__}: {error}"
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", type=pathlib.Path)
    parser.add_argument("rhyton", type=pathlib.Path)
    parser.add_argument("result", type=pathlib.Path)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")

    rows = []
    for read in json.loads((arguments.rhyton / "read.json").read_text(encoding="utf-8")):
        folder = arguments.models / read["name"].replace("/", "_")
        description = json.loads((folder / "case.json").read_text(encoding="utf-8"))
        row = {
            "name": read["name"],
            "library": description["library"],
            "tags": description["tags"],
            "formats": {name: dict(found) for name, found in read["formats"].items()},
        }
        rows.append(row)
        if description["refused_layer"]:
            continue
        written = arguments.rhyton / folder.name
        keras.backend.clear_session()
        data = Arrays(folder / "data.npz")
        for name, outcome in read["writes"].items():
            if outcome["ok"]:
                outcome = check(description, data, Arrays(written / "rhyton.npz"), written / f"rhyton.{name}", name)
                if not outcome["ok"] and description["formats"][name] is None:
                    own_error = check_own(description, data, folder, name)
                    # What Keras cannot do with its own file says nothing of Rhyton's.
                    if own_error.split(" by ")[0] == outcome["error"].split(" by ")[0]:
                        outcome = {"ok": None, "error": own_error}
            row["formats"].setdefault(name, {"reads": None, "trains": None})["writes"] = outcome
    result = {
        "date": datetime.date.today().isoformat(),
        "made_with": rows[0]["library"] if rows else library.NAME,
        "checked_with": library.NAME,
        "cases": rows,
    }
    arguments.result.write_text(json.dumps(result, indent=1), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
