#!/usr/bin/env python3
"""Prediction in ONNX Runtime or OpenVINO, by PyTorch's models of images as torch_to_onnx.py writes them."""

import pathlib
import sys

import measurement
import onnx_runtimes

arguments = measurement.parse_arguments(__doc__, runtime=list(onnx_runtimes.BY_NAME))
measurement.restart_with({**measurement.TUNED_MALLOC, "OMP_NUM_THREADS": str(arguments.threads)})

import numpy as np  # noqa: E402

import synthetic  # noqa: E402

# Beside this environment.
MODELS = pathlib.Path(sys.prefix).parent / "models"

runtime = onnx_runtimes.BY_NAME[arguments.runtime](arguments.threads)


def model_file(name):
    path = MODELS / f"{name}.onnx"
    if not path.exists():
        sys.exit(f"{name}: there is no {path}, which benchmarks/peers/setup.sh writes")
    return str(path)


def vision_prediction():
    cases = {}
    for name in measurement.VISION_MODELS:
        for size in measurement.VISION_PREDICTION_BATCH_SIZES:
            x, _ = synthetic.images_and_classes(name, size)
            predict = runtime.prediction(model_file(name), np.ascontiguousarray(np.moveaxis(x, -1, 1)))
            cases[f"{name}, batch {size}"] = measurement.seconds_per_call(predict)
    return {"cases": cases, "settings": runtime.settings}


measurement.run(
    {"vision_prediction": vision_prediction}, arguments, arguments.threads, runtime.version, ["tuned malloc"]
)
