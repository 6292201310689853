#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/io/json/json.h>
#include <rhyton/tests/framework/io/temporary_folder.h>

namespace rhyton::io {
namespace {

using test::message_of;
using ::testing::HasSubstr;

TEST(Json, BuildsObjectsInOrder) {
  Json config = Json::object({{"units", 10}, {"activation", "relu"}, {"use_bias", true}, {"nothing", nullptr}});
  config["shape"] = Json::array({28, 28, 1});
  config["rate"] = 0.5;
  config["nested"]["deep"] = "x";
  EXPECT_EQ(config.dump(),
            R"({"units": 10, "activation": "relu", "use_bias": true, "nothing": null, "shape": [28, 28, 1], )"
            R"("rate": 0.5, "nested": {"deep": "x"}})");
  EXPECT_EQ(Json::object({{"a", "b"}}).dump(), R"({"a": "b"})");
  EXPECT_EQ(Json::array({Json::array(), Json::object()}).dump(), "[[], {}]");
  EXPECT_EQ(Json::array_from(std::vector<int>{1, 2}).dump(), "[1, 2]");
  EXPECT_EQ(Json::array_from(std::vector<std::string>{"a"}).dump(), R"(["a"])");
  EXPECT_THROW(Json::object({{"a", 1}, {"a", 2}}), ValueError);
}

// The output of `repr` in CPython 3.11.
TEST(Json, WritesFloatsAsPython) {
  const std::vector<std::pair<double, std::string>> cases = {
      {0.001, "0.001"},
      {1e-07, "1e-07"},
      {static_cast<double>(0.001f), "0.0010000000474974513"},
      {1.0, "1.0"},
      {0.0, "0.0"},
      {-0.0, "-0.0"},
      {0.1, "0.1"},
      {-2.5, "-2.5"},
      {100.0, "100.0"},
      {123456789.125, "123456789.125"},
      {1e15, "1000000000000000.0"},
      {1e16, "1e+16"},
      {1.5e16, "1.5e+16"},
      {9007199254740993.0, "9007199254740992.0"},
      {0.0001, "0.0001"},
      {0.00012345, "0.00012345"},
      {0.00001, "1e-05"},
      {1.25e-05, "1.25e-05"},
      {1e100, "1e+100"},
      {5e-324, "5e-324"},
      {1.7976931348623157e308, "1.7976931348623157e+308"},
      {1.0 / 3.0, "0.3333333333333333"},
      {std::numeric_limits<double>::infinity(), "Infinity"},
      {-std::numeric_limits<double>::infinity(), "-Infinity"},
      {std::numeric_limits<double>::quiet_NaN(), "NaN"},
  };
  for (const auto& [value, text] : cases) {
    EXPECT_EQ(Json(value).dump(), text);
  }
  EXPECT_EQ(Json(0.001f).dump(), "0.0010000000474974513");
}

TEST(Json, EscapesAsPython) {
  EXPECT_EQ(Json("a\"b\\c/\n\r\t\b\f\x01\x7f").dump(), R"("a\"b\\c/\n\r\t\b\f\u0001\u007f")");
  EXPECT_EQ(Json("ä€😀").dump(), R"("\u00e4\u20ac\ud83d\ude00")");
  EXPECT_EQ(Json(std::string("a\0b", 3)).dump(), R"("a\u0000b")");
  for (const char* broken : {"\xff", "\xc3", "\xe2\x82", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\x80"}) {
    EXPECT_THROW(Json(broken).dump(), ValueError);
  }
}

TEST(Json, IndentsAsPython) {
  const Json value = Json::object({{"a", Json::array({1, Json::object({{"b", nullptr}})})}, {"c", Json::object()}});
  EXPECT_EQ(value.dump(4), R"({
    "a": [
        1,
        {
            "b": null
        }
    ],
    "c": {}
})");
  EXPECT_EQ(Json::array({1, 2}).dump(0), "[\n1,\n2\n]");
}

TEST(Json, ParsesWhatItDumps) {
  const std::string text =
      R"({"a": [1, -2, 2.5, 1e-07, true, false, null], "\u00e4\ud83d\ude00": "x\ny", "o": {"z": 1, "b": 2}})";
  const Json value = Json::parse(text);
  EXPECT_EQ(value.dump(), text);
  EXPECT_EQ(value["ä😀"].as_string(), "x\ny");
  EXPECT_TRUE(value["a"][0].is_int());
  EXPECT_FALSE(value["a"][2].is_int());
  EXPECT_EQ(Json::parse(" 9223372036854775807 ").as_int(), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(Json::parse("-9223372036854775808").as_int(), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(Json::parse("18446744073709551615").as_double(), 18446744073709551615.0);
  EXPECT_EQ(Json::parse("99999999999999999999").as_double(), 1e20);
  EXPECT_EQ(Json::parse(R"({"a": 1, "b": 2, "a": 3})").dump(), R"({"a": 3, "b": 2})");
}

TEST(Json, ReadsPythonsNumbers) {
  const Json value = Json::parse(R"([NaN, Infinity, -Infinity, 0e0, -0e000000, "NaN \" Infinity", {"NaN": NaN}, 1])");
  EXPECT_TRUE(std::isnan(value[0].as_double()));
  EXPECT_EQ(value[1].as_double(), std::numeric_limits<double>::infinity());
  EXPECT_EQ(value[2].as_double(), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(value[3].as_double(), 0.0);
  EXPECT_EQ(value[4].as_double(), 0.0);
  EXPECT_EQ(value[5].as_string(), "NaN \" Infinity");
  EXPECT_TRUE(std::isnan(value[6]["NaN"].as_double()));
  EXPECT_EQ(value[7].as_int(), 1);
  EXPECT_THROW(Json::parse("[NaN"), ValueError);
  EXPECT_THROW(Json::parse("NaNs"), ValueError);
  EXPECT_THROW(Json::parse("[\"NaN\\"), ValueError);
}

TEST(Json, RefusesBadTextAndSaysWhere) {
  const auto message = [](const char* text) {
    return message_of<ValueError>([&] { Json::parse(text, "config.json"); });
  };
  EXPECT_THAT(message("{\"a\": 1,\n  \"b\": ?}"), HasSubstr("config.json is not valid JSON at line 2, column 8"));
  EXPECT_THAT(message("[1, 2"), HasSubstr("line 1, column 6"));
  EXPECT_THAT(message(""), HasSubstr("line 1, column 1"));
  for (const char* text : {"{", "[1,]", "{\"a\"}", "tru", "\"\xff\"", "\"\\ud800\"", "\"a", "1 2", "'a'", "01", "+1",
                           "\"\n\"", "{1: 2}", "1e999"}) {
    EXPECT_NE(message(text), "") << text;
  }
}

TEST(Json, LimitsDepth) {
  EXPECT_NO_THROW(Json::parse("[[[]]]", "text", 3));
  EXPECT_THAT(message_of<ValueError>([] { Json::parse("[[[[]]]]", "text", 3); }), HasSubstr("deeper than 3"));
  const std::string deep(100000, '[');
  EXPECT_THROW(Json::parse(deep), ValueError);
}

TEST(Json, AccessNamesWhatIsWrong) {
  const Json config = Json::parse(R"({"units": 10, "rate": 3.0, "name": "x", "none": null, "flag": true})");
  EXPECT_EQ(config["units"].as_int(), 10);
  EXPECT_EQ(config["units"].as_double(), 10.0);
  EXPECT_EQ(config["rate"].as_int(), 3);
  EXPECT_THAT(message_of<NotFoundError>([&] { config["missing"]; }), HasSubstr("missing"));
  EXPECT_THAT(message_of<TypeError>([&] { config["name"].as_int(); }),
              HasSubstr("expected an integer in JSON, found a string (\"x\")"));
  EXPECT_THROW(config["units"].as_bool(), TypeError);
  EXPECT_THROW(config["flag"].as_int(), TypeError);
  EXPECT_THROW(config["units"].as_string(), TypeError);
  EXPECT_THROW(config["name"].as_double(), TypeError);
  EXPECT_THROW(Json(2.5).as_int(), TypeError);
  EXPECT_THROW(Json(1e300).as_int(), TypeError);
  EXPECT_THROW(config["name"]["x"], TypeError);
  EXPECT_THROW(config[0], TypeError);
  EXPECT_THROW(config.begin(), TypeError);
  EXPECT_THROW(Json(1).items(), TypeError);
  EXPECT_THROW(Json(1).size(), TypeError);
  EXPECT_THROW(Json::array({1})[1], ValueError);
  EXPECT_THROW(Json::array({1})[-1], ValueError);
  EXPECT_THROW(Json::array({std::numeric_limits<std::uint64_t>::max()}), ValueError);

  EXPECT_EQ(config.get_or("units", 3), 10);
  EXPECT_EQ(config.get_or("missing", 3), 3);
  EXPECT_EQ(config.get_or("none", 3), 3);
  EXPECT_EQ(config.get_or("units", 0.5), 10.0);
  EXPECT_EQ(config.get_or("flag", false), true);
  EXPECT_EQ(config.get_or("name", "y"), "x");
  EXPECT_EQ(config.get_or("missing", std::string("y")), "y");
  EXPECT_THAT(message_of<TypeError>([&] { config.get_or("name", 1); }), HasSubstr("\"name\""));
  EXPECT_THROW(Json::object({{"n", 300}}).get_or("n", std::int8_t{1}), ValueError);

  EXPECT_TRUE(config.contains("units"));
  EXPECT_FALSE(config.contains("missing"));
  EXPECT_FALSE(Json(1).contains("x"));
  EXPECT_EQ(config.find("missing"), nullptr);
}

TEST(Json, IteratesAndChanges) {
  Json list;
  for (int value = 0; value < 3; ++value) {
    list.push_back(value);
  }
  std::int64_t sum = 0;
  for (const Json& value : list) {
    sum += value.as_int();
  }
  EXPECT_EQ(sum, 3);
  list[0] = "first";
  EXPECT_EQ(list.dump(), R"(["first", 1, 2])");
  EXPECT_THROW(Json("x").push_back(1), TypeError);

  Json object = Json::object({{"a", 1}, {"b", 2}});
  std::string keys;
  for (const auto& [key, value] : object.items()) {
    keys += key;
    EXPECT_TRUE(value.is_int());
  }
  EXPECT_EQ(keys, "ab");
  EXPECT_TRUE(object.erase("a"));
  EXPECT_FALSE(object.erase("a"));
  EXPECT_EQ(object.dump(), R"({"b": 2})");
}

TEST(Json, ComparesAsPython) {
  EXPECT_EQ(Json(1), Json(1.0));
  EXPECT_NE(Json(1), Json("1"));
  EXPECT_NE(Json(1), Json(true));
  EXPECT_EQ(Json::parse(R"({"a": 1, "b": [1, 2]})"), Json::parse(R"({"b": [1, 2], "a": 1})"));
  EXPECT_NE(Json::parse(R"({"a": 1})"), Json::parse(R"({"a": 2})"));
  EXPECT_NE(Json::parse(R"({"a": 1})"), Json::parse(R"({"b": 1})"));
  EXPECT_NE(Json::array({1}), Json::array({1, 2}));
  EXPECT_EQ(Json(), Json(nullptr));
}

TEST(Json, TakesWordsOfPythonOnlyWhole) {
  for (const char* text : {"-NaN", "1NaN", "NaN1", "NaNNaN", "Infinity5", "--Infinity", "+Infinity", "xNaN",
                           "[NaN NaN]", "-0e0000Infinity", "NaN.0", "[1Infinity]"}) {
    EXPECT_THROW(Json::parse(text), ValueError) << text;
  }
  EXPECT_TRUE(std::isnan(Json::parse(" NaN ").as_double()));
}

TEST(Json, RefusesWhatIsMadeToDoHarm) {
  const std::string deep = std::string(1000000, '[');
  EXPECT_THAT(message_of<ValueError>([&] { Json::parse(deep, "deep.json"); }),
              ::testing::AllOf(HasSubstr("deep.json"), HasSubstr("deeper than 512 levels")));
  std::string objects;
  for (int depth = 0; depth < 100000; ++depth) {
    objects += R"({"a":)";
  }
  EXPECT_THROW(Json::parse(objects), ValueError);
  EXPECT_THROW(Json::parse("1e999"), ValueError);
  EXPECT_THROW(Json::parse("\"\xff\""), ValueError);
  EXPECT_THROW(Json::parse("\"\xed\xa0\x80\""), ValueError);
  EXPECT_THROW(Json::parse(R"("\ud800")"), ValueError);
  EXPECT_EQ(Json::parse(std::string(100000, '1')  // more digits than any number has
                            .insert(1, "."))
                .as_double(),
            1.1111111111111112);
  std::string equal_keys = "{";
  for (int index = 0; index < 100000; ++index) {
    equal_keys += R"("a":1,)";
  }
  EXPECT_EQ(Json::parse(equal_keys + R"("a":2})").dump(), R"({"a": 2})");
}

TEST(Json, TakesLittleMemory) {
  static_assert(sizeof(Json) == 16);
  // Equal texts are stored only once.
  const Json texts = Json::parse(R"(["float32", "float32", ["float32"]])");
  EXPECT_EQ(&texts[0].as_string(), &texts[1].as_string());
  EXPECT_EQ(&texts[0].as_string(), &texts[2][0].as_string());
  Json copy = texts;
  copy.push_back(1);
  EXPECT_EQ(&copy[0].as_string(), &texts[0].as_string());
}

TEST(Json, CopiesShareNothingThatChanges) {
  Json original = Json::parse(R"({"list": [1, 2], "text": "a", "object": {"b": []}})");
  Json copy = original;
  copy["list"].push_back(3);
  copy["text"] = "changed";
  copy["object"]["b"] = 1.5;
  EXPECT_EQ(original.dump(), R"({"list": [1, 2], "text": "a", "object": {"b": []}})");
  EXPECT_EQ(copy.dump(), R"({"list": [1, 2, 3], "text": "changed", "object": {"b": 1.5}})");
  original = std::move(copy);
  EXPECT_EQ(original["list"].size(), 3);
}

TEST(Json, APartOfItselfCanBeAssigned) {
  Json value = Json::parse(R"({"a": {"b": ["text", 7]}})");
  value = value["a"];
  EXPECT_EQ(value.dump(), R"({"b": ["text", 7]})");
  value = std::move(value["b"]);
  EXPECT_EQ(value.dump(), R"(["text", 7])");
  value = value[0];
  EXPECT_EQ(value.dump(), R"("text")");
}

TEST(Json, OfEqualKeysTheLastValueStandsAtThePlaceOfTheFirst) {
  EXPECT_EQ(Json::parse(R"({"b": 1, "a": 2, "b": 3, "c": 4, "a": 5, "b": 6})").dump(), R"({"b": 6, "a": 5, "c": 4})");
  EXPECT_EQ(Json::object_from({{"x", 1}, {"x", 2}}).dump(), R"({"x": 2})");
}

TEST(Json, EmptyListsAndTexts) {
  Json value = Json::parse(R"([[], {}, ""])");
  EXPECT_TRUE(value[0].empty());
  EXPECT_EQ(value[0].begin(), value[0].end());
  EXPECT_TRUE(value[1].items().empty());
  EXPECT_EQ(value[2].as_string(), "");
  value[0].push_back(1);
  value[1]["a"] = 1;
  EXPECT_EQ(value.dump(), R"([[1], {"a": 1}, ""])");
  EXPECT_EQ(Json::array_from(std::vector<Json>{1, "a"}).dump(), R"([1, "a"])");
}

}  // namespace
}  // namespace rhyton::io
