"""Models the time of a step with parameter servers, next to that of sums over all workers."""

import dataclasses

from . import network_model
from .plotting import Chart, Point, Series

WORKERS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]
TABULATED = [8, 64, 512]
SERVERS = [1, 8, 64]
# gRPC's streams are TCP's.
NETWORKS = network_model.NETWORKS[:2]
SLOW_FACTOR = 2.0


@dataclasses.dataclass(frozen=True)
class Server:
    """What was measured of one server."""

    # Of one stream, with the work of both sides.
    stream_bytes_per_second: float
    call_seconds: float
    # Of a step of the optimizer, and of a sum of two gradients.
    optimizer_seconds_per_byte: float
    sum_seconds_per_byte: float


def measured_server(times):
    """From the medians of benchmarks/cluster.py."""
    return Server(
        stream_bytes_per_second=2 * times["bytes"] / (times["pull"] + times["assign"]),
        call_seconds=times["call"],
        optimizer_seconds_per_byte=times["adam"] / times["bytes"],
        sum_seconds_per_byte=times["sgd"] / times["bytes"],
    )


def own_transfer_seconds(size, network, server):
    """Of one worker by itself, in one direction: its link, or the work of its stream, is the limit."""
    rate = min(network.bytes_per_second, server.stream_bytes_per_second)
    return network.latency_seconds + server.call_seconds + size / rate


def link_seconds(size, servers, network):
    """How long the link of one server is busy for one worker, in one direction."""
    return size / servers / network.bytes_per_second


def asynchronous_rate(size, compute, workers, servers, network, server):
    """Steps of all workers together per second, no worker waiting for another: as many as the workers can take, or as
    the busiest part of the servers can: a link, or the optimizer, which takes one step after the other."""
    update = server.optimizer_seconds_per_byte * size / servers
    alone = compute + 2 * own_transfer_seconds(size, network, server) + update
    busiest = max(link_seconds(size, servers, network), update)
    return min(workers / alone, 1 / busiest)


def asynchronous_efficiency(size, compute, workers, servers, network, server):
    return asynchronous_rate(size, compute, workers, servers, network, server) * compute / workers


def synchronous_seconds(size, compute, workers, servers, network, server):
    """All workers pull at once, compute, and push at once; the servers add the gradients and take one step."""
    shared = workers * link_seconds(size, servers, network)
    transfer = max(own_transfer_seconds(size, network, server), shared)
    update = (workers * server.sum_seconds_per_byte + server.optimizer_seconds_per_byte) * size / servers
    return compute + 2 * transfer + update


def synchronous_efficiency(size, compute, workers, servers, network, server):
    return compute / synchronous_seconds(size, compute, workers, servers, network, server)


def reduction_efficiency(model, compute, workers, network):
    return compute / (compute + network_model.sum_seconds(model["messages"], workers, network))


def size_of(model):
    return sum(model["messages"])


def compute_of(model):
    return network_model.compute_seconds(model, network_model.SAMPLES_PER_WORKER)


def efficiency_table(models, server):
    servers = [f"{count} server{'s' if count > 1 else ''}" for count in SERVERS]
    titles = ["all-reduce", *(f"asynchronous, {name}" for name in servers), *(f"synchronous, {name}" for name in servers)]
    lines = [
        f"| efficiency | network | workers | {' | '.join(titles)} |",
        "|---|---|---:|" + "---:|" * len(titles),
    ]
    for model in models:
        size, compute = size_of(model), compute_of(model)
        for network in NETWORKS:
            for workers in TABULATED:
                values = [reduction_efficiency(model, compute, workers, network)]
                for function in (asynchronous_efficiency, synchronous_efficiency):
                    values += [function(size, compute, workers, count, network, server) for count in SERVERS]
                cells = " | ".join(map(network_model.percent, values))
                lines.append(f"| {model['name']} | {network.name} | {workers} | {cells} |")
    return lines


def slow_worker_table(models, server):
    """One worker computes SLOW_FACTOR times as long as the others."""
    servers, network = 8, NETWORKS[0]
    lines = [
        f"| steps by those without a slow worker, {network.name}, {servers} servers | workers | all-reduce | asynchronous "
        "| synchronous |",
        "|---|---:|---:|---:|---:|",
    ]
    for model in models:
        size, compute = size_of(model), compute_of(model)
        for workers in TABULATED[:2]:
            sums = network_model.sum_seconds(model["messages"], workers, network)
            reduced = (compute + sums) / (SLOW_FACTOR * compute + sums)
            asynchronous = slow_asynchronous(size, compute, workers, servers, network, server)
            step = synchronous_seconds(size, compute, workers, servers, network, server)
            cells = [reduced, asynchronous, step / (step + (SLOW_FACTOR - 1) * compute)]
            lines.append(f"| {model['name']} | {workers} | {' | '.join(map(network_model.percent, cells))} |")
    return lines


def slow_asynchronous(size, compute, workers, servers, network, server):
    """The rate with one slow worker by the rate without, unless the servers are the limit anyway."""

    def rate(seconds, count):
        return asynchronous_rate(size, seconds, count, servers, network, server)

    limit = rate(compute, 1e9)
    return min(rate(compute, workers - 1) + rate(SLOW_FACTOR * compute, 1), limit) / rate(compute, workers)


def charts(models, server):
    """File name to chart: the efficiency on the slowest network."""
    network = NETWORKS[0]
    result = {}
    for model in models:
        size, compute = size_of(model), compute_of(model)

        def line(name, function, is_dashed=False):
            return Series(name, [Point(w, function(w)) for w in WORKERS], has_markers=not is_dashed, is_dashed=is_dashed)

        def by(function, servers, size=size, compute=compute):
            return lambda w: function(size, compute, w, servers, network, server)

        lines = [
            line("all-reduce", lambda w, m=model, c=compute: reduction_efficiency(m, c, w, network)),
            *(line(f"asynchronous, {count}", by(asynchronous_efficiency, count)) for count in (8, 64)),
            *(line(f"synchronous, {count}", by(synchronous_efficiency, count), True) for count in (8, 64)),
        ]
        title = f"{model['name']}: {network.name}, 8 and 64 servers (modelled)"
        result[f"servers_{network_model.file_name(model)}"] = Chart(
            title, "workers", "efficiency", lines, x_ticks=WORKERS, y_is_logarithmic=False, height=360
        )
    return result


def section(models, times, head, images):
    """The text below the marker, with the charts in the folder `images`."""
    server = measured_server(times)
    inputs = [
        "| measured here | |",
        "|---|---:|",
        f"| variables pulled and assigned, one stream | {server.stream_bytes_per_second / 1e9:.2f} GB/s |",
        f"| a call without tensors | {1e6 * server.call_seconds:.0f} µs |",
        f"| a step of Adam, for 100 MB | {1e3 * 1e8 * server.optimizer_seconds_per_byte:.0f} ms |",
        f"| a step of SGD, for the sum of two gradients of 100 MB | {1e3 * 1e8 * server.sum_seconds_per_byte:.0f} ms |",
        *(
            f"| {model['name']}: a step of one worker for {network_model.SAMPLES_PER_WORKER} samples; bytes of its weights "
            f"| {1e3 * compute_of(model):.1f} ms; {size_of(model) / 1e6:.2f} MB |"
            for model in models
        ),
    ]
    parts = [
        [head],
        inputs,
        [
            f"**Modelled: {network_model.SAMPLES_PER_WORKER} samples per worker.** Efficiency is the part of its time in "
            "which a worker computes."
        ],
        *[[f"![{drawing.title}]({images}/{name}.svg)"] for name, drawing in charts(models, server).items()],
        efficiency_table(models, server),
        [f"**Modelled: one worker computes {SLOW_FACTOR:g} times as long as the others.**"],
        slow_worker_table(models, server),
    ]
    return "\n\n".join("\n".join(part) for part in parts)
