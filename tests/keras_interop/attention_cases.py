"""MultiHeadAttention, GroupQueryAttention, Attention and AdditiveAttention: their arguments, masks, and Transformers."""

import samples
from cases import case
from cases import formats_in_turn
from library import Input
from library import Model
from library import keras
from library import layers as L
from samples import classes
from samples import numbers

STEPS = 5
KEYS = 4
WIDTH = 6
TOKENS = 12
# The first version that the cases are run with, and those of arguments.
SINCE = (3, 4)
GATE = (3, 14)
WINDOW = (3, 15)
SEED = {"multi_head": SINCE, "group_query": (3, 7)}
# Of layers that return scores: older ones cannot be called on symbolic tensors.
SCORES = {"multi_head": SINCE, "group_query": (3, 15)}
# Older versions cannot call an Attention on masked symbolic tensors, and the mask of its values meets the axis of queries.
LISTED_SINCE = (3, 15)
# Older versions give other scores and gradients to queries that may use no key, use a `query_mask` that is given, and
# leave masks on the tensors that a MultiHeadAttention is called with. Rhyton does with their files what newer ones do.
ALIKE = (3, 15)

WORDS = samples.words(TOKENS, STEPS, range(1, STEPS + 1))
OTHER_WORDS = samples.words(TOKENS, KEYS, range(1, KEYS + 1))


def some_words(rng, count):
    """Also samples without any."""
    return samples.words(TOKENS, STEPS, range(0, STEPS + 1))(rng, count)


def sgd(rate=0.05):
    # The gradient of the key's bias is 0 but for rounding, which other optimizers make large. Those that square it differ
    # between Keras's backends for tokens that a batch has twice.
    return keras.optimizers.SGD(rate)


def attention_case(name, x, y, covers=(), **arguments):
    # Keras reads the `score_mode` "dot" in its own .h5 files as the function of that name.
    is_readable = not name.startswith(("attention/", "concat/", "dropout/attention", "transformer/branches"))
    arguments.setdefault("formats", formats_in_turn() if is_readable else ("keras", "weights.h5"))
    arguments.setdefault("steps", 8)
    arguments.setdefault("since", SINCE)
    arguments.setdefault("in_tf_keras", False)
    return case(f"attention/{name}", x, y, covers=("attention", *covers), **arguments)


def sequence_case(name, call, shape=(STEPS, WIDTH), outputs=(2,), **arguments):
    """`call` gets a sequence."""

    def make():
        x = Input(shape)
        y = call(x)
        y = y if len(outputs) > 1 else L.Flatten()(y)
        model = Model(x, L.Dense(outputs[-1])(y))
        model.compile(sgd(), "mse")
        return model

    attention_case(name, numbers(*shape), numbers(*outputs), **arguments)(make)


def cross_case(name, call, key_width=None, **arguments):
    """`call` gets a query and a value, and a key if it has a width."""

    def make():
        inputs = [Input((STEPS, WIDTH)), Input((KEYS, WIDTH))]
        inputs += [] if key_width is None else [Input((KEYS, key_width))]
        model = Model(inputs, L.Dense(2)(L.Flatten()(call(*inputs))))
        model.compile(sgd(), "mse")
        return model

    x = [numbers(STEPS, WIDTH), numbers(KEYS, WIDTH)] + ([] if key_width is None else [numbers(KEYS, key_width)])
    attention_case(name, x, numbers(2), **arguments)(make)


def text_case(name, call, words=WORDS, **arguments):
    """`call` gets a masked sequence."""

    def make():
        tokens = Input((STEPS,), dtype="int32")
        x = L.Embedding(TOKENS, WIDTH, mask_zero=True)(tokens)
        model = Model(tokens, L.Dense(2)(call(x)))
        model.compile(sgd(), "mse")
        return model

    attention_case(name, words, numbers(2), covers=("masks of layers",), **arguments)(make)


def joined(tensors):
    """Output and scores as one."""
    return L.Concatenate()([L.Flatten()(tensor) for tensor in tensors])


PENALTIES = {
    "kernel_regularizer": keras.regularizers.L2(0.01),
    "bias_regularizer": keras.regularizers.L1(0.01),
    "activity_regularizer": keras.regularizers.L2(0.005),
}

KINDS = {
    "multi_head": lambda **arguments: L.MultiHeadAttention(2, 3, **arguments),
    "group_query": lambda **arguments: L.GroupQueryAttention(3, 4, 2, **arguments),
}

for kind, layer in KINDS.items():

    def on_itself(name, layer=layer, kind=kind, call={}, since=SINCE, **arguments):  # noqa: B006
        sequence_case(f"{kind}/{name}", lambda x: layer(**arguments)(x, x, **call), since=since)

    on_itself("plain")
    on_itself("causal", call={"use_causal_mask": True})
    on_itself("without_bias", use_bias=False)
    on_itself("gate", use_gate=True, since=GATE)
    on_itself("window", sliding_window=2, since=WINDOW)
    on_itself("causal_window", sliding_window=3, call={"use_causal_mask": True}, since=WINDOW)
    on_itself("penalties", use_gate=True, since=GATE, **PENALTIES)
    on_itself("initializers", kernel_initializer="lecun_uniform", bias_initializer=keras.initializers.Constant(0.1))
    on_itself("frozen", trainable=False)
    cross_case(f"{kind}/cross", lambda q, v, layer=layer: layer()(q, v))
    cross_case(f"{kind}/cross_causal", lambda q, v, layer=layer: layer(use_gate=True)(q, v, use_causal_mask=True), since=GATE)
    cross_case(f"{kind}/key", lambda q, v, k, layer=layer: layer()(q, v, k), WIDTH)
    cross_case(f"{kind}/key_by_name", lambda q, v, k, layer=layer: layer()(query=q, key=k, value=v), 3)
    sequence_case(f"{kind}/scores", lambda x, layer=layer: joined(layer()(x, x, return_attention_scores=True)), since=SCORES[kind])
    sequence_case(
        f"{kind}/causal_scores",
        lambda x, layer=layer: joined(layer()(x, x, return_attention_scores=True, use_causal_mask=True)),
        since=SCORES[kind],
    )
    text_case(f"{kind}/text", lambda x, layer=layer: L.Flatten()(layer()(x, x)), computes_alike_since=ALIKE)
    text_case(f"{kind}/text_mean", lambda x, layer=layer: L.GlobalAveragePooling1D()(layer()(x, x)))
    text_case(f"{kind}/text_causal", lambda x, layer=layer: L.Flatten()(layer()(x, x, use_causal_mask=True)), some_words, computes_alike_since=ALIKE)
    text_case(
        f"{kind}/text_scores",
        lambda x, layer=layer: joined(layer()(x, x, return_attention_scores=True)),
        some_words,
        since=SCORES[kind],
        computes_alike_since=ALIKE,
    )
    text_case(f"{kind}/text_dropout_of_0", lambda x, layer=layer: L.LSTM(3)(layer(dropout=0.0, seed=3)(x, x)), since=SEED[kind])
    text_case(f"{kind}/text_window", lambda x, layer=layer: L.Flatten()(layer(sliding_window=2)(x, x)), some_words, since=WINDOW)

    def masked(call, layer=layer):
        def make():
            x, mask = Input((STEPS, WIDTH)), Input((STEPS, STEPS), dtype="bool")
            model = Model([x, mask], L.Dense(2)(L.Flatten()(call(layer, x, mask))))
            model.compile(sgd(), "mse")
            return model

        return make

    X = [numbers(STEPS, WIDTH), samples.flags(STEPS, STEPS)]
    attention_case(f"{kind}/mask", X, numbers(2), computes_alike_since=ALIKE)(masked(lambda layer, x, mask: layer()(x, x, attention_mask=mask)))
    attention_case(f"{kind}/mask_causal", X, numbers(2), computes_alike_since=ALIKE)(
        masked(lambda layer, x, mask: layer()(x, x, attention_mask=mask, use_causal_mask=True))
    )
    attention_case(f"{kind}/mask_scores", X, numbers(2), since=SCORES[kind], computes_alike_since=ALIKE)(
        masked(lambda layer, x, mask: joined(layer()(x, x, attention_mask=mask, return_attention_scores=True)))
    )

    @attention_case(f"{kind}/cross_masked", [WORDS, OTHER_WORDS], numbers(2), covers=("masks of layers",))
    def cross_masked(layer=layer):
        a, b = Input((STEPS,), dtype="int32"), Input((KEYS,), dtype="int32")
        embedding = L.Embedding(TOKENS, WIDTH, mask_zero=True)
        y = layer()(embedding(a), embedding(b))
        model = Model([a, b], L.Dense(2)(L.GlobalAveragePooling1D()(y)))
        model.compile(sgd(), "mse")
        return model

    @attention_case(
        f"{kind}/masks_by_name",
        [numbers(STEPS, WIDTH), numbers(KEYS, WIDTH), samples.flags(STEPS), samples.flags(KEYS), samples.flags(KEYS)],
        numbers(2),
        covers=("masks as arguments",),
        computes_alike_since=ALIKE,
    )
    def masks_by_name(layer=layer):
        q, v = Input((STEPS, WIDTH)), Input((KEYS, WIDTH))
        masks = [Input((length,), dtype="bool") for length in (STEPS, KEYS, KEYS)]
        y = layer()(q, v, key=v, query_mask=masks[0], value_mask=masks[1], key_mask=masks[2])
        model = Model([q, v, *masks], L.Dense(2)(L.Flatten()(y)))
        model.compile(sgd(), "mse")
        return model

    def mixed(policy="mixed_bfloat16", layer=layer):
        x = Input((STEPS, WIDTH))
        y = layer(dtype=policy)(x, x, use_causal_mask=True)
        model = Model(x, L.Dense(2, dtype="float32" if policy else None)(L.Flatten(dtype=policy)(y)))
        model.compile(sgd(), "mse")
        return model

    attention_case(
        f"{kind}/mixed",
        numbers(STEPS, WIDTH),
        numbers(2),
        covers=("dtype mixed_bfloat16",),
        make_exact=lambda mixed=mixed: mixed(None),
        roundoff_ratio=2.0**7,
        formats=("keras", "weights.h5"),
        steps=6,
    )(mixed)


MHA = L.MultiHeadAttention
sequence_case("multi_head/value_dim", lambda x: MHA(3, 2, value_dim=4, use_gate=True)(x, x), since=GATE)
sequence_case("multi_head/output_shape", lambda x: MHA(2, 2, output_shape=3)(x, x), since=(3, 7))
sequence_case("multi_head/output_shape_of_two", lambda x: MHA(2, 2, output_shape=(2, 3))(x, x))
sequence_case("multi_head/output_of_sequences", lambda x: MHA(2, 2)(x, x), outputs=(STEPS, 2))
sequence_case("multi_head/one_head", lambda x: MHA(1, 5)(x, x, use_causal_mask=True))
GRID = (3, 4, WIDTH)
sequence_case("multi_head/axes_of_grid", lambda x: MHA(2, 2)(x, x), GRID)
sequence_case("multi_head/axes_first", lambda x: MHA(2, 2, attention_axes=1)(x, x, use_causal_mask=True), GRID)
sequence_case("multi_head/axes_second", lambda x: MHA(2, 2, attention_axes=(2,), use_gate=True)(x, x), GRID, since=GATE)
# Older versions take a negative axis for another one.
sequence_case("multi_head/axes_negative", lambda x: MHA(2, 2, attention_axes=[-2])(x, x), GRID, computes_alike_since=(3, 12))
# Without scores: for several axes, Keras infers another shape than they have, and older versions cannot train the model.
sequence_case(
    "multi_head/axes_both",
    lambda x: MHA(2, 2, attention_axes=(2, 1))(x, x),
    GRID,
    since=(3, 15),
)
sequence_case("multi_head/rank_of_5", lambda x: MHA(2, 2, attention_axes=(1, 3))(x, x), (2, 3, 2, 4))
sequence_case("group_query/one_key_head", lambda x: L.GroupQueryAttention(2, 4, 1)(x, x, use_causal_mask=True))


@attention_case("multi_head/shared", numbers(STEPS, WIDTH), numbers(2), covers=("structure: shared layers",))
def shared():
    x = Input((STEPS, WIDTH))
    layer = MHA(2, 3)
    y = layer(layer(x, x), x, use_causal_mask=True)
    model = Model(x, L.Dense(2)(L.Flatten()(y)))
    model.compile(sgd(), "mse")
    return model


@attention_case("multi_head/unknown_steps", samples.words(TOKENS, STEPS), numbers(2), covers=("masks of layers",))
def unknown_steps():
    tokens = Input((None,), dtype="int32")
    x = L.Embedding(TOKENS, WIDTH, mask_zero=True)(tokens)
    model = Model(tokens, L.Dense(2)(L.GlobalAveragePooling1D()(MHA(2, 3)(x, x, use_causal_mask=True))))
    model.compile(sgd(), "mse")
    return model


# The layers that are called on lists.

LISTED = {
    "attention": L.Attention,
    "concat": lambda **arguments: L.Attention(score_mode="concat", **arguments),
    "additive": L.AdditiveAttention,
}

for kind, layer in LISTED.items():
    cross_case(f"{kind}/plain", lambda q, v, layer=layer: layer()([q, v]))
    cross_case(f"{kind}/scale", lambda q, v, layer=layer: layer(use_scale=True)([q, v], use_causal_mask=True))
    cross_case(f"{kind}/no_scale", lambda q, v, layer=layer: layer(use_scale=False)([q, v]))
    cross_case(f"{kind}/key", lambda q, v, k, layer=layer: layer()([q, v, k]), WIDTH)
    cross_case(
        f"{kind}/scores",
        lambda q, v, layer=layer: joined(layer()([q, v], return_attention_scores=True)),
        since=LISTED_SINCE,
    )
    text_case(f"{kind}/text", lambda x, layer=layer: L.Flatten()(layer()([x, x])), some_words, since=LISTED_SINCE)
    text_case(
        f"{kind}/text_causal",
        lambda x, layer=layer: L.GlobalAveragePooling1D()(layer(use_scale=True)([x, x], use_causal_mask=True)),
        since=LISTED_SINCE,
    )
    text_case(
        f"{kind}/text_then_lstm",
        lambda x, layer=layer: L.LSTM(3)(layer()([x, L.Dense(WIDTH)(x)])),
        since=LISTED_SINCE,
    )

    @attention_case(
        f"{kind}/masks",
        [numbers(STEPS, WIDTH), numbers(KEYS, WIDTH), samples.flags(STEPS), samples.flags(KEYS)],
        numbers(2),
        covers=("masks as arguments",),
        since=LISTED_SINCE,
    )
    def masks(layer=layer):
        q, v = Input((STEPS, WIDTH)), Input((KEYS, WIDTH))
        masks = [Input((STEPS,), dtype="bool"), Input((KEYS,), dtype="bool")]
        model = Model([q, v, *masks], L.Dense(2)(L.Flatten()(layer()([q, v], mask=masks))))
        model.compile(sgd(), "mse")
        return model


sequence_case("attention/rank_of_4", lambda x: L.Attention()([x, x], use_causal_mask=True), GRID, since=LISTED_SINCE)


# Models of several of them.


def encoder(x, drop=0.0, **call):
    """A block that normalizes its results."""
    y = L.Dropout(drop)(MHA(2, 3, dropout=drop)(x, x, **call))
    x = L.LayerNormalization()(L.Add()([x, y]))
    y = L.Dense(WIDTH)(L.Dense(8, activation="gelu")(x))
    return L.LayerNormalization()(L.Add()([x, L.Dropout(drop)(y)]))


def normalizing_first(x, layer, **call):
    y = L.LayerNormalization()(x)
    x = L.Add()([x, layer(y, y, **call)])
    y = L.LayerNormalization()(x)
    return x + L.Dense(WIDTH)(L.Dense(8, activation="relu")(y))


# The first block takes the mask off its input.
text_case("transformer/encoder", lambda x: L.GlobalAveragePooling1D()(encoder(encoder(x))))
text_case("transformer/encoder_flat", lambda x: L.Flatten()(encoder(encoder(x))), some_words, computes_alike_since=ALIKE)
text_case(
    "transformer/normalizing_first",
    lambda x: L.Flatten()(L.LayerNormalization()(normalizing_first(normalizing_first(x, MHA(2, 3)), L.GroupQueryAttention(3, 2, 1)))),
    computes_alike_since=ALIKE,
)


@attention_case("transformer/branches", WORDS, numbers(2), covers=("masks of layers",), since=LISTED_SINCE)
def branches():
    """Behind MultiHeadAttention its input has no mask any more; behind the other layers it has."""
    tokens = Input((STEPS,), dtype="int32")
    x = L.Embedding(TOKENS, WIDTH, mask_zero=True)(tokens)
    first = L.GroupQueryAttention(3, 2, 2)(x, x)
    second = L.Attention()([first, x])
    third = MHA(2, 3)(second, first)
    fourth = MHA(1, 3)(L.Concatenate()([third, second]), first)
    model = Model(tokens, L.Dense(2)(L.Flatten()(fourth)))
    model.compile(sgd(), "mse")
    return model


@attention_case("transformer/decoder", samples.integers(TOKENS, STEPS), classes(TOKENS, STEPS), covers=("structure: nested models",))
def decoder():
    start = Input((STEPS, WIDTH))
    block = Model(start, normalizing_first(start, MHA(2, 3), use_causal_mask=True), name="block")
    other = keras.models.clone_model(block)
    other.name = "other_block"
    tokens = Input((STEPS,), dtype="int32")
    x = L.Embedding(TOKENS, WIDTH)(tokens)
    model = Model(tokens, L.Dense(TOKENS)(other(block(x))))
    model.compile(sgd(), keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"])
    return model


@attention_case("transformer/translation", [WORDS, OTHER_WORDS], classes(TOKENS, KEYS), covers=("masks of layers", "masks of outputs"), computes_alike_since=ALIKE)
def translation():
    source, target = Input((STEPS,), dtype="int32"), Input((KEYS,), dtype="int32")
    x = L.Embedding(TOKENS, WIDTH, mask_zero=True)(source)
    x = encoder(x)
    y = L.Embedding(TOKENS, WIDTH, mask_zero=True)(target)
    y = L.LayerNormalization()(MHA(2, 3)(y, y, use_causal_mask=True))
    y = L.LayerNormalization()(L.Add()([y, MHA(2, 3)(y, x)]))
    model = Model([source, target], L.Dense(TOKENS, activation="softmax")(y))
    model.compile(sgd(), "sparse_categorical_crossentropy", metrics=["accuracy"])
    return model


@attention_case("transformer/recurrent", WORDS, numbers(2), covers=("masks of layers",), since=LISTED_SINCE)
def recurrent():
    tokens = Input((STEPS,), dtype="int32")
    x = L.Bidirectional(L.GRU(3, return_sequences=True))(L.Embedding(TOKENS, WIDTH, mask_zero=True)(tokens))
    y = L.AdditiveAttention()([L.Dense(6)(x), x])
    model = Model(tokens, L.Dense(2)(L.GlobalAveragePooling1D()(L.LayerNormalization()(y))))
    model.compile(sgd(), "mse")
    return model


@attention_case("transformer/operation", numbers(STEPS, 8), numbers(2), covers=("operations",), since=(3, 7))
def operation():
    x = Input((STEPS, 8))
    heads = [L.Reshape((STEPS, 2, 4))(L.Dense(8)(x)) for _ in range(3)]
    y = keras.ops.dot_product_attention(*heads, is_causal=True)
    y = y + keras.ops.dot_product_attention(heads[0], heads[1], heads[2], scale=0.3)
    model = Model(x, L.Dense(2)(L.Flatten()(y)))
    model.compile(sgd(), "mse")
    return model


# Dropout: what it does in training.


def dropping_case(name, call, **arguments):
    def make():
        start = Input((STEPS, WIDTH))
        model = Model(start, L.Dense(2)(L.Flatten()(call(start))))
        model.compile(keras.optimizers.SGD(0.02), "mse", metrics=["mae"])
        return model

    attention_case(f"dropout/{name}", numbers(STEPS, WIDTH), numbers(2), is_random=True, **arguments)(make)


dropping_case("multi_head", lambda x: MHA(2, 3, dropout=0.4)(x, x))
dropping_case("multi_head_scores", lambda x: joined(MHA(2, 3, dropout=0.4)(x, x, return_attention_scores=True)))
dropping_case("multi_head_causal", lambda x: MHA(2, 3, dropout=0.3, seed=7, use_gate=True)(x, x, use_causal_mask=True), since=GATE)
dropping_case("group_query", lambda x: L.GroupQueryAttention(3, 4, 2, dropout=0.4)(x, x))
dropping_case("attention", lambda x: L.Attention(dropout=0.4)([x, L.Dense(WIDTH)(x)]))
dropping_case("additive", lambda x: L.AdditiveAttention(dropout=0.4, seed=3)([x, x], use_causal_mask=True))
dropping_case("encoder", lambda x: encoder(encoder(x, 0.2), 0.2))
