"""custom_steps.json, custom_steps.npz: `fit` of models with training steps of their
own: the logs of every batch, the History, and all weights before and after. And
custom_steps/vae.weights.h5, the weights of such a model as Keras writes them.

Noise and latent vectors are data, so that nothing is random.
"""

import os

from common import FOLDER
from common import Golden
from common import keras
from common import normal
from common import rng_for
from common import tf

L = keras.layers
ops = keras.ops
SAMPLES = 20
BATCH = 8


def perceptron():
    x = keras.Input((3,), name="x")
    hidden = L.Dense(8, activation="tanh", name="hidden")(x)
    return x, L.Dense(2, name="out")(hidden)


class CustomStep(keras.Model):
    def train_step(self, data):
        x, y, sample_weight = keras.utils.unpack_x_y_sample_weight(data)
        with tf.GradientTape() as tape:
            y_pred = self(x, training=True)
            loss = self.compute_loss(x=x, y=y, y_pred=y_pred, sample_weight=sample_weight)
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply(gradients, self.trainable_variables)
        for metric in self.metrics:
            if metric.name == "loss":
                metric.update_state(loss)
            else:
                metric.update_state(y, y_pred, sample_weight=sample_weight)
        return {m.name: m.result() for m in self.metrics}


class CustomLoss(keras.Model):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.penalty_tracker = keras.metrics.Mean(name="penalty")

    def compute_loss(self, x=None, y=None, y_pred=None, sample_weight=None, training=True):
        loss = super().compute_loss(x, y, y_pred, sample_weight, training)
        penalty = ops.mean(ops.abs(y_pred)) * ops.mean(ops.square(x))
        self.penalty_tracker.update_state(penalty)
        return loss + 0.1 * penalty


class OwnTrackers(keras.Model):
    """The guide's model without compiled loss, whose gradients are clipped by norm."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.loss_tracker = keras.metrics.Mean(name="loss")
        self.mae_metric = keras.metrics.MeanAbsoluteError(name="mae")

    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            y_pred = self(x, training=True)
            loss = ops.mean(ops.square(y - y_pred))
        gradients = tape.gradient(loss, self.trainable_variables)
        norm = ops.sqrt(sum(ops.sum(ops.square(g)) for g in gradients))
        scale = ops.minimum(1.0, 0.5 / norm)
        self.optimizer.apply([g * scale for g in gradients], self.trainable_variables)
        self.loss_tracker.update_state(loss)
        self.mae_metric.update_state(y, y_pred)
        return {"loss": self.loss_tracker.result(), "mae": self.mae_metric.result(), "norm": norm}

    def test_step(self, data):
        x, y = data
        y_pred = self(x, training=False)
        self.loss_tracker.update_state(ops.mean(ops.square(y - y_pred)))
        self.mae_metric.update_state(y, y_pred)
        return {m.name: m.result() for m in self.metrics}

    def predict_step(self, data):
        x, _, _ = keras.utils.unpack_x_y_sample_weight(data)
        return 2.0 * self(x, training=False)

    @property
    def metrics(self):
        return [self.loss_tracker, self.mae_metric]


class Gan(keras.Model):
    def __init__(self):
        super().__init__(name="gan")
        self.discriminator = keras.Sequential(
            [keras.Input((4,)), L.Dense(6, name="d1"), L.LeakyReLU(negative_slope=0.2), L.Dense(1, name="d2")],
            name="discriminator",
        )
        self.generator = keras.Sequential(
            [keras.Input((2,)), L.Dense(5, activation="tanh", name="g1"), L.Dense(4, name="g2")], name="generator"
        )
        self.d_loss_tracker = keras.metrics.Mean(name="d_loss")
        self.g_loss_tracker = keras.metrics.Mean(name="g_loss")

    def compile(self, d_optimizer, g_optimizer, loss_fn):
        super().compile()
        self.d_optimizer = d_optimizer
        self.g_optimizer = g_optimizer
        self.loss_fn = loss_fn

    @property
    def metrics(self):
        return [self.d_loss_tracker, self.g_loss_tracker]

    def train_step(self, data):
        (real, latent), = data if isinstance(data, tuple) and len(data) == 1 else (data,)
        count = ops.shape(real)[0]
        generated = self.generator(latent)
        combined = ops.concatenate([generated, real], axis=0)
        labels = ops.concatenate([ops.ones((count, 1)), ops.zeros((count, 1))], axis=0)
        with tf.GradientTape() as tape:
            d_loss = self.loss_fn(labels, self.discriminator(combined))
        gradients = tape.gradient(d_loss, self.discriminator.trainable_weights)
        self.d_optimizer.apply(gradients, self.discriminator.trainable_weights)
        misleading = ops.zeros((count, 1))
        with tf.GradientTape() as tape:
            g_loss = self.loss_fn(misleading, self.discriminator(self.generator(latent)))
        gradients = tape.gradient(g_loss, self.generator.trainable_weights)
        self.g_optimizer.apply(gradients, self.generator.trainable_weights)
        self.d_loss_tracker.update_state(d_loss)
        self.g_loss_tracker.update_state(g_loss)
        return {"d_loss": self.d_loss_tracker.result(), "g_loss": self.g_loss_tracker.result()}


class Sampling(L.Layer):
    """A sample of the distribution; the divergence is a penalty of the call."""

    def call(self, inputs):
        mean, log_var, noise = inputs
        divergence = -0.5 * (1 + log_var - ops.square(mean) - ops.exp(log_var))
        self.add_loss(ops.mean(ops.sum(divergence, axis=1)))
        return mean + ops.exp(0.5 * log_var) * noise


class Vae(keras.Model):
    def __init__(self):
        super().__init__(name="vae")
        self.encoder = L.Dense(6, activation="tanh", name="encoder")
        self.mean = L.Dense(2, name="mean")
        self.log_var = L.Dense(2, name="log_var")
        self.sampling = Sampling(name="sampling")
        self.decoder = keras.Sequential(
            [keras.Input((2,)), L.Dense(6, activation="relu"), L.Dense(4, activation="sigmoid")], name="decoder"
        )
        self.kl_tracker = keras.metrics.Mean(name="kl_loss")

    def call(self, inputs):
        x, noise = inputs
        hidden = self.encoder(x)
        return self.decoder(self.sampling([self.mean(hidden), self.log_var(hidden), noise]))

    def train_step(self, data):
        x, noise = data[0]
        with tf.GradientTape() as tape:
            reconstruction = self([x, noise], training=True)
            reconstruction_loss = ops.mean(ops.sum(keras.losses.binary_crossentropy(x[:, None], reconstruction[:, None]), axis=1))
            kl_loss = sum(self.losses)
            loss = reconstruction_loss + kl_loss
        gradients = tape.gradient(loss, self.trainable_weights)
        self.optimizer.apply(gradients, self.trainable_weights)
        self.kl_tracker.update_state(kl_loss)
        return {"loss": loss, "kl_loss": self.kl_tracker.result()}


class BatchLogs(keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.logs = []

    def on_train_batch_end(self, batch, logs=None):
        flat = {}
        for name, value in logs.items():
            flat.update(value) if isinstance(value, dict) else flat.update({name: value})
        self.logs.append({k: float(v) for k, v in flat.items()})


def numbered(role, arrays):
    return {f"{role}{i}": array for i, array in enumerate(arrays)}


golden = Golden("custom_steps")


def record(name, model, x, y=None, initial=None, **arguments):
    weights = numbered("before", model.get_weights() if initial is None else initial)
    batches = BatchLogs()
    history = model.fit(
        x, y, batch_size=BATCH, epochs=2, shuffle=False, verbose=0, callbacks=[batches], **arguments
    )
    case = {"name": name, "batches": batches.logs, "history": history.history, "weights": len(weights)}
    golden.add(case, {**weights, **numbered("after", model.get_weights())})
    return case


rng = rng_for("custom_steps")
x = normal(rng, (SAMPLES, 3))
y = normal(rng, (SAMPLES, 2))
weight = rng.uniform(0.5, 2.0, (SAMPLES,)).astype("float32")
golden.add({"name": "data"}, {"x": x, "y": y, "weight": weight})

keras.utils.set_random_seed(3)
model = CustomStep(*perceptron())
model.compile(optimizer=keras.optimizers.Adam(0.01), loss="mse", weighted_metrics=["mae"])
record("custom_step", model, x, y, sample_weight=weight)

model = CustomLoss(*perceptron())
model.compile(optimizer=keras.optimizers.SGD(0.1, momentum=0.9), loss="mse", metrics=["mae"])
record("custom_loss", model, x, y, validation_data=(x[:6], y[:6]))

model = OwnTrackers(*perceptron())
model.compile(optimizer=keras.optimizers.RMSprop(0.01))
record("own_trackers", model, x, y, validation_data=(x[:6], y[:6]))
golden.cases[-1]["evaluate"] = model.evaluate(x, y, batch_size=BATCH, verbose=0, return_dict=True)
golden.arrays["own_trackers/predict"] = model.predict(x, batch_size=BATCH, verbose=0)

real = normal(rng, (SAMPLES, 4))
latent = normal(rng, (SAMPLES, 2))
golden.add({"name": "gan_data"}, {"real": real, "latent": latent})
model = Gan()
model.compile(
    d_optimizer=keras.optimizers.Adam(0.01),
    g_optimizer=keras.optimizers.SGD(0.05),
    loss_fn=keras.losses.BinaryCrossentropy(from_logits=True),
)
record("gan", model, [real, latent])

images = rng.uniform(0.1, 0.9, (SAMPLES, 4)).astype("float32")
noise = normal(rng, (SAMPLES, 2))
golden.add({"name": "vae_data"}, {"images": images, "noise": noise})
model = Vae()
model([images, noise])
model.compile(optimizer=keras.optimizers.Adam(0.01))
record("vae", model, [images, noise])
golden.arrays["vae/predict"] = model.predict([images, noise], verbose=0)
folder = os.path.join(FOLDER, "custom_steps")
os.makedirs(folder, exist_ok=True)
model.save_weights(os.path.join(folder, "vae.weights.h5"))
golden.save()
