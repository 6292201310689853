"""Draws attention layers and their calls at random. Used by drawn_cases.py."""

from library import VERSION_NUMBERS
from library import layers as L

# Older versions cannot call all of these on masked symbolic tensors, and lack arguments.
IS_DRAWN = VERSION_NUMBERS >= (3, 15)


class Attentions:
    """Makes attention layers by the generator and the policy of `layers` of drawn_layers.py."""

    def __init__(self, layers):
        self.layers = layers

    def rate(self):
        layers = self.layers
        return float(layers.rng.uniform(0.1, 0.6)) if layers.can_drop and layers.chance(0.4) else 0.0

    def projected(self):
        """Arguments that MultiHeadAttention and GroupQueryAttention have."""
        layers = self.layers
        weights = layers.weights()
        return weights | {
            "dropout": self.rate(),
            "seed": layers.number(0, 99) if layers.chance(0.3) else None,
            "use_gate": layers.chance(0.2),
            "sliding_window": layers.number(1, 4) if layers.chance(0.15) else None,
            "flash_attention": layers.pick([None, None, False]),
            **layers.common(),
        }

    def multi_head(self):
        layers = self.layers
        found = self.projected() | {
            "value_dim": layers.pick([None, None, layers.number(1, 4)]),
            "output_shape": layers.pick([None, None, layers.number(1, 5)]),
        }
        return L.MultiHeadAttention(layers.number(1, 3), layers.number(1, 4), **found)

    def group_query(self):
        layers = self.layers
        heads = layers.number(1, 2)
        return L.GroupQueryAttention(layers.number(1, 4), heads * layers.number(1, 3), heads, **self.projected())

    def listed(self):
        """Attention or AdditiveAttention, which are called on lists."""
        layers = self.layers
        found = {
            "use_scale": layers.chance(0.5),
            "dropout": self.rate(),
            "seed": layers.number(0, 99) if layers.chance(0.3) else None,
            **layers.common(),
        }
        if layers.chance(0.4):
            return L.AdditiveAttention(**found)
        return L.Attention(score_mode=layers.pick(["dot", "concat"]), **found)

    def mask(self, queries, keys):
        """Which keys a query may use: in most masks each query may use the first key, in the others it may lack any."""
        layers = self.layers
        lengths = layers.pick([(queries, keys), (1, queries, keys), (1, keys), (queries, 1)])
        kept = layers.rng.random(lengths) < 0.7
        if layers.chance(0.7):
            kept[..., 0] = True
        return kept

    def call(self, layer, query, value, key, is_scored):
        """What the layer returns for these sequences; `key` may be None."""
        layers = self.layers
        call = {}
        if layers.chance(0.35):
            call["use_causal_mask"] = True
        if is_scored:
            call["return_attention_scores"] = True
        if isinstance(layer, (L.Attention, L.AdditiveAttention)):
            return layer([query, value] if key is None else [query, value, key], **call)
        if key is not None:
            call["key"] = key
        if layers.chance(0.3):
            call["attention_mask"] = self.mask(query.shape[1], value.shape[1])
        return layer(query, value, **call)

    def sequence(self, x, other=None):
        """The sequence x [steps, width] after attention to itself or to another sequence."""
        layers = self.layers
        value = x if other is None else other
        key = layers.dense(units=value.shape[-1])(value) if layers.chance(0.25) else None
        choice = layers.rng.random()
        if choice < 0.45:
            layer = self.multi_head()
        else:
            if value.shape[-1] != x.shape[-1]:
                value = layers.dense(units=x.shape[-1])(value)
            if key is not None and key.shape[-1] != x.shape[-1]:
                key = layers.dense(units=x.shape[-1])(key)
            layer = self.group_query() if choice < 0.7 else self.listed()
        # Keras's symbolic scores of MultiHeadAttention have the length of the queries where that of the keys belongs.
        is_scored = layers.chance(0.15) and value.shape[1] == x.shape[1]
        y = self.call(layer, x, value, key, is_scored)
        if not is_scored:
            return y
        output, scores = y
        if len(scores.shape) == 4:
            scores = L.Reshape((x.shape[1], -1), **layers.common())(L.Permute((2, 1, 3), **layers.common())(scores))
        return L.Concatenate(**layers.common())([output, scores])
