#include <rhyton/models/cluster/variable_placement.h>

#include <algorithm>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/shaping.h>

namespace rhyton::distribute {
namespace {

std::int64_t parts_of(const Variable& variable, const VariablePartitioner& partitioner) {
  const Shape& shape = variable.shape();
  if (!partitioner || shape.rank() == 0 || shape.size() == 0) return 1;
  const std::vector<std::int64_t> parts = partitioner(shape, variable.dtype());
  const bool divides_rows = parts.size() == static_cast<std::size_t>(shape.rank()) && parts.front() >= 1 &&
                            std::all_of(parts.begin() + 1, parts.end(), [](std::int64_t n) { return n == 1; });
  if (!divides_rows) {
    std::string text;
    for (const std::int64_t n : parts) text += (text.empty() ? "" : ", ") + std::to_string(n);
    throw ValueError(
        "variable_partitioner must return a list whose elements are 1 besides the first element (non-zero), got: [" +
        text + "] for the variable '" + variable.path() + "' of shape " + shape.to_string());
  }
  return std::min(parts.front(), shape[0]);
}

}  // namespace

VariablePlacement::VariablePlacement(const std::vector<Variable>& variables, int num_servers,
                                     const VariablePartitioner& partitioner) {
  int next = 0;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const Shape& shape = variables[i].shape();
    const std::int64_t parts = parts_of(variables[i], partitioner);
    const std::int64_t rows = shape.rank() == 0 ? 0 : shape[0];
    std::vector<Shard> shards;
    std::int64_t first = 0;
    for (std::int64_t part = 0; part < parts; ++part) {
      const std::int64_t own = rows / parts + (part < rows % parts ? 1 : 0);
      const std::string key = std::to_string(i) + (parts > 1 ? "/" + std::to_string(part) : "");
      shards.push_back({.server = next, .first_row = first, .rows = own, .key = key});
      next = (next + 1) % num_servers;
      first += own;
    }
    shards_.push_back(std::move(shards));
  }
}

Tensor rows_of(const Tensor& whole, const Shard& shard) {
  if (whole.rank() == 0 || shard.rows == whole.shape()[0]) return whole;
  return whole.slice(shard.first_row, shard.first_row + shard.rows);
}

}  // namespace rhyton::distribute
