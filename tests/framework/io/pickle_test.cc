// Files of Python's pickle, made by Python (tests/golden/make_pickles.py).

#include <cmath>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/io/atomic_file.h>
#include <rhyton/framework/io/npy.h>
#include <rhyton/framework/io/pickle.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::io {
namespace {

using test::message_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::byte> bytes_of(const std::string& name) { return read_file(RHYTON_GOLDEN_DIR "/pickles/" + name); }

PickleValue read(const std::string& name) { return parse_pickle(bytes_of(name), name); }

PickleValue parse(const std::string& text) { return parse_pickle(std::as_bytes(std::span(text)), "text"); }

TEST(Pickle, ValuesOfEveryProtocol) {
  for (const std::string protocol : {"2", "3", "4"}) {
    const PickleValue values = read("values_" + protocol);
    EXPECT_TRUE(values.at("none").is_none());
    std::vector<std::int64_t> integers;
    for (const PickleValue& number : values.at("integers").as_list()) integers.push_back(number.as_int());
    EXPECT_THAT(integers, ElementsAre(0, 255, 65535, -1, std::int64_t{1} << 31, -(std::int64_t{1} << 40)));
    EXPECT_EQ(values.at("text").as_string(), "größer");
    EXPECT_EQ(values.at("bytes").as_string(), std::string("\x00\xff\x80", 3));
    const PickleValue::List& tuple = values.at("same").as_list();
    EXPECT_EQ(tuple.at(0).as_int(), 1);
    EXPECT_EQ(tuple.at(1).as_list().at(1).as_string(), "three");
    EXPECT_EQ(values.at("empty").as_list().size(), 3);
    EXPECT_THAT(values.at("array").as_array().to_vector(), ElementsAre(0, 1, 2, 3, 4, 5));
    EXPECT_EQ(values.at("array").as_array().dtype(), float32);
    EXPECT_EQ(values.at("fortran").as_array().shape(), (Shape{2, 3}));
    EXPECT_THAT(values.at("fortran").as_array().to_vector(), ElementsAre(0, 1, 2, 3, 4, 5));
  }
}

TEST(Pickle, SaysWhatAValueIs) {
  const PickleValue values = read("values_2");
  EXPECT_EQ(message_of<TypeError>([&] { values.at("text").as_int(); }),
            "expected an integer in a pickled file, found a text");
  EXPECT_EQ(message_of<TypeError>([&] { values.at("integers").as_array(); }),
            "expected an array in a pickled file, found a list");
  EXPECT_THAT(message_of<NotFoundError>([&] { values.at("nothing"); }), HasSubstr("has no key 'nothing', only 'none'"));
}

TEST(Pickle, RefusesOtherClasses) {
  EXPECT_THAT(message_of<NotImplementedError>([] { read("stranger"); }), HasSubstr("has a pickled __main__.Stranger"));
  EXPECT_THAT(message_of<NotImplementedError>([] { parse("cos\nsystem\n(S'true'\ntR."); }),
              HasSubstr("has a pickled os.system"));
}

TEST(Pickle, RefusesValuesThatContainThemselves) {
  EXPECT_THAT(message_of<IOError>([] { read("itself"); }), HasSubstr("a value contains itself"));
  EXPECT_THAT(message_of<IOError>([] {
                parse(
                    "]q\x01]q\x02h\x01"
                    "aa.");
              }),
              HasSubstr("a value contains itself"));
}

TEST(Pickle, RefusesDeepValues) {
  std::string nested(200000, ']');
  nested.append(199999, 'a');
  EXPECT_THAT(message_of<NotImplementedError>([&] { parse(nested + "."); }), HasSubstr("more than 1000 lists"));
  std::string tuples = "K\x01";
  tuples.append(200000, '\x85');
  EXPECT_THAT(message_of<NotImplementedError>([&] { parse(tuples + "."); }), HasSubstr("more than 1000 lists"));
}

TEST(Pickle, ReadsAListOfManyLists) {
  std::string text = "](";
  for (int i = 0; i < 30000; ++i)
    text +=
        "](K\x01K\x02"
        "e";
  const PickleValue lists = parse(text + "e.");
  EXPECT_EQ(lists.as_list().size(), 30000U);
  EXPECT_EQ(lists.as_list().back().as_list().at(1).as_int(), 2);
}

TEST(Pickle, ArraysOfObjectsAreLists) {
  const std::string folder = RHYTON_GOLDEN_DIR "/indexed_texts/";
  const PickleValue lists = read_npz_objects(folder + "imdb_3.npz", "x_train");
  EXPECT_EQ(lists.as_list().size(), 5U);
  EXPECT_FALSE(lists.as_list().at(0).as_list().empty());
  EXPECT_EQ(read_npz_objects(folder + "imdb_3.npz", "y_train").as_array().shape(), (Shape{5}));
  const PickleValue rows = read_npz_objects(folder + "reuters_fortran.npz", "x");
  EXPECT_EQ(rows.as_list().size(), 5U);
  for (const PickleValue& row : rows.as_list()) EXPECT_EQ(row.as_list().size(), 3U);
  EXPECT_THROW(read_npz_objects(folder + "imdb_3.npz", "x"), NotFoundError);
}

TEST(Pickle, DamagedArraysOfObjectsNeverCrash) {
  const std::string folder = RHYTON_GOLDEN_DIR "/indexed_texts/";
  for (const std::string file : {"imdb_3.npz", "imdb_square.npz", "imdb_arrays.npz"}) {
    std::vector<std::byte> changed = read_npz_member(folder + file, "x_train");
    for (std::size_t size = 0; size < changed.size(); ++size) {
      EXPECT_THROW(parse_npy_objects(std::span(changed).first(size), file), Error) << size;
    }
    int accepted = 0;
    for (std::size_t i = 0; i < changed.size(); ++i) {
      const std::byte kept = changed[i];
      for (const int value : std::vector<int>{0, '.', ']', 'a', 'b', 'e', 'R', 0x85, 0xff}) {
        changed[i] = static_cast<std::byte>(value);
        try {
          parse_npy_objects(changed, file);
          ++accepted;
        } catch (const Error&) {
        }
      }
      changed[i] = kept;
    }
    EXPECT_GT(accepted, 0);
  }
}

TEST(Pickle, ReadsListsThatArePartsOfManyLists) {
  std::string text = std::string("]q") + '\0';
  for (char level = 1; level < 60; ++level) {
    const std::string inner = std::string("h") + static_cast<char>(level - 1) + "a";
    text += "]" + inner + inner + "q" + level;
  }
  const PickleValue outer = parse(text + ".");
  EXPECT_EQ(outer.as_list().size(), 2);
  EXPECT_EQ(&outer.as_list()[0].as_list(), &outer.as_list()[1].as_list());
}

TEST(Pickle, EveryTruncatedFileIsRefused) {
  for (const std::string name : {"values_2", "values_4", "cifar_batch"}) {
    const std::vector<std::byte> whole = bytes_of(name);
    const std::size_t step = whole.size() > 2000 ? 97 : 1;
    for (std::size_t size = 0; size < whole.size(); size += step) {
      EXPECT_THROW(parse_pickle(std::span(whole).first(size), name), Error) << size;
    }
  }
}

TEST(Pickle, ChangedBytesNeverCrash) {
  std::vector<std::byte> changed = bytes_of("values_2");
  int accepted = 0;
  for (std::size_t i = 0; i < changed.size(); ++i) {
    const std::byte kept = changed[i];
    for (const int value : std::vector<int>{0, '.', ']', 'a', 'b', 'R', 'u', 0x85, 0xff}) {
      changed[i] = static_cast<std::byte>(value);
      try {
        parse_pickle(changed, "changed");
        ++accepted;
      } catch (const Error&) {
      }
    }
    changed[i] = kept;
  }
  EXPECT_GT(accepted, 0);
}

}  // namespace
}  // namespace rhyton::io
