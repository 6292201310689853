#pragma once

#include <vector>

#include <rhyton/layers/core/wrapper.h>

namespace rhyton {

/// Layers in the configuration of another one.
template <>
struct ConfigForm<std::vector<layers::Layer>> {
  static constexpr const char* type = "a list of layers";
  static constexpr bool is_object = true;
  static constexpr bool refuses_null = true;
  static io::Json write(const std::vector<layers::Layer>& layers);
  static std::vector<layers::Layer> read(const char* key, const io::Json& json);
};

}  // namespace rhyton
