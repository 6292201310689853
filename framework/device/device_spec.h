#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rhyton {

/// A parsed device name; a field that the name leaves open is empty (TensorFlow's `tf.DeviceSpec`).
struct DeviceSpec {
  std::optional<std::string> job;
  std::optional<int> replica;
  std::optional<int> task;
  /// "CPU", "GPU", …: upper case when the name used a short form.
  std::optional<std::string> device_type;
  std::optional<int> device_index;

  /// Parses a device name, whose fields are separated by `/`: `job:<name>`, `replica:<n>`, `task:<n>`,
  /// `device:<TYPE>:<n or *>`, or the short forms `cpu`, `GPU:0`, `gpu:*` in any case. An empty text leaves all open.
  /// Throws ValueError for an unknown field, for two device types, or for an invalid number.
  static DeviceSpec parse(std::string_view text);

  /// This spec, with the fields that `inner` defines replaced by those of `inner`.
  DeviceSpec merged_with(const DeviceSpec& inner) const;

  /// The canonical name, "/job:localhost/replica:0/task:0/device:GPU:1", without the fields that are open;
  /// a device type without an index is written "/device:GPU:*".
  std::string to_string() const;

  friend bool operator==(const DeviceSpec&, const DeviceSpec&) = default;
};

}  // namespace rhyton
