"""Shared by the programs of the peers: options, environment, timing, reports."""

import argparse
import json
import os
import pathlib
import resource
import statistics
import sys
import time

# Keeps glibc from returning the memory of activations to the system after every step.
TUNED_MALLOC = {
    "MALLOC_MMAP_THRESHOLD_": str(1 << 30),
    "MALLOC_TRIM_THRESHOLD_": str(1 << 32),
    "MALLOC_TOP_PAD_": str(1 << 28),
}
REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
# The one that uses OpenMP's threads: its own threads would compete with them for the same cores.
OPENBLAS_FOLDERS = [
    pathlib.Path("/usr/lib/x86_64-linux-gnu/openblas-openmp"),
    REPOSITORY / "build/peers/openblas/usr/lib/x86_64-linux-gnu/openblas-openmp",
]

# The workloads' sizes, the same for all programs.
BATCH_SIZE = 128
EPOCHS = 5
RESNET20_STEPS = 4
MLP_STEPS = 200
TEXT_STEPS = 100
WORDS = 20000
WORDS_PER_TEXT = 200
# Steps and features of a sequence, and the units of the layer.
SEQUENCE_SHAPE = (64, 128)
RECURRENT_UNITS = 128
RECURRENT_KINDS = ("LSTM", "GRU")
RECURRENT_STEPS = 6
# Images of a sequence, their height, width and channels.
CONV_LSTM_SHAPE = (10, 32, 32, 8)
CONV_LSTM_FILTERS = 16
CONV_LSTM_BATCH_SIZE = 8
# The models of images: the shape of a sample with the channels last, that of its classes, and the samples of a training
# step.
VISION_MODELS = {
    "MobileNetV2": ((224, 224, 3), (), 8),
    "ResNet-50": ((224, 224, 3), (), 4),
    "EfficientNetB0": ((224, 224, 3), (), 8),
    "U-Net": ((128, 128, 3), (128, 128), 4),
    "Conv1D": ((1024, 16), (), 32),
    "Conv3D": ((16, 32, 32, 3), (), 8),
}
VISION_PREDICTION_BATCH_SIZES = (1, 8)
# The weights that an optimizer updates.
OPTIMIZER_SHAPES = [(1000, 1000)] * 10
# The sides of matrices, and the shapes of batches of vectors.
CHOLESKY_SIZES = (64, 512, 1024)
SVD_SIZES = (32, 256, 512)
FFT_SHAPES = ((1024, 1024), (64, 1000), (1, 1048576))
# Samples, heads and the size of a head; the numbers of positions.
ATTENTION_SHAPE = (8, 8, 64)
ATTENTION_LENGTHS = (128, 512, 2048)
# Positions and width of the inputs of an encoder block, its heads and its hidden units.
ENCODER_SHAPE = (128, 512)
ENCODER_HEADS = 8
ENCODER_HIDDEN = 2048
ENCODER_BATCH_SIZE = 16
ENCODER_STEPS = 6
# The decoder of characters: positions at most, width, heads and blocks.
CHARACTERS = 96
DECODER_CONTEXT = 256
DECODER_WIDTH = 256
DECODER_HEADS = 8
DECODER_BLOCKS = 4
FIRST_CHARACTER = 1
PREDICT_BATCH_SIZES = (64, 1024)
MATMUL_SIZES = (256, 512, 1024, 2048, 4096)
NORM_SHAPE = (4096, 512)
GELU_SHAPE = (4096, 2048)
CHAIN_SHAPE = (8192, 1024)
# A few warm-up steps, the last one as short as the last one of an epoch.
WARM_UP_SAMPLES = 100 * 64 + 32


def parse_arguments(description, **choices):
    """`choices`: the values of further options that are required."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--workload", required=True)
    for name, values in choices.items():
        parser.add_argument(f"--{name}", choices=values, required=True)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--epochs", type=int, default=1, help="epoch: warm epochs to time")
    parser.add_argument("--limit", type=int, default=60000, help="epoch: train on the first N images only")
    return parser.parse_args()


def openblas_folder():
    """The path of Debian's libblas.so.3 that is OpenBLAS, or None."""
    for folder in OPENBLAS_FOLDERS:
        if (folder / "libblas.so.3").exists():
            return folder
    return None


def restart_with(environment):
    """Restarts this program with these variables, which libraries read only at the start of a process."""
    if "RHYTON_PEER_STARTED" in os.environ:
        return
    os.environ.update(environment, RHYTON_PEER_STARTED=str(time.time()))
    os.execv(sys.executable, [sys.executable, *sys.argv])


def seconds_per_call(function):
    """The median time of single calls after a warm-up: at least five calls, for about a second."""
    begin = time.perf_counter()
    while True:
        function()
        if time.perf_counter() - begin > 0.2:
            break
    seconds = []
    measured = time.perf_counter()
    while len(seconds) < 5 or time.perf_counter() - measured < 1.0:
        start = time.perf_counter()
        function()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def fastest(candidates):
    """(name, seconds per call) of the fastest of the named functions."""
    times = {name: seconds_per_call(function) for name, function in candidates.items()}
    name = min(times, key=times.get)
    return name, times[name]


def steps_result(epoch_seconds, steps, **more):
    """The result of a workload that timed epochs of this many steps."""
    return {"cases": {"step": statistics.median(epoch_seconds) / steps}, **more}


def finished_now(**more):
    """The result of the workload `start` right after its first step, with the start time of this process."""
    return {"finished": time.time(), "started": float(os.environ["RHYTON_PEER_STARTED"]), **more}


def run(workloads, arguments, threads, version, settings):
    """Runs the workload and prints everything as one line of JSON. The workload may add to the settings."""
    if arguments.workload not in workloads:
        sys.exit(f"--workload takes one of {' '.join(workloads)}")
    result = workloads[arguments.workload]()
    result["settings"] = ", ".join([*settings, *result.pop("settings", [])])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({**result, "peak_rss_mb": round(peak, 1), "threads": threads, "version": version}))
