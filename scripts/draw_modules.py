#!/usr/bin/env python3
"""Draws the modules of the source tree and their includes, from the sources.

    draw_modules.py            writes the drawing into docs/architecture.md
    draw_modules.py --check    checks that the drawing there is up to date

The drawing is a Mermaid graph, which GitHub renders. Its nodes are the modules of tests/structure/check_includes.py that
are folders. An arrow from A to B says that a file of A includes a header of B. Modules that are one header are not drawn:
what they include counts as included by the modules that include them. Arrows that follow from others are not drawn
(transitive reduction). Tests and benchmarks may include any module and are not drawn either.
"""

import argparse
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/structure"))

import check_includes  # noqa: E402  (found by the path above)

BEGIN = "<!-- begin: written by scripts/draw_modules.py -->"
END = "<!-- end: written by scripts/draw_modules.py -->"


def read_includes(sources):
    """Module -> the other modules that its files include."""
    includes = {module: set() for module in check_includes.MAY_INCLUDE}
    for source in sources.values():
        module = check_includes.module_of(source.path)
        if module not in includes:
            continue
        for _, _, what in source.includes:
            target = check_includes.module_of(what.removeprefix("rhyton/")) if what.startswith("rhyton/") else None
            if target in includes and target != module:
                includes[module].add(target)
    return includes


def reached(includes, module):
    """The modules that `module` includes, directly or through others."""
    found, pending = set(), list(includes[module])
    while pending:
        target = pending.pop()
        if target not in found:
            found.add(target)
            pending.extend(includes[target])
    return found


def folders_only(includes):
    """The same without modules that are one header: what these include counts as included by their includers."""

    def folders_of(targets, seen):
        for target in targets - seen:
            seen.add(target)
            yield from folders_of(includes[target], seen) if target.endswith(".h") else [target]

    return {module: set(folders_of(targets, set())) - {module}
            for module, targets in includes.items() if not module.endswith(".h")}


def reduced(includes):
    """The smallest set of includes from which all others follow. A cycle of modules is a ValueError."""
    below = {module: reached(includes, module) for module in includes}
    for module, targets in below.items():
        if module in targets:
            raise ValueError(f"{module} includes itself through {', '.join(sorted(includes[module]))}")
    return {module: {target for target in targets if not any(target in below[other] for other in targets)}
            for module, targets in includes.items()}


def draw(includes):
    """The Mermaid graph. Modules are listed from the top of the layer order to its bottom."""
    arrows = reduced(includes)
    height = {}

    def height_of(module):
        if module not in height:
            height[module] = 1 + max((height_of(target) for target in arrows[module]), default=0)
        return height[module]

    ordered = sorted(arrows, key=lambda module: (-height_of(module), module))
    name = {module: module.replace("/", "_") for module in arrows}
    node = {module: f'{name[module]}["{module.removeprefix("framework/")}/"]' for module in arrows}
    engine = [module for module in ordered if module.startswith("framework/")]
    lines = ["```mermaid", "flowchart TD"]
    lines += [f"  {node[module]}" for module in ordered if module not in engine]
    lines += ['  subgraph framework["framework/"]', *(f"    {node[module]}" for module in engine), "  end"]
    lines += [f"  {name[module]} --> {' & '.join(name[target] for target in sorted(arrows[module]))}"
              for module in ordered if arrows[module]]
    return "\n".join([*lines, "```"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="only check that the drawing is up to date")
    parser.add_argument("--source", type=pathlib.Path, default=ROOT, help="the tree; that of this script by default")
    options = parser.parse_args()

    page = options.source / "docs/architecture.md"
    text = page.read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        sys.exit(f"{page}: no lines '{BEGIN}' and '{END}'")
    drawing = draw(folders_only(read_includes(check_includes.read_tree(options.source))))
    written = f"{before}{begin}\n{drawing}\n{end}{after}"
    if options.check and written != text:
        sys.exit(f"{page}: the drawing of the modules is not up to date; run scripts/draw_modules.py")
    if not options.check:
        page.write_text(written, encoding="utf-8")


if __name__ == "__main__":
    main()
