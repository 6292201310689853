// `.keras` files whose members are deflated, as other programs than Keras write them.

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/tests/framework/io/hand_made_zip.h>
#include <rhyton/tests/models/saving/saving_models.h>
#include <rhyton/tests/support/environment_variable.h>

namespace rhyton::models {
namespace {

using testing::IsEmpty;

/// What /proc tells of the memory of this process in bytes: "VmRSS", that of now, or "VmHWM", the most so far.
std::int64_t memory(const std::string& field) {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line)) {
    if (line.starts_with(field + ":")) return std::stoll(line.substr(field.size() + 1)) * 1024;
  }
  return 0;
}

/// False where the system does not let the most so far be forgotten.
bool forget_most_memory() { return static_cast<bool>(std::ofstream("/proc/self/clear_refs") << 5 << std::flush); }

class PackedFiles : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  /// A model with so many bytes of weights, its members deflated.
  void save_packed(std::int64_t units) const {
    const Sequential model(
        {layers::Input({.shape = {1024}}), layers::Dense(units, {.kernel_initializer = "ones", .name = "wide"})});
    model.save(path("stored.keras"));
    io::ZipReader reader{std::filesystem::path(path("stored.keras"))};
    std::vector<test::HandMadeMember> members;
    for (const io::ZipMember& member : reader.members()) {
      members.push_back({.name = member.name, .content = reader.read_text(member.name), .deflated = true});
    }
    test::put(path("packed.keras"), test::hand_made(members));
  }

  static void expect_ones(const Model& model) {
    const Tensor kernel = model.weights()[0].value();
    const auto* const values = kernel.data<float>();
    EXPECT_TRUE(std::all_of(values, values + kernel.size(), [](float value) { return value == 1.0f; }));
  }

  test::TemporaryFolder folder_;
};

TEST_F(PackedFiles, SmallOnesAreRead) {
  save_packed(8);
  expect_ones(load_model(path("packed.keras")));
}

TEST_F(PackedFiles, LargeOnesAreNotInMemoryBesideTheirWeights) {
  constexpr std::int64_t units = 17 * 1024;
  constexpr std::int64_t bytes = 1024 * units * 4;
  save_packed(units);
  const test::TemporaryFolder temporary;
  const test::EnvironmentVariable place("TMPDIR", temporary.path().string());
  if (!forget_most_memory()) GTEST_SKIP() << "the system does not tell the most memory of a while";
  const std::int64_t before = memory("VmRSS");
  const Model model = load_model(path("packed.keras"));
  EXPECT_LT(memory("VmHWM") - before, bytes + bytes / 2);
  expect_ones(model);
  EXPECT_THAT(temporary.names(), IsEmpty());
}

TEST_F(PackedFiles, LargeOnesAreReadWhereNoTemporaryFileCanBe) {
  save_packed(17 * 1024);
  const test::EnvironmentVariable place("TMPDIR", path("absent"));
  expect_ones(load_model(path("packed.keras")));
}

}  // namespace
}  // namespace rhyton::models
