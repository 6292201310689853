"""Where something was measured."""

import os
import pathlib
import re


def machine():
    names = re.findall(r"^model name\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    cores = len(os.sched_getaffinity(0))
    return f"{names[0].strip() if names else os.uname().machine}, {cores} core{'s' if cores > 1 else ''}"


def when_and_where(date):
    return f"{date.isoformat()}, {machine()}, Linux {os.uname().release.split('-')[0]}"
