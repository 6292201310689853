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


class Changes(unittest.TestCase):
    """Which calls a second run makes, after a change of some files."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.tree = pathlib.Path(self.folder.name)
        (self.tree / "tools").mkdir()
        (self.tree / "tools" / "clang-tidy").write_text(
            '#!/bin/sh\n[ "$1" = --version ] || echo "tidy $4" >> calls\n', encoding="utf-8")
        (self.tree / "tools" / "clang-tidy").chmod(0o755)
        (self.tree / "tools" / "parser").write_text(
            '#!/bin/sh\nfor word; do case $word in *.cc) source=$word; esac; done\n'
            f'echo "parse ${{source##*/}}" >> {self.tree}/calls\n', encoding="utf-8")
        (self.tree / "tools" / "parser").chmod(0o755)
        self.write(**{".clang-tidy": "HeaderFilterRegex: '/(layers)/.*\\.h$'\n",
                      "shape.h": "int rank();\nint size();\n",
                      "dense.cc": '#include "shape.h"\nint units = rank();\n',
                      "pool.cc": "#include <shape.h>\nint strides;\n",
                      "Unity/group.cxx": f'#include "{self.tree}/dense.cc"\n#include "{self.tree}/pool.cc"\n'})
        command = f"parser -I {self.tree} -o group.o -c Unity/group.cxx"
        (self.tree / "compile_commands.json").write_text(
            json.dumps([{"directory": str(self.tree), "file": "Unity/group.cxx", "command": command}]), encoding="utf-8")
        self.assertEqual(self.calls(), ["parse dense.cc", "parse pool.cc", "tidy Unity/group.cxx"])
        self.assertEqual(self.calls(), [])

    def write(self, **texts):
        for name, text in texts.items():
            (self.tree / name).parent.mkdir(exist_ok=True)
            (self.tree / name).write_text(text, encoding="utf-8")

    def calls(self):
        environment = {**os.environ, "PATH": f"{self.tree / 'tools'}:{os.environ['PATH']}",
                       "XDG_CACHE_HOME": self.folder.name}
        result = subprocess.run([sys.executable, TIDY, self.folder.name, "1", "dense.cc", "pool.cc"], cwd=self.tree,
                                env=environment, capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        made = self.tree / "calls"
        calls = sorted(made.read_text(encoding="utf-8").splitlines()) if made.exists() else []
        made.unlink(missing_ok=True)
        return calls

    def test_a_changed_source_is_examined_with_its_group_and_parsed(self):
        self.write(**{"pool.cc": "#include <shape.h>\nint pool_size;\n"})
        self.assertEqual(self.calls(), ["parse pool.cc", "tidy Unity/group.cxx"])
        self.assertEqual(self.calls(), [])

    def test_a_changed_header_is_examined_once_and_no_source_parsed(self):
        self.write(**{"shape.h": "int rank();\nint size();\nint last_axis();\n"})
        self.assertEqual(self.calls(), ["tidy Unity/group.cxx"])
        self.assertEqual(self.calls(), [])

    def test_a_source_is_parsed_again_when_a_header_loses_a_name_that_it_uses(self):
        self.write(**{"shape.h": "int size();  // no rank any more\n"})
        self.assertEqual(self.calls(), ["parse dense.cc", "tidy Unity/group.cxx"])

    def test_a_source_is_parsed_again_when_its_own_header_loses_a_name(self):
        self.write(**{"dense.h": "#include <shape.h>\nvoid build(int size);\n",
                      "dense.cc": "#include <dense.h>\nint units;\n"})
        self.assertEqual(self.calls(), ["parse dense.cc", "tidy Unity/group.cxx"])
        self.write(**{"shape.h": "int rank();\n"})
        self.assertEqual(self.calls(), ["parse dense.cc", "tidy Unity/group.cxx"])

    def test_sources_are_parsed_again_when_a_header_that_they_read_is_gone(self):
        self.write(**{"shape.h": "#include <strides>\nint rank();\nint size();\n"})
        self.assertEqual(self.calls(), ["parse dense.cc", "parse pool.cc", "tidy Unity/group.cxx"])
        self.write(**{"shape.h": "int size();\nint rank();\n"})
        self.assertEqual(self.calls(), ["tidy Unity/group.cxx"])  # the source as before, the header new


if __name__ == "__main__":
    unittest.main()
