#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <rhyton/framework/by_name.h>
#include <rhyton/optimizers/schedules/learning_rate_schedule.h>

namespace rhyton::optimizers::schedules {

/// The options of PiecewiseConstantDecay.
struct PiecewiseConstantDecayOptions {
  ByName by_name = ByName();
  std::string name = "PiecewiseConstant";
};

/// All arguments of PiecewiseConstantDecay.
struct PiecewiseConstantDecayArguments : PiecewiseConstantDecayOptions {
  std::vector<std::int64_t> boundaries = {};
  std::vector<double> values = {};

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields.required("boundaries", self.boundaries);
    fields.required("values", self.values);
    fields("name", self.name);
  }
};

/// values[i] for the first boundary i with step <= boundaries[i], the last value after all boundaries. There must be
/// one value more than boundaries, which must ascend; otherwise throws ValueError in Keras's words.
/// https://keras.io/api/optimizers/learning_rate_schedules/piecewise_constant_decay/
class PiecewiseConstantDecay : public LearningRateSchedule {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "PiecewiseConstantDecay";
  using Arguments = PiecewiseConstantDecayArguments;

  PiecewiseConstantDecay(const std::vector<std::int64_t>& boundaries, const std::vector<double>& values,
                         const PiecewiseConstantDecayOptions& options = {});

  /// Creates it from a saved `config`. Throws ValueError for unknown arguments.
  static PiecewiseConstantDecay from_config(const io::Json& config);
};

}  // namespace rhyton::optimizers::schedules
