#pragma once

#include <optional>
#include <string>
#include <vector>

#include <rhyton/rhyton.h>

namespace rhyton::tool {

/// An input or output of a model.
struct Port {
  std::string name;
  /// With -1 for unknown lengths; empty while the model is not built.
  std::optional<Shape> shape;
  /// Whether it is of strings.
  bool takes_strings = false;
  /// The factor applied to the values.
  std::optional<double> scale = std::nullopt;
  /// Whether pixels would reach a layer with weights unscaled, as 0 to 255.
  bool lacks_scaling = false;
};

/// The inputs of the model. `scales` are the arguments of `--scale`: NUMBER or A/B, alone if the model has one input,
/// else NAME=NUMBER per input. Throws CLI::ValidationError for anything else.
std::vector<Port> input_ports(const models::Model& model, const std::vector<std::string>& scales);
std::vector<Port> output_ports(const models::Model& model);
std::vector<std::string> names_of(const std::vector<Port>& ports);

/// The text of --help on the naming of arrays.
inline constexpr const char* array_help =
    "An .npy or .npz file, one array of an archive as FILE.npz:ARRAY, or images (PNG, JPEG), each with its own "
    "--input. For strings, a .txt file with one a line. "
    "NAME=FILE selects one of several; an archive may contain all, under their names";

/// Reads the arguments of `option` ("--input", "--target"), one tensor per port:
///
/// - `x.npy`, in the order of the ports, or `NAME=x.npy`, in any order;
/// - `x.txt` with one string a line, for a port of strings;
/// - PNG and JPEG files, any number for one port, which together form its batch;
/// - `x.npz` with one array, or with an array for each port under its name; `x.npz:ARRAY` for one of its arrays.
///
/// They are multiplied by the scale of their port. Throws Error naming the file or the port if an array is missing,
/// damaged or superfluous, and if images are given for a port that lacks scaling and has no scale.
std::vector<Tensor> read_arrays(const std::vector<std::string>& arguments, const std::vector<Port>& ports,
                                const std::string& option);

/// Throws CLI::ValidationError for `--output` unless `path` ends in .npy or .npz.
void require_array_file(const std::string& path);

/// Writes one array as .npy, or several under their names as .npz. Throws Error naming the file.
void write_arrays(const std::string& path, const std::vector<std::string>& names, const std::vector<Tensor>& arrays);

}  // namespace rhyton::tool
