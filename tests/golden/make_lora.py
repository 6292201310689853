"""lora (json, npz): layers with LoRA: predictions, training, the weights in files; lora.keras: a file of such a model."""

import os
import tempfile

from common import FOLDER
from common import Golden
from common import keras
from common import normal
from common import np
from common import rng_for
from common import serialized

L = keras.layers
golden = Golden("lora")
STEPS, SAMPLES = 6, 8


def layer_at(model, path):
    """The layer of that name, or the projection "attention/_query_dense" of one."""
    name, *attributes = path.split("/")
    layer = model.get_layer(name)
    for attribute in attributes:
        layer = getattr(layer, attribute)
    return layer


def case(name, make, x, lora, policy="float32", optimizer=None):
    keras.backend.clear_session()
    keras.config.set_dtype_policy(policy)
    keras.utils.set_random_seed(3)
    plain = make()
    plain_json = plain.to_json()
    model = make()
    for path, (rank, alpha) in lora.items():
        # With other initial values than zeros both matrices have gradients.
        layer_at(model, path).enable_lora(rank, lora_alpha=alpha, b_initializer="he_uniform")
    rng = rng_for("lora/" + name)
    model.set_weights([normal(rng, w.shape, 0.5) for w in model.get_weights()])
    predictions = model.predict(x[0], verbose=0)
    y = normal(rng, (STEPS,) + predictions.shape)
    arrays = {f"initial{i}": w for i, w in enumerate(model.get_weights())}
    arrays |= {"x": x, "y": y, "predictions": predictions.astype("float32")}
    make_optimizer = optimizer or (lambda: keras.optimizers.Adam(0.02, name="optimizer"))
    model.compile(make_optimizer(), "mse", auto_scale_loss=False)
    losses = [model.train_on_batch(x[step], y[step]) for step in range(STEPS)]
    arrays["losses"] = np.array(losses, "float32")
    arrays |= {f"trained{i}": w for i, w in enumerate(model.get_weights())}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "adapted.weights.h5")
        model.save_weights(path)
        plain.load_weights(path)
    arrays |= {f"merged{i}": w for i, w in enumerate(plain.get_weights())}
    golden.add(
        {
            "name": name,
            "policy": policy,
            "model": plain_json,
            "adapted": model.to_json(),
            "optimizer": serialized(make_optimizer()),
            "lora": [{"layer": path, "rank": rank, "alpha": alpha} for path, (rank, alpha) in lora.items()],
            "paths": [w.path for w in model.weights],
            "trainable": [w.path for w in model.trainable_weights],
        },
        arrays,
    )
    keras.config.set_dtype_policy("float32")
    return model


def dense(**arguments):
    def make():
        inputs = L.Input((5,), name="x")
        h = L.Dense(6, activation="tanh", name="hidden", **arguments)(inputs)
        return keras.Model(inputs, L.Dense(3, name="out")(h), name="model")

    return make


def einsum():
    inputs = L.Input((4, 5), name="x")
    h = L.EinsumDense("abc,cde->abde", (None, 2, 3), bias_axes="de", name="heads")(inputs)
    h = L.EinsumDense("abde,def->abf", (None, 4), activation="tanh", name="joined")(h)
    return keras.Model(inputs, h, name="model")


def language():
    inputs = L.Input((6,), dtype="int32", name="tokens")
    h = L.GlobalAveragePooling1D(name="mean")(L.Embedding(9, 4, name="table")(inputs))
    return keras.Model(inputs, L.Dense(3, name="out")(h), name="model")


def tied():
    inputs = L.Input((6,), dtype="int32", name="tokens")
    table = L.ReversibleEmbedding(9, 4, name="table")
    h = L.GlobalAveragePooling1D(name="mean")(table(inputs))
    return keras.Model(inputs, table(h, reverse=True), name="model")


def images():
    inputs = L.Input((6, 6, 2), name="x")
    h = L.Conv2D(4, 3, activation="tanh", name="conv")(inputs)
    return keras.Model(inputs, L.Conv2D(2, 2, groups=2, use_bias=False, name="last")(h), name="model")


def attention():
    inputs = L.Input((4, 5), name="x")
    h = L.MultiHeadAttention(2, 3, name="attention")(inputs, inputs)
    return keras.Model(inputs, L.LayerNormalization(name="norm")(h), name="model")


def floats(name, *shape):
    return normal(rng_for("lora/x/" + name), (STEPS, SAMPLES) + shape)


tokens = rng_for("lora/tokens").integers(0, 9, (STEPS, SAMPLES, 6)).astype("int32")
row = floats("row", 5)
case("dense", dense(), row, {"hidden": (2, None)})
case("dense_alpha", dense(kernel_regularizer="l2", use_bias=False), row, {"hidden": (3, 8.5), "out": (1, 3)})
case("dense/mixed_float16", dense(), row, {"hidden": (2, None), "out": (2, 4)}, "mixed_float16")
case("dense/mixed_bfloat16", dense(), row, {"hidden": (2, None), "out": (2, 4)}, "mixed_bfloat16")
case("einsum_dense", einsum, floats("einsum", 4, 5), {"heads": (2, 5), "joined": (3, None)})
case("embedding", language, tokens, {"table": (2, 3)})
case("embedding/mixed_float16", language, tokens, {"table": (2, 3)}, "mixed_float16")
case("reversible_embedding", tied, tokens, {"table": (2, None)})
case("convolution", images, floats("images", 6, 6, 2), {"conv": (2, 3), "last": (1, None)})
case(
    "attention",
    attention,
    floats("attention", 4, 5),
    {"attention/_query_dense": (2, None), "attention/_value_dense": (2, 4)},
)

model = case("file", dense(), row, {"hidden": (2, None)})
model.save(os.path.join(FOLDER, "lora.keras"))
golden.save()
