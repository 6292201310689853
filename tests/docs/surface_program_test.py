#!/usr/bin/env python3
"""make_surface_program.py calls every name that is there, and reports tables that do not fit together."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(sys.argv.pop(1)).resolve() / "make_surface_program.py"

SURFACE = [
    "layers\tDense\tpartly\t\tno LoRA",
    "layers\tFlatten\thave\t\t",
    "layers\tMaxPool1D/MaxPooling1D\thave\tMaxPooling1D\t",
    "layers\tAugMix\tmiss\t\t",
    "layers\tInputSpec\tpartly\t\tno public class",
    "losses\tHuber\thave\t\t",
    "losses\thinge\thave\t\t",
    "metrics\tAUC\thave\t\t",
    "metrics\taccuracy\thave\t\t",
    "metrics\thinge\thave\tlosses::hinge\t",
    "optimizers\tSGD\thave\t\t",
    "schedules\tCosineDecay\thave\t\t",
    "initializers\tOnes/ones\thave\tOnes\t",
    "regularizers\tL1/l1\thave\tL1\t",
    "constraints\tNonNeg/non_neg\thave\tNonNeg\t",
    "activations\tsilu/swish\thave\tsilu\t",
    "ops\tamax\thave\tmax\t",
    "ops\tzeros\thave\tTensor::zeros\t",
    "random\tnormal\thave\t\t",
    "callbacks\tEarlyStopping\thave\t\t",
    "applications\tVGG16\thave\t\t",
    "ops.image\tresize\thave\t\t",
]
CALLS = [
    "layers\tDense\tlayers::Dense(4)(x2())",
    "layers\tInputSpec\tnone",
    "ops.image\tresize\timage::resize(x2(), {3, 4})",
    "ops\tzeros\tTensor::zeros({2, 3})",
]


class Program(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def errors(self, surface, calls):
        heads = {"surface.tsv": "area\tname\tstatus\trhyton\tremark", "calls.tsv": "area\tname\tcall"}
        files = {name: [head, *rows] for (name, head), rows in zip(heads.items(), (surface, calls))}
        for name, lines in files.items():
            (self.root / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
        command = [sys.executable, SCRIPT, *(self.root / name for name in files), self.root]
        outcome = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual(outcome.returncode, 1 if outcome.stdout else 0, outcome.stderr)
        return outcome.stdout

    def program(self, group):
        return (self.root / f"surface_{group}.cc").read_text(encoding="utf-8")

    def test_calls_what_is_there(self):
        self.assertEqual(self.errors(SURFACE, CALLS), "")
        calls = {
            "layer": [
                "layers::Dense(4)(x2())",
                "layers::Flatten()(x2())",
                "layers::MaxPooling1D()(x1())",
                "applications::VGG16({.weights = std::nullopt, .input_shape = {32, 32, 3}})",
                "image::resize(x2(), {3, 4})",
            ],
            "op": ["ops::max(x2())", "Tensor::zeros({2, 3})", "random::normal({2, 3})", "activations::silu(x2())"],
            "training": [
                "initializers::Ones()({4, 4})",
                "regularizers::L1()(x0())",
                "constraints::NonNeg()(x0())",
                "losses::Huber()(y_true(), y_pred())",
                "losses::hinge(y_true(), y_pred())",
                "measure(metrics::AUC())",
                "metrics::accuracy(y_true(), y_pred())",
                "value_after_step(optimizers::SGD())",
                "optimizers::schedules::CosineDecay(0.1, 10)(step())",
            ],
        }
        for group, expected in calls.items():
            program = self.program(group)
            self.assertIn(f"{group}_calls() {{", program)
            for call in expected:
                self.assertIn(f"require_result({call});", program)
        hinge = '{"metrics", "hinge", [] { require_result(losses::hinge(y_true(), y_pred())); }},'
        self.assertIn(hinge, self.program("training"))
        self.assertIn(f'#line 3 "{self.root}/surface.tsv"\n{{"layers", "Flatten"', self.program("layer"))
        for name in ("AugMix", "InputSpec", "EarlyStopping"):
            self.assertNotIn(name, "".join(map(self.program, calls)))

    def test_reports_a_call_of_the_name_in_another_namespace(self):
        calls = [*CALLS, "metrics\thinge\tlosses::huber(y_true(), y_pred())"]
        self.assertIn("the call of metrics hinge does not name losses::hinge", self.errors(SURFACE, calls))

    def test_reports_calls_of_something_else(self):
        calls = ["layers\tDense\tlayers::Flatten()(x2())", *CALLS[1:]]
        self.assertIn("the call of layers Dense does not name Dense", self.errors(SURFACE, calls))

    def test_reports_names_that_keras_lacks(self):
        calls = [*CALLS, "layers\tDens\tlayers::Dens()(x2())"]
        self.assertIn("layers Dens has a call, but is no name of Keras", self.errors(SURFACE, calls))

    def test_reports_names_that_are_there_without_a_call(self):
        calls = [*CALLS, "layers\tFlatten\tnone"]
        self.assertIn("layers Flatten is there, but has no call", self.errors(SURFACE, calls))

    def test_reports_two_calls(self):
        self.assertIn("layers Dense has two calls", self.errors(SURFACE, [*CALLS, CALLS[0]]))


if __name__ == "__main__":
    unittest.main()
