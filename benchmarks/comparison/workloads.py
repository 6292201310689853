"""The workloads that all programs have, by name."""

import dataclasses

from . import contestants

FRAMEWORKS = [contestants.OURS, "PyTorch", "Keras + TensorFlow", "Keras + JAX"]


@dataclasses.dataclass(frozen=True)
class Workload:
    title: str
    # The text below the title.
    text: str
    unit: str
    # The programs report seconds; this converts them, with the name of the case, to the number shown.
    convert: callable
    digits: int = 2
    programs: tuple = tuple(FRAMEWORKS)
    # Whether more threads can help; otherwise it is measured with all of them.
    scales: bool = True
    # Whether larger numbers are better.
    is_rate: bool = False


def seconds(value, _):
    return value


def milliseconds(value, _):
    return value * 1e3


def microseconds(value, _):
    return value * 1e6


def per_second(value, _):
    return 1 / value


def matmul_gflops(value, size):
    return 2 * int(size) ** 3 / value / 1e9


ALL = {
    "epoch": Workload(
        "A warm epoch of the MNIST CNN",
        "Conv2D(32, 3×3, relu) on 28×28×1, MaxPooling2D 2×2, Conv2D(64, 3×3, relu), MaxPooling2D 2×2, "
        "Conv2D(64, 3×3, relu), Flatten, Dense(64, relu), Dense(10); Adam, sparse categorical crossentropy from "
        "logits, accuracy, batches of 64 out of the shuffled images. It comes after about a hundred steps in the same "
        "process.",
        "s",
        seconds,
    ),
    "predict": Workload(
        "Prediction of 10 000 images",
        "The MNIST CNN on the test images. Rhyton and Keras: `predict`; PyTorch: a loop over batches.",
        "s",
        seconds,
        digits=3,
    ),
    "latency": Workload(
        "Prediction of one image",
        "The MNIST CNN, median of many calls. Rhyton: `predict_on_batch`; Keras: the faster of that and a compiled "
        "call of the model; PyTorch: the faster of the model and its form optimized for inference.",
        "µs",
        microseconds,
        digits=0,
    ),
    "resnet20": Workload(
        "A training step of ResNet-20",
        "He et al.'s network for CIFAR-10 with projection shortcuts, on random images of 32×32×3 in batches of 128; "
        "SGD with momentum.",
        "ms",
        milliseconds,
        digits=1,
    ),
    "mlp": Workload(
        "A training step of a dense network",
        "784-512-512-10, relu, batches of 128; Adam.",
        "ms",
        milliseconds,
    ),
    "matmul": Workload(
        "Products of square matrices",
        "float32. NumPy is OpenBLAS and next to nothing else.",
        "GFLOP/s",
        matmul_gflops,
        digits=0,
        programs=(*FRAMEWORKS, "NumPy"),
        is_rate=True,
    ),
    "text": Workload(
        "A training step on texts",
        "Embedding(20 000, 64), mean over 200 words, Dense(64, relu), Dense(1), batches of 128; Adam.",
        "ms",
        milliseconds,
    ),
    "recurrent_training": Workload(
        "A training step of recurrent layers",
        "LSTM(128) or GRU(128) on sequences of 64 steps of 128 features, Dense(1) on the last output, mean squared "
        "error, batches of 128; Adam. Masked: half of the sequences end with 32 steps of zeros; Rhyton and Keras have "
        "a Masking, PyTorch the faster of packed sequences and all steps. The custom cell is a minimal gated unit in "
        "RNN, in PyTorch a loop that is compiled where that is faster.",
        "ms",
        milliseconds,
        digits=1,
    ),
    "recurrent_prediction": Workload(
        "Prediction of one sequence",
        "The models of the training step, median of many calls. Rhyton: `predict_on_batch`; Keras: the faster of that "
        "and a compiled call of the model; PyTorch: the faster of the model and its traced form, masked of packed "
        "sequences and all steps.",
        "ms",
        milliseconds,
        digits=3,
    ),
    "conv_lstm": Workload(
        "A training step of ConvLSTM2D",
        "ConvLSTM2D(16, 3×3, same) on 10 images of 32×32×8, mean over the image, Dense(1), mean squared error, batches "
        "of 8; Adam.",
        "ms",
        milliseconds,
        digits=1,
    ),
    "transformer_parts": Workload(
        "Parts of transformers, forward and backward",
        "Layer norm and softmax of 4096×512, GELU of 4096×2048, x·sigmoid(x) + tanh(y)/2 on 8 M elements each, with "
        "the gradients of all arguments. Each program compiles the function, or runs it eagerly where that is faster.",
        "ms",
        milliseconds,
    ),
    "attention": Workload(
        "Attention",
        "softmax(q·kᵀ/8)·v of 8 samples with 8 heads of 64 numbers, by the number of positions, forward with the "
        "gradients of q, k and v, or forward alone. Rhyton and Keras: `ops.dot_product_attention`, Keras's compiled; "
        "PyTorch: `scaled_dot_product_attention`.",
        "ms",
        milliseconds,
    ),
    "encoder_training": Workload(
        "A training step of an encoder block",
        "Attention with 8 heads of 64, and Dense(2048, relu) and Dense(512), each added to its input and behind it a "
        "layer normalization, on 128 positions of 512 numbers, mean squared error, batches of 16; Adam. Rhyton and "
        "Keras: `MultiHeadAttention`; PyTorch: the fastest of `TransformerEncoderLayer`, the same from parts, and that "
        "compiled.",
        "ms",
        milliseconds,
        digits=1,
    ),
    "generation": Workload(
        "Generation of characters",
        "A decoder of 4 blocks, 256 wide, with 8 heads, 96 characters and 256 positions, which generates a text of 256 "
        "characters one by one, each the most probable; keys and values of earlier positions are kept. PyTorch: the "
        "fastest of the model on the positions so far, and with a mask on all of them, eager, traced or compiled; "
        "Keras: a compiled step with a mask.",
        "characters/s",
        per_second,
        digits=0,
        is_rate=True,
    ),
    "start": Workload(
        "Process start to first training step",
        "Importing or loading, building and compiling the MNIST CNN, and one step on 64 random images.",
        "s",
        seconds,
        digits=3,
        scales=False,
    ),
}
