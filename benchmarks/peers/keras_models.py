"""The workloads' models in Keras, compiled."""

import keras
from keras import layers, ops

import measurement


def compiled(model, optimizer, loss, **options):
    model.compile(optimizer=optimizer, loss=loss, **options)
    return model


def class_loss():
    return keras.losses.SparseCategoricalCrossentropy(from_logits=True)


def mnist_cnn():
    model = keras.Sequential(
        [
            keras.Input((28, 28, 1)),
            layers.Conv2D(32, 3, activation="relu"),
            layers.MaxPooling2D(2),
            layers.Conv2D(64, 3, activation="relu"),
            layers.MaxPooling2D(2),
            layers.Conv2D(64, 3, activation="relu"),
            layers.Flatten(),
            layers.Dense(64, activation="relu"),
            layers.Dense(10),
        ]
    )
    return compiled(model, keras.optimizers.Adam(1e-3), class_loss(), metrics=["accuracy"])


def convolution(x, filters, size, strides):
    x = layers.Conv2D(filters, size, strides=strides, padding="same", use_bias=False)(x)
    return layers.BatchNormalization()(x)


def block(x, filters, strides):
    y = layers.ReLU()(convolution(x, filters, 3, strides))
    y = convolution(y, filters, 3, 1)
    shortcut = x if strides == 1 else convolution(x, filters, 1, strides)
    return layers.ReLU()(layers.Add()([y, shortcut]))


def resnet20():
    """ResNet-20 for 32x32 images (He et al. 2015), its shortcuts with projections (option B)."""
    inputs = keras.Input((32, 32, 3))
    x = layers.ReLU()(convolution(inputs, 16, 3, 1))
    for filters in (16, 32, 64):
        for number in range(3):
            x = block(x, filters, 2 if filters > 16 and number == 0 else 1)
    outputs = layers.Dense(10)(layers.GlobalAveragePooling2D()(x))
    return compiled(keras.Model(inputs, outputs), keras.optimizers.SGD(0.01, momentum=0.9), class_loss())


def mlp(**options):
    model = keras.Sequential(
        [
            keras.Input((784,)),
            layers.Dense(512, activation="relu"),
            layers.Dense(512, activation="relu"),
            layers.Dense(10),
        ]
    )
    return compiled(model, keras.optimizers.Adam(1e-3), class_loss(), **options)


def text(**options):
    model = keras.Sequential(
        [
            keras.Input((measurement.WORDS_PER_TEXT,), dtype="int32"),
            layers.Embedding(measurement.WORDS, 64),
            layers.GlobalAveragePooling1D(),
            layers.Dense(64, activation="relu"),
            layers.Dense(1),
        ]
    )
    loss = keras.losses.BinaryCrossentropy(from_logits=True)
    return compiled(model, keras.optimizers.Adam(1e-3), loss, **options)


def regression(*parts, **options):
    model = keras.Sequential([*parts, layers.Dense(1)])
    return compiled(model, keras.optimizers.Adam(1e-3), "mse", **options)


def recurrent(kind, is_masked, **options):
    masking = [layers.Masking()] if is_masked else []
    layer = getattr(layers, kind)(measurement.RECURRENT_UNITS)
    return regression(keras.Input(measurement.SEQUENCE_SHAPE), *masking, layer, **options)


class MinimalGatedCell(layers.Layer):
    """Zhou et al. 2016."""

    def __init__(self, units):
        super().__init__()
        self.units = units
        self.state_size = units

    def build(self, input_shape):
        units = self.units
        self.kernel = self.add_weight(shape=(input_shape[-1], 2 * units), name="kernel")
        self.gate = self.add_weight(shape=(units, units), initializer="orthogonal", name="gate")
        self.candidate = self.add_weight(shape=(units, units), initializer="orthogonal", name="candidate")
        self.bias = self.add_weight(shape=(2 * units,), initializer="zeros", name="bias")

    def call(self, inputs, states):
        h = states[0]
        x = ops.matmul(inputs, self.kernel) + self.bias
        forget = ops.sigmoid(x[:, : self.units] + ops.matmul(h, self.gate))
        candidate = ops.tanh(x[:, self.units :] + ops.matmul(forget * h, self.candidate))
        y = h + forget * (candidate - h)
        return y, [y]


def custom_cell(**options):
    layer = layers.RNN(MinimalGatedCell(measurement.RECURRENT_UNITS))
    return regression(keras.Input(measurement.SEQUENCE_SHAPE), layer, **options)


def conv_lstm(**options):
    layer = layers.ConvLSTM2D(measurement.CONV_LSTM_FILTERS, 3, padding="same")
    return regression(keras.Input(measurement.CONV_LSTM_SHAPE), layer, layers.GlobalAveragePooling2D(), **options)


def encoder(**options):
    """A block of a Transformer's encoder."""
    positions, width = measurement.ENCODER_SHAPE
    inputs = keras.Input((positions, width))
    attended = layers.MultiHeadAttention(measurement.ENCODER_HEADS, width // measurement.ENCODER_HEADS)(inputs, inputs)
    x = layers.LayerNormalization()(inputs + attended)
    hidden = layers.Dense(measurement.ENCODER_HIDDEN, activation="relu")(x)
    outputs = layers.LayerNormalization()(x + layers.Dense(width)(hidden))
    return compiled(keras.Model(inputs, outputs), keras.optimizers.Adam(1e-3), "mse", **options)


class DecoderBlock:
    """Attention and two dense layers, each behind a normalization and added to its input."""

    def __init__(self):
        width = measurement.DECODER_WIDTH
        self.first_norm = layers.LayerNormalization()
        self.projections = layers.Dense(3 * width)
        self.output = layers.Dense(width)
        self.second_norm = layers.LayerNormalization()
        self.hidden = layers.Dense(4 * width, activation="relu")
        self.result = layers.Dense(width)
        for layer in (self.first_norm, self.projections, self.output, self.second_norm, self.hidden):
            layer.build((1, width))
        self.result.build((1, 4 * width))

    def __call__(self, x, position, is_known, keys, values):
        """The result, and the keys and values with those of this position."""
        width, heads = measurement.DECODER_WIDTH, measurement.DECODER_HEADS
        projected = ops.reshape(self.projections(self.first_norm(x)), (3, 1, 1, heads, width // heads))
        start = position * ops.convert_to_tensor([0, 1, 0, 0], "int32")
        keys = ops.slice_update(keys, start, projected[1])
        values = ops.slice_update(values, start, projected[2])
        attended = ops.dot_product_attention(projected[0], keys, values, mask=is_known)
        y = x + self.output(ops.reshape(attended, (1, width)))
        return y + self.result(self.hidden(self.second_norm(y))), keys, values


class Decoder:
    """The most probable character [1] after the one at a position [1]."""

    def __init__(self):
        width = measurement.DECODER_WIDTH
        self.characters = layers.Embedding(measurement.CHARACTERS, width)
        self.positions = layers.Embedding(measurement.DECODER_CONTEXT, width)
        self.blocks = [DecoderBlock() for _ in range(measurement.DECODER_BLOCKS)]
        self.norm = layers.LayerNormalization()
        self.next = layers.Dense(measurement.CHARACTERS)
        for layer in (self.characters, self.positions):
            layer.build((1,))
        for layer in (self.norm, self.next):
            layer.build((1, width))

    @staticmethod
    def empty_caches():
        width, heads = measurement.DECODER_WIDTH, measurement.DECODER_HEADS
        shape = (1, measurement.DECODER_CONTEXT, heads, width // heads)
        return [ops.zeros(shape) for _ in range(2 * measurement.DECODER_BLOCKS)]

    def __call__(self, character, position, caches):
        """The character, and the keys and values of all blocks with those of this position."""
        context = measurement.DECODER_CONTEXT
        is_known = ops.reshape(ops.arange(context, dtype="int32") <= position, (1, 1, 1, context))
        x = self.characters(character) + self.positions(position)
        kept = []
        for number, block in enumerate(self.blocks):
            x, keys, values = block(x, position, is_known, *caches[2 * number : 2 * number + 2])
            kept += [keys, values]
        return ops.cast(ops.argmax(self.next(self.norm(x)), axis=-1), "int32"), kept
