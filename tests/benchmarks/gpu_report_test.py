#!/usr/bin/env python3
"""The report of scripts/gpu_check.sh gives the requirements that are met, and the outcome of tests, however their
processes ended.
"""

import json
import pathlib
import re
import tempfile
import unittest

import gpu_musts
import gpu_report
import gpu_tests

MNIST = "MNIST CNN, batch 64"
RESNET = "ResNet-20, batch 512, bfloat16"
GOOD_SECONDS = {
    (MNIST, "Rhyton"): 0.1,
    (MNIST, "PyTorch eager"): 0.6,
    (MNIST, "PyTorch graph"): 0.11,
    (MNIST, "Rhyton, two logical GPUs"): 0.125,
    (RESNET, "Rhyton"): 0.004,
    (RESNET, "PyTorch compiled"): 0.005,
    ("product 10000, float32", "Rhyton"): 0.0401,
    ("product 10000, float32", "PyTorch eager"): 0.04,
    ("product 10000, TensorFloat-32", "Rhyton"): 0.0051,
    ("product 10000, TensorFloat-32", "PyTorch eager"): 0.005,
    ("encoder block", "Rhyton"): 0.0006,
    ("encoder block", "PyTorch graph"): 0.00065,
    ("LSTM", "Rhyton"): 0.0005,
    ("LSTM", "PyTorch graph"): 0.0006,
    ("GRU", "Rhyton"): 0.0005,
    ("GRU", "PyTorch graph"): 0.0005,
}
GOOD_CLOCKS = [[(1.6, 0.981), (1.7, 0.989)], [(1.2, 0.982), (1.3, 0.988), (1.4, 0.99)]]
GOOD_TESTS = {name: "passed" for name in gpu_musts.LABEL_TESTS}
# The change that makes each requirement of GOOD_SECONDS unmet, in their order.
BAD_SECONDS = [
    {(MNIST, "Rhyton"): 0.121},
    {(MNIST, "PyTorch eager"): 0.49},
    {(MNIST, "PyTorch graph"): 0.099},
    {},
    {(RESNET, "PyTorch compiled"): 0.0039},
    {("product 10000, float32", "Rhyton"): 0.042},
    {("product 10000, TensorFloat-32", "Rhyton"): 0.0052},
    {(MNIST, "Rhyton, two logical GPUs"): 0.14},
    {("encoder block", "Rhyton"): 0.0007},
    {("LSTM", "PyTorch graph"): 0.0004},
    {("GRU", "Rhyton"): 0.00051},
]


def met(seconds=None, clocks=None, tests=None):
    seconds = GOOD_SECONDS if seconds is None else seconds
    clocks = GOOD_CLOCKS if clocks is None else clocks
    tests = GOOD_TESTS if tests is None else tests
    return [must.met for must in gpu_musts.musts(gpu_musts.Measured(seconds, clocks, tests))]

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
CHECK = (REPOSITORY / "scripts/gpu_check.sh").read_text(encoding="utf-8")
LIMITS = {name: int(seconds) for name, seconds in re.findall(r"\[(\w+)\]=(\d+)", CHECK)}


def documented_calls(text):
    """The sections of each call that names its folder."""
    return [sections.split(",") for sections in re.findall(r"--out \S+ --require-gpu --only (\S+)", text)]


class DocumentedCalls(unittest.TestCase):
    def test_each_ends_within_nine_minutes(self):
        for sections in documented_calls(CHECK):
            with self.subTest(sections=sections):
                # Besides the sections, at most 30 s for unpacking, reports and packing.
                self.assertLessEqual(sum(LIMITS[name] for name in sections) + 30, 9 * 60)

    def test_together_they_run_every_section_once(self):
        sections = [name for call in documented_calls(CHECK) for name in call]
        self.assertEqual(sections, list(gpu_report.SECTIONS))
        self.assertEqual(sections, list(LIMITS))

    def test_the_page_has_the_same(self):
        page = (REPOSITORY / "docs/gpu.md").read_text(encoding="utf-8")
        self.assertEqual(documented_calls(page), documented_calls(CHECK))

    def test_sanitizers_have_time(self):
        for name in ("memcheck", "racecheck", "initcheck", "synccheck"):
            self.assertGreaterEqual(LIMITS[name], 150)

    def test_the_shards_of_a_sanitizer_fit_into_its_section(self):
        text = (REPOSITORY / "scripts/gpu_sections.sh").read_text(encoding="utf-8")
        bodies = re.findall(r"^sanitize_(?:own|all)\(\) \{\n(.*?)^\}", text, re.MULTILINE | re.DOTALL)
        self.assertEqual(len(bodies), 2)
        for body in bodies:
            rounds = [int(seconds) + 5 for seconds in re.findall(r"\bsanitize (\d+) ", body)]  # 5 s until it is killed
            self.assertLess(sum(rounds), LIMITS["racecheck"])


class Musts(unittest.TestCase):
    def test_all_are_met_by_good_numbers(self):
        self.assertEqual(met(), [True] * 12)

    def test_none_is_met_by_what_was_not_measured(self):
        self.assertEqual(met({}, [[], []], {}), [None] * 12)

    def test_each_is_unmet_beyond_its_limit(self):
        for index, bad in enumerate(BAD_SECONDS):
            if bad:
                with self.subTest(bad=bad):
                    self.assertIs(met({**GOOD_SECONDS, **bad})[index], False)

    def test_the_second_run_of_the_clock_counts(self):
        self.assertIs(met(clocks=[[(1.0, 0.99)], [(2.1, 0.99)]])[3], False)
        self.assertIs(met(clocks=[[(1.0, 0.99)], [(1.0, 0.98), (1.5, 0.986)]])[3], False)
        self.assertIs(met(clocks=[[(2.5, 0.99)], [(1.9, 0.987)]])[3], True)
        self.assertIsNone(met(clocks=[[(1.0, 0.99)], []])[3])

    def test_both_tests_of_labels_must_have_passed(self):
        first, second = gpu_musts.LABEL_TESTS
        self.assertIs(met(tests={**GOOD_TESTS, second: "failed"})[-1], False)
        self.assertIsNone(met(tests={first: "passed"})[-1])


class Shards(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="rhyton-report-")
        self.addCleanup(folder.cleanup)
        self.logs = pathlib.Path(folder.name)

    def write(self, shard, log="", status=0, cases=None):
        """`cases`: the message of each finished test, empty if it passed; None: gtest has written nothing."""
        (self.logs / f"tests.shard{shard}.log").write_text(log, encoding="utf-8")
        (self.logs / f"tests.shard{shard}.status").write_text(f"{status}\n", encoding="utf-8")
        if cases is not None:
            lines = [
                f'<testcase classname="{name.split(".")[0]}" name="{name.split(".")[1]}" result="completed">'
                + (f'<failure message="{message}"/>' if message else "")
                + "</testcase>"
                for name, message in cases.items()
            ]
            text = f'<testsuites time="1.5"><testsuite>{"".join(lines)}</testsuite></testsuites>'
            (self.logs / f"tests.shard{shard}.xml").write_text(text, encoding="utf-8")

    def read(self, filters=None):
        return gpu_tests.read_tests(self.logs, "tests", filters)

    def test_are_added_up(self):
        self.write(0, cases={"A.One": "", "B.Two": ""})
        self.write(1, cases={"A.Three": "wrong"}, status=1)
        tests = self.read()
        self.assertEqual(tests.outcomes, {"A.One": "passed", "B.Two": "passed", "A.Three": "failed"})
        self.assertFalse(tests.passed)
        self.assertEqual(tests.seconds, 3)
        self.assertEqual(tests.excerpts, ["A.Three\nwrong"])

    def test_without_an_end_are_a_problem_and_name_the_last_test(self):
        self.write(0, cases={"A.One": ""})
        log = "[ RUN      ] A.Two\n[       OK ] A.Two (3 ms)\n[ RUN      ] A.Three\nCUDA error\n"
        self.write(1, log=log, status=139)
        tests = self.read()
        self.assertFalse(tests.passed)
        self.assertEqual(tests.outcomes["A.Two"], "passed")
        self.assertEqual(
            tests.problems, ["shard1 did not come to its end (signal 11): the last test that began is A.Three"]
        )

    def test_ended_by_a_signal_behind_their_tests_count_with_a_note(self):
        self.write(0, cases={"A.One": ""}, status=139)
        tests = self.read()
        self.assertTrue(tests.passed)
        self.assertEqual(tests.notes, ["shard0: signal 11 after its tests"])

    def test_with_errors_that_the_sanitizer_found_are_a_problem(self):
        self.write(0, cases={"A.One": ""}, log="========= Race\n========= ERROR SUMMARY: 2 errors\n", status=9)
        tests = self.read()
        self.assertFalse(tests.passed)
        self.assertEqual(tests.problems, ["shard0: ERROR SUMMARY: 2 errors"])

    def test_that_run_nothing_are_a_problem(self):
        self.write(0, cases={})
        self.assertEqual(self.read().problems, ["no test has run"])
        self.assertFalse(self.read().passed)

    def test_of_which_a_pattern_selects_none_are_a_problem(self):
        self.write(0, cases={"A.One": ""})
        self.assertEqual(self.read("A.*:B.T*").problems, ["B.T* selects no test"])
        self.assertTrue(self.read("A.*").passed)

    def test_that_never_began_are_nothing(self):
        self.assertIsNone(self.read())


class Page(unittest.TestCase):
    def test_begins_with_the_musts_and_reads_what_programs_print(self):
        with tempfile.TemporaryDirectory(prefix="rhyton-report-") as name:
            folder = pathlib.Path(name)
            logs = folder / "logs"
            logs.mkdir()
            row = "(10000, 10000)   /device:GPU:0           20          40.0000     50000.0\n"
            epochs = "900 ms  Epoch 1/2\n1200 ms  938/938 - 0s - val_accuracy: 0.9880 - val_loss: 0.04\n"
            own = {"cases": {"epoch": 0.1}, "loss": 0.02, "accuracy": 0.99, "device": "/device:GPU:0"}
            recurrent = {"cases": {"LSTM": 0.5, "GRU": 0.25}}
            written = {
                "rhyton.section": "rhyton\tpassed\t60\t120\t\n",
                "rhyton.jsonl": json.dumps({"case": MNIST, "program": "Rhyton", "result": own})
                + "\n"
                + json.dumps({"case": "recurrent", "program": "Rhyton", "result": recurrent})
                + '\n{"cut',
                "torch.jsonl": json.dumps({"case": MNIST, "program": "PyTorch eager", "seconds": 0.8, "unit": "epoch"}),
                "rhyton.products_float32.log": row,
                "rhyton.clock2.log": epochs,
            }
            for file, text in written.items():
                (logs / file).write_text(text, encoding="utf-8")
            gpu_report.write(folder, is_trial=False)
            report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
            page = (folder / "report.md").read_text(encoding="utf-8")
        musts = {must["what"]: must for must in report["musts"]}
        self.assertIs(musts["the same / PyTorch eager"]["met"], True)
        self.assertEqual(musts["the same / PyTorch eager"]["measured"], "0.125")
        self.assertIs(report["musts"][3]["met"], True)
        steps = {entry["case"]: entry["seconds"] for entry in report["results"] if entry.get("unit") == "step"}
        self.assertEqual(steps, {"LSTM": 0.5, "GRU": 0.25})
        self.assertEqual(page.index("## "), page.index("## Musts"))
        self.assertIn("| MNIST CNN, batch 64: seconds per epoch | 0.1 s | <= 0.12 s | yes |", page)
        self.assertIn("| product 10000, float32 | ms per product | 40.000 |", page)


if __name__ == "__main__":
    unittest.main()
