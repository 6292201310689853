"""pickles.json, pickles.npz and pickles/: files of Python's pickle and archives of files.

pickles/cifar_batch has the opcodes of Python 2, with which the batches of CIFAR-10 are written, and pickles/cifar_train
those of CIFAR-100; the golden arrays are what `keras.datasets` reads from them. pickles/values_<protocol> has plain values
and arrays as Python 3 writes them. pickles/files.tar.gz, files_gnu.tar and files.zip have files with short and long names,
the tar files also a link and paths outside of the folder, as outside.zip has.
"""

import gzip
import io
import os
import pickle
import struct
import tarfile
import zipfile

from common import FOLDER
from common import Golden
from common import np
from common import rng_for
from keras.src.datasets import cifar

COUNT = 3
folder = os.path.join(FOLDER, "pickles")
os.makedirs(folder, exist_ok=True)


def write(name, content):
    with open(os.path.join(folder, name), "wb") as file:
        file.write(content)


class Python2:
    """The opcodes that `cPickle.dump(batch, file, 2)` of Python 2 writes."""

    def __init__(self):
        self.memo = 0

    def put(self):
        self.memo += 1
        return b"q" + bytes([self.memo]) if self.memo < 256 else b"r" + struct.pack("<I", self.memo)

    def text(self, value):
        value = value if isinstance(value, bytes) else value.encode()
        head = b"U" + bytes([len(value)]) if len(value) < 256 else b"T" + struct.pack("<I", len(value))
        return head + value + self.put()

    def number(self, value):
        return b"K" + bytes([value]) if value < 256 else b"M" + struct.pack("<H", value)

    def list(self, items):
        return b"]" + self.put() + b"(" + b"".join(items) + b"e"

    def array(self, array):
        shape = self.number(array.shape[0]) + self.number(array.shape[1]) + b"\x86" + self.put()
        dtype = (
            b"cnumpy\ndtype\n" + self.put() + self.text("u1") + b"K\x00K\x01\x87" + self.put() + b"R" + self.put()
            + b"(K\x03" + self.text("|") + b"NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00t" + self.put() + b"b"
        )
        return (
            b"cnumpy.core.multiarray\n_reconstruct\n" + self.put() + b"cnumpy\nndarray\n" + self.put() + b"K\x00\x85"
            + self.put() + self.text("b") + b"\x87" + self.put() + b"R" + self.put() + b"(K\x01" + shape + dtype
            + b"\x89" + self.text(array.tobytes()) + b"t" + self.put() + b"b"
        )

    def dump(self, entries):
        body = b"".join(self.text(key) + value(self) for key, value in entries.items())
        return b"\x80\x02}" + self.put() + b"(" + body + b"u."


golden = Golden("pickles")
rng = rng_for("pickles")
data = rng.integers(0, 256, (COUNT, 3072), dtype=np.uint8)
names = [b"image_%d.png" % i for i in range(COUNT)]


def labels(values):
    return lambda p: p.list([p.number(v) for v in values])


write(
    "cifar_batch",
    Python2().dump(
        {
            "batch_label": lambda p: p.text("testing batch 1 of 1"),
            "labels": labels([6, 9, 0]),
            "data": lambda p: p.array(data),
            "filenames": lambda p: p.list([p.text(n) for n in names]),
        }
    ),
)
write(
    "cifar_train",
    Python2().dump(
        {
            "filenames": lambda p: p.list([p.text(n) for n in names]),
            "fine_labels": labels([19, 99, 0]),
            "coarse_labels": labels([11, 19, 0]),
            "data": lambda p: p.array(data),
        }
    ),
)
for name, key in [("cifar_batch", "labels"), ("cifar_train", "fine_labels"), ("cifar_train", "coarse_labels")]:
    images, found = cifar.load_batch(os.path.join(folder, name), label_key=key)
    golden.add(
        {"name": f"{name}/{key}", "file": name, "key": key},
        {"images": images.transpose(0, 2, 3, 1), "first": images, "labels": np.reshape(found, (-1, 1)).astype("uint8")},
    )

values = {
    "none": None,
    "true": True,
    "integers": [0, 255, 65535, -1, 2**31, -(2**40)],
    "real": 0.1,
    "text": "größer",
    "bytes": b"\x00\xff\x80",
    "tuple": (1, (2, "three")),
    "empty": [[], (), {}],
    "same": None,
    "array": np.arange(6, dtype="float32").reshape(2, 3),
    "fortran": np.asfortranarray(np.arange(6, dtype="int64").reshape(2, 3)),
}
values["same"] = values["tuple"]
for protocol in [2, 3, 4]:
    write(f"values_{protocol}", pickle.dumps(values, protocol=protocol))


class Stranger:
    pass


write("stranger", pickle.dumps({"a": Stranger()}, protocol=2))
itself = []
itself.append(itself)
write("itself", pickle.dumps(itself, protocol=2))

long_name = "folder/" + "long" * 40 + ".txt"


def make_tar(name, mode, format):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=format) as tar:
        def add(path, content=b"", **attributes):
            info = tarfile.TarInfo(path)
            info.size = len(content)
            for key, value in attributes.items():
                setattr(info, key, value)
            tar.addfile(info, io.BytesIO(content))

        add("folder", type=tarfile.DIRTYPE)
        add("folder/short.txt", b"short")
        add(long_name, b"x" * 600)
        add("../outside.txt", b"outside")
        add("/absolute.txt", b"absolute")
        add("link", type=tarfile.SYMTYPE, linkname="/etc/passwd")
        add("folder/empty.txt")
    content = buffer.getvalue()
    write(name, gzip.compress(content, mtime=0) if mode == "w:gz" else content)


make_tar("files.tar.gz", "w:gz", tarfile.PAX_FORMAT)
make_tar("files_gnu.tar", "w", tarfile.GNU_FORMAT)
for name, first in [("files.zip", "folder/empty.txt"), ("outside.zip", "../outside.txt")]:
    with zipfile.ZipFile(os.path.join(folder, name), "w") as archive:
        for path, content in [("folder/", b""), (first, b""), ("folder/short.txt", b"short"), (long_name, b"x" * 600)]:
            archive.writestr(zipfile.ZipInfo(path), content)
golden.save()
