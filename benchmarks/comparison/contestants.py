"""The programs that are compared, and their paths."""

import pathlib
import sys

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
OURS = "Rhyton"
# Name: folder below build/peers/, script below benchmarks/peers/, further arguments.
PEERS = {
    "PyTorch": ("torch", "torch_workloads.py", []),
    "Keras + TensorFlow": ("keras", "keras_workloads.py", ["--backend", "tensorflow"]),
    "Keras + JAX": ("jax", "keras_workloads.py", ["--backend", "jax"]),
    "ONNX Runtime": ("onnx", "onnx_workloads.py", ["--runtime", "onnxruntime"]),
    "OpenVINO": ("onnx", "onnx_workloads.py", ["--runtime", "openvino"]),
    "NumPy": ("keras", "numpy_workloads.py", []),
}


def present(build, peers):
    """Name to command line, for the programs that are installed."""
    commands = {OURS: [build / "bin/workloads"]}
    for name, (folder, script, words) in PEERS.items():
        commands[name] = [peers / folder / "bin/python", REPOSITORY / "benchmarks/peers" / script, *words]
    found = {}
    for name, command in commands.items():
        if command[0].exists():
            found[name] = [str(word) for word in command]
        else:
            print(f"{name} is left out: there is no {command[0].name} in the folder given", file=sys.stderr)
    return found
