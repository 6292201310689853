#!/usr/bin/env python3
"""Matrix products by the OpenBLAS of NumPy's wheel."""

import measurement

arguments = measurement.parse_arguments(__doc__)
measurement.restart_with({**measurement.TUNED_MALLOC, "OPENBLAS_NUM_THREADS": str(arguments.threads)})

import numpy as np  # noqa: E402

import synthetic  # noqa: E402


def matmul():
    cases = {}
    for size in measurement.MATMUL_SIZES:
        a, b = synthetic.normal(size, size), synthetic.normal(size, size)
        product = np.empty_like(a)
        cases[str(size)] = measurement.seconds_per_call(lambda: np.matmul(a, b, out=product))
    return {"cases": cases}


blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
measurement.run(
    {"matmul": matmul}, arguments, arguments.threads, f"NumPy {np.__version__} with OpenBLAS {blas['version']}", []
)
