#!/usr/bin/env python3
"""Matrix products, decompositions and Fourier transforms by NumPy's wheel, with its OpenBLAS."""

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


def linear_algebra():
    cases = {}
    for size in measurement.CHOLESKY_SIZES:
        x = synthetic.positive_definite(size)
        cases[f"cholesky {size}"] = measurement.seconds_per_call(lambda x=x: np.linalg.cholesky(x))
    for size in measurement.SVD_SIZES:
        x = synthetic.normal(size, size)
        cases[f"svd {size}"] = measurement.seconds_per_call(lambda x=x: np.linalg.svd(x, full_matrices=False))
    for shape in measurement.FFT_SHAPES:
        x = synthetic.complex_vectors(*shape)
        cases[f"fft {shape[0]}×{shape[1]}"] = measurement.seconds_per_call(lambda x=x: np.fft.fft(x))
    return {"cases": cases}


blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
measurement.run(
    {"matmul": matmul, "linear_algebra": linear_algebra},
    arguments,
    arguments.threads,
    f"NumPy {np.__version__} with OpenBLAS {blas['version']}",
    [],
)
