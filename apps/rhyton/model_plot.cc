#include <rhyton/apps/rhyton/model_plot.h>

#include <algorithm>
#include <optional>
#include <vector>

#include <rhyton/apps/rhyton/graph_layout.h>
#include <rhyton/apps/rhyton/model_graph.h>
#include <rhyton/apps/rhyton/svg.h>

namespace rhyton::tool {
namespace {

constexpr double name_size = 14;
constexpr double shape_size = 12;
constexpr double header_height = 26;
constexpr double row_height = 20;
constexpr double padding = 10;
constexpr double label_width = 52;
/// The maximum number of shapes shown of a list; the rest is only counted.
constexpr std::size_t shown_shapes = 4;

constexpr std::string_view model_style =
    "text { font-family: Helvetica, Arial, 'DejaVu Sans', sans-serif; fill: #212121; }\n"
    ".background { fill: #ffffff; }\n"
    ".body { fill: #ffffff; stroke: #37474f; stroke-width: 1; }\n"
    ".header { fill: #37474f; stroke: #37474f; stroke-width: 1; }\n"
    ".input .header { fill: #00695c; stroke: #00695c; }\n"
    ".input .body { stroke: #00695c; }\n"
    ".model .header { fill: #283593; stroke: #283593; }\n"
    ".model .body { stroke: #283593; }\n"
    ".frame { fill: #f3f4fb; stroke: #283593; stroke-width: 1; }\n"
    ".name { fill: #ffffff; font-weight: bold; }\n"
    ".label { fill: #757575; }\n"
    ".edge { fill: none; stroke: #546e7a; stroke-width: 1.3; marker-end: url(#arrow); }\n"
    "marker path { fill: #546e7a; }\n";

/// A picture with its size.
struct Drawing {
  Svg svg;
  Size size;
};

std::string shapes_text(const std::vector<Shape>& shapes) {
  if (shapes.size() == 1) return shapes.front().to_string();
  std::string text = "[";
  for (std::size_t i = 0; i < std::min(shapes.size(), shown_shapes); ++i) {
    text += (i > 0 ? ", " : "") + shapes[i].to_string();
  }
  if (shapes.size() > shown_shapes) text += ", … " + std::to_string(shapes.size() - shown_shapes) + " more";
  return text + "]";
}

/// The shapes of all calls without duplicates.
std::vector<std::string> distinct_texts(const std::vector<std::vector<Shape>>& calls) {
  std::vector<std::string> texts;
  for (const std::vector<Shape>& shapes : calls) {
    if (shapes.empty()) continue;
    const std::string text = shapes_text(shapes);
    if (std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(text);
  }
  return texts;
}

std::optional<models::Model> as_model(const layers::Layer& layer) {
  try {
    return models::Model::from_layer(layer);
  } catch (const TypeError&) {
    return std::nullopt;
  }
}

std::string title_of(const layers::Layer& layer) { return layer.name() + " (" + layer.class_name() + ")"; }

Drawing draw_layer(const LayerNode& node, bool is_model) {
  struct Row {
    std::string label;
    std::string text;
  };
  std::vector<Row> rows;
  for (const std::string& text : distinct_texts(node.inputs)) rows.push_back({"input", text});
  for (const std::string& text : distinct_texts(node.outputs)) rows.push_back({"output", text});
  const std::string title = title_of(node.layer);

  Drawing drawing;
  drawing.size.width = 1.1 * text_width(title, name_size) + 2 * padding;  // for bold text
  for (const Row& row : rows) {
    drawing.size.width = std::max(drawing.size.width, label_width + text_width(row.text, shape_size) + 2 * padding);
  }
  drawing.size.height = header_height + row_height * static_cast<double>(rows.size());
  const bool is_input = node.layer.class_name() == "InputLayer";
  Svg& svg = drawing.svg;
  svg.begin_group(is_model ? "layer model" : is_input ? "layer input" : "layer", title);
  svg.rectangle({0, 0}, drawing.size, "body");
  svg.rectangle({0, 0}, {drawing.size.width, header_height}, "header");
  svg.text({drawing.size.width / 2, header_height - 8}, title, name_size, "name", Anchor::middle);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double base = header_height + row_height * static_cast<double>(i + 1) - 6;
    svg.text({padding, base}, rows[i].label, shape_size, "label");
    svg.text({padding + label_width, base}, rows[i].text, shape_size, "shape");
  }
  svg.end_group();
  return drawing;
}

Drawing draw_graph(const models::Model& model, bool expand_nested);

Drawing draw_frame(const models::Model& model) {
  const Drawing inside = draw_graph(model, true);
  const std::string title = title_of(model);
  Drawing drawing;
  drawing.size = {std::max(inside.size.width, 1.1 * text_width(title, name_size) + 2 * padding),
                  inside.size.height + header_height};
  drawing.svg.begin_group("layer model", title);
  drawing.svg.rectangle({0, 0}, drawing.size, "frame");
  drawing.svg.rectangle({0, 0}, {drawing.size.width, header_height}, "header");
  drawing.svg.text({drawing.size.width / 2, header_height - 8}, title, name_size, "name", Anchor::middle);
  drawing.svg.picture({(drawing.size.width - inside.size.width) / 2, header_height}, inside.svg);
  drawing.svg.end_group();
  return drawing;
}

Drawing draw_graph(const models::Model& model, bool expand_nested) {
  const ModelGraph graph = graph_of(model);
  std::vector<Drawing> boxes;
  std::vector<Size> sizes;
  for (const LayerNode& node : graph.layers) {
    const std::optional<models::Model> nested = as_model(node.layer);
    boxes.push_back(nested && expand_nested ? draw_frame(*nested) : draw_layer(node, nested.has_value()));
    sizes.push_back(boxes.back().size);
  }
  const GraphLayout layout = lay_out(sizes, graph.edges);
  Drawing drawing;
  drawing.size = layout.size;
  for (std::size_t i = 0; i < boxes.size(); ++i) drawing.svg.picture(layout.corners[i], boxes[i].svg);
  for (std::size_t i = 0; i < layout.paths.size(); ++i) {
    const auto& [from, to] = graph.edges[i];
    if (from == to) {
      drawing.svg.polyline(layout.paths[i], "edge");
    } else {
      drawing.svg.curve(layout.paths[i], "edge");
    }
  }
  return drawing;
}

}  // namespace

std::string plot_model(const models::Model& model, bool expand_nested) {
  const Drawing graph = draw_graph(model, expand_nested);
  Svg svg;
  svg.rectangle({0, 0}, graph.size, "background");
  svg.picture({0, 0}, graph.svg);
  return svg.document(graph.size, model_style, title_of(model));
}

}  // namespace rhyton::tool
