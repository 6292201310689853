#include <rhyton/optimizers/class_names.h>

#include <rhyton/framework/context.h>
#include <rhyton/framework/snake_case.h>

namespace rhyton {

std::string automatic_name(std::string_view class_name) { return context().unique_name(snake_case(class_name)); }

}  // namespace rhyton
