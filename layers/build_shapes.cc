#include <rhyton/layers/build_shapes.h>

#include <algorithm>
#include <utility>

#include <rhyton/framework/error.h>
#include <rhyton/layers/argument_json.h>
#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {
namespace {

using io::Json;

/// That of the inputs, which most layers get as one tensor.
Json form_of(const std::vector<Shape>& shapes) {
  if (shapes.size() == 1) return shape_to_json(shapes.front());
  Json list = Json::array();
  for (const Shape& shape : shapes) list.push_back(shape_to_json(shape));
  return list;
}

Json form_of(const Argument& argument) {
  if (argument.is_tensor()) return shape_to_json(argument.tensor().shape());
  if (argument.is_symbolic()) return shape_to_json(argument.symbolic().shape());
  if (argument.is_list()) {
    Json list = Json::array();
    for (const Argument& entry : argument.list()) list.push_back(form_of(entry));
    return list;
  }
  if (!argument.is_dictionary()) return nullptr;
  std::vector<Json::Member> members;
  for (const auto& [key, entry] : argument.dictionary()) members.push_back({key, form_of(entry)});
  return Json::object_from(std::move(members));
}

bool is_shape(const Json& json) {
  return json.is_array() && std::all_of(json.begin(), json.end(),
                                        [](const Json& length) { return length.is_null() || length.is_number(); });
}

/// The form with the result of `change` in place of each shape, dictionaries by key.
template <class Change>
Json map_shapes(const Json& form, const Change& change) {
  if (form.is_null()) return form;
  if (is_shape(form)) return shape_to_json(change(shape_from_json(form)));
  if (form.is_array()) {
    Json list = Json::array();
    for (const Json& entry : form) list.push_back(map_shapes(entry, change));
    return list;
  }
  if (!form.is_object()) throw ValueError("Expected a shape as a list of lengths. Received: " + form.dump());
  std::vector<Json::Member> members;
  for (const Json::Member* const member : sorted_members(form)) {
    members.push_back({member->key, map_shapes(member->value, change)});
  }
  return Json::object_from(std::move(members));
}

Shape for_any_batch(const Shape& shape) { return shape.rank() > 0 ? shape.with(0, -1) : shape; }

}  // namespace

std::vector<Shape> shapes_of(const Argument& argument) {
  std::vector<Shape> shapes;
  for_each_leaf(argument, [&](const Argument& leaf) {
    if (leaf.is_symbolic()) shapes.push_back(leaf.symbolic().shape());
    if (leaf.is_tensor()) shapes.push_back(leaf.tensor().shape());
  });
  return shapes;
}

BuildShapes::Entry::Entry(std::string parameter, const Shape& shape)
    : parameter(std::move(parameter)), shapes({shape}), form(shape_to_json(shape)) {}

BuildShapes::Entry::Entry(std::string parameter, const std::vector<Shape>& shapes, Json form)
    : parameter(std::move(parameter)), shapes(shapes), form(std::move(form)) {}

BuildShapes::BuildShapes(std::string parameter, const std::vector<Shape>& shapes)
    : entries_({Entry(std::move(parameter), shapes, form_of(shapes))}) {}

BuildShapes BuildShapes::from_json(const Json& build_config, const std::vector<std::string>& parameters) {
  BuildShapes result;
  const auto add = [&](const std::string& parameter, const Json* form) {
    // An empty list is no shape of a layer with weights.
    if (form == nullptr || !form->is_array() || form->empty()) return;
    std::vector<Shape> shapes;
    try {
      map_shapes(*form, [&](const Shape& shape) {
        shapes.push_back(shape);
        return shape;
      });
    } catch (const ValueError& error) {
      throw ValueError("The shape of '" + parameter + "' in `build_config` cannot be read. " + error.what());
    }
    result.entries_.emplace_back(parameter, shapes, *form);
  };
  const Json* const by_parameter = build_config.find("shapes_dict");
  if (by_parameter == nullptr || !by_parameter->is_object()) {
    add(parameters.front(), build_config.find("input_shape"));
    return result;
  }
  for (const std::string& parameter : parameters) add(parameter, by_parameter->find(parameter + "_shape"));
  return result.has(parameters.front()) ? result : BuildShapes();
}

Json BuildShapes::to_json() const {
  if (entries_.size() == 1) return Json::object({{"input_shape", entries_.front().form}});
  std::vector<Json::Member> shapes;
  for (const Entry& entry : entries_) shapes.push_back({entry.parameter + "_shape", entry.form});
  return Json::object({{"shapes_dict", Json::object_from(std::move(shapes))}});
}

void BuildShapes::add(const std::string& parameter, const Argument& argument) {
  const std::vector<Shape> shapes = shapes_of(argument);
  if (!shapes.empty()) entries_.emplace_back(parameter, shapes, form_of(argument));
}

BuildShapes BuildShapes::for_any_batch() const {
  BuildShapes result = *this;
  for (Entry& entry : result.entries_) {
    for (Shape& shape : entry.shapes) shape = layers::for_any_batch(shape);
    entry.form = map_shapes(entry.form, layers::for_any_batch);
  }
  return result;
}

BuildShapes BuildShapes::in_order_of(const std::vector<std::string>& parameters) const {
  BuildShapes result;
  for (const std::string& parameter : parameters) {
    if (const Entry* const entry = find(parameter)) result.entries_.push_back(*entry);
  }
  return result;
}

const BuildShapes::Entry* BuildShapes::find(std::string_view parameter) const {
  const auto found =
      std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.parameter == parameter; });
  return found == entries_.end() ? nullptr : &*found;
}

const Shape& BuildShapes::operator[](std::string_view parameter) const {
  const Entry* const entry = find(parameter);
  if (entry == nullptr) throw MissingShapeError("missing a required argument: '" + std::string(parameter) + "'");
  if (entry->shapes.size() == 1) return entry->shapes.front();
  throw SeveralShapesError("Expected one tensor as '" + std::string(parameter) +
                           "'. Received the shapes: " + entry->form.dump());
}

std::vector<Shape> BuildShapes::all(std::string_view parameter) const {
  const Entry* const entry = find(parameter);
  return entry == nullptr ? std::vector<Shape>() : entry->shapes;
}

const std::vector<Shape>& BuildShapes::inputs() const {
  static const std::vector<Shape> none;
  return entries_.empty() ? none : entries_.front().shapes;
}

}  // namespace rhyton::layers
