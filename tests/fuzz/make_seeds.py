#!/usr/bin/env python3
"""Takes the golden files apart into one folder of seeds per fuzz target.

    make_seeds.py TESTS-FOLDER OUTPUT-FOLDER

seeds/NAME/ beside this file goes to the target NAME as it is.
"""

import io
import json
import pathlib
import shutil
import sys
import zipfile

LONGEST_JSON = 4096


def write(folder, name, content):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(content)


def small_values(value):
    """The value, or where it is too long its parts."""
    if len(json.dumps(value)) <= LONGEST_JSON:
        yield value
        return
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else []:
        yield from small_values(part)


def main():
    tests, output = map(pathlib.Path, sys.argv[1:])
    shutil.rmtree(output, ignore_errors=True)

    for path in sorted(tests.glob("golden/**/*.keras")):
        content = path.read_bytes()
        write(output / "keras_archive", path.name, content)
        write(output / "zip", path.stem + ".zip", content)
        with zipfile.ZipFile(path) as archive:
            packed = io.BytesIO()
            with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as smaller:
                for name in archive.namelist():
                    smaller.writestr(name, archive.read(name))
            write(output / "keras_archive", path.stem + "_deflated.keras", packed.getvalue())
            write(output / "zip", path.stem + "_deflated.zip", packed.getvalue())
            config = archive.read("config.json")
            write(output / "model_config", path.stem + ".json", config)
            write(output / "json", path.stem + ".json", config)
            write(output / "weights", path.stem + ".h5", archive.read("model.weights.h5"))

    with_config = {"layers": "layers.json", "losses": "losses.json", "optimizers": "optimizers.json"}
    for kind, name in with_config.items():
        values = small_values(json.loads((tests / "golden" / name).read_text()))
        for number, value in zip(range(40), values):
            write(output / "json", f"{kind}_{number}.json", json.dumps(value).encode())

    for path in sorted(tests.glob("golden/keras_files/*.npz")):
        write(output / "npy", path.name, path.read_bytes())
        write(output / "zip", path.name, path.read_bytes())
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                write(output / "npy", f"{path.stem}_{name}", archive.read(name))

    own = pathlib.Path(__file__).resolve().parent / "seeds"
    if own.is_dir():
        shutil.copytree(own, output, dirs_exist_ok=True)
    (output / "complete").touch()


if __name__ == "__main__":
    main()
