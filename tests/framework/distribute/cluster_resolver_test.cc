#include <rhyton/framework/distribute/cluster_resolver.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/tests/support/environment_variable.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::distribute::cluster_resolver {
namespace {

using test::EnvironmentVariable;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

/// The environment of a task of `srun`, as long as the object lives.
class SlurmStep {
 public:
  using Changes = std::vector<std::pair<std::string, std::string>>;

  explicit SlurmStep(const Changes& changes) {
    std::map<std::string, std::string> all = {{"SLURM_PROCID", "0"},
                                              {"SLURM_STEP_NUM_TASKS", "7"},
                                              {"SLURM_STEP_NODELIST", "n[2,10],m[03-04]"},
                                              {"SLURM_STEP_TASKS_PER_NODE", "2(x3),1"},
                                              {"SLURM_NODEID", ""},
                                              {"SLURM_LOCALID", ""}};
    for (const auto& [name, value] : changes) all[name] = value;
    for (const auto& [name, value] : all) {
      variables_.push_back(std::make_unique<EnvironmentVariable>(name.c_str(), value));
    }
  }

 private:
  std::vector<std::unique_ptr<EnvironmentVariable>> variables_;
};

template <class E>
std::string complaint_in(const SlurmStep::Changes& changes, const SlurmOptions& options = {}) {
  const SlurmStep step(changes);
  return test::message_of<E>([&] { SlurmClusterResolver resolver(options); });
}

TEST(ExpandHostlist, ReadsRangesInBrackets) {
  EXPECT_THAT(expand_hostlist("node"), ElementsAre("node"));
  EXPECT_THAT(expand_hostlist("n[1-2],m5,o[3-4,6,7-9]"),
              ElementsAre("n1", "n2", "m5", "o3", "o4", "o6", "o7", "o8", "o9"));
  EXPECT_THAT(expand_hostlist("n[08-10]"), ElementsAre("n08", "n09", "n10"));
}

TEST(ExpandHostlist, RefusesWhatIsNone) {
  for (const char* const text : {"", ",", "a,,b", "n[1-2", "n1-2]", "n[]", "n[a]", "n[2-1]", "n[1-2-3]", "n[[1]]",
                                 "n[1]x", "n[1-1000000000]", "n[1-99999],n[1-99999]"}) {
    EXPECT_THAT(test::message_of<ValueError>([&] { expand_hostlist(text, "SLURM_STEP_NODELIST"); }),
                StartsWith("SLURM_STEP_NODELIST: expected a list of hosts"))
        << text;
  }
}

TEST(ExpandTasksPerNode, ReadsRepetitions) {
  EXPECT_THAT(expand_tasks_per_node("3(x2),2,1"), ElementsAre(3, 3, 2, 1));
  EXPECT_THAT(expand_tasks_per_node("2(x3),1"), ElementsAre(2, 2, 2, 1));
  for (const char* const text : {"", "a", "2(x3", "2(3)", "2(x)", "(x2)", "1,", "-1", "1(x1000000)"}) {
    EXPECT_THAT(test::message_of<ValueError>([&] { expand_tasks_per_node(text, "SLURM_STEP_TASKS_PER_NODE"); }),
                StartsWith("SLURM_STEP_TASKS_PER_NODE: expected numbers of tasks"))
        << text;
  }
}

TEST(SlurmClusterResolver, MakesWorkersOfAllTasks) {
  const SlurmStep step(SlurmStep::Changes{{"SLURM_PROCID", "3"}});
  const SlurmClusterResolver resolver;
  EXPECT_THAT(resolver.cluster_spec().job_tasks("worker"),
              ElementsAre("n2:8888", "n2:8889", "n10:8888", "n10:8889", "m03:8888", "m03:8889", "m04:8888"));
  EXPECT_EQ(resolver.task_type(), "worker");
  EXPECT_EQ(resolver.task_id(), 3);
}

TEST(SlurmClusterResolver, AssignsTasksToJobsInAlphabeticalOrder) {
  const SlurmStep step(SlurmStep::Changes{{"SLURM_PROCID", "3"}});
  const SlurmClusterResolver resolver({.jobs = {{"worker", 4}, {"ps", 2}, {"chief", 1}}, .port_base = 1000});
  EXPECT_EQ(resolver.cluster_spec().as_dict().dump(), R"({"chief": ["n2:1000"], "ps": ["n2:1001", "n10:1000"], )"
                                                      R"("worker": ["n10:1001", "m03:1000", "m03:1001", "m04:1000"]})");
  EXPECT_EQ(resolver.task_type(), "worker");
  EXPECT_EQ(resolver.task_id(), 0);
}

TEST(SlurmClusterResolver, TakesTheNumberOfTasksPerNodeFromTheCaller) {
  const SlurmStep step({{"SLURM_STEP_TASKS_PER_NODE", ""}, {"SLURM_STEP_NUM_TASKS", "4"}});
  const SlurmClusterResolver resolver({.tasks_per_node = 1});
  EXPECT_THAT(resolver.cluster_spec().job_tasks("worker"), ElementsAre("n2:8888", "n10:8888", "m03:8888", "m04:8888"));
}

TEST(SlurmClusterResolver, NamesTheVariableThatIsMissing) {
  for (const char* const name :
       {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_STEP_NODELIST", "SLURM_STEP_TASKS_PER_NODE"}) {
    EXPECT_EQ(complaint_in<RuntimeError>({{name, ""}}),
              std::string(name) + " not found in environment. Not running inside a SLURM step?");
  }
}

TEST(SlurmClusterResolver, NamesTheVariableThatIsWrong) {
  EXPECT_EQ(complaint_in<ValueError>({{"SLURM_PROCID", "x"}}), "SLURM_PROCID: expected a number from 0, got 'x'.");
  EXPECT_EQ(complaint_in<ValueError>({{"SLURM_PROCID", "7"}}),
            "SLURM_PROCID: expected a number below 7, the number of tasks, got '7'.");
  EXPECT_THAT(complaint_in<ValueError>({{"SLURM_STEP_NODELIST", "n[1"}}), StartsWith("SLURM_STEP_NODELIST: expected"));
  EXPECT_THAT(complaint_in<ValueError>({{"SLURM_STEP_TASKS_PER_NODE", "2(x2),1"}}),
              HasSubstr("expected the numbers of tasks of the 4 nodes of SLURM_STEP_NODELIST, got '2(x2),1'"));
  EXPECT_EQ(complaint_in<RuntimeError>({}, {.jobs = {{"worker", 9}}}), "Requested 9 tasks but only 7 were assigned.");
}

TEST(SlurmClusterResolver, RefusesATaskThatIsNotWhereItsNumberBelongs) {
  const SlurmStep step({{"SLURM_PROCID", "3"}, {"SLURM_NODEID", "1"}, {"SLURM_LOCALID", "1"}});
  EXPECT_NO_THROW(SlurmClusterResolver());
  EXPECT_THAT(complaint_in<ValueError>({{"SLURM_PROCID", "1"}, {"SLURM_NODEID", "1"}, {"SLURM_LOCALID", "0"}}),
              StartsWith("SLURM_PROCID: expected 2 for task 0 of node 1 (SLURM_LOCALID, SLURM_NODEID), got '1'."));
}

}  // namespace
}  // namespace rhyton::distribute::cluster_resolver
