#!/usr/bin/env python3
"""The sections that benchmarks/compare.py writes name the programs that took part, and show what was measured."""

import unittest

from comparison import tables, workloads

PREDICT = workloads.ALL["predict"]


def results(program_seconds):
    """As `measuring.measure` gives them, with one case and one thread."""
    return {
        (program, 1): [{"cases": {"batch 64": value}, "peak_rss_mb": 1} for value in seconds]
        for program, seconds in program_seconds.items()
    }


class Comparison(unittest.TestCase):
    def test_several_rounds_have_a_median_and_limits(self):
        self.assertEqual(tables.spread([3, 1, 2]), "2.00 (1.00–3.00)")

    def test_one_round_is_a_plain_number(self):
        self.assertEqual(tables.spread([1.25], 1), "1.2")
        section = tables.workload_section(PREDICT, results({"Rhyton": [0.5], "PyTorch": [1.0]}), "head")
        self.assertIn("| batch 64 | 1 | 0.500 | 1.000 | 0.50, PyTorch |", section)

    def test_a_description_has_the_forms_of_all_programs(self):
        section = tables.workload_section(PREDICT, results({name: [1.0, 2.0] for name in PREDICT.programs}), "head")
        self.assertIn("test images. Rhyton and Keras: `predict`; PyTorch: a loop over batches.\n", section)

    def test_a_description_leaves_out_programs_that_did_not_run(self):
        without_keras = PREDICT.description({"Rhyton", "PyTorch"})
        self.assertTrue(without_keras.endswith("Rhyton: `predict`; PyTorch: a loop over batches."))
        self.assertNotIn("PyTorch", PREDICT.description({"Rhyton", "Keras + JAX"}))
        self.assertEqual(workloads.ALL["matmul"].description({"Rhyton"}), "float32.")

    def test_a_text_for_all_programs_names_none(self):
        for name, workload in workloads.ALL.items():
            for program in ("Rhyton", "Keras", "PyTorch", "NumPy"):
                self.assertNotIn(program, workload.text, name)

    def test_every_form_belongs_to_a_program(self):
        for name, workload in workloads.ALL.items():
            complete = workload.description(workload.programs)
            for form in workload.forms.values():
                self.assertIn(form, complete, name)


if __name__ == "__main__":
    unittest.main()
