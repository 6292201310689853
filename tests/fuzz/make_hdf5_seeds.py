#!/usr/bin/env python3
"""Writes seeds/weights/*.h5 with h5py: small files of every kind that Keras and others write.

    make_hdf5_seeds.py      needs h5py; the files are committed, run it only to change them
"""

import pathlib

import h5py
import numpy as np

FOLDER = pathlib.Path(__file__).resolve().parent / "seeds" / "weights"


def legacy(file):
    """Whole models in H5 as written by Keras 2 and 3."""
    file.attrs["keras_version"] = "3.5.0"
    file.attrs["backend"] = b"tensorflow"
    file.attrs["model_config"] = '{"class_name": "Sequential", "config": {"name": "s", "layers": []}}'
    weights = file.create_group("model_weights")
    weights.attrs["layer_names"] = np.array([b"dense", b"flatten"])
    weights.create_group("flatten").attrs["weight_names"] = []
    dense = weights.create_group("dense")
    dense.attrs["weight_names"] = np.array([b"dense/kernel:0", b"dense/bias:0"])
    dense["dense/kernel:0"] = np.arange(6, dtype="float32").reshape(2, 3)
    dense["dense/bias:0"] = np.zeros(3, "float32")


def types(file):
    for name in ["<f2", "<f4", ">f8", "|i1", "<i2", ">i4", "<i8", "|u1", "<u2", "<u4", "<u8", "|b1"]:
        file.create_dataset(name, data=np.arange(3).astype(name))
    file["scalar"] = np.float32(2)
    file["empty"] = np.zeros((0, 2), "float32")
    file["text"] = "some text"
    file["bfloat16"] = np.zeros(2, "V2")
    file["bfloat16"].attrs["dtype"] = "bfloat16"


def chunks(file):
    data = np.arange(40, dtype="float32").reshape(10, 4)
    file.create_dataset("plain", data=data, chunks=(3, 4))
    file.create_dataset("packed", data=data, chunks=(4, 2), compression="gzip", shuffle=True, fletcher32=True)
    file.create_dataset("growing", data=data, chunks=(5, 4), maxshape=(None, 4), compression="gzip")
    file.create_dataset("nothing", shape=(5, 5), dtype="float32", chunks=(2, 2), fillvalue=3.0)


def links(file):
    file["a/b/c"] = np.zeros(2, "float32")
    file["a/soft"] = h5py.SoftLink("/a/b")
    file["a/external"] = h5py.ExternalLink("other.h5", "/x")
    file["a/hard"] = file["a/b/c"]
    file["a/b/circle"] = file["a"]


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    for fill in [legacy, types, chunks, links]:
        for libver in ["earliest", "latest"]:
            with h5py.File(FOLDER / f"{fill.__name__}_{libver}.h5", "w", libver=libver) as file:
                fill(file)


if __name__ == "__main__":
    main()
