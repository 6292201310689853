// Behaviour common to all commands: help, exit statuses, errors.

#include <string>

#include <rhyton/apps/rhyton/messages.h>
#include <rhyton/tests/apps/rhyton/rhyton_tool.h>

namespace rhyton::test {
namespace {

using ::testing::HasSubstr;

using Usage = RhytonTool;

TEST_F(Usage, HelpNamesAllCommandsAndTheirOptions) {
  const std::string help = output_of("--help");
  for (const char* const command :
       {"devices", "summary", "predict", "evaluate", "train", "convert", "inspect", "plot", "server"}) {
    EXPECT_THAT(help, HasSubstr(command));
    EXPECT_THAT(output_of(std::string(command) + " --help"), HasSubstr("Usage: rhyton " + std::string(command)));
  }
  const std::string train = output_of("train --help");
  for (const char* const option : {"--input", "--target", "--epochs", "--batch-size", "--no-shuffle", "--seed",
                                   "--validation-split", "--scale", "--sample-weight", "--optimizer", "--learning-rate",
                                   "--loss", "--metrics", "--history", "--output", "--device", "--json"}) {
    EXPECT_THAT(train, HasSubstr(option));
  }
}

TEST_F(Usage, WrongUsageHasStatusTwo) {
  const std::string model = golden("dense.keras");
  expect_failure("", wrong_usage, "A subcommand is required");
  expect_failure("frobnicate", wrong_usage, "frobnicate");
  expect_failure("devices --nonsense", wrong_usage, "--nonsense");
  expect_failure("summary", wrong_usage, "MODEL is required");
  expect_failure("predict " + model, wrong_usage, "--input is required");
  expect_failure("predict " + model + " --input x.npy", wrong_usage, "--output");
  expect_failure("predict " + model + " --input x.npy --output y.txt", wrong_usage, "y.txt");
  expect_failure("predict " + model + " --input x.npy --output y.npy --batch-size 0", wrong_usage, "--batch-size");
  expect_failure("predict " + model + " --input x.npy --output y.npy --batch-size many", wrong_usage, "--batch-size");
  expect_failure("evaluate " + model + " --input x.npy", wrong_usage, "--target is required");
  const std::string train = "train " + model + " --input x.npy --target y.npy ";
  expect_failure(train, wrong_usage, "--output is required");
  expect_failure(train + "--output m.txt", wrong_usage, "m.txt");
  expect_failure(train + "--output m.weights.h5", wrong_usage, "m.weights.h5");
  expect_failure(train + "--output m.keras --epochs 0", wrong_usage, "--epochs");
  expect_failure(train + "--output m.keras --seed -1", wrong_usage, "--seed");
  expect_failure(train + "--output m.keras --validation-split 1", wrong_usage, "--validation-split");
  expect_failure(train + "--output m.keras --learning-rate nan", wrong_usage, "--learning-rate");
  expect_failure(train + "--output m.keras --optimizer adamant", wrong_usage, "adamant");
  expect_failure(train + "--output m.keras --loss grief", wrong_usage, "grief");
  expect_failure(train + "--output m.keras --metrics accuracy,luck", wrong_usage, "luck");
  expect_failure("convert " + model, wrong_usage, "OUT is required");
  expect_failure("convert " + model + " model.onnx", wrong_usage, "model.onnx");
  expect_failure("convert model.onnx model.keras", wrong_usage, "model.onnx");
  expect_failure("plot " + model + " --output picture.png", wrong_usage, "picture.png");
}

TEST_F(Usage, MissingAndDamagedModelsHaveStatusOneAndAreNamed) {
  io::write_npy(path("x.npy"), golden_array("dense", "input0"));
  const std::string missing = path("missing.keras");
  const std::string half = half_of(golden("dense.keras"), "half.keras");
  put(path("text.keras"), "this is no archive");
  std::filesystem::create_directory(path("folder.keras"));
  for (const std::string& file : {missing, half, path("text.keras"), path("folder.keras")}) {
    expect_failure("summary " + file, error, file);
    expect_failure("predict " + file + " --input " + path("x.npy") + " --output " + path("y.npy"), error, file);
    expect_failure("evaluate " + file + " --input x.npy --target y.npy", error, file);
    expect_failure("train " + file + " --input x.npy --target y.npy --output " + path("m.keras"), error, file);
    expect_failure("convert " + file + " " + path("m.keras"), error, file);
    expect_failure("inspect " + file, error, file);
    expect_failure("plot " + file + " --output " + path("m.svg"), error, file);
  }
  for (const char* const name : {"y.npy", "m.keras", "m.svg"}) EXPECT_FALSE(std::filesystem::exists(path(name)));
}

TEST_F(Usage, NothingIsBegunForAnOutputThatHasNoPlace) {
  const std::string nowhere = path("nowhere") + "/m.keras";
  expect_failure("train " + path("missing.keras") + " --input x.npy --target y.npy --output " + nowhere, error,
                 nowhere);
  expect_failure("convert " + path("missing.keras") + " " + nowhere, error, nowhere);
}

TEST_F(Usage, AnOutputThatCannotBeWrittenIsAnError) {
  const std::string arguments = "rhyton devices --json";
  const std::string line = std::string(RHYTON_BIN_DIR) + "/" + arguments + " > /dev/full 2> " + path("errors");
  const int status = std::system(line.c_str());
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), error);
  EXPECT_EQ(content_of(path("errors")), "rhyton: the standard output could not be written\n");
}

TEST_F(Usage, DevicesAreListed) {
  EXPECT_THAT(output_of("devices"), HasSubstr("/physical_device:CPU:0"));
  const io::Json devices = json_of("devices");
  const std::vector<PhysicalDevice> expected = config::list_physical_devices();
  ASSERT_EQ(devices.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(devices[i]["name"].as_string(), expected[i].name);
    EXPECT_EQ(devices[i]["device_type"].as_string(), expected[i].device_type);
  }
  EXPECT_EQ(devices[0]["instruction_set"].as_string(), config::cpu_instruction_set());
  EXPECT_EQ(io::Json::parse(run("rhyton devices --json", "RHYTON_NUM_THREADS=3").output)[0]["threads"].as_int(), 3);
}

TEST_F(Usage, UnknownDevicesAreRefused) {
  const std::string arguments = "evaluate " + golden("dense.keras") + " --input x.npy --target y.npy --device ";
  expect_failure(arguments + "/GPU:99", error, "GPU:99");
  expect_failure(arguments + "nonsense", error, "nonsense");
}

TEST(OneLine, KeepsMessagesOnOneLineAndTerminalsUnharmed) {
  EXPECT_EQ(tool::one_line("one\n  two \n\nthree\n"), "one two three");
  EXPECT_EQ(tool::one_line("a\tb\x1b[31mc\x7f"), "a b?[31mc?");
  EXPECT_EQ(tool::one_line("\xc3\xa4\xe2\x80\xa6"), "\xc3\xa4\xe2\x80\xa6");
  EXPECT_EQ(tool::one_line("\xff\xc3"), "??");
  EXPECT_EQ(tool::one_line("\xc2\x9b"), "??");
}

}  // namespace
}  // namespace rhyton::test
