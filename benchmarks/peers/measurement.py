"""What the programs of the peers have in common: their options, their environment and the line that they end with."""

import argparse
import json
import os
import pathlib
import resource
import sys

# Keeps glibc from handing the activations back to the system after every step.
TUNED_MALLOC = {
    "MALLOC_MMAP_THRESHOLD_": str(1 << 30),
    "MALLOC_TRIM_THRESHOLD_": str(1 << 32),
    "MALLOC_TOP_PAD_": str(1 << 28),
}
REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
OPENBLAS_FOLDERS = [
    pathlib.Path("/usr/lib/x86_64-linux-gnu/openblas-pthread"),
    REPOSITORY / "build/peers/openblas/usr/lib/x86_64-linux-gnu/openblas-pthread",
]
# A few steps to make everything ready, the last one as short as the last one of an epoch.
WARM_UP_SAMPLES = 100 * 64 + 32


def parse_arguments(description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--epochs", type=int, default=1, help="warm epochs to time")
    parser.add_argument("--limit", type=int, default=60000, help="train on the first N images only")
    return parser.parse_args()


def openblas_folder():
    """Where Debian's libblas.so.3 that is OpenBLAS lies, or None."""
    for folder in OPENBLAS_FOLDERS:
        if (folder / "libblas.so.3").exists():
            return folder
    return None


def restart_with(environment):
    """Starts this program again with these variables, which libraries read only at the start of a process."""
    if os.environ.get("RHYTON_PEER_READY") == "1":
        return
    os.environ.update(environment, RHYTON_PEER_READY="1")
    os.execv(sys.executable, [sys.executable, *sys.argv])


def report(seconds, loss, **more):
    """One line per epoch, then everything as one line of JSON."""
    for number, value in enumerate(seconds, 1):
        print(f"epoch {number}: {value:.3f} s")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": seconds, "loss": loss, "peak_rss_mb": round(peak, 1), **more}))
