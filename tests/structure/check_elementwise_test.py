#!/usr/bin/env python3
"""check_elementwise.py accepts ops that are in the lists and reports those that are not."""

import pathlib
import tempfile
import unittest

import check_elementwise

GOOD = {
    "framework/ops/elementwise_unary.cc": """class ExpOp final : public UnaryOp {
  std::string_view name() const override { return "Exp"; }
};
Tensor gelu(const Tensor& x) { return call<NamedOp>({x}, "Gelu"); }
""",
    "framework/ops/matmul.cc": 'class MatMulOp final : public Op { std::string_view name() { return "MatMul"; } };\n',
    "framework/backends/elementwise/unary.h": """struct Exp {
  static constexpr const char* name = "Exp";
};
struct ApproximateGelu {
  static constexpr const char* name = "Gelu";
};
struct Gelu {
  static constexpr const char* name = "Gelu";
  using Variant = ApproximateGelu;
};
using UnaryFunctions = Functions<Exp,
                                 Gelu>;
""",
}
SIN_OP = 'class SinOp final : public UnaryOp { std::string_view name() const override { return "Sin"; } };\n'
SIN = 'struct Sin {\n  static constexpr const char* name = "Sin";\n};\n'


class Check(unittest.TestCase):
    def check(self, ops="", functions=""):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for path, text in GOOD.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                more = {"elementwise_unary.cc": ops, "unary.h": functions}.get(pathlib.PurePosixPath(path).name, "")
                (root / path).write_text(text + more, encoding="utf-8")
            return list(check_elementwise.check_tree(root))

    def test_accepts_ops_that_are_listed(self):
        self.assertEqual(self.check(), [])

    def test_reports_an_op_without_a_function(self):
        self.assertEqual(len(found := self.check(ops=SIN_OP)), 1)
        self.assertIn("'Sin' has no function in the lists", found[0])

    def test_reports_a_function_that_is_in_no_list(self):
        found = "\n".join(self.check(ops=SIN_OP, functions=SIN))
        self.assertIn("Sin is in no list", found)
        self.assertIn("'Sin' has no function in the lists", found)

    def test_reports_a_function_without_an_op(self):
        found = self.check(functions=SIN + "using MoreFunctions = Functions<Sin>;\n")
        self.assertEqual(len(found), 1)
        self.assertIn("unary.h: Sin is the function of 'Sin', which is no elementwise op", found[0])

    def test_reports_missing_lists(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(len(list(check_elementwise.check_tree(pathlib.Path(folder)))), 1)


if __name__ == "__main__":
    unittest.main()
