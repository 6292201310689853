"""Draws layers at random: their arguments, and their possible successors. Used by drawn_cases.py."""

from drawn_attention import Attentions
from drawn_recurrent import Recurrent
from library import VERSION_NUMBERS
from library import keras
from library import layers as L

# The prefix of all random names; Keras's own names do not have it.
AWKWARD_NAMES = ["größe", "a layer", "层 ", "x.y", "50%", "L" * 90, "vars", "q'\"", "🙂"]
ACTIVATIONS = [
    "relu",
    "tanh",
    "sigmoid",
    "elu",
    "selu",
    "celu",
    "gelu",
    "silu",
    "mish",
    "softplus",
    "softsign",
    "squareplus",
    "leaky_relu",
    "relu6",
    "hard_sigmoid",
    "hard_silu",
    "hard_tanh",
    "soft_shrink",
    "hard_shrink",
    "tanh_shrink",
    "sparse_plus",
    "sparse_sigmoid",
    "log_sigmoid",
    "softmax",
    "log_softmax",
    "sparsemax",
    "exponential",
    "linear",
]
# Those that are smooth and have no steep parts, for dtypes of few bits.
TAME_ACTIVATIONS = ["tanh", "sigmoid", "softplus", "silu", "linear"]
KERNEL_ARGUMENTS = ["initializer", "regularizer", "constraint"]
# Without "orthogonal", which TensorFlow does not have for all dtypes.
INITIALIZERS = ["glorot_uniform", "glorot_normal", "he_normal", "he_uniform", "lecun_normal", "lecun_uniform"]


class Layers:
    """Makes layers of one dtype policy with arguments chosen by a random generator."""

    def __init__(self, rng, policy, is_tame, can_drop):
        self.rng = rng
        self.policy = policy
        self.is_tame = is_tame
        self.can_drop = can_drop
        self.has_embedding_penalty = True
        self.has_penalties = True
        # Some layers compute in float64, between others that do not.
        self.is_mixed = False
        # All or some of them do, in a process whose `floatx` is float32.
        self.has_float64 = False
        self.made = 0
        self.recurrent = Recurrent(self)
        self.attention = Attentions(self)

    def chance(self, probability):
        return self.rng.random() < probability

    def pick(self, choices):
        return choices[self.rng.integers(len(choices))]

    def number(self, low, high):
        return int(self.rng.integers(low, high + 1))

    def common(self):
        """Arguments that each layer has."""
        self.made += 1
        arguments = {} if self.policy is None else {"dtype": self.policy}
        if self.is_mixed and self.chance(0.3):
            arguments["dtype"] = "float64"
        if self.chance(0.1):
            arguments["name"] = f"{self.pick(AWKWARD_NAMES)}{self.made}"
        return arguments

    def activation(self):
        return self.pick(TAME_ACTIVATIONS if self.is_tame else ACTIVATIONS)

    def initializer(self):
        return self.pick(INITIALIZERS)

    def regularizer(self, probability=0.15):
        if not self.chance(probability) or not self.has_penalties:
            return None
        factor = float(self.rng.uniform(0.001, 0.03))
        made = [keras.regularizers.L1(factor), keras.regularizers.L2(factor), keras.regularizers.L1L2(factor, factor / 2)]
        return self.pick(made)

    def constraint(self, probability=0.1):
        """Of kernels: functions without steep parts, also where an axis has the length 1."""
        if not self.chance(probability):
            return None
        size = float(self.rng.uniform(0.5, 2.0))
        made = [
            keras.constraints.MaxNorm(size, axis=self.pick([0, -1])),
            keras.constraints.MinMaxNorm(size / 2, size, rate=float(self.rng.uniform(0.1, 1.0)), axis=None),
            keras.constraints.UnitNorm(axis=None),
            keras.constraints.NonNeg(),
        ]
        return self.pick(made)

    def limit(self, probability=0.1):
        """A constraint of biases and scales."""
        if not self.chance(probability):
            return None
        return self.pick([keras.constraints.NonNeg(), keras.constraints.MaxNorm(float(self.rng.uniform(0.1, 1.0)))])

    def weights(self):
        """Arguments of layers with kernel and bias."""
        return {
            "use_bias": self.chance(0.8),
            "kernel_initializer": self.initializer(),
            "bias_initializer": self.pick(["zeros", "ones"]),
            "kernel_regularizer": self.regularizer(),
            "bias_regularizer": self.regularizer(0.1),
            "activity_regularizer": self.regularizer(0.1),
            "kernel_constraint": self.constraint(),
            "bias_constraint": self.limit(),
            "trainable": not self.chance(0.1),
        }

    def dense(self, units=None, activation=None):
        activation = activation or (self.activation() if self.chance(0.6) else None)
        return L.Dense(units or self.number(2, 8), activation=activation, **self.weights(), **self.common())

    def last_dense(self, units, activation, name=None):
        """The head of a model: always trained, in float32 where the rest is not float64."""
        policy = {"dtype": "float64"} if self.policy == "float64" else {"dtype": "float32"} if self.policy else {}
        return L.Dense(units, activation=activation, kernel_regularizer=self.regularizer(), name=name, **policy)

    def embedding(self, tokens, mask_zero=False):
        # For a token that a batch has twice, optimizers other than plain SGD, and clipping, get other gradients in Keras on
        # TensorFlow than on its other backends, unless a penalty makes the gradient dense.
        penalty = keras.regularizers.L2(0.01) if self.has_embedding_penalty else None
        width = self.number(3, 7)
        is_trained = not self.chance(0.1)
        return L.Embedding(
            tokens, width, embeddings_regularizer=penalty, trainable=is_trained, mask_zero=mask_zero, **self.common()
        )

    def category_encoding(self, tokens):
        # Keras on TensorFlow cannot count in dtypes of few bits.
        mode = "one_hot" if self.is_tame else self.pick(["one_hot", "multi_hot", "count"])
        return L.CategoryEncoding(tokens, output_mode=mode, **self.common())

    def discretization(self):
        """Of numbers, with boundaries that are given or computed."""
        mode = "one_hot" if self.is_tame else self.pick(["one_hot", "multi_hot", "count"])
        values = self.rng.standard_normal(self.number(2, 300)).astype("float32")
        if self.chance(0.4):
            boundaries = sorted(values[: self.number(1, 5)].tolist())
            return L.Discretization(boundaries, output_mode=mode, **self.common())
        layer = L.Discretization(
            num_bins=self.number(2, 6), epsilon=self.pick([0.01, 0.1]), output_mode=mode, **self.common()
        )
        layer.adapt(values)
        return layer

    def batch_normalization(self, axis=-1):
        # The variance of the few values in a batch may be small: epsilon bounds the divisor.
        return L.BatchNormalization(
            axis=axis,
            momentum=float(self.rng.uniform(0.5, 0.99)),
            epsilon=self.pick([1e-3, 1e-2]),
            center=self.chance(0.8),
            scale=self.chance(0.8),
            gamma_regularizer=self.regularizer(0.1),
            beta_constraint=self.limit(),
            trainable=not self.chance(0.15),
            **self.common(),
        )

    def layer_normalization(self, axis=-1):
        if isinstance(axis, list) and VERSION_NUMBERS < (3, 12):
            # In another order, the newest Keras and Rhyton refuse the weights of these versions.
            axis = sorted(axis, key=lambda number: (number < 0, number))
        return L.LayerNormalization(
            axis=axis,
            epsilon=self.pick([1e-3, 1e-2]),
            center=self.chance(0.8),
            scale=self.chance(0.8),
            beta_regularizer=self.regularizer(0.1),
            gamma_constraint=self.limit(),
            beta_constraint=self.limit(),
            **self.common(),
        )

    def group_normalization(self, groups, axis=-1):
        return L.GroupNormalization(
            groups,
            axis=axis,
            epsilon=self.pick([1e-3, 1e-2]),
            center=self.chance(0.8),
            scale=self.chance(0.8),
            gamma_regularizer=self.regularizer(0.1),
            **self.common(),
        )

    def rms_normalization(self, axis=-1):
        # UnitNormalization is not among them: its gradient of a row of zeros is not a number.
        return L.RMSNormalization(axis=axis, epsilon=self.pick([1e-3, 1e-2]), **self.common())

    def einsum_dense(self, equation, output_shape, bias_axes):
        weights = self.weights()
        bias = bias_axes if weights.pop("use_bias") else None
        activation = self.activation() if self.chance(0.6) else None
        return L.EinsumDense(equation, output_shape, activation=activation, bias_axes=bias, **weights, **self.common())

    def spectral_normalization(self):
        common = self.common()
        policy = {"dtype": common["dtype"]} if "dtype" in common else {}
        weights = self.weights()
        inner = L.Dense(self.number(2, 8), activation=self.activation(), **weights, **policy)
        return L.SpectralNormalization(inner, power_iterations=self.number(1, 3), **common)

    def time_distributed(self):
        common = self.common()
        policy = {"dtype": common["dtype"]} if "dtype" in common else {}
        if self.chance(0.3):
            return L.TimeDistributed(L.BatchNormalization(epsilon=1e-2, momentum=0.9, **policy), **common)
        inner = L.Dense(self.number(2, 8), activation=self.activation(), **self.weights(), **policy)
        return L.TimeDistributed(inner, **common)

    def relu(self):
        arguments = {
            "max_value": self.pick([None, None, 2.0, 6.0]),
            "negative_slope": self.pick([0.0, 0.0, 0.1, 0.3]),
            "threshold": self.pick([0.0, 0.0, 0.3]),
        }
        return L.ReLU(**arguments, **self.common())

    def rescaling(self):
        return L.Rescaling(float(self.rng.uniform(0.3, 1.5)), offset=float(self.rng.uniform(-1, 1)), **self.common())

    def dropout(self, noise_shape=None):
        rate = float(self.rng.uniform(0.1, 0.7)) if self.can_drop else 0.0
        seed = self.number(0, 99) if self.chance(0.3) else None
        return L.Dropout(rate, noise_shape=noise_shape, seed=seed, **self.common())

    def convolution(self):
        arguments = {"kernel_size": (self.number(1, 3), self.number(1, 3)), "padding": self.pick(["valid", "same"])}
        if self.chance(0.3):
            arguments["strides"] = self.number(2, 3) if self.chance(0.5) else (1, 2)
        elif self.chance(0.3):
            arguments["dilation_rate"] = 2
        activation = self.activation() if self.chance(0.6) else None
        # Without XLA, TensorFlow cannot train grouped convolutions on a CPU: there is a separate case.
        return L.Conv2D(self.number(2, 5), activation=activation, **arguments, **self.weights(), **self.common())

    def window(self, axes):
        """Arguments of a convolution by channels, or of a transposed one."""
        arguments = {"kernel_size": tuple(self.number(1, 3) for _ in range(axes)), "padding": self.pick(["valid", "same"])}
        if self.chance(0.3):
            arguments["strides"] = 2
        return {**arguments, "activation": self.activation() if self.chance(0.5) else None}

    def filtered_by_channels(self):
        """DepthwiseConv2D or SeparableConv2D."""
        weights = self.weights()
        depthwise = {f"depthwise_{what}": weights.pop(f"kernel_{what}") for what in KERNEL_ARGUMENTS}
        arguments = {"depth_multiplier": self.number(1, 2), **self.window(2), **depthwise, **weights, **self.common()}
        if self.chance(0.5):
            return L.DepthwiseConv2D(**arguments)
        pointwise = {"pointwise_initializer": self.initializer(), "pointwise_regularizer": self.regularizer()}
        return L.SeparableConv2D(self.number(2, 5), **pointwise, **arguments)

    def transposed_convolution(self):
        return L.Conv2DTranspose(self.number(2, 5), **self.window(2), **self.weights(), **self.common())

    def margins(self):
        """Images that are larger, or smaller by at most two rows and columns."""
        sides = self.pick([1, (1, 0), ((0, 1), (1, 1))])
        repeated = self.pick([2, (1, 2), (2, 1)])
        made = [
            lambda: L.Cropping2D(sides, **self.common()),
            lambda: L.ZeroPadding2D(sides, **self.common()),
            lambda: L.UpSampling2D(repeated, interpolation=self.pick(["nearest", "bilinear"]), **self.common()),
        ]
        return self.pick(made)()

    def of_elements(self, rank):
        """Activations with arguments."""
        shared = self.pick([None, list(range(1, rank - 1))]) if rank > 2 else None
        made = [
            lambda: L.LeakyReLU(**self.common()),
            lambda: L.ELU(float(self.rng.uniform(0.5, 1.5)), **self.common()),
            lambda: L.PReLU(self.initializer(), alpha_regularizer=self.regularizer(), shared_axes=shared, **self.common()),
        ]
        return self.pick(made)()

    def convolution_of_steps(self):
        padding = self.pick(["same", "causal"])
        stride = {"strides": 2} if self.chance(0.2) else {"dilation_rate": self.number(1, 2)}
        activation = self.activation() if self.chance(0.6) else None
        return L.Conv1D(
            self.number(2, 6),
            self.number(1, 3),
            padding=padding,
            activation=activation,
            **stride,
            **self.weights(),
            **self.common(),
        )

    def adaptive_pooling(self):
        kind = self.pick([L.AdaptiveAveragePooling2D, L.AdaptiveMaxPooling2D])
        return kind(self.pick([2, (1, 3), (4, 2)]), **self.common())

    def pooling(self):
        kind = self.pick([L.MaxPooling2D, L.AveragePooling2D])
        size = self.pick([2, 3, (1, 2), (2, 3)])
        strides = self.pick([None, 1, 2, (2, 1)])
        return kind(size, strides=strides, padding=self.pick(["valid", "same"]), **self.common())

    def resizing(self):
        # TensorFlow lacks the gradients of the other interpolations in some dtypes.
        interpolation = self.pick(["bilinear", "bilinear", "nearest"])
        aspect = self.pick([{}, {"crop_to_aspect_ratio": True}, {"pad_to_aspect_ratio": True, "fill_value": 0.5}])
        return L.Resizing(self.number(3, 8), self.number(3, 8), interpolation=interpolation, **aspect, **self.common())

    def center_crop(self):
        return L.CenterCrop(self.number(3, 8), self.number(3, 8), **self.common())

    def of_vectors(self):
        """One layer from vectors to vectors."""
        makers = [
            (5, self.dense),
            (1, self.batch_normalization),
            (1, self.layer_normalization),
            (0.5, lambda: self.group_normalization(1)),
            (0.5, self.rms_normalization),
            (1, lambda: self.einsum_dense(self.pick(["ab,bc->ac", "...b,bc->...c"]), self.number(2, 8), "c")),
            (0 if self.is_tame else 0.7, self.spectral_normalization),
            (2, lambda: L.Activation(self.activation(), activity_regularizer=self.regularizer(0.1), **self.common())),
            (1, self.relu),
            (0.5, lambda: L.Softmax(**self.common())),
            (1, self.rescaling),
            (2 if self.can_drop else 0.5, self.dropout),
        ]
        return self.weighted(makers)

    def of_sequences(self, is_masked=False):
        """One layer from [steps, width] to such. Softmax can use the mask only of a tensor of its own rank."""
        makers = [
            (4, self.dense),
            (1, lambda: self.batch_normalization(self.pick([-1, 1, 2]))),
            (2, lambda: self.layer_normalization(self.pick([-1, 1, [1, 2], [-1, 1], [2, 1]]))),
            (0.5, lambda: self.group_normalization(self.pick([1, -1]), self.pick([-1, 1]))),
            (0.5, lambda: self.rms_normalization(self.pick([-1, [1, 2]]))),
            (1, lambda: self.einsum_dense("...b,bc->...c", self.number(2, 8), "c")),
            (0 if self.is_tame else 0.7, self.spectral_normalization),
            (1, self.time_distributed),
            (4, self.recurrent.in_place),
            (0 if is_masked or self.is_tame else 1, self.convolution_of_steps),
            (0.5, lambda: self.of_elements(3)),
            (0.3, lambda: L.Permute((2, 1), **self.common())),
            (1, lambda: L.Activation(self.activation(), **self.common())),
            (0 if is_masked else 1, lambda: L.Softmax(axis=self.pick([-1, 1, [1, 2]]), **self.common())),
            (1, self.relu),
            (1, self.rescaling),
            (1 if self.can_drop else 0.2, lambda: self.dropout(self.pick([None, (None, 1, None)]))),
        ]
        return self.weighted(makers)

    def of_images(self):
        """One layer from images to images."""
        makers = [
            (5, self.convolution),
            (1.5, self.filtered_by_channels),
            (1, self.transposed_convolution),
            (1, self.margins),
            (0.5, lambda: self.of_elements(4)),
            (0.5 if hasattr(L, "AdaptiveMaxPooling2D") else 0, self.adaptive_pooling),
            (2, self.pooling),
            (1, lambda: self.batch_normalization(self.pick([-1, 3, 1, 2]))),
            (1, lambda: self.layer_normalization(self.pick([-1, [1, 2, 3], [1, -1], [3, 1], 2]))),
            (0.5, lambda: self.group_normalization(self.pick([1, -1]), self.pick([-1, 1, 2]))),
            (0.5, lambda: self.rms_normalization(self.pick([-1, [1, 2, 3]]))),
            (1, lambda: L.Activation(self.activation(), **self.common())),
            (1, self.relu),
            (1, self.dense),
            (0.7, lambda: self.recurrent.convolutional(1, return_sequences=True)),
            (0 if self.is_tame else 0.7, self.resizing),
            (0 if self.is_tame else 0.5, self.center_crop),
            (1 if self.can_drop else 0.2, lambda: self.dropout(self.pick([None, (None, 1, 1, None)]))),
        ]
        return self.weighted(makers)

    def weighted(self, makers):
        weights = [weight for weight, _ in makers]
        return makers[self.rng.choice(len(makers), p=[weight / sum(weights) for weight in weights])][1]()

    def to_vectors(self, rank, is_masked=False):
        """Layers that make vectors of sequences (rank 3) or images (rank 4)."""
        if rank == 2:
            return []
        if rank == 3 and self.chance(0.5):
            return [self.recurrent.layer()]
        if self.chance(0.15 if is_masked else 0.4):
            reshaped = L.Reshape((-1,), **self.common()) if self.chance(0.2) else L.Flatten(**self.common())
            return [reshaped]
        keeps = self.chance(0.2)
        pooling = L.GlobalAveragePooling1D if rank == 3 else L.GlobalAveragePooling2D
        # The mask is one of the steps: axis 1.
        data_format = "channels_last" if is_masked else self.pick(["channels_last", "channels_last", "channels_first"])
        pool = pooling(data_format=data_format, keepdims=keeps, **self.common())
        return [pool, L.Flatten(**self.common())] if keeps else [pool]
