#include <rhyton/models/summary.h>

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <tuple>

#include <fmt/format.h>

#include <rhyton/framework/environment.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/regular_expression.h>
#include <rhyton/layers/call_node.h>
#include <rhyton/models/functional.h>
#include <rhyton/models/functional_graph.h>
#include <rhyton/models/memory_size.h>
#include <rhyton/models/model.h>
#include <rhyton/models/model_impl.h>
#include <rhyton/models/table.h>
#include <rhyton/models/training/step_cache.h>

namespace rhyton::models {
namespace {

using layers::Layer;

std::string with_separators(std::int64_t number) {
  std::string digits = std::to_string(number);
  for (auto place = static_cast<std::ptrdiff_t>(digits.size()) - 3; place > 0; place -= 3) {
    digits.insert(static_cast<std::size_t>(place), ",");
  }
  return digits;
}

/// The number of elements and of bytes of variables.
struct Extent {
  std::int64_t count = 0;
  double bytes = 0;

  explicit Extent(const std::vector<Variable>& variables) {
    for (const Variable& variable : variables) {
      count += variable.shape().size();
      bytes += static_cast<double>(variable.spec().bytes());
    }
  }
  Extent(std::int64_t count, double bytes) : count(count), bytes(bytes) {}
  friend Extent operator+(const Extent& a, const Extent& b) { return {a.count + b.count, a.bytes + b.bytes}; }
};

class Summary {
 public:
  Summary(const Model& model, const SummaryOptions& options, int columns)
      : model_(*model.model_impl()), name_(model.name()), options_(options), columns_(columns) {
    const bool is_functional = dynamic_cast<const FunctionalImpl*>(&model_) != nullptr;
    layers_ = model_.layers();
    shows_connections_ = is_functional && !model_.graph()->is_chain();
  }

  std::string text() const {
    Table table = empty_table();
    const auto [first, last] = range();
    for (std::size_t i = first; i < last; ++i) add_rows(table, layers_[i], model_.graph(), 0);
    std::string result;
    const auto add_text = [&](const std::string& text) {
      for (const std::string& line : wrap_text(text, columns_)) result += line + "\n";
    };
    add_text("Model: \"" + name_ + "\"");
    result += table.text(columns_);

    const Extent trainable(model_.trainable_weights());
    const Extent frozen(model_.non_trainable_weights());
    Extent total = trainable + frozen;
    std::optional<Extent> optimizer;
    if (model_.trainer().is_compiled()) {
      const optimizers::Optimizer& compiled = model_.trainer().optimizer();
      if (compiled.is_built()) optimizer = Extent(compiled.variables());
    }
    if (optimizer) total = total + *optimizer;
    const auto add_total = [&](const std::string& what, const Extent& extent) {
      add_text(" " + what + " params: " + with_separators(extent.count) + " (" + readable_memory_size(extent.bytes) +
               ")");
    };
    add_total("Total", total);
    add_total("Trainable", trainable);
    add_total("Non-trainable", frozen);
    if (optimizer) add_total("Optimizer", *optimizer);
    if (options_.show_memory) {
      for (const std::string& line : memory()) add_text(line);
    }
    return result;
  }

 private:
  /// One line per compiled step, in the order of train, test, predict.
  std::vector<std::string> memory() const {
    std::vector<training::CompiledStep> steps = model_.trainer().compiled_steps();
    if (steps.empty()) return {" Arena: none, no step has been compiled yet"};
    std::sort(steps.begin(), steps.end(), [](const training::CompiledStep& a, const training::CompiledStep& b) {
      return std::tuple(a.kind, b.batch) < std::tuple(b.kind, a.batch);
    });
    std::vector<std::string> lines;
    for (const training::CompiledStep& step : steps) {
      lines.push_back(fmt::format(" Arena: {} ({}, batch {})",
                                  readable_memory_size(static_cast<double>(step.arena_bytes)), name_of(step.kind),
                                  step.batch));
    }
    return lines;
  }

  Table empty_table() const {
    using enum Table::Alignment;
    std::vector<Table::Column> columns = {{"Layer (type)", left}, {"Output Shape", left}, {"Param #", right}};
    std::vector<double> positions = {0.45, 0.8, 1.0};
    int length = 88;
    if (shows_connections_) {
      columns.push_back({"Connected to", left});
      positions = {0.3, 0.56, 0.74, 1.0};
      length = 108;
    }
    if (!options_.positions.empty()) positions = options_.positions;
    if (options_.show_trainable) {
      length += 12;
      for (double& position : positions) position *= 0.9;
      positions.push_back(1.0);
      columns.push_back({"Trainable", center});
    }
    if (positions.size() < columns.size()) {
      throw ValueError("`positions` must have " + std::to_string(columns.size()) + " entries. Received " +
                       std::to_string(positions.size()) + ".");
    }
    length = options_.line_length.value_or(std::min(length, columns_ - 4));
    int current = 0;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const int width = static_cast<int>(positions[i] * length) - current;
      if (width < 4) throw ValueError("Insufficient console width to print summary.");
      columns[i].width = width;
      current += width;
    }
    return {columns, length};
  }

  /// The layers to show: [first, last).
  std::pair<std::size_t, std::size_t> range() const {
    if (!options_.layer_range) return {0, layers_.size()};
    const auto matches = [&](const std::string& pattern) {
      const RegularExpression expression(pattern);
      std::vector<std::size_t> indices;
      for (std::size_t i = 0; i < layers_.size(); ++i) {
        if (expression.matches_beginning(layers_[i].name())) indices.push_back(i);
      }
      return indices;
    };
    const auto& [from, to] = *options_.layer_range;
    const std::vector<std::size_t> lower = matches(from);
    const std::vector<std::size_t> upper = matches(to);
    if (lower.empty() || upper.empty()) {
      throw ValueError("Passed layer_names do not match the layer names in the model. Received: ('" + from + "', '" +
                       to + "')");
    }
    if (lower.front() > upper.back()) return {upper.front(), lower.back() + 1};
    return {lower.front(), upper.back() + 1};
  }

  void add_rows(Table& table, const Layer& layer, const FunctionalGraph* graph, int level) const {
    std::string prefix;
    for (int i = 0; i < level; ++i) prefix += "   ";
    if (level > 0) prefix += "└ ";
    const std::vector<Variable> weights = layer.weights();
    std::vector<std::string> cells = {prefix + layer.name() + " (" + layer.class_name() + ")",
                                      output_shape(layer, graph),
                                      layer.is_built() ? with_separators(Extent(weights).count) : "0 (unbuilt)"};
    if (shows_connections_) cells.push_back(connections(layer));
    if (options_.show_trainable) cells.emplace_back(weights.empty() ? "-" : layer.trainable() ? "Y" : "N");
    table.add_row(std::move(cells));
    const auto* nested = dynamic_cast<const ModelImpl*>(layer.impl().get());
    if (!options_.expand_nested || nested == nullptr) return;
    for (const Layer& inner : nested->layers()) add_rows(table, inner, nested->graph(), level + 1);
  }

  /// The output shape of the layer's last call.
  std::string output_shape(const Layer& layer, const FunctionalGraph* graph) const {
    std::vector<TensorSpec> outputs;
    if (graph != nullptr) {
      const auto& nodes = graph->nodes_of(*layer.impl());
      if (!nodes.empty()) outputs = nodes.back()->outputs;
    }
    if (outputs.empty()) return "?";
    if (outputs.size() == 1) return outputs.front().shape.to_string();
    std::string text = "[";
    for (const TensorSpec& output : outputs) text += (text.size() > 1 ? ", " : "") + output.shape.to_string();
    return text + "]";
  }

  std::string connections(const Layer& layer) const {
    const FunctionalGraph& graph = *model_.graph();
    std::string text;
    for (const FunctionalGraph::Node* node : graph.nodes_of(*layer.impl())) {
      for (const layers::SymbolicTensor& input : node->inputs) {
        text += fmt::format("{}{}[{}][{}]", text.empty() ? "" : ", ", input.node()->layer->name(),
                            graph.index_of(*input.node()), input.output());
      }
    }
    return text.empty() ? "-" : text;
  }

  const ModelImpl& model_;
  std::string name_;
  const SummaryOptions& options_;
  int columns_;
  std::vector<Layer> layers_;
  bool shows_connections_ = false;
};

/// The width of the terminal as Python finds it: the variable COLUMNS, else the terminal's, else 80.
int terminal_columns() {
  if (const int columns = std::atoi(std::string(environment("COLUMNS")).c_str()); columns > 0) return columns;
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

}  // namespace

std::string summary_text(const Model& model, const SummaryOptions& options, int columns) {
  return Summary(model, options, columns).text();
}

void Model::summary(const SummaryOptions& options) const {
  const std::string text = summary_text(*this, options, terminal_columns());
  if (options.print_fn) {
    options.print_fn(text);
  } else {
    std::cout << text << std::flush;
  }
}

}  // namespace rhyton::models
