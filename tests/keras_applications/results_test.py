#!/usr/bin/env python3
"""The table of docs/applications.md has a row for each model, and keeps those that a run has no newer result for."""

import pathlib
import tempfile
import unittest

import applications
import results


def measured(name, date, prediction=1e-5, **others):
    return {"name": name, "size": 64, "ok": True, "keras": "Keras 3.15.1", "date": date, "parameters": 2.6e6,
            "seconds": 1.0, "prediction": prediction} | others


class Page(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.page = self.folder / "applications.md"
        self.page.write_text(f"before\n{results.BEGIN}\n{results.END}\nafter\n", encoding="utf-8")
        self.clones = 0

    def write(self, *outcomes):
        """As from a clone with a build folder of its own, which has these results."""
        self.clones += 1
        stored = results.Results(self.folder / str(self.clones) / "result.json")
        for outcome in outcomes:
            stored.add(outcome)
        results.write_page(stored, self.page)
        return self.page.read_text(encoding="utf-8")

    def row(self, name):
        lines = self.page.read_text(encoding="utf-8").splitlines()
        return next(line for line in lines if line.startswith(f"| {name} |"))

    def test_has_a_row_for_each_model(self):
        text = self.write(measured("MobileNetV2", "2026-11-27"), measured("VGG16", "2026-11-27", ok=False))
        self.assertIn(f"Of the {len(applications.ALL)} models 1 passed, 1 failed, and 38 were not run.", text)
        for application in applications.ALL:
            self.assertEqual(text.count(f"| {application.name} |"), 1, application.name)
        self.assertEqual(
            self.row("MobileNetV2"),
            "| MobileNetV2 | 2.6 | 64 | 1e-05 | – | – | – | – | – | passed | 2026-11-27, Keras 3.15.1 |",
        )
        self.assertIn("| failed | 2026-11-27", self.row("VGG16"))
        self.assertTrue(self.row("Xception").endswith("| not run | – |"))
        self.assertTrue(text.startswith("before\n") and text.endswith("after\n"))

    def test_keeps_rows_without_a_newer_result(self):
        self.write(measured("MobileNetV2", "2026-11-27"), measured("VGG16", "2026-11-27"))
        earlier = self.row("MobileNetV2")
        self.write(measured("VGG16", "2026-11-28", 2e-5), measured("MobileNetV2", "2026-11-26", 3e-5))
        self.assertEqual(self.row("MobileNetV2"), earlier)
        self.assertIn("| 2e-05 |", self.row("VGG16"))
        self.assertIn("2 passed, 0 failed, and 38 were not run", self.write())

    def test_does_not_change_without_results(self):
        text = self.write(measured("MobileNetV2", "2026-11-27", rounding={"prediction": {}}))
        self.assertIn("| 1e-05* |", text)
        self.assertEqual(self.write(), text)


if __name__ == "__main__":
    unittest.main()
