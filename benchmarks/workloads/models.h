#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <rhyton/rhyton.h>

namespace workloads {

// All models are compiled, and identical to those of the peers' programs.

/// The MNIST CNN. `width` multiplies the filters; `depth` is the number of convolutions after the second pooling.
rhyton::models::Sequential mnist_cnn(double width = 1.0, int depth = 1);
/// ResNet-20 for 32x32 images (He et al. 2015), its shortcuts with projections (option B); SGD with momentum.
rhyton::models::Model resnet20_model();
/// 784-512-512-10; Adam.
rhyton::models::Sequential mlp_model();
/// 784-4096-4096-1216-10, 25 million parameters; Adam. Only for Rhyton.
rhyton::models::Sequential wide_mlp_model();
/// 784 - seven times 2048 - 10, 27 million parameters in layers of equal size; Adam. Only for Rhyton.
rhyton::models::Sequential deep_mlp_model();
/// The mean of 64 numbers per word of 20 000, and two dense layers; Adam.
rhyton::models::Sequential text_model();
/// A block of a Transformer's encoder, 512 wide, with 8 heads and 2048 hidden units, on 128 positions; Adam.
rhyton::models::Model encoder_model();
/// The recurrent layers that are measured: "LSTM" and "GRU".
inline const std::vector<std::string> recurrent_kinds = {"LSTM", "GRU"};
/// One of them with 128 units on sequences of 64 steps of 128 numbers, and one number as the output; Adam. Masked: a
/// Masking before it.
rhyton::models::Sequential recurrent_model(const std::string& kind, bool is_masked);
/// The same with a minimal gated unit (Zhou et al. 2016), a custom cell.
rhyton::models::Sequential custom_cell_model();
/// ConvLSTM2D with 16 filters of 3×3 on 10 images of 32×32×8, and one number as the output; Adam.
rhyton::models::Sequential conv_lstm_model();

/// A model of images or sequences that is measured in training and in prediction.
struct VisionModel {
  std::string name;
  rhyton::models::Model (*make)();
  /// Of a sample.
  rhyton::Shape shape;
  /// Of a sample's prediction; its last axis are the classes.
  rhyton::Shape outputs;
  std::int64_t batch_size;
};
/// MobileNetV2, ResNet-50 and EfficientNetB0 for 224×224 images, a U-Net for 128×128 images, and stacks of Conv1D and
/// Conv3D; SGD with momentum.
const std::vector<VisionModel>& vision_models();

}  // namespace workloads
