"""regularizers.json, .npz: OrthogonalRegularizer of matrices, with the gradients."""

from common import Golden
from common import array
from common import keras
from common import normal
from common import rng_for
from common import serialized
from common import tf

golden = Golden("regularizers")


def case(name, regularizer, shape):
    values = tf.constant(normal(rng_for("regularizers/" + name), shape))
    with tf.GradientTape() as tape:
        tape.watch(values)
        penalty = regularizer(values)
    data = serialized(regularizer)
    golden.add(
        {"name": name, "class_name": data["class_name"], "config": data["config"]},
        {"values": array(values), "penalty": array(penalty), "gradient": array(tape.gradient(penalty, values))},
    )


for mode in ("rows", "columns"):
    for shape in ((3, 4), (5, 2), (2, 2)):
        case(f"orthogonal/{mode} of {shape}", keras.regularizers.OrthogonalRegularizer(0.3, mode), shape)
case("orthogonal/default", keras.regularizers.OrthogonalRegularizer(), (4, 6))
golden.save()
