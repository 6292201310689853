#!/usr/bin/env python3
"""scripts/tidy.py fails when a source that it is to examine has no compile command, and examines none twice."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

TIDY = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "tidy.py"


# Says for how many commands it examines a source, and finds nothing.
CLANG_TIDY = """#!/bin/sh
[ "$1" = --version ] || grep -o '"file": "[^"]*"' "$2/compile_commands.json" | grep -c "$4" >> examined
"""


def run(commands, *sources, groups=None):
    """What tidy.py says of `sources` in a tree whose build has these compile commands, pairs of a source and the start of
    its command, and `groups`, the sources that a file includes; what clang-tidy did is appended."""
    with tempfile.TemporaryDirectory() as folder:
        tree = pathlib.Path(folder)
        (tree / "tools").mkdir()
        (tree / "tools" / "clang-tidy").write_text(CLANG_TIDY, encoding="utf-8")
        (tree / "tools" / "clang-tidy").chmod(0o755)
        for source in sources:
            (tree / source).parent.mkdir(parents=True, exist_ok=True)
            (tree / source).touch()
        (tree / ".clang-tidy").write_text("HeaderFilterRegex: '/(layers)/.*\\.h$'\n", encoding="utf-8")
        for name, members in (groups or {}).items():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            (tree / name).write_text("".join(f'#include "{tree / member}"\n' for member in members), encoding="utf-8")
        entries = [{"directory": folder, "file": name, "command": f"{compiler} -o {number}.o -c {name}"}
                   for number, (name, compiler) in enumerate(commands)]
        (tree / "compile_commands.json").write_text(json.dumps(entries), encoding="utf-8")
        environment = {**os.environ, "PATH": f"{tree / 'tools'}:{os.environ['PATH']}", "XDG_CACHE_HOME": folder}
        result = subprocess.run([sys.executable, TIDY, folder, "1", *sources], cwd=folder, env=environment,
                                capture_output=True, text=True)
        examined = tree / "examined"
        result.examined = examined.read_text(encoding="utf-8").split() if examined.exists() else []
        return result


class Tidy(unittest.TestCase):
    def test_passes_where_each_source_has_a_command(self):
        result = run([("layers/core/dense.cc", "true")], "layers/core/dense.cc", "layers/core/dense.h")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertIn("clang-tidy: 1 files, 0 with findings", result.stdout)

    def test_fails_and_names_a_source_without_a_command(self):
        result = run([("unity_layers.cxx", "true")], "layers/core/dense.cc")
        self.assertEqual(result.returncode, 1)
        self.assertIn("layers/core/dense.cc: ", result.stdout)
        self.assertIn("has no compile command for it", result.stdout)

    def test_examines_a_source_once_for_each_way_of_compiling_it(self):
        name = "tests/fuzz/replay.cc"
        result = run([(name, "true"), (name, "true"), (name, "true -DX"), (name, "true")], name)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertEqual(result.examined, ["2"])  # one call, for two commands

    def test_examines_a_group_as_one_file_and_parses_its_sources_alone(self):
        members = ("layers/core/dense.cc", "layers/core/input.cc")
        result = run([("Unity/layers.cxx", "true")], *members, groups={"Unity/layers.cxx": members})
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertEqual(result.examined, ["1"])
        self.assertIn("clang-tidy: 2 files, 0 with findings", result.stdout)

    def test_names_a_source_that_needs_the_others_of_its_group(self):
        members = ("layers/core/dense.cc", "layers/core/input.cc")
        parser = "sh -c 'case \"$*\" in *-fsyntax-only*input.cc*|*input.cc*-fsyntax-only*) echo missing >&2; exit 1;; esac' -"
        result = run([("Unity/layers.cxx", parser)], *members, groups={"Unity/layers.cxx": members})
        self.assertEqual(result.returncode, 1)
        self.assertIn("missing", result.stdout)
        self.assertIn("   layers/core/input.cc\n", result.stdout)

    def test_examines_the_source_of_a_group_of_one(self):
        member = "layers/core/dense.cc"
        result = run([("Unity/layers.cxx", "true")], member, groups={"Unity/layers.cxx": [member]})
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertEqual(result.examined, ["1"])  # a command for this source

    def test_examines_a_source_alone_where_its_group_is_not_given(self):
        members = ("layers/core/dense.cc", "layers/core/input.cc")
        result = run([("Unity/layers.cxx", "true")], members[0], groups={"Unity/layers.cxx": members})
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertIn("clang-tidy: 1 files, 0 with findings", result.stdout)

    def test_takes_no_notice_of_a_project_of_its_own(self):
        self.assertEqual(run([], "tests/consumer/main.cc").returncode, 0)


if __name__ == "__main__":
    unittest.main()
