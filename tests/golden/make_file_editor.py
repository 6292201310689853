"""file_editor.json and file_editor/model.weights.h5, file_editor/model.keras: a small model, and what
`keras.saving.KerasFileEditor` finds and writes after some edits.
"""

import contextlib
import io
import os

from common import FOLDER
from common import Golden
from common import keras
from common import np

L = keras.layers


def network(units, last=True):
    layers = [keras.Input((3,)), L.Dense(units, name="first"), L.BatchNormalization(name="norm"), L.Dense(2, name="second")]
    return keras.Sequential(layers if last else layers[:-1], name="network")


def flat(weights, path=""):
    entries = {}
    for name, value in weights.items():
        inner = f"{path}/{name}" if path else name
        entries.update(flat(value, inner) if isinstance(value, dict) else {inner: list(value.shape)})
    return dict(sorted(entries.items()))


def editor(path):
    with contextlib.redirect_stdout(io.StringIO()):
        return keras.saving.KerasFileEditor(path)


def compared(path, model):
    with contextlib.redirect_stdout(io.StringIO()):
        return editor(path).compare(model)


keras.utils.set_random_seed(1)
folder = os.path.join(FOLDER, "file_editor")
os.makedirs(folder, exist_ok=True)
model = network(4)
paths = [os.path.join(folder, name) for name in ("model.weights.h5", "model.keras")]
model.save_weights(paths[0])
model.save(paths[1])

golden = Golden("file_editor")
for path in paths:
    golden.add(
        {
            "name": os.path.basename(path),
            "weights": flat(editor(path).weights_dict),
            "same": compared(path, network(4)),
            "wider": compared(path, network(5)),
            "shorter": compared(path, network(4, last=False)),
        }
    )

edited = editor(paths[0])
edited.rename_object("dense_1", "dense_7")
edited.delete_object("layers/batch_normalization")
edited.add_object("layers/einsum_dense", {"0": np.ones((2, 2), "float32")})
edited.delete_weight("dense_7", "1")
edited.add_weights("layers/dense", {"2": np.zeros((5,), "float32")})
golden.add({"name": "edited", "weights": flat(edited.weights_dict)})


def message(call):
    try:
        call()
    except Exception as error:
        return str(error)
    raise AssertionError("nothing was raised")


golden.add(
    {
        "name": "errors",
        "messages": [
            message(lambda: edited.rename_object("dense", "layers/dense_9")),
            message(lambda: edited.rename_object("layers/nothing", "dense_9")),
            message(lambda: edited.add_object("nothing/dense", {})),
            message(lambda: edited.delete_weight("layers/dense", "9")),
            message(lambda: edited.save("edited.h5")),
            message(lambda: keras.saving.KerasFileEditor("model.h5")),
        ],
    }
)
golden.save()
