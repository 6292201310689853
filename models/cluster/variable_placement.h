#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <rhyton/framework/distribute/partitioners.h>
#include <rhyton/framework/tensor/variable.h>

namespace rhyton::distribute {

/// Rows of a variable, or a whole variable, on one server.
struct Shard {
  int server = 0;
  std::int64_t first_row = 0;
  /// 0 for a scalar.
  std::int64_t rows = 0;
  /// Names it in messages: "3" is variable 3, "3/1" its second part.
  std::string key;
};

/// Which server has which variables: as in TensorFlow one after the other in the order of the variables, and so are the
/// parts of those that the partitioner divides.
class VariablePlacement {
 public:
  /// `partitioner` may be empty. Throws ValueError in TensorFlow's words where it divides another axis than the first.
  VariablePlacement(const std::vector<Variable>& variables, int num_servers, const VariablePartitioner& partitioner);

  std::size_t size() const { return shards_.size(); }
  const std::vector<Shard>& shards_of(std::size_t variable) const { return shards_.at(variable); }
  bool is_divided(std::size_t variable) const { return shards_.at(variable).size() > 1; }

 private:
  std::vector<std::vector<Shard>> shards_;
};

/// The rows of a shard of a variable, or of its gradient: the tensor itself where it is whole.
Tensor rows_of(const Tensor& whole, const Shard& shard);

}  // namespace rhyton::distribute
