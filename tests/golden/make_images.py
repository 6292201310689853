"""Images: files, the pixels that Pillow and Keras read from them, and the results of resizing.

Requires Pillow besides requirements.txt: pip install pillow==12.0.0. Pillow 13 runs the two passes of a resize
in another order for some sizes, and then gives other pixels.
"""

import contextlib
import io
import os
import shutil

from common import FOLDER, Golden, keras, np, rng_for, tf
from PIL import Image

IMAGES = os.path.join(FOLDER, "images")
FILTERS = ["nearest", "bilinear", "bicubic", "hamming", "box", "lanczos"]
METHODS = ["bilinear", "nearest", "bicubic", "area", "lanczos3", "lanczos5", "gaussian", "mitchellcubic"]


def picture(name, height, width, channels):
    """Smooth colours with noise and a sharp edge."""
    rng = rng_for(name)
    y, x = np.mgrid[0:height, 0:width] / max(height, width)
    planes = [128 + 127 * np.sin(rng.uniform(2, 9) * x + rng.uniform(2, 9) * y + rng.uniform(0, 6)) for _ in range(channels)]
    image = np.stack(planes, -1) + rng.normal(0, 12, (height, width, channels))
    image[height // 3 : height // 2, width // 4 : width // 2] = 255 - image[height // 3 : height // 2, width // 4 : width // 2]
    return np.clip(image, 0, 255).astype("uint8")


def put(path, image, **arguments):
    path = os.path.join(IMAGES, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    image.save(path, **arguments)


def files():
    shutil.rmtree(IMAGES, ignore_errors=True)
    rgb = Image.fromarray(picture("rgb", 23, 31, 3))
    grey = Image.fromarray(picture("grey", 20, 17, 1)[:, :, 0])
    rgba = Image.fromarray(picture("rgba", 19, 26, 4))
    put("formats/rgb.png", rgb)
    put("formats/grey.png", grey)
    put("formats/rgba.png", rgba)
    put("formats/grey_alpha.png", rgba.convert("LA"))
    put("formats/palette.png", rgb.quantize(32))
    put("formats/bit.png", grey.convert("1"))
    put("formats/rgb.bmp", rgb)
    put("formats/palette.bmp", rgb.quantize(32))
    put("formats/palette.gif", rgb.quantize(64))
    put("formats/animated.gif", rgb.quantize(16), save_all=True, append_images=[rgb.rotate(180).quantize(16)])
    put("formats/rgb.jpg", rgb, quality=90, subsampling=0)
    put("formats/subsampled.jpg", rgb, quality=75)
    put("formats/progressive.jpg", rgb, quality=90, progressive=True)
    put("formats/grey.jpg", grey, quality=90)
    sizes = [(12, 16), (16, 12), (9, 9), (20, 8), (15, 21), (8, 20), (14, 13)]
    for number, (height, width) in enumerate(sizes):
        image = Image.fromarray(picture(f"folder{number}", height, width, 3))
        place = ["cats", "dogs", "dogs/young", "ants"][number % 4]
        put(f"folder/{place}/{'ab'[number % 2]}{number}.{['png', 'bmp'][number % 2]}", image)
    put("folder/cats/UPPER.PNG", Image.fromarray(picture("upper", 10, 10, 3)))
    put("folder/.hidden/x.png", Image.fromarray(picture("hidden", 4, 4, 3)))
    with open(os.path.join(IMAGES, "folder/cats/notes.txt"), "w", encoding="utf-8") as f:
        f.write("no image\n")


def load_img(golden):
    for name in sorted(os.listdir(os.path.join(IMAGES, "formats"))):
        for mode in ["rgb", "rgba", "grayscale"]:
            image = keras.utils.load_img(os.path.join(IMAGES, "formats", name), color_mode=mode)
            golden.add(
                {"name": f"load_{name}_{mode}", "kind": "load_img", "file": f"formats/{name}", "color_mode": mode},
                {"pixels": keras.utils.img_to_array(image).astype("uint8")},
            )
    cases = [
        ("rgb.png", "rgb", (11, 15), False),
        ("rgb.png", "rgb", (40, 50), False),
        ("rgb.png", "rgb", (23, 12), False),
        ("rgb.png", "rgb", (30, 31), False),
        ("rgb.png", "rgb", (12, 12), True),
        ("rgb.png", "rgb", (9, 40), True),
        ("grey.png", "grayscale", (7, 33), False),
        ("rgba.png", "rgba", (10, 10), False),
        ("rgba.png", "rgba", (33, 12), True),
    ]
    for file, mode, size, keep in cases:
        for interpolation in FILTERS:
            path = os.path.join(IMAGES, "formats", file)
            image = keras.utils.load_img(
                path, color_mode=mode, target_size=size, interpolation=interpolation, keep_aspect_ratio=keep
            )
            golden.add(
                {
                    "name": f"resize_{file}_{size[0]}x{size[1]}_{interpolation}_{keep}",
                    "kind": "load_img",
                    "file": f"formats/{file}",
                    "color_mode": mode,
                    "target_size": size,
                    "interpolation": interpolation,
                    "keep_aspect_ratio": keep,
                },
                {"pixels": keras.utils.img_to_array(image).astype("uint8")},
            )


def array_to_img(golden):
    for name, channels, scale in [("scaled", 3, True), ("grey", 1, True), ("kept", 4, False), ("constant", 3, True)]:
        x = rng_for(name).uniform(0, 255, (5, 6, channels)).astype("float32")
        if name == "constant":
            x[:] = 7
        image = keras.utils.array_to_img(x, scale=scale)
        golden.add(
            {"name": f"array_{name}", "kind": "array_to_img", "scale": scale},
            {"x": x, "pixels": keras.utils.img_to_array(image).astype("uint8")},
        )


def folder(golden):
    cases = {
        "plain": {"shuffle": False},  # files only: the arrays would be large
        "size": {"shuffle": False, "image_size": (16, 12), "batch_size": 3},
        "grey": {"shuffle": False, "image_size": (8, 8), "color_mode": "grayscale", "class_names": ["cats"]},
        "rgba": {"shuffle": False, "image_size": (8, 8), "color_mode": "rgba", "class_names": ["cats"]},
        "cropped": {"shuffle": False, "image_size": (10, 7), "crop_to_aspect_ratio": True},
        "padded": {"shuffle": False, "image_size": (13, 10), "pad_to_aspect_ratio": True},
        "categorical": {"shuffle": False, "image_size": (4, 4), "label_mode": "categorical"},
        "binary": {"shuffle": False, "image_size": (4, 4), "label_mode": "binary", "class_names": ["dogs", "ants"]},
        "no_label_mode": {"shuffle": False, "image_size": (4, 4), "label_mode": None},
        "no_labels": {"shuffle": False, "image_size": (4, 4), "labels": None},
        "listed": {"shuffle": False, "image_size": (4, 4), "labels": [3, 1, 1, 0, 3, 0, 1, 1, 3]},
        "training": {"shuffle": True, "seed": 7, "image_size": (4, 4), "validation_split": 0.3, "subset": "training"},
        "validation": {"shuffle": True, "seed": 7, "image_size": (4, 4), "validation_split": 0.3, "subset": "validation"},
        "last_part": {"shuffle": False, "image_size": (4, 4), "validation_split": 0.25, "subset": "validation"},
        "shuffled": {"shuffle": True, "seed": 1337, "image_size": (4, 4)},
    }
    for method in METHODS:
        for height, width in [(7, 9), (25, 30)]:
            cases[f"{method}_{height}x{width}"] = {
                "shuffle": False,
                "image_size": (height, width),
                "interpolation": method,
                "class_names": ["cats"],
            }
    for name, arguments in cases.items():
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            dataset = keras.utils.image_dataset_from_directory(os.path.join(IMAGES, "folder"), **arguments)
        # The order of one pass depends on TensorFlow's generator: only the reproducible part is kept.
        paths = [os.path.relpath(path, os.path.join(IMAGES, "folder")) for path in dataset.file_paths]
        case = {
            "name": f"folder_{name}",
            "kind": "folder",
            "arguments": arguments,
            "printed": printed.getvalue(),
            "file_paths": paths,
            "class_names": dataset.class_names,
            "batches": len(dataset),
        }
        arrays = {}
        if not arguments["shuffle"] and name != "plain":
            batches = [batch if isinstance(batch, tuple) else (batch,) for batch in dataset]
            arrays["x"] = np.concatenate([np.asarray(batch[0]) for batch in batches])
            if len(batches[0]) > 1:
                arrays["y"] = np.concatenate([np.asarray(batch[1]) for batch in batches])
        golden.add(case, arrays)


def refusals(golden):
    cases = {
        "label_mode": {"label_mode": "ordinal"},
        "labels_text": {"labels": "guessed"},
        "labels_length": {"labels": [1, 2]},
        "labels_and_class_names": {"labels": [0] * 9, "class_names": ["a"]},
        "no_labels_and_class_names": {"labels": None, "class_names": ["a"]},
        "class_names": {"class_names": ["cats", "birds"]},
        "color_mode": {"color_mode": "cmyk"},
        "interpolation": {"interpolation": "sharp"},
        "split_range": {"validation_split": 1.5, "subset": "training"},
        "split_without_subset": {"validation_split": 0.5},
        "subset_without_split": {"subset": "training"},
        "subset": {"validation_split": 0.5, "subset": "test", "seed": 1},
        "split_without_seed": {"validation_split": 0.5, "subset": "training"},
        "binary": {"label_mode": "binary"},
        "seed": {"seed": -1},
    }
    for name, arguments in cases.items():
        try:
            keras.utils.image_dataset_from_directory(os.path.join(IMAGES, "folder"), verbose=False, **arguments)
        except Exception as error:  # noqa: BLE001
            message = str(error).replace(os.path.join(IMAGES, "folder"), "FOLDER")
            golden.add({"name": f"refused_{name}", "kind": "refused", "message": message})
        else:
            raise AssertionError(f"{name} is accepted")


def decoded_by_tensorflow(golden):
    for name in ["rgb.png", "rgba.png", "rgb.jpg", "grey.jpg"]:
        data = tf.io.read_file(os.path.join(IMAGES, "formats", name))
        for channels in [1, 3]:
            pixels = tf.image.decode_image(data, channels=channels, expand_animations=False)
            golden.add(
                {"name": f"tensorflow_{name}_{channels}", "kind": "tensorflow", "file": f"formats/{name}", "channels": channels},
                {"pixels": np.asarray(pixels)},
            )


if __name__ == "__main__":
    files()
    golden = Golden("images")
    load_img(golden)
    array_to_img(golden)
    folder(golden)
    refusals(golden)
    decoded_by_tensorflow(golden)
    golden.save()
