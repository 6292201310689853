#include <rhyton/framework/distribute/job_description.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/io/json/json.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::distribute {
namespace {

/// The first of several processes, whose peers always send the same description.
class FirstProcess final : public ProcessGroup {
 public:
  explicit FirstProcess(const std::vector<JobDescription>& others) {
    for (const JobDescription& description : others) {
      io::Json entries = io::Json::array();
      for (const auto& [name, value] : description.entries) entries.push_back(io::Json::array({name, value}));
      others_.push_back(entries.dump());
    }
  }

  int size() const override { return static_cast<int>(others_.size()) + 1; }
  int rank() const override { return 0; }
  std::vector<std::string> all_gather(const std::string& own) override {
    std::vector<std::string> all = {own};
    all.insert(all.end(), others_.begin(), others_.end());
    return all;
  }
  void all_reduce(std::span<const ReductionBuffer>) override { throw std::logic_error("not used here"); }
  void broadcast(std::span<std::byte>, int) override { throw std::logic_error("not used here"); }
  void barrier() override { throw std::logic_error("not used here"); }
  [[noreturn]] void fail(const std::string& message) override { throw std::logic_error(message); }

 private:
  std::vector<std::string> others_;
};

JobDescription with_model(const std::string& model) {
  return {.entries = {{"library version", "0.1.0"}, {"model", model}}};
}

void compare(const JobDescription& own, const std::vector<JobDescription>& others) {
  FirstProcess processes(others);
  require_same(processes, own);
}

std::string complaint_of(const JobDescription& own, const std::vector<JobDescription>& others) {
  return test::message_of<ValueError>([&] { compare(own, others); });
}

TEST(RequireSame, AcceptsProcessesThatAgree) {
  EXPECT_NO_THROW(compare(with_model("a"), {}));
  EXPECT_NO_THROW(compare(with_model("a"), {with_model("a"), with_model("a")}));
}

TEST(RequireSame, NamesTheRankThatDiffersAndBothValues) {
  EXPECT_EQ(complaint_of(with_model("a"), {with_model("a"), with_model("b")}),
            "All processes of a job must have the same model, but rank 2 of 3 has 'b' and rank 0 has 'a'.");
}

TEST(RequireSame, BlamesTheMinority) {
  EXPECT_EQ(complaint_of(with_model("b"), {with_model("a"), with_model("a")}),
            "All processes of a job must have the same model, but rank 0 of 3 has 'b' and rank 1 has 'a'.");
}

TEST(RequireSame, NoticesAnEntryThatIsMissing) {
  EXPECT_EQ(complaint_of({.entries = {}}, {{.entries = {{"batch size", "64"}}}}),
            "All processes of a job must have the same batch size, but rank 1 of 2 has '64' and rank 0 has none.");
}

TEST(RequireSame, DoesNotMindTheOrder) {
  EXPECT_NO_THROW(compare({.entries = {{"a", "1"}, {"b", "2"}}}, {{.entries = {{"b", "2"}, {"a", "1"}}}}));
}

TEST(RequireSame, ComparesOneValue) {
  FirstProcess processes({{.entries = {{"batch size", "64"}}}});
  EXPECT_NO_THROW(require_same(processes, "batch size", "64"));
  EXPECT_THROW(require_same(processes, "batch size", "32"), ValueError);
}

}  // namespace
}  // namespace rhyton::distribute
