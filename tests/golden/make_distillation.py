"""distillation.json, distillation.npz: `fit` and `evaluate` of `keras.distillation.Distiller`:
the History, the logs of `evaluate`, the weights of the student before and after, the teacher's, and the
configuration. And distillation/distiller.keras, such a model as Keras writes it, after training.
"""

import os

from common import FOLDER
from common import Golden
from common import keras
from common import normal
from common import rng_for
from common import serialized

L = keras.layers
D = keras.distillation
SAMPLES = 20
BATCH = 8


def network(units, name):
    return keras.Sequential(
        [
            keras.Input((3,)),
            L.Dense(units, activation="tanh", name=f"{name}_hidden"),
            L.BatchNormalization(name=f"{name}_norm"),
            L.Dense(4, activation="relu", name=f"{name}_features"),
            L.Dense(2, name=f"{name}_out"),
        ],
        name=name,
    )


def two_outputs(units, name):
    x = keras.Input((3,), name=f"{name}_x")
    hidden = L.Dense(units, activation="tanh", name=f"{name}_hidden")(x)
    return keras.Model(x, [L.Dense(2, name=f"{name}_a")(hidden), L.Dense(2, name=f"{name}_b")(hidden)], name=name)


golden = Golden("distillation")
rng = rng_for("distillation")
x = normal(rng, (SAMPLES, 3))
y = normal(rng, (SAMPLES, 2))
z = normal(rng, (SAMPLES, 2))
golden.add({"name": "data"}, {"x": x, "y": y, "z": z})


def record(name, make, losses, optimizer, loss, metrics=None, targets=y, **arguments):
    keras.utils.set_random_seed(3)
    teacher, student = make(8, "teacher"), make(4, "student")
    # Moving statistics that are not those of a new layer.
    teacher.set_weights([w + 0.1 for w in teacher.get_weights()])
    distiller = D.Distiller(teacher, student, losses, **arguments)
    distiller.compile(optimizer=optimizer, loss=loss, metrics=metrics)
    before = student.get_weights()
    history = distiller.fit(x, targets, batch_size=BATCH, epochs=3, shuffle=False, verbose=0)
    logs = distiller.evaluate(x, targets, batch_size=BATCH, verbose=0, return_dict=True)
    arrays = {f"teacher{i}": w for i, w in enumerate(teacher.get_weights())}
    arrays.update({f"before{i}": w for i, w in enumerate(before)})
    arrays.update({f"after{i}": w for i, w in enumerate(student.get_weights())})
    predictions = distiller.predict(x, batch_size=BATCH, verbose=0)
    for i, prediction in enumerate(predictions if isinstance(predictions, list) else [predictions]):
        arrays[f"predict{i}"] = prediction
    case = {
        "name": name,
        "teacher_weights": len(teacher.weights),
        "student_weights": len(before),
        "history": history.history,
        "evaluate": logs,
        "losses": serialized(distiller.distillation_losses),
    }
    golden.add(case, arrays)
    return distiller


record("function", network, D.LogitsDistillation(temperature=2.0), keras.optimizers.SGD(0.05), "mse", ["mae"])
record(
    "divergence",
    network,
    D.LogitsDistillation(temperature=4.0, loss=keras.losses.KLDivergence()),
    keras.optimizers.Adam(0.01),
    keras.losses.MeanAbsoluteError(),
    student_loss_weight=0.25,
)
distiller = record(
    "features",
    network,
    [
        D.LogitsDistillation(temperature=3.0, loss="mse"),
        D.FeatureDistillation(teacher_layer_name="teacher_features", student_layer_name="student_features"),
        D.FeatureDistillation(loss=keras.losses.CosineSimilarity()),
    ],
    keras.optimizers.Adam(0.01),
    "mse",
    ["mae"],
    distillation_loss_weights=[1.0, 0.5, 0.25],
)
record("student_alone", network, D.LogitsDistillation(), "sgd", "mse", student_loss_weight=1.0)
record("teacher_alone", network, D.FeatureDistillation(loss="mae"), "sgd", "mse", student_loss_weight=0.0)
record(
    "two_outputs",
    two_outputs,
    [D.LogitsDistillation(loss=[keras.losses.KLDivergence(), None]), D.FeatureDistillation(loss=["mse", "mae"])],
    keras.optimizers.SGD(0.01),
    "mse",
    student_loss_weight=0.0,  # lists of losses of the student fail in Keras: data are tuples
    targets=[y, z],
)
folder = os.path.join(FOLDER, "distillation")
os.makedirs(folder, exist_ok=True)
distiller.save(os.path.join(folder, "distiller.keras"))
golden.save()
