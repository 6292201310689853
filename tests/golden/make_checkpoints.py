"""model_checkpoint.json: the files and messages of ModelCheckpoint; path_formats.json: Python's results for paths with
names in braces; keras_backup/: a folder of BackupAndRestore, of a training that was interrupted."""

import contextlib
import io
import os
import shutil
import tempfile
import warnings

from common import FOLDER
from common import Golden
from common import keras
from common import np
from common import write_json

LOSSES = [0.5, 0.25, 0.375]


def small():
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    return model


def epochs(losses, batches=0, **more):
    """The hooks that a fit calls, with their logs."""
    events = []
    for epoch, loss in enumerate(losses):
        events.append(["epoch_begin", epoch, {}])
        for batch in range(batches):
            events.append(["batch_end", batch, {"loss": loss + batch}])
        events.append(["epoch_end", epoch, {"loss": loss, **more}])
    return events


checkpoints = Golden("model_checkpoint")


def checkpoint(name, filepath, options, events):
    entry = {"name": name, "filepath": filepath, "options": options, "events": events}
    entry["exception"] = entry["message"] = None
    output = io.StringIO()
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        os.chdir(folder)
        os.mkdir("taken.keras")
        try:
            with contextlib.redirect_stdout(output):
                callback = keras.callbacks.ModelCheckpoint(filepath, **options)
                callback.set_model(small())
                for hook, number, logs in events:
                    {
                        "epoch_begin": callback.on_epoch_begin,
                        "batch_end": callback.on_train_batch_end,
                        "epoch_end": callback.on_epoch_end,
                    }[hook](number, dict(logs))
        except Exception as error:
            entry["exception"] = type(error).__name__
            entry["message"] = str(error.args[0])
        finally:
            os.chdir(before)
        entry["files"] = sorted(
            os.path.relpath(os.path.join(root, file), folder) for root, _, files in os.walk(folder) for file in files
        )
    entry["stdout"] = output.getvalue()
    # NumPy's warnings about TensorFlow do not come from the callback.
    entry["warnings"] = sorted({str(w.message) for w in caught if "__array__" not in str(w.message)})
    checkpoints.add(entry)


checkpoint("every_epoch", "model.keras", {"verbose": 1}, epochs(LOSSES))
checkpoint("names_of_logs", "{epoch:02d}-{val_loss:.2f}.keras", {"verbose": 1}, epochs(LOSSES, val_loss=1.005))
checkpoint("weights", "w{epoch}.weights.h5", {"save_weights_only": True}, epochs(LOSSES))
checkpoint("missing_folders", "a/b/{epoch:03d}.keras", {"verbose": 1}, epochs(LOSSES[:1]))
best = {"verbose": 1, "save_best_only": True, "monitor": "loss"}
checkpoint("best", "best{epoch}.keras", best, epochs(LOSSES))
checkpoint("best_max", "best{epoch}.keras", {**best, "mode": "max"}, epochs(LOSSES))
checkpoint("best_with_threshold", "best{epoch}.keras", {**best, "initial_value_threshold": 0.3}, epochs(LOSSES))
checkpoint("best_of_nan", "best{epoch}.keras", best, epochs([1.0, 2.0]))
checkpoint("best_not_available", "m{epoch}.keras", {"verbose": 1, "save_best_only": True}, epochs(LOSSES))
for freq in (1, 2, 3, 5):
    checkpoint(
        f"every_{freq}_batches", "{epoch}-{batch:02d}-{loss:.1f}.keras", {"verbose": 1, "save_freq": freq}, epochs(LOSSES, 3)
    )
checkpoint("batches_of_epochs_of_one", "{epoch}-{batch}.keras", {"save_freq": 2}, epochs(LOSSES + LOSSES, 1))
checkpoint("silent", "model.keras", {}, epochs(LOSSES))
checkpoint("missing_name", "{epoch}-{val_loss:.2f}.keras", {}, epochs(LOSSES))
checkpoint("batch_without_batches", "{epoch}-{batch}.keras", {}, epochs(LOSSES))
checkpoint("a_folder", "taken.keras", {}, epochs(LOSSES))
checkpoint("unknown_direction", "m.keras", {"monitor": "val_score", "save_best_only": True}, epochs(LOSSES, val_score=1.0))
checkpoint("bad_extension", "model.ckpt", {}, [])
checkpoint("bad_weights_extension", "model.keras", {"save_weights_only": True}, [])
checkpoint("bad_save_freq", "model.keras", {"save_freq": "batch"}, [])
checkpoints.save()

formats = Golden("path_formats")
VALUES = {
    "epoch": [1, 12, 100, -7],
    "loss": [0.25, 1.0, 0.0, -1.5, 2.5, 123.0, 999.9, 1234.5, 1e-05, 1.2345678e-7, 1e16, 1e20, 3.0000001192092896],
}
INTEGER = ["", "d", "02d", "05d", "+d", " d", "4", "<4d", "^5d", "x>5d", "=+6", "<05", "^05", "x<05", "b", "o", "x", "X"]
INTEGER += ["#x", "#X", "#010b", "n", ".2f", "e", "g", "%", "04.1f", "q", ".3d", "02dd", "s"]
REAL = ["", ".2f", ".0f", "08.3f", "+.1f", " .1f", "x^12.2f", "<9.2f", "=+12.4f", "e", ".3e", "E", ".2E", "F", "g", ".3g"]
REAL += ["G", ".12g", "n", "%", ".1%", ".3", ".1", ".2", ".0", ".17", "10", "010", "d", "s", ".f", "N", "ff"]


def text_of(template, **values):
    try:
        return {"text": template.format(**values), "exception": None, "message": None}
    except Exception as error:
        return {"text": None, "exception": type(error).__name__, "message": str(error)}


for name, specifications in (("epoch", INTEGER), ("loss", REAL)):
    for specification in specifications:
        template = "{" + name + (":" + specification if specification else "") + "}"
        texts = [text_of(template, **{name: value}) for value in VALUES[name]]
        formats.add({"name": template, "field": name, "values": VALUES[name], "results": texts})
for template in ["plain", "{{x}}", "a{{{epoch}}}b", "{epoch}{epoch}", "{", "}", "a}b", "{epoch", "{val_loss}", "{ep{och}}", "€{epoch}"]:
    formats.add({"name": template, "field": "epoch", "values": [3], "results": [text_of(template, epoch=3)]})
formats.save()


class Interruption(keras.callbacks.Callback):
    def on_epoch_begin(self, epoch, logs=None):
        if epoch == 2:
            raise RuntimeError("interrupted")


def data():
    x = np.arange(16, dtype="float32").reshape(8, 2) / 16
    return x, x.sum(1, keepdims=True)


folder = os.path.join(FOLDER, "keras_backup")
shutil.rmtree(folder, ignore_errors=True)
model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
model.compile(keras.optimizers.Adam(0.01), "mse")
arguments = {"epochs": 5, "batch_size": 4, "shuffle": False, "verbose": 0}
with contextlib.suppress(RuntimeError):
    model.fit(*data(), **arguments, callbacks=[keras.callbacks.BackupAndRestore(folder), Interruption()])
with tempfile.TemporaryDirectory() as copy:
    shutil.copytree(folder, copy, dirs_exist_ok=True)
    history = model.fit(*data(), **arguments, callbacks=[keras.callbacks.BackupAndRestore(copy)])
write_json("keras_backup/history.json", {"epoch": history.epoch, "loss": history.history["loss"]})
