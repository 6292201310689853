#!/usr/bin/env python3
"""The workloads in Keras, on TensorFlow or JAX."""

import functools
import math
import statistics
import time

import measurement

ENVIRONMENTS = {
    "tensorflow": {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1"},
    "jax": {"JAX_PLATFORMS": "cpu"},
}

arguments = measurement.parse_arguments(__doc__, backend=list(ENVIRONMENTS))
measurement.restart_with(
    {
        **measurement.TUNED_MALLOC,
        **ENVIRONMENTS[arguments.backend],
        "KERAS_BACKEND": arguments.backend,
        "OMP_NUM_THREADS": str(arguments.threads),
        # XLA sizes its pool of threads by this.
        "NPROC": str(arguments.threads),
    }
)

import keras  # noqa: E402
from keras import ops  # noqa: E402

import keras_backends  # noqa: E402
import keras_models  # noqa: E402
import keras_vision  # noqa: E402
import mnist_idx  # noqa: E402
import synthetic  # noqa: E402

# Arguments of `compile` where its defaults are not the fastest.
FASTEST_OPTIONS = {
    ("tensorflow", "mlp"): {"jit_compile": True, "steps_per_execution": 4},
    ("tensorflow", "text"): {"jit_compile": True},
}

backend = keras_backends.BY_NAME[arguments.backend](arguments.threads)
keras.utils.set_random_seed(0)


class EpochTimes(keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.seconds = []

    def on_epoch_begin(self, epoch, logs=None):
        self.start = time.perf_counter()

    def on_epoch_end(self, epoch, logs=None):
        self.seconds.append(time.perf_counter() - self.start)


def parameters(model):
    return sum(math.prod(weight.shape) for weight in model.trainable_weights)


def epoch():
    images, labels = mnist_idx.load_training_data(arguments.limit)
    images = images[..., None]
    model = keras_models.mnist_cnn()
    warm_up = measurement.WARM_UP_SAMPLES
    model.fit(images[:warm_up], labels[:warm_up], batch_size=64, verbose=0)
    times = EpochTimes()
    history = model.fit(images, labels, batch_size=64, epochs=arguments.epochs, verbose=0, callbacks=[times])
    result = measurement.steps_result(times.seconds, 1, parameters=parameters(model))
    result["cases"] = {"epoch": result["cases"]["step"]}
    return {
        **result,
        "loss": history.history["loss"][-1],
        "accuracy": history.history["accuracy"][-1],
        "settings": [f"jit_compile={model.jit_compile}"],
    }


def time_steps(model, data, steps):
    x, y = data
    size = measurement.BATCH_SIZE
    # The maximum number of steps per execution.
    model.fit(x[: 4 * size], y[: 4 * size], batch_size=size, verbose=0)
    times = EpochTimes()
    history = model.fit(x, y, batch_size=size, epochs=measurement.EPOCHS, verbose=0, callbacks=[times])
    return measurement.steps_result(
        times.seconds,
        steps,
        loss=history.history["loss"][-1],
        parameters=parameters(model),
        settings=[f"jit_compile={model.jit_compile}", f"steps_per_execution={model.steps_per_execution}"],
    )


def fastest_options():
    return FASTEST_OPTIONS.get((arguments.backend, arguments.workload), {})


def resnet20():
    steps = measurement.RESNET20_STEPS
    data = synthetic.images_and_labels(steps * measurement.BATCH_SIZE, 32, 32, 3)
    return time_steps(keras_models.resnet20(), data, steps)


def mlp():
    steps = measurement.MLP_STEPS
    data = synthetic.images_and_labels(steps * measurement.BATCH_SIZE, 784)
    return time_steps(keras_models.mlp(**fastest_options()), data, steps)


def text():
    steps = measurement.TEXT_STEPS
    data = synthetic.texts_and_labels(steps * measurement.BATCH_SIZE)
    return time_steps(keras_models.text(**fastest_options()), data, steps)


def fastest_step(name, make_model, x, size, shape=(1,)):
    """Seconds per step of the fastest form of the model, and its description. `shape`: of a sample's target."""
    y = synthetic.normal(len(x), *shape)
    seconds = {}
    # Without it, JAX compiles nothing.
    for jit_compile in (True,) if arguments.backend == "jax" else (False, True):
        model = make_model(jit_compile=jit_compile)
        model.fit(x[:size], y[:size], batch_size=size, verbose=0)
        times = EpochTimes()
        model.fit(x, y, batch_size=size, epochs=measurement.EPOCHS, verbose=0, callbacks=[times])
        seconds[f"{name} jit_compile={jit_compile}"] = statistics.median(times.seconds) * size / len(x)
    form = min(seconds, key=seconds.get)
    return seconds[form], form


def recurrent_training():
    samples = measurement.RECURRENT_STEPS * measurement.BATCH_SIZE
    cases, settings = {}, []

    def measure(name, make_model, is_masked):
        x = synthetic.sequences(samples, is_masked)
        cases[name], form = fastest_step(name, make_model, x, measurement.BATCH_SIZE)
        settings.append(form)

    for kind in measurement.RECURRENT_KINDS:
        for is_masked in (False, True):
            make_model = functools.partial(keras_models.recurrent, kind, is_masked)
            measure(f"{kind}, masked" if is_masked else kind, make_model, is_masked)
    measure("custom cell", keras_models.custom_cell, False)
    return {"cases": cases, "settings": settings}


def recurrent_prediction():
    cases, settings = {}, []
    for kind in measurement.RECURRENT_KINDS:
        for is_masked in (False, True):
            name = f"{kind}, masked" if is_masked else kind
            x = synthetic.sequences(1, is_masked)
            form, cases[name] = fastest_prediction(functools.partial(keras_models.recurrent, kind, is_masked), x)
            settings.append(f"{name} {form}")
    return {"cases": cases, "settings": settings}


def conv_lstm():
    size = measurement.CONV_LSTM_BATCH_SIZE
    x = synthetic.normal(measurement.RECURRENT_STEPS * size, *measurement.CONV_LSTM_SHAPE)
    seconds, form = fastest_step("step", keras_models.conv_lstm, x, size)
    return {"cases": {"step": seconds}, "settings": [form]}


def vision_training():
    cases, settings = {}, []
    for name, (_, _, size) in measurement.VISION_MODELS.items():
        x, y = synthetic.images_and_classes(name, size)
        steps = {}
        # Without it, JAX compiles nothing.
        for jit_compile in (True,) if arguments.backend == "jax" else (False, True):
            model = keras_vision.make(name, jit_compile=jit_compile)
            steps[f"jit_compile={jit_compile}"] = functools.partial(model.train_on_batch, x, y)
        form, cases[name] = measurement.fastest(steps)
        settings.append(f"{name} {form}")
    return {"cases": cases, "settings": settings}


def vision_prediction():
    cases, settings = {}, []
    for name in measurement.VISION_MODELS:
        for size in measurement.VISION_PREDICTION_BATCH_SIZES:
            x, _ = synthetic.images_and_classes(name, size)
            case = f"{name}, batch {size}"
            form, cases[case] = fastest_prediction(functools.partial(keras_vision.make, name), x)
            settings.append(f"{case} {form}")
    return {"cases": cases, "settings": settings}


def encoder_training():
    size, shape = measurement.ENCODER_BATCH_SIZE, measurement.ENCODER_SHAPE
    x = synthetic.normal(measurement.ENCODER_STEPS * size, *shape)
    seconds, form = fastest_step("step", keras_models.encoder, x, size, shape)
    return {"cases": {"step": seconds}, "settings": [form], "parameters": parameters(keras_models.encoder())}


def generation():
    context = measurement.DECODER_CONTEXT
    decoder = keras_models.Decoder()
    places = [ops.convert_to_tensor([position], "int32") for position in range(context)]

    def generate(step):
        character = ops.convert_to_tensor([measurement.FIRST_CHARACTER], "int32")
        caches = decoder.empty_caches()
        text = []
        for place in places:
            character, caches = step(character, place, caches)
            text.append(int(character[0]))
        return text

    form, seconds = measurement.fastest(
        {
            form: lambda step=step: generate(step)
            for form, step in backend.compiled_steps(decoder.__call__).items()
        }
    )
    return {"cases": {"one text": seconds / context}, "settings": [form]}


def predict():
    x = mnist_idx.load_test_images()[..., None]
    model = keras_models.mnist_cnn()
    cases = {
        f"batch {size}": measurement.seconds_per_call(lambda: model.predict(x, batch_size=size, verbose=0))
        for size in measurement.PREDICT_BATCH_SIZES
    }
    return {"cases": cases, "settings": [f"jit_compile={model.jit_compile}"]}


def fastest_prediction(make_model, x):
    """(form, seconds) of the fastest way to predict one batch."""
    model = make_model()
    calls = {"predict_on_batch": lambda: model.predict_on_batch(x)}
    # A separate model: with JAX, predict_on_batch donates the variables' arrays.
    calls.update(backend.compiled_calls(backend.inference(make_model()), x))
    return measurement.fastest(calls)


def latency():
    x = mnist_idx.load_test_images()[:1, ..., None]
    name, seconds = fastest_prediction(keras_models.mnist_cnn, x)
    return {"cases": {"one image": seconds}, "settings": [name]}


def matmul():
    cases = {}
    for size in measurement.MATMUL_SIZES:
        factors = [synthetic.normal(size, size) for _ in range(2)]
        _, cases[str(size)] = measurement.fastest(backend.compiled_calls(ops.matmul, *factors))
    return {"cases": cases}


def layer_norm(x, gamma, beta):
    return ops.layer_normalization(x, gamma, beta, axis=-1, epsilon=1e-3)


def softmax(x):
    return ops.softmax(x)


def gelu(x):
    return ops.gelu(x, approximate=False)


def elementwise_chain(x, y):
    return x * ops.sigmoid(x) + ops.tanh(y) * 0.5


def transformer_parts():
    width = measurement.NORM_SHAPE[-1]
    cases, settings = {}, []
    for name, function, shapes in (
        ("layer norm", layer_norm, [measurement.NORM_SHAPE, (width,), (width,)]),
        ("softmax", softmax, [measurement.NORM_SHAPE]),
        ("GELU", gelu, [measurement.GELU_SHAPE]),
        ("elementwise chain", elementwise_chain, [measurement.CHAIN_SHAPE] * 2),
    ):
        inputs = [synthetic.normal(*shape) for shape in [*shapes, shapes[0]]]
        calls = backend.compiled_calls(backend.with_gradients(function), *inputs)
        form, cases[name] = measurement.fastest(calls)
        settings.append(f"{name} {form}")
    return {"cases": cases, "settings": settings}


def attention():
    samples, heads, size = measurement.ATTENTION_SHAPE
    cases, settings, forms = {}, [], {}
    for length in measurement.ATTENTION_LENGTHS:
        inputs = [synthetic.normal(samples, length, heads, size) for _ in range(4)]
        for kind, is_causal in (("", False), (", causal", True)):
            attend = functools.partial(ops.dot_product_attention, is_causal=is_causal)
            for part, function, tensors in (
                ("", backend.with_gradients(attend), inputs),
                (", forward", attend, inputs[:-1]),
            ):
                calls = backend.compiled_calls(function, *tensors)
                # The longest in the form that was the fastest for fewer positions.
                if length == measurement.ATTENTION_LENGTHS[-1]:
                    calls = {form: call for form, call in calls.items() if form == forms[kind + part]}
                forms[kind + part], cases[f"{length}{kind}{part}"] = measurement.fastest(calls)
                settings.append(f"{length}{kind}{part} {forms[kind + part]}")
    return {"cases": cases, "settings": settings}


def start():
    model = keras_models.mnist_cnn()
    x, y = synthetic.images_and_labels(64, 28, 28, 1)
    loss = model.train_on_batch(x, y)[0]
    return measurement.finished_now(loss=float(loss), parameters=parameters(model))


measurement.run(
    {
        workload.__name__: workload
        for workload in (
            *(epoch, predict, latency, resnet20, mlp, matmul, text, transformer_parts, start),
            *(recurrent_training, recurrent_prediction, conv_lstm),
            *(vision_training, vision_prediction),
            *(attention, encoder_training, generation),
        )
    },
    arguments,
    arguments.threads,
    backend.version,
    ["tuned malloc"],
)
