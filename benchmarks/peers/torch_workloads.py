#!/usr/bin/env python3
"""The workloads in PyTorch, with the settings that are fastest on a CPU."""

import functools
import statistics
import time

import measurement

arguments = measurement.parse_arguments(__doc__)
environment = dict(measurement.TUNED_MALLOC, OMP_NUM_THREADS=str(arguments.threads))
blas = measurement.openblas_folder()
if blas is not None:
    environment["LD_LIBRARY_PATH"] = str(blas)
measurement.restart_with(environment)

import torch  # noqa: E402
from torch.nn import functional  # noqa: E402

import mnist_idx  # noqa: E402
import synthetic  # noqa: E402
import torch_models  # noqa: E402
import torch_vision  # noqa: E402

torch.set_num_threads(arguments.threads)
torch.set_num_interop_threads(1)
torch.manual_seed(0)


def make_optimizer(kind, model, **options):
    """An optimizer in its fastest form: fused if this version supports it on CPUs. (`foreach` gains nothing there.)"""
    try:
        return kind(model.parameters(), **options, fused=True)
    except (TypeError, RuntimeError):
        return kind(model.parameters(), **options)


def adam(model):
    return make_optimizer(torch.optim.Adam, model, lr=1e-3)


def train_epoch(model, optimizer, loss_function, x, y, batch_size, accuracy=False):
    """One epoch over shuffled batches: the mean loss and, if wanted, the accuracy as shown by a progress bar."""
    total_loss = torch.zeros(())
    right = torch.zeros((), dtype=torch.int64)
    order = torch.randperm(len(x))
    for start in range(0, len(x), batch_size):
        batch = order[start : start + batch_size]
        x_batch, y_batch = x[batch], y[batch]
        if x_batch.dim() == 4:
            x_batch = x_batch.contiguous(memory_format=torch.channels_last)
        optimizer.zero_grad(set_to_none=True)
        outputs = model(x_batch)
        loss = loss_function(outputs, y_batch)
        loss.backward()
        optimizer.step()
        total_loss += loss.detach() * len(batch)
        if accuracy:
            right += (outputs.detach().argmax(1) == y_batch).sum()
    return float(total_loss) / len(x), float(right) / len(x)


def time_epochs(epochs, train):
    """Seconds of each epoch, and the result of the last one."""
    seconds = []
    last = None
    for _ in range(epochs):
        start = time.perf_counter()
        last = train()
        seconds.append(time.perf_counter() - start)
    return seconds, last


def parameters(model):
    return sum(parameter.numel() for parameter in model.parameters())


def epoch():
    images, labels = mnist_idx.load_training_data(arguments.limit)
    x, y = torch.from_numpy(images).unsqueeze(1), torch.from_numpy(labels)
    model = torch_models.mnist_cnn()
    optimizer = adam(model)
    warm_up = measurement.WARM_UP_SAMPLES
    train_epoch(model, optimizer, functional.cross_entropy, x[:warm_up], y[:warm_up], 64, accuracy=True)
    seconds, (loss, accuracy) = time_epochs(
        arguments.epochs,
        lambda: train_epoch(model, optimizer, functional.cross_entropy, x, y, 64, accuracy=True),
    )
    result = measurement.steps_result(seconds, 1, loss=loss, accuracy=accuracy, parameters=parameters(model))
    result["cases"] = {"epoch": result["cases"]["step"]}
    result["settings"] = ["channels_last"]
    return result


def time_steps(model, optimizer, loss_function, data, steps):
    x, y = map(torch.from_numpy, data)
    size = measurement.BATCH_SIZE
    train_epoch(model, optimizer, loss_function, x[: 2 * size], y[: 2 * size], size)
    seconds, (loss, _) = time_epochs(
        measurement.EPOCHS, lambda: train_epoch(model, optimizer, loss_function, x, y, size)
    )
    return measurement.steps_result(seconds, steps, loss=loss, parameters=parameters(model))


def resnet20():
    steps = measurement.RESNET20_STEPS
    model = torch_models.resnet20()
    optimizer = make_optimizer(torch.optim.SGD, model, lr=0.01, momentum=0.9)
    data = synthetic.images_and_labels(steps * measurement.BATCH_SIZE, 3, 32, 32)
    return {**time_steps(model, optimizer, functional.cross_entropy, data, steps), "settings": ["channels_last"]}


def mlp():
    steps = measurement.MLP_STEPS
    model = torch_models.mlp()
    data = synthetic.images_and_labels(steps * measurement.BATCH_SIZE, 784)
    return time_steps(model, adam(model), functional.cross_entropy, data, steps)


def text():
    steps = measurement.TEXT_STEPS
    model = torch_models.text()
    data = synthetic.texts_and_labels(steps * measurement.BATCH_SIZE)
    result = time_steps(model, adam(model), functional.binary_cross_entropy_with_logits, data, steps)
    return {**result, "settings": ["EmbeddingBag"]}


def fastest_step(name, models, x, size, shape=(1,)):
    """Seconds per step of the fastest of the named models, and its description. `shape`: of a sample's target."""
    y = torch.from_numpy(synthetic.normal(len(x), *shape))
    seconds = {}
    for form, model in models.items():
        optimizer = adam(model)
        train_epoch(model, optimizer, functional.mse_loss, x[:size], y[:size], size)
        times, _ = time_epochs(
            measurement.EPOCHS,
            lambda model=model, optimizer=optimizer: train_epoch(model, optimizer, functional.mse_loss, x, y, size),
        )
        seconds[form] = statistics.median(times) * size / len(x)
    form = min(seconds, key=seconds.get)
    return seconds[form], f"{name} {form}"


def recurrent_models(kind, is_masked):
    if not is_masked:
        return {"eager": torch_models.Recurrent(kind)}
    return {
        "packed": torch_models.Recurrent(kind, is_masked, is_packed=True),
        "all steps": torch_models.Recurrent(kind, is_masked),
    }


def recurrent_training():
    size = measurement.BATCH_SIZE
    cases, settings = {}, []

    def measure(name, models, is_masked):
        x = torch.from_numpy(synthetic.sequences(measurement.RECURRENT_STEPS * size, is_masked))
        cases[name], form = fastest_step(name, models, x, size)
        settings.append(form)

    for kind in measurement.RECURRENT_KINDS:
        for is_masked in (False, True):
            measure(f"{kind}, masked" if is_masked else kind, recurrent_models(kind, is_masked), is_masked)
    custom = {
        "eager": torch_models.MinimalGatedUnit(),
        "torch.jit": torch.jit.script(torch_models.MinimalGatedUnit()),
    }
    measure("custom cell", custom, False)
    return {"cases": cases, "settings": settings}


@torch.inference_mode()
def recurrent_prediction():
    cases, settings = {}, ["inference_mode"]
    for kind in measurement.RECURRENT_KINDS:
        for is_masked in (False, True):
            name = f"{kind}, masked" if is_masked else kind
            x = torch.from_numpy(synthetic.sequences(1, is_masked))
            models = {form: model.eval() for form, model in recurrent_models(kind, is_masked).items()}
            if not is_masked:
                models["torch.jit"] = torch.jit.freeze(torch.jit.trace(models["eager"], x))
            form, cases[name] = measurement.fastest(
                {form: lambda model=model: model(x) for form, model in models.items()}
            )
            settings.append(f"{name} {form}")
    return {"cases": cases, "settings": settings}


def conv_lstm():
    size = measurement.CONV_LSTM_BATCH_SIZE
    images, height, width, channels = measurement.CONV_LSTM_SHAPE
    shape = (measurement.RECURRENT_STEPS * size, images, channels, height, width)
    x = torch.from_numpy(synthetic.normal(*shape))
    seconds, form = fastest_step("step", {"eager": torch_models.ConvLSTM()}, x, size)
    return {"cases": {"step": seconds}, "settings": [form]}


def vision_inputs(name, count, memory_format):
    """Samples with the channels first, in the format of the memory, and their classes."""
    x, y = synthetic.images_and_classes(name, count)
    return torch.from_numpy(x).movedim(-1, 1).contiguous(memory_format=memory_format), torch.from_numpy(y)


def vision_training():
    cases = {}
    for name, (_, _, size) in measurement.VISION_MODELS.items():
        model, memory_format = torch_vision.make(name)
        optimizer = make_optimizer(torch.optim.SGD, model, lr=0.01, momentum=0.9)
        x, y = vision_inputs(name, size, memory_format)

        def step(model=model, optimizer=optimizer, x=x, y=y):
            optimizer.zero_grad(set_to_none=True)
            loss = functional.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
            return float(loss)

        cases[name] = measurement.seconds_per_call(step)
    return {"cases": cases, "settings": ["channels_last but for Conv1D"]}


@torch.inference_mode()
def vision_prediction():
    cases, settings = {}, []
    for name in measurement.VISION_MODELS:
        model, memory_format = torch_vision.make(name)
        model.eval()
        for size in measurement.VISION_PREDICTION_BATCH_SIZES:
            x, _ = vision_inputs(name, size, memory_format)
            case = f"{name}, batch {size}"
            traced = torch.jit.optimize_for_inference(torch.jit.freeze(torch.jit.trace(model, x)))
            form, cases[case] = measurement.fastest(
                {"eager": lambda model=model, x=x: model(x), "torch.jit": lambda traced=traced, x=x: traced(x)}
            )
            settings.append(f"{case} {form}")
    return {"cases": cases, "settings": settings}


def encoder_training():
    size, shape = measurement.ENCODER_BATCH_SIZE, measurement.ENCODER_SHAPE
    x = torch.from_numpy(synthetic.normal(measurement.ENCODER_STEPS * size, *shape))
    models = {"TransformerEncoderLayer": torch_models.encoder(), "from parts": torch_models.Encoder()}
    models["torch.compile"] = torch.compile(torch_models.Encoder())
    seconds, form = fastest_step("step", models, x, size, shape)
    return {"cases": {"step": seconds}, "settings": [form], "parameters": parameters(models["from parts"])}


@torch.inference_mode()
def generation():
    context = measurement.DECODER_CONTEXT
    first = torch.tensor([measurement.FIRST_CHARACTER])
    places = torch.arange(context).split(1)

    def generate(model, positions):
        character = first
        text = []
        for position in positions:
            character = model(character, position)
            text.append(character.item())
        return text

    masked = torch_models.MaskedDecoder().eval()
    traced = torch.jit.freeze(torch.jit.trace(masked, (first, places[0])))
    models = {
        "eager": (torch_models.Decoder().eval(), range(context)),
        "masked torch.jit": (traced, places),
        "masked torch.compile": (torch.compile(masked), places),
    }
    form, seconds = measurement.fastest(
        {form: lambda parts=parts: generate(*parts) for form, parts in models.items()}
    )
    return {"cases": {"one text": seconds / context}, "settings": ["inference_mode", form]}


def inference_models(example):
    """The MNIST CNN, eager and compiled ahead."""
    model = torch_models.mnist_cnn().eval()
    with torch.inference_mode():
        compiled = torch.jit.optimize_for_inference(torch.jit.freeze(torch.jit.trace(model, example)))
    return {"eager": model, "optimize_for_inference": compiled}


@torch.inference_mode()
def predict():
    x = torch.from_numpy(mnist_idx.load_test_images()).unsqueeze(1)

    def predict_all(model, batch_size):
        batches = [x[start : start + batch_size] for start in range(0, len(x), batch_size)]
        return torch.cat([model(batch.contiguous(memory_format=torch.channels_last)) for batch in batches])

    cases, settings = {}, ["inference_mode"]
    for batch_size in measurement.PREDICT_BATCH_SIZES:
        models = inference_models(x[:batch_size].contiguous(memory_format=torch.channels_last))
        name, cases[f"batch {batch_size}"] = measurement.fastest(
            {name: lambda model=model: predict_all(model, batch_size) for name, model in models.items()}
        )
        settings.append(f"batch {batch_size} {name}")
    return {"cases": cases, "settings": settings}


@torch.inference_mode()
def latency():
    x = torch.from_numpy(mnist_idx.load_test_images()[:1]).unsqueeze(1).contiguous(memory_format=torch.channels_last)
    models = inference_models(x)
    name, seconds = measurement.fastest({name: lambda model=model: model(x) for name, model in models.items()})
    return {"cases": {"one image": seconds}, "settings": ["inference_mode", name]}


def matmul():
    cases = {}
    for size in measurement.MATMUL_SIZES:
        a, b = (torch.from_numpy(synthetic.normal(size, size)) for _ in range(2))
        product = torch.empty_like(a)
        cases[str(size)] = measurement.seconds_per_call(lambda: torch.mm(a, b, out=product))
    return {"cases": cases}


def layer_norm(x, gamma, beta):
    return functional.layer_norm(x, (x.shape[-1],), gamma, beta, 1e-3)


def softmax(x):
    return torch.softmax(x, -1)


def gelu(x):
    return functional.gelu(x)


def elementwise_chain(x, y):
    return x * torch.sigmoid(x) + torch.tanh(y) * 0.5


def transformer_parts():
    width = measurement.NORM_SHAPE[-1]
    cases, settings = {}, []
    for name, function, shapes in (
        ("layer norm", layer_norm, [measurement.NORM_SHAPE, (width,), (width,)]),
        ("softmax", softmax, [measurement.NORM_SHAPE]),
        ("GELU", gelu, [measurement.GELU_SHAPE]),
        ("elementwise chain", elementwise_chain, [measurement.CHAIN_SHAPE] * 2),
    ):
        inputs = [torch.from_numpy(synthetic.normal(*shape)).requires_grad_() for shape in shapes]
        gradient = torch.from_numpy(synthetic.normal(*shapes[0]))
        forms = {"eager": function, "torch.jit": torch.jit.trace(function, tuple(inputs))}
        form, cases[name] = measurement.fastest(
            {
                form: lambda call=call: torch.autograd.grad(call(*inputs), inputs, gradient)
                for form, call in forms.items()
            }
        )
        settings.append(f"{name} {form}")
    return {"cases": cases, "settings": settings}


def optimizer_step():
    weights = [torch.from_numpy(synthetic.normal(*shape)).requires_grad_() for shape in measurement.OPTIMIZER_SHAPES]
    for weight in weights:
        weight.grad = torch.from_numpy(synthetic.normal(*weight.shape))
    cases, settings = {}, []
    for name, make in {
        "SGD": functools.partial(torch.optim.SGD, lr=0.01, momentum=0.9),
        "Adam": torch.optim.Adam,
        "AdamW": torch.optim.AdamW,
        "Adagrad": torch.optim.Adagrad,
        "RMSprop": torch.optim.RMSprop,
        "Adadelta": torch.optim.Adadelta,
        "Adamax": torch.optim.Adamax,
        "Nadam": torch.optim.NAdam,
    }.items():
        steps = {}
        for form, options in (("fused", {"fused": True}), ("foreach", {"foreach": True}), ("loop", {"foreach": False})):
            try:
                steps[form] = make(weights, **options).step
            except (TypeError, RuntimeError):  # it has no such form
                continue
        form, cases[name] = measurement.fastest(steps)
        settings.append(f"{name} {form}")
    return {"cases": cases, "settings": settings}


def linear_algebra():
    cases = {}
    with torch.inference_mode():
        for size in measurement.CHOLESKY_SIZES:
            x = torch.from_numpy(synthetic.positive_definite(size))
            cases[f"cholesky {size}"] = measurement.seconds_per_call(lambda x=x: torch.linalg.cholesky(x))
        for size in measurement.SVD_SIZES:
            x = torch.from_numpy(synthetic.normal(size, size))
            cases[f"svd {size}"] = measurement.seconds_per_call(lambda x=x: torch.linalg.svd(x, full_matrices=False))
        for shape in measurement.FFT_SHAPES:
            x = torch.from_numpy(synthetic.complex_vectors(*shape))
            cases[f"fft {shape[0]}×{shape[1]}"] = measurement.seconds_per_call(lambda x=x: torch.fft.fft(x))
    return {"cases": cases}


def attention():
    samples, heads, size = measurement.ATTENTION_SHAPE
    cases = {}
    for length in measurement.ATTENTION_LENGTHS:
        tensors = [torch.from_numpy(synthetic.normal(samples, length, heads, size)) for _ in range(4)]
        *inputs, gradient = [tensor.transpose(1, 2) for tensor in tensors]
        for name, is_causal in ((str(length), False), (f"{length}, causal", True)):
            attend = functools.partial(functional.scaled_dot_product_attention, is_causal=is_causal)
            for tensor in inputs:
                tensor.requires_grad_()
            cases[name] = measurement.seconds_per_call(
                lambda attend=attend, inputs=inputs, gradient=gradient: torch.autograd.grad(
                    attend(*inputs), inputs, gradient
                )
            )
            with torch.inference_mode():
                cases[f"{name}, forward"] = measurement.seconds_per_call(
                    lambda attend=attend, inputs=inputs: attend(*inputs)
                )
    return {"cases": cases, "settings": []}


def start():
    x, y = map(torch.from_numpy, synthetic.images_and_labels(64, 1, 28, 28))
    model = torch_models.mnist_cnn()
    loss, _ = train_epoch(model, adam(model), functional.cross_entropy, x, y, 64)
    return measurement.finished_now(loss=loss, parameters=parameters(model))


measurement.run(
    {
        workload.__name__: workload
        for workload in (
            *(epoch, predict, latency, resnet20, mlp, matmul, text, transformer_parts, start),
            *(recurrent_training, recurrent_prediction, conv_lstm),
            *(vision_training, vision_prediction),
            *(attention, encoder_training, generation),
            *(optimizer_step, linear_algebra),
        )
    },
    arguments,
    torch.get_num_threads(),
    f"PyTorch {torch.__version__}",
    ["tuned malloc", *(["OpenBLAS"] if blas is not None else [])],
)
