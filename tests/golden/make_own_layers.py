"""own_layers/mixer.keras: a model with a custom layer that holds others in
attributes of every kind, saved by Keras itself, and mixer.npz: an input, the
prediction and the weights in the order of `model.get_weights()`.

The archive carries the date of saving, so another run gives other bytes with the
same contents.
"""

import os

from common import FOLDER
from common import keras
from common import normal
from common import np
from common import rng_for

L = keras.layers
TARGET = os.path.join(FOLDER, "own_layers")


@keras.saving.register_keras_serializable("Own")
class Mixer(L.Layer):
    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        self.units = units
        self.out = L.Dense(units)
        self.blocks = [L.Dense(units, activation="tanh"), L.LayerNormalization(), L.Dense(units)]
        self._hidden = L.Dense(units, activation="relu")
        self.alias = self._hidden  # found here first

    def build(self, input_shape):
        self._hidden.build(input_shape)
        inner = (None, self.units)
        for block in [*self.blocks, self.out]:
            block.build(inner)
        self.scale = self.add_weight(shape=(), initializer="ones", name="scale")

    def call(self, x):
        x = self._hidden(x)
        for block in self.blocks:
            x = block(x)
        return self.out(x) * self.scale

    def get_config(self):
        return {**super().get_config(), "units": self.units}


keras.utils.set_random_seed(11)
model = keras.Sequential([keras.Input((3,)), Mixer(4), L.Dense(2)], name="mixed")
model.compile("adam", "mse")
rng = rng_for("own_layers")
for _ in range(3):
    model.train_on_batch(normal(rng, (8, 3)), normal(rng, (8, 2)))
x = normal(rng, (5, 3))
os.makedirs(TARGET, exist_ok=True)
model.save(os.path.join(TARGET, "mixer.keras"))
arrays = {f"weight{i}": value for i, value in enumerate(model.get_weights())}
np.savez_compressed(os.path.join(TARGET, "mixer.npz"), input=x, output=model.predict(x, verbose=0), **arrays)
