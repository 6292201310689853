"""Draws recurrent layers and their calls at random. Used by drawn_cases.py."""

from library import layers as L

# Those under which states of some steps stay finite; softmax is not a function of single elements.
ACTIVATIONS = ["tanh", "tanh", "tanh", "sigmoid", "softsign", "elu", "relu", "hard_tanh", "softmax", "linear"]
GATES = ["sigmoid", "sigmoid", "hard_sigmoid", "tanh", "softmax"]
LAYERS = {L.SimpleRNN: L.SimpleRNNCell, L.LSTM: L.LSTMCell, L.GRU: L.GRUCell}
MODES = ["concat", "concat", "sum", "mul", "ave"]
MAX_UNITS = 5


class Recurrent:
    """Makes recurrent layers by the generator and the policy of `layers` of drawn_layers.py."""

    def __init__(self, layers):
        self.layers = layers

    def rate(self):
        layers = self.layers
        return float(layers.rng.uniform(0.1, 0.6)) if layers.can_drop and layers.chance(0.4) else 0.0

    def of_cell(self, kind):
        """Arguments that a cell and its layer have."""
        layers = self.layers
        # TensorFlow makes orthogonal matrices of float32 and float64 only.
        is_orthogonal = not layers.is_tame and layers.chance(0.5)
        found = {
            "activation": "tanh" if layers.is_tame else layers.pick(ACTIVATIONS),
            "use_bias": layers.chance(0.8),
            "kernel_initializer": layers.initializer(),
            "recurrent_initializer": "orthogonal" if is_orthogonal else layers.initializer(),
            "bias_initializer": layers.pick(["zeros", "ones"]),
            "kernel_regularizer": layers.regularizer(0.1),
            "recurrent_regularizer": layers.regularizer(0.1),
            "bias_regularizer": layers.regularizer(0.05),
            "kernel_constraint": layers.constraint(0.07),
            "recurrent_constraint": layers.constraint(0.07),
            "bias_constraint": layers.limit(0.05),
            "dropout": self.rate(),
            "recurrent_dropout": self.rate(),
            "seed": layers.number(0, 99) if layers.chance(0.3) else None,
        }
        if kind is not L.SimpleRNN:
            found["recurrent_activation"] = "sigmoid" if layers.is_tame else layers.pick(GATES)
        if kind is L.LSTM:
            found["unit_forget_bias"] = layers.chance(0.7)
        if kind is L.GRU:
            found["reset_after"] = layers.chance(0.6)
        return found

    def of_layer(self, **wanted):
        """Arguments of the loop over the steps. Not all at once: an unrolled loop of Keras on TensorFlow that goes backwards
        sets steps of its outputs to zeros by the mask in the order of the inputs."""
        layers = self.layers
        found = {
            "go_backwards": layers.chance(0.2),
            "unroll": layers.chance(0.15),
            "zero_output_for_mask": layers.chance(0.25),
            "trainable": not layers.chance(0.1),
            **layers.common(),
            **wanted,
        }
        if found.get("return_sequences") and found["go_backwards"] and found["zero_output_for_mask"]:
            found["unroll"] = False
        return found

    def built_in(self, units=None, kind=None, **wanted):
        """SimpleRNN, LSTM or GRU."""
        layers = self.layers
        kind = kind or layers.pick(list(LAYERS))
        arguments = self.of_cell(kind) | self.of_layer(**wanted)
        return kind(units or layers.number(1, MAX_UNITS), activity_regularizer=layers.regularizer(0.1), **arguments)

    def cell(self):
        layers = self.layers
        kind = layers.pick(list(LAYERS))
        policy = {} if layers.policy is None else {"dtype": layers.policy}
        return LAYERS[kind](layers.number(1, MAX_UNITS), **self.of_cell(kind), **policy)

    def of_cells(self, **wanted):
        """RNN over one cell or several. Keras cannot mask a StackedRNNCells of one cell, nor one whose dtype is not that of
        its cells, as which an RNN takes a list of cells under a policy of their own."""
        layers = self.layers
        cell = self.cell() if layers.chance(0.4) else [self.cell() for _ in range(layers.number(2, 3))]
        if isinstance(cell, list) and (layers.chance(0.5) or layers.policy is not None):
            cell = L.StackedRNNCells(cell, **({} if layers.policy is None else {"dtype": layers.policy}))
        return L.RNN(cell, **self.of_layer(**wanted))

    def one_way(self, **wanted):
        return self.of_cells(**wanted) if self.layers.chance(0.25) else self.built_in(**wanted)

    def both_ways(self, **wanted):
        """Bidirectional over one layer or two."""
        layers = self.layers
        wanted |= {"go_backwards": False}
        if wanted.get("return_sequences"):
            # Masked steps become zeros whatever the argument is, and one of the layers goes backwards.
            wanted["unroll"] = False
        first = self.one_way(**wanted)
        mode = layers.pick(MODES)
        backward = None
        if isinstance(first, tuple(LAYERS)) and layers.chance(0.25):
            # Keras takes the width of the second layer to be that of the first.
            backward = self.built_in(units=first.units, **wanted | {"go_backwards": True})
        return L.Bidirectional(first, merge_mode=mode, backward_layer=backward, **layers.common())

    def layer(self, **wanted):
        """Any of them, whose call returns one tensor."""
        return self.both_ways(**wanted) if self.layers.chance(0.25) else self.one_way(**wanted)

    def in_place(self):
        """One layer from sequences to sequences."""
        return self.layer(return_sequences=True)

    def with_states(self, x):
        """Vectors of a sequence, made of the states of layers."""
        layers = self.layers
        kind = layers.pick(list(LAYERS))
        units = layers.number(2, MAX_UNITS)
        choice = layers.rng.random()
        if choice < 0.35:
            # The states as outputs.
            output, *states = self.built_in(units, kind, return_state=True)(x)
            return L.Concatenate(**layers.common())([output, *states])
        if choice < 0.7:
            # A second layer begins with the states of the first one.
            output, *states = self.built_in(units, kind, return_state=True, return_sequences=True)(x)
            return self.built_in(units, kind)(output, initial_state=states)
        if choice < 0.85:
            output, *states = L.Bidirectional(self.built_in(units, kind, return_state=True, go_backwards=False), **layers.common())(x)
            return L.Concatenate(**layers.common())([output, *states])
        # States that are computed.
        start = layers.dense(units=units, activation="tanh")(L.Flatten(**layers.common())(x))
        return self.built_in(units, kind)(x, initial_state=[start] * (2 if kind is L.LSTM else 1))

    def masked_by_argument(self, x):
        """Vectors of a sequence: a layer whose call has a mask."""
        layers = self.layers
        kept = layers.rng.random((1, x.shape[1])) < 0.6
        return self.layer()(x, mask=kept)

    def convolutional(self, rank, **wanted):
        """ConvLSTM1D or ConvLSTM2D, whose output has at least one element."""
        layers = self.layers
        kind = {1: L.ConvLSTM1D, 2: L.ConvLSTM2D}[rank]
        arguments = {"padding": layers.pick(["valid", "same"])}
        if layers.chance(0.25):
            arguments["strides"] = 2
        elif layers.chance(0.25):
            arguments["dilation_rate"] = 2
        arguments |= self.of_cell(L.LSTM) | self.of_layer(**wanted)
        return kind(layers.number(1, 3), layers.number(1, 3), activity_regularizer=layers.regularizer(0.1), **arguments)
