#!/usr/bin/env python3
"""The cases of scripts/gpu_check.sh in JAX: the step compiled, and a whole epoch compiled (`scan`).

Prints a line of JSON for each case as soon as it is measured. The data are on the device, batches are selected there by
a permutation, and the device is not waited for before an epoch is over. TensorFloat-32 is allowed, as it is in Rhyton.
"""

import argparse
import functools
import json
import statistics
import time

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

import mnist_idx

WARM_UP_SECONDS = 0.5  # the time that a GPU takes to raise its clock frequency


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--epochs", type=int, default=3, help="to time, after one to warm up")
    parser.add_argument("--limit", type=int, default=60000, help="train on the first N images only")
    parser.add_argument("--batch-sizes", type=int, nargs="*", default=[64, 1024], help="of the MNIST CNN")
    parser.add_argument("--matmul-sizes", type=int, nargs="*", default=[4096, 10000])
    return parser.parse_args()


def glorot(key, shape):
    fan = np.prod(shape[:-2], dtype=int) * (shape[-2] + shape[-1])
    limit = np.sqrt(6 / fan)
    return jax.random.uniform(key, shape, minval=-limit, maxval=limit)


def initial_parameters():
    shapes = [(3, 3, 1, 32), (3, 3, 32, 64), (3, 3, 64, 64), (576, 64), (64, 10)]
    keys = jax.random.split(jax.random.PRNGKey(0), len(shapes))
    return [(glorot(key, shape), jnp.zeros(shape[-1])) for key, shape in zip(keys, shapes)]


def max_pool(x):
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")


def mnist_cnn(parameters, x):
    for index, (kernel, bias) in enumerate(parameters[:3]):
        x = lax.conv_general_dilated(x, kernel, (1, 1), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC"))
        x = jax.nn.relu(x + bias)
        x = max_pool(x) if index < 2 else x
    x = x.reshape(len(x), -1)
    (kernel, bias), (last_kernel, last_bias) = parameters[3:]
    return jax.nn.relu(x @ kernel + bias) @ last_kernel + last_bias


def loss_of(parameters, x, y):
    outputs = mnist_cnn(parameters, x)
    chosen = jnp.take_along_axis(jax.nn.log_softmax(outputs), y[:, None], axis=1)
    return -chosen.mean(), (outputs.argmax(1) == y).sum()


def adam(parameters, gradients, state, rate=1e-3, beta_1=0.9, beta_2=0.999, epsilon=1e-7):
    count, first, second = state
    count = count + 1
    first = jax.tree_util.tree_map(lambda m, g: beta_1 * m + (1 - beta_1) * g, first, gradients)
    second = jax.tree_util.tree_map(lambda v, g: beta_2 * v + (1 - beta_2) * g * g, second, gradients)
    rate = rate * jnp.sqrt(1 - beta_2**count) / (1 - beta_1**count)
    parameters = jax.tree_util.tree_map(
        lambda p, m, v: p - rate * m / (jnp.sqrt(v) + epsilon), parameters, first, second
    )
    return parameters, (count, first, second)


def step(carry, batch, x, y):
    """Carries parameters, the optimizer's state, the sum of losses and the number of correct answers."""
    parameters, state, total, right = carry
    (loss, hits), gradients = jax.value_and_grad(loss_of, has_aux=True)(parameters, x[batch], y[batch])
    parameters, state = adam(parameters, gradients, state)
    return parameters, state, total + loss * len(batch), right + hits


compiled_step = jax.jit(step, donate_argnums=0)


@functools.partial(jax.jit, donate_argnums=0, static_argnums=4)
def scanned_epoch(carry, order, x, y, batch_size):
    whole = len(order) // batch_size * batch_size
    batches = order[:whole].reshape(-1, batch_size)
    carry, _ = lax.scan(lambda c, batch: (step(c, batch, x, y), None), carry, batches)
    return step(carry, order[whole:], x, y) if whole < len(order) else carry


def train_epoch(variant, carry, order, x, y, batch_size):
    if variant == "scan":
        return scanned_epoch(carry, order, x, y, batch_size)
    for start in range(0, len(order), batch_size):
        carry = compiled_step(carry, order[start : start + batch_size], x, y)
    return carry


def time_mnist_cnn(arguments, variant, batch_size):
    images, labels = mnist_idx.load_training_data(arguments.limit)
    x, y = jnp.asarray(images)[..., None], jnp.asarray(labels.astype(np.int32))
    parameters = initial_parameters()
    zeros = jax.tree_util.tree_map(jnp.zeros_like, parameters)
    state = (jnp.zeros(()), zeros, jax.tree_util.tree_map(jnp.copy, zeros))
    seconds = []
    for epoch in range(arguments.epochs + 1):
        order = jax.random.permutation(jax.random.PRNGKey(epoch), len(x))
        carry = jax.block_until_ready((parameters, state, jnp.zeros(()), jnp.zeros((), jnp.int32)))
        start = time.perf_counter()
        carry = jax.block_until_ready(train_epoch(variant, carry, order, x, y, batch_size))
        seconds.append(time.perf_counter() - start)
        parameters, state, total, right = carry
    return {
        "seconds": statistics.median(seconds[1:]),
        "unit": "epoch",
        "loss": float(total) / len(x),
        "accuracy": float(right) / len(x),
    }


def time_matmul(size):
    a = jax.random.uniform(jax.random.PRNGKey(0), (size, size))
    product = jax.jit(lambda a: (a @ a.T).sum())
    product(a).block_until_ready()
    begin = time.perf_counter()
    while time.perf_counter() - begin < WARM_UP_SECONDS:
        product(a).block_until_ready()
    seconds = []
    for _ in range(5):
        start = time.perf_counter()
        product(a).block_until_ready()
        seconds.append(time.perf_counter() - start)
    median = statistics.median(seconds)
    return {"seconds": median, "unit": "product and sum", "gflops": 2e-9 * size**3 / median}


def cases(arguments):
    """(name, variant, function) of all measurements, the fastest variant first."""

    def mnist(variant):
        for batch_size in arguments.batch_sizes:
            yield (
                f"MNIST CNN, batch {batch_size}",
                variant,
                lambda batch_size=batch_size: time_mnist_cnn(arguments, variant, batch_size),
            )

    yield from mnist("scan")
    for size in arguments.matmul_sizes:
        yield f"matmul {size}", "jit", lambda size=size: time_matmul(size)
    yield from mnist("jit")


def main():
    arguments = parse_arguments()
    jax.config.update("jax_platforms", arguments.device)
    jax.config.update("jax_default_matmul_precision", "tensorfloat32" if arguments.device != "cpu" else "float32")
    failed = False
    for name, variant, function in cases(arguments):
        line = {"case": name, "program": f"JAX {variant}", "version": f"JAX {jax.__version__}"}
        try:
            line.update(function())
        except Exception as error:  # the others are still worth measuring
            failed = True
            line["error"] = f"{type(error).__name__}: {error}".strip()[:500]
        print(json.dumps(line), flush=True)
    raise SystemExit(failed)


main()
