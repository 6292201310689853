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
  /// The width of the table; that of the terminal, at most 88 (or 108 with connections), where it is not said.
  std::optional<int> line_length = std::nullopt;
  /// Where the columns end, as parts of the width: {0.45, 0.8, 1}.
  std::vector<double> positions = {};
  /// Gets the whole text instead of the standard output.
  std::function<void(const std::string& text)> print_fn = {};
  /// Shows the layers of nested models too.
  bool expand_nested = false;
  bool show_trainable = false;
  /// The names (or regular expressions) of the first and the last layer to show.
  std::optional<std::pair<std::string, std::string>> layer_range = std::nullopt;
  /// Shows the memory, beside weights and data, of each step that was compiled so far, one for each batch size of
  /// `fit`, `evaluate` and `predict` (not in Keras).
  bool show_memory = false;
};

/// The table that `Model::summary` prints, as Keras 3 writes it, without colours. `columns` is the width of the
/// terminal. Throws ValueError when that is too narrow, or when `layer_range` names no layers.
std::string summary_text(const Model& model, const SummaryOptions& options = {}, int columns = 80);

}  // namespace rhyton::models
