#include <rhyton/framework/backends/gpu/runtime/report.h>

#include <string>

#include <rhyton/framework/error.h>

namespace rhyton::gpu {
namespace {

std::string message_of(const Report& report) {
  const std::string value = std::to_string(report.value);
  const std::string limit = std::to_string(report.limit);
  const std::string position = std::to_string(report.position);
  switch (static_cast<Finding>(report.finding)) {
    case Finding::label_out_of_range:
      return "Received a label value of " + value + " which is outside the valid range of [0, " + limit + ").";
    case Finding::segment_out_of_range:
      return "segment_ids[" + position + "] = " + value + " is out of range [0, " + limit + ")";
    case Finding::negative_category:
      return "Input 'in' must be non-negative! Negative input value found: " + value + " [Op:DenseBincount]";
    case Finding::begin_out_of_range:
      return "Expected begin[" + position + "] in [0, " + limit + "], but got " + value;
    case Finding::size_out_of_range:
      return "Expected size[" + position + "] in [0, " + limit + "], but got " + value;
    default:
      return "indices[" + position + "] = " + value + " is not in [0, " + limit + ")";
  }
}

}  // namespace

void throw_finding(const Report& report) { throw InvalidArgumentError(message_of(report)); }

}  // namespace rhyton::gpu
