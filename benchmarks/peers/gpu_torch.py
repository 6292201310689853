#!/usr/bin/env python3
"""What scripts/gpu_check.sh times, in PyTorch: eager, compiled, and with the whole step in one CUDA graph.

Prints a line of JSON for each case as soon as it is measured. The data lie on the device, batches are picked there by a
permutation, and nobody waits for the device before an epoch is over. TensorFloat-32 is allowed, as it is in Rhyton.
"""

import argparse
import contextlib
import json
import statistics
import sys
import time

import torch
from torch.nn import functional

import mnist_idx
import torch_models

VARIANTS = ("eager", "graph", "compiled")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--variants", nargs="+", choices=VARIANTS, default=VARIANTS)
    parser.add_argument("--epochs", type=int, default=3, help="to time, after one to warm up")
    parser.add_argument("--limit", type=int, default=60000, help="train on the first N images only")
    parser.add_argument("--batch-sizes", type=int, nargs="*", default=[64, 1024], help="of the MNIST CNN")
    parser.add_argument("--resnet-batch-size", type=int, default=512)
    parser.add_argument("--resnet-steps", type=int, default=20, help="per epoch; 0 leaves ResNet-20 out")
    parser.add_argument("--budget", type=float, default=120, help="begin no case after so many seconds")
    parser.add_argument("--matmul-sizes", type=int, nargs="*", default=[4096, 10000])
    return parser.parse_args()


class Training:
    """Steps of one model on batches of data that lie on the device."""

    def __init__(self, model, optimizer, x, y, variant, autocast):
        self.model = torch.compile(model, dynamic=False) if variant == "compiled" else model
        self.optimizer = optimizer
        self.x, self.y = x, y
        self.variant = variant
        self.autocast = autocast
        self.loss = torch.zeros((), device=x.device)
        self.right = torch.zeros((), dtype=torch.int64, device=x.device)
        self.graphs = {}

    def step(self, batch):
        x, y = self.x[batch], self.y[batch]
        self.optimizer.zero_grad(set_to_none=True)
        with self.autocast():
            outputs = self.model(x)
            loss = functional.cross_entropy(outputs, y)
        loss.backward()
        self.optimizer.step()
        self.loss += loss.detach() * len(batch)
        self.right += (outputs.detach().argmax(1) == y).sum()

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
        """The mean loss and the accuracy that a progress bar would show."""
        self.loss.zero_()
        self.right.zero_()
        step = self.graphed_step if self.variant == "graph" else self.step
        for batch in torch.randperm(len(self.x), device=self.x.device).split(batch_size):
            step(batch)
        return float(self.loss) / len(self.x), float(self.right) / len(self.x)


def synchronize(device):
    if device.type == "cuda":
        torch.cuda.synchronize()


def make_optimizer(kind, model, device, **options):
    """Fused, and without a value that the host would have to read, where this version has that."""
    if device.type == "cuda":
        if kind is torch.optim.Adam:
            options["capturable"] = True
        with contextlib.suppress(TypeError, RuntimeError):
            return kind(model.parameters(), **options, fused=True)
    return kind(model.parameters(), **options)


def time_epochs(training, batch_size, epochs, device):
    """The median of their seconds, after one to warm up, and the last one's loss and accuracy."""
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
    training = Training(model, optimizer, x, torch.from_numpy(labels).to(device), variant, contextlib.nullcontext)
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
        return torch.autocast(device.type, torch.bfloat16, cache_enabled=variant != "graph")

    training = Training(model, optimizer, x, y, variant, autocast)
    seconds, loss, _ = time_epochs(training, batch_size, arguments.epochs, device)
    return {"seconds": seconds / steps, "unit": "step", "loss": loss}


def matmul(arguments, device, size):
    a = torch.rand(size, size, device=device)

    def product():
        total = (a @ a.T).sum()
        synchronize(device)
        return total

    for _ in range(2):
        product()
    seconds = []
    for _ in range(5):
        start = time.perf_counter()
        product()
        seconds.append(time.perf_counter() - start)
    median = statistics.median(seconds)
    return {"seconds": median, "unit": "product and sum", "gflops": 2e-9 * size**3 / median}


def cases(arguments, device):
    """(name, variant, function) of everything that is measured, what matters most first."""
    for size in arguments.matmul_sizes:
        yield f"matmul {size}", "eager", lambda size=size: matmul(arguments, device, size)
    for variant in arguments.variants:
        if variant == "graph" and device.type != "cuda":
            continue
        if variant == "compiled" and not hasattr(torch, "compile"):
            continue
        for batch_size in arguments.batch_sizes:
            yield (
                f"MNIST CNN, batch {batch_size}",
                variant,
                lambda variant=variant, batch_size=batch_size: mnist_cnn(arguments, device, variant, batch_size),
            )
        for precision in ("float32", "bfloat16") if arguments.resnet_steps else ():
            yield (
                f"ResNet-20, batch {arguments.resnet_batch_size}, {precision}",
                variant,
                lambda variant=variant, precision=precision: resnet20(arguments, device, variant, precision),
            )


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
        if time.perf_counter() - begin > arguments.budget:
            print(f"left out for lack of time: {name}, {variant}", file=sys.stderr)
            continue
        line = {"case": name, "program": f"PyTorch {variant}", "version": f"PyTorch {torch.__version__}"}
        try:
            line.update(function())
        except Exception as error:  # the others are still worth measuring
            failed = True
            line["error"] = f"{type(error).__name__}: {error}".strip()[:500]
        print(json.dumps(line), flush=True)
    raise SystemExit(failed)


main()
