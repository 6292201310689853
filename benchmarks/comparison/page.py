"""Pages whose measured parts are replaced by a run, found by markers."""

import re
import sys

BEGIN = "<!-- results: begin -->"
END = "<!-- results: end -->"


def read_sections(text):
    """Name to text between the markers."""
    parts = re.split(r"^<!-- section: (\w+) -->\n", text, flags=re.MULTILINE)
    return {name: body.strip() for name, body in zip(parts[1::2], parts[2::2])}


def update(path, fresh, order):
    """Replaces these sections and leaves all others unchanged: first those of `order`, then the rest."""
    before, rest = path.read_text(encoding="utf-8").split(BEGIN)
    between, after = rest.split(END)
    sections = {**read_sections(between), **{name: body.strip() for name, body in fresh.items()}}
    names = [name for name in order if name in sections] + [name for name in sections if name not in order]
    body = "\n\n".join(f"<!-- section: {name} -->\n\n{sections[name]}" for name in names)
    path.write_text(f"{before}{BEGIN}\n\n{body}\n\n{END}{after}", encoding="utf-8")


def fill(path, name, text):
    """Replaces the text between the markers of that name, on a page whose other parts are written by hand."""
    begin, end = f"<!-- measured: {name} -->", f"<!-- measured: {name}, end -->"
    content = path.read_text(encoding="utf-8")
    if begin not in content or end not in content:
        sys.exit(f"{path} has no place for what was measured: {begin} and {end}")
    before, rest = content.split(begin)
    after = rest.split(end)[1]
    path.write_text(f"{before}{begin}\n\n{text.strip()}\n\n{end}{after}", encoding="utf-8")
