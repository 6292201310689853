#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::training {

/// Puts the outputs of batch after batch together along the first axis.
class Predictions {
 public:
  /// `expected`: how many samples there will be, where that is known: then nothing is copied twice.
  explicit Predictions(std::optional<std::int64_t> expected) : expected_(expected) {}

  void append(const std::vector<Tensor>& outputs);
  /// One tensor for each output.
  std::vector<Tensor> take();

 private:
  void make_room(const std::vector<Tensor>& outputs, std::int64_t samples);

  std::optional<std::int64_t> expected_;
  std::vector<Tensor> results_;
  std::int64_t samples_ = 0;
  std::int64_t room_ = 0;
};

}  // namespace rhyton::training
