#!/usr/bin/env python3
"""Makes the models of the cases with Keras and saves them in each format, with what they predict and how they train on.

    make_models.py FOLDER [--share K/N] [--only TEXT] [--seed SEED --count COUNT]

FOLDER/<case>/ then holds model.keras, model.h5, model.weights.h5, case.json and data.npz; see README.md.
"""

import argparse
import json
import pathlib
import shutil
import sys
import warnings
import zlib

import cases
import library
import numpy as np
from library import keras

# How often a batch is trained on with random numbers, to compare the distribution of losses.
DRAWS = 48
DRAWN_BATCH = 64
# Rhyton may differ from Keras by so many times what Keras differs from exact arithmetic.
ROUNDING_FACTOR = 16
# Bounds above this one are counted.
WIDE = 0.01
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
    """The leaves of nested lists and dicts, dicts in the order of their keys."""
    if isinstance(structure, dict):
        return [leaf for key in sorted(structure) for leaf in flat(structure[key])]
    if isinstance(structure, (list, tuple)):
        return [leaf for member in structure for leaf in flat(member)]
    return [] if structure is None else [structure]


def packed(structure, leaves):
    """The same structure with other leaves, taken from an iterator."""
    if isinstance(structure, dict):
        values = {key: packed(structure[key], leaves) for key in sorted(structure)}
        return {key: values[key] for key in structure}
    if isinstance(structure, (list, tuple)):
        return [packed(member, leaves) for member in structure]
    return next(leaves)


def is_container(value):
    return isinstance(value, (dict, list, tuple))


def form(structure):
    """How the members are put together, and their names where the outermost is a plain dict. Rhyton gets lists."""
    is_plain_dict = isinstance(structure, dict) and not any(map(is_container, structure.values()))
    return {
        "names": sorted(structure) if is_plain_dict else [],
        "structure": packed(structure, iter(range(len(flat(structure))))) if structure is not None else None,
    }


def draw(structure, rng, count):
    return packed(structure, iter([make(rng, count) for make in flat(structure)])) if structure is not None else None


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


def save(model, folder, formats):
    """Saves in these formats; for each of them: null, or why Keras could not."""
    outcome = {}
    for name, file in FORMATS.items():
        if name not in formats:
            continue
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


def evaluate(model, x, y, weight, batch_size):
    logs = model.evaluate(x, y, sample_weight=weight, batch_size=batch_size, verbose=0, return_dict=True)
    return {key: float(np.asarray(value)) for key, value in logs.items()}


class Outcome:
    """What a model computes: predictions, an evaluation, and a training with the variables after it."""

    def __init__(self, model, inputs, evaluated, steps, batch_size):
        self.predictions = variables(flat(model.predict(inputs, verbose=0)))
        self.evaluation = evaluate(model, *evaluated, batch_size)
        self.logs = [train(model, *step) for step in steps]
        self.weights = variables(model.get_weights())
        self.slots = variables(optimizer_variables(model.optimizer))


def distance(actual, expected):
    """‖a-b‖ / ‖b‖."""
    actual, expected = np.asarray(actual, "float64"), np.asarray(expected, "float64")
    difference, size = np.linalg.norm(actual - expected), np.linalg.norm(expected)
    return 0.0 if difference == 0 else float(difference / size) if size else 1.0


def tolerances(outcome, exact, roundoff_ratio):
    """How far Rhyton may be from Keras in each number: what README.md says, or as rounding makes it necessary."""

    def bound(base, error):
        return max(base * roundoff_ratio, ROUNDING_FACTOR * min(error, 1.0))

    def of_log(actual, expected):
        errors = [distance(value, expected.get(key, value)) for key, value in actual.items()]
        return dict(zip(actual, errors))

    def of_logs(actual, errors):
        # Numbers of size 1 that cancel (cosines) leave what their rounding does to a small sum.
        def of_entry(key, value):
            return max(bound(1e-4, errors[key]), 2e-6 * roundoff_ratio / abs(value) if value else 0.0)

        return {key: of_entry(key, value) for key, value in actual.items()}

    def of_arrays(base, actual, expected):
        return [bound(base, distance(a, b)) for a, b in zip(actual, expected)]

    steps = [of_log(a, b) for a, b in zip(outcome.logs, exact.logs)]
    largest = {key: max(step[key] for step in steps) for key in steps[0]}
    return {
        "prediction": of_arrays(1e-5, outcome.predictions, exact.predictions),
        "evaluation": of_logs(outcome.evaluation, of_log(outcome.evaluation, exact.evaluation)),
        "logs": [of_logs(logs, largest) for logs in outcome.logs],
        "weights": of_arrays(1e-4, outcome.weights, exact.weights),
        "optimizer_variables": of_arrays(1e-4, outcome.slots, exact.slots),
    }


def exact_outcome(case, weights, slots, *task):
    """What the model computes in float64 from that state."""
    keras.config.set_floatx("float64")
    try:
        exact = case.make_exact()
        hurry(exact)
        exact.set_weights(weights)
        if not exact.optimizer.built:
            exact.optimizer.build(exact.trainable_variables)
        for variable, value in zip(exact.optimizer.variables, slots):
            variable.assign(value)
        return Outcome(exact, *task)
    finally:
        keras.config.set_floatx("float32")


def drawn_logs(case, model, weights, slots, batch):
    """Losses and metrics of many steps that learn nothing on one batch, from that state: what differs is what layers
    draw."""
    if case.drawn_with is not None:
        model = case.drawn_with()
        hurry(model)
    else:
        for variable, value in zip(optimizer_variables(model.optimizer), slots):
            variable.assign(value)
    model.set_weights(weights)
    model.optimizer.learning_rate = 0.0
    logs = [train(model, *batch) for _ in range(DRAWS)]
    return {key: [entry[key] for entry in logs] for key in logs[0]}


def is_unseeded(model):
    """Whether what a training draws follows from the seed of the process."""
    drawing = [layer for layer in all_layers(model) if getattr(layer, "rate", 0) and hasattr(layer, "seed")]
    return any(layer.seed is None for layer in drawing)


def plain_array(value):
    """As npz has it, which knows no bfloat16."""
    value = np.asarray(value)
    return value.astype("float32") if value.dtype.name == "bfloat16" else value


class Diverged(ValueError):
    """A training has left the finite numbers."""


def saturates(model, batches):
    """Whether a probability is so close to 0 or 1 that its logarithm depends on the backend: of probabilities, Keras on
    TensorFlow takes the crossentropy of the logits behind them, other backends of what is left after clipping."""
    margin = 1e-6
    for x in batches:
        outputs = keras.tree.flatten(model(x, training=False))
        for symbol, output in zip(model.outputs, outputs):
            activation = getattr(symbol._keras_history.operation, "activation", None)
            if activation in (keras.activations.softmax, keras.activations.sigmoid):
                values = np.asarray(keras.ops.cast(output, "float64"))
                if (values < margin).any() or (activation is keras.activations.sigmoid and (values > 1 - margin).any()):
                    return True
    return False


def record(case, target):
    keras.backend.clear_session()
    seed = zlib.crc32(case.name.encode())
    keras.utils.set_random_seed(seed)
    rng = np.random.default_rng(seed)
    model = case.make()
    hurry(model)
    if model.built and case.is_disturbed:
        disturb(model, rng)

    def samples(count):
        return draw(case.x, rng, count), draw(case.y, rng, count), draw(case.weight, rng, count)

    folder = target / case.name.replace("/", "_")
    folder.mkdir(parents=True, exist_ok=True)
    for _ in range(case.steps_before):
        train(model, *samples(case.batch_size))

    description = {
        "name": case.name,
        "library": library.NAME,
        "tags": tags_of(case, model) if not case.refused_layer else ["refused"],
        "refused_layer": case.refused_layer,
        "refused_class": case.refused_class,
        "is_random": case.is_random or not case.trains_alike(),
        "is_random_in_inference": case.is_random_in_inference,
        "formats": save(model, folder, case.formats),
    }
    description["tolerances"] = {}
    arrays = {}

    def add(role, values):
        arrays.update({f"{role}{i}": plain_array(value) for i, value in enumerate(values)})

    if not case.refused_layer:
        x, _, _ = samples(case.predicted)
        evaluated = samples(2 * case.batch_size)
        steps = [samples(case.batch_size) for _ in range(case.steps)]
        weights, slots = model.get_weights(), variables(optimizer_variables(model.optimizer))
        task = (x, evaluated, steps, case.batch_size)
        batches = [x, evaluated[0], *(step[0] for step in steps)]
        is_saturated = case.make_exact is not None and saturates(model, batches)
        outcome = Outcome(model, *task)
        if is_saturated or (case.make_exact is not None and saturates(model, batches)):
            shutil.rmtree(folder)
            raise Diverged(f"{case.name} has probabilities of which backends take different logarithms")
        if case.make_exact is not None and not description["is_random"]:
            exact = exact_outcome(case, weights, slots, *task)
            description["tolerances"] = tolerances(outcome, exact, case.roundoff_ratio)
        add("predict_x", flat(x))
        add("prediction", outcome.predictions)
        add("weight", weights)
        add("optimizer", slots)
        for role, values in zip(("x", "y", "weight"), evaluated):
            add(f"evaluate_{role}", flat(values))
        for role, values in zip(("x", "y", "weight"), zip(*steps)):
            add(f"train_{role}", [np.stack(member) for member in zip(*(flat(value) for value in values))])
        add("weight_after", outcome.weights)
        add("optimizer_after", outcome.slots)
        description["model"] = model_json(model)
        if case.is_random:
            batch = samples(DRAWN_BATCH)
            for role, values in zip(("x", "y", "weight"), batch):
                add(f"draw_{role}", flat(values))
            description["draws"] = drawn_logs(case, model, weights, slots, batch)
            description["is_unseeded"] = is_unseeded(model)
        paths = [path_of(weight) for weight in model.weights]
        names = [path_of(variable) for variable in optimizer_variables(model.optimizer)]
        unsettled = [*case.unsettled, *(part.replace("/", "_") for part in case.unsettled)]
        unsettled += case.unsettled_in_tf_keras if library.IS_TF_KERAS else ()
        description |= {
            "x": form(case.x),
            "y": form(case.y),
            "weight": form(case.weight),
            "steps": case.steps,
            "batch_size": case.batch_size,
            "evaluation": outcome.evaluation,
            "logs": outcome.logs,
            "weights": paths,
            "optimizer_variables": names,
            "unsettled_weights": [i for i, path in enumerate(paths) if any(part in path for part in unsettled)],
            "unsettled_optimizer_variables": [
                i for i, path in enumerate(names) if any(part in path for part in unsettled)
            ],
        }
        numbers = [value for value in arrays.values() if value.dtype.kind == "f"]
        numbers += [list(logs.values()) for logs in (*outcome.logs, outcome.evaluation)]
        if not all(np.isfinite(value).all() for value in numbers):
            shutil.rmtree(folder)
            raise Diverged(f"{case.name} has values that are not finite")
    np.savez(folder / "data.npz", **arrays)
    (folder / "case.json").write_text(json.dumps(plain(description), indent=1), encoding="utf-8")
    return description


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--share", default="1/1", metavar="K/N", help="only every Nth case, beginning with the Kth")
    parser.add_argument("--only", default="", metavar="TEXT", help="only cases with TEXT in their name")
    parser.add_argument("--seed", type=int, default=0, help="of the models that are drawn at random")
    parser.add_argument("--count", type=int, default=0, help="how many these are")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    chosen = cases.load(arguments.share, arguments.only, arguments.seed, arguments.count)
    failures = 0
    bounds = []
    following = arguments.count
    for case in chosen:
        try:
            bounds += flat(record(case, arguments.folder)["tolerances"])
        except Diverged as error:
            if case.subject != "drawn":
                failures += 1
                print(error, file=sys.stderr)
                continue
            # Another one is drawn in its place.
            print(f"{error}: left out")
            chosen.append(cases.drawn(arguments.seed, following))
            following += 1
        except Exception as error:  # pylint: disable=broad-except
            failures += 1
            print(f"{case.name}: {library.NAME} cannot make it: {type(error).__name__}: {error}", file=sys.stderr)
    print(f"{len(chosen) - failures - (following - arguments.count)} models made with {library.NAME}")
    if bounds:
        wide = sum(bound > WIDE for bound in bounds)
        print(f"{wide} of {len(bounds)} numbers and arrays of the drawn ones may differ by more than {WIDE}: rounding")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
