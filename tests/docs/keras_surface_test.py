#!/usr/bin/env python3
"""scripts/keras_surface.py --check accepts a table that agrees with headers and page, and reports differences."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(sys.argv.pop(1)).resolve() / "keras_surface.py"

HEADERS = {
    "layers/core/dense.h": "class Dense : public Layer {};\n// class LSTM\n",
    "layers/pooling/pooling2d.h": "class MaxPooling2D : public Layer {};\nclass GRU;\n",
    "applications/xception.h": "models::Model Xception(const ApplicationOptions& options = {});\n",
    "framework/ops/elementwise.h": "Tensor clip_by_value(const Tensor& x, double lowest, double highest);\n",
}
HEAD = "area\tname\tstatus\trhyton\tremark\n"
GOOD = [
    "layers\tDense\thave\t\t",
    "layers\tMaxPool2D/MaxPooling2D\thave\tMaxPooling2D\t",
    "layers\tLSTM\tmiss\t\t",
    "layers\tGRU\tmiss\t\t",
    "layers\tJaxLayer\tmiss\t\tPython",
    "ops\tclip\thave\tclip_by_value\t",
    "ops\tpad\tpartly\t\tconstant only",
]


class Check(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for name, text in HEADERS.items():
            file = self.root / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        (self.root / "docs").mkdir()
        self.page = self.root / "docs/keras_compatibility.md"
        mark = "written by scripts/keras_surface.py -->"
        self.page.write_text(f"before\n<!-- begin: {mark}\n<!-- end: {mark}\nafter\n", encoding="utf-8")

    def run_on(self, rows, *options):
        (self.root / "docs/keras_surface.tsv").write_text(HEAD + "\n".join(rows) + "\n", encoding="utf-8")
        command = [sys.executable, SCRIPT, "--source", self.root, *options]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def found(self, rows):
        self.assertEqual(self.run_on(rows).returncode, 0)  # the page is written, so that only the headers are checked
        outcome = self.run_on(rows, "--check")
        self.assertEqual(outcome.returncode, 1 if outcome.stdout else 0)
        return outcome.stdout

    def test_accepts_what_agrees(self):
        self.assertEqual(self.found(GOOD), "")
        page = self.page.read_text(encoding="utf-8")
        self.assertIn("before\n<!-- begin", page)
        self.assertIn("Of 7 public names", page)
        self.assertIn("* ops: `pad` (constant only)", page)
        self.assertIn("* **layers**: `LSTM`, `GRU`\n", page)
        self.assertIn("`JaxLayer` (layers)", page)
        self.assertTrue(page.endswith("-->\nafter\n"))

    def test_reports_a_name_that_is_not_declared(self):
        self.assertIn("layers Conv2D: no header of layers names Conv2D", self.found([*GOOD, "layers\tConv2D\thave\t\t"]))

    def test_reports_a_missing_name_that_is_declared(self):
        self.assertEqual(self.found(GOOD), "")
        (self.root / "layers/lstm.h").write_text("class LSTM : public Layer {};\n", encoding="utf-8")
        self.assertIn("layers LSTM is declared", self.run_on(GOOD, "--check").stdout)

    def test_tells_the_obstacle_of_a_missing_name(self):
        rows = [*GOOD, "ops\tpolar\tmiss\t\tno complex dtype", "ops\tview_as_real\tmiss\t\tno complex dtype"]
        self.assertEqual(self.found(rows), "")
        self.assertIn("* **ops**: `polar`, `view_as_real` (no complex dtype)\n", self.page.read_text(encoding="utf-8"))

    def test_reports_a_declared_name_that_has_an_obstacle(self):
        outcome = self.run_on([*GOOD, "ops\tclip_by_value\tmiss\t\tno complex dtype"], "--check")
        self.assertIn("ops clip_by_value is declared", outcome.stdout)

    def test_reports_a_missing_function_that_is_declared(self):
        outcome = self.run_on([*GOOD, "ops\tclip_by_value\tmiss\t\t"], "--check")
        self.assertIn("ops clip_by_value is declared", outcome.stdout)
        outcome = self.run_on([*GOOD, "applications\tXception\tmiss\t\t"], "--check")
        self.assertIn("applications Xception is declared", outcome.stdout)

    def test_marks_declared_names_as_available(self):
        (self.root / "layers/lstm.h").write_text("class LSTM : public Layer {};\n", encoding="utf-8")
        rows = [*GOOD, "layers\tPool/MaxPooling2D\tmiss\t\t"]
        self.assertEqual(self.run_on(rows).returncode, 0)
        table = (self.root / "docs/keras_surface.tsv").read_text(encoding="utf-8")
        self.assertIn("layers\tLSTM\thave\t\t\n", table)
        self.assertIn("layers\tPool/MaxPooling2D\thave\tMaxPooling2D\t\n", table)
        self.assertIn("layers\tGRU\tmiss\t\t\n", table)
        script = [sys.executable, SCRIPT, "--source", self.root, "--check"]
        self.assertEqual(subprocess.run(script, capture_output=True, text=True, check=False).stdout, "")

    def test_reports_a_page_that_is_not_up_to_date(self):
        self.assertEqual(self.found(GOOD), "")
        self.assertIn("run scripts/keras_surface.py", self.run_on(GOOD[1:], "--check").stdout)

    def test_refuses_an_unknown_status(self):
        self.assertIn("has the status 'maybe'", self.run_on([*GOOD, "ops\tx\tmaybe\t\t"]).stderr)


if __name__ == "__main__":
    unittest.main()
