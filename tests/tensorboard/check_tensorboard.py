"""Reads the logs of tensorboard_logs with TensorBoard, as its pages do.

    check_tensorboard.py DIR HISTORY.json
"""

import json
import pathlib
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.util import tensor_util

CLOSE = 1e-6


def check(condition, what):
    if not condition:
        sys.exit(f"check_tensorboard: {what}")


def series(folder):
    """For each tag the steps and values."""
    events = EventAccumulator(str(folder), size_guidance={"tensors": 0})
    events.Reload()
    return {tag: [(event.step, tensor_util.make_ndarray(event.tensor_proto)) for event in events.Tensors(tag)]
            for tag in events.Tags()["tensors"]}


def check_scalars(tags, name, steps, values=None):
    check(name in tags, f"there is no {name}")
    check([step for step, _ in tags[name]] == steps, f"the steps of {name} are {tags[name]}")
    for (step, value), wanted in zip(tags[name], values or []):
        check(abs(value - wanted) <= CLOSE * abs(wanted), f"{name} at {step} is {value} instead of {wanted}")


def check_events(folder, history):
    train, validation = series(folder / "train"), series(folder / "validation")
    for name in ("loss", "mae"):
        check_scalars(train, f"epoch_{name}", [0, 1, 2], history[name])
        check_scalars(validation, f"epoch_{name}", [0, 1, 2], history[f"val_{name}"])
        check_scalars(validation, f"evaluation_{name}_vs_iterations", [6, 12, 18], history[f"val_{name}"])
        check_scalars(train, f"batch_{name}", list(range(2, 19, 2)))
    check_scalars(train, "epoch_learning_rate", [0, 1, 2], [0.001] * 3)
    check_scalars(train, "epoch_steps_per_second", [0, 1, 2])
    check_scalars(train, "batch_steps_per_second", list(range(2, 19, 2)))
    for weight, size in {"words/embeddings": 40, "conv/kernel": 36, "conv/bias": 3, "head/kernel": 6, "head/bias": 2}.items():
        counts = train[f"{weight}/histogram"][-1][1]
        check(counts.shape == (30, 3) and counts[:, 2].sum() == size, f"the histogram of {weight} is {counts}")
        check(len(train[f"{weight}/image"]) == 3, f"the images of {weight}")
    counts = series(folder / "own")["numbers"][0][1]
    check((counts[:, 2] == 10).all() and counts[0, 0] == 0 and counts[-1, 1] == 99, f"the histogram is {counts}")


class Server:
    """TensorBoard on a free port."""

    def __init__(self, folder):
        with socket.socket() as probe:
            probe.bind(("localhost", 0))
            self.port = probe.getsockname()[1]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tensorboard.main", "--logdir", folder, "--port", str(self.port), "--load_fast=false"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def get(self, page, **arguments):
        url = f"http://localhost:{self.port}/data/{page}?{urllib.parse.urlencode(arguments)}"
        with urllib.request.urlopen(url) as answer:
            return answer.read()

    def json(self, page, **arguments):
        return json.loads(self.get(page, **arguments))

    def wait_for(self, runs):
        for _ in range(120):
            try:
                if set(self.json("runs")) == runs and self.json("plugin/text/tags").get("own"):
                    return
            except (urllib.error.URLError, ConnectionError):
                check(self.process.poll() is None, "TensorBoard has ended")
            time.sleep(0.5)
        check(False, "TensorBoard does not list the runs")


def check_pages(folder, history):
    with Server(folder) as server:
        server.wait_for({"train", "validation", "own"})
        losses = server.json("plugin/scalars/scalars", run="train", tag="epoch_loss")
        check([step for _, step, _ in losses] == [0, 1, 2], f"the curve is {losses}")
        check(abs(losses[2][2] - history["loss"][2]) <= CLOSE, f"the curve is {losses}")
        histograms = server.json("plugin/histograms/histograms", run="own", tag="numbers")
        check(histograms[0][1] == 3 and len(histograms[0][2]) == 10, f"the histograms are {histograms}")
        image = server.json("plugin/images/images", run="own", tag="image", sample=0)[0]
        png = server.get(f"plugin/images/individualImage?{image['query']}&unused=")
        check(image["step"] == 2 and png.startswith(b"\x89PNG"), f"the image is {image}")
        text = server.json("plugin/text/text", run="own", tag="note")[0]
        check("<strong>bold</strong>" in text["text"], f"the text is {text}")
        graph = server.get("plugin/graphs/graph", run="train", tag="keras", conceptual="true", limit_attr_size=1024,
                           large_attrs_key="_too_large_attrs").decode()
        for name, source in {"conv": "words", "mean": "conv", "head": "mean"}.items():
            node = graph[graph.index(f'/{name}"'):]
            check(f'/{source}"' in node[:node.index("attr")], f"the layer {name} of the graph does not follow {source}")
        tables = server.json("plugin/projector/info", run=".")["embeddings"]
        check(tables[0]["tensorShape"] == [10, 4], f"the tables are {tables}")
        labels = server.get("plugin/projector/metadata", run=".", name="words").decode().splitlines()
        check(labels[9] == "word 9", f"the labels are {labels}")


def main():
    folder, history = pathlib.Path(sys.argv[1]), json.loads(pathlib.Path(sys.argv[2]).read_text())
    check_events(folder, history)
    check_pages(folder, history)
    print("TensorBoard reads all logs")


if __name__ == "__main__":
    main()
