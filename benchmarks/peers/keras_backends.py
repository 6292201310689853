"""The functions of the backend that the Keras peer needs, in one form for TensorFlow and JAX."""

import keras


class TensorFlow:
    def __init__(self, threads):
        import tensorflow as tf

        self.tf = tf
        tf.config.threading.set_intra_op_parallelism_threads(threads)
        # More than the number of threads would run ops concurrently on one core.
        tf.config.threading.set_inter_op_parallelism_threads(threads)
        self.version = f"Keras {keras.__version__}, TensorFlow {tf.__version__}"

    def compiled_calls(self, function, *arguments):
        """Name to a call that computes `function` and waits for it."""
        tensors = [self.tf.constant(argument) for argument in arguments]
        calls = {}
        for jit_compile in (False, True):
            compiled = self.tf.function(function, jit_compile=jit_compile)
            calls[f"tf.function jit_compile={jit_compile}"] = lambda compiled=compiled: compiled(*tensors)
        return calls

    def compiled_steps(self, function):
        """Name to the compiled function, whose last argument is not used again after a call."""
        return {
            f"tf.function jit_compile={jit_compile}": self.tf.function(function, jit_compile=jit_compile)
            for jit_compile in (False, True)
        }

    def with_gradients(self, function):
        """(result, gradients) of the arguments but the last, which is the gradient of the result."""

        def differentiated(*arguments):
            with self.tf.GradientTape() as tape:
                tape.watch(arguments[:-1])
                result = function(*arguments[:-1])
            return result, tape.gradient(result, arguments[:-1], arguments[-1])

        return differentiated

    @staticmethod
    def inference(model):
        return lambda x: model(x, training=False)


class Jax:
    def __init__(self, threads):
        import jax

        self.jax = jax
        self.version = f"Keras {keras.__version__}, JAX {jax.__version__}"

    def compiled_calls(self, function, *arguments):
        arrays = [self.jax.numpy.asarray(argument) for argument in arguments]
        compiled = self.jax.jit(function)
        return {"jax.jit": lambda: self.jax.block_until_ready(compiled(*arrays))}

    def compiled_steps(self, function):
        return {"jax.jit": self.jax.jit(function, donate_argnums=2)}

    def with_gradients(self, function):
        def differentiated(*arguments):
            result, backward = self.jax.vjp(function, *arguments[:-1])
            return result, backward(arguments[-1])

        return differentiated

    @staticmethod
    def inference(model):
        trainable = [variable.value for variable in model.trainable_variables]
        others = [variable.value for variable in model.non_trainable_variables]
        return lambda x: model.stateless_call(trainable, others, x, training=False)[0]


BY_NAME = {"tensorflow": TensorFlow, "jax": Jax}
