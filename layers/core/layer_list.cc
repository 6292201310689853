#include <rhyton/layers/core/layer_list.h>

#include <string>

#include <rhyton/framework/error.h>

namespace rhyton {

io::Json ConfigForm<std::vector<layers::Layer>>::write(const std::vector<layers::Layer>& layers) {
  io::Json result = io::Json::array();
  for (const layers::Layer& layer : layers) result.push_back(ConfigForm<layers::Layer>::write(layer));
  return result;
}

std::vector<layers::Layer> ConfigForm<std::vector<layers::Layer>>::read(const char* key, const io::Json& json) {
  if (!json.is_array()) {
    throw TypeError("The `" + std::string(key) + "` argument must be a list of layers. Received: " + json.dump());
  }
  std::vector<layers::Layer> layers;
  for (const io::Json& entry : json) layers.push_back(ConfigForm<layers::Layer>::read(key, entry));
  return layers;
}

}  // namespace rhyton
