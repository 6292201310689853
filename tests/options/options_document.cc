// Writes docs/options.md, or checks it:
//
//     options_document docs/options.md
//     options_document --check docs/options.md

#include <algorithm>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include <rhyton/tests/options/all_tables.h>

namespace rhyton::test {
namespace {

using Row = OptionTable::Row;

/// The value as Python prints it.
std::string python(const io::Json& value) {
  if (value.is_null()) return "None";
  if (value.is_bool()) return value.as_bool() ? "True" : "False";
  if (value.is_string()) return value.as_string().empty() ? "None" : '"' + value.as_string() + '"';
  if (value.is_object() && value.contains("class_name")) return value["class_name"].as_string() + "()";
  return value.dump();
}

std::string without_article(const std::string& type) {
  return type.starts_with("an ") ? type.substr(3) : type.starts_with("a ") ? type.substr(2) : type;
}

std::string line(const Row& row) {
  const std::string given = row.is_required   ? "required"
                            : row.is_constant ? "only `" + python(row.default_value) + "`"
                                              : "`" + python(row.default_value) + "`";
  return "| `" + row.name + "` | " + without_article(row.type) + " | " + given + " |\n";
}

bool has_line(const OptionTable& table, const std::string& text) {
  return std::any_of(table.rows().begin(), table.rows().end(), [&](const Row& row) { return line(row) == text; });
}

/// The rows that all classes of a kind have, or all but one, or but one in twenty.
std::vector<Row> common_rows(const std::vector<OptionTable>& tables) {
  const std::size_t max_without = std::max<std::size_t>(1, tables.size() / 20);
  std::vector<Row> common;
  for (const Row& row : tables.front().rows()) {
    const std::string text = line(row);
    const auto has = [&](const OptionTable& table) { return has_line(table, text); };
    const auto with = static_cast<std::size_t>(std::count_if(tables.begin(), tables.end(), has));
    if (with + max_without >= tables.size()) common.push_back(row);
  }
  return common;
}

/// "It has no `trainable`.", of the common arguments that the class lacks.
std::string without(const OptionTable& table, const std::vector<Row>& common) {
  std::string names;
  for (const Row& row : common) {
    const auto is_same = [&](const Row& other) { return other.name == row.name; };
    if (std::any_of(table.rows().begin(), table.rows().end(), is_same)) continue;
    names += (names.empty() ? "`" : ", `") + row.name + "`";
  }
  return names.empty() ? names : "\nIt has no " + names + ".\n";
}

const std::string header = "| Argument | Type | Default |\n|---|---|---|\n";

std::string section(const std::string& kind, const std::vector<OptionTable>& tables) {
  std::string text = "\n## " + kind + "\n";
  const std::vector<Row> common = tables.size() > 1 ? common_rows(tables) : std::vector<Row>();
  std::string common_lines;
  for (const Row& row : common) common_lines += line(row);
  if (!common.empty()) text += "\nAll of them have these, unless it is said otherwise:\n\n" + header + common_lines;
  for (const OptionTable& table : tables) {
    text += "\n### " + table.class_name() + "\n";
    std::string rows;
    for (const Row& row : table.rows()) {
      if (common_lines.find(line(row)) == std::string::npos) rows += line(row);
    }
    text += without(table, common);
    text += rows.empty() ? "\nNo others.\n" : "\n" + header + rows;
  }
  return text;
}

std::string document() {
  std::string text =
      "# The arguments of layers, losses, metrics and optimizers\n\n"
      "<!-- Written by options_document (tests/options); do not edit. -->\n\n"
      "Keras's names, types and defaults, in the order of the saved configuration, as the listings of the options\n"
      "structs give them (see [contributing](contributing.md)). An argument that has only one value is one of Keras's\n"
      "that Rhyton does not support; another value in a file is an error. `None` as the default of a `name`, `dtype` "
      "or\n"
      "`data_format` means that it is chosen when the object is created.\n";
  for (const auto& [kind, tables] : all_tables()) text += section(kind, tables);
  return text;
}

std::string contents_of(const std::string& path) {
  std::ostringstream contents;
  contents << std::ifstream(path).rdbuf();
  return contents.str();
}

int run(const std::vector<std::string>& arguments) {
  if (arguments.size() == 1) {
    std::ofstream file(arguments[0]);
    file << document();
    return file.good() ? 0 : 1;
  }
  if (arguments.size() == 2 && arguments[0] == "--check") {
    if (contents_of(arguments[1]) == document()) return 0;
    std::cerr << arguments[1] << " does not say what the options are. Write it anew: options_document " << arguments[1]
              << "\n";
    return 1;
  }
  std::cerr << "usage: options_document [--check] FILE\n";
  return 2;
}

}  // namespace
}  // namespace rhyton::test

int main(int count, char** arguments) { return rhyton::test::run({arguments + 1, arguments + count}); }
