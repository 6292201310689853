"""What the scripts of single layers share."""

import copy

from common import Golden
from common import array
from common import describe
from common import distinct
from common import keras
from common import normal
from common import np
from common import rng_for
from common import serialized
from common import tf
from common import uniform

L = keras.layers


def random_weight(rng, variable):
    if variable.path.endswith("variance"):
        return uniform(rng, variable.shape, 0.5, 1.5)
    if variable.path.endswith("gamma"):
        return uniform(rng, variable.shape, 0.5, 1.5)
    return normal(rng, variable.shape, 0.5)


def transposing(layer, inputs):
    """Replaces a channels first convolution, which TensorFlow's CPU kernels lack:
    channels last with the same weights, transposed."""
    output = keras.ops.conv(
        tf.transpose(inputs, (0, 2, 3, 1)),
        layer.kernel,
        strides=layer.strides,
        padding=layer.padding,
        dilation_rate=layer.dilation_rate,
        data_format="channels_last",
    )
    if layer.use_bias:
        output += layer.bias
    return tf.transpose(layer.activation(output), (0, 3, 1, 2))


class LayerCases:
    """The cases of an area: layers, each called once, with their gradients."""

    def __init__(self, area):
        self.area = area
        self.golden = Golden(area)

    def save(self):
        self.golden.save()

    def case(self, name, make, inputs, training=False, as_list=None, twin=False, note=None, built=None, differentiates=True):
        """make: builds the layer; inputs: function of a generator that gives the
        arrays; built: called with the layer once it is built. The gradients are those of
        sum(output * cotangent), without the layer's losses; there are none unless `differentiates`."""
        keras.backend.clear_session()
        rng = rng_for(self.area + "/" + name)
        layer = make()
        xs = inputs(rng)
        if as_list is None:
            as_list = len(xs) > 1
        tensors = [tf.constant(x) for x in xs]
        argument = tensors if as_list else tensors[0]
        shapes = [tuple(t.shape) for t in tensors]
        layer.build(shapes if as_list else shapes[0])
        layer.set_weights([random_weight(rng, w) for w in layer.weights])
        if built:
            built(layer)
        before = layer.get_weights()
        floating = [i for i, x in enumerate(xs) if x.dtype.kind == "f" and differentiates]
        with tf.GradientTape(persistent=True) as tape:
            for i in floating:
                tape.watch(tensors[i])
            if twin:
                output = transposing(layer, argument)
            elif layer._call_has_training_arg:
                output = layer(argument, training=training)
            else:
                output = layer(argument)
            cotangent = normal(rng, output.shape)
            target = tf.reduce_sum(tf.cast(output, cotangent.dtype) * cotangent)
            losses = list(layer.losses)
            total = tf.add_n(losses) if losses else None

        arrays = {f"input{i}": x for i, x in enumerate(xs)}
        arrays.update({f"weight{i}": w for i, w in enumerate(before)})
        arrays["output0"] = array(output)
        arrays["cotangent0"] = cotangent
        for i in floating:
            gradient = tape.gradient(target, tensors[i])
            arrays[f"input_gradient{i}"] = array(gradient)
        for i, w in enumerate(layer.weights):
            if not w.trainable:
                continue
            arrays[f"weight_gradient{i}"] = array(tape.gradient(target, w.value))
            if losses:
                gradient = tape.gradient(total, w.value)
                if gradient is None:
                    gradient = tf.zeros(w.shape)
                arrays[f"loss_weight_gradient{i}"] = array(gradient)
        if losses:
            for i in floating:
                gradient = tape.gradient(total, tensors[i])
                if gradient is not None:
                    arrays[f"loss_input_gradient{i}"] = array(gradient)
        for i, loss in enumerate(losses):
            arrays[f"loss{i}"] = array(loss)
        changed = []
        for i, (old, new) in enumerate(zip(before, layer.get_weights())):
            if not np.array_equal(old, new):
                changed.append(i)
                arrays[f"weight_after{i}"] = new

        data = serialized(layer)
        paths = {}
        if isinstance(layer, L.Wrapper):
            # The wrapped layer is built when the configuration is read, before its wrapper.
            restored = keras.saving.deserialize_keras_object(copy.deepcopy(data))
            paths = {w.path: r.path for w, r in zip(layer.weights, restored.weights)}
        entry = {
            "name": name,
            "class_name": data["class_name"],
            "config": data["config"],
            "training": training,
            "call": "list" if as_list else "single",
            "inputs": [describe(x) for x in xs],
            "output": describe(arrays["output0"]),
            "weights": [
                {
                    "name": w.name,
                    "shape": list(w.shape),
                    "trainable": bool(w.trainable),
                }
                | ({"path": paths[w.path]} if paths else {})
                for w in layer.weights
            ],
            "changed_weights": changed,
            "losses": len(losses),
        }
        if note:
            entry["note"] = note
        self.golden.add(entry, arrays)


def floats(*shapes, scale=1.0):
    return lambda rng: [normal(rng, s, scale) for s in shapes]


def spread(*shapes):
    return lambda rng: [distinct(rng, s) for s in shapes]


def ints(limit, *shapes, dtype="int32"):
    return lambda rng: [rng.integers(0, limit, s).astype(dtype) for s in shapes]
