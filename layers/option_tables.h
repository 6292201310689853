#pragma once

#include <vector>

#include <rhyton/framework/serialization/option_table.h>

// The options of the built-in classes, for the documentation.

namespace rhyton::layers {

std::vector<OptionTable> option_tables();

}  // namespace rhyton::layers

namespace rhyton::initializers {

std::vector<OptionTable> option_tables();

}  // namespace rhyton::initializers

namespace rhyton::regularizers {

std::vector<OptionTable> option_tables();

}  // namespace rhyton::regularizers

namespace rhyton::constraints {

std::vector<OptionTable> option_tables();

}  // namespace rhyton::constraints
