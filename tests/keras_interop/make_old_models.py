#!/usr/bin/env python3
"""Makes models of Keras 2 as they lie on disks, saves them as legacy `.h5`, with predictions and three further steps.

    make_old_models.py FOLDER [--multi-backend] [--only TEXT] [--golden PREFIX]

It runs with any Keras 2: with `tf.keras` of TensorFlow 1.15 to 2.15, or with `--multi-backend` with Keras 2.3 and older.
FOLDER/<case>/ then holds what keras_interop and check_models.py read; see README.md. Optimizers of TensorFlow 2.11 and
later are there twice: as they are, and those of `tf.keras.optimizers.legacy`, which are those of older versions.
With --golden, FOLDER holds the files PREFIX_<case> instead, as in tests/golden/legacy_files.
"""

import argparse
import json
import os
import pathlib
import sys
import warnings
import zlib

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")

import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402

IS_MULTI_BACKEND = "--multi-backend" in sys.argv
if IS_MULTI_BACKEND:
    import keras
else:
    keras = tf.keras
L = keras.layers
O = keras.optimizers
TENSORFLOW = tuple(int(part) for part in tf.__version__.split(".")[:2])
NAME = ("Keras " + keras.__version__) if IS_MULTI_BACKEND else "tf.keras " + tf.__version__
HAS_LEGACY_OPTIMIZERS = hasattr(O, "legacy") and TENSORFLOW >= (2, 11)
STEPS = 3
BATCH = 8
CASES = []
# Weights that change only by rounding, or of which Keras 2 keeps another average (the unbiased variance of images).
UNSETTLED = ("branch/bias", "key/bias", "moving_variance")
# Optimizers that compute otherwise than those of Keras 3, by which the newest Keras and Rhyton go on. RMSprop and Adagrad
# had their epsilon outside of the root; Nadam another schedule; `clipnorm` was that of all gradients together. Before
# TensorFlow 2.0 a frozen BatchNormalization trained with the statistics of the batch.
TRAINS_OTHERWISE = {"gru_reset_after", "nadam"}
if not HAS_LEGACY_OPTIMIZERS:
    TRAINS_OTHERWISE |= {"text_lstm"}
if IS_MULTI_BACKEND:
    TRAINS_OTHERWISE |= {"regularized", "text_conv1d", "fine_tuned_head", "fine_tuned_partly"}
# The names of metrics that are "accuracy", "mse" and "mae" in `compile`.
OLD_NAMES = {"acc": "accuracy", "mean_squared_error": "mse", "mean_absolute_error": "mae"}


def case(name, x, y, since=(1, 0), weight=None, needs=None):
    """`needs`: the name of a layer that this version must have."""

    def add(make):
        is_there = (IS_MULTI_BACKEND and since <= (1, 0)) or (not IS_MULTI_BACKEND and TENSORFLOW >= since)
        if is_there and (needs is None or hasattr(L, needs)):
            CASES.append((name, make, x, y, weight))
        return make

    return add


def numbers(*shape):
    return lambda rng, n: rng.standard_normal((n,) + shape).astype("float32")


def fractions(*shape):
    return lambda rng, n: rng.random_sample((n,) + shape).astype("float32")


def pixels(*shape):
    return lambda rng, n: rng.randint(0, 256, (n,) + shape).astype("float32")


def tokens(high, *shape):
    return lambda rng, n: rng.randint(1, high, (n,) + shape).astype("int32")


def different_tokens(high, steps):
    """No token twice in a batch: Keras 3 on TensorFlow squares the gradients of its places separately."""
    return lambda rng, n: (1 + rng.permutation(high - 1)[:n * steps]).reshape(n, steps).astype("int32")


def padded(high, steps):
    def make(rng, n):
        ends = rng.randint(1, steps + 1, (n, 1))
        return np.where(np.arange(steps) < ends, rng.randint(1, high, (n, steps)), 0).astype("int32")

    return make


def one_hot(count, *shape):
    return lambda rng, n: np.eye(count, dtype="float32")[rng.randint(0, count, (n,) + shape)]


def classes(count, *shape):
    return lambda rng, n: rng.randint(0, count, (n,) + shape).astype("int32")


def bits(*shape):
    return lambda rng, n: rng.randint(0, 2, (n,) + shape).astype("float32")


def sequential(*layers):
    model = keras.Sequential()
    for layer in layers:
        model.add(layer)
    return model


def compiled(model, optimizer, loss, metrics=None, **arguments):
    if IS_MULTI_BACKEND:
        optimizer = counts_last(O.get(optimizer))
    model.compile(optimizer, loss, metrics=metrics, **arguments)
    return model


def counts_last(optimizer):
    """An optimizer of multi-backend Keras that counts a step behind its updates. By itself it has no order: whether the
    updates read the count before or after, so whether a training begins with t = 1 or t = 2, is up to TensorFlow."""
    get_updates = optimizer.get_updates

    def get_ordered_updates(*args, **kwargs):
        K = keras.backend
        update_add = K.update_add
        K.update_add = lambda variable, increment: None  # only the count is increased so
        try:
            updates = [update for update in get_updates(*args, **kwargs) if update is not None]
        finally:
            K.update_add = update_add
        with tf.control_dependencies([tf.group(*updates)]):
            return updates + [K.update_add(optimizer.iterations, 1)]

    optimizer.get_updates = get_ordered_updates
    return optimizer


def legacy(name, **arguments):
    """That optimizer as it was before TensorFlow 2.11."""
    family = O.legacy if HAS_LEGACY_OPTIMIZERS else O
    if IS_MULTI_BACKEND and "learning_rate" in arguments:
        arguments["lr"] = arguments.pop("learning_rate")
    return getattr(family, name)(**arguments)


# Models as in tutorials and books.


@case("digits_cnn", fractions(12, 12, 1), one_hot(4))
def digits_cnn():
    return compiled(
        sequential(
            L.Conv2D(4, (3, 3), activation="relu", input_shape=(12, 12, 1)),
            L.Conv2D(6, (3, 3), activation="relu"),
            L.MaxPooling2D(pool_size=(2, 2)),
            L.Dropout(0.0),
            L.Flatten(),
            L.Dense(8, activation="relu"),
            L.Dense(4, activation="softmax"),
        ),
        "adam",
        "categorical_crossentropy",
        ["accuracy"],
    )


@case("text_lstm", padded(20, 6), bits(1))
def text_lstm():
    return compiled(
        sequential(L.Embedding(20, 5, mask_zero=True), L.LSTM(6), L.Dense(1, activation="sigmoid")),
        "rmsprop",
        "binary_crossentropy",
        ["accuracy"],
    )


@case("text_lstm_hard_sigmoid", tokens(20, 6), bits(1))
def text_lstm_hard_sigmoid():
    return compiled(
        sequential(
            L.Embedding(20, 5, input_length=6),
            L.LSTM(6, recurrent_activation="hard_sigmoid", implementation=1, return_sequences=True),
            L.LSTM(4, recurrent_activation="hard_sigmoid", go_backwards=True),
            L.Dense(1, activation="hard_sigmoid"),
        ),
        legacy("Adam", learning_rate=0.01),
        "mean_squared_error",
        ["mae"],
    )


@case("bidirectional_gru", tokens(20, 6), classes(3))
def bidirectional_gru():
    return compiled(
        sequential(
            L.Embedding(20, 5, input_length=6),
            L.Bidirectional(L.GRU(4, return_sequences=True, recurrent_activation="hard_sigmoid", reset_after=False)),
            L.Bidirectional(L.LSTM(3, recurrent_activation="sigmoid", implementation=2), merge_mode="sum"),
            L.Dense(3, activation="softmax"),
        ),
        "adam",
        "sparse_categorical_crossentropy",
        ["accuracy"],
    )


@case("gru_reset_after", numbers(5, 3), numbers(2))
def gru_reset_after():
    return compiled(
        sequential(
            L.GRU(5, reset_after=True, recurrent_activation="sigmoid", return_sequences=True, input_shape=(5, 3)),
            L.GRU(4, reset_after=True, recurrent_activation="hard_sigmoid"),
            L.Dense(2),
        ),
        legacy("RMSprop", learning_rate=0.01),
        "mse",
    )


@case("autoencoder", fractions(10), fractions(10))
def autoencoder():
    image = L.Input(shape=(10,))
    encoder = keras.Model(image, L.Dense(3, activation="relu", name="code")(L.Dense(6, activation="relu")(image)), name="encoder")
    code = L.Input(shape=(3,))
    decoder = keras.Model(code, L.Dense(10, activation="sigmoid")(L.Dense(6, activation="relu")(code)), name="decoder")
    whole = L.Input(shape=(10,), name="whole")
    return compiled(keras.Model(whole, decoder(encoder(whole)), name="autoencoder"), "adadelta", "binary_crossentropy")


@case("conv_autoencoder", fractions(8, 8, 1), fractions(8, 8, 1))
def conv_autoencoder():
    return compiled(
        sequential(
            L.Conv2D(4, 3, activation="relu", padding="same", input_shape=(8, 8, 1)),
            L.MaxPooling2D(2, padding="same"),
            L.Conv2D(3, 3, activation="relu", padding="same"),
            L.AveragePooling2D(2),
            L.Conv2DTranspose(3, 3, strides=2, activation="relu", padding="same"),
            L.UpSampling2D(2),
            L.Conv2D(1, 3, activation="sigmoid", padding="same"),
        ),
        legacy("Adam", learning_rate=0.01, amsgrad=True),
        "mse",
        ["mse"],
    )


@case("two_inputs_two_outputs", [different_tokens(50, 5), numbers(4)], [bits(1), classes(3)])
def two_inputs_two_outputs():
    words = L.Input(shape=(5,), dtype="int32", name="words")
    extra = L.Input(shape=(4,), name="extra")
    x = L.LSTM(5, recurrent_activation="sigmoid")(L.Embedding(50, 4, input_length=5)(words))
    first = L.Dense(1, activation="sigmoid", name="first")(x)
    x = L.concatenate([x, extra])
    x = L.Dense(6, activation="relu")(x)
    second = L.Dense(3, activation="softmax", name="second")(x)
    return compiled(
        keras.Model(inputs=[words, extra], outputs=[first, second]),
        legacy("Adam", learning_rate=0.01),
        {"first": "binary_crossentropy", "second": "sparse_categorical_crossentropy"},
        {"first": "mae", "second": "accuracy"},
        loss_weights={"first": 0.2, "second": 1.0},
    )


def residual_base():
    start = L.Input(shape=(8, 8, 3))
    x = L.Conv2D(4, 3, padding="same", use_bias=False, name="stem")(start)
    x = L.BatchNormalization(name="stem_bn", scale=False)(x)
    x = L.Activation("relu")(x)
    y = L.ZeroPadding2D(1)(x)
    y = L.Conv2D(4, 3, name="branch")(y)
    y = L.BatchNormalization(axis=3, epsilon=1.001e-5, name="branch_bn")(y)
    x = L.Activation("relu")(L.add([x, y]))
    return keras.Model(start, x, name="base")


@case("fine_tuned_head", numbers(8, 8, 3), one_hot(3))
def fine_tuned_head():
    base = residual_base()
    base.trainable = False
    return compiled(
        sequential(base, L.GlobalAveragePooling2D(), L.Dropout(0.0), L.Dense(3, activation="softmax")),
        legacy("Adam", learning_rate=0.01),
        "categorical_crossentropy",
        ["accuracy"],
    )


@case("fine_tuned_partly", numbers(8, 8, 3), one_hot(3))
def fine_tuned_partly():
    base = residual_base()
    for layer in base.layers[:4]:
        layer.trainable = False
    x = L.GlobalAveragePooling2D(name="avg_pool")(base.output)
    return compiled(
        keras.Model(base.input, L.Dense(3, activation="softmax", name="head")(x)),
        legacy("SGD", learning_rate=0.01, momentum=0.9),
        "categorical_crossentropy",
        ["accuracy"],
    )


@case("resnet50_head", numbers(32, 32, 3), one_hot(3), since=(2, 15))
def resnet50_head():
    base = keras.applications.ResNet50(weights=None, include_top=False, input_shape=(32, 32, 3))
    base.trainable = False
    x = L.GlobalAveragePooling2D()(base.output)
    return compiled(
        keras.Model(base.input, L.Dense(3, activation="softmax")(x)), O.Adam(0.001), "categorical_crossentropy", ["accuracy"]
    )


@case("mobile_blocks", numbers(8, 8, 3), numbers(2))
def mobile_blocks():
    return compiled(
        sequential(
            L.DepthwiseConv2D(3, padding="same", depth_multiplier=2, use_bias=False, input_shape=(8, 8, 3)),
            L.BatchNormalization(momentum=0.9),
            L.ReLU(6.0),
            L.Conv2D(4, 1, use_bias=False),
            L.SeparableConv2D(5, 3, strides=2, activation="relu"),
            L.GlobalMaxPooling2D(),
            L.Dense(2),
        ),
        legacy("SGD", learning_rate=0.01),
        "mse",
    )


@case("advanced_activations", numbers(6), numbers(2))
def advanced_activations():
    return compiled(
        sequential(
            L.Dense(8, input_shape=(6,)),
            L.LeakyReLU(alpha=0.1),
            L.Dense(8),
            L.PReLU(),
            L.Dense(8),
            L.ELU(0.5),
            L.Dense(6),
            L.Softmax(),
            L.Dense(6, activation="selu"),
            L.Dense(6, activation="softsign"),
            L.Dense(2, activation="linear"),
        ),
        legacy("Adamax", learning_rate=0.01),
        "mae",
        ["mse"],
    )


@case("stateful_lstm", numbers(4, 2), numbers(1))
def stateful_lstm():
    return compiled(
        sequential(
            L.LSTM(4, stateful=True, batch_input_shape=(BATCH, 4, 2), recurrent_activation="sigmoid"),
            L.Dense(1),
        ),
        legacy("SGD", learning_rate=0.05, decay=0.1, momentum=0.5),
        "mse",
    )


@case("video", numbers(3, 6, 6, 2), classes(3))
def video():
    return compiled(
        sequential(
            L.TimeDistributed(L.Conv2D(3, 3, activation="relu"), input_shape=(3, 6, 6, 2)),
            L.TimeDistributed(L.Flatten()),
            L.SimpleRNN(5),
            L.Dense(3, activation="softmax"),
        ),
        legacy("Adam", learning_rate=0.01, decay=0.05),
        "sparse_categorical_crossentropy",
        ["sparse_categorical_accuracy"],
    )


@case("conv_lstm", numbers(3, 5, 5, 2), numbers(5, 5, 1))
def conv_lstm():
    return compiled(
        sequential(
            L.ConvLSTM2D(3, (3, 3), padding="same", return_sequences=True, input_shape=(3, 5, 5, 2)),
            L.BatchNormalization(),
            L.ConvLSTM2D(2, 3, padding="same"),
            L.Conv2D(1, 3, padding="same"),
        ),
        legacy("Adam", learning_rate=0.01),
        "mse",
    )


@case("regularized", numbers(6), numbers(2))
def regularized():
    K = keras
    return compiled(
        sequential(
            L.Dense(
                6,
                activation="tanh",
                input_shape=(6,),
                kernel_regularizer=K.regularizers.l2(0.01),
                bias_regularizer=K.regularizers.l1(0.01),
                kernel_constraint=K.constraints.MaxNorm(1.5),
                kernel_initializer=K.initializers.RandomNormal(stddev=0.2),
            ),
            L.Dense(
                5,
                activation="exponential" if hasattr(K.activations, "exponential") else "tanh",
                kernel_regularizer=K.regularizers.l1_l2(0.01, 0.02),
                kernel_constraint=K.constraints.UnitNorm(axis=0),
                bias_initializer=K.initializers.Constant(0.1),
                kernel_initializer=K.initializers.VarianceScaling(scale=0.5, mode="fan_avg", distribution="uniform"),
            ),
            L.Dense(2, kernel_initializer="orthogonal", bias_constraint=K.constraints.NonNeg()),
        ),
        legacy("SGD", learning_rate=0.02, clipnorm=1.0),
        "mse",
    )


@case("penalized_outputs", numbers(6), numbers(2), since=(2, 0))
def penalized_outputs():
    return compiled(
        sequential(
            L.Dense(6, activation="relu", input_shape=(6,), activity_regularizer=keras.regularizers.l1(0.01)),
            L.ActivityRegularization(l2=0.02),
            L.Dense(2),
        ),
        legacy("SGD", learning_rate=0.02, clipvalue=0.5),
        "mse",
    )


@case("text_conv1d", tokens(30, 9), bits(1))
def text_conv1d():
    return compiled(
        sequential(
            L.Embedding(30, 6, input_length=9),
            L.SpatialDropout1D(0.0),
            L.Conv1D(5, 3, padding="causal", dilation_rate=2, activation="relu"),
            L.Conv1D(4, 3, activation="relu"),
            L.GlobalMaxPooling1D(),
            L.Dense(1, activation="sigmoid"),
        ),
        legacy("Adagrad", learning_rate=0.01),
        "binary_crossentropy",
        ["binary_accuracy"],
    )


@case("siamese", [numbers(5), numbers(5)], bits(1))
def siamese():
    tower = sequential(L.Dense(6, activation="relu", input_shape=(5,)), L.Dense(4, activation="tanh"))
    a, b = L.Input(shape=(5,)), L.Input(shape=(5,))
    left, right = tower(a), tower(b)
    x = L.Concatenate()([L.Subtract()([left, right]), L.Dot(axes=1, normalize=True)([left, right]), L.multiply([left, right])])
    return compiled(
        keras.Model([a, b], L.Dense(1, activation="sigmoid")(x)), "adam", keras.losses.binary_crossentropy, ["accuracy"]
    )


@case("translation", [tokens(12, 5), tokens(9, 4)], classes(9, 4, 1))
def translation():
    source, target = L.Input(shape=(5,)), L.Input(shape=(4,))
    gates = dict(recurrent_activation="hard_sigmoid")
    _, h, c = L.LSTM(5, return_state=True, **gates)(L.Embedding(12, 4)(source))
    y = L.LSTM(5, return_sequences=True, **gates)(L.Embedding(9, 4)(target), initial_state=[h, c])
    return compiled(
        keras.Model([source, target], L.TimeDistributed(L.Dense(9, activation="softmax"))(y)),
        legacy("Adam", learning_rate=0.005),
        "sparse_categorical_crossentropy",
    )


@case("masked_sequences", padded(20, 6), numbers(2))
def masked_sequences():
    return compiled(
        sequential(
            L.Embedding(20, 4, mask_zero=True),
            L.LSTM(4, return_sequences=True, recurrent_activation="sigmoid"),
            L.Bidirectional(L.LSTM(3, recurrent_activation="hard_sigmoid")),
            L.Dense(2),
        ),
        legacy("Adam", learning_rate=0.01),
        "mse",
    )


@case("nesterov", numbers(5), numbers(2))
def nesterov():
    model = sequential(L.Dense(6, activation="tanh", input_shape=(5,)), L.Dense(2))
    return compiled(model, legacy("SGD", learning_rate=0.05, momentum=0.9, nesterov=True), "mse")


@case("nadam", numbers(5), numbers(2))
def nadam():
    model = sequential(L.Dense(6, activation="tanh", input_shape=(5,)), L.Dense(2))
    return compiled(model, legacy("Nadam", learning_rate=0.01), "mse")


@case("weighted_steps", numbers(4, 3), numbers(4, 2), since=(2, 2), weight=fractions(4))
def weighted_steps():
    model = sequential(L.Dense(5, activation="tanh", input_shape=(4, 3)), L.Dense(2))
    return compiled(model, legacy("SGD", learning_rate=0.05), "mse", weighted_metrics=["mae"])


@case("losses_of_classes", numbers(6), one_hot(4), since=(2, 2))
def losses_of_classes():
    return compiled(
        sequential(L.Dense(6, activation="relu", input_shape=(6,)), L.Dense(4)),
        legacy("Adam", learning_rate=0.01, epsilon=1e-4),
        keras.losses.CategoricalCrossentropy(from_logits=True, label_smoothing=0.1),
        [keras.metrics.CategoricalAccuracy(name="right"), keras.metrics.TopKCategoricalAccuracy(k=2)],
    )


@case("binary_metrics", numbers(6), bits(1), since=(2, 2))
def binary_metrics():
    metrics = keras.metrics
    return compiled(
        sequential(L.Dense(6, activation="relu", input_shape=(6,)), L.Dense(1, activation="sigmoid")),
        legacy("Adam", learning_rate=0.01),
        keras.losses.BinaryCrossentropy(label_smoothing=0.05),
        [metrics.BinaryAccuracy(threshold=0.4), metrics.Precision(), metrics.Recall(thresholds=[0.3]), metrics.AUC(num_thresholds=20)],
    )


@case("huber", numbers(6), numbers(2), since=(2, 2))
def huber():
    model = sequential(L.Dense(6, activation="swish", input_shape=(6,)), L.Dense(2))
    schedule = O.schedules.ExponentialDecay(0.05, 2, 0.5, staircase=True)
    return compiled(model, legacy("SGD", learning_rate=schedule), keras.losses.Huber(delta=0.5), ["mean_squared_error"])


def classifier():
    return sequential(L.Dense(6, activation="relu", input_shape=(6,)), L.Dense(3, activation="softmax", dtype="float32"))


def mixed(optimizer):
    keras.mixed_precision.set_global_policy("mixed_float16")
    try:
        return compiled(classifier(), optimizer, "sparse_categorical_crossentropy", ["accuracy"])
    finally:
        keras.mixed_precision.set_global_policy("float32")


def prediction_in_float32(model, x):
    """What a `mixed` model predicts without float16, of which TensorFlow rounds every product and every partial sum."""
    exact = classifier()
    exact.set_weights(model.get_weights())
    return exact.predict(x, batch_size=BATCH, verbose=0)


@case("mixed_float16_adam", numbers(6), classes(3), since=(2, 4))
def mixed_float16_adam():
    return mixed(legacy("Adam", learning_rate=0.01))


@case("mixed_float16_sgd", numbers(6), classes(3), since=(2, 4))
def mixed_float16_sgd():
    return mixed(legacy("SGD", learning_rate=0.05))


@case("mixed_float16_momentum", numbers(6), classes(3), since=(2, 4))
def mixed_float16_momentum():
    return mixed(legacy("SGD", learning_rate=0.05, momentum=0.9))


@case("policy_of_a_layer", numbers(6), numbers(2), since=(2, 4))
def policy_of_a_layer():
    policy = keras.mixed_precision.Policy("float64")
    return compiled(
        sequential(L.Dense(6, activation="tanh", input_shape=(6,)), L.Dense(4, dtype=policy), L.Dense(2, dtype="float32")),
        legacy("SGD", learning_rate=0.05),
        "mse",
    )


@case("functions_of_tensorflow", numbers(5, 4), numbers(2), since=(2, 4))
def functions_of_tensorflow():
    x = L.Input(shape=(5, 4))
    y = L.Dense(4, activation="tanh")(x)
    y = 0.5 * y[:, -1] + tf.reduce_max(y, axis=1) - tf.nn.relu(y)[:, 0, :] / 2.0
    return compiled(keras.Model(x, L.Dense(2)(tf.concat([y, tf.square(y)], -1))), legacy("SGD", learning_rate=0.05), "mse")


def transformer(optimizer):
    words = L.Input(shape=(6,))
    x = L.Embedding(20, 8)(words)
    y = L.MultiHeadAttention(num_heads=2, key_dim=4)(x, x)
    x = L.LayerNormalization(epsilon=1e-6)(x + y)
    y = L.Dense(8)(L.Dense(16, activation="gelu")(x))
    x = L.GlobalAveragePooling1D()(L.LayerNormalization(epsilon=1e-6)(L.Add()([x, y])))
    return compiled(keras.Model(words, L.Dense(1, activation="sigmoid")(x)), optimizer, "binary_crossentropy", ["accuracy"])


@case("transformer_block", tokens(20, 6), bits(1), since=(2, 4))
def transformer_block():
    return transformer(legacy("Adam", learning_rate=0.01))


@case("preprocessed_images", pixels(6, 6, 3), numbers(2), since=(2, 4))
def preprocessed_images():
    P = keras.layers.experimental.preprocessing if TENSORFLOW < (2, 6) else L
    return compiled(
        sequential(
            P.Resizing(8, 8, input_shape=(6, 6, 3)), P.Rescaling(1.0 / 255), L.Conv2D(3, 3, activation="relu"), L.Flatten(), L.Dense(2)
        ),
        legacy("SGD", learning_rate=0.01),
        "mse",
    )


@case("normalized_features", numbers(4), numbers(2), since=(2, 4))
def normalized_features():
    P = keras.layers.experimental.preprocessing if TENSORFLOW < (2, 6) else L
    normalization = P.Normalization(axis=-1, input_shape=(4,))
    normalization.adapt(np.random.RandomState(3).standard_normal((30, 4)).astype("float32") * 2 + 1)
    return compiled(sequential(normalization, L.Dense(5, activation="relu"), L.Dense(2)), legacy("SGD", learning_rate=0.01), "mse")


@case("attention", [numbers(4, 3), numbers(5, 3)], numbers(2), since=(2, 2))
def attention():
    query, value = L.Input(shape=(4, 3)), L.Input(shape=(5, 3))
    x = L.Attention(use_scale=True)([L.Dense(4)(query), L.Dense(4)(value)])
    y = L.AdditiveAttention()([L.Dense(4)(query), L.Dense(4)(value)])
    x = L.Concatenate()([L.GlobalAveragePooling1D()(x), L.GlobalMaxPooling1D()(y)])
    return compiled(keras.Model([query, value], L.Dense(2)(x)), legacy("Adam", learning_rate=0.01), "mse")


@case("volumes", numbers(4, 5, 4, 1), classes(2))
def volumes():
    return compiled(
        sequential(
            L.Conv3D(3, 2, activation="relu", input_shape=(4, 5, 4, 1)), L.MaxPooling3D((1, 2, 1)), L.Flatten(), L.Dense(2, activation="softmax")
        ),
        legacy("Adadelta", learning_rate=0.5),
        "sparse_categorical_crossentropy",
    )


@case("noise_and_names", numbers(4, 4, 2), numbers(3))
def noise_and_names():
    x = start = L.Input(shape=(4, 4, 2), name="image")
    x = L.GaussianNoise(0.0)(x)
    x = L.Permute((2, 1, 3), name="swapped")(x)
    x = L.Reshape((16, 2))(L.Cropping2D(((0, 0), (0, 0)))(x))
    x = L.average([L.Dense(3)(x), L.Dense(3)(x)])
    x = L.maximum([x, L.Dense(3)(x)])
    x = L.Flatten(name="features")(L.AveragePooling1D(2)(x))
    return compiled(keras.Model(start, L.Dense(3, name="out")(x)), "sgd", "logcosh")


# Optimizers of TensorFlow 2.11 and later.
if HAS_LEGACY_OPTIMIZERS and not IS_MULTI_BACKEND:
    for optimizer, arguments in (
        ("Adam", dict(amsgrad=True)), ("AdamW", dict(weight_decay=0.01)), ("SGD", dict(momentum=0.9, nesterov=True)),
        ("RMSprop", dict(momentum=0.5, centered=True)), ("Nadam", {}), ("Adagrad", {}), ("Adadelta", {}), ("Adamax", {}),
        ("Ftrl", {}), ("Adafactor", {}), ("Lion", {}),
    ):
        if not hasattr(O, optimizer):
            continue

        @case("new_" + optimizer.lower(), numbers(5), numbers(2))
        def with_new_optimizer(optimizer=optimizer, arguments=arguments):
            model = sequential(L.Dense(6, activation="tanh", input_shape=(5,)), L.Dense(2))
            compiled(model, getattr(O, optimizer)(learning_rate=0.01, **arguments), "mse", ["mae"])
            # In a graph it multiplies the rates of its momentum once for each weight instead of once in a step.
            model.run_eagerly = optimizer == "Nadam"
            return model

    for optimizer, arguments in (("Adam", {}), ("SGD", {}), ("SGD", dict(momentum=0.9))):

        @case("new_mixed_%s%s" % (optimizer.lower(), "_momentum" if arguments else ""), numbers(6), classes(3))
        def with_loss_scale(optimizer=optimizer, arguments=arguments):
            return mixed(getattr(O, optimizer)(learning_rate=0.01, **arguments))

    @case("new_transformer_block", tokens(20, 6), bits(1))
    def new_transformer_block():
        return transformer(O.Adam(learning_rate=0.01))


def draw(makers, rng, count):
    if makers is None:
        return None
    return [make(rng, count) for make in makers] if isinstance(makers, list) else makers(rng, count)


def flat(value):
    return [] if value is None else list(value) if isinstance(value, (list, tuple)) else [value]


def form(makers):
    structure = None if makers is None else list(range(len(makers))) if isinstance(makers, list) else 0
    return {"names": [], "structure": structure}


def logs_of(model, values):
    names = model.metrics_names
    if not IS_MULTI_BACKEND and TENSORFLOW < (2, 0):
        names = ["_".join(name.split("_")[:-len(old.split("_"))] + [OLD_NAMES[old]]) if old else name for name, old in (
            (name, next((old for old in OLD_NAMES if name == old or name.endswith("_" + old)), None)) for name in names)]
    return {name: float(value) for name, value in zip(names, flat(values))}


def reset(model):
    if hasattr(model, "reset_metrics"):
        model.reset_metrics()
    for layer in model.layers:
        if getattr(layer, "stateful", False) and hasattr(layer, "reset_states"):
            layer.reset_states()


def weights_of(model):
    """In the order of the layers, also where layers are frozen."""
    found = []
    for layer in model.layers:
        for weight in weights_of(layer) if isinstance(layer, keras.Model) else layer.weights:
            if not any(weight is known for known in found):
                found.append(weight)
    return found


def array(value):
    value = np.asarray(value)
    return value if value.dtype != np.float16 else value.astype("float32")


def write_golden(path, folder, description, arrays):
    """The same as a file of tests/golden/legacy_files."""
    roles = {"predict_x": "input", "prediction": "output", "weight": "weight", "weight_after": "last_weight"}
    golden = {}
    for key, value in arrays.items():
        role = key.rstrip("0123456789")
        number = key[len(role):]
        if role in roles:
            golden[roles[role] + number] = value
        elif role in ("train_x", "train_y"):
            golden.update({"%s%d_%s" % (role[-1], step, number): value[step] for step in range(STEPS)})
    np.savez_compressed(path + ".npz", **golden)
    files = []
    for file in sorted(folder.iterdir()):
        files.append(os.path.basename(path) + file.name[len("model"):])
        file.rename(os.path.join(os.path.dirname(path), files[-1]))
    index = {
        "keras_version": NAME.split()[-1],
        "files": files,
        "inputs": len(flat(description["x"]["structure"])) or 1,
        "outputs": len([key for key in arrays if key.rstrip("0123456789") == "prediction"]),
        "weights": len(description["weights"]),
        "losses": [logs["loss"] for logs in description["logs"]],
        "metrics": sorted(description["logs"][0]),
    }
    with open(path + ".json", "w", encoding="utf-8") as file:
        json.dump(index, file, indent=1)
        file.write("\n")


def record(name, make, x, y, weight, target, golden=None):
    keras.backend.clear_session()
    seed = zlib.crc32(name.encode()) % 2**31
    np.random.seed(seed)
    (tf.compat.v1 if hasattr(tf, "compat") else tf).set_random_seed(seed)
    rng = np.random.RandomState(seed)
    model = make()

    def samples():
        return draw(x, rng, BATCH), draw(y, rng, BATCH), draw(weight, rng, BATCH)

    def train(batch):
        reset(model)
        return logs_of(model, model.train_on_batch(batch[0], batch[1], sample_weight=batch[2]))

    for _ in range(3):
        train(samples())
    folder = target / ("old_" + name)
    folder.mkdir(parents=True, exist_ok=True)
    model.save(str(folder / "model.h5"), **({} if IS_MULTI_BACKEND or TENSORFLOW < (2, 0) else {"save_format": "h5"}))
    model.save_weights(str(folder / "model.weights.h5"))
    formats = {"h5": None, "weights.h5": None}
    # Archives have no state of legacy optimizers.
    if HAS_LEGACY_OPTIMIZERS and TENSORFLOW >= (2, 13) and isinstance(model.optimizer, O.Optimizer):
        try:
            model.save(str(folder / "model.keras"))
            formats["keras"] = None
        except Exception as error:  # pylint: disable=broad-except
            formats["keras"] = str(error)
    predicted, evaluated, steps = draw(x, rng, BATCH), samples(), [samples() for _ in range(STEPS)]
    arrays = {}

    def add(role, values):
        arrays.update({role + str(i): array(value) for i, value in enumerate(values)})

    reset(model)
    add("predict_x", flat(predicted))
    add("prediction", flat(model.predict(predicted, batch_size=BATCH, verbose=0)))
    exact_prediction = prediction_in_float32(model, predicted) if "mixed" in name else None
    weights = weights_of(model)
    add("weight", keras.backend.batch_get_value(weights))
    for role, value in zip(("x", "y", "weight"), evaluated):
        add("evaluate_" + role, flat(value))
    for i, role in enumerate(("x", "y", "weight")):
        add("train_" + role, [np.stack(parts) for parts in zip(*(flat(step[i]) for step in steps))])
    names = [weight.name for weight in weights]
    reset(model)
    evaluation = logs_of(
        model, model.evaluate(evaluated[0], evaluated[1], sample_weight=evaluated[2], batch_size=BATCH, verbose=0)
    )
    logs = [train(step) for step in steps]
    add("weight_after", keras.backend.batch_get_value(weights_of(model)))
    # Results may differ by the unit roundoff of float16, predictions also by what float16 changes in those of Keras.
    tolerances = {}
    if "mixed" in name:
        tolerances = {"roundoff_ratio": 2.0**-11 / 1e-5, "logs": [dict.fromkeys(entry, 0.0) for entry in logs]}
        tolerances["evaluation"] = dict.fromkeys(evaluation, 0.0)
        error = np.abs(arrays["prediction0"] - exact_prediction).max()
        tolerances["prediction"] = [float(error + 2.0**-11 * np.abs(arrays["prediction0"]).max())]
    description = {
        "name": "old/" + name,
        "library": NAME,
        "tags": ["structure: " + type(layer).__name__ for layer in model.layers],
        "refused_layer": "",
        "refused_class": "",
        "is_random": name in TRAINS_OTHERWISE,  # then its training is not compared
        "is_random_in_inference": False,
        "is_adapted": False,
        "computes_alike": True,
        "formats": formats,
        "tolerances": tolerances,
        "model": json.loads(model.to_json()),
        "clone": None,
        "x": form(x),
        "y": form(y),
        "weight": form(weight),
        "steps": STEPS,
        "batch_size": BATCH,
        "evaluation": evaluation,
        "logs": logs,
        "fit": None,
        "class_weight": {},
        "names_of_strings": {},
        "weights": names,
        "optimizer_variables": None,
        "unsettled_weights": [i for i, path in enumerate(names) if any(part in path for part in UNSETTLED)],
        "unsettled_optimizer_variables": [],
    }
    if golden:
        write_golden(str(target / (golden + "_" + name)), folder, description, arrays)
        folder.rmdir()
        return
    np.savez(str(folder / "data.npz"), **arrays)
    (folder / "case.json").write_text(json.dumps(description, indent=1), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--multi-backend", action="store_true", help="Keras 2 that is not part of TensorFlow")
    parser.add_argument("--only", default="", metavar="TEXT", help="only cases with TEXT in their name")
    parser.add_argument("--golden", default="", metavar="PREFIX")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    made = failures = 0
    for name, make, x, y, weight in CASES:
        if arguments.only not in name:
            continue
        try:
            record(name, make, x, y, weight, arguments.folder, arguments.golden)
            made += 1
        except Exception as error:  # pylint: disable=broad-except
            failures += 1
            print("%s: %s cannot make it: %s: %s" % (name, NAME, type(error).__name__, str(error)[:300]), file=sys.stderr)
    print("%d models made with %s, %d not" % (made, NAME, failures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
