#!/usr/bin/env python3
"""The benchmarks of elementwise.cc, normalization.cc and embedding.cc in PyTorch: minimum milliseconds over calls."""

import argparse
import time

import measurement

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--threads", type=int, default=1)
parser.add_argument("--seconds", type=float, default=1.5, help="time for each line")
parser.add_argument("--only", default="", help="lines whose name contains this")
arguments = parser.parse_args()
environment = dict(measurement.TUNED_MALLOC)
for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    environment[name] = str(arguments.threads)
measurement.restart_with(environment)

import torch  # noqa: E402

torch.set_num_threads(arguments.threads)


def measure(name, function):
    if arguments.only not in name:
        return
    function()
    least = float("inf")
    end = time.perf_counter() + arguments.seconds
    while time.perf_counter() < end:
        start = time.perf_counter()
        function()
        least = min(least, time.perf_counter() - start)
    print(f"{name:40} {1000 * least:8.3f}", flush=True)


def uniform(*shape, lowest=-2.0, highest=2.0):
    return torch.rand(*shape) * (highest - lowest) + lowest


def measure_unary(name, function, lowest=-2.0):
    x = uniform(1024, 2048, lowest=lowest, highest=3.0)
    y = function(x)
    try:
        function(x, out=y)
        measure(name, lambda: function(x, out=y))
    except TypeError:
        measure(name, lambda: function(x))


def measure_with_gradient(name, function, shape, parameters=()):
    x = uniform(*shape).requires_grad_()
    dy = uniform(*shape)

    def run():
        return torch.autograd.grad(function(x), [x, *parameters], dy)

    measure(name, run)


for name in ("exp", "expm1", "sin", "cos", "tanh", "sigmoid", "erf"):
    measure_unary(name, getattr(torch, name))
for name in ("log", "log1p", "rsqrt"):
    measure_unary(name, getattr(torch, name), lowest=0.1)
measure_unary("silu", torch.nn.functional.silu)
measure_unary("softplus", torch.nn.functional.softplus)
base = uniform(1024, 2048, lowest=0.1, highest=3.0)
exponent = uniform(1024, 2048)
result = torch.empty_like(base)
measure("power_of_tensors", lambda: torch.pow(base, exponent, out=result))
for dtype in (torch.float16, torch.bfloat16):
    half = base.to(dtype)
    measure(f"to {dtype}", lambda: half.copy_(base))
    measure(f"from {dtype}", lambda: result.copy_(half))

gelu = torch.nn.functional.gelu
measure_with_gradient("gelu with gradient", gelu, (4096, 2048))
measure_with_gradient("gelu_approximate with gradient", lambda x: gelu(x, approximate="tanh"), (4096, 2048))
measure_with_gradient("silu with gradient", torch.nn.functional.silu, (4096, 2048))

x = uniform(8 << 20)
measure("chain", lambda: torch.abs(torch.sqrt(x * x + 1.0) * 0.5 - x) * x + 2.0)

shape = (4096, 512)
rows = uniform(*shape)
scale = torch.ones(512, requires_grad=True)
offset = torch.zeros(512, requires_grad=True)


def layer_norm(x):
    return torch.nn.functional.layer_norm(x, (512,), scale, offset, 1e-3)


with torch.no_grad():
    measure("layer_normalization", lambda: layer_norm(rows))
measure_with_gradient("layer_normalization with gradients", layer_norm, shape, (scale, offset))
with torch.no_grad():
    measure("softmax", lambda: torch.softmax(rows, -1))
measure_with_gradient("softmax with gradient", lambda x: torch.softmax(x, -1), shape)

words = 20000
embedding = torch.nn.Embedding(words, 64)
dense = torch.nn.Linear(64, 2)
optimizer = torch.optim.Adam([*embedding.parameters(), *dense.parameters()])
loss_of = torch.nn.CrossEntropyLoss()
texts = torch.randint(words, (128, 200))
labels = torch.randint(2, (128,))


def train():
    optimizer.zero_grad(set_to_none=True)
    loss = loss_of(dense(embedding(texts).mean(1)), labels)
    loss.backward()
    optimizer.step()


measure("embedding training step", train)
