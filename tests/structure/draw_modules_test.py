#!/usr/bin/env python3
"""scripts/draw_modules.py draws the modules that are folders, and --check fails when the page is not up to date."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPTS = pathlib.Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(SCRIPTS))

import draw_modules  # noqa: E402  (found by the path above)

PAGE = f"before\n{draw_modules.BEGIN}\n{draw_modules.END}\nafter\n"
SOURCES = {
    "framework/threading/pool.h": "",
    "framework/context.h": "#include <rhyton/framework/threading/pool.h>\n",
    "framework/device/device.cc": "#include <rhyton/framework/context.h>\n",
    "framework/tensor/tensor.h": "#include <rhyton/framework/device/device.h>\n#include <rhyton/framework/context.h>\n",
    "tests/tensor_test.cc": "#include <rhyton/framework/tensor/tensor.h>\n",
}


class DrawModules(unittest.TestCase):
    def test_includes_through_a_header_are_drawn_and_those_that_follow_from_others_are_not(self):
        includes = draw_modules.folders_only({
            "a": {"b", "h.h", "c"}, "b": {"c"}, "h.h": {"i.h"}, "i.h": {"d", "h.h"}, "c": {"d"}, "d": set()})
        self.assertEqual(includes, {"a": {"b", "c", "d"}, "b": {"c"}, "c": {"d"}, "d": set()})
        self.assertEqual(draw_modules.reduced(includes), {"a": {"b"}, "b": {"c"}, "c": {"d"}, "d": set()})

    def test_a_cycle_of_modules_is_an_error(self):
        with self.assertRaisesRegex(ValueError, "a includes itself through b"):
            draw_modules.reduced({"a": {"b"}, "b": {"a"}})

    def test_check_fails_until_the_page_is_written(self):
        with tempfile.TemporaryDirectory(prefix="rhyton-structure-") as name:
            root = pathlib.Path(name)
            for path, text in {**SOURCES, "docs/architecture.md": PAGE}.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text, encoding="utf-8")

            def run(*options):
                command = [sys.executable, "-B", SCRIPTS / "draw_modules.py", "--source", root, *options]
                return subprocess.run(command, capture_output=True, text=True, check=False)

            self.assertIn("run scripts/draw_modules.py", run("--check").stderr)
            self.assertEqual(run().returncode, 0)
            self.assertEqual(run("--check").returncode, 0)
            page = (root / "docs/architecture.md").read_text(encoding="utf-8")
            self.assertIn("  framework_tensor --> framework_device\n  framework_device --> framework_threading\n", page)
            self.assertTrue(page.startswith("before\n<!-- begin") and page.endswith("end: written by "
                                                                                   "scripts/draw_modules.py -->\nafter\n"))
            (root / "framework/tensor/tensor.h").write_text("", encoding="utf-8")
            self.assertEqual(run("--check").returncode, 1)


if __name__ == "__main__":
    unittest.main()
