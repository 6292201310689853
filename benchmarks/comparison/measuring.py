"""Runs the programs, interleaved in rounds."""

import json
import subprocess
import sys
import time


def run_or_explain(command):
    command = [str(word) for word in command]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit status {done.returncode}\n{done.stderr[-2000:]}")
    return done.stdout


def run_once(command, workload, threads, options=()):
    """One run's line of JSON."""
    spawned = time.time()
    output = run_or_explain([*command, "--workload", workload, "--threads", threads, *options])
    result = json.loads(output.strip().splitlines()[-1])
    if "finished" in result:
        # A peer reports the start of its interpreter: it starts itself a second time, with the right environment.
        result["cases"] = {"first step": result["finished"] - result.get("started", spawned)}
    return result


def check_same_model(name, workload, runs):
    """Checks that all programs train the same model."""
    counts = {run["parameters"] for run in runs if "parameters" in run}
    if len(counts) > 1:
        sys.exit(f"{workload}: {name} trains a model of another size: {sorted(counts)} parameters")


def measure(name, workload, programs, threads, rounds, options=()):
    """(program, threads) to its runs, one per round, for the installed programs."""
    taking_part = [(program, programs[program]) for program in workload.programs if program in programs]
    results = {}
    for round_number in range(rounds):
        for count in threads:
            # The order of the programs rotates.
            shift = round_number % len(taking_part)
            for program, command in taking_part[shift:] + taking_part[:shift]:
                result = run_once(command, name, count, options)
                results.setdefault((program, count), []).append(result)
                check_same_model(program, name, [result, *(runs[0] for runs in results.values())])
                cases = ", ".join(
                    f"{case} {workload.convert(value, case):.{workload.digits}f}"
                    for case, value in result["cases"].items()
                )
                print(
                    f"{name}, round {round_number + 1}: {program}, {count} thread(s): {cases} {workload.unit}",
                    file=sys.stderr,
                    flush=True,
                )
    # A stable order of columns, independent of the order of runs.
    return {(program, count): results[program, count] for program, _ in taking_part for count in threads}
