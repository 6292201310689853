#!/usr/bin/env python3
"""Writes PyTorch's models of images as ONNX files with any number of samples, for onnx_workloads.py."""

import argparse
import pathlib

import torch

import measurement
import torch_vision


def export(name, path):
    model = torch_vision.MODELS[name]().eval()
    *size, channels = measurement.VISION_MODELS[name][0]
    x = torch.zeros(2, channels, *size)
    torch.onnx.export(
        model,
        (x,),
        path,
        input_names=["x"],
        output_names=["y"],
        dynamic_shapes=[{0: torch.export.Dim("batch")}],
        external_data=False,
        verbose=False,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(0)
    for name in measurement.VISION_MODELS:
        export(name, folder / f"{name}.onnx")


main()
