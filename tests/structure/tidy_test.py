#!/usr/bin/env python3
"""scripts/tidy.py fails when a source that it is to examine has no compile command."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

TIDY = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "tidy.py"


def run(commands, *sources):
    """What tidy.py says of `sources` in a tree whose build has these compile commands; its clang-tidy finds nothing."""
    with tempfile.TemporaryDirectory() as folder:
        tree = pathlib.Path(folder)
        (tree / "tools").mkdir()
        (tree / "tools" / "clang-tidy").write_text("#!/bin/sh\necho version 1\n", encoding="utf-8")
        (tree / "tools" / "clang-tidy").chmod(0o755)
        for source in sources:
            (tree / source).parent.mkdir(parents=True, exist_ok=True)
            (tree / source).touch()
        entries = [{"directory": folder, "file": name, "command": f"true -c {name}"} for name in commands]
        (tree / "compile_commands.json").write_text(json.dumps(entries), encoding="utf-8")
        environment = {**os.environ, "PATH": f"{tree / 'tools'}:{os.environ['PATH']}", "XDG_CACHE_HOME": folder}
        return subprocess.run([sys.executable, TIDY, folder, "1", *sources], cwd=folder, env=environment,
                              capture_output=True, text=True)


class Tidy(unittest.TestCase):
    def test_passes_where_each_source_has_a_command(self):
        result = run(["layers/core/dense.cc"], "layers/core/dense.cc", "layers/core/dense.h")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertIn("clang-tidy: 1 files, 0 with findings", result.stdout)

    def test_fails_and_names_a_source_without_a_command(self):
        result = run(["unity_layers.cxx"], "layers/core/dense.cc")
        self.assertEqual(result.returncode, 1)
        self.assertIn("layers/core/dense.cc: ", result.stdout)
        self.assertIn("has no compile command for it", result.stdout)

    def test_takes_no_notice_of_a_project_of_its_own(self):
        self.assertEqual(run([], "tests/consumer/main.cc").returncode, 0)


if __name__ == "__main__":
    unittest.main()
