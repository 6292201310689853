"""dtypes.json: `keras.backend.result_type` for every pair of dtypes, and for some lists of three, and the
configurations of dtype policies and maps of them. The numbers of Python are "int" and "float".
"""

import itertools

from common import Golden
from common import keras
from common import rng_for
from common import serialized

NAMES = ["bool", "uint8", "int8", "uint16", "int16", "uint32", "int32", "int64", "float16", "bfloat16", "float32", "float64",
         "int", "float"]
PYTHON = {"int": int, "float": float}

golden = Golden("dtypes")


def result(names):
    return {"dtypes": list(names), "result": keras.backend.result_type(*[PYTHON.get(n, n) for n in names])}


lists = [(), *((n,) for n in NAMES), *itertools.product(NAMES, repeat=2)]
rng = rng_for("dtypes")
lists += [tuple(rng.choice(NAMES, 3)) for _ in range(120)]
golden.add({"name": "result_type", "cases": [result([str(n) for n in names]) for names in lists]})

policies = keras.dtype_policies
names = ["float32", "float16", "bfloat16", "float64", "mixed_float16", "mixed_bfloat16"]
golden.add(
    {
        "name": "policies",
        "cases": [
            {
                "name": n,
                "compute_dtype": policies.get(n).compute_dtype,
                "variable_dtype": policies.get(n).variable_dtype,
                "serialized": serialized(policies.get(n)),
            }
            for n in names
        ],
    }
)
policy_map = policies.DTypePolicyMap(policies.DTypePolicy("float32"))
policy_map["encoder/layer_0/dense"] = policies.DTypePolicy("bfloat16")
policy_map["encoder/.*"] = policies.DTypePolicy("float16")
policy_map["decoder"] = policies.DTypePolicy("mixed_bfloat16")
paths = ["encoder/layer_0/dense", "encoder/attention/query", "decoder/attention", "decoder", "encoder"]
golden.add(
    {
        "name": "map",
        "map_name": policy_map.name,
        "paths": [{"path": p, "policy": policy_map[p].name} for p in paths],
        "serialized": serialized(policy_map),
    }
)
golden.save()
