#!/usr/bin/env python3
"""check_includes.py accepts a valid tree and reports each kind of violation in an invalid one."""

import pathlib
import tempfile
import unittest

import check_includes

GOOD = {
    "framework/error.h": "#include <stdexcept>\n",
    "framework/environment.cc": "const char* value = std::getenv(name);\n",
    "framework/warning.cc": "std::cerr << message;\n",
    "framework/context.cc": "#include <rhyton/framework/context.h>\n#include <rhyton/framework/error.h>\n",
    "framework/tensor/tensor.h": "#include <rhyton/framework/error.h>\n#include <stdint.h>\n#include <vector>\n",
    "framework/ops/matmul.h": "#include <rhyton/framework/tensor/tensor.h>\n",
    "framework/backends/cpu/matmul/matmul.cc": "#include <Eigen/Core>\n#include <rhyton/framework/ops/matmul.h>\n",
    "framework/backends/elementwise/unary.h": "#include <rhyton/framework/ops/matmul.h>\n",
    "framework/backends/cpu/elementwise/unary.cc": "#include <rhyton/framework/backends/elementwise/unary.h>\n",
    "framework/backends/gpu/matmul/matmul.cu": "#include <cublasLt.h>\n#include <nccl.h>\n",
    "framework/io/hdf5.cc": "#include <hdf5.h>\n#include <rhyton/framework/tensor/tensor.h>\n",
    "framework/distribute/mpi.cc": "#include <mpi.h>\n",
    "layers/core/dense.h": "// #include \"old.h\"\n/*\n#include <Eigen/Core>\n*/\n#include <rhyton/framework/ops/matmul.h>\n",
    "models/losses/losses.h": "#include <rhyton/layers/core/dense.h>\n",
    "rhyton.h": "#include <rhyton/models/losses/losses.h>\n",
    "apps/mnist_cnn.cc": "#include <CLI/CLI.hpp>\n#include <rhyton/rhyton.h>\nstd::cerr << 1;  // not in the library\n",
    "tests/layers/dense_test.cc": "#include <gtest/gtest.h>\n#include <rhyton/framework/backends/cpu/matmul.h>\n",
}

# The addition to the valid tree, and a part of the single line with which it must be reported.
BAD = [
    ("layers/conv.h", "#include <rhyton/framework/backends/cpu/conv.h>", "nothing includes framework/backends"),
    ("layers/conv.cc", "#include <rhyton/framework/graph/graph.h>", "layers may include only modules below it"),
    ("layers/conv.cc", "#include <rhyton/framework/distribute/strategy.h>", "layers may include only modules below it"),
    ("layers/conv.cc", "#include <rhyton/models/sequential.h>", "layers may include only modules below it"),
    ("framework/ops/conv.cc", "#include <rhyton/framework/autodiff/tape.h>", "not framework/autodiff"),
    ("framework/tensor/printing.cc", "#include <rhyton/framework/ops/matmul.h>", "not framework/ops"),
    ("framework/context.cc", "#include <rhyton/framework/tensor/dtype.h>", "not framework/tensor"),
    ("framework/threading/pool.cc", "#include <rhyton/framework/random/philox.h>", "not framework/random"),
    ("framework/io/npy.cc", "#include <rhyton/framework/ops/matmul.h>", "not framework/ops"),
    ("framework/backends/cpu/conv/conv.cc", "#include <rhyton/framework/backends/gpu/conv/conv.h>", "nothing includes"),
    ("framework/backends/elementwise/unary.h", "#include <rhyton/framework/backends/cpu/conv.h>", "nothing includes"),
    ("framework/ops/conv.cc", "#include <rhyton/framework/backends/elementwise/unary.h>", "nothing includes"),
    ("models/model.cc", "#include <rhyton/framework/backends/cpu/matmul.h>", "nothing includes framework/backends"),
    ("models/model.cc", "#include <rhyton/tests/support/golden.h>", "models may not include tests"),
    ("apps/demo.cc", "#include <rhyton/framework/backends/cpu/matmul.h>", "nothing includes framework/backends"),
    ("models/model.cc", "#include <Eigen/Dense>", "Eigen may be included only in"),
    ("models/model.cc", "  #  include <hdf5.h>", "HDF5, zip and stb may be included only in"),
    ("datasets/images.cc", "#include <stb_image.h>", "HDF5, zip and stb may be included only in"),
    ("models/saving/zip.cc", "#include <zip.h>", "HDF5, zip and stb may be included only in"),
    ("framework/device/device.cc", "#include <cuda_runtime.h>", "CUDA, cuDNN and cuBLAS may be included only in"),
    ("framework/distribute/reduce.cc", "#include <cudnn.h>", "CUDA, cuDNN and cuBLAS may be included only in"),
    ("models/model.cc", "#include <mpi.h>", "NCCL and MPI may be included only in"),
    ("models/model.h", "#include <nlohmann/json.hpp>", "a public header includes the standard library"),
    ("models/model.h", "#include <fmt/format.h>", "a public header includes the standard library"),
    ("models/model.cc", '#include "model.h"', "every include is written with angle brackets"),
    ("tests/models/model_test.cc", '#include "support.h"', "every include is written with angle brackets"),
    ("framework/tensor/utils.h", "", "the name 'utils' says nothing"),
    ("layers/common.cc", "", "the name 'common' says nothing"),
    ("tests/layers/test_helpers.h", "", "the name 'test_helpers' says nothing"),
    ("models/misc.h", "", "the name 'misc' says nothing"),
    ("models/model.cc", 'auto* home = std::getenv("HOME");', "reading the environment"),
    ("layers/conv.cc", 'std::cerr << "Warning: ";', "messages on the standard error"),
    ("framework/kitchen/sink.h", "", "is in no module of the table"),
    ("framework/ops/matmul.cc", "#include <vector>\n#include <rhyton/framework/ops/matmul.h>",
     "the first include of a source is its header"),
    ("framework/ops/matmul.cc", "", "the first include of a source is its header"),
    ("models/model.cc", "#include <rhyton/framework/kitchen/sink.h>", "is in no module of the table"),
]


def check(files):
    with tempfile.TemporaryDirectory(prefix="rhyton-structure-") as name:
        root = pathlib.Path(name)
        for path, text in files.items():
            file = root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            once = "#pragma once\n" if path.endswith(".h") else ""
            file.write_text(f"{once}{text}\n", encoding="utf-8")
        return check_includes.check_tree(root)


class CheckIncludes(unittest.TestCase):
    def test_a_tree_that_keeps_the_rules_is_accepted(self):
        violations, _, count = check(GOOD)
        self.assertEqual(violations, [])
        self.assertEqual(count, len(GOOD))

    def test_each_violation_is_reported(self):
        for path, text, expected in BAD:
            with self.subTest(path=path, text=text):
                violations, _, _ = check({**GOOD, path: text})
                self.assertEqual(len(violations), 1, violations)
                self.assertIn(expected, violations[0])
                self.assertTrue(violations[0].startswith(path), violations[0])

    def test_a_public_header_without_pragma_once_is_reported(self):
        with tempfile.TemporaryDirectory(prefix="rhyton-structure-") as name:
            header = pathlib.Path(name, "framework", "error.h")
            header.parent.mkdir()
            header.write_text("#include <stdexcept>\n", encoding="utf-8")
            violations, _, _ = check_includes.check_tree(pathlib.Path(name))
        self.assertEqual(violations, ["framework/error.h: a header has `#pragma once`"])

    def test_a_cycle_is_reported_once_with_its_path(self):
        violations, _, _ = check({
            **GOOD,
            "layers/a.h": "#include <rhyton/layers/b.h>",
            "layers/b.h": "#include <rhyton/layers/c.h>",
            "layers/c.h": "#include <rhyton/layers/a.h>",
        })
        self.assertEqual(violations,
                         ["layers/a.h: cycle of includes: layers/a.h -> layers/b.h -> layers/c.h -> layers/a.h"])

    def test_a_crowded_file_is_noted_and_accepted(self):
        violations, notes, _ = check({**GOOD, "layers/conv.cc": "\n" * 600})
        self.assertEqual(violations, [])
        self.assertEqual(len(notes), 1)


if __name__ == "__main__":
    unittest.main()
