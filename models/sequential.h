#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/layer.h>
#include <rhyton/models/model.h>

namespace rhyton::models {

/// Arguments of `Sequential` besides its layers. Fields in the order of Keras's signature.
struct SequentialOptions {
  ByName by_name = ByName();
  bool trainable = true;
  /// "sequential", "sequential_1", … if empty.
  std::string name = {};
};

/// A linear stack of layers (`keras.Sequential`, https://keras.io/api/models/sequential). With a `layers::Input` first
/// it is built at once, else when it is first called or trained.
///
/// ```
/// models::Sequential model({
///     layers::Input({.shape = {784}}),
///     layers::Dense(64, {.activation = "relu"}),
///     layers::Dense(10),
/// });
/// ```
class Sequential : public Model {
 public:
  explicit Sequential(const SequentialOptions& options = {});
  /// Throws ValueError in Keras's words when two layers have the same name, there are two Inputs, or a layer does not
  /// fit the one before it.
  explicit Sequential(std::initializer_list<layers::Layer> layers, const SequentialOptions& options = {});
  explicit Sequential(const std::vector<layers::Layer>& layers, const SequentialOptions& options = {});

  /// Adds a layer at the end. Throws as the constructor does.
  void add(const layers::Layer& layer) const;
  /// Removes the last layer and returns it. Throws ValueError if there is none.
  layers::Layer pop() const;
};

static_assert(sizeof(Sequential) == sizeof(layers::Layer), "a handle has no members of its own");

}  // namespace rhyton::models
