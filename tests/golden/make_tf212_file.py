"""tf212/numbered.keras: a file of tf.keras 2.12, which numbers the layers of a class unlike later versions, and
numbered.npz: an input, the prediction, the weights, and the losses of three further steps on the input and `y`.

    pip install tensorflow-cpu==2.12.1 && python make_tf212_file.py
"""

import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402

L = tf.keras.layers
TARGET = os.path.join(os.path.dirname(os.path.abspath(__file__)), "tf212")

tf.keras.utils.set_random_seed(3)
inner = tf.keras.Sequential([tf.keras.Input((4,)), L.Dense(4, activation="tanh"), L.Dense(4)], name="inner")
inputs = tf.keras.Input((4,))
x = L.Dense(4, activation="relu")(inputs)
x = L.Dense(4)(inner(x))
x = L.Dense(4, activation="tanh")(x)
model = tf.keras.Model(inputs, L.Dense(2)(x))
model.compile(tf.keras.optimizers.Adam(0.01), "mse")
rng = np.random.default_rng(4)
x, y = rng.standard_normal((8, 4)).astype("float32"), rng.standard_normal((8, 2)).astype("float32")
for _ in range(2):
    model.train_on_batch(x, y)
os.makedirs(TARGET, exist_ok=True)
model.save(os.path.join(TARGET, "numbered.keras"), save_format="keras_v3")
arrays = {f"weight{i}": value for i, value in enumerate(model.get_weights())}
prediction = model.predict(x, verbose=0)
losses = np.array([model.train_on_batch(x, y) for _ in range(3)], "float32")
np.savez_compressed(os.path.join(TARGET, "numbered.npz"), input=x, y=y, output=prediction, losses=losses, **arrays)
