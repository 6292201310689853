#!/usr/bin/env python3
"""Makes the models of the cases with Keras and saves them in each format, with their predictions and further training.

    make_models.py FOLDER [--share K/N] [--only TEXT] [--seed SEED --count COUNT] [--part K/N]

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
import text_arrays
from drawing_layers import is_unseeded
from library import keras

# The number of training steps with random numbers, to compare the distribution of losses.
DRAWS = 48
DRAWN_BATCH = 64
# The maximum ratio of Rhyton's difference from Keras to Keras's difference from exact arithmetic.
ROUNDING_FACTOR = 16
# The rounding error of numbers of size 1 that cancel: some sixteen units in the last place in float32.
SUM_FLOOR = 2e-6
UNIT_ROUNDOFF = 2.0**-24
# The rounding error of a sum of gradients that cancel, as a fraction of the largest gradient: they pass through layers
# that divide by small numbers (normalizations).
SLOT_FLOOR = 64 * UNIT_ROUNDOFF
# How many drawn models an older Keras may fail to make for each that it makes.
MOST_LEFT_OUT = 30
# How many the newest may, beside those that it makes.
MOST_FAILED = 3
# Bounds above this fraction of the number are counted.
WIDE = 0.01
FORMATS = {"keras": "model.keras", "h5": "model.h5", "weights.h5": "model.weights.h5"}


def plain(value):
    """The value in a form that JSON has."""
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


def inputs_for(x):
    return text_arrays.for_keras(x, flat, packed)


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
    """Moves all weights, so that zeros and ones of an initializer hide no error."""
    values = []
    for weight, value in zip(model.weights, model.get_weights()):
        value = value + (0.1 * rng.standard_normal(value.shape)).astype(value.dtype)
        values.append(np.abs(value) if "variance" in weight.name else value)
    model.set_weights(values)


def hurry(model):
    """Runs a model eagerly in TensorFlow: for a few steps of a small model this is faster than compiling."""
    if getattr(model, "jit_compile", None) is not True:
        model.run_eagerly = True


def reset_states(model):
    """Sets the states of recurrent layers that keep them to zeros, as they are after loading."""
    for layer in all_layers(model):
        if getattr(layer, "stateful", False):
            layer.reset_states()


def number(value):
    """A value of logs. Vectors are compared by the mean of their elements, as Keras shows them."""
    return float(np.mean(np.asarray(value)))


def train(model, x, y, weight):
    model.reset_metrics()
    reset_states(model)
    logs = model.train_on_batch(inputs_for(x), y, sample_weight=weight, return_dict=True)
    return {key: number(value) for key, value in logs.items()}


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


def names_of_strings(model):
    """The metrics that `compile` got as strings and that tf.keras logs under other names: {"auc_1": "AUC"}. It writes the
    strings to .keras files, and from there Keras 3 logs the metrics under these."""
    if not library.IS_TF_KERAS or len(model.outputs) != 1 or not model.compiled_metrics.built:
        return {}
    metrics = model.compiled_metrics
    given = library.tf.nest.flatten([metrics._user_metrics, metrics._user_weighted_metrics])
    made = library.tf.nest.flatten([metrics._metrics, metrics._weighted_metrics])
    pairs = zip(given, made, strict=True)
    return {metric.name: name for name, metric in pairs if isinstance(name, str) and metric.name != name}


def path_of(variable):
    return getattr(variable, "path", variable.name)


def model_json(model):
    """The architecture with all arguments of `compile`; `to_json` omits some of them."""
    description = json.loads(model.to_json())
    if not library.IS_TF_KERAS:
        description["compile_config"] = model.get_compile_config()
        description["compile_config"]["optimizer"] = keras.saving.serialize_keras_object(model.optimizer)
    return description


def histories(value):
    """Where the tensors among the arguments of a call come from: [layer, call, output] of each."""
    if isinstance(value, list):
        return [history for entry in value for history in histories(entry)]
    if not isinstance(value, dict):
        return []
    if value.get("class_name") == "__keras_tensor__":
        return [value["config"]["keras_history"]]
    return [history for key in sorted(value) for history in histories(value[key])]


def calls(config, name_of=lambda name: name):
    """The layers of a model's configuration: name, class, the tensors of each call, and the layers of a nested model."""
    return [
        {
            "name": name_of(layer.get("name", layer["config"].get("name"))),
            "class_name": layer["class_name"],
            "calls": [
                [[name_of(name), *place] for name, *place in histories(node)] for node in layer.get("inbound_nodes", [])
            ],
            "layers": calls(layer["config"]) if "layers" in layer["config"] else None,
        }
        for layer in config["layers"]
    ]


def clone_calls(model):
    """The layers and calls of Keras's clone of the model; null if this Keras does not clone as the newest one does.
    Keras names Inputs without a name anew."""
    if library.IS_TF_KERAS or library.VERSION_NUMBERS < (3, 10):
        return None
    config = json.loads(keras.models.clone_model(model).to_json())["config"]
    names = [entry["name"] for entry in calls(json.loads(model.to_json())["config"])]
    name_of = dict(zip((entry["name"] for entry in calls(config)), names))
    return calls(config, lambda name: name_of[name])


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
    """The features that the tables of results count this case for."""
    names = {f"layer {type(layer).__name__}" for layer in all_layers(model)}
    names.discard("layer Functional")
    names.discard("layer Sequential")
    names.add("model " + ("Sequential" if type(model).__name__ == "Sequential" else "Functional"))
    return sorted(names | set(optimizer_tags(model.optimizer)) | set(case.covers))


def save(model, folder, formats):
    """Saves in these formats; for each of them: null, or Keras's error."""
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


def predict(model, x):
    reset_states(model)
    return flat(model.predict(inputs_for(x), verbose=0))


def evaluate(model, x, y, weight, batch_size):
    reset_states(model)
    logs = model.evaluate(inputs_for(x), y, sample_weight=weight, batch_size=batch_size, verbose=0, return_dict=True)
    return {key: number(value) for key, value in logs.items()}


def fit(model, x, y, weight, batch_size, class_weight):
    """One epoch in the order of the samples."""
    reset_states(model)
    history = model.fit(
        inputs_for(x), y, sample_weight=weight, class_weight=class_weight, batch_size=batch_size, shuffle=False, verbose=0
    )
    return {key: number(values[0]) for key, values in history.history.items()}


class Outcome:
    """The results of a model: predictions, an evaluation, and a training with the variables after it."""

    def __init__(self, case, model, inputs, evaluated, steps):
        batch_size = case.batch_size
        self.predictions = variables(predict(model, inputs))
        self.evaluation = evaluate(model, *evaluated, batch_size)
        self.logs = [train(model, *step) for step in steps]
        self.weights = variables(model.get_weights())
        slots = optimizer_variables(model.optimizer)
        self.slots = variables(slots)
        self.slot_kinds = [path_of(slot).rsplit("_", 1)[-1] for slot in slots]
        self.amplification = gradient_amplification(model.optimizer)
        self.fitted = fit(model, *evaluated, batch_size, case.class_weight) if case.is_fitted and steps else None


def norm(values):
    return float(np.linalg.norm(np.asarray(values, "float64")))


def difference(actual, expected, measure):
    return measure(np.asarray(actual, "float64") - np.asarray(expected, "float64"))


def largest_element(values):
    return float(np.abs(np.asarray(values, "float64")).max(initial=0.0))


def gradient_amplification(optimizer):
    """How much larger the slots of a kind are than very small gradients."""
    config = optimizer.get_config()
    if type(optimizer).__name__ != "RMSprop":
        return {}
    return {"momentum": float(library.array(optimizer.learning_rate)) / config["epsilon"] ** 0.5}


def tolerances(outcome, exact, roundoff_ratio):
    """The maximum difference of Rhyton from Keras in each number for which rounding requires more than the fraction of
    README.md. `wide` counts the `bounds` of more than a hundredth of the number."""
    found = {"roundoff_ratio": roundoff_ratio, "bounds": 0, "wide": 0}

    def bound(error, size, floor=0.0):
        allowed = max(ROUNDING_FACTOR * min(error, size), floor)
        found["bounds"] += 1
        found["wide"] += allowed > WIDE * size
        return allowed

    def of_arrays(actual, expected, measure):
        return [bound(difference(a, b, measure), measure(a)) for a, b in zip(actual, expected)]

    def of_slots():
        # A gradient that is 0 except for rounding has an error in proportion to other gradients.
        sizes = {}
        for kind, values in zip(outcome.slot_kinds, outcome.slots):
            sizes[kind] = max(norm(values), sizes.get(kind, 0.0))
        largest_gradient = sizes.get("velocity", 0.0) ** 0.5
        for kind, factor in outcome.amplification.items():
            if kind in sizes:
                sizes[kind] = max(sizes[kind], factor * largest_gradient)
        return [
            bound(difference(a, b, norm), norm(a), SLOT_FLOOR * roundoff_ratio * sizes[kind])
            for kind, a, b in zip(outcome.slot_kinds, outcome.slots, exact.slots)
        ]

    def of_logs(logs, errors, sizes):
        # The sum of numbers of size 1 that cancel (cosines) is their rounding error, or 0.
        return {key: bound(errors[key], sizes[key], SUM_FLOOR * roundoff_ratio) for key in logs}

    def errors_of(logs, expected):
        return {key: abs(value - expected.get(key, value)) for key, value in logs.items()}

    def largest(entries):
        return {key: max(abs(entry[key]) for entry in entries) for key in entries[0]}

    errors = [errors_of(a, b) for a, b in zip(outcome.logs, exact.logs)]
    # One number may be near the exact one by chance; the first step has the same weights.
    evaluated = [errors_of(outcome.evaluation, exact.evaluation), *errors[:1]]
    found |= {
        "prediction": of_arrays(outcome.predictions, exact.predictions, largest_element),
        "evaluation": of_logs(
            outcome.evaluation, largest(evaluated), largest([outcome.evaluation, *outcome.logs[:1]])
        ),
    }
    if not outcome.logs:
        return found
    if outcome.fitted is not None:
        fitted = [errors_of(outcome.fitted, exact.fitted), *errors]
        found["fit"] = of_logs(outcome.fitted, largest(fitted), largest([outcome.fitted, *outcome.logs]))
    found |= {
        "logs": [of_logs(logs, largest(errors), largest(outcome.logs)) for logs in outcome.logs],
        "weights": of_arrays(outcome.weights, exact.weights, norm),
        "optimizer_variables": of_slots(),
    }
    return found


def exact_outcome(case, weights, slots, *task):
    """The results of the model in float64 from that state."""
    keras.config.set_floatx("float64")
    try:
        exact = case.make_exact()
        hurry(exact)
        exact.set_weights(weights)
        if not exact.optimizer.built:
            exact.optimizer.build(exact.trainable_variables)
        for variable, value in zip(exact.optimizer.variables, slots):
            variable.assign(value)
        return Outcome(case, exact, *task)
    finally:
        keras.config.set_floatx("float32")


def drawn_logs(case, model, weights, slots, batch):
    """Losses and metrics of many steps at learning rate 0 on one batch, from that state: they differ only by the random
    numbers of layers."""
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


def depends_on_seed(model, x):
    """Whether the outputs of a training step on x depend on the seed of the process. They do not where all elements
    that a Dropout could drop are 0."""
    if not is_unseeded(model):
        return False
    outputs = []
    for _ in range(2):
        reset_states(model)
        outputs.append(variables(flat(model(x, training=True))))
    return any(not np.array_equal(a, b) for a, b in zip(*outputs))


def plain_array(value):
    """In a form for npz, which has no bfloat16."""
    value = np.asarray(value)
    if text_arrays.is_text(value):
        return text_arrays.as_bytes(value)
    return value.astype("float32") if value.dtype.name == "bfloat16" else value


class Diverged(ValueError):
    """A training had results that are not finite."""


def saturates(model, batches):
    """Whether a probability is so close to 0 or 1 that its logarithm depends on the backend: for probabilities, Keras on
    TensorFlow computes the crossentropy from their logits, other backends from the clipped probabilities."""
    margin = 1e-6
    for x in batches:
        outputs = flat(model(x, training=False))
        for symbol, output in zip(model.outputs, outputs):
            activation = getattr(symbol._keras_history.operation, "activation", None)
            if activation in (keras.activations.softmax, keras.activations.sigmoid):
                values = np.asarray(keras.ops.cast(output, "float64"))
                if (values < margin).any() or (activation is keras.activations.sigmoid and (values > 1 - margin).any()):
                    return True
    return False


def folder_name(case):
    return case.name.replace("/", "_")


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

    folder = target / folder_name(case)
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
        "is_adapted": case.is_adapted,
        "computes_alike": case.computes_alike(),
        "formats": save(model, folder, case.formats),
    }
    description["tolerances"] = {}
    arrays = {}

    def add(role, values):
        arrays.update({f"{role}{i}": plain_array(value) for i, value in enumerate(values)})

    if not case.refused_layer:
        x, _, _ = samples(case.predicted)
        evaluated = samples(case.evaluated or 2 * case.batch_size)
        steps = [samples(case.batch_size) for _ in range(case.steps)]
        weights, slots = model.get_weights(), variables(optimizer_variables(model.optimizer))
        # Random training has no exact results.
        task = (x, evaluated, steps if not description["is_random"] else [])
        batches = [x, evaluated[0], *(step[0] for step in steps)]
        is_saturated = case.make_exact is not None and saturates(model, batches)
        outcome = Outcome(case, model, x, evaluated, steps)
        if is_saturated or (case.make_exact is not None and saturates(model, batches)):
            raise Diverged(f"{case.name} has probabilities of which backends take different logarithms")
        if case.make_exact is not None:
            exact = exact_outcome(case, weights, slots, *task)
            outcome.logs, logs = outcome.logs[: len(task[-1])], outcome.logs
            description["tolerances"] = tolerances(outcome, exact, case.roundoff_ratio)
            outcome.logs = logs
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
        description["clone"] = clone_calls(model)
        if case.is_random:
            batch = samples(DRAWN_BATCH)
            for role, values in zip(("x", "y", "weight"), batch):
                add(f"draw_{role}", flat(values))
            description["draws"] = drawn_logs(case, model, weights, slots, batch)
            description["is_unseeded"] = depends_on_seed(model, batch[0])
        paths = [path_of(weight) for weight in model.weights]
        names = [path_of(variable) for variable in optimizer_variables(model.optimizer)]
        unsettled = [*case.unsettled, *(part.replace("/", "_") for part in case.unsettled)]
        unsettled += case.unsettled_in_tf_keras if library.IS_TF_KERAS else ()
        description |= {
            "x": form(case.x),
            "strings": [i for i, leaf in enumerate(flat(x)) if text_arrays.is_text(leaf)],
            "y": form(case.y),
            "weight": form(case.weight),
            "steps": case.steps,
            "batch_size": case.batch_size,
            "evaluation": outcome.evaluation,
            "logs": outcome.logs,
            "fit": outcome.fitted,
            "class_weight": case.class_weight or {},
            "names_of_strings": names_of_strings(model),
            "weights": paths,
            "optimizer_variables": names,
            "unsettled_weights": [i for i, path in enumerate(paths) if any(part in path for part in unsettled)],
            "unsettled_optimizer_variables": [
                i for i, path in enumerate(names) if any(part in path for part in unsettled)
            ],
        }
        numbers = [value for value in arrays.values() if value.dtype.kind == "f"]
        numbers += [list(logs.values()) for logs in (*outcome.logs, outcome.evaluation, outcome.fitted or {})]
        if not all(np.isfinite(value).all() for value in numbers):
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
    parser.add_argument("--part", default="1/1", metavar="K/N", help="of all these, what the Kth of N processes makes")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    part, parts = (int(number) for number in arguments.part.split("/"))
    chosen = cases.load(arguments.share, arguments.only, arguments.seed, arguments.count)[part - 1::parts]
    failures = left_out = failed_in_keras = 0
    bounds = wide = 0
    following = arguments.count + part - 1
    for case in chosen:
        try:
            found = record(case, arguments.folder)["tolerances"]
            bounds += found.get("bounds", 0)
            wide += found.get("wide", 0)
        except Exception as error:  # pylint: disable=broad-except
            shutil.rmtree(arguments.folder / folder_name(case), ignore_errors=True)
            may_fail = isinstance(error, (Diverged, cases.LacksArguments)) or not case.computes_alike()
            if not may_fail and library.raised(error):
                failed_in_keras += 1
                may_fail = failed_in_keras <= MOST_FAILED
            if case.subject != "drawn" or not may_fail or left_out > MOST_LEFT_OUT * arguments.count:
                failures += 1
                print(f"{case.name}: {library.NAME} cannot make it: {type(error).__name__}: {error}", file=sys.stderr)
                continue
            # Another one is drawn instead. An older Keras lacks much of what is drawn, or cannot train it.
            if case.computes_alike():
                reason = " ".join(str(error).split())
                print(f"{reason if case.name in reason else f'{case.name}: {reason}'}: left out")
            left_out += 1
            chosen.append(cases.drawn(arguments.seed, following))
            following += parts
    print(f"{len(chosen) - failures - left_out} models made with {library.NAME}")
    if failed_in_keras:
        print(f"{failed_in_keras} drawn ones it cannot make itself; others were drawn instead")
    if bounds:
        print(f"{wide} of {bounds} numbers and arrays of the drawn ones may differ by more than {WIDE} of them: rounding")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
