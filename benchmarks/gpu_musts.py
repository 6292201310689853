"""The performance that Rhyton must reach on a GPU of Hopper's generation, compared with measurements."""

import dataclasses

ACCURACY = 0.987
LABEL_TESTS = (
    "TrainingOnGpu.ALabelOutOfRangeIsToldWhenResultsAreRead",
    "GpuSoftmax.ALabelOutOfRangeIsReportedByTheNextCopy",
)


@dataclasses.dataclass
class Must:
    what: str
    measured: str
    limit: str
    met: bool | None  # None: not measured


@dataclasses.dataclass
class Measured:
    """`seconds`: by case and program; `clocks`: for each run of the MNIST CNN (seconds, accuracy) of its epochs."""

    seconds: dict
    clocks: list
    outcomes: dict  # of tests
    is_trial: bool = False  # has smaller cases, whose numbers mean nothing

    def of(self, case, program):
        return self.seconds.get((case, program))


def musts(measured):
    resnet_batch, product = (16, 256) if measured.is_trial else (512, 10000)
    mnist = "MNIST CNN, batch 64"
    resnet = f"ResNet-20, batch {resnet_batch}, bfloat16"
    own = measured.of(mnist, "Rhyton")
    rows = [
        at_most("MNIST CNN, batch 64: seconds per epoch", own, 0.12, " s"),
        at_most("the same / PyTorch eager", ratio(own, measured.of(mnist, "PyTorch eager")), 0.2),
        at_most("the same / PyTorch, whole step in a CUDA graph", ratio(own, measured.of(mnist, "PyTorch graph")), 1.0),
        accuracy_in_time(measured.clocks, 2.0),
        at_least(
            f"{resnet}: as fast as torch.compile",
            ratio(measured.of(resnet, "PyTorch compiled"), measured.of(resnet, "Rhyton")),
            1.0,
        ),
    ]
    for precision in ("float32", "TensorFloat-32"):
        case = f"product {product}, {precision}"
        faster = ratio(measured.of(case, "PyTorch eager"), measured.of(case, "Rhyton"))
        rows.append(at_least(f"{case}: as fast as cuBLAS called by PyTorch", faster, 0.97))
    two = ratio(measured.of(mnist, "Rhyton, two logical GPUs"), own)
    rows.append(at_most("MNIST CNN, batch 64: two logical GPUs / one", two, 1.3))
    for case in ("encoder block", "LSTM", "GRU"):
        graph = ratio(measured.of(case, "Rhyton"), measured.of(case, "PyTorch graph"))
        rows.append(at_most(f"{case} / PyTorch, whole step in a CUDA graph", graph, 1.0))
    rows.append(labels_are_checked(measured.outcomes))
    return rows


def ratio(one, other):
    return one / other if one and other else None


def at_most(what, value, limit, unit=""):
    if value is None:
        return Must(what, "", f"<= {limit}{unit}", None)
    return Must(what, f"{value:.4g}{unit}", f"<= {limit}{unit}", value <= limit)


def at_least(what, value, limit):
    if value is None:
        return Must(what, "", f">= {limit}", None)
    return Must(what, f"{value:.4g}", f">= {limit}", value >= limit)


def accuracy_in_time(clocks, limit):
    """The second run counts: its input files are then cached in memory."""
    what = f"MNIST CNN: {100 * ACCURACY:.1f} % of the test images, from the start of the process, in its second run"
    texts = []
    met = None
    for number, epochs in enumerate(clocks, 1):
        if not epochs:
            continue
        reached = [(seconds, accuracy) for seconds, accuracy in epochs if accuracy >= ACCURACY]
        seconds, accuracy = reached[0] if reached else max(epochs, key=lambda epoch: epoch[1])
        texts.append(f"{number}: {100 * accuracy:.2f} % after {seconds:.2f} s")
        if number == 2:
            met = bool(reached) and seconds <= limit
    return Must(what, "; ".join(texts), f"<= {limit} s", met)


def labels_are_checked(outcomes):
    found = {name: outcomes[name] for name in LABEL_TESTS if name in outcomes}
    texts = [f"{name.split('.')[0]} {outcome}" for name, outcome in found.items()]
    met = all(outcome == "passed" for outcome in found.values()) if len(found) == len(LABEL_TESTS) else None
    if any(outcome == "failed" for outcome in found.values()):
        met = False
    return Must("a label out of range is reported", ", ".join(texts), "tests pass", met)


def answer(must, is_trial):
    if must.met is None:
        return "not measured"
    return ("yes" if must.met else "no") + (", in a trial" if is_trial else "")
