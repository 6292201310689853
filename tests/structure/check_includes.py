#!/usr/bin/env python3
"""Checks the layer order and the restricted libraries of the modules by reading the includes, and what only one file may do.

    check_includes.py SOURCE_DIR

Prints one line per violation and exits 1 if there is any. The rules are in the tables below.
"""

import pathlib
import re
import sys
from dataclasses import dataclass, field

# --- The rules --------------------------------------------------------------------------------------------

_BASE = {"framework/error.h", "framework/environment.h"}
_CONTEXT = _BASE | {"framework/threading", "framework/random"}
_MESSAGES = {"framework/warning.h", "framework/logging.h"}
_DEVICE = _CONTEXT | {"framework/context.h"}
_TENSOR = _DEVICE | {"framework/device"}
_OPS = _TENSOR | {"framework/tensor"}
_GRAPH = _OPS | {"framework/ops"}
_AUTODIFF = _GRAPH | {"framework/graph", "framework/profiler"}
_ENGINE = _AUTODIFF | {"framework/autodiff"}
# Value types without dependencies, which configurations are made of.
_VALUES = {"framework/io/json", "framework/by_name.h", "framework/python_list.h", "framework/snake_case.h",
           "framework/regular_expression.h", "framework/serialization"}
_MODELS = _ENGINE | _VALUES | _MESSAGES | {"framework/distribute", "framework/io", "framework/summary", "layers", "optimizers",
                                            "datasets"}
_APPLICATIONS = _MODELS | {"models"}
_APPS = _APPLICATIONS | {"applications", "rhyton.h"}

# Module -> the modules it may include. A module is named by its folder, or by its header if it is one header (and .cc).
MAY_INCLUDE = {
    "framework/error.h": set(),
    "framework/environment.h": {"framework/error.h"},
    "framework/threading": _BASE,
    "framework/random": _BASE,
    "framework/context.h": _CONTEXT,
    "framework/module_file.h": {"framework/environment.h"},
    "framework/device": _DEVICE | {"framework/module_file.h", "framework/warning.h"},
    "framework/tensor": _TENSOR,
    "framework/ops": _OPS | {"framework/by_name.h", "framework/regular_expression.h"},
    "framework/profiler": _DEVICE | _VALUES | {"framework/io"},
    "framework/graph": _GRAPH | {"framework/profiler"},
    "framework/autodiff": _AUTODIFF,
    "framework/backends/elementwise": _GRAPH,
    "framework/backends/updates": _GRAPH | {"framework/backends/elementwise"},
    "framework/backends/cpu": _ENGINE | {"framework/backends/elementwise", "framework/backends/updates"},
    "framework/backends/gpu": _ENGINE | {"framework/backends/elementwise", "framework/backends/updates",
                                        "framework/warning.h"},
    "framework/distribute": _ENGINE | _VALUES | {"framework/logging.h", "framework/module_file.h"},
    "framework/distribute/grpc": _ENGINE | _VALUES | {"framework/distribute"},
    "framework/io/json": _BASE,
    "framework/by_name.h": set(),
    "framework/fingerprint.h": set(),
    "framework/python_list.h": set(),
    "framework/regular_expression.h": set(),
    "framework/serialization": _DEVICE | {"framework/io/json", "framework/by_name.h"},
    "framework/warning.h": _DEVICE,
    "framework/logging.h": set(),
    "framework/snake_case.h": set(),
    "framework/io": _OPS | _VALUES | {"framework/warning.h"},
    "framework/summary": _GRAPH | {"framework/by_name.h", "framework/io"},
    "layers": _GRAPH | _VALUES | {"framework/fingerprint.h", "framework/warning.h"},
    "optimizers": _GRAPH | _VALUES | {"framework/warning.h"},
    "datasets": _OPS | _VALUES | _MESSAGES | {"framework/io"},
    "models": _MODELS,
    "applications": _APPLICATIONS,
    "rhyton.h": _APPLICATIONS | {"applications"},
    "apps": _APPS,
}
# These examine every module: they may include anything.
OUTSIDE = {"tests", "benchmarks"}

# Name, the includes that it means, the modules in which they may be included.
RESTRICTED = [
    ("Eigen", re.compile(r"(unsupported/)?Eigen/"), {"framework/backends/cpu"}),
    ("CUDA, cuDNN and cuBLAS",
     re.compile(r"(cuda|cudnn|cublas|curand|nvrtc|nvml|nvtx|cub/|cutlass|thrust/|cooperative_groups)"),
     {"framework/backends/gpu"}),
    ("NCCL and MPI", re.compile(r"(nccl|mpi\.h|mpi-ext\.h|openmpi/|mpich/)"),
     {"framework/distribute", "framework/backends/gpu"}),
    ("gRPC and protobuf", re.compile(r"(grpc|google/protobuf)"), {"framework/distribute/grpc"}),
    ("HDF5, zip and stb", re.compile(r"(hdf5|H5[A-Z]|zip\.h|zipconf\.h|stb/|stb_)"), {"framework/io"}),
]

# What it is, how code names it, the only files of the library that may use it.
HOMES = [
    ("reading the environment (use framework/environment.h)", re.compile(r"\bgetenv\b"), {"framework/environment.cc"}),
    ("messages on the standard error (use framework/warning.h)", re.compile(r"\bstd::(cerr|clog)\b"),
     {"framework/warning.cc", "framework/logging.cc"}),
]

FORBIDDEN_STEMS = {"utils", "util", "common", "helpers", "helper", "misc"}
CROWDED = 500  # lines; for longer files a split into two is suggested, not enforced

# C and POSIX headers that a public header may include besides those of C++ (which have neither dot nor slash).
STANDARD_C = re.compile(r"(assert|errno|float|inttypes|limits|math|stddef|stdint|stdio|stdlib|string|time)\.h")

PRAGMA_ONCE = "#pragma once"
SOURCE_SUFFIXES = {".h", ".cc", ".cu", ".cuh", ".inc"}
INCLUDE = re.compile(r'^[ \t]*#[ \t]*(?:include|import)[ \t]*([<"])([^>"\n]+)[>"]', re.MULTILINE)
BLOCK_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
LINE_COMMENT = re.compile(r"//.*")


# --- Reading ----------------------------------------------------------------------------------------------


@dataclass
class Source:
    path: str  # relative to the tree, with slashes
    text: str
    lines: int = 0
    includes: list = field(default_factory=list)  # (line, bracket, what)

    @property
    def is_header(self):
        return self.path.endswith((".h", ".cuh", ".inc"))

    @property
    def is_public(self):
        return self.path.endswith(".h") and module_of(self.path) in MAY_INCLUDE and not self.path.startswith(
            ("framework/backends/", "framework/distribute/grpc/", "apps/"))


def module_of(path):
    """The module of a path (relative to the tree, or after <rhyton/); None if the table has no such module."""
    parts = path.split("/")
    if parts[0] in OUTSIDE:
        return parts[0]
    header = path.removesuffix(".cc") + ".h" if path.endswith(".cc") else path
    if header in MAY_INCLUDE:
        return header
    for length in (3, 2, 1):
        module = "/".join(parts[:length])
        if len(parts) > length and module in MAY_INCLUDE:
            return module
    return None


def read_tree(root):
    sources = {}
    tops = ["framework", "layers", "optimizers", "models", "datasets", "applications", "apps", *sorted(OUTSIDE)]
    files = sorted(root.glob("*.h")) + [file for top in tops for file in sorted((root / top).rglob("*"))]
    for file in files:
        if file.suffix not in SOURCE_SUFFIXES or not file.is_file():
            continue
        path = file.relative_to(root).as_posix()
        source = Source(path, file.read_text(encoding="utf-8"))
        source.lines = source.text.count("\n")
        code = BLOCK_COMMENT.sub(lambda match: "\n" * match.group().count("\n"), source.text)
        for match in INCLUDE.finditer(code):
            source.includes.append((code.count("\n", 0, match.start()) + 1, match.group(1), match.group(2)))
        sources[path] = source
    return sources


# --- Checking ---------------------------------------------------------------------------------------------


def check_file(source, notes):
    module = module_of(source.path)
    stem = pathlib.PurePosixPath(source.path).stem
    if module is None:
        yield f"{source.path}: is in no module of the table"
        return
    if stem.lower() in FORBIDDEN_STEMS or stem.lower().endswith(tuple("_" + word for word in FORBIDDEN_STEMS)):
        yield f"{source.path}: the name '{stem}' says nothing; name the file after what it holds"
    if source.lines > CROWDED:
        notes.append(f"{source.path}: {source.lines} lines; files of more than about {CROWDED} lines should be split")

    if module not in OUTSIDE | {"apps"}:
        for number, line in enumerate(source.text.split("\n"), 1):
            for name, pattern, homes in HOMES:
                if source.path not in homes and pattern.search(LINE_COMMENT.sub("", line)):
                    yield f"{source.path}:{number}: {name} belongs to {' and '.join(sorted(homes))}"

    if source.is_public and PRAGMA_ONCE not in source.text:
        yield f"{source.path}: a header has `{PRAGMA_ONCE}`"
    for line, bracket, what in source.includes:
        here = f"{source.path}:{line}"
        if bracket == '"':
            yield f'{here}: #include "{what}": every include is written with angle brackets, <rhyton/...>'
            continue
        if what.startswith("rhyton/"):
            yield from check_layer_order(here, module, what)
            continue
        if module in OUTSIDE:
            continue
        for name, pattern, allowed in RESTRICTED:
            if pattern.match(what) and module not in allowed:
                yield f"{here}: <{what}>: {name} may be included only in {' and '.join(sorted(allowed))}"
        if source.is_public and ("/" in what or "." in what) and not STANDARD_C.fullmatch(what):
            yield f"{here}: <{what}>: a public header includes the standard library and <rhyton/...> only"


def check_layer_order(here, module, what):
    target = module_of(what.removeprefix("rhyton/"))
    if target is None:
        yield f"{here}: <{what}> is in no module of the table"
    elif module in OUTSIDE or target == module:
        return
    elif target in OUTSIDE or target == "apps":
        yield f"{here}: <{what}>: {module} may not include {target}"
    elif target.startswith("framework/backends/") and target not in MAY_INCLUDE[module]:
        yield f"{here}: <{what}>: nothing includes framework/backends"
    elif target not in MAY_INCLUDE[module]:
        yield f"{here}: <{what}>: {module} may include only modules below it, not {target}"


def find_cycles(sources):
    """Cycles among headers, each reported once."""
    edges = {
        path: [what.removeprefix("rhyton/") for _, _, what in source.includes if what.startswith("rhyton/")]
        for path, source in sources.items() if source.is_header
    }
    done, chain = set(), []

    def visit(path):
        if path in done or path not in edges:
            return
        if path in chain:
            yield f"{path}: cycle of includes: {' -> '.join([*chain[chain.index(path):], path])}"
            return
        chain.append(path)
        for target in edges[path]:
            yield from visit(target)
        chain.pop()
        done.add(path)

    for path in sorted(edges):
        yield from visit(path)


def check_first_includes(sources):
    """A source includes its header before all others: parsing it alone then shows that the header needs no other."""
    for source in sources.values():
        header = source.path.removesuffix(".cc") + ".h"
        if not source.path.endswith(".cc") or header not in sources or not sources[header].is_public:
            continue
        what = f"rhyton/{header}"
        if not source.includes or source.includes[0][2] != what:
            line = source.includes[0][0] if source.includes else 1
            yield f"{source.path}:{line}: the first include of a source is its header, <{what}>"


def check_tree(root):
    """(violations, notes, number of files) of the tree at `root`."""
    sources = read_tree(root)
    violations, notes = [], []
    for source in sources.values():
        violations.extend(check_file(source, notes))
    violations.extend(check_first_includes(sources))
    violations.extend(find_cycles(sources))
    return violations, notes, len(sources)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    violations, notes, count = check_tree(pathlib.Path(sys.argv[1]))
    if count == 0:
        sys.exit(f"no sources below {sys.argv[1]}")
    for note in notes:
        print("note:", note)
    for violation in violations:
        print(violation)
    print(f"{count} files, {len(violations)} violations")
    sys.exit(1 if violations else 0)


if __name__ == "__main__":
    main()
