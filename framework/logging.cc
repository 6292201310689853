#include <rhyton/framework/logging.h>

#include <iostream>

namespace rhyton {

void log_info(const std::string& message) { std::cerr << "INFO:rhyton:" + message + "\n" << std::flush; }

void log_warning(const std::string& message) { std::cerr << "WARNING:rhyton:" + message + "\n" << std::flush; }

}  // namespace rhyton
