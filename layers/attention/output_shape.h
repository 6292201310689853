#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include <rhyton/framework/io/json/json.h>

namespace rhyton::layers {

/// The lengths of the axes that take the place of a query's last one: `16` or `{4, 4}`; the query's last length itself
/// if there are none.
class OutputShape {
 public:
  OutputShape() = default;
  /// 0 is that of the query, as in Keras.
  OutputShape(std::int64_t length);                         // NOLINT(google-explicit-constructor): `8` is a shape
  OutputShape(std::initializer_list<std::int64_t> lengths)  // NOLINT(google-explicit-constructor): so is `{3, 4}`
      : OutputShape(std::vector<std::int64_t>(lengths)) {}
  OutputShape(std::vector<std::int64_t> lengths);  // NOLINT(google-explicit-constructor)

  /// Whether it is the last length of the query.
  bool is_that_of_query() const { return lengths_.empty(); }
  const std::vector<std::int64_t>& lengths() const { return lengths_; }

  /// Null, or the list of the lengths. 0 and a list without lengths keep their form.
  io::Json to_config() const { return config_; }
  static OutputShape from_config(const io::Json& config);
  static constexpr const char* config_type = "an integer or a list of integers";

 private:
  std::vector<std::int64_t> lengths_;
  io::Json config_;
};

}  // namespace rhyton::layers
