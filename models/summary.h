#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/framework/by_name.h>

namespace rhyton::models {

class Model;

/// Arguments of `Model::summary`. Fields in the order of Keras's signature.
struct SummaryOptions {
  ByName by_name = ByName();
  /// The width of the table; if not given, that of the terminal, at most 88 (or 108 with connections).
  std::optional<int> line_length = std::nullopt;
  /// The positions of the column ends, as fractions of the width: {0.45, 0.8, 1}.
  std::vector<double> positions = {};
  /// Called with the whole text, which is then not printed to the standard output.
  std::function<void(const std::string& text)> print_fn = {};
  /// Also shows the layers of nested models.
  bool expand_nested = false;
  bool show_trainable = false;
  /// The names (or regular expressions) of the first and the last layer to show.
  std::optional<std::pair<std::string, std::string>> layer_range = std::nullopt;
  /// Shows the memory, besides weights and data, of each compiled step, one for each batch size of `fit`, `evaluate`
  /// and `predict` (not in Keras).
  bool show_memory = false;
};

/// The table of `Model::summary` in the format of Keras 3, without colours. `columns` is the width of the terminal.
/// Throws ValueError when that is too narrow, or when no layers match `layer_range`.
std::string summary_text(const Model& model, const SummaryOptions& options = {}, int columns = 80);

}  // namespace rhyton::models
