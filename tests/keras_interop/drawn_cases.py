"""Random models: any layers, structures, losses, metrics and optimizers that Rhyton has.

A seed and an index give the same model on every run. Cases that are ambiguous in Keras itself are not drawn;
see the comments. The effect of rounding is measured: each model is also computed in float64.
"""

import inspect
import zlib

import cases
import drawn_attention
import drawn_training
import numpy as np
import samples
from drawing_layers import dropping_layers
from drawn_layers import Layers
from drawn_operations import Operations
from library import IS_TF_KERAS
from library import VERSION_NUMBERS
from library import Input
from library import Model
from library import Sequential
from library import keras
from library import layers as L
from library import raised

# The unit roundoff of a dtype divided by that of float32, and its frequency.
POLICIES = {
    None: (1.0, 0.74),
    "some float64": (1.0, 0.04),
    "float64": (1.0, 0.07),
    "mixed_float16": (2.0**13, 0.05),
    "mixed_bfloat16": (2.0**16, 0.05),
    "float16": (2.0**13, 0.03),
    "bfloat16": (2.0**16, 0.02),
}
KEYS = ["k1", "b", "a", "größe", "x y", "z/w", "out"]
TOKENS = 14
# The first version that has all that is drawn.
NEWEST = (3, 15)
# Whether CategoryEncoding and Discretization take all inputs that are drawn.
HAS_CATEGORIES = not IS_TF_KERAS and VERSION_NUMBERS >= NEWEST
# Values of masked steps, all of them exact in every dtype.
MASKED = [0.0, -1.0, 0.5, 10.0]


def is_masked(x):
    return getattr(x, "_keras_mask", None) is not None


class Drawing:
    """One draw. The same generator gives the same model in another policy, except for the values of the weights."""

    def __init__(self, seed, index, is_exact):
        # Layers get the same names each time.
        # The first versions of Keras 3 free memory always.
        keras.backend.clear_session(**({"free_memory": False} if VERSION_NUMBERS >= (3, 3) else {}))
        keras.utils.set_random_seed(zlib.crc32(f"{seed}/{index}".encode()))
        self.rng = np.random.default_rng([seed, index])
        policies = list(POLICIES)
        self.policy = policies[self.rng.choice(len(policies), p=[POLICIES[name][1] for name in policies])]
        is_tame = POLICIES[self.policy][0] > 1
        can_drop = not is_tame and self.rng.random() < 0.2
        is_mixed = self.policy == "some float64"
        own_policy = None if is_mixed else self.policy
        self.layers = Layers(self.rng, "float64" if is_exact else own_policy, is_tame, can_drop)
        self.layers.is_mixed = is_mixed
        self.layers.has_float64 = self.policy in ("float64", "some float64")
        # Keras on TensorFlow cannot add penalties of several dtypes.
        self.layers.has_penalties = self.policy is None
        self.operations = Operations(self.layers)
        # Constants would change the dtype of tensors of few bits.
        self.can_operate = self.policy in (None, "float64", "some float64")
        # Masked sequences, which can become outputs.
        self.sequences = []
        # Sequences that others can attend to.
        self.attended_to = []
        self.covers = {"structure: drawn at random"}
        self.draw()

    # The parts of the model.

    def cover(self, what):
        self.covers.add(f"structure: {what}")

    def input_of(self, kind, name, can_operate):
        """(symbolic input, its samples, layers that bring it to floating numbers, or operators where there can be)"""
        layers = self.layers
        if kind == "vector":
            width = layers.number(2, 8)
            first = [layers.discretization(), layers.dense()] if HAS_CATEGORIES and layers.chance(0.12) else []
            return Input((width,), name=name), samples.numbers(width), first
        if kind == "sequence":
            shape = (layers.number(2, 5), layers.number(2, 5))
            if layers.chance(0.6):
                self.covers.add("masks of layers")
                value = layers.pick(MASKED)
                return Input(shape, name=name), samples.with_masked(value, *shape), [L.Masking(value, **layers.common())]
            return Input(shape, name=name), samples.numbers(*shape), []
        if kind == "image":
            shape = (layers.number(6, 10), layers.number(6, 10), layers.number(1, 3))
            return Input(shape, name=name), samples.numbers(*shape), []
        if kind == "film":
            shape = (layers.number(2, 3), layers.number(5, 7), layers.number(5, 7), layers.number(1, 2))
            return Input(shape, name=name), samples.numbers(*shape), [layers.recurrent.convolutional(2)]
        if kind == "bytes":
            shape = (layers.number(6, 9), layers.number(6, 9), layers.number(1, 3))
            scaled = L.Rescaling(1.0 / 255, **layers.common())
            if self.policy is None and can_operate and layers.chance(0.5):
                self.cover("operations")
                scaled = layers.pick([lambda x: x / 255.0, lambda x: x * (1.0 / 255)])
            return Input(shape, dtype="uint8", name=name), samples.pixels(*shape, dtype="uint8"), [scaled]
        if kind == "flags":
            width = layers.number(2, 6)
            return Input((width,), dtype="bool", name=name), samples.flags(width), [layers.rescaling()]
        dtype = layers.pick(["int32", "int64", "float32"])
        steps = layers.number(2, 6)
        if layers.chance(0.6):
            self.covers.add("masks of layers")
            words = samples.words if layers.chance(0.6) else samples.scattered
            words = words(TOKENS, steps, dtype=dtype)
            return Input((steps,), dtype=dtype, name=name), words, [layers.embedding(TOKENS, mask_zero=True)]
        tokens = samples.integers(TOKENS, steps, dtype=dtype)
        if HAS_CATEGORIES and layers.chance(0.4):
            return Input((steps,), dtype=dtype, name=name), tokens, [layers.category_encoding(TOKENS), layers.dense()]
        return Input((steps,), dtype=dtype, name=name), tokens, [layers.embedding(TOKENS)]

    def follow(self, x, chain):
        for layer in chain:
            if isinstance(layer, L.Layer) and self.layers.chance(0.05):
                self.cover("arguments of calls")
                # "inputs"; "sequences" of recurrent layers.
                x = layer(**{next(iter(inspect.signature(layer.call).parameters)): x})
            else:
                x = layer(x)
        return x

    def body(self, x):
        """Layers on a sequence or image, down to vectors."""
        layers = self.layers
        if len(x.shape) > 2:
            for _ in range(layers.number(0, 3)):
                rank = len(x.shape)
                # Layers that shrink images end before the images become empty; operations may give vectors.
                if rank == 2 or (rank == 4 and min(x.shape[1:3]) < 5):
                    break
                if rank == 3 and drawn_attention.IS_DRAWN and layers.chance(0.3):
                    x = self.attended(x)
                else:
                    x = layers.of_images()(x) if rank == 4 else layers.of_sequences(is_masked(x))(x)
                x = self.again(x)
                # They drop the mask.
                if layers.chance(0.07 if is_masked(x) else 0.2):
                    x = self.operated(x)
            if len(x.shape) == 3 and is_masked(x):
                self.sequences.append(x)
            if len(x.shape) > 2 and self.can_operate and layers.chance(0.08 if is_masked(x) else 0.25):
                self.cover("operations")
                return self.operations.to_vectors(x)
            if len(x.shape) == 3 and layers.chance(0.12):
                self.cover("states of layers")
                return layers.recurrent.with_states(x)
            if len(x.shape) == 3 and layers.chance(0.06):
                self.covers.add("masks as arguments")
                return layers.recurrent.masked_by_argument(x)
            if len(x.shape) == 3 and layers.chance(0.06):
                self.covers.add("masks as arguments")
                kept = layers.rng.random((1, x.shape[1])) < 0.6
                kept[0, layers.number(0, x.shape[1] - 1)] = True
                return L.GlobalAveragePooling1D(**layers.common())(x, mask=kept)
        elif layers.chance(0.15) and x.shape[-1] % 2 == 0:
            x = L.Reshape((2, x.shape[-1] // 2), **layers.common())(x)
            return self.body(x)
        elif layers.chance(0.1):
            return self.body(L.RepeatVector(layers.number(1, 4), **layers.common())(x))
        return self.follow(x, layers.to_vectors(len(x.shape), is_masked(x)))

    def attended(self, x):
        """A sequence of the same number of steps: attention to itself or to a sequence of another input."""
        self.covers.add("attention")
        other = self.layers.pick(self.attended_to) if self.attended_to and self.layers.chance(0.5) else None
        y = self.layers.attention.sequence(x, other)
        self.attended_to.append(y)
        return y

    def operated(self, x):
        """The result of an operation. Its rank is 2 to 4."""
        if not self.can_operate:
            return x
        self.cover("operations")
        return self.operations.of_one(x)

    def operated_vectors(self, x):
        """The same of vectors."""
        y = self.operated(x)
        return L.Flatten(**self.layers.common())(y) if len(y.shape) > 2 else y

    def again(self, x):
        """A residual around one layer, now and then."""
        layers = self.layers
        if not layers.chance(0.15):
            return x
        self.cover("branches")
        y = layers.dense(units=x.shape[-1])(x)
        return self.merge([x, y])

    def merge(self, tensors):
        """Tensors of one shape."""
        layers = self.layers
        if self.can_operate and layers.chance(0.1 if is_masked(tensors[0]) else 0.4) and len(tensors) == 2:
            self.cover("operations")
            return self.operations.of_two(*tensors)
        kinds = [L.Add, L.Multiply, L.Average, L.Maximum, L.Minimum, L.Concatenate]
        if len(tensors) == 2:
            kinds.append(L.Subtract)
            if len(tensors[0].shape) < 4 and not layers.is_tame:
                kinds.append(L.Dot)
        kind = layers.pick(kinds)
        if kind is L.Dot:
            return L.Dot(axes=-1, **layers.common())(tensors)
        if kind is L.Concatenate and len(tensors[0].shape) > 2 and layers.chance(0.5):
            return L.Concatenate(axis=1, **layers.common())(tensors)
        return kind(**layers.common())(tensors)

    def nested(self, x):
        """A model on vectors, called once or twice."""
        layers = self.layers
        self.cover("nested models")
        width = x.shape[-1]
        twice = layers.chance(0.4)
        name = f"inner_{layers.made}"
        if layers.chance(0.5):
            chain = [layers.of_vectors() for _ in range(layers.number(1, 3))]
            inner = Sequential([Input((width,)), *chain, layers.dense(units=width)], name=name)
        else:
            start = Input((width,))
            y = layers.of_vectors()(start)
            inner = Model(start, self.merge([layers.dense(units=4)(y), layers.dense(units=4)(start)]), name=name)
        if layers.chance(0.15):
            self.cover("frozen layers")
            inner.trainable = False
        y = inner(x)
        if twice:
            self.cover("shared layers")
            other = layers.dense(units=width, activation="tanh")(x)
            y = self.merge([y, inner(other)])
        return y

    def trunk(self, x):
        """Layers on vectors."""
        layers = self.layers
        for _ in range(layers.number(1, 4)):
            choice = self.rng.random()
            if choice < 0.12:
                x = self.nested(x)
            elif choice < 0.22:
                self.cover("shared layers")
                shared = layers.dense(units=x.shape[-1], activation=self.layers.pick(["tanh", "sigmoid"]))
                x = shared(shared(x))
            elif choice < 0.42:
                x = self.operated_vectors(x)
            else:
                x = self.again(layers.of_vectors()(x))
        return x

    # The whole model.

    def draw(self):
        layers = self.layers
        self.optimizer, sees_tokens = drawn_training.optimizer(layers)
        layers.has_embedding_penalty = not sees_tokens
        self.has_tokens = sees_tokens or self.policy is None
        if layers.chance(0.2):
            self.draw_sequential()
        else:
            self.draw_functional()
        self.compile()

    def kinds_of_inputs(self, count):
        # Not every CPU supports convolutions of dtypes of few bits.
        kinds = ["vector", "vector", "vector", "sequence", "sequence", "flags"]
        kinds += ["tokens", "tokens"] if self.has_tokens else []
        kinds += [] if self.layers.is_tame else ["image", "image", "image", "image", "bytes", "bytes", "film"]
        return [self.layers.pick(kinds) for _ in range(count)]

    def draw_sequential(self):
        """The steps of one path, each for the result of the previous one."""
        layers = self.layers
        start, self.x, first = self.input_of(self.kinds_of_inputs(1)[0], None, can_operate=False)
        x = start
        chain = []

        def add(layer):
            nonlocal x
            x = layer(x)
            chain.append(layer)

        for layer in first:
            add(layer)
        for _ in range(layers.number(0, 3)):
            if len(x.shape) == 2 or (len(x.shape) == 4 and min(x.shape[1:3]) < 5):
                break
            add(layers.of_images() if len(x.shape) == 4 else layers.of_sequences(is_masked(x)))
        if is_masked(x) and layers.chance(0.4):
            self.heads = [self.masked_head(x)]
        else:
            for layer in layers.to_vectors(len(x.shape), is_masked(x)):
                add(layer)
            for _ in range(layers.number(0, 3)):
                add(layers.of_vectors())
            self.heads = [drawn_training.head(layers)]
            for layer in self.steps_of(self.heads[0]):
                add(layer)
        head = self.heads[0]
        add(layers.last_dense(head.units, head.activation))
        self.keys = None
        self.form = "single"
        self.model = Sequential([start, *chain])

    def steps_of(self, head):
        """Layers that make sequences of vectors, where the targets are such."""
        layers = self.layers
        if head.steps is None:
            return []
        self.cover("sequences of targets")
        width = layers.number(2, 4)
        return [layers.dense(units=head.steps * width), L.Reshape((head.steps, width), **layers.common())]

    def masked_head(self, sequence):
        """An output whose mask is that of a sequence."""
        self.covers.add("masks of outputs")
        return drawn_training.head(self.layers, steps=sequence.shape[1])

    def draw_functional(self):
        layers = self.layers
        count = layers.pick([1, 1, 2, 3])
        names = [layers.pick([None, None, f"in {i}", f"ein_ä{i}"]) for i in range(count)]
        drawn = [self.input_of(kind, name, can_operate=True) for kind, name in zip(self.kinds_of_inputs(count), names)]
        vectors = [self.body(self.follow(start, first)) for start, _, first in drawn]
        if count > 1:
            self.cover("several inputs")
            if layers.chance(0.4):
                x = L.Concatenate(**layers.common())(vectors)
            else:
                width = layers.number(3, 6)
                x = self.merge([layers.dense(units=width)(vector) for vector in vectors])
        else:
            x = vectors[0]
        x = self.trunk(x)
        inputs, self.x = self.structure_of_inputs([start for start, _, _ in drawn], [make for _, make, _ in drawn])
        outputs = []
        self.heads = [drawn_training.head(layers) for _ in range(layers.pick([1, 1, 2, 3]))]
        self.form = "single" if len(self.heads) == 1 else "list"
        if layers.chance(0.25):
            self.form = "dict"
        for i, head in enumerate(self.heads):
            if self.sequences and layers.chance(0.4):
                y = layers.pick(self.sequences)
                self.heads[i] = head = self.masked_head(y)
                outputs.append(layers.last_dense(head.units, head.activation)(y))
                continue
            y = layers.of_vectors()(x) if layers.chance(0.3) else x
            y = self.operated_vectors(y) if layers.chance(0.3) else y
            y = self.follow(y, self.steps_of(head))
            outputs.append(layers.last_dense(head.units, head.activation)(y))
        if len(outputs) > 1:
            self.cover("several outputs")
        order = self.rng.permutation(len(KEYS))[: len(outputs)]
        self.keys = [KEYS[i] for i in order]
        if self.form == "dict":
            self.cover("dict of outputs")
            outputs = dict(zip(self.keys, outputs))
        self.model = Model(inputs, outputs[0] if self.form == "single" else outputs)

    def structure_of_inputs(self, tensors, makers):
        """One, a list, a dict or a nested structure of the inputs, and of their samples."""
        layers = self.layers
        if len(tensors) == 1:
            return tensors[0], makers[0]
        choice = self.rng.random()
        if choice < 0.5:
            return tensors, makers
        keys = [f"key_{i}" for i in self.rng.permutation(len(tensors))]
        if choice < 0.8:
            self.cover("dict of inputs")
            return dict(zip(keys, tensors)), dict(zip(keys, makers))
        self.cover("nested inputs")
        if layers.chance(0.5):
            return [tensors[0], dict(zip(keys, tensors[1:]))], [makers[0], dict(zip(keys, makers[1:]))]
        return {"one": tensors[0], "more": tensors[1:]}, {"one": makers[0], "more": makers[1:]}

    def weight_of(self, head):
        """One for each sample, or for each of its steps: there, Keras cannot multiply losses by those of samples."""
        return samples.positive() if head.steps is None else samples.positive(head.steps)

    def compile(self):
        layers = self.layers

        def formed(members):
            if self.form == "dict":
                return dict(zip(self.keys, members))
            return members[0] if self.form == "single" else list(members)

        self.covers |= {f"loss {head.covers}" for head in self.heads}
        self.y = formed([head.y for head in self.heads])
        self.weight = None
        if layers.chance(0.2):
            self.covers.add("sample weights")
            self.weight = formed([self.weight_of(head) for head in self.heads])
        self.class_weight = None
        if self.form == "single" and self.weight is None and self.heads[0].has_classes and layers.chance(0.4):
            self.covers.add("class weights")
            self.class_weight = {0: 0.5, 2: float(layers.rng.uniform(0.5, 3.0))}
        self.batch_size = layers.pick([8, 8, 5, 3])
        # The last batch may have fewer samples.
        self.evaluated = layers.number(self.batch_size + 1, 3 * self.batch_size)
        self.predicted = layers.pick([5, 5, 1, 37])
        loss_weights = None
        if self.form != "single" and layers.chance(0.4):
            self.covers.add("loss weights")
            loss_weights = formed([float(layers.rng.uniform(0.2, 2.0)) for _ in self.heads])
        # An output without metrics has an empty list.
        self.model.compile(
            self.optimizer,
            loss=formed([head.loss for head in self.heads]),
            loss_weights=loss_weights,
            metrics=formed([head.metrics for head in self.heads]),
            weighted_metrics=formed([head.weighted_metrics for head in self.heads]),
        )


def has_bfloat16(model):
    """Whether a weight is of a dtype that HDF5 has no type for: Keras writes legacy `.h5` files with its elements as
    opaque bytes, which it cannot read itself."""
    return any(keras.backend.standardize_dtype(weight.dtype) == "bfloat16" for weight in model.weights)


def has_several_axes(model):
    """Whether a layer has a list of axes, of which Keras finds only the first in its own `.h5` files."""
    for layer in model.layers:
        if isinstance(getattr(layer, "axis", None), (list, tuple)) and len(layer.axis) > 1:
            return True
        if hasattr(layer, "layers") and has_several_axes(layer):
            return True
    return False


def lacking_case(seed, index, error):
    """In place of one that Keras cannot make."""

    def fail():
        raise cases.LacksArguments(f"drawn/{seed}/{index}: {error}")

    return cases.Case(
        name=f"drawn/{seed}/{index}", make=fail, x=None, y=None, computes_alike_since=NEWEST, in_tf_keras=False
    )


def drawn_case(seed, index):
    """The case of that index in the run of that seed."""
    try:
        drawing = Drawing(seed, index, is_exact=False)
    except Exception as error:  # pylint: disable=broad-except
        if VERSION_NUMBERS >= NEWEST and not raised(error):
            raise
        return lacking_case(seed, index, error)
    is_random = bool(dropping_layers(drawing.model))
    # Each model is saved as .keras; the other two formats alternate.
    is_legacy = index % 2 and not has_several_axes(drawing.model) and not has_bfloat16(drawing.model)
    # Keras cannot read its own legacy files with a loss that is chosen by shapes.
    is_legacy = is_legacy and not any(head.loss == "crossentropy" for head in drawing.heads)
    # Nor with masks, which Rhyton and newer versions write as operations; Keras 3.0 leaves them out.
    has_masks = any(tag.startswith("masks") for tag in drawing.covers)
    is_legacy = is_legacy and not (has_masks and VERSION_NUMBERS < (3, 4))
    # Nor with Lamb, which it does not find by its name.
    optimizer = getattr(drawing.model.optimizer, "inner_optimizer", drawing.model.optimizer)
    is_legacy = is_legacy and type(optimizer).__name__ != "Lamb"
    formats = ("keras", "h5") if is_legacy else ("keras", "weights.h5")
    return cases.Case(
        name=f"drawn/{seed}/{index}",
        make=lambda: drawing.model,
        make_exact=lambda: Drawing(seed, index, is_exact=True).model,
        roundoff_ratio=POLICIES[drawing.policy][0] / 2**9 if drawing.layers.is_tame else 1.0,
        x=drawing.x,
        y=drawing.y,
        weight=drawing.weight,
        covers=tuple(sorted(drawing.covers | ({f"dtype {drawing.policy}"} if drawing.policy else set()))),
        is_random=is_random,
        formats=formats,
        batch_size=drawing.batch_size,
        evaluated=drawing.evaluated,
        predicted=drawing.predicted,
        is_fitted=not is_random,
        class_weight=drawing.class_weight,
        steps_before=2,
        steps=6,
        # Some of what is drawn, an older Keras computes otherwise.
        computes_alike_since=NEWEST,
        in_tf_keras=False,
    )
