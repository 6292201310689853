"""Converts measurements into the tables of RESULTS.md."""

import os
import statistics

from .contestants import OURS


def spread(values, digits=2):
    """Median, smallest and largest of the rounds; of one round the value alone."""
    if len(values) == 1:
        return f"{values[0]:.{digits}f}"
    return f"{statistics.median(values):.{digits}f} ({min(values):.{digits}f}–{max(values):.{digits}f})"


def ratio_to_fastest(workload, values):
    """Rhyton's number divided by that of the peer with the best median, per round, and that peer's name."""
    peers = {program: numbers for program, numbers in values.items() if program != OURS}
    if OURS not in values or not peers:
        return "–"
    best = max if workload.is_rate else min
    fastest = best(peers, key=lambda program: statistics.median(peers[program]))
    ratios = [ours / theirs for ours, theirs in zip(values[OURS], peers[fastest])]
    return f"{spread(ratios)}, {fastest}"


def workload_table(workload, results):
    programs = list(dict.fromkeys(program for program, _ in results))
    threads = list(dict.fromkeys(count for _, count in results))
    cases = list(next(iter(results.values()))[0]["cases"])
    lines = [
        f"| | threads | {' | '.join(programs)} | Rhyton's by the best peer's |",
        f"|---|---:|{'---:|' * len(programs)}---|",
    ]
    for case in cases:
        for count in threads:
            # A peer may lack a case.
            values = {
                program: [workload.convert(run["cases"][case], case) for run in results[program, count]]
                for program in programs
                if case in results[program, count][0]["cases"]
            }
            cells = [spread(values[program], workload.digits) if program in values else "–" for program in programs]
            lines.append(f"| {case} | {count} | {' | '.join(cells)} | {ratio_to_fastest(workload, values)} |")
    return lines


def merged(settings):
    """Settings as one text; if the fastest ones differed between runs, all of them."""
    parts = [text.split(", ") for text in sorted(settings)]
    if len({len(words) for words in parts}) > 1:
        return "; ".join(sorted(settings))
    texts = []
    for choices in zip(*parts):
        choices = [choice.split() for choice in dict.fromkeys(choices)]
        common = os.path.commonprefix(choices)
        others = " or ".join(" ".join(choice[len(common):]) for choice in choices)
        texts.append(" ".join([*common, others]).strip())
    return ", ".join(texts)


def notes(results):
    """One line per program: its memory, its loss, and its version."""
    lines = []
    for program in dict.fromkeys(program for program, _ in results):
        runs = [run for (name, _), group in results.items() if name == program for run in group]
        facts = [f"peak memory {max(run['peak_rss_mb'] for run in runs):.0f} MB"]
        if "loss" in runs[-1]:
            facts.append(f"loss {runs[-1]['loss']:.4f}")
        if "version" in runs[-1]:
            facts.append(runs[-1]["version"])
        settings = {run["settings"] for run in runs if run.get("settings")}
        if settings:
            facts.append(merged(settings))
        lines.append(f"- {program}: {'; '.join(facts)}")
    return lines


def workload_section(workload, results, head):
    better = "more is better" if workload.is_rate else "less is better"
    table = workload_table(workload, results)
    title = f"### {workload.title}"
    text = workload.description({program for program, _ in results})
    return "\n".join([title, "", text, "", f"In {workload.unit}, {better}. {head}", "", *table, "", *notes(results), ""])


def alone_section(rows, head):
    table = ["| what | median (min–max) | |", "|---|---:|---|"]
    table += [f"| {what} | {value} | {unit} |" for what, value, unit in rows]
    return "\n".join(["### Rhyton alone", "", head, "", *table, ""])
