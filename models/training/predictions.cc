#include <rhyton/models/training/predictions.h>

#include <algorithm>
#include <cstring>

#include <rhyton/framework/error.h>
#include <rhyton/models/training/batches.h>

namespace rhyton::training {

void Predictions::append(const std::vector<Tensor>& outputs) {
  outputs_.resize(outputs.size());
  for (std::size_t i = 0; i < outputs.size(); ++i) append(outputs_[i], outputs[i]);
}

void Predictions::append(Rows& rows, const Tensor& output) const {
  const bool is_first = rows.tensor.is_empty();
  const Shape shape = output.rank() == 0 ? Shape{1} : output.shape();
  if (is_first) rows.is_number = output.rank() == 0;
  const std::int64_t room = is_first ? 0 : rows.tensor.shape()[0];
  if (!is_first && (rows.is_number != (output.rank() == 0) || !(shape.with(0, room) == rows.tensor.shape()))) {
    throw ValueError("The outputs of two batches cannot be put together: " + output.shape().to_string() + " after " +
                     rows.tensor.shape().to_string());
  }
  if (is_first || rows.count + shape[0] > room) {
    const std::int64_t expected = rows.is_number ? 0 : expected_.value_or(0);
    Tensor larger =
        Tensor::uninitialized(shape.with(0, std::max({rows.count + shape[0], 2 * room, expected})), output.dtype());
    if (rows.count > 0) {
      std::memcpy(larger.mutable_raw_data(), rows.tensor.raw_data(),
                  static_cast<std::size_t>(rows.count) * sample_bytes(rows.tensor));
    }
    rows.tensor = std::move(larger);
  }
  if (output.size() > 0) {
    std::memcpy(static_cast<std::byte*>(rows.tensor.mutable_raw_data()) +
                    static_cast<std::size_t>(rows.count) * sample_bytes(rows.tensor),
                output.raw_data(), output.spec().bytes());
  }
  rows.count += shape[0];
}

Tensor Predictions::taken(const Rows& rows) {
  if (rows.is_number && rows.count == 1)
    return Tensor::from_storage({}, rows.tensor.dtype(), rows.tensor.storage()).clone();
  if (rows.count == rows.tensor.shape()[0]) return rows.tensor;
  const Shape shape = rows.tensor.shape().with(0, rows.count);
  return Tensor::from_storage(shape, rows.tensor.dtype(), rows.tensor.storage(), rows.tensor.byte_offset()).clone();
}

std::vector<Tensor> Predictions::take() {
  std::vector<Tensor> results;
  for (const Rows& rows : outputs_) results.push_back(taken(rows));
  outputs_.clear();
  return results;
}

}  // namespace rhyton::training
