#include <rhyton/apps/rhyton/arrays.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include <CLI/CLI.hpp>

#include <rhyton/apps/rhyton/images.h>
#include <rhyton/apps/rhyton/messages.h>
#include <rhyton/apps/rhyton/scaling.h>

namespace rhyton::tool {
namespace {

/// A parsed argument: NAME=FILE.npz:ARRAY.
struct Source {
  std::string port;
  std::string path;
  std::string array;

  bool is_archive() const { return path.ends_with(".npz"); }
};

std::vector<Port> ports_of(const std::vector<std::string>& names, const std::vector<layers::SymbolicTensor>& tensors) {
  std::vector<Port> ports;
  for (std::size_t i = 0; i < names.size(); ++i) {
    ports.push_back({.name = names[i], .shape = std::nullopt});
    if (i >= tensors.size()) continue;
    ports.back().shape = tensors[i].shape();
    ports.back().takes_strings = tensors[i].dtype() == string_dtype;
  }
  return ports;
}

bool has_port(const std::vector<Port>& ports, const std::string& name) {
  return std::any_of(ports.begin(), ports.end(), [&](const Port& port) { return port.name == name; });
}

Source parse(const std::string& argument, const std::vector<Port>& ports, const std::string& option) {
  Source source{.port = {}, .path = argument, .array = {}};
  const std::size_t equals = argument.find('=');
  if (equals != std::string::npos && !std::filesystem::exists(argument)) {
    source.port = argument.substr(0, equals);
    source.path = argument.substr(equals + 1);
    if (!has_port(ports, source.port)) {
      throw ValueError(option + " " + argument + ": the model has no '" + source.port + "' there, only " +
                       quoted_list(names_of(ports)));
    }
  }
  const std::size_t colon = source.path.rfind(".npz:");
  if (colon != std::string::npos) {
    source.array = source.path.substr(colon + std::string(".npz:").size());
    source.path.resize(colon + std::string(".npz").size());
  }
  return source;
}

std::vector<std::string> names_of(const io::NamedTensors& arrays) {
  std::vector<std::string> names;
  for (const auto& [name, array] : arrays) names.push_back(name);
  return names;
}

/// The array that `source` names, else the one of that name or the only one.
Tensor from_archive(const Source& source, const std::string& name) {
  if (!source.array.empty()) return io::read_npz(source.path, source.array);
  io::NamedTensors arrays = io::read_npz(source.path);
  if (arrays.size() == 1) return std::move(arrays.front().second);
  for (auto& [array_name, array] : arrays) {
    if (array_name == name) return std::move(array);
  }
  throw NotFoundError(source.path + " has no array '" + name + "', only " + quoted_list(names_of(arrays)) + "; " +
                      source.path + ":ARRAY selects one");
}

/// The lines of a text file as an array of strings.
Tensor read_lines(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw NotFoundError(path + ": no such file");
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    if (line.ends_with('\r')) line.pop_back();
    lines.push_back(line);
  }
  return StringTensor(std::move(lines));
}

Tensor read(const Source& source, const Port& port) {
  return naming_file(source.path, [&]() -> Tensor {
    if (port.takes_strings) {
      if (source.path.ends_with(".txt")) return read_lines(source.path);
      throw ValueError(source.path + ": '" + port.name + "' takes strings: expected a .txt file with one a line");
    }
    if (source.is_archive()) return from_archive(source, port.name);
    if (source.path.ends_with(".npy")) return io::read_npy(source.path);
    throw ValueError(source.path + ": expected an .npy or .npz file, or an image");
  });
}

bool are_images(const std::vector<Source>& sources) {
  return std::all_of(sources.begin(), sources.end(), [](const Source& source) { return is_image(source.path); });
}

Tensor scaled(const Tensor& values, const Port& port) {
  if (!port.scale) return values;
  if (port.takes_strings) throw CLI::ValidationError("--scale", "'" + port.name + "' takes strings, not numbers");
  return (is_floating(values.dtype()) ? values : values.cast(float32)) * *port.scale;
}

/// Without an error the outputs would be wrong unnoticed.
[[noreturn]] void refuse_unscaled(const std::string& path, const Port& port) {
  throw ValueError(path + ": pixels are numbers from 0 to 255, and the model does not scale its input '" + port.name +
                   "' (it has no Rescaling or normalization before its weights): give the factor for them, with "
                   "--scale 1/255 if the model was trained on numbers from 0 to 1, with --scale 1 if it was trained on "
                   "numbers from 0 to 255");
}

/// Reads one array, or any number of images.
Tensor read(const std::vector<Source>& sources, const Port& port) {
  if (!are_images(sources)) return scaled(read(sources.front(), port), port);
  std::vector<std::string> paths;
  for (const Source& source : sources) paths.push_back(source.path);
  const Tensor images = read_images(paths, port);
  if (port.lacks_scaling && !port.scale) refuse_unscaled(paths.front(), port);
  return scaled(images, port);
}

/// Reads a number, or a fraction of two: "1/255".
double parse_scale(const std::string& text) {
  const auto number = [&](const std::string& part) {
    std::size_t end = 0;
    double value = 0;
    try {
      value = std::stod(part, &end);
    } catch (const std::exception&) {
      end = 0;
    }
    if (end == 0 || end != part.size() || !std::isfinite(value)) {
      throw CLI::ValidationError("--scale", text + " is not a number like 0.5 or 1/255");
    }
    return value;
  };
  const std::size_t slash = text.find('/');
  const double value =
      slash == std::string::npos ? number(text) : number(text.substr(0, slash)) / number(text.substr(slash + 1));
  if (!std::isfinite(value) || value == 0) throw CLI::ValidationError("--scale", text + " is 0 or not finite");
  return value;
}

void set_scale(const std::string& argument, std::vector<Port>& ports) {
  const std::size_t equals = argument.rfind('=');
  if (equals == std::string::npos) {
    if (ports.size() != 1) {
      throw CLI::ValidationError("--scale", "the model has the inputs " + quoted_list(names_of(ports)) +
                                                ": NAME=" + argument + " selects one of them");
    }
    ports.front().scale = parse_scale(argument);
    return;
  }
  const std::string name = argument.substr(0, equals);
  const auto port = std::find_if(ports.begin(), ports.end(), [&](const Port& p) { return p.name == name; });
  if (port == ports.end()) {
    throw CLI::ValidationError(
        "--scale", argument + ": the model has no input '" + name + "', only " + quoted_list(names_of(ports)));
  }
  port->scale = parse_scale(argument.substr(equals + 1));
}

/// Reads an archive with an array for each port.
std::vector<Tensor> read_together(const Source& source, const std::vector<Port>& ports) {
  return naming_file(source.path, [&] {
    const io::NamedTensors arrays = io::read_npz(source.path);
    std::vector<Tensor> tensors;
    for (const Port& port : ports) {
      const auto found =
          std::find_if(arrays.begin(), arrays.end(), [&](const auto& array) { return array.first == port.name; });
      if (found == arrays.end()) {
        throw NotFoundError(source.path + " has no array '" + port.name + "', only " + quoted_list(names_of(arrays)));
      }
      tensors.push_back(scaled(found->second, port));
    }
    return tensors;
  });
}

std::vector<Tensor> read_by_name(const std::vector<Source>& sources, const std::vector<Port>& ports,
                                 const std::string& option) {
  std::vector<Tensor> tensors;
  for (const Port& port : ports) {
    std::vector<Source> own;
    std::copy_if(sources.begin(), sources.end(), std::back_inserter(own),
                 [&](const Source& source) { return source.port == port.name; });
    if (own.empty()) {
      throw ValueError("there is no " + option + " for '" + port.name + "' of the model's " +
                       quoted_list(names_of(ports)));
    }
    if (own.size() > 1 && !are_images(own)) throw ValueError(option + " '" + port.name + "' is given more than once");
    tensors.push_back(read(own, port));
  }
  return tensors;
}

}  // namespace

std::vector<Port> input_ports(const models::Model& model, const std::vector<std::string>& scales) {
  std::vector<Port> ports =
      ports_of(model.input_names(), model.is_built() ? model.inputs() : std::vector<layers::SymbolicTensor>());
  for (Port& port : ports) port.lacks_scaling = reaches_weights_unscaled(model, port.name);
  for (const std::string& scale : scales) set_scale(scale, ports);
  return ports;
}

std::vector<Port> output_ports(const models::Model& model) {
  return ports_of(model.output_names(), model.is_built() ? model.outputs() : std::vector<layers::SymbolicTensor>());
}

std::vector<std::string> names_of(const std::vector<Port>& ports) {
  std::vector<std::string> names;
  for (const Port& port : ports) names.push_back(port.name);
  return names;
}

std::vector<Tensor> read_arrays(const std::vector<std::string>& arguments, const std::vector<Port>& ports,
                                const std::string& option) {
  std::vector<Source> sources;
  for (const std::string& argument : arguments) sources.push_back(parse(argument, ports, option));
  const auto named = std::count_if(sources.begin(), sources.end(), [](const Source& s) { return !s.port.empty(); });
  if (named != 0) {
    if (static_cast<std::size_t>(named) != sources.size()) {
      throw ValueError(option + " is given with a name and without one: give names for all or for none");
    }
    return read_by_name(sources, ports, option);
  }
  if (sources.size() == 1 && ports.size() > 1 && sources.front().is_archive() && sources.front().array.empty()) {
    return read_together(sources.front(), ports);
  }
  if (ports.size() == 1 && are_images(sources)) return {read(sources, ports.front())};
  if (sources.size() != ports.size()) {
    throw ValueError("the model has " + std::to_string(ports.size()) + " of " + quoted_list(names_of(ports)) +
                     ", but " + option + " is given " + std::to_string(sources.size()) + " times");
  }
  std::vector<Tensor> tensors;
  for (std::size_t i = 0; i < ports.size(); ++i) tensors.push_back(read(std::vector<Source>{sources[i]}, ports[i]));
  return tensors;
}

void require_array_file(const std::string& path) {
  if (!path.ends_with(".npy") && !path.ends_with(".npz")) {
    throw CLI::ValidationError("--output", path + " is neither an .npy nor an .npz file");
  }
}

void write_arrays(const std::string& path, const std::vector<std::string>& names, const std::vector<Tensor>& arrays) {
  naming_file(path, [&] {
    if (path.ends_with(".npy")) return io::write_npy(path, arrays.front());
    io::NamedTensors named;
    for (std::size_t i = 0; i < arrays.size(); ++i) named.emplace_back(names[i], arrays[i]);
    io::write_npz(path, named);
  });
}

}  // namespace rhyton::tool
