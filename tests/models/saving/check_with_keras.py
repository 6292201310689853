#!/usr/bin/env python3
"""Loads files saved by Rhyton with Keras itself. Run by hand, since it needs Keras:

    KERAS_BACKEND=tensorflow python3 tests/models/saving/check_with_keras.py --build build/release

Compiles a program that trains some models, saves them and writes down their predictions and the result of one more
training step; then loads each file, compares, trains that step and compares again. With KERAS_BACKEND=numpy, which
cannot train, only predictions are compared. The build folder must contain include/ and lib/librhyton.so.
"""

import argparse
import json
import os
import pathlib
import subprocess
import tempfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")

import keras  # noqa: E402
import numpy as np  # noqa: E402

PROGRAM = r"""
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include <rhyton/framework/io/atomic_file.h>
#include <rhyton/framework/io/npy.h>
#include <rhyton/layers/activations/activation.h>
#include <rhyton/layers/normalization/batch_normalization.h>
#include <rhyton/layers/convolutional/conv2d.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/regularization/dropout.h>
#include <rhyton/layers/core/embedding.h>
#include <rhyton/layers/pooling/global_average_pooling1d.h>
#include <rhyton/layers/pooling/global_average_pooling2d.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/normalization/layer_normalization.h>
#include <rhyton/layers/merging/add.h>
#include <rhyton/layers/merging/concatenate.h>
#include <rhyton/layers/pooling/average_pooling2d.h>
#include <rhyton/layers/pooling/max_pooling2d.h>
#include <rhyton/layers/preprocessing/rescaling.h>
#include <rhyton/layers/reshaping/flatten.h>
#include <rhyton/layers/reshaping/reshape.h>
#include <rhyton/models/losses/crossentropy.h>
#include <rhyton/models/losses/regression.h>
#include <rhyton/models/metrics/accuracy.h>
#include <rhyton/models/sequential.h>
#include <rhyton/optimizers/adam.h>
#include <rhyton/optimizers/adam_w.h>
#include <rhyton/optimizers/rmsprop.h>
#include <rhyton/optimizers/sgd.h>

using namespace rhyton;
using models::Model;
using models::Sequential;

std::string folder;
std::uint64_t state = 1;

/// A number from 0 to 1.
double next_number() {
  state = state * 6364136223846793005ULL + 1442695040888963407ULL;
  return static_cast<double>(state >> 11) / static_cast<double>(std::uint64_t{1} << 53);
}

Tensor numbers(const Shape& shape, double scale = 1.0) {
  Tensor tensor = Tensor::zeros(shape);
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    tensor.mutable_data<float>()[i] = static_cast<float>((2.0 * next_number() - 1.0) * scale);
  }
  return tensor;
}

Tensor classes(const Shape& shape, int count) {
  Tensor tensor = Tensor::zeros(shape, int32);
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    tensor.mutable_data<std::int32_t>()[i] = static_cast<std::int32_t>(next_number() * count);
  }
  return tensor;
}

/// Trains two steps, saves, and writes down what comes after.
template <class MakeX, class MakeY>
void record(const std::string& name, const Model& model, bool trains_the_same, MakeX x, MakeY y) {
  for (int step = 0; step < 2; ++step) model.train_on_batch(x(), y());
  io::NamedTensors arrays;
  const auto add = [&](const std::string& role, const std::vector<Tensor>& tensors) {
    for (std::size_t i = 0; i < tensors.size(); ++i) arrays.emplace_back(role + std::to_string(i), tensors[i]);
  };
  const std::vector<Tensor> inputs = x();
  add("input", inputs);
  add("output", model.predict_many(inputs, {.verbose = 0}));
  add("weight", model.get_weights());
  std::vector<Tensor> optimizer;
  for (const Variable& variable : model.optimizer().variables()) optimizer.push_back(variable.value());
  add("optimizer_variable", optimizer);
  model.save(folder + "/" + name + ".keras");
  model.save_weights(folder + "/" + name + ".weights.json", {.max_shard_size = 2000.0 / (1 << 30)});
  const std::vector<Tensor> next_x = x();
  const std::vector<Tensor> next_y = y();
  add("next_x", next_x);
  add("next_y", next_y);
  io::Json logs = nullptr;
  if (trains_the_same) {
    logs = io::Json::object();
    for (const auto& [key, value] : model.train_on_batch(next_x, next_y)) logs[key] = static_cast<double>(value);
    add("next_weight", model.get_weights());
  }
  io::write_npz(folder + "/" + name + ".npz", arrays);
  io::write_file(folder + "/" + name + ".json", logs.dump());
}

int main(int, char** arguments) {
  folder = arguments[1];
  {
    Sequential model({layers::Input({.shape = {6}}),
                      layers::Dense(8, {.activation = "relu", .kernel_regularizer = "l2"}),
                      layers::Dense(3, {.activation = "softmax"})});
    model.compile({.optimizer = "adam", .loss = "sparse_categorical_crossentropy", .metrics = {"accuracy"}});
    record(
        "dense", model, true,
        [] {
          return std::vector<Tensor>{numbers({8, 6})};
        },
        [] { return std::vector<Tensor>{classes({8}, 3)}; });
  }
  {
    Sequential model({layers::Input({.shape = {12, 12, 1}}), layers::Rescaling(1 / 255.0),
                      layers::Conv2D(4, {3, 3}, {.padding = "same", .use_bias = false}), layers::BatchNormalization(),
                      layers::Activation("relu"), layers::MaxPooling2D({2, 2}),
                      layers::Conv2D(6, {3, 3}, {.strides = {1, 1}, .activation = "gelu"}),
                      layers::AveragePooling2D({2, 2}), layers::Flatten(), layers::Reshape({4, 6}), layers::Flatten(),
                      layers::Dense(4)});
    model.compile({.optimizer = optimizers::RMSprop({.learning_rate = 0.01, .momentum = 0.5}),
                   .loss = losses::SparseCategoricalCrossentropy({.from_logits = true}),
                   .metrics = {"accuracy", metrics::SparseTopKCategoricalAccuracy({.k = 2})}});
    record(
        "cnn", model, true,
        [] {
          return std::vector<Tensor>{numbers({8, 12, 12, 1}, 255)};
        },
        [] {
          return std::vector<Tensor>{classes({8, 1}, 4)};
        });
  }
  {
    Sequential model({layers::Input({.shape = {8, 8, 2}}), layers::Conv2D(4, {3, 3}, {.dilation_rate = {2, 2}}),
                      layers::GlobalAveragePooling2D(), layers::Dropout(0.5), layers::Dense(2)});
    model.compile({.optimizer = optimizers::AdamW({.learning_rate = 0.01}), .loss = losses::Huber({.delta = 0.5})});
    record(
        "dropout", model, false,
        [] {
          return std::vector<Tensor>{numbers({4, 8, 8, 2})};
        },
        [] {
          return std::vector<Tensor>{numbers({4, 2})};
        });
  }
  {
    const Sequential block(
        {layers::Input({.shape = {6}}), layers::Dense(6, {.activation = "silu"}), layers::LayerNormalization()});
    const layers::SymbolicTensor a = layers::Input({.shape = {6}, .name = "a"});
    const layers::SymbolicTensor words = layers::Input({.shape = {4}, .dtype = "int32", .name = "words"});
    layers::SymbolicTensor b = layers::Embedding(12, 6)(words);
    b = layers::GlobalAveragePooling1D()(b);
    const layers::Dense shared(6, {.activation = "tanh"});
    const layers::Dense frozen(6, {.trainable = false});
    const layers::SymbolicTensor x = layers::Concatenate()({layers::Add()({shared(block(a)), shared(b)}), frozen(a)});
    Model model({.inputs = {a, words},
                 .outputs = {layers::Dense(1, {.name = "value"})(x),
                             layers::Dense(3, {.activation = "softmax", .name = "kind"})(x)}});
    model.compile(
        {.optimizer = optimizers::SGD({.learning_rate = 0.05, .momentum = 0.9, .nesterov = true, .clipnorm = 1.0}),
         .loss = std::vector<losses::Loss>{"mse", "sparse_categorical_crossentropy"},
         .loss_weights = std::vector<double>{1.0, 0.5},
         .metrics = std::vector<models::MetricsArgument::List>{{"mae"}, {"accuracy"}}});
    record(
        "branches", model, true,
        [] {
          return std::vector<Tensor>{numbers({8, 6}), classes({8, 4}, 12)};
        },
        [] {
          return std::vector<Tensor>{numbers({8, 1}), classes({8}, 3)};
        });
  }
}
"""


def make_files(build, folder):
    source = folder / "program.cc"
    source.write_text(PROGRAM, encoding="utf-8")
    command = ["c++", "-std=c++20", "-O1", f"-I{build}/include", source, "-o", folder / "program"]
    command += [f"-L{build}/lib", "-lrhyton", f"-Wl,-rpath,{build}/lib"]
    subprocess.run([str(word) for word in command], check=True)
    subprocess.run([str(folder / "program"), str(folder)], check=True)


def as_list(value):
    return list(value) if isinstance(value, (list, tuple)) else [value]


def one_or_all(values):
    return values[0] if len(values) == 1 else values


def compare(what, ours, theirs, tolerance):
    np.testing.assert_allclose(np.asarray(theirs), ours, rtol=tolerance, atol=tolerance, err_msg=what)


def check(path):
    arrays = np.load(path.with_suffix(".npz"))

    def roles(role):
        values = []
        while f"{role}{len(values)}" in arrays:
            values.append(arrays[f"{role}{len(values)}"])
        return values

    model = keras.models.load_model(path)
    for i, (ours, theirs) in enumerate(zip(roles("weight"), model.get_weights(), strict=True)):
        compare(f"weight {i}", ours, theirs, 0)
    model.set_weights([np.zeros_like(weight) for weight in model.get_weights()])
    model.load_weights(path.with_suffix(".weights.json"))
    for i, (ours, theirs) in enumerate(zip(roles("weight"), model.get_weights(), strict=True)):
        compare(f"sharded weight {i}", ours, theirs, 0)
    outputs = as_list(model.predict(one_or_all(roles("input")), verbose=0))
    for i, (ours, theirs) in enumerate(zip(roles("output"), outputs, strict=True)):
        compare(f"output {i}", ours, theirs, 1e-5)
    done = "weights, sharded weights, predictions"

    if keras.backend.backend() != "numpy":
        for i, (ours, theirs) in enumerate(zip(roles("optimizer_variable"), model.optimizer.variables, strict=True)):
            compare(f"optimizer variable {i}", ours, keras.ops.convert_to_numpy(theirs), 0)
        done += ", optimizer"
        expected = json.loads(path.with_suffix(".json").read_text())
        if expected is not None:
            logs = model.train_on_batch(one_or_all(roles("next_x")), one_or_all(roles("next_y")), return_dict=True)
            assert set(logs) == set(expected), (sorted(logs), sorted(expected))
            for name, value in logs.items():
                compare(name, expected[name], value, 1e-5)
            for i, (ours, theirs) in enumerate(zip(roles("next_weight"), model.get_weights(), strict=True)):
                compare(f"weight {i} after one more step", ours, theirs, 1e-4)
            done += ", one more step"
    print(f"{path.name}: {done}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="build folder of Rhyton")
    parser.add_argument("--files", type=pathlib.Path, help="keep the files there, or use those that are there")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.files or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        if not list(folder.glob("*.keras")):
            make_files(arguments.build.resolve(), folder.resolve())
        for path in sorted(folder.glob("*.keras")):
            check(path)
    print(f"Keras {keras.__version__} on {keras.backend.backend()} agrees.")


main()
