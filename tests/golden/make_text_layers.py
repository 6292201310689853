"""text_layers.json: StringLookup, IntegerLookup, TextVectorization, Hashing and HashedCrossing on chosen and on random
strings.

    make_text_layers.py [--seed SEED] [--count COUNT] [--output FILE]

The random cases follow from the seed, which is printed: with another seed and a larger count, the same test compares
more of them."""

import argparse
import json
import os
import random
import re

from common import FOLDER
from common import keras
from common import np
from common import serialized
from common import tf

L = keras.layers
parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--count", type=int, default=12)
parser.add_argument("--output", default=os.path.join(FOLDER, "text_layers.json"))
arguments = parser.parse_args()
print("seed", arguments.seed)
cases = []


def as_bytes(text):
    return text if isinstance(text, bytes) else text.encode()


def inline(value):
    """Each byte of a string is a character of the JSON string."""
    value = np.asarray(value)
    if value.dtype.kind in "OSU":
        return {
            "dtype": "string",
            "shape": list(value.shape),
            "values": [as_bytes(text).decode("latin-1") for text in value.ravel()],
        }
    values = value.ravel().tolist()
    return {"dtype": str(value.dtype), "shape": list(value.shape), "values": values}


def array(values):
    """An array of strings of Python, or of numbers."""
    values = np.array(values, dtype=object)
    is_text = values.size == 0 or isinstance(values.ravel()[0], (str, bytes))
    return values if is_text else values.astype("int64")


def tensor(value):
    value = np.asarray(value)
    return tf.constant(value, tf.string) if value.dtype == object else tf.constant(value)


def first_line(error):
    """What the layer said, without what Keras wraps around it."""
    lines = [line.strip() for line in str(error).replace("\x1b[1m", "").replace("\x1b[0m", "").split("\n")]
    line = [line for line in lines if line and not line.startswith("Exception encountered")][0]
    line = re.sub(r"^\{\{function_node .*?\}\} ", "", line).split(" name: ")[0]
    if "Summarized data" in line:
        line = re.search(r"Summarized data: b'(.*)'", line)[1]
    # How Python prints tensors.
    return line.split("Received: inputs=[<tf.Tensor")[0]


def called(name, layer, x, batches=()):
    """x: an array, or for HashedCrossing a list of them."""
    case = {"name": name} | {key: serialized(layer)[key] for key in ("module", "class_name", "config")}
    if batches:
        case["batches"] = [inline(batch) for batch in batches]
        if len(batches) == 1:
            layer.adapt(tensor(batches[0]))
        else:
            layer.adapt(iter([tensor(batch) for batch in batches]))
    if hasattr(layer, "get_vocabulary"):
        case["vocabulary"] = [
            as_bytes(token).decode("latin-1") if isinstance(token, (str, bytes)) else int(token)
            for token in layer.get_vocabulary()
        ]
        case["vocabulary_size"] = layer.vocabulary_size()
    inputs = x if isinstance(x, list) else [x]
    case["inputs"] = [inline(value) for value in inputs]
    try:
        tensors = [tensor(value) for value in inputs]
        output = layer(tensors if isinstance(x, list) else tensors[0])
        if isinstance(output, tf.RaggedTensor):
            return  # Rhyton has none, and throws
        case["output"] = inline(output.numpy())
    except (ValueError, TypeError, tf.errors.InvalidArgumentError) as error:
        case["error"] = first_line(error)
    cases.append(case)


# TextVectorization: shapes.

TEXTS = ["The cat; sat.", "the  DOG\tsat\n", "", "a b the"]
SHAPES = {
    "scalar": array(TEXTS[0]),
    "vector": array(TEXTS),
    "column": array([[text] for text in TEXTS]),
    "three_axes": array([[["the cat"], ["dog"]], [[""], ["sat sat the"]]]),
    "rows": array([["the", "cat"], ["sat", "the"]]),
    "no_texts": np.zeros((0,), object),
    "no_rows": np.zeros((0, 1), object),
}
WORDS = ["the", "sat", "cat", "the cat", "dog sat"]
for mode in ("int", "multi_hot", "count"):
    for split in ("whitespace", "character", None):
        for name, x in SHAPES.items():
            if split == "character" and name not in ("vector", "scalar"):
                continue
            for ngrams in (None, 2):
                layer = L.TextVectorization(vocabulary=WORDS, output_mode=mode, split=split, ngrams=ngrams, name="text")
                called(f"text/{mode}/{split}/{name}/{ngrams}", layer, x)
for name, x in SHAPES.items():
    # Without a split Keras fails on no texts at all.
    for split in ("whitespace", None) if name != "no_texts" else ("whitespace",):
        for length in (1, 3):
            layer = L.TextVectorization(vocabulary=WORDS, split=split, output_sequence_length=length, name="text")
            called(f"text/length/{split}/{name}/{length}", layer, x)
for ngrams in (0, 1, 3, (2,), (3, 1)):
    called(f"text/ngrams/{ngrams}", L.TextVectorization(vocabulary=WORDS, ngrams=ngrams, name="text"), SHAPES["vector"])
for standardize in (None, "lower", "strip_punctuation", "lower_and_strip_punctuation"):
    layer = L.TextVectorization(standardize=standardize, name="text")
    called(f"text/standardize/{standardize}", layer, SHAPES["vector"], [array(TEXTS)])
ODD = [
    "ÄÖ Straße ÉCOLE İstanbul",
    "emoji 😀😀 👩‍👩‍👧 e\u0301",
    "tab\tline\nreturn\rvt\x0bff\x0cnbsp\u00a0ls\u2028nel\u0085fs\x1cend",
    "!\"#$%&()*+,-./:;<=>?@[\\]^_`{|}~'",
    "«quoted» – dash… ¿punctuation? 、。",
    b"bad \xff\xfe \xc3( \xe2\x82 \xf0\x9f\x98 \xed\xa0\x80 \xc0\xaf end\xe2",
    b"\xf4\x90\x80\x80 \xf5 \x80 \xe0\x80\x80 nul\x00nul",
    "\ufeffbom [UNK] x" + "y" * 100,
]
for split in ("whitespace", "character", None):
    layer = L.TextVectorization(split=split, name="text")
    called(f"text/odd/{split}", layer, array(ODD), [array(ODD[:5])])
    layer = L.TextVectorization(split=split, standardize=None, output_mode="count", name="text")
    called(f"text/odd_count/{split}", layer, array(ODD), [array(ODD[:5])])

# Lookups: special tokens, modes, weights.

COLORS = ["red", "blue", "green"]
COLOR_ROWS = array([["red", "pink", ""], ["green", "[UNK]", "red"]])
INTEGERS = np.array([[12, 7, 0], [-5, -1, 12]])
for mode in ("int", "one_hot", "multi_hot", "count", "tf_idf"):
    for mask in (False, True):
        for oov in (0, 1, 3):
            options = {"num_oov_indices": oov, "output_mode": mode, "name": "lookup"}
            options |= {"idf_weights": [0.5, 1.25, 3.0]} if mode == "tf_idf" else {}
            layer = L.StringLookup(vocabulary=COLORS, mask_token="" if mask else None, **options)
            called(f"string/{mode}/{mask}/{oov}", layer, COLOR_ROWS)
            layer = L.IntegerLookup(vocabulary=[12, 36, -5], mask_token=0 if mask else None, **options)
            called(f"integer/{mode}/{mask}/{oov}", layer, INTEGERS)
    options = {"output_mode": mode, "name": "lookup"} | ({"idf_weights": [0.5, 1.25, 3.0]} if mode == "tf_idf" else {})
    for name, x in {
        "scalar": array("blue"),
        "vector": array(["red", "red", "x"]),
        "column": array([["red"], ["x"]]),
        "three_axes": array([[["red"], ["x"]], [["blue"], ["green"]]]),
        "none": np.zeros((0, 2), object),
    }.items():
        called(f"string/{mode}/{name}", L.StringLookup(vocabulary=COLORS, **options), x)
    layer = L.StringLookup(vocabulary=COLORS, max_tokens=7, pad_to_max_tokens=True, **options)
    called(f"string/{mode}/padded", layer, COLOR_ROWS)
for name, options in {
    "oov": {},
    "mask": {"mask_token": ""},
    "several": {"mask_token": "", "num_oov_indices": 2},
    "none": {"num_oov_indices": 0},
}.items():
    layer = L.StringLookup(vocabulary=COLORS, invert=True, name="lookup", **options)
    called(f"string/inverted/{name}", layer, np.array([[0, 1, 2], [3, 4, -1]]))
    if "mask_token" in options:
        options = options | {"mask_token": 0}
    layer = L.IntegerLookup(vocabulary=[12, 36, -5], invert=True, name="lookup", **options)
    called(f"integer/inverted/{name}", layer, np.array([[0, 1, 2], [3, 4, -1]]))
for name, options in {
    "floormod": {},
    "farmhash": {"oov_method": "farmhash"},
    "salt": {"oov_method": "farmhash", "salt": [133, -7]},
}.items():
    layer = L.IntegerLookup(vocabulary=[5], num_oov_indices=4, name="lookup", **options)
    called(f"integer/oov_method/{name}", layer, np.array([[-9, -4, 0, 5], [2**40, 3, 17, -(2**63)]]))
layer = L.StringLookup(vocabulary=["a"], num_oov_indices=5, salt=[1, 2], name="lookup")
called("string/salt", layer, array([["", "a", "b"], ["ä", "x" * 70, "y" * 300]]))
for name, vocabulary in {
    "with_special": ["", "[UNK]", "b", "a"],
    "with_one_special": ["[UNK]", "b", "a"],
    "unknown_is_a_token": ["b", "[UNK]"],
}.items():
    called(f"string/vocabulary/{name}", L.StringLookup(vocabulary=vocabulary, mask_token="" if name == "with_special" else
                                                       None, name="lookup"), array(["", "a", "b", "[UNK]"]))
layer = L.StringLookup(vocabulary=["[UNK]", "b", "a"], output_mode="tf_idf", idf_weights=[0.1, 0.2, 0.3], name="lookup")
called("string/vocabulary/weights_of_special", layer, array(["", "a", "b", "[UNK]"]))

# adapt.

DATA = array([["b", "a"], ["a", "c"], ["c", "[UNK]"], ["", "b"]])
for mode in ("int", "count", "tf_idf"):
    for name, options in {
        "all": {},
        "three": {"max_tokens": 3},
        "padded": {"max_tokens": 9, "pad_to_max_tokens": mode != "int"},
        "masked": {"mask_token": ""},
        "few": {"max_tokens": 2, "num_oov_indices": 3},
    }.items():
        layer = L.StringLookup(output_mode=mode, name="lookup", **options)
        called(f"string/adapt/{mode}/{name}", layer, array([["a", "c"], ["", "x"]]), [DATA])
    called(f"string/adapt/{mode}/vector", L.StringLookup(output_mode=mode, name="lookup"), array(["a"]),
           [array(["b", "a", "a", "z"])])
    called(f"string/adapt/{mode}/batches", L.StringLookup(output_mode=mode, name="lookup"), array(["a"]),
           [DATA, array([["z", "b"]]), array(["z", "b", "b"])])
    called(f"integer/adapt/{mode}", L.IntegerLookup(output_mode=mode, name="lookup"), INTEGERS,
           [np.array([[3, 12], [12, -5], [7, 7], [-1, 3]])])
    called(f"text/adapt/{mode}", L.TextVectorization(output_mode=mode, ngrams=2, name="text"), array(TEXTS),
           [array(TEXTS), array([["x y the"], ["the cat"]])])

# Hashing.

HASHED = array(["", "A", "omar", "stringer", "ä😀", b"\xff\x00", *("q" * n for n in (7, 8, 15, 16, 17, 33, 64, 65, 250))])
NUMBERS = np.array([[0, -1, 42], [7, 2**40, -(2**63)]])
for name, salt in {"farmhash": None, "salt": [133, 137], "number": 133}.items():
    for bins in (1, 3, 1000000007):
        called(f"hashing/{name}/{bins}", L.Hashing(bins, salt=salt, name="hashing"), HASHED)
        called(f"hashing/{name}/{bins}/numbers", L.Hashing(bins, salt=salt, name="hashing"), NUMBERS)
    called(f"hashing/{name}/masked", L.Hashing(5, salt=salt, mask_value="", name="hashing"), HASHED)
    called(f"hashing/{name}/masked_numbers", L.Hashing(5, salt=salt, mask_value=-1, name="hashing"), NUMBERS)
for mode in ("int", "one_hot", "multi_hot", "count"):
    for name, x in {"vector": array(["A", "B"]), "column": array([["A"], ["B"]]),
                    "rows": array([["A", "B", "A"], ["C", "D", ""]])}.items():
        called(f"hashing/{mode}/{name}", L.Hashing(4, output_mode=mode, name="hashing"), x)
    layer = L.Hashing(4, output_mode=mode, dtype="int32", name="hashing")
    called(f"hashing/{mode}/int32", layer, array([["A", "B", "A"], ["C", "D", ""]]))
called("hashing/masked_in_one_bin", L.Hashing(1, mask_value="", name="hashing"), HASHED)
called("hashing/floats", L.Hashing(9, name="hashing"), np.array([1.5, -2.7, 3.0]))
called("hashing/bools", L.Hashing(9, name="hashing"), np.array([True, False]))

# HashedCrossing.

A = ["A", "B", "ä", ""]
B = [101, -3, 0, 2**40]
for mode in ("int", "one_hot"):
    for name, (a, b) in {"scalar": ("A", 101), "vector": (A, B), "column": ([[x] for x in A], [[x] for x in B])}.items():
        layer = L.HashedCrossing(7, output_mode=mode, name="crossing")
        called(f"crossing/{mode}/{name}", layer, [array(a), array(b)])
for name, features in {"integers": [B, B], "strings": [A, A[::-1]], "three": [B, A, B[::-1]]}.items():
    for bins in (1, 10**12):
        layer = L.HashedCrossing(bins, name="crossing")
        called(f"crossing/{name}/{bins}", layer, [array(x) for x in features])
called("crossing/without_limit", L.HashedCrossing(0, name="crossing"), [array(A), array(B)])
called("crossing/int32", L.HashedCrossing(5, dtype="int32", name="crossing"), [array(A), array(B)])
called("crossing/rows", L.HashedCrossing(5, name="crossing"), [array([A]), array([B])])
called("crossing/shapes", L.HashedCrossing(5, name="crossing"), [array(A), array([[x] for x in B])])

# Random ones.

rng = random.Random(arguments.seed)
PIECES = [
    "a", "b", "A", "Z", "the", "The", " ", "  ", "\t", "\n", "\r\n", "\x0b", "\x0c", ".", ",", "'", "!?", "-", "_", "[UNK]",
    "é", "É", "ß", "İ", "😀", "👩‍👧", "e\u0301", "\u00a0", "\u2028", "\u0085", "\x1c", "中文", "\ufeff", "0", "12",
]  # fmt: skip
BROKEN = [b"\xff", b"\xc3", b"\xe2\x82", b"\xf0\x9f\x98", b"\xed\xa0\x80", b"\xc0\xaf", b"\x80", b"\xf4\x90", b"\x00", b"\xe0\x80"]


def random_text(is_valid=False, pieces=12):
    text = b""
    for _ in range(rng.randrange(pieces)):
        is_broken = not is_valid and rng.random() < 0.1
        text += rng.choice(BROKEN) if is_broken else rng.choice(PIECES).encode()
        if rng.random() < 0.3:
            text += b" "
    return text


def random_texts(shape, is_valid=False, pieces=12):
    values = np.empty(shape, object)
    values.ravel()[:] = [random_text(is_valid, pieces) for _ in range(values.size)]
    return values


for i in range(arguments.count):
    mode = rng.choice(["int", "int", "multi_hot", "count", "tf_idf"])
    options = {"output_mode": mode, "name": "text"}
    options["standardize"] = rng.choice([None, "lower", "strip_punctuation", "lower_and_strip_punctuation"])
    options["split"] = rng.choice(["whitespace", "character", None])
    options["ngrams"] = rng.choice([None, None, 1, 2, 3, (2,), (1, 3)])
    if rng.random() < 0.3:
        options["max_tokens"] = rng.randrange(3, 20)
        options["pad_to_max_tokens"] = mode != "int" and rng.random() < 0.5
    if mode == "int" and rng.random() < 0.5:
        options["output_sequence_length"] = rng.randrange(1, 8)
    # Keras decodes the vocabulary, and fails where it is not valid.
    data = [random_texts((rng.randrange(1, 8), 1), is_valid=True) for _ in range(rng.choice([1, 1, 2, 3]))]
    x = random_texts(rng.choice([(0, 1), (3,), (4, 1), (), (2, 2, 1)] if mode == "int" else [(3,), (4, 1)]))
    try:
        called(f"random/text/{i}", L.TextVectorization(**options), x, data)
    except Exception as error:  # such as a tf_idf without tokens
        print("left out:", options, first_line(error))

    mode = rng.choice(["int", "one_hot", "multi_hot", "count", "tf_idf"])
    tokens = list(dict.fromkeys(random_text(True, 4).decode() for _ in range(rng.randrange(1, 12))))
    options = {"output_mode": mode, "name": "lookup", "num_oov_indices": rng.randrange(1, 5)}
    options["mask_token"] = rng.choice([None, "", "a"])
    if rng.random() < 0.5:
        options["salt"] = [rng.randrange(2**40), rng.randrange(-9, 9)]
    if mode == "tf_idf":
        options["idf_weights"] = [rng.random() for _ in tokens]
    try:
        layer = L.StringLookup(vocabulary=tokens, **options)
        called(f"random/string/{i}", layer, random_texts(rng.choice([(4,), (3, 2), (2, 1)]), pieces=4))
    except ValueError as error:  # a special token among the tokens
        print("left out:", options, first_line(error))

    options = {"output_mode": mode, "name": "lookup", "num_oov_indices": rng.randrange(1, 5)}
    options["mask_token"] = rng.choice([None, 0, 3])
    options["oov_method"] = rng.choice(["floormod", "farmhash"])
    data = [np.array([[rng.randrange(-6, 7) for _ in range(3)] for _ in range(rng.randrange(1, 5))]) for _ in range(2)]
    x = np.array([[rng.randrange(-12, 12) for _ in range(3)] for _ in range(3)])
    called(f"random/integer/{i}", L.IntegerLookup(**options), x, data)

    salt = rng.choice([None, [rng.randrange(2**62), rng.randrange(2**62)]])
    bins = rng.choice([2, 10, 2**40])
    called(f"random/hashing/{i}", L.Hashing(bins, salt=salt, name="hashing"), random_texts((5,), pieces=30))
    features = [random_texts((4,), pieces=30), np.array([rng.randrange(-(2**40), 2**40) for _ in range(4)])]
    called(f"random/crossing/{i}", L.HashedCrossing(bins, name="crossing"), features)

with open(arguments.output, "w", encoding="utf-8") as file:
    # One case a line, so that changes are readable.
    file.write("[" + ",\n".join(json.dumps(case) for case in cases) + "]\n")
