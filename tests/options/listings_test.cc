#include <optional>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include <rhyton/framework/by_name.h>
#include <rhyton/framework/serialization/config_writer.h>
#include <rhyton/framework/serialization/member_count.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/models/losses/regression.h>
#include <rhyton/optimizers/sgd.h>
#include <rhyton/tests/options/all_tables.h>

namespace rhyton {
namespace {

struct Complete {
  ByName by_name = ByName();
  int count = 1;
  std::optional<double> limit = std::nullopt;
  std::string name = {};

  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("count", self.count);
    fields("limit", self.limit);
    fields("name", self.name);
  }
};

struct Derived : Complete {
  bool is_more = false;
};

struct Forgetful {
  ByName by_name = ByName();
  double rate = 0.5;
  bool is_forgotten = false;

  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("rate", self.rate);
    fields.constant("constraint", nullptr);
  }
};

template <class Options>
OptionTable table_of() {
  return option_table<Options>("Mine", [](const auto& options, auto& table) { Options::visit(options, table); });
}

TEST(MemberCount, CountsAllMembersButTheGuard) {
  EXPECT_EQ(member_count<Complete>(), 3u);
  EXPECT_EQ(member_count<Derived>(), 4u);
  EXPECT_EQ(member_count<layers::DenseOptions>(), 15u);
  EXPECT_EQ(member_count<layers::DenseArguments>(), 16u);
  EXPECT_EQ(member_count<optimizers::SGDOptions>(), 13u);
  EXPECT_EQ(member_count<losses::HuberOptions>(), 4u);
}

TEST(OptionTables, ShowAForgottenMember) {
  EXPECT_EQ(table_of<Complete>().listed_members(), table_of<Complete>().struct_members());
  EXPECT_NE(table_of<Forgetful>().listed_members(), table_of<Forgetful>().struct_members());
}

TEST(OptionTables, ListEveryMemberOfTheOptionsOfEveryClass) {
  for (const auto& [kind, tables] : test::all_tables()) {
    EXPECT_FALSE(tables.empty()) << kind;
    for (const OptionTable& table : tables) {
      EXPECT_EQ(table.listed_members(), table.struct_members()) << kind << ": " << table.class_name();
    }
  }
}

TEST(OptionTables, NameEachClassOnce) {
  for (const auto& [kind, tables] : test::all_tables()) {
    std::set<std::string> names;
    for (const OptionTable& table : tables) EXPECT_TRUE(names.insert(table.class_name()).second) << table.class_name();
  }
}

TEST(OptionTables, HaveTypesAndDefaults) {
  const OptionTable table = table_of<Complete>();
  ASSERT_EQ(table.rows().size(), 3u);
  EXPECT_EQ(table.rows()[0].name, "count");
  EXPECT_EQ(table.rows()[0].type, "an integer");
  EXPECT_EQ(table.rows()[0].default_value, io::Json(1));
  EXPECT_EQ(table.rows()[1].type, "a number");
  EXPECT_TRUE(table.rows()[1].default_value.is_null());
}

TEST(ConfigWriter, WritesInTheOrderOfTheListing) {
  EXPECT_EQ(written(Complete{.count = 2, .limit = 0.5, .name = "x"}).dump(),
            R"({"count": 2, "limit": 0.5, "name": "x"})");
  EXPECT_EQ(written(Complete()).dump(), R"({"count": 1, "limit": null, "name": ""})");
  // A key that is there already moves.
  EXPECT_EQ(written(io::Json::object({{"rate", 3}, {"other", 1}}), Forgetful()).dump(),
            R"({"other": 1, "rate": 0.5, "constraint": null})");
}

}  // namespace
}  // namespace rhyton
