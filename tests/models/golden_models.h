#pragma once

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

#include <rhyton/framework/io/json/json.h>
#include <rhyton/models/model.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::models {

/// The cases of a golden file.
inline io::Json golden_cases(const std::string& area) {
  std::ifstream file(RHYTON_GOLDEN_DIR "/" + area + ".json", std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return io::Json::parse(text.str(), area);
}

inline io::Json golden_case(const std::string& area, const std::string& name) {
  for (const io::Json& entry : golden_cases(area)) {
    if (entry["name"] == io::Json(name)) return entry;
  }
  throw std::out_of_range("no golden case " + name + " in " + area);
}

/// Keras's message in that case.
inline std::string golden_message(const std::string& name) {
  return golden_case("errors", name)["message"].as_string();
}

using test::message_of;

}  // namespace rhyton::models
