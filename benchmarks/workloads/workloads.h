#pragma once

// The same workloads as in the peers' programs in ../peers/, each in its own framework: one workload per run, timed
// warm, with one line of JSON at the end.

#include <cstdint>
#include <string>

#include <rhyton/framework/io/json/json.h>

namespace workloads {

struct Options {
  std::string workload;
  /// 0: one per core.
  int threads = 0;
  /// For workloads that compare in one process: the number of alternating rounds.
  int rounds = 5;
  // The rest is for `epoch`.
  int epochs = 1;
  std::int64_t limit = 60000;
  std::int64_t batch_size = 64;
  /// The factor of the filters, and the number of convolutions after the second pooling.
  double width = 1.0;
  int depth = 1;
};

// Each returns {"cases": {name: seconds}, ...}, with further information beside the cases.

/// A warm epoch of the MNIST CNN.
rhyton::io::Json epoch(const Options& options);
/// 10 000 images through `predict`, in small and in large batches.
rhyton::io::Json predict(const Options& options);
/// One image through `predict_on_batch`.
rhyton::io::Json latency(const Options& options);
/// One training step of ResNet-20 on images of CIFAR-10's size.
rhyton::io::Json resnet20(const Options& options);
/// One training step of a network of three dense layers.
rhyton::io::Json mlp(const Options& options);
/// One training step of a network that averages embeddings.
rhyton::io::Json text(const Options& options);
/// One training step of an LSTM and a GRU, each with and without a mask, and of a custom cell.
rhyton::io::Json recurrent_training(const Options& options);
/// One sequence through `predict_on_batch` of the same, without the custom cell.
rhyton::io::Json recurrent_prediction(const Options& options);
/// One training step of a ConvLSTM2D.
rhyton::io::Json conv_lstm(const Options& options);
/// One training step of models of images and of stacks of convolutions in one and three dimensions.
rhyton::io::Json vision_training(const Options& options);
/// One batch through `predict_on_batch` of the same.
rhyton::io::Json vision_prediction(const Options& options);
/// From `compile` of ResNet-50 to its first finished step, beside a later one, and the time to read its weights, beside
/// that to read the bytes of their file. Only for Rhyton.
rhyton::io::Json resnet50_start(const Options& options);
/// Square products of matrices.
rhyton::io::Json matmul(const Options& options);
/// Forward and backward through the ops of transformers besides matrix products.
rhyton::io::Json transformer_parts(const Options& options);
/// Attention, forward and backward, and forward alone, over several lengths.
rhyton::io::Json attention(const Options& options);
/// One training step of a Transformer's encoder block.
rhyton::io::Json encoder_training(const Options& options);
/// One step of each optimizer on ten matrices of a million weights.
rhyton::io::Json optimizer_step(const Options& options);
/// Decompositions of matrices and Fourier transforms.
rhyton::io::Json linear_algebra(const Options& options);
/// A text from a decoder of characters, one after the other.
rhyton::io::Json generation(const Options& options);
/// Builds, compiles and trains one step: {"finished": the time of day of its end}.
rhyton::io::Json start(const Options& options);
/// Single layers forward, each with its operations and its minimum bytes to read and write. Only for Rhyton.
rhyton::io::Json roofline(const Options& options);

/// A training step of the MNIST CNN with each of some metrics and without: {"rounds": {name: [seconds, one per
/// round]}}. Only for Rhyton.
rhyton::io::Json metrics_of_steps(const Options& options);

// The overhead of several replicas; only for Rhyton. They compare within one run, in alternating short rounds, so that
// other work on the machine affects all alike: {"rounds": {name: [seconds, one per round]}}. Workloads with several
// processes are started by mpirun and return their result on rank 0, null on the others.

/// A training step of the MNIST CNN on 64 images: on one device, and on 1, 2 and 4 replicas on logical CPUs.
rhyton::io::Json mirrored(const Options& options);
/// The same in rank 0 alone with all threads, and in all processes together with one each.
rhyton::io::Json workers(const Options& options);
/// The sum of 100 MB over two replicas of this process, compared with the machine's memory bandwidth.
rhyton::io::Json reduction(const Options& options);
/// The sum of memory over the processes, from 4 bytes to 100 MB.
rhyton::io::Json process_sums(const Options& options);
/// A training step of 128 samples per process for a network of 27 million parameters: with one sum of all gradients
/// after the backward pass, and with buckets that are summed during it. One thread per process.
rhyton::io::Json buckets(const Options& options);
/// The messages of a training step of several models: {"models": [...]}.
rhyton::io::Json messages(const Options& options);

}  // namespace workloads
