// rhyton inspect: shows the contents of a file of Keras or NumPy without creating a model.

#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/apps/rhyton/commands.h>
#include <rhyton/apps/rhyton/file_contents.h>
#include <rhyton/apps/rhyton/json_output.h>
#include <rhyton/apps/rhyton/messages.h>
#include <rhyton/rhyton.h>

namespace rhyton::tool {
namespace {

using io::Json;

/// Longer texts, such as a whole configuration, are truncated to this length.
constexpr std::size_t shown_length = 80;

std::string shortened(const std::string& text) {
  if (text.size() <= shown_length) return text;
  std::size_t end = shown_length;
  while ((static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80) --end;  // not within a character
  return text.substr(0, end) + "… (" + std::to_string(text.size()) + " characters)";
}

std::string shape_text(const Json& shape) {
  if (shape.is_null()) return "?";
  Shape lengths;
  for (const Json& length : shape) lengths.push_back(length.as_int());
  return lengths.to_string();
}

/// Lines with columns, each as wide as its widest cell. A line of one cell may have any length.
class Listing {
 public:
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  void print() const {
    std::vector<std::size_t> widths;
    for (const auto& row : rows_) {
      widths.resize(std::max(widths.size(), row.size()));
      for (std::size_t i = 0; i < row.size() && row.size() > 1; ++i) widths[i] = std::max(widths[i], row[i].size());
    }
    for (const auto& row : rows_) {
      std::cout << row.front();
      for (std::size_t i = 1; i < row.size(); ++i) {
        std::cout << std::string(widths[i - 1] - row[i - 1].size() + 2, ' ') << row[i];
      }
      std::cout << "\n";
    }
  }

 private:
  std::vector<std::vector<std::string>> rows_;
};

void add_array(Listing& listing, const std::string& name, const Json& array) {
  std::vector<std::string> cells = {name, shape_text(array["shape"]), one_line(array["dtype"].as_string())};
  if (array["fortran_order"].as_bool()) cells.emplace_back("Fortran order");
  listing.add(std::move(cells));
}

void add_object(Listing& listing, const Json& object) {
  const std::string path = one_line(object["path"].as_string());
  if (object.contains("dtype")) {
    listing.add(
        {path, shape_text(object["shape"]), object["dtype"].is_null() ? "no numbers" : object["dtype"].as_string()});
  } else {
    listing.add({path});
  }
  for (const auto& [name, value] : object["attributes"].items()) {
    const std::string text = value.is_string() ? "\"" + value.as_string() + "\"" : value.dump();
    listing.add({"    @" + one_line(name) + " = " + shortened(one_line(text))});
  }
}

void print_text(const std::string& path, const Json& contents) {
  const std::string format = contents["format"].as_string();
  Listing listing;
  if (format == "npy") {
    add_array(listing, path, contents);
  } else if (format == "npz") {
    for (const Json& array : contents["arrays"]) add_array(listing, one_line(array["name"].as_string()), array);
  } else if (format == "keras") {
    std::string line = contents["class_name"].as_string();
    if (contents["name"].is_string()) line += " \"" + contents["name"].as_string() + "\"";
    if (contents["metadata"].is_object()) {
      line += ", keras_version " + contents["metadata"].get_or("keras_version", "unknown") + ", saved " +
              contents["metadata"].get_or("date_saved", "unknown");
    }
    std::cout << one_line(line) << "\n";
    for (const Json& member : contents["members"]) {
      listing.add({one_line(member["name"].as_string()), std::to_string(member["size"].as_int()) + " bytes"});
    }
    listing.print();
    listing = Listing();
  }
  if (contents.contains("objects")) {
    for (const Json& object : contents["objects"]) add_object(listing, object);
  }
  listing.print();
}

struct InspectOptions {
  std::string file;
  bool as_json = false;
};

void run(const InspectOptions& options) {
  const Json contents = contents_of(options.file);
  // Also name the file in errors about text that is not UTF-8, which cannot be printed.
  naming_file(options.file, [&] { options.as_json ? print(contents) : print_text(options.file, contents); });
}

}  // namespace

void add_inspect(CLI::App& app) {
  CLI::App* const command = app.add_subcommand("inspect", "Shows what a file holds: members, arrays, attributes");
  const auto options = std::make_shared<InspectOptions>();
  command->add_option("FILE", options->file, "A .keras, .h5, .weights.h5, .npz or .npy file")->required();
  command->add_flag("--json", options->as_json, "Print JSON");
  command->callback([options] { run(*options); });
}

}  // namespace rhyton::tool
