#!/usr/bin/env python3
"""The cases of scripts/gpu_check.sh in PyTorch: eager, compiled (also with CUDA graphs), and with the whole step in
one CUDA graph; and the time of this card for the smallest kernels and for copies.

Prints a line of JSON for each case as soon as it is measured. The data are on the device, batches are selected there by
a permutation, and the device is not waited for before an epoch is over. TensorFloat-32 is allowed, as it is in Rhyton.
"""

import argparse
import contextlib
import json
import statistics
import sys
import time

import torch
from torch.nn import functional

import measurement
import mnist_idx
import torch_models

EAGER, GRAPH, COMPILED, COMPILED_GRAPHS = "eager", "graph", "compiled", "compiled, CUDA graphs"
NEEDS_CUDA = (GRAPH, COMPILED_GRAPHS)
WARM_UP_SECONDS = 0.5  # the time that a GPU takes to raise its clock frequency


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--epochs", type=int, default=3, help="to time, after one to warm up")
    parser.add_argument("--limit", type=int, default=60000, help="train on the first N images only")
    parser.add_argument("--batch-sizes", type=int, nargs="*", default=[64, 1024], help="of the MNIST CNN")
    parser.add_argument("--resnet-batch-size", type=int, default=512)
    parser.add_argument("--resnet-steps", type=int, default=20, help="per epoch; 0 leaves ResNet-20 out")
    parser.add_argument("--cases", nargs="*", default=[""], help="only those with one of these texts in their names")
    parser.add_argument("--budget", type=float, default=190, help="begin no case after so many seconds")
    parser.add_argument("--matmul-sizes", type=int, nargs="*", default=[4096, 10000])
    parser.add_argument("--product-size", type=int, default=10000)
    return parser.parse_args()


class Training:
    """Steps of one model on batches of data on the device."""

    def __init__(
        self,
        model,
        optimizer,
        x,
        y,
        variant,
        autocast=contextlib.nullcontext,
        counts_right=False,
        loss_function=functional.cross_entropy,
    ):
        self.model = model
        self.loss_function = loss_function
        self.forward = self.outputs_and_loss
        if variant in (COMPILED, COMPILED_GRAPHS):
            torch.compiler.reset()  # compilations of earlier cases count towards a limit
        if variant == COMPILED:
            self.forward = torch.compile(self.outputs_and_loss, dynamic=False)
        if variant == COMPILED_GRAPHS:
            self.forward = torch.compile(self.outputs_and_loss, dynamic=False, mode="reduce-overhead")
        self.optimizer = optimizer
        self.x, self.y = x, y
        self.variant = variant
        self.autocast = autocast
        self.counts_right = counts_right
        self.loss = torch.zeros((), device=x.device)
        self.right = torch.zeros((), dtype=torch.int64, device=x.device)
        self.graphs = {}

    def outputs_and_loss(self, x, y):
        outputs = self.model(x)
        return outputs.detach(), self.loss_function(outputs, y)

    def step(self, batch):
        if self.variant == COMPILED_GRAPHS:
            torch.compiler.cudagraph_mark_step_begin()
        x, y = self.x[batch], self.y[batch]
        self.optimizer.zero_grad(set_to_none=True)
        with self.autocast():
            outputs, loss = self.forward(x, y)
        loss.backward()
        self.optimizer.step()
        self.loss += loss.detach() * len(batch)
        if self.counts_right:
            self.right += (outputs.argmax(1) == y).sum()

    def graphed_step(self, batch):
        """The same, recorded once for each size of a batch."""
        if len(batch) not in self.graphs:
            indices = batch.clone()
            stream = torch.cuda.Stream()
            stream.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(stream):
                for _ in range(3):
                    self.step(indices)
            torch.cuda.current_stream().wait_stream(stream)
            graph = torch.cuda.CUDAGraph()
            self.optimizer.zero_grad(set_to_none=True)
            with torch.cuda.graph(graph):
                self.step(indices)
            self.graphs[len(batch)] = (graph, indices)
        graph, indices = self.graphs[len(batch)]
        indices.copy_(batch)
        graph.replay()

    def epoch(self, batch_size):
        """The mean loss and the accuracy as shown by a progress bar."""
        self.loss.zero_()
        self.right.zero_()
        step = self.graphed_step if self.variant == GRAPH else self.step
        for batch in torch.randperm(len(self.x), device=self.x.device).split(batch_size):
            step(batch)
        return float(self.loss) / len(self.x), float(self.right) / len(self.x)


def synchronize(device):
    if device.type == "cuda":
        torch.cuda.synchronize()


def make_optimizer(kind, model, device, **options):
    """Fused, and without a value that the host must read, if this version supports it."""
    if device.type == "cuda":
        if kind is torch.optim.Adam:
            options["capturable"] = True
        with contextlib.suppress(TypeError, RuntimeError):
            return kind(model.parameters(), **options, fused=True)
    return kind(model.parameters(), **options)


def time_epochs(training, batch_size, epochs, device):
    """The median of their seconds after a warm-up, and the loss and accuracy of the last one."""
    # The compiler's graphs are recorded by the second call for each size of a batch, and replayed from the third on.
    for _ in range(3 if training.variant == COMPILED_GRAPHS else 1):
        training.epoch(batch_size)
    seconds = []
    for _ in range(epochs):
        synchronize(device)
        start = time.perf_counter()
        loss, accuracy = training.epoch(batch_size)
        synchronize(device)
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds), loss, accuracy


def mnist_cnn(arguments, device, variant, batch_size):
    images, labels = mnist_idx.load_training_data(arguments.limit)
    x = torch.from_numpy(images).unsqueeze(1).to(device).contiguous(memory_format=torch.channels_last)
    model = torch_models.mnist_cnn().to(device)
    optimizer = make_optimizer(torch.optim.Adam, model, device, lr=1e-3)
    training = Training(model, optimizer, x, torch.from_numpy(labels).to(device), variant, counts_right=True)
    seconds, loss, accuracy = time_epochs(training, batch_size, arguments.epochs, device)
    return {"seconds": seconds, "unit": "epoch", "loss": loss, "accuracy": accuracy}


def resnet20(arguments, device, variant, precision):
    batch_size, steps = arguments.resnet_batch_size, arguments.resnet_steps
    x = torch.rand(steps * batch_size, 3, 32, 32, device=device).contiguous(memory_format=torch.channels_last)
    y = torch.randint(0, 10, (steps * batch_size,), device=device)
    model = torch_models.resnet20().to(device)
    optimizer = make_optimizer(torch.optim.SGD, model, device, lr=0.01, momentum=0.9)

    def autocast():
        if precision == "float32":
            return contextlib.nullcontext()
        # Its cache of cast weights must not outlive a graph's recording.
        return torch.autocast(device.type, torch.bfloat16, cache_enabled=variant != GRAPH)

    training = Training(model, optimizer, x, y, variant, autocast)
    seconds, loss, _ = time_epochs(training, batch_size, arguments.epochs, device)
    return {"seconds": seconds / steps, "unit": "step", "loss": loss}


def regression(model, x, y, batch_size, arguments, device, variant):
    """Steps of Adam that fit random numbers to random numbers."""
    model = model.to(device)
    optimizer = make_optimizer(torch.optim.Adam, model, device, lr=1e-3)
    training = Training(model, optimizer, x, y, variant, loss_function=functional.mse_loss)
    seconds, loss, _ = time_epochs(training, batch_size, arguments.epochs, device)
    return {"seconds": seconds * batch_size / len(x), "unit": "step", "loss": loss}


def encoder(arguments, device, variant):
    size, steps = measurement.ENCODER_BATCH_SIZE, measurement.ENCODER_STEPS
    x, y = (torch.randn(steps * size, *measurement.ENCODER_SHAPE, device=device) for _ in range(2))
    return regression(torch_models.Encoder(), x, y, size, arguments, device, variant)


def recurrent(arguments, device, variant, kind):
    size, steps = measurement.BATCH_SIZE, measurement.RECURRENT_STEPS
    x = torch.randn(steps * size, *measurement.SEQUENCE_SHAPE, device=device)
    y = torch.randn(steps * size, 1, device=device)
    return regression(torch_models.Recurrent(kind), x, y, size, arguments, device, variant)


def warm_up(work, device):
    begin = time.perf_counter()
    while True:
        work()
        synchronize(device)
        if time.perf_counter() - begin > WARM_UP_SECONDS:
            return


def seconds_on_device(work, device):
    """Measured between two events of the device."""
    if device.type != "cuda":
        start = time.perf_counter()
        work()
        return time.perf_counter() - start
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    work()
    end.record()
    end.synchronize()
    return start.elapsed_time(end) / 1000


def products(device, size, allow_tf32):
    """The library called alone, in immediate succession."""
    count = 20
    a = torch.rand(size, size, device=device)
    c = torch.empty(size, size, device=device)

    def several():
        for _ in range(count):
            torch.mm(a, a.T, out=c)

    torch.backends.cuda.matmul.allow_tf32 = allow_tf32
    try:
        warm_up(lambda: torch.mm(a, a.T, out=c), device)
        seconds = seconds_on_device(several, device) / count
    finally:
        torch.backends.cuda.matmul.allow_tf32 = True
    return {"seconds": seconds, "unit": "product", "gflops": 2e-9 * size**3 / seconds}


def matmul(device, size):
    a = torch.rand(size, size, device=device)

    def product():
        total = (a @ a.T).sum()
        synchronize(device)
        return total

    warm_up(product, device)
    seconds = []
    for _ in range(5):
        start = time.perf_counter()
        product()
        seconds.append(time.perf_counter() - start)
    median = statistics.median(seconds)
    return {"seconds": median, "unit": "product and sum", "gflops": 2e-9 * size**3 / median}


def kernels(device, count, variant):
    """This many of the smallest kernels, each of which waits for the previous one."""
    x = torch.zeros(1, device=device)

    def chain():
        for _ in range(count):
            x.add_(1)

    replay = chain
    if variant == GRAPH:
        graph = torch.cuda.CUDAGraph()
        chain()
        torch.cuda.synchronize()
        with torch.cuda.graph(graph):
            chain()
        replay = graph.replay
    chains = 200

    def several():
        for _ in range(chains):
            replay()

    warm_up(several, device)
    return {"seconds": seconds_on_device(several, device) / chains, "unit": "chain"}


def copy(device, megabytes):
    source = torch.rand(megabytes * 1_000_000 // 4, device=device)
    target = torch.empty_like(source)
    copies = max(1, 2000 // megabytes)

    def several():
        for _ in range(copies):
            target.copy_(source)

    warm_up(several, device)
    return {"seconds": seconds_on_device(several, device) / copies, "unit": "copy"}


def cases(arguments, device):
    """(name, variant, function) of all measurements, the most important first."""

    def mnist(variant, batch_size=64):
        if batch_size in arguments.batch_sizes:
            name = f"MNIST CNN, batch {batch_size}"
            yield name, variant, lambda: mnist_cnn(arguments, device, variant, batch_size)

    def resnet(variant, precision):
        if arguments.resnet_steps:
            name = f"ResNet-20, batch {arguments.resnet_batch_size}, {precision}"
            yield name, variant, lambda: resnet20(arguments, device, variant, precision)

    yield from mnist(EAGER)
    yield from mnist(GRAPH)
    size = arguments.product_size
    for precision, allow_tf32 in (("float32", False), ("TensorFloat-32", True)):
        yield f"product {size}, {precision}", EAGER, lambda tf32=allow_tf32: products(device, size, tf32)
    yield from resnet(COMPILED, "bfloat16")
    for variant in (EAGER, GRAPH, COMPILED):
        yield "encoder block", variant, lambda variant=variant: encoder(arguments, device, variant)
    for kind in measurement.RECURRENT_KINDS:
        for variant in (EAGER, GRAPH):
            yield kind, variant, lambda kind=kind, variant=variant: recurrent(arguments, device, variant, kind)
    for size in arguments.matmul_sizes:
        yield f"matmul {size}", EAGER, lambda size=size: matmul(device, size)
    yield from card(device)
    yield from resnet(GRAPH, "bfloat16")
    yield from resnet(EAGER, "bfloat16")
    yield from mnist(COMPILED)
    yield from resnet(COMPILED_GRAPHS, "bfloat16")
    yield from mnist(COMPILED_GRAPHS)
    yield from resnet(GRAPH, "float32")
    yield from resnet(EAGER, "float32")
    yield from mnist(GRAPH, 1024)
    yield from mnist(EAGER, 1024)
    yield from resnet(COMPILED, "float32")


def card(device):
    if device.type != "cuda":
        return
    for count in (1, 4, 16, 64):
        for variant in (EAGER, GRAPH):
            yield (
                f"{count} smallest kernels in a chain",
                variant,
                lambda count=count, variant=variant: kernels(device, count, variant),
            )
    for megabytes in (10, 1000):
        yield f"copy of {megabytes} MB on the device", EAGER, lambda megabytes=megabytes: copy(device, megabytes)


def main():
    arguments = parse_arguments()
    device = torch.device(arguments.device)
    torch.manual_seed(0)
    torch.backends.cuda.matmul.allow_tf32 = True
    torch.backends.cudnn.allow_tf32 = True
    torch.backends.cudnn.benchmark = True
    failed = False
    begin = time.perf_counter()
    for name, variant, function in cases(arguments, device):
        if variant in NEEDS_CUDA and device.type != "cuda":
            continue
        if not any(text in f"{name}, {variant}" for text in arguments.cases):
            continue
        if time.perf_counter() - begin > arguments.budget:
            print(f"left out for lack of time: {name}, {variant}", file=sys.stderr)
            continue
        line = {"case": name, "program": f"PyTorch {variant}", "version": f"PyTorch {torch.__version__}"}
        if device.type == "cuda":
            torch.cuda.reset_peak_memory_stats()
        try:
            line.update(function())
            if device.type == "cuda":
                line["peak_device_mb"] = torch.cuda.max_memory_allocated() / (1 << 20)
        except Exception as error:  # the others are still worth measuring
            failed = True
            line["error"] = f"{type(error).__name__}: {error}".strip()[:500]
        print(json.dumps(line), flush=True)
    raise SystemExit(failed)


main()
