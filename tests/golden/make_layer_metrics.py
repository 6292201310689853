"""layer_metrics.json, layer_metrics.npz: `fit` and `evaluate` of models whose layers have metrics of their own:
the History, the logs of `evaluate`, and all weights before and after.
"""

from common import Golden
from common import keras
from common import normal
from common import rng_for

L = keras.layers
ops = keras.ops
SAMPLES = 20
BATCH = 8


class Gate(L.Layer):
    def __init__(self, metric, **kwargs):
        super().__init__(**kwargs)
        self.openness = keras.metrics.Mean(name=metric)

    def call(self, x):
        opened = ops.sigmoid(x)
        self.openness.update_state(opened)
        return opened * x


class Block(L.Layer):
    """A layer with one of its own and one in a sublayer."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.dense = L.Dense(4, name="inner")
        self.gate = Gate("inner_openness", name="inner_gate")
        self.size = keras.metrics.Mean(name="size")

    def call(self, x):
        y = self.gate(self.dense(x))
        self.size.update_state(ops.mean(ops.abs(y)))
        return y


golden = Golden("layer_metrics")
rng = rng_for("layer_metrics")
x = normal(rng, (SAMPLES, 3))
y = normal(rng, (SAMPLES, 2))
golden.add({"name": "data"}, {"x": x, "y": y})
keras.utils.set_random_seed(3)
inner = keras.Sequential([keras.Input((4,)), L.Dense(4, name="nested"), Gate("nested_openness", name="nested_gate")], name="inner_model")
inputs = keras.Input((3,), name="x")
outputs = L.Dense(2, name="out")(inner(Block(name="block")(Gate("openness", name="gate")(inputs))))
model = keras.Model(inputs, outputs)
model.compile(optimizer=keras.optimizers.SGD(0.1), loss="mse", metrics=["mae"])
before = model.get_weights()
history = model.fit(x, y, batch_size=BATCH, epochs=2, shuffle=False, verbose=0, validation_data=(x[:6], y[:6]))
logs = model.evaluate(x, y, batch_size=BATCH, verbose=0, return_dict=True)
arrays = {f"before{i}": w for i, w in enumerate(before)}
arrays.update({f"after{i}": w for i, w in enumerate(model.get_weights())})
case = {
    "name": "gates",
    "weights": len(before),
    "history": history.history,
    "evaluate": logs,
    "metrics_names": model.metrics_names,
    "of_block": [m.name for m in model.get_layer("block").metrics],
    "of_inner_model": [m.name for m in model.get_layer("inner_model").metrics],
}
golden.add(case, arrays)
golden.save()
