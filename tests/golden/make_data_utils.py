"""data_utils.json: keras.utils.timeseries_dataset_from_array and split_dataset, drawn at random.

    make_data_utils.py [--seed SEED]
"""

import argparse
import json
import os
import random

from common import FOLDER
from common import keras
from common import np
from common import tf

parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=1)
seed_of_run = parser.parse_args().seed
print("seed", seed_of_run)
rng = random.Random(seed_of_run)
cases = []


def values(dataset):
    """For each element the shapes and values of its tensors."""
    elements = []
    for element in dataset:
        parts = element if isinstance(element, tuple) else (element,)
        elements.append([{"shape": list(p.shape), "values": p.numpy().ravel().tolist()} for p in parts])
    return elements


def outcome(make):
    """{"elements"}, or {"error"} of Keras or {"failure"} of a pass."""
    try:
        made = make()
    except (ValueError, TypeError) as error:
        return {"error": str(error)}
    try:
        return made()
    except tf.errors.OpError as error:
        return {"failure": type(error).__name__}


def timeseries(number):
    length = rng.randint(4, 20)
    width = rng.choice([None, None, 2])
    targets = rng.choice([None, length, length - 2, length + 3])
    options = {"sequence_length": rng.randint(1, 5)}
    for name, draw in [
        ("sequence_stride", lambda: rng.randint(-1, 7)),
        ("sampling_rate", lambda: rng.randint(0, 5)),
        ("batch_size", lambda: rng.choice([None, 1, 3])),
        ("start_index", lambda: rng.randint(-2, 22)),
        ("end_index", lambda: rng.randint(-1, 22)),
    ]:
        if rng.random() < 0.5:
            options[name] = draw()
    if rng.random() < 0.2:
        options |= {"shuffle": True, "seed": rng.randint(0, 2**32 - 1)}
    data = np.arange(length if width is None else length * width)
    data = data if width is None else data.reshape(length, width)
    target = None if targets is None else np.arange(targets) * 10

    def make():
        dataset = keras.utils.timeseries_dataset_from_array(data, target, **options)
        return lambda: {"elements": values(dataset)}

    cases.append(
        {"name": f"timeseries/{number}", "length": length, "width": width, "targets": targets, "options": options}
        | outcome(make)
    )


def split(number):
    length = rng.randint(1, 15)
    batch = rng.choice([None, None, 4])
    options = {}
    for side in ("left_size", "right_size"):
        if rng.random() < 0.6:
            options[side] = rng.choice([rng.randint(-1, 16), round(rng.uniform(0.05, 0.95), 2), 0.5])
    if rng.random() < 0.5:
        options |= {"shuffle": True, "seed": rng.choice([rng.randint(-9, 10**6), rng.randint(2**33, 2**40)])}
    dataset = tf.data.Dataset.from_tensor_slices((np.arange(length), np.arange(length) * 2))
    if batch is not None:
        dataset = dataset.batch(batch)

    def make():
        left, right = keras.utils.split_dataset(dataset, **options)
        return lambda: {"left": values(left), "right": values(right)}

    cases.append({"name": f"split/{number}", "length": length, "batch": batch, "options": options} | outcome(make))


for i in range(120):
    timeseries(i)
for i in range(80):
    split(i)
with open(os.path.join(FOLDER, "data_utils.json"), "w") as file:
    file.write("[\n" + ",\n".join(json.dumps(case) for case in cases) + "\n]\n")
print(len(cases), "cases,", sum("error" in case for case in cases), "errors")
