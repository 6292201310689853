// The models have the layers that they have in Keras: classes, arguments, names, connections, shapes and weights.

#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/context.h>
#include <rhyton/framework/io/json/json.h>
#include <rhyton/layers/call_node.h>
#include <rhyton/layers/weights_to_come.h>
#include <rhyton/models/functional_graph.h>
#include <rhyton/models/model.h>
#include <rhyton/models/model_impl.h>

#include <rhyton/tests/applications/all_applications.h>

namespace rhyton::applications {
namespace {

using io::Json;
using models::Model;

Json read_golden(const std::string& model) {
  const std::string path = RHYTON_GOLDEN_DIR "/applications/" + model + ".json";
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  return Json::parse(std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()), path);
}

/// One layer as the golden files describe it.
struct ExpectedLayer {
  std::string class_name;
  Json config;
  std::string name;
  Json output_shape;
  std::vector<std::string> inputs;
  Json weight_shapes;
};

/// A layer as a case lists it.
struct Row {
  std::int64_t kind = 0;
  std::string name;
  /// Positions of layers.
  std::vector<std::size_t> inputs;
};

/// A name "block2b_|bn" sets the prefix that "|add" has too.
std::string whole_name(const std::string& name, std::string& prefix) {
  const std::size_t end = name.find('|');
  if (end == std::string::npos) return name;
  if (end > 0) prefix = name.substr(0, end);
  return prefix + name.substr(end + 1);
}

/// The layers of a case, given those of the first one.
std::vector<Row> rows_of(const Json& golden_case, const std::vector<Row>& first) {
  std::vector<Row> rows(first.begin(), first.begin() + golden_case["same"].as_int());
  std::string prefix;
  for (const Json& listed : golden_case["layers"]) {
    if (listed.is_int()) {
      rows.push_back(first.at(rows.size()));
      rows.back().kind = listed.as_int();
      continue;
    }
    Row row = {.kind = listed[0].as_int(), .name = whole_name(listed[1].as_string(), prefix), .inputs = {}};
    if (listed.size() == 2) {
      row.inputs.push_back(rows.size() - 1);
    } else {
      for (const Json& position : listed[2]) row.inputs.push_back(static_cast<std::size_t>(position.as_int()));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<ExpectedLayer> expected_layers(const Json& golden, const Json& golden_case) {
  const std::vector<Row> rows = rows_of(golden_case, rows_of(golden["cases"][0], {}));
  std::vector<ExpectedLayer> layers;
  for (const Row& row : rows) {
    const Json& kind = golden["kinds"][row.kind];
    ExpectedLayer layer;
    layer.class_name = kind[0].as_string();
    layer.config = golden["defaults"][layer.class_name];
    for (const auto& [key, value] : kind[1].items()) layer.config[key] = value;
    layer.name = row.name;
    layer.output_shape = kind[2];
    layer.weight_shapes = kind[3];
    for (const std::size_t position : row.inputs) layer.inputs.push_back(rows.at(position).name);
    layers.push_back(std::move(layer));
  }
  return layers;
}

/// The lengths as files have them, with null for unknown ones.
Json lengths_of(const Shape& shape) {
  Json lengths = Json::array();
  for (const std::int64_t length : shape) lengths.push_back(length < 0 ? Json() : Json(length));
  return lengths;
}

/// Keras's modules of the classes; an operation has its module in front, a layer of an application has another.
std::string class_of(const Json& described) {
  const std::string& module = described["module"].as_string();
  const std::string& class_name = described["class_name"].as_string();
  return module == "keras.layers" ? class_name : module + "." + class_name;
}

/// A value in a configuration. Arguments of later versions of Keras, which are at their defaults, are not written.
void expect_value(const Json& written, const Json& expected, const std::string& where) {
  if (written.is_array() && written.size() > 0 && written[0].is_object()) {
    ASSERT_EQ(written.size(), expected.size()) << where;
    for (std::size_t i = 0; i < written.size(); ++i) expect_value(written[i], expected[i], where);
  } else if (written.is_object()) {
    for (const auto& [key, value] : written.items()) {
      const Json* const golden = expected.find(key);
      if (golden == nullptr && key == "registered_name" && value.is_null()) continue;
      ASSERT_NE(golden, nullptr) << where << ": " << key;
      expect_value(value, *golden, where + ": " + key);
    }
  } else if (written.is_number() && expected.is_array() && expected.size() == 1) {
    EXPECT_EQ(written, expected[0]) << where;  // an axis, which only new versions of Keras write as a list
  } else {
    EXPECT_EQ(written, expected) << where;
  }
}

/// The configuration of a layer but for its name.
void expect_config(const Json& written, const Json& expected, const std::string& where) {
  for (const auto& [key, value] : written.items()) {
    if (key == "name") continue;
    const Json* const golden = expected.find(key);
    ASSERT_NE(golden, nullptr) << where << ": " << key;
    expect_value(value, *golden, where + ": " + key);
  }
}

void expect_layer(const models::FunctionalGraph& graph, const layers::Layer& layer, const Json& described,
                  const ExpectedLayer& expected) {
  const std::string& where = expected.name;
  ASSERT_EQ(layer.name(), expected.name);
  EXPECT_EQ(class_of(described), expected.class_name) << where;
  expect_config(described["config"], expected.config, where);
  const Json* const operands = expected.config.find("operands");
  if (operands != nullptr) {
    Json others = Json::array();
    const Json& arguments = described["inbound_nodes"][0]["args"];
    for (std::size_t i = 1; i < arguments.size(); ++i) {
      if (!arguments[i].is_object()) others.push_back(arguments[i]);  // inputs are compared below
    }
    EXPECT_EQ(others, *operands) << where;
  }

  ASSERT_EQ(graph.nodes_of(*layer.impl()).size(), 1U) << where;
  const layers::CallNode& node = *graph.nodes_of(*layer.impl()).front();
  std::vector<std::string> inputs;
  for (const layers::SymbolicTensor& input : node.inputs) inputs.push_back(input.node()->layer->name());
  EXPECT_EQ(inputs, expected.inputs) << where;
  const Shape& shape = node.outputs.front().shape;
  EXPECT_EQ(lengths_of(shape.slice(1, shape.rank())), expected.output_shape) << where;
  Json weights = Json::array();
  for (const Variable& weight : layer.weights()) weights.push_back(lengths_of(weight.shape()));
  EXPECT_EQ(weights, expected.weight_shapes) << where;
}

class Applications : public ::testing::TestWithParam<std::string> {
 public:
  ~Applications() override { config::set_image_data_format("channels_last"); }
};

TEST_P(Applications, HaveTheLayersOfKeras) {
  const Json golden = read_golden(GetParam());
  for (const Json& golden_case : golden["cases"]) {
    const Json& options = golden_case["options"];
    SCOPED_TRACE(options.dump());
    clear_session();
    config::set_image_data_format(options.get_or("data_format", "channels_last"));
    const layers::WeightsToCome zeros;  // random ones would take most of the time
    const Model model = all_applications().at(GetParam())(options);
    EXPECT_EQ(model.name(), golden_case["name"].as_string());
    const Json config = model.get_config();
    // Keras writes a single one without the list around it.
    EXPECT_EQ(config["input_layers"], Json::array({golden_case["input_layers"]}));
    EXPECT_EQ(config["output_layers"], Json::array({golden_case["output_layers"]}));

    const models::FunctionalGraph& graph = *model.model_impl()->graph();
    const std::vector<ExpectedLayer> expected = expected_layers(golden, golden_case);
    ASSERT_EQ(graph.layers().size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      expect_layer(graph, graph.layers()[i], config["layers"][i], expected[i]);
      if (HasFatalFailure()) return;
    }
  }
}

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const auto& [name, make] : all_applications()) names.push_back(name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, Applications, ::testing::ValuesIn(model_names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace rhyton::applications
