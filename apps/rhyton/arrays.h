#pragma once

#include <optional>
#include <string>
#include <vector>

#include <rhyton/rhyton.h>

namespace rhyton::tool {

/// Where a tensor enters or leaves a model.
struct Port {
  std::string name;
  /// With -1 for unknown lengths; nothing while the model is not built.
  std::optional<Shape> shape;
  /// What the values are multiplied by.
  std::optional<double> scale = std::nullopt;
  /// Whether pixels would come as they are, 0 to 255, to a layer with weights.
  bool lacks_scaling = false;
};

/// `scales` is what `--scale` was given: NUMBER or A/B, alone where the model has one input, else NAME=NUMBER for each
/// input that is meant. Throws CLI::ValidationError for anything else.
std::vector<Port> input_ports(const models::Model& model, const std::vector<std::string>& scales);
std::vector<Port> output_ports(const models::Model& model);
std::vector<std::string> names_of(const std::vector<Port>& ports);

/// The words of --help on how arrays are named.
inline constexpr const char* array_help =
    "An .npy or .npz file, one array of an archive as FILE.npz:ARRAY, or images (PNG, JPEG), each with its own "
    "--input. "
    "NAME=FILE says for which of several; an archive may hold all, under their names";

/// Reads what `option` ("--input", "--target") was given, one tensor per port:
///
/// - `x.npy`, in the order of the ports, or `NAME=x.npy`, in any order;
/// - PNG and JPEG files, any number for one port, which together are its batch;
/// - `x.npz` with one array, or with an array for each port under its name; `x.npz:ARRAY` for one of its arrays.
///
/// They are multiplied by the scale of their port. Throws Error naming the file or the port where something is missing,
/// damaged or left over, and where images come for a port that lacks scaling and has no scale.
std::vector<Tensor> read_arrays(const std::vector<std::string>& arguments, const std::vector<Port>& ports,
                                const std::string& option);

/// Throws CLI::ValidationError for `--output` unless `path` ends in .npy or .npz.
void require_array_file(const std::string& path);

/// Writes one array as .npy, any number of them, under their names, as .npz. Throws Error naming the file.
void write_arrays(const std::string& path, const std::vector<std::string>& names, const std::vector<Tensor>& arrays);

}  // namespace rhyton::tool
