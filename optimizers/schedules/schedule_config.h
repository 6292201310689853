#pragma once

#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/serialization/config_reader.h>
#include <rhyton/framework/serialization/config_writer.h>

namespace rhyton::optimizers::schedules {

/// The arguments in the config of a schedule of that class. Throws ValueError for unknown and missing arguments, and
/// the errors of ConfigReader.
template <class Handle>
typename Handle::Arguments read_schedule(const io::Json& config) {
  ConfigReader reader("schedule", Handle::keras_name, config);
  typename Handle::Arguments arguments;
  Handle::Arguments::visit(arguments, reader);
  reader.finish();
  return arguments;
}

}  // namespace rhyton::optimizers::schedules
