#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/serialization/config_form.h>
#include <rhyton/framework/serialization/member_count.h>

namespace rhyton {

/// The options of a class with their types and defaults, for the documentation: the `Fields` that an options struct
/// lists its members to (see ConfigReader).
class OptionTable {
 public:
  struct Row {
    std::string name;
    /// "an integer".
    std::string type;
    io::Json default_value;
    /// Without a default.
    bool is_required = false;
    /// An argument of Keras that has only the default here.
    bool is_constant = false;
  };

  /// `struct_members` is the number of members of the options struct.
  OptionTable(std::string class_name, std::size_t struct_members)
      : class_name_(std::move(class_name)), struct_members_(struct_members) {}

  template <class T>
  void operator()(const char* key, const T& value) {
    add({key, ConfigForm<T>::type, ConfigForm<T>::write(value)});
  }
  template <class T>
  void required(const char* key, const T& /*value*/) {
    add({.name = key, .type = ConfigForm<T>::type, .default_value = nullptr, .is_required = true});
  }
  template <class T>
  void unless_default(const char* key, const T& value, const T& /*default_value*/) {
    (*this)(key, value);
  }
  void count(const char* key, double value) { add({key, ConfigForm<double>::type, python_number(value)}); }
  void required_count(const char* key, double value) { required(key, value); }
  void policy(const char* key, const std::string& value, bool /*is_written*/ = true) {
    add({key, "a dtype", value.empty() ? io::Json() : io::Json(value)});
  }
  void constant(const char* key, const io::Json& value) {
    add({.name = key, .type = {}, .default_value = value, .is_constant = true});
  }
  void ignored(const char* /*key*/, const io::Json& /*only_value*/) {}
  void ignored(const char* /*key*/) {}

  const std::string& class_name() const { return class_name_; }
  const std::vector<Row>& rows() const { return rows_; }
  /// The number of members of the options struct that were listed. It differs from `struct_members` where one was
  /// forgotten.
  std::size_t listed_members() const;
  std::size_t struct_members() const { return struct_members_; }

 private:
  /// A row that is added again moves to its last place.
  void add(Row row);

  std::string class_name_;
  std::size_t struct_members_;
  std::vector<Row> rows_;
};

/// The table of a class with these options. `visit` lists them: a function of options and fields.
template <class Options, class Visit>
OptionTable option_table(const std::string& class_name, const Visit& visit) {
  OptionTable table(class_name, member_count<Options>());
  const Options options;
  visit(options, table);
  return table;
}

}  // namespace rhyton
