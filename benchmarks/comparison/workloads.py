"""The workloads that all programs have, by name."""

import dataclasses

from . import contestants

FRAMEWORKS = [contestants.OURS, "PyTorch", "Keras + TensorFlow", "Keras + JAX"]


KERAS = "Keras"  # with whichever backend


@dataclasses.dataclass(frozen=True)
class Workload:
    title: str
    # The text below the title, for all programs.
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
    # What it is in these programs.
    forms: dict = dataclasses.field(default_factory=dict)

    def description(self, programs):
        """The text below the title, with the forms of the programs that took part."""
        present = {KERAS if program.startswith(KERAS) else program for program in programs}
        forms = []
        for names, form in self.forms.items():
            names = [name for name in names if name in present]
            if names:
                forms.append(f"{' and '.join(names)}: {form}")
        return self.text + (f" {'; '.join(forms)}." if forms else "")


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
        "The MNIST CNN on the test images.",
        "s",
        seconds,
        digits=3,
        forms={(contestants.OURS, KERAS): "`predict`", ("PyTorch",): "a loop over batches"},
    ),
    "latency": Workload(
        "Prediction of one image",
        "The MNIST CNN, median of many calls.",
        "µs",
        microseconds,
        digits=0,
        forms={
            (contestants.OURS,): "`predict_on_batch`",
            (KERAS,): "the faster of that and a compiled call of the model",
            ("PyTorch",): "the faster of the model and its form optimized for inference",
        },
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
        "float32.",
        "GFLOP/s",
        matmul_gflops,
        digits=0,
        programs=(*FRAMEWORKS, "NumPy"),
        is_rate=True,
        forms={("NumPy",): "OpenBLAS and next to nothing else"},
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
        "error, batches of 128; Adam. Masked: half of the sequences end with 32 steps of zeros. The custom cell is a "
        "minimal gated unit.",
        "ms",
        milliseconds,
        digits=1,
        forms={
            (contestants.OURS, KERAS): "a Masking, and the custom cell in RNN",
            ("PyTorch",): "the faster of packed sequences and all steps, and the custom cell in a loop that is compiled "
            "where that is faster",
        },
    ),
    "recurrent_prediction": Workload(
        "Prediction of one sequence",
        "The models of the training step, median of many calls.",
        "ms",
        milliseconds,
        digits=3,
        forms={
            (contestants.OURS,): "`predict_on_batch`",
            (KERAS,): "the faster of that and a compiled call of the model",
            ("PyTorch",): "the faster of the model and its traced form, masked of packed sequences and all steps",
        },
    ),
    "conv_lstm": Workload(
        "A training step of ConvLSTM2D",
        "ConvLSTM2D(16, 3×3, same) on 10 images of 32×32×8, mean over the image, Dense(1), mean squared error, batches "
        "of 8; Adam.",
        "ms",
        milliseconds,
        digits=1,
    ),
    "vision_training": Workload(
        "A training step of models of images",
        "MobileNetV2 (batches of 8), ResNet-50 (4) and EfficientNetB0 (8) on images of 224×224×3, a U-Net with 32 to 256 "
        "filters and transposed convolutions on 128×128×3 (4), three Conv1D with 64 to 256 filters of 5 on 1024 steps of "
        "16 numbers (32), three Conv3D with 32 to 128 filters of 3×3×3 on 16×32×32×3 (8); crossentropy, SGD with momentum.",
        "ms",
        milliseconds,
        digits=1,
        forms={
            (contestants.OURS, KERAS): "`train_on_batch`, the applications of Keras",
            ("PyTorch",): "the models of torchvision",
        },
    ),
    "vision_prediction": Workload(
        "Prediction by models of images",
        "The models of the training step, median of many calls.",
        "ms",
        milliseconds,
        digits=1,
        programs=(*FRAMEWORKS, "ONNX Runtime", "OpenVINO"),
        forms={
            (contestants.OURS,): "`predict_on_batch`",
            (KERAS,): "the faster of that and a compiled call of the model",
            ("PyTorch",): "the faster of the model and its traced form optimized for inference",
            ("ONNX Runtime", "OpenVINO"): "PyTorch's models as ONNX files, compiled for each size of the batch, "
            "computed in float32 as by all others",
        },
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
        "gradients of q, k and v, or forward alone.",
        "ms",
        milliseconds,
        forms={
            (contestants.OURS,): "`dot_product_attention`",
            (KERAS,): "`ops.dot_product_attention`, compiled",
            ("PyTorch",): "`scaled_dot_product_attention`",
        },
    ),
    "encoder_training": Workload(
        "A training step of an encoder block",
        "Attention with 8 heads of 64, and Dense(2048, relu) and Dense(512), each added to its input and behind it a "
        "layer normalization, on 128 positions of 512 numbers, mean squared error, batches of 16; Adam.",
        "ms",
        milliseconds,
        digits=1,
        forms={
            (contestants.OURS, KERAS): "`MultiHeadAttention`",
            ("PyTorch",): "the fastest of `TransformerEncoderLayer`, the same from parts, and that compiled",
        },
    ),
    "generation": Workload(
        "Generation of characters",
        "A decoder of 4 blocks, 256 wide, with 8 heads, 96 characters and 256 positions, which generates a text of 256 "
        "characters one by one, each the most probable; keys and values of earlier positions are kept.",
        "characters/s",
        per_second,
        digits=0,
        is_rate=True,
        forms={
            ("PyTorch",): "the fastest of the model on the positions so far, and with a mask on all of them, eager, "
            "traced or compiled",
            (KERAS,): "a compiled step with a mask",
        },
    ),
    "optimizer_step": Workload(
        "A step of an optimizer",
        "On ten matrices of a million weights, without the backward pass; SGD with momentum, the others as they are by "
        "default.",
        "ms",
        milliseconds,
        programs=(contestants.OURS, "PyTorch"),
        forms={("PyTorch",): "the fastest of the fused form, where there is one, `foreach` and neither"},
    ),
    "linear_algebra": Workload(
        "Decompositions of matrices and Fourier transforms",
        "Square matrices, float32; complex numbers of float32.",
        "ms",
        milliseconds,
        digits=3,
        programs=(contestants.OURS, "PyTorch", "NumPy"),
        forms={("NumPy",): "LAPACK and pocketfft"},
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
