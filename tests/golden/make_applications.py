"""The layers of the models of keras.applications, applications/<model>.json.

A file has `cases`, one model each, made by `options`, and what they share: `defaults`,
for each class its configuration, without name (operations with `operands`); and `kinds` of layers: class, what differs
from its defaults, shape of the output without the batch, shapes of the weights.

A layer of a case is [kind, name, the layers that it gets, by their positions]; the last
is absent if it is just the layer before. A name "block2b_|bn" has a prefix, which "|add"
after it has too. The first `same` layers are those of the first case; a kind alone is a
layer with the name and inputs of the one at that position of the first case.
"""

import collections
import json
import os
import re
import sys

from common import FOLDER
from common import keras
from common import plain

SMALL = [32, 32, 3]
TOP = {"input_shape": SMALL}
AVERAGE = {"include_top": False, "input_shape": SMALL, "pooling": "avg"}
MAXIMUM = {"include_top": False, "input_shape": SMALL, "pooling": "max"}
FEATURES = {"include_top": False}
FIRST = {"data_format": "channels_first", "input_shape": [3, 32, 48]}
LOGITS = {"input_shape": SMALL, "classes": 7, "classifier_activation": None, "name": "mine"}

LARGER = {"Xception": 71, "InceptionV3": 75, "InceptionResNetV2": 75}


def sized(size, cases):
    """The cases with images of at least that size."""
    def at_least(shape):
        return [length if length is None or length <= 3 else max(size, length) for length in shape]

    return [
        {**case, "input_shape": at_least(case["input_shape"])} if "input_shape" in case else case for case in cases
    ]


COMMON = [TOP, AVERAGE, MAXIMUM]
CASES = {
    "VGG16": [*COMMON, FEATURES, FIRST, LOGITS],
    "VGG19": [TOP, AVERAGE],
    "ResNet50": [*COMMON, FEATURES, FIRST, LOGITS],
    "ResNet101": [TOP],
    "ResNet152": [AVERAGE],
    "ResNet50V2": [*COMMON, FEATURES],
    "ResNet101V2": [TOP],
    "ResNet152V2": [AVERAGE],
    "DenseNet121": COMMON,
    "DenseNet169": [TOP],
    "DenseNet201": [AVERAGE],
    "MobileNet": [
        *COMMON,
        FEATURES,
        FIRST,
        LOGITS,
        {"input_shape": [128, 128, 1], "alpha": 0.25, "depth_multiplier": 2, "dropout": 0.5},
        {"input_shape": [33, 47, 3], "alpha": 1.3, "include_top": False},
    ],
    "MobileNetV2": [
        *COMMON,
        FEATURES,
        FIRST,
        LOGITS,
        {"input_shape": [96, 96, 1], "alpha": 0.35},
        {"input_shape": [33, 47, 3], "alpha": 1.4, "include_top": False},
    ],
    "MobileNetV3Small": [
        *COMMON,
        {},
        FIRST,
        LOGITS,
        {"input_shape": [33, 47, 3], "alpha": 0.75, "minimalistic": True, "dropout_rate": 0.0},
        {"input_shape": SMALL, "alpha": 1.5, "include_preprocessing": False},
    ],
    "MobileNetV3Large": [
        *COMMON,
        FEATURES,
        {"input_shape": SMALL, "alpha": 0.75, "minimalistic": True, "dropout_rate": 0.4},
        {"input_shape": SMALL, "alpha": 1.25},
    ],
    "Xception": [*COMMON, FEATURES, FIRST],
    "InceptionV3": [*COMMON, FIRST],
    "InceptionResNetV2": COMMON,
    "NASNetMobile": COMMON,
    "NASNetLarge": [AVERAGE],
    "EfficientNetB0": [*COMMON, FEATURES, FIRST, LOGITS, {"input_shape": [33, 47, 1], "include_top": False}],
    "EfficientNetB1": [TOP],
    "EfficientNetB2": [AVERAGE],
    "EfficientNetB3": [TOP],
    "EfficientNetB4": [AVERAGE],
    "EfficientNetB5": [TOP],
    "EfficientNetB6": [AVERAGE],
    "EfficientNetB7": [TOP],
    "EfficientNetV2B0": [
        *COMMON,
        FEATURES,
        FIRST,
        {"input_shape": [33, 47, 1], "include_top": False},
        {"input_shape": SMALL, "include_preprocessing": False, "classes": 7, "classifier_activation": None},
    ],
    "EfficientNetV2B1": [TOP],
    "EfficientNetV2B2": [AVERAGE],
    "EfficientNetV2B3": [TOP],
    "EfficientNetV2S": [AVERAGE],
    "EfficientNetV2M": [TOP],
    "EfficientNetV2L": [AVERAGE],
    "ConvNeXtTiny": [
        *COMMON,
        FEATURES,
        {**LOGITS, "include_preprocessing": False},
        {"input_shape": [33, 47, 1], "include_top": False},
    ],
    "ConvNeXtSmall": [TOP],
    "ConvNeXtBase": [AVERAGE],
    "ConvNeXtLarge": [MAXIMUM],
    "ConvNeXtXLarge": [AVERAGE],
}


def weight_shapes(layer):
    return [list(w.shape) for w in layer.weights] if isinstance(layer, keras.Layer) else []


def shape_of(layer):
    output = layer.output if hasattr(layer, "output") else layer._inbound_nodes[0].output_tensors[0]
    return list(output.shape)[1:]


def inputs_of(layer):
    return [tensor._keras_history.operation.name for tensor in layer._inbound_nodes[0].input_tensors]


def shorter(value):
    """The same with the names of dtype policies instead of their configurations, and without empty names of classes."""
    if isinstance(value, list):
        return [shorter(member) for member in value]
    if not isinstance(value, dict):
        return value
    if value.get("class_name") == "DTypePolicy":
        return value["config"]["name"]
    return {key: shorter(member) for key, member in value.items() if key != "registered_name" or member is not None}


def config_of(described):
    config = {key: shorter(value) for key, value in described["config"].items() if key != "name"}
    if described["module"].startswith("keras.src.ops"):
        # The second operand, if it is a number.
        operands = described["inbound_nodes"][0]["args"][1:]
        config["operands"] = [operand for operand in operands if not isinstance(operand, dict)]
    return config


def class_of(described):
    """With the module of an operation: there are two classes Add."""
    is_layer = described["module"] == "keras.layers"
    return described["class_name"] if is_layer else described["module"] + "." + described["class_name"]


def make_model(name, options):
    keras.backend.clear_session()
    options = dict(options)
    keras.config.set_image_data_format(options.pop("data_format", "channels_last"))
    if "input_shape" in options:
        options["input_shape"] = tuple(options["input_shape"])
    return getattr(keras.applications, name)(weights=None, **options)


def commonest(configs):
    """For each key the value that most configurations have."""
    values = {}
    for key in configs[0]:
        texts = collections.Counter(json.dumps(config[key]) for config in configs)
        values[key] = json.loads(texts.most_common(1)[0][0])
    return values


PREFIX = re.compile(r"(.*_)?block_?[0-9]+[a-z]?_")


def shortened(layers, first, same):
    """The layers from position `same` on, as files have them."""
    last_prefix = ""
    rows = []
    for i, (kind, name, *inputs) in enumerate(layers[same:], same):
        if layers is not first and i < len(first) and first[i][1:] == [name, *inputs]:
            rows.append(kind)
            continue
        found = PREFIX.match(name)
        if found:
            prefix = found.group()
            name = ("" if prefix == last_prefix else prefix) + "|" + name[len(prefix) :]
            last_prefix = prefix
        rows.append([kind, name, *inputs])
    return rows


class Recorder:
    def __init__(self, name):
        self.name = name
        self.cases = []  # (options, model's config, [(class, config, name, shape, inputs, weights)])

    def add(self, options):
        model = make_model(self.name, options)
        config = plain(model.get_config())
        listed = []
        for layer, described in zip(model.operations, config["layers"]):
            assert layer.name == described["name"]
            listed.append(
                (
                    class_of(described),
                    config_of(described),
                    layer.name,
                    shape_of(layer),
                    inputs_of(layer),
                    weight_shapes(layer),
                )
            )
        ends = {key: config[key] for key in ("name", "input_layers", "output_layers")}
        self.cases.append((options, ends, listed))

    def save(self):
        configs = collections.defaultdict(list)
        for _, _, listed in self.cases:
            for class_name, config, *_ in listed:
                configs[class_name].append(config)
        defaults = {class_name: commonest(several) for class_name, several in configs.items()}
        kinds = []

        def kind_of(class_name, config, shape, weights):
            default = defaults[class_name]
            assert config.keys() == default.keys(), class_name
            difference = {key: value for key, value in config.items() if value != default[key]}
            kind = [class_name, difference, shape, weights]
            if kind not in kinds:
                kinds.append(kind)
            return kinds.index(kind)

        cases = []
        first = None
        for options, ends, listed in self.cases:
            layers = []
            positions = {name: i for i, (_, _, name, *_) in enumerate(listed)}
            for class_name, config, name, shape, inputs, weights in listed:
                kind = kind_of(class_name, config, shape, weights)
                inputs = [positions[layer] for layer in inputs]
                layers.append([kind, name] if inputs == [len(layers) - 1] else [kind, name, inputs])
            first = first or layers
            same = 0
            while same < min(len(layers), len(first)) and layers[same] == first[same]:
                same += 1
            if layers is first:
                same = 0
            cases.append({"options": options, **ends, "same": same, "layers": shortened(layers, first, same)})
        self.write(defaults, kinds, cases)

    def write(self, defaults, kinds, cases):
        def dumped(value):
            return json.dumps(plain(value), separators=(",", ":"), allow_nan=False)

        def rows(values):
            return "[\n" + ",\n".join(dumped(value) for value in values) + "]"

        texts = []
        for case in cases:
            head = dumped({key: value for key, value in case.items() if key != "layers"})
            texts.append(head[:-1] + ',"layers":' + rows(case["layers"]) + "}")
        folder = os.path.join(FOLDER, "applications")
        os.makedirs(folder, exist_ok=True)
        path = os.path.join(folder, self.name + ".json")
        with open(path, "w", encoding="utf-8") as f:
            f.write('{"model":' + dumped(self.name) + ',\n"defaults":' + dumped(defaults) + ',\n"kinds":' + rows(kinds))
            f.write(',\n"cases":[\n' + ",\n".join(texts) + "]}\n")
        print(self.name, [len(case["layers"]) for case in cases], os.path.getsize(path))


def main():
    for name in sys.argv[1:] or CASES:
        recorder = Recorder(name)
        for options in sized(LARGER.get(name, 0), CASES[name]):
            recorder.add(options)
        recorder.save()
    keras.config.set_image_data_format("channels_last")


if __name__ == "__main__":
    main()
