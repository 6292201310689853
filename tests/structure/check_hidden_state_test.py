#!/usr/bin/env python3
"""check_hidden_state.py accepts a tree whose page lists all thread_locals, and reports each difference."""

import pathlib
import tempfile
import unittest

import check_hidden_state

SOURCE = "thread_local Scope* innermost = nullptr;\n// thread_local is not declared here\nthread_local std::vector<int> entries;\n"
PAGE = """# Architecture

## Hidden state

| file | variable | reason |
|---|---|---|
| `layers/scope.cc` | `innermost` | Code between the scope and its reader does not know it. |
| `layers/scope.cc` | `entries` | As above. |

## Glossary

| `layers/other.cc` | `other` | not part of the section |
"""


class Check(unittest.TestCase):
    def check(self, source, page):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for path, text in {"layers/scope.cc": source, "docs/architecture.md": page}.items():
                (root / path).parent.mkdir(exist_ok=True)
                (root / path).write_text(text, encoding="utf-8")
            return list(check_hidden_state.check_tree(root))

    def test_accepts_a_complete_list(self):
        self.assertEqual(self.check(SOURCE, PAGE), [])

    def test_reports_a_variable_that_is_not_listed(self):
        self.assertIn("thread_local depth is not in", self.check(SOURCE + "static thread_local int depth{0};\n", PAGE)[0])

    def test_reports_a_variable_that_is_gone(self):
        self.assertIn("has no thread_local entries", self.check(SOURCE.replace("entries", "items") , PAGE)[1])

    def test_reports_a_missing_reason(self):
        self.assertIn("no reason for the thread_local entries", self.check(SOURCE, PAGE.replace("As above.", ""))[0])

    def test_reports_all_without_the_section(self):
        self.assertEqual(len(self.check(SOURCE, "# Architecture\n")), 2)


if __name__ == "__main__":
    unittest.main()
