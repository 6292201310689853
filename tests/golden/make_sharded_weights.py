"""sharded_weights/: weights that Keras has divided over several files, and model.npz: `input`, `output`, the weights in the
order of `model.get_weights()` and the optimizer's variables. SHARD is the maximum size of a file in bytes, small enough that
the variables of one layer, and those of the optimizer, lie in two files.
"""

import os

from common import FOLDER
from common import keras
from common import normal
from common import np
from common import rng_for

L = keras.layers
TARGET = os.path.join(FOLDER, "sharded_weights")
SHARD = 192

keras.utils.set_random_seed(12)
block = keras.Sequential([keras.Input((3,)), L.Dense(5), L.LayerNormalization()])
model = keras.Sequential([keras.Input((4,)), L.Dense(3), L.BatchNormalization(), block, L.Dropout(0.5), L.Dense(2)])
model.compile("adam", "mse")
rng = rng_for("sharded_weights")
model.train_on_batch(normal(rng, (8, 4)), normal(rng, (8, 2)))
x = normal(rng, (5, 4))
os.makedirs(TARGET, exist_ok=True)
model.save_weights(os.path.join(TARGET, "model.weights.json"), max_shard_size=SHARD / 2**30)
arrays = {f"weight{i}": value for i, value in enumerate(model.get_weights())}
arrays.update({f"optimizer_variable{i}": np.asarray(value) for i, value in enumerate(model.optimizer.variables)})
np.savez_compressed(os.path.join(TARGET, "model.npz"), input=x, output=model.predict(x, verbose=0), **arrays)
