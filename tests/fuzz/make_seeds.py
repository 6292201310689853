#!/usr/bin/env python3
"""Splits the golden files into one folder of seeds per fuzz target.

    make_seeds.py TESTS-FOLDER OUTPUT-FOLDER

seeds/NAME/ beside this file is copied to the target NAME unchanged.
"""

import io
import json
import pathlib
import shutil
import sys
import zipfile

LONGEST_JSON = 600
LONGEST_RUN_MODEL = 4096


def write(folder, name, content):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(content)


def small_values(value):
    """The value, or its parts if it is too long."""
    if len(json.dumps(value)) <= LONGEST_JSON:
        yield value
        return
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else []:
        yield from small_values(part)


def write_archives(output, stem, members):
    """Small archives with the first bytes of members: stored, deflated, and with the records of large ones."""
    for method in [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED]:
        for large in [False, True]:
            content = io.BytesIO()
            with zipfile.ZipFile(content, "w", method) as archive:
                for name, member in members:
                    with archive.open(name, "w", force_zip64=large) as file:
                        file.write(member[:200])
            write(output / "zip", f"{stem}_{method}_{int(large)}.zip", content.getvalue())


def first_of_each_class(cases):
    return {case["class_name"]: case for case in reversed(cases)}.values()


def write_windows(write_model):
    """Convolutions and poolings with large lengths, alone and in sequence."""
    image = {"class_name": "InputLayer", "config": {"batch_shape": [None, 6, 5, 2], "name": "i"}}
    lengths = [1, 3, 7, 100, 2**20, 2**31 - 1, 2**31, 2**61, 2**62 + 2, 2**63 - 1]
    for number, length in enumerate(lengths):
        for padding in ["same", "valid"]:
            window = {"filters": 2, "kernel_size": [2, 3], "padding": padding}
            dilated = {"class_name": "Conv2D", "config": {"name": "d", "dilation_rate": [length, 1], **window}}
            strided = {"class_name": "Conv2D", "config": {"name": "s", "strides": [1, length], **window}}
            pool = {"pool_size": [length, 2], "strides": [2, length], "padding": padding}
            maximum = {"class_name": "MaxPooling2D", "config": {"name": "m", **pool}}
            average = {"class_name": "AveragePooling2D", "config": {"name": "a", **pool}}
            for name, layers in {"conv": [dilated, strided], "max": [maximum, dilated], "mean": [average]}.items():
                model = {"class_name": "Sequential", "config": {"name": "q", "layers": [image, *layers]}}
                write_model(f"window_{name}_{padding}_{number}", model)


def write_small_models(golden, output):
    """A model for each class of layer, optimizer and loss."""

    def read(name):
        return first_of_each_class(json.loads((golden / name).read_text()))

    def write_model(name, model):
        text = json.dumps(model, separators=(",", ":")).encode()
        write(output / "model_config", name + ".json", text)
        if not name.startswith(("optimizer_", "loss_")):
            write(output / "run_model", name + ".json", text)

    for case in read("layers.json"):
        shapes = [[None] + array["shape"][1:] for array in case["inputs"]]
        build_config = {"input_shape": shapes[0] if len(shapes) == 1 else shapes}
        write_model(
            "layer_" + case["name"],
            {"class_name": case["class_name"], "config": case["config"], "build_config": build_config},
        )
    write_windows(write_model)
    dense = {"class_name": "Dense", "config": {"name": "d", "units": 2}, "build_config": {"input_shape": [None, 3]}}
    start = {"class_name": "InputLayer", "config": {"batch_shape": [None, 3], "name": "i"}}
    for kind, file, key in [("optimizer", "optimizers.json", "optimizer"), ("loss", "losses.json", "loss")]:
        for case in read(file):
            given = {"class_name": case["class_name"], "config": case["config"]}
            compile_config = {"optimizer": "sgd", "loss": "mse", "metrics": ["mae"]} | {key: given}
            write_model(
                f"{kind}_{case['name']}",
                {"class_name": "Sequential", "config": {"layers": [start, dense]}, "compile_config": compile_config},
            )


def write_dataset_files(golden, output):
    """Arrays of objects, messages tf.train.Example, and WAV files."""
    for path in sorted(golden.glob("indexed_texts/*.npz")):
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                write(output / "pickle", f"{path.stem}_{name}", archive.read(name))
    for case in json.loads((golden / "examples.json").read_text())[:30]:
        write(output / "example", case["name"], case["serialized"].encode("latin-1"))
    for number, case in enumerate(json.loads((golden / "audio_folders.json").read_text())["decoded"]):
        write(output / "wav", f"{number}.wav", bytes.fromhex(case["content"]))


def varint(number):
    number %= 2**64
    content = b""
    while number >= 128:
        content += bytes([number % 128 + 128])
        number //= 128
    return content + bytes([number])


def message(*fields):
    """A protobuf message of (number, value): a list of integers is packed."""
    content = b""
    for number, value in fields:
        if isinstance(value, int):
            content += varint(number * 8) + varint(value)
            continue
        if isinstance(value, list):
            value = b"".join(map(varint, value))
        content += varint(number * 8 + 2) + varint(len(value)) + value
    return content


def region(block, size, offset=0):
    return varint(1 * 8 + 1) + block.to_bytes(8, "little") + message((2, size), (3, offset))


def write_task_messages(output):
    """The messages of framework/distribute/grpc/*.proto, as tests/fuzz/targets/task_messages.cc reads them."""

    def write_messages(name, kind, messages):
        content = b"".join(len(m).to_bytes(2, "little") + m for m in messages)
        write(output / "task_messages", name, bytes([kind]) + content)

    tensor = message((1, b"w"), (2, b"float32"), (3, [2, 3]), (5, bytes(24)))
    write_messages("tensors", 0, [tensor, message((6, 1))])
    write_messages("tensors_on_the_wire", 4, [tensor, message((6, 1))])
    write_messages("tensor_in_parts", 0, [message((1, b"w"), (2, b"int64"), (3, [2]), (5, bytes(8))), message((5, bytes(8)))])

    def remote(block, size, dtype, shape):
        return message((1, region(block, size)), (2, dtype), (3, shape))

    x = remote(1, 64, b"float32", [4, 4])
    y = remote(2, 64, b"float32", [4, 4])
    write_messages("relu", 2, [message((1, b"Relu"), (3, x), (4, y))])
    product = b"transpose_a=false, transpose_b=true"
    write_messages("matmul", 2, [message((1, b"MatMul"), (2, product), (3, x), (3, x), (4, y), (6, b"\1" + bytes(7)))])
    write_messages("sum", 2, [message((1, b"Sum"), (2, b"axes=[0], keepdims=false"), (3, x), (4, remote(2, 16, b"float32", [4])))])

    given = message((1, b"float32"), (2, [4, 4]), (3, -1))
    variable = message((1, b"float32"), (2, [4, 4]))
    nodes = [message((1, b"MatMul"), (2, product), (3, [0, 1])), message((1, b"AddV2"), (3, [3, 2]), (4, b"dense"))]
    graph = message((1, b"f"), (3, given), (4, x), (5, variable), (6, nodes[0]), (6, nodes[1]), (7, [4]), (8, message((2, 4))))
    write_messages("graph", 1, [graph, message((9, 1))])
    write_messages("run", 3, [message((1, 1), (2, region(1, 64)), (3, region(1, 64)), (4, region(2, 64)))])


def write_remote_devices(output):
    """Calls of ops and graphs, as tests/fuzz/targets/remote_devices.cc reads them."""
    matrix = bytes([0, 2, 3, 3, 1, 5])  # float32 (3, 3) in block 1, small values
    attributes = [
        b"",
        b"axes=[0], keepdims=false",
        b"axis=0",
        b"axes=[1,0]",
        b"shape=[9]",
        b"dtype=int32",
        b"transpose_a=false, transpose_b=false",
        b"axis=0, count=2, descending=true",
        b"begin=[0,1], sizes=[2,2], steps=[1,1]",
        b"before=[1,0], after=[0,1], steps=[1,1], value=0",
        b"strides=1,1, padding=same, dilation_rate=1,1, groups=1",
        b"pool_size=2,2, strides=2,2, padding=valid",
        b"beta_1=0.9, beta_2=0.999, epsilon=1e-07",
    ]
    for op in range(0, 256, 2):
        for number, text in enumerate(attributes):
            if (op // 2 + number) % 4:
                continue
            for inputs in [1, 2]:
                call = bytes([0, op, len(text)]) + text + bytes([inputs]) + matrix * inputs + bytes([0])
                write(output / "remote_devices", f"call_{op}_{number}_{inputs}", call)
            node = bytes([op, len(text)]) + text + bytes([2, 0, 1])
            graph = bytes([2, 1]) + matrix + bytes([1, 1]) + matrix + bytes([1]) + matrix + bytes([0, 1]) + node
            graph += bytes([1, 3, 0, 2, 3, 3, 2, 1, 0, 3])
            write(output / "remote_devices", f"graph_{op}_{number}", graph)


def main():
    tests, output = map(pathlib.Path, sys.argv[1:])
    shutil.rmtree(output, ignore_errors=True)

    for path in sorted(tests.glob("golden/**/*.keras")):
        content = path.read_bytes()
        write(output / "keras_archive", path.name, content)
        with zipfile.ZipFile(path) as archive:
            write_archives(output, path.stem, [(name, archive.read(name)) for name in archive.namelist()])
            packed = io.BytesIO()
            with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as smaller:
                for name in archive.namelist():
                    smaller.writestr(name, archive.read(name))
            write(output / "keras_archive", path.stem + "_deflated.keras", packed.getvalue())
            config = archive.read("config.json")
            write(output / "model_config", path.stem + ".json", config)
            if len(config) <= LONGEST_RUN_MODEL:
                write(output / "run_model", path.stem + ".json", config)
            write(output / "weights", path.stem + ".h5", archive.read("model.weights.h5"))

    write_small_models(tests / "golden", output)
    with_config = {"layers": "layers.json", "losses": "losses.json", "optimizers": "optimizers.json"}
    for kind, name in with_config.items():
        values = small_values(json.loads((tests / "golden" / name).read_text()))
        for number, value in zip(range(20), values):
            write(output / "json", f"{kind}_{number}.json", json.dumps(value).encode())

    for path in sorted(tests.glob("golden/keras_files/*.npz")):
        with zipfile.ZipFile(path) as archive:
            small = [(name, archive.read(name)) for name in archive.namelist() if archive.getinfo(name).file_size < 300]
        for name, content in small[:10]:
            write(output / "npy", f"{path.stem}_{name}", content)
        for method in [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED]:
            content = io.BytesIO()
            with zipfile.ZipFile(content, "w", method) as archive:
                for name, member in small[:3]:
                    archive.writestr(name, member)
            write(output / "npy", f"{path.stem}_{method}.npz", content.getvalue())

    write_dataset_files(tests / "golden", output)
    write_task_messages(output)
    write_remote_devices(output)
    for path in sorted(tests.glob("golden/images/formats/*")):
        write(output / "image", path.name, path.read_bytes())

    own = pathlib.Path(__file__).resolve().parent / "seeds"
    if own.is_dir():
        shutil.copytree(own, output, dirs_exist_ok=True)
    (output / "complete").touch()


if __name__ == "__main__":
    main()
