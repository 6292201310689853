"""Dtypes and values of functions of two tensors in keras.ops, called on a tensor and one of Python's numbers."""

import json
import os
import warnings

from common import FOLDER, keras
from make_arithmetic import DTYPES, outcome, tensor

FUNCTIONS = [
    "arctan2", "hypot", "heaviside", "logaddexp", "logaddexp2", "fmax", "fmin", "divide_no_nan", "gcd", "lcm", "isclose",
    "floor_divide", "mod", "fmod", "bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift",
]  # fmt: skip
NUMBERS = [3, 0, 2.5, True]


def main():
    warnings.simplefilter("ignore")
    results = {}
    for name in FUNCTIONS:
        function = getattr(keras.ops, name)
        results[name] = {}
        for dtype in DTYPES:
            x = tensor([1, 0, 7], dtype)
            for value in NUMBERS:
                results[name][f"{dtype} {value} second"] = outcome(function, x, value)
                results[name][f"{dtype} {value} first"] = outcome(function, value, x)
    with open(os.path.join(FOLDER, "number_operands.json"), "w", encoding="utf-8") as f:
        lines = [f"{json.dumps(name)}: {json.dumps(cases, allow_nan=False)}" for name, cases in results.items()]
        f.write("{" + ",\n".join(lines) + "}\n")
    print(f"number_operands: {len(results)} functions")


if __name__ == "__main__":
    main()
