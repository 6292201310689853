"""ScheduleFreeAdamW as on Keras's other backends: on TensorFlow it keeps the momentum by reference and sees the new value."""

from common import keras
from common import tf


class Copied(keras.Variable):
    """A variable whose value is not the variable itself, as in Keras without TensorFlow."""

    @property
    def value(self):
        return tf.identity(self._value)


class ScheduleFreeAdamW(keras.optimizers.ScheduleFreeAdamW):
    def build(self, variables):
        if self.built:
            return
        super().build(variables)
        for momentum in self._momentums:
            momentum.__class__ = Copied

    def assign_sub(self, variable, value):
        super().assign_sub(variable._value if isinstance(variable, Copied) else variable, value)
