"""The environment of a measurement."""

import os
import pathlib
import re
import sys


def machine():
    names = re.findall(r"^model name\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    cores = len(os.sched_getaffinity(0))
    return f"{names[0].strip() if names else os.uname().machine}, {cores} core{'s' if cores > 1 else ''}"


def when_and_where(date):
    return f"{date.isoformat()}, {machine()}, Linux {os.uname().release.split('-')[0]}"


def warn_if_busy():
    """Noise affects ratios within a round less than times."""
    load = os.getloadavg()[0]
    if load > 0.5:
        print(f"This machine does other work too (load average {load:.1f}): do not keep these times.", file=sys.stderr)
