#!/usr/bin/env python3
"""Makes the models of the cases with Keras and saves them in each format, with what they predict and how they train on.

    make_models.py FOLDER [--share K/N] [--only TEXT]

FOLDER/<case>/ then holds model.keras, model.h5, model.weights.h5, case.json and data.npz; see README.md.
"""

import argparse
import json
import pathlib
import sys
import warnings
import zlib

import cases
import library
import numpy as np
from library import keras

STEPS_BEFORE = 3
STEPS_AFTER = 20
FORMATS = {"keras": "model.keras", "h5": "model.h5", "weights.h5": "model.weights.h5"}


def plain(value):
    """As JSON has it."""
    if isinstance(value, dict):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    return value


def flat(structure):
    """The members of a list, or of a dict by name, or the one there is."""
    if isinstance(structure, dict):
        return [structure[key] for key in sorted(structure)]
    return list(structure) if isinstance(structure, (list, tuple)) else [structure]


def form(structure):
    """Names of the members where they have some, and how they are put together."""
    if isinstance(structure, dict):
        return {"form": "dict", "names": sorted(structure)}
    return {"form": "list" if isinstance(structure, (list, tuple)) else "single", "names": []}


def draw(structure, rng, count):
    if structure is None:
        return None
    if isinstance(structure, dict):
        return {key: make(rng, count) for key, make in structure.items()}
    if isinstance(structure, list):
        return [make(rng, count) for make in structure]
    return structure(rng, count)


def disturb(model, rng):
    """Moves all weights, so that no zeros and ones of an initializer hide a mistake."""
    values = []
    for weight, value in zip(model.weights, model.get_weights()):
        value = value + (0.1 * rng.standard_normal(value.shape)).astype(value.dtype)
        values.append(np.abs(value) if "variance" in weight.name else value)
    model.set_weights(values)


def hurry(model):
    """Lets TensorFlow run a model step by step: for a few steps of a small one it is quicker than compiling it."""
    if getattr(model, "jit_compile", None) is not True:
        model.run_eagerly = True


def train(model, x, y, weight):
    model.reset_metrics()
    logs = model.train_on_batch(x, y, sample_weight=weight, return_dict=True)
    return {key: float(np.asarray(value)) for key, value in logs.items()}


def variables(values):
    return [np.asarray(library.array(value)) for value in values]


def optimizer_variables(optimizer):
    """In the order of Keras 3. tf.keras does not list the learning rate, and has slots for a momentum of 0."""
    listed = list(optimizer.variables)
    if not library.IS_TF_KERAS:
        return listed
    if optimizer.get_config().get("momentum") == 0 and type(optimizer).__name__ == "SGD":
        listed = [variable for variable in listed if "/m/" not in variable.name]
    if not isinstance(optimizer.get_config()["learning_rate"], dict):
        listed.insert(1, optimizer.learning_rate)
    return listed


def path_of(variable):
    return getattr(variable, "path", variable.name)


def model_json(model):
    """The architecture with all that `compile` was given; `to_json` leaves some of it out."""
    description = json.loads(model.to_json())
    if not library.IS_TF_KERAS:
        description["compile_config"] = model.get_compile_config()
        description["compile_config"]["optimizer"] = keras.saving.serialize_keras_object(model.optimizer)
    return description


def all_layers(model):
    found = []
    for layer in model.layers:
        found.append(layer)
        if hasattr(layer, "layers"):
            found += all_layers(layer)
    return found


def optimizer_tags(optimizer):
    tags = [f"optimizer {type(optimizer).__name__}"]
    config = optimizer.get_config()
    ours = ("weight_decay", "clipnorm", "clipvalue", "global_clipnorm", "use_ema", "ema_overwrite_frequency")
    for key in (*ours, "loss_scale_factor", "gradient_accumulation_steps"):
        if config.get(key):
            tags.append(f"optimizer argument {key}")
    if isinstance(config.get("learning_rate"), dict):
        tags.append(f"schedule {config['learning_rate']['class_name']}")
    return tags


def tags_of(case, model):
    """What a table of results counts this case for."""
    names = {f"layer {type(layer).__name__}" for layer in all_layers(model)}
    names.discard("layer Functional")
    names.discard("layer Sequential")
    names.add("model " + ("Sequential" if type(model).__name__ == "Sequential" else "Functional"))
    return sorted(names | set(optimizer_tags(model.optimizer)) | set(case.covers))


def save(model, folder):
    """Saves in each format; for each: null, or why Keras could not."""
    outcome = {}
    for name, file in FORMATS.items():
        try:
            if name == "weights.h5":
                model.save_weights(folder / file)
            elif name == "keras" and library.IS_TF_KERAS and library.VERSION_NUMBERS < (2, 13):
                model.save(folder / file, save_format="keras_v3")  # a folder of TensorFlow's otherwise
            else:
                model.save(folder / file)
            outcome[name] = None
        except Exception as error:  # pylint: disable=broad-except
            outcome[name] = f"{type(error).__name__}: {error}"
            (folder / file).unlink(missing_ok=True)
    return outcome


def record(case, target):
    keras.backend.clear_session()
    seed = zlib.crc32(case.name.encode())
    keras.utils.set_random_seed(seed)
    rng = np.random.default_rng(seed)
    model = case.make()
    hurry(model)
    if model.built:
        disturb(model, rng)

    def samples(count):
        return draw(case.x, rng, count), draw(case.y, rng, count), draw(case.weight, rng, count)

    folder = target / case.name.replace("/", "_")
    folder.mkdir(parents=True, exist_ok=True)
    for _ in range(STEPS_BEFORE):
        train(model, *samples(case.batch_size))

    description = {
        "name": case.name,
        "library": library.NAME,
        "tags": tags_of(case, model) if not case.refused_layer else ["refused"],
        "refused_layer": case.refused_layer,
        "refused_class": case.refused_class,
        "is_random": case.is_random or not case.trains_alike(),
        "has_sample_weights": case.weight is not None,
        "formats": save(model, folder),
    }
    arrays = {}
    if not case.refused_layer:
        x, _, _ = samples(case.predicted)
        arrays |= {f"predict_x{i}": value for i, value in enumerate(flat(x))}
        arrays |= {f"prediction{i}": value for i, value in enumerate(flat(model.predict(x, verbose=0)))}
        arrays |= {f"weight{i}": value for i, value in enumerate(model.get_weights())}
        arrays |= {f"optimizer{i}": value for i, value in enumerate(variables(optimizer_variables(model.optimizer)))}
        steps = [samples(case.batch_size) for _ in range(STEPS_AFTER)]
        logs = [train(model, *step) for step in steps]
        for role, values in zip("xy", ([x for x, _, _ in steps], [y for _, y, _ in steps])):
            members = [np.stack(member) for member in zip(*(flat(value) for value in values))]
            arrays |= {f"train_{role}{i}": member for i, member in enumerate(members)}
        if case.weight is not None:
            arrays["train_weight"] = np.stack([weight for _, _, weight in steps])
        arrays |= {f"weight_after{i}": value for i, value in enumerate(model.get_weights())}
        arrays |= {f"optimizer_after{i}": value for i, value in enumerate(variables(optimizer_variables(model.optimizer)))}
        paths = [path_of(weight) for weight in model.weights]
        slots = [path_of(variable) for variable in optimizer_variables(model.optimizer)]
        unsettled = [*case.unsettled, *(part.replace("/", "_") for part in case.unsettled)]
        unsettled += case.unsettled_in_tf_keras if library.IS_TF_KERAS else ()
        description |= {
            "x": form(case.x),
            "y": form(case.y),
            "outputs": len(flat(case.y)),
            "steps": STEPS_AFTER,
            "logs": logs,
            "weights": paths,
            "optimizer_variables": slots,
            "unsettled_weights": [i for i, path in enumerate(paths) if any(part in path for part in unsettled)],
            "unsettled_optimizer_variables": [
                i for i, path in enumerate(slots) if any(part in path for part in unsettled)
            ],
            "model": model_json(model),
        }
        if not all(np.isfinite(value).all() for value in arrays.values() if value.dtype.kind == "f"):
            raise ValueError(f"{case.name} has values that are not finite")
    np.savez(folder / "data.npz", **arrays)
    (folder / "case.json").write_text(json.dumps(plain(description), indent=1), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--share", default="1/1", metavar="K/N", help="only every Nth case, beginning with the Kth")
    parser.add_argument("--only", default="", metavar="TEXT", help="only cases with TEXT in their name")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    chosen = cases.load(arguments.share, arguments.only)
    failures = 0
    for case in chosen:
        try:
            record(case, arguments.folder)
        except Exception as error:  # pylint: disable=broad-except
            failures += 1
            print(f"{case.name}: {library.NAME} cannot make it: {type(error).__name__}: {error}", file=sys.stderr)
    print(f"{len(chosen) - failures} models made with {library.NAME}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
