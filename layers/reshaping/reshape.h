#pragma once

#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/layer.h>

namespace rhyton::layers {

struct ReshapeOptions {
  ByName by_name = ByName();
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;
};

/// All arguments of Reshape.
struct ReshapeArguments : ReshapeOptions {
  /// Its form in a configuration, where it is written with -1.
  struct TargetShape {
    Shape lengths = {};

    io::Json to_config() const;
    static TargetShape from_config(const io::Json& config);
    static constexpr const char* config_type = "a list of lengths";
    static constexpr bool config_is_object = true;
  };

  TargetShape target_shape = {};

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields.required("target_shape", self.target_shape);
  }
};

/// Reshapes each sample; one length may be -1, which is inferred. [batch, ...] -> [batch, *target_shape]. See
/// https://keras.io/api/layers/reshaping_layers/reshape.
///
/// Throws ValueError in Keras's words for two lengths of -1 and, when called, if the numbers of elements differ.
class Reshape : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "Reshape";
  using Arguments = ReshapeArguments;

  explicit Reshape(const Shape& target_shape, const ReshapeOptions& options = {});
  static Reshape from_config(const io::Json& config);
};

}  // namespace rhyton::layers
