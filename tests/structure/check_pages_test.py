#!/usr/bin/env python3
"""check_pages.py accepts pages that name what exists, and reports each kind of name that does not exist."""

import pathlib
import tempfile
import unittest

import check_pages

PAGE = """# The engine

See `framework/graph/plan.h`, `graph/plan`, `plan_*.cc`, `Plan::chunk`, `a/b`, [this](#the-engine), [that](../README.md)
and <https://example.org/x.md>.

## Where things are

```
framework/      the engine
  graph/ ops/   graphs and ops
```
"""
TREE = {
    "README.md": "[The engine](docs/architecture.md#where-things-are), `scripts/run.sh --fast`\n",
    "docs/architecture.md": PAGE,
    "framework/graph/plan.h": "struct Plan { int chunk; };\n",
    "framework/graph/plan_phases.cc": "",
    "framework/ops/op.h": "",
    "scripts/run.sh": "",
}
# The file, the text added to it, and the violation.
BAD = [
    ("docs/architecture.md", "`graph/plans.h`", "docs/architecture.md:12: graph/plans.h is no file or folder of the tree"),
    ("docs/architecture.md", "`plans_*.cc`", "docs/architecture.md:12: plans_*.cc is no file or folder of the tree"),
    ("docs/architecture.md", "`graphs/`", None),
    ("docs/architecture.md", "`ops/graph/`", "docs/architecture.md:12: ops/graph/ is no file or folder of the tree"),
    ("docs/architecture.md", "`Plan::chunks`", "docs/architecture.md:12: `Plan::chunks` does not occur in the tree"),
    ("README.md", "`Plan::chunks`", None),
    ("README.md", "`scripts/go.sh --fast`", "README.md:2: scripts/go.sh is no file or folder of the tree"),
    ("README.md", "```cpp\n#include <rhyton/framework/op.h>\n```",
     "README.md:3: framework/op.h is no file or folder of the tree"),
    ("README.md", "[x](docs/engine.md)", "README.md:2: the link to docs/engine.md leads to no file"),
    ("README.md", "[x](docs/architecture.md#plans)", "README.md:2: the link to docs/architecture.md#plans leads to no heading"),
    ("layers/dense.h", "", "docs/architecture.md: the list of folders lacks layers/"),
]


def check(files):
    with tempfile.TemporaryDirectory(prefix="rhyton-structure-") as name:
        root = pathlib.Path(name)
        for path, text in files.items():
            file = root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        return list(check_pages.check_tree(root))


class CheckPages(unittest.TestCase):
    def test_pages_that_name_what_exists_are_accepted(self):
        self.assertEqual(check(TREE), [])

    def test_each_violation_is_reported(self):
        for path, text, expected in BAD:
            with self.subTest(path=path, text=text):
                violations = check({**TREE, path: TREE.get(path, "") + text + "\n"})
                self.assertEqual(violations, [expected] if expected else [])

    def test_a_listed_folder_that_does_not_exist_is_reported(self):
        page = PAGE.replace("graph/ ops/ ", "graph/ ops/ io/")
        self.assertEqual(check({**TREE, "docs/architecture.md": page}),
                         ["docs/architecture.md: the list of folders has framework/io/, which does not exist"])

    def test_a_pass_that_the_table_of_passes_lacks_is_reported(self):
        table = "## Passes\n\n| pass |\n|---|\n| `dead_nodes` |\n| `fold` |\n| `fuse` |\n\n## More\n"
        tree = {**TREE, "docs/architecture.md": PAGE.replace("## Where", table.replace("## More\n", "## Where"))}
        passes = "framework/graph/passes/pass_table.cc"
        tree["docs/architecture.md"] = tree["docs/architecture.md"].replace("graph/ ops/   graphs and ops",
                                                                            "ops/\n  graph/\n    passes/\n")
        source = '{.name = "fold", .run = &dead_nodes}, {.name = "fold"}, {.name = "fuse"},\n'
        self.assertEqual(check({**tree, passes: source}), [])
        self.assertEqual(check({**tree, passes: source + '{.name = "split"}'}),
                         [f"docs/architecture.md: the table of passes has dead_nodes, fold, fuse, but {passes} has fold, fuse, split"])


if __name__ == "__main__":
    unittest.main()
