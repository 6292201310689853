"""ctc.json, ctc.npz: keras.ops.ctc_loss with gradients, and keras.ops.ctc_decode."""

from common import Golden
from common import array
from common import describe
from common import keras
from common import normal
from common import np
from common import rng_for
from common import tf

ops = keras.ops
golden = Golden("ctc")


def loss(name, target, target_length, output, output_length, mask_index=0):
    """`output` is the shape of the logits, and the deviation of their distribution."""
    rng = rng_for("ctc/" + name)
    *shape, scale = output
    arrays = {
        "target": np.array(target, "int32"),
        "output": normal(rng, (len(target), *shape), scale),
        "target_length": np.array(target_length, "int32"),
        "output_length": np.array(output_length, "int32"),
        "cotangent": normal(rng, (len(target),)),
    }
    logits = tf.constant(arrays["output"])
    with tf.GradientTape() as tape:
        tape.watch(logits)
        value = ops.ctc_loss(
            arrays["target"], logits, arrays["target_length"], arrays["output_length"], mask_index=mask_index
        )
    arrays["value"] = array(value)
    arrays["gradient"] = array(tape.gradient(value, logits, arrays["cotangent"]))
    golden.add({"name": name, "function": "ctc_loss", "mask_index": mask_index}, arrays)


def decode(name, shape, lengths, scale=1.0, **options):
    rng = rng_for("ctc/" + name)
    arrays = {"inputs": normal(rng, shape, scale), "sequence_lengths": np.array(lengths, "int32")}
    decoded, scores = ops.ctc_decode(arrays["inputs"], arrays["sequence_lengths"], **options)
    arrays["decoded"] = array(decoded)
    arrays["scores"] = array(scores)
    golden.add({"name": name, "function": "ctc_decode", "options": options}, arrays)


loss("plain", [[1, 2, 3], [4, 3, 1]], [3, 3], (6, 5, 1.0), [6, 6])
loss("repeated", [[1, 1, 2, 2], [3, 3, 3, 0]], [4, 3], (9, 4, 1.0), [9, 7])
loss("lengths", [[1, 2, 3, 1], [2, 0, 0, 0], [3, 1, 0, 0], [1, 1, 1, 1]], [4, 1, 2, 0], (8, 4, 2.0), [8, 3, 5, 4])
loss("confident", [[1, 2], [2, 2], [3, 1]], [2, 2, 2], (12, 4, 8.0), [12, 12, 12])
loss("tight", [[1, 2, 3], [1, 1, 2]], [3, 3], (4, 4, 1.0), [3, 4])
loss("infeasible", [[1, 2, 3], [1, 1, 0], [2, 2, 2]], [3, 2, 3], (4, 4, 1.0), [2, 2, 4])
loss("no_output", [[1, 2], [1, 2], [1, 2]], [2, 0, 1], (3, 3, 1.0), [0, 0, 3])
loss("beyond", [[1, 2], [2, 1]], [3, 2], (3, 3, 1.0), [3, 7])
loss("no_labels", np.zeros((2, 0)), [0, 0], (4, 3, 1.0), [4, 2])
loss("blank_as_label", [[1, 0, 2], [0, 0, 1]], [3, 2], (6, 4, 1.0), [6, 5])
loss("no_classes_as_labels", [[1, 7], [-1, 2]], [2, 2], (5, 4, 1.0), [5, 5])
loss("no_classes_with_mask", [[-1, 2], [1, 7], [-3, 1]], [2, 2, 2], (5, 4, 1.0), [5, 5, 5], 2)
loss("padded_with_minus_one", [[1, -1, -1], [2, 3, -1]], [1, 2], (5, 4, 1.0), [5, 5])
loss("single_class", [[1], [0]], [1, 0], (3, 1, 1.0), [3, 3])
for mask_index in (1, 2, 3, -1, -2, -4):
    loss(f"mask_{mask_index}", [[0, 1, 3], [3, 2, 0], [2, 2, 1]], [3, 3, 2], (8, 4, 1.5), [8, 6, 7], mask_index)
loss("padding_below_mask", [[0, -1], [2, 1]], [1, 2], (5, 4, 1.0), [5, 5], 3)
rng = rng_for("ctc/long labels")
loss("long", rng.integers(1, 10, (2, 40)), [40, 25], (120, 10, 1.0), [120, 90])
# So improbable that TensorFlow's wrong ends matter.
loss("improbable", [[1, 2, 1], [2, 1, 0]], [3, 2], (60, 3, 40.0), [60, 50])

decode("greedy", (3, 9, 4), [9, 5, 0])
decode("greedy_not_merged", (3, 12, 3), [12, 8, 3], merge_repeated=False)
for mask_index in (1, 3, -1, -2, None):
    decode(f"greedy_mask_{mask_index}", (2, 9, 4), [9, 6], strategy="greedy", mask_index=mask_index)
decode("beam", (3, 6, 4), [6, 4, 1], strategy="beam_search")
decode("beam_paths", (3, 7, 4), [7, 5, 3], 2.0, strategy="beam_search", top_paths=4)
decode("beam_narrow", (4, 12, 6), [12, 12, 9, 7], strategy="beam_search", beam_width=3, top_paths=3)
decode("beam_of_one", (3, 10, 5), [10, 7, 2], strategy="beam_search", beam_width=1)
decode("beam_long", (2, 40, 8), [40, 33], 3.0, strategy="beam_search", beam_width=20, top_paths=5)
for mask_index in (1, 2, 3, -2, None):
    decode(f"beam_mask_{mask_index}", (2, 7, 4), [7, 6], strategy="beam_search", top_paths=2, mask_index=mask_index)
decode("beam_ignores_merging", (2, 8, 3), [8, 8], strategy="beam_search", top_paths=2, merge_repeated=False)

golden.save()
