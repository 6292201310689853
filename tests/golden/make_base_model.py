"""keras_files/digits_0_to_6.keras: a convolutional network with BatchNormalization, trained on the digits 0 to 6 of MNIST,
without the layers that classify: the base of transfer learning to other digits. Takes two minutes.
"""

import gzip
import os

from common import FOLDER
from common import keras
from common import np

L = keras.layers
MNIST = os.path.join(FOLDER, "..", "..", "datasets", "data", "mnist")


def read(name, offset):
    with gzip.open(os.path.join(MNIST, f"{name}-ubyte.gz")) as file:
        return np.frombuffer(file.read(), np.uint8, offset=offset)


images = read("train-images-idx3", 16).reshape(-1, 28, 28, 1).astype("float32")
labels = read("train-labels-idx1", 8)
known = labels < 7

keras.utils.set_random_seed(1)
inputs = keras.Input((28, 28, 1), name="image")
x = L.Rescaling(1 / 255)(inputs)
for filters in (16, 32, 64):
    if filters > 16:
        x = L.MaxPooling2D(2)(x)
    x = L.Conv2D(filters, 3, padding="same", use_bias=False)(x)
    x = L.BatchNormalization(momentum=0.9)(x)
    x = L.Activation("relu")(x)
base = keras.Model(inputs, x, name="digits_0_to_6")
scores = L.Dense(7, activation="softmax")(L.GlobalAveragePooling2D()(base.output))
classifier = keras.Model(inputs, scores)
classifier.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
classifier.fit(images[known], labels[known], batch_size=64, epochs=3, verbose=2)

path = os.path.join(FOLDER, "keras_files", "digits_0_to_6.keras")
base.save(path)
print(f"{path}: {os.path.getsize(path)} bytes")
