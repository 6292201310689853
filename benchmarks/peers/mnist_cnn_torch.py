#!/usr/bin/env python3
"""The MNIST CNN in PyTorch at the settings that are fastest on a CPU: seconds per warm epoch."""

import time

import measurement

arguments = measurement.parse_arguments(__doc__)
environment = dict(measurement.TUNED_MALLOC)
for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    environment[name] = str(arguments.threads)
# The convolutions have OpenMP's threads; OpenBLAS's own beside them would fight for the same cores (20 s instead of 8 s).
environment["OPENBLAS_NUM_THREADS"] = "1"
blas = measurement.openblas_folder()
if blas is not None:
    environment["LD_LIBRARY_PATH"] = str(blas)
measurement.restart_with(environment)

import mnist_idx  # noqa: E402
import torch  # noqa: E402

torch.set_num_threads(arguments.threads)
torch.set_num_interop_threads(1)


def make_model():
    return torch.nn.Sequential(
        torch.nn.Conv2d(1, 32, 3),
        torch.nn.ReLU(),
        torch.nn.MaxPool2d(2),
        torch.nn.Conv2d(32, 64, 3),
        torch.nn.ReLU(),
        torch.nn.MaxPool2d(2),
        torch.nn.Conv2d(64, 64, 3),
        torch.nn.ReLU(),
        torch.nn.Flatten(),
        torch.nn.Linear(576, 64),
        torch.nn.ReLU(),
        torch.nn.Linear(64, 10),
    ).to(memory_format=torch.channels_last)


def make_optimizer(model):
    """Adam in its fastest form: one call for all parameters. Which of the two forms there is depends on the version."""
    for form in ("fused", "foreach"):
        try:
            return torch.optim.Adam(model.parameters(), lr=1e-3, **{form: True})
        except (TypeError, RuntimeError):
            continue
    return torch.optim.Adam(model.parameters(), lr=1e-3)


def train_epoch(model, optimizer, images, labels):
    """One epoch over shuffled batches with the mean loss and accuracy that a progress bar would show."""
    total_loss = torch.zeros(())
    right = torch.zeros((), dtype=torch.int64)
    order = torch.randperm(len(images))
    for start in range(0, len(images), 64):
        batch = order[start : start + 64]
        x = images[batch].contiguous(memory_format=torch.channels_last)
        y = labels[batch]
        optimizer.zero_grad(set_to_none=True)
        logits = model(x)
        loss = torch.nn.functional.cross_entropy(logits, y)
        loss.backward()
        optimizer.step()
        total_loss += loss.detach() * len(batch)
        right += (logits.detach().argmax(1) == y).sum()
    return float(total_loss) / len(images), float(right) / len(images)


def main():
    torch.manual_seed(0)
    images, labels = mnist_idx.load_training_data(arguments.limit)
    images = torch.from_numpy(images).unsqueeze(1)
    labels = torch.from_numpy(labels)
    model = make_model()
    optimizer = make_optimizer(model)
    warm_up = measurement.WARM_UP_SAMPLES
    train_epoch(model, optimizer, images[:warm_up], labels[:warm_up])
    seconds = []
    loss = accuracy = 0.0
    for _ in range(arguments.epochs):
        start = time.perf_counter()
        loss, accuracy = train_epoch(model, optimizer, images, labels)
        seconds.append(time.perf_counter() - start)
    measurement.report(
        seconds,
        loss,
        accuracy=accuracy,
        threads=torch.get_num_threads(),
        version=f"PyTorch {torch.__version__}",
        settings="channels_last, tuned malloc" + (", OpenBLAS" if blas is not None else ""),
    )


main()
