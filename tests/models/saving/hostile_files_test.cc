// Malicious `.keras` files.

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/io/hdf5/hdf5.h>
#include <rhyton/tests/models/saving/saving_models.h>

namespace rhyton::models {
namespace {

using test::message_of;
using testing::AllOf;
using testing::HasSubstr;

class HostileFiles : public testing::Test {
 protected:
  void SetUp() override { trained_dense().save(path()); }
  std::string path(const std::string& name = "model.keras") const { return (folder_ / name).string(); }

  /// The valid file with one word of its configuration replaced.
  std::string with_config(const std::string& word, const std::string& replacement) const {
    std::string config = io::ZipReader(path()).read_text("config.json");
    const std::size_t place = config.find(word);
    EXPECT_NE(place, std::string::npos);
    config.replace(place, word.size(), replacement);
    replace_member(path(), path("evil.keras"), "config.json", test::to_bytes(config));
    return path("evil.keras");
  }

  test::TemporaryFolder folder_;
};

TEST_F(HostileFiles, WeightsThatTheFileCannotHold) {
  EXPECT_THAT(message_of<ResourceExhaustedError>(
                  [&] { load_model(with_config(R"("units": 3)", R"("units": 1000000000000)")); }),
              AllOf(HasSubstr("kernel"), HasSubstr("(4, 1000000000000)"), HasSubstr("limit of 268435456 bytes")));
  EXPECT_THROW(load_model(with_config(R"("units": 3)", R"("units": 100000000)")), ResourceExhaustedError);
  EXPECT_THROW(load_model(with_config(R"("units": 3)", R"("units": 9223372036854775807)")), Error);
  EXPECT_THROW(load_model(with_config(R"("units": 3)", R"("units": -3)")), Error);
}

TEST_F(HostileFiles, DeepConfigurations) {
  const std::string open = R"({"class_name": "Sequential", "config": {"layers": [)";
  std::string deep;
  for (int depth = 0; depth < 10000; ++depth) {
    deep += open;
  }
  replace_member(path(), path("evil.keras"), "config.json", test::to_bytes(deep));
  EXPECT_THAT(message_of<ValueError>([&] { load_model(path("evil.keras")); }),
              AllOf(HasSubstr("evil.keras/config.json"), HasSubstr("deeper")));
  std::string nested;
  std::string close;
  for (int depth = 0; depth < 120; ++depth) {
    nested += open;
    close += "]}}";
  }
  replace_member(path(), path("evil.keras"), "config.json", test::to_bytes(nested + close));
  EXPECT_THROW(load_model(path("evil.keras")), Error);
}

TEST_F(HostileFiles, WeightsThatAreCutShort) {
  io::Hdf5File empty = io::Hdf5File::create_image();
  std::vector<std::byte> image = empty.image();
  image.resize(image.size() - 1);
  replace_member(path(), path("evil.keras"), "model.weights.h5", image);
  EXPECT_THAT(message_of<IOError>([&] { load_model(path("evil.keras")); }),
              AllOf(HasSubstr("evil.keras/model.weights.h5"), HasSubstr("cut short")));
}

}  // namespace
}  // namespace rhyton::models
