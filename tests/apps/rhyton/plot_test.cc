#include <algorithm>
#include <regex>
#include <string>
#include <vector>

#include <rhyton/tests/apps/rhyton/rhyton_tool.h>

namespace rhyton::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

/// Every opened element is closed, attributes are quoted, and text is escaped.
void expect_well_formed(const std::string& xml) {
  const std::string start = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  ASSERT_TRUE(xml.starts_with(start + "<svg "));
  std::vector<std::string> open;
  std::size_t at = start.size();
  while (at < xml.size()) {
    const std::size_t begin = std::min(xml.find('<', at), xml.size());
    const std::string text = xml.substr(at, begin - at);
    EXPECT_EQ(text.find('>'), std::string::npos) << text;
    EXPECT_FALSE(std::regex_search(text, std::regex("&(?!amp;|lt;|gt;|quot;)"))) << text;
    if (begin == xml.size()) break;
    const std::size_t end = xml.find('>', begin);
    ASSERT_NE(end, std::string::npos);
    const std::string tag = xml.substr(begin + 1, end - begin - 1);
    EXPECT_EQ(std::count(tag.begin(), tag.end(), '"') % 2, 0) << tag;
    EXPECT_EQ(tag.find('<'), std::string::npos) << tag;
    if (tag.front() == '/') {
      ASSERT_FALSE(open.empty());
      EXPECT_EQ(open.back(), tag.substr(1));
      open.pop_back();
    } else if (tag.back() != '/') {
      open.push_back(tag.substr(0, tag.find(' ')));
    }
    at = end + 1;
  }
  EXPECT_TRUE(open.empty());
}

class Plot : public RhytonTool {
 protected:
  std::string plotted(const std::string& file, const std::string& options = "") const {
    EXPECT_EQ(output_of("plot " + file + " --output " + path("x.svg") + " " + options), "");
    std::string svg = content_of(path("x.svg"));
    expect_well_formed(svg);
    return svg;
  }
  std::string history(const std::string& json) const {
    put(path("h.json"), json);
    return plotted(path("h.json"));
  }
};

TEST_F(Plot, ABoxForEachLayerAndArrowsBetween) {
  const std::string svg = plotted(golden("two_inputs.keras"));
  const models::Model model = models::load_model(golden("two_inputs.keras"));
  for (const layers::Layer& layer : model.layers()) {
    EXPECT_EQ(count(svg, "<title>" + layer.name() + " (" + layer.class_name() + ")</title>"), 1u) << layer.name();
  }
  EXPECT_EQ(count(svg, "class=\"layer"), model.layers().size());
  EXPECT_EQ(count(svg, "class=\"layer input\""), 2u);
  // Each pair of layers once: "shared" is called twice, with two layers before it and one after.
  EXPECT_EQ(count(svg, "class=\"edge\""), 12u);
  EXPECT_THAT(svg, HasSubstr(">(None, 5)<"));
  EXPECT_THAT(svg, HasSubstr(">[(None, 6), (None, 6)]<"));
}

TEST_F(Plot, SequentialModelsInARow) {
  const std::string svg = plotted(golden("cnn.keras"));
  EXPECT_EQ(count(svg, "class=\"layer"), 10u);
  EXPECT_EQ(count(svg, "class=\"edge\""), 9u);
  EXPECT_THAT(svg, HasSubstr(">(None, 8, 8, 4)<"));
}

TEST_F(Plot, NestedModelsAsBoxesOrFrames) {
  const models::Sequential inner(
      {layers::Input({.shape = {4}}), layers::Dense(3, {.name = "first"}), layers::Dense(2, {.name = "<second>"})},
      {.name = "inner"});
  const layers::SymbolicTensor x = layers::Input({.shape = {4}, .name = "x"});
  const models::Model model({.inputs = x, .outputs = layers::Dense(1, {.name = "last"})(inner(x)), .name = "outer"});
  model.save(path("nested.keras"));
  const std::string closed = plotted(path("nested.keras"));
  EXPECT_EQ(count(closed, "class=\"layer model\""), 1u);
  EXPECT_EQ(count(closed, "class=\"edge\""), 2u);
  EXPECT_THAT(closed, Not(HasSubstr("first")));
  const std::string open = plotted(path("nested.keras"), "--expand-nested");
  EXPECT_EQ(count(open, "class=\"layer model\""), 1u);
  EXPECT_EQ(count(open, "class=\"edge\""), 4u);
  EXPECT_THAT(open, HasSubstr("<title>first (Dense)</title>"));
  EXPECT_THAT(open, HasSubstr("<title>&lt;second&gt; (Dense)</title>"));
}

TEST_F(Plot, ArchitecturesWithoutWeights) {
  put(path("config.json"), models::load_model(golden("dense.keras")).to_json());
  EXPECT_EQ(plotted(path("config.json")), plotted(golden("dense.keras")));
}

TEST_F(Plot, CurvesOfATraining) {
  const std::string svg = history(R"({"accuracy": [0.1, 0.5, 0.7], "loss": [2.5, 1.0, 0.5],
                                      "val_accuracy": [0.2, 0.4, 0.6], "val_loss": [2.0, 1.5, 1.25]})");
  EXPECT_EQ(count(svg, "class=\"title\""), 2u) << "a chart for the loss, one for the accuracy";
  EXPECT_LT(svg.find(">loss<"), svg.find(">accuracy<"));
  for (const char* const name : {"loss", "accuracy", "val_loss", "val_accuracy"}) {
    EXPECT_EQ(count(svg, "<g class=\"curve\"><title>" + std::string(name) + "</title>"), 1u) << name;
    EXPECT_EQ(count(svg, "class=\"legend\""), 4u);
  }
  EXPECT_EQ(count(svg, "<polyline class=\"training\""), 2u);
  EXPECT_EQ(count(svg, "<polyline class=\"validation\""), 2u);
  EXPECT_EQ(count(svg, "<circle"), 12u);
  EXPECT_EQ(count(svg, ">epoch<"), 2u);
  // The loss falls: y grows downwards.
  std::smatch points;
  ASSERT_TRUE(
      std::regex_search(svg, points, std::regex("class=\"training\" points=\"[0-9.]+,([0-9.]+) [0-9.]+,([0-9.]+) ")));
  EXPECT_LT(std::stod(points[1]), std::stod(points[2]));
}

TEST_F(Plot, HistoriesOfAllKinds) {
  EXPECT_EQ(count(history(R"({"loss": [0.5]})"), "<circle"), 1u);
  EXPECT_EQ(count(history(R"({"loss": [1, 1, 1]})"), "<circle"), 3u);
  EXPECT_EQ(count(history(R"({"loss": [0, 0]})"), "<circle"), 2u);
  EXPECT_EQ(count(history(R"({"loss": [1.0, NaN, 3.0, 2.0, Infinity]})"), "<circle"), 3u);
  EXPECT_EQ(count(history(R"({"loss": [NaN]})"), "<circle"), 0u);
  EXPECT_THAT(history(R"({"loss": [9e299, -9e299, 1e-300]})"), Not(HasSubstr("nan")));
  EXPECT_THAT(history(R"({"loss": [1.7e308, -1.7e308]})"), Not(HasSubstr("inf")));
  EXPECT_THAT(history(R"({"<a> & \"b\"": [1, 2]})"), HasSubstr("&lt;a&gt; &amp; &quot;b&quot;"));
  std::string many = "{\"loss\": [1";
  for (int i = 0; i < 5000; ++i) many += ",1";
  EXPECT_EQ(count(history(many + "]}"), "<circle"), 0u);
}

TEST_F(Plot, WhatIsNoHistoryIsRefused) {
  for (const char* const json :
       {"[]", "{}", "3", R"({"loss": 1})", R"({"loss": []})", R"({"loss": ["a"]})", "{\"loss\""}) {
    put(path("h.json"), json);
    expect_failure("plot " + path("h.json") + " --output " + path("x.svg"), error, path("h.json"));
  }
  EXPECT_FALSE(std::filesystem::exists(path("x.svg")));
}

}  // namespace
}  // namespace rhyton::test
