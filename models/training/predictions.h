#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::training {

/// Puts the outputs of batch after batch together along the first axis. An output of rank 0 is a number per batch: the
/// result is that number for one batch, and a list of numbers for several.
class Predictions {
 public:
  /// `expected`: how many samples there will be, where that is known: then nothing is copied twice.
  explicit Predictions(std::optional<std::int64_t> expected) : expected_(expected) {}

  /// Throws ValueError for outputs that differ from those before in more than the first axis.
  void append(const std::vector<Tensor>& outputs);
  /// One tensor for each output.
  std::vector<Tensor> take();

 private:
  /// The rows of one output.
  struct Rows {
    /// With room for more rows.
    Tensor tensor = {};
    std::int64_t count = 0;
    /// Whether the output has rank 0 and each batch gives one row.
    bool is_number = false;
  };

  void append(Rows& rows, const Tensor& output) const;
  static Tensor taken(const Rows& rows);

  std::optional<std::int64_t> expected_;
  std::vector<Rows> outputs_;
};

}  // namespace rhyton::training
