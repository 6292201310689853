#!/usr/bin/env python3
"""Loads Rhyton's files with Keras, compares predictions, continues the training and compares again.

    check_models.py MODELS RHYTON RESULT [--reread]

MODELS is the folder of make_models.py, RHYTON that of keras_interop. Writes RESULT, a JSON file with the outcome for each
model, of keras_interop and of this program. An older Keras only loads Rhyton's files of the models whose results the
newest one has computed (reread_models.py); with --reread, the newest one compares these, and adds the outcome to RESULT.
"""

import argparse
import concurrent.futures
import datetime
import functools
import itertools
import json
import multiprocessing
import pathlib
import shutil
import sys
import tempfile
import warnings

import library  # first: it selects the backend
import h5py
import numpy as np
import text_arrays
from library import keras
from make_models import FORMATS
from make_models import evaluate
from make_models import hurry
from make_models import packed
from make_models import predict
from make_models import train
from make_models import variables

OUTPUT_TOLERANCE = 1e-5
# The hard_sigmoid of Keras 2, which Keras 3 does not have.
keras.utils.get_custom_objects()["keras2_hard_sigmoid"] = lambda x: keras.ops.clip(0.2 * x + 0.5, 0.0, 1.0)
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


def require(what, difference, size, relative, absolute):
    """The difference may be this part of the size, or this number, whichever is larger. Returns difference / size."""
    allowed = max(relative * size, absolute)
    if not difference <= allowed:
        raise AssertionError(f"{what}, of size {size:.3g}, differs by {difference:.3g}; allowed is {allowed:.3g}")
    return ratio(difference, size)


def widened(description, tolerance):
    return tolerance * description["tolerances"].get("roundoff_ratio", 1.0)


def compare(what, actual, expected, tolerance, skipped=(), absolute=()):
    """`absolute`: the minimum tolerances of single variables, where known."""
    if len(actual) != len(expected):
        raise AssertionError(f"{len(actual)} {what} where Rhyton has {len(expected)}")
    largest = 0.0
    for i, (a, b) in enumerate(zip(actual, expected)):
        a, b = np.asarray(a, "float64"), np.asarray(b, "float64")
        if a.shape != b.shape:
            raise AssertionError(f"{what} {i} has shape {a.shape} where Rhyton's has {b.shape}")
        if i in skipped:
            continue
        allowed = absolute[i] if absolute else 0.0
        error = require(f"{what} {i}", np.linalg.norm(a - b), np.linalg.norm(b), tolerance, allowed)
        largest = max(largest, error)
    return largest


def compare_outputs(actual, expected, tolerance=OUTPUT_TOLERANCE, absolute=()):
    if len(actual) != len(expected):
        raise AssertionError(f"{len(actual)} outputs where Rhyton has {len(expected)}")
    largest = 0.0
    for i, (a, b) in enumerate(zip(actual, expected)):
        if a.shape != b.shape:
            raise AssertionError(f"output {i} has shape {a.shape} where Rhyton's has {b.shape}")
        a, b = np.asarray(a, "float64"), np.asarray(b, "float64")
        allowed = absolute[i] if absolute else 0.0
        largest = max(largest, require(f"output {i}", np.abs(a - b).max(), np.abs(b).max(), tolerance, allowed))
    return largest


def in_form(description, role, members):
    if role == "x":
        texts = description.get("strings", [])
        members = [text_arrays.from_bytes(member) if i in texts else member for i, member in enumerate(members)]
    return packed(description[role]["structure"], iter(members)) if members else None


def attribute_in_pieces(group, name):
    """A list of names of a legacy file, which divides one that is too long for one attribute."""
    if name in group.attrs:
        return list(group.attrs[name])
    found = []
    for i in itertools.count():
        if f"{name}{i}" not in group.attrs:
            return found
        found += list(group.attrs[f"{name}{i}"])


def restore_optimizer(model, path):
    """Keras 3 creates the optimizer of a legacy file without variables: its state is lost and it cannot train. So
    this creates another one and reads its state from the file."""
    model.optimizer = keras.optimizers.deserialize(keras.optimizers.serialize(model.optimizer))
    if not model.optimizer.built:
        model.optimizer.build(model.trainable_variables)
    with h5py.File(path) as file:
        group = file["optimizer_weights"]
        values = [np.asarray(group[name]) for name in attribute_in_pieces(group, "weight_names")]
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
    if model.optimizer is not None and not model.optimizer.built:
        model.optimizer.build(model.trainable_variables)
    model.load_weights(path)
    return model


def compare_logs(where, logs, expected, tolerance, absolute):
    """Each loss and metric. Returns the error of the loss."""
    if not any(key.endswith("_loss") for key in logs):
        # The first versions of Keras 3 did not report the losses of single outputs.
        expected = {key: value for key, value in expected.items() if not key.endswith("_loss")}
    if logs.keys() != expected.keys():
        raise AssertionError(f"{where} gives {sorted(logs)} where it gave {sorted(expected)}")
    errors = {}
    for key, value in expected.items():
        error = abs(logs[key] - value)
        errors[key] = require(f"{key} of {where}", error, abs(value), tolerance, absolute.get(key, 0.0))
    return errors["loss"]


def compare_training(model, description, data):
    largest = 0.0
    for step in range(description["steps"] // 2, description["steps"]):
        batch = {role: [values[step] for values in data.all(f"train_{role}")] for role in ("x", "y", "weight")}
        logs = train(model, *(in_form(description, role, members) for role, members in batch.items()))
        expected = description["logs"][step]
        if description["library"].startswith("tf.keras"):
            if "keras" in description["formats"]:  # Rhyton has read this one
                expected = {description["names_of_strings"].get(name, name): value for name, value in expected.items()}
            # It puts the output's name before that of a metric and saves it so; Keras 3 puts it there once more.
            names = {name: max((key for key in expected if name.endswith("_" + key)), key=len, default=name) for name in logs}
            logs = {name if name in expected else names[name]: value for name, value in logs.items()}
        absolute = description["tolerances"]["logs"][step] if description["tolerances"] else {}
        largest = max(largest, compare_logs(f"step {step}", logs, expected, widened(description, LOSS_TOLERANCE), absolute))
    return largest


def compare_evaluation(model, description, data, expected):
    """Compares each metric on data that were not used in training with Rhyton's."""
    parts = (in_form(description, role, data.all(f"evaluate_{role}")) for role in ("x", "y", "weight"))
    logs = evaluate(model, *parts, description["batch_size"])
    absolute = description["tolerances"].get("evaluation", {})
    compare_logs("evaluate", logs, expected, widened(description, LOSS_TOLERANCE), absolute)


def has_results_of_this_keras(description):
    """False for models whose results a newer Keras has computed."""
    return description.get("computed_with", library.NAME) == library.NAME


def check(description, data, ours, evaluation, path, name):
    """`evaluation`: the result of Rhyton's `evaluate` for the model of that file."""
    result = {"ok": True, "error": ""}
    absolute = description["tolerances"]
    variable_tolerance = widened(description, VARIABLE_TOLERANCE)
    try:
        model = load(description, path, name)
        hurry(model)
        compare("weights", model.get_weights(), ours.all("weight"), 0)
        has_optimizer = model.optimizer is not None
        if has_optimizer:
            compare("optimizer variables", variables(model.optimizer.variables), ours.all("optimizer"), 0)
        if not has_results_of_this_keras(description):
            return result
        x = in_form(description, "x", data.all("predict_x"))
        # Rhyton draws in inference, Keras does not: its predictions must be unchanged.
        expected = (data if description["is_random_in_inference"] else ours).all("prediction")
        predictions = predict(model, x)
        output_tolerance = widened(description, OUTPUT_TOLERANCE)
        result["prediction"] = compare_outputs(predictions, expected, output_tolerance, absolute.get("prediction"))
        if has_optimizer and not description["is_random_in_inference"]:
            compare_evaluation(model, description, data, evaluation)
        if has_optimizer and not description["is_random"]:
            result["loss"] = compare_training(model, description, data)
            result["variable"] = compare(
                "weights after training",
                model.get_weights(),
                data.all("weight_after"),
                variable_tolerance,
                description["unsettled_weights"],
                absolute.get("weights"),
            )
            # Those of Keras 2 are not recorded.
            if description["optimizer_variables"] is not None:
                error = compare(
                    "optimizer variables after training",
                    variables(model.optimizer.variables),
                    data.all("optimizer_after"),
                    variable_tolerance,
                    description["unsettled_optimizer_variables"],
                    absolute.get("optimizer_variables"),
                )
                result["variable"] = max(result["variable"], error)
    except Exception as error:  # pylint: disable=broad-except
        result["ok"] = False
        result["error"] = f"{type(error).__name__}: {error}"
    return result


def load_own(description, path, name):
    """A file that Keras has written."""
    # In a folder of its own: older versions unpack a .keras file next to it, and take that file away.
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / path.name
        shutil.copy(path, copy)
        if name != "h5":
            return load(description, copy, name)
        # Not compiled: Keras cannot find the losses by the names that it writes to legacy files.
        with h5py.File(copy, "a") as file:
            file.attrs.pop("training_config", None)
        return keras.models.load_model(copy)


def check_own(description, data, folder, name):
    """The error when Keras loads its own file; empty if there is none."""
    try:
        model = load_own(description, folder / FORMATS[name], name)
        hurry(model)
        if has_results_of_this_keras(description):
            x = in_form(description, "x", data.all("predict_x"))
            compare_outputs(predict(model, x), data.all("prediction"))
    except Exception as error:  # pylint: disable=broad-except
        return f"{type(error).__name__}: {error}"
    return ""


def description_of(read, arguments):
    path = arguments.models / read["name"].replace("/", "_") / "case.json"
    return json.loads(path.read_text(encoding="utf-8"))


def check_written(read, description, arguments):
    """The outcome for each file that Rhyton has written."""
    name_of_folder = read["name"].replace("/", "_")
    folder, written = arguments.models / name_of_folder, arguments.rhyton / name_of_folder
    evaluated = written / "evaluation.json"
    evaluation = json.loads(evaluated.read_text(encoding="utf-8")) if evaluated.exists() else {}
    keras.backend.clear_session()
    data = Arrays(folder / "data.npz")
    outcomes = {}
    for name, outcome in read["writes"].items():
        if outcome["ok"]:
            ours = Arrays(written / "rhyton.npz")
            outcome = check(description, data, ours, evaluation, written / f"rhyton.{name}", name)
            if not outcome["ok"] and description["formats"][name] is None:
                own_error = check_own(description, data, folder, name)
                # If Keras fails on its own file, nothing follows for Rhyton's.
                if own_error:
                    outcome = {"ok": None, "error": own_error}
        outcomes[name] = outcome
    return outcomes


def check_case(read, arguments):
    description = description_of(read, arguments)
    row = {
        "name": read["name"],
        "library": description["library"],
        "tags": description["tags"],
        "formats": {name: dict(found) for name, found in read["formats"].items()},
    }
    if not description["refused_layer"]:
        for name, outcome in check_written(read, description, arguments).items():
            row["formats"].setdefault(name, {"reads": None, "trains": None})["writes"] = outcome
    return row


def add_reread(rows, reads, arguments):
    for row, read in zip(rows, reads, strict=True):
        description = description_of(read, arguments)
        if description.get("computed_with") != library.NAME:
            continue
        for name, outcome in check_written(read, description, arguments).items():
            # The older Keras has loaded the file.
            if row["formats"][name]["writes"]["ok"]:
                row["formats"][name]["writes"] = outcome


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", type=pathlib.Path)
    parser.add_argument("rhyton", type=pathlib.Path)
    parser.add_argument("result", type=pathlib.Path)
    parser.add_argument("--reread", action="store_true", help="only models whose results this Keras has computed")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")

    read = json.loads((arguments.rhyton / "read.json").read_text(encoding="utf-8"))
    if arguments.reread:
        result = json.loads(arguments.result.read_text(encoding="utf-8"))
        add_reread(result["cases"], read, arguments)
    else:
        # Two processes side by side: TensorFlow runs such small models on one core. Not forked: TensorFlow has threads.
        with concurrent.futures.ProcessPoolExecutor(
            2, multiprocessing.get_context("spawn"), warnings.simplefilter, ("ignore",)
        ) as processes:
            rows = list(processes.map(functools.partial(check_case, arguments=arguments), read, chunksize=4))
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
