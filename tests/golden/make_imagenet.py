"""keras.applications.imagenet_utils: imagenet.json.

`preprocess`: [data_format, mode, shape, pixels, results]; `input_shapes`: arguments of
`obtain_input_shape`, and its `result`, or the `error`, and the `warnings`.
"""

import warnings

from common import keras
from common import np
from common import rng_for
from common import write_json

from keras.src.applications import imagenet_utils  # isort: skip


def preprocessed():
    cases = []
    for data_format, shapes in {
        "channels_last": [(2, 2, 3, 3), (3, 2, 3)],
        "channels_first": [(2, 3, 2, 3), (3, 2, 3)],
    }.items():
        for mode in ("caffe", "tf", "torch"):
            for shape in shapes:
                x = rng_for(mode).integers(0, 256, shape)
                y = imagenet_utils.preprocess_input(x.astype("uint8"), data_format=data_format, mode=mode)
                assert y.dtype == np.float32
                cases.append([data_format, mode, shape, x.ravel().tolist(), y.astype("float64").ravel().tolist()])
    return cases


def input_shape(data_format="channels_last", **arguments):
    keras.config.set_image_data_format(data_format)
    case = {"data_format": data_format, **arguments}
    if arguments["input_shape"] is not None:
        arguments["input_shape"] = tuple(arguments["input_shape"])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            case["result"] = imagenet_utils.obtain_input_shape(
                default_size=224, min_size=32, data_format=data_format, **arguments
            )
        except ValueError as error:
            case["error"] = str(error)
    case["warnings"] = [str(warning.message) for warning in caught]
    return case


def input_shapes():
    last = [None, [224, 224, 3], [64, 48, 3], [64, 48, 1], [64, 48, 5], [31, 48, 3], [48, 31, 3], [None, None, 3],
            [None, 64, 3], [64, 64], [64, 64, 3, 1], []]
    first = [None, [3, 224, 224], [3, 64, 48], [2, 64, 48], [3, 31, 48], [3, 64, 16], [3, None, None], [64, 64]]
    cases = []
    for data_format, shapes in {"channels_last": last, "channels_first": first}.items():
        for shape in shapes:
            for flatten in (True, False):
                for weights in (None, "imagenet"):
                    arguments = {"input_shape": shape, "require_flatten": flatten, "weights": weights}
                    cases.append(input_shape(data_format, **arguments))
    keras.config.set_image_data_format("channels_last")
    return cases


write_json("imagenet.json", {"preprocess": preprocessed(), "input_shapes": input_shapes()})
