#include <string>
#include <utility>
#include <vector>

#include <rhyton/tests/apps/rhyton/rhyton_tool.h>

namespace rhyton::test {
namespace {

class Predict : public RhytonTool {
 protected:
  /// The library's result for the same model and the same numbers.
  static std::vector<Tensor> expected(const std::string& model, const std::vector<Tensor>& x) {
    return models::load_model(golden(model + ".keras")).predict_many(x, {.verbose = 0});
  }
};

TEST_F(Predict, WritesWhatTheLibraryPredicts) {
  const Tensor x = golden_array("dense", "input0");
  io::write_npy(path("x.npy"), x);
  EXPECT_EQ(output_of("predict " + golden("dense.keras") + " --input " + path("x.npy") + " --output " + path("y.npy")),
            "");
  expect_same_tensor(io::read_npy(path("y.npy")), expected("dense", {x})[0]);
  // In smaller batches, on a named device, named by the model's output in an archive.
  output_of("predict --input " + path("x.npy") + " " + golden("dense.keras") + " --output " + path("y.npz") +
            " --batch-size 2 --device /CPU:0");
  const std::string name = models::load_model(golden("dense.keras")).output_names()[0];
  const Tensor in_batches = models::load_model(golden("dense.keras")).predict(x, {.batch_size = 2, .verbose = 0});
  expect_same_tensor(io::read_npz(path("y.npz"), name), in_batches);
}

TEST_F(Predict, NamesOutputsByTheirKeys) {
  const std::string folder = std::string(RHYTON_GOLDEN_DIR) + "/functional_files/";
  io::write_npy(path("x.npy"), io::read_npz(folder + "outputs_by_key.npz", "input0"));
  output_of("predict " + folder + "outputs_by_key.keras --input " + path("x.npy") + " --output " + path("y.npz"));
  const io::NamedTensors outputs = io::read_npz(path("y.npz"));
  ASSERT_EQ(outputs.size(), 2u);
  EXPECT_EQ(outputs[0].first, "k1");
  EXPECT_EQ(outputs[0].second.shape(), (Shape{8, 3}));
  EXPECT_EQ(outputs[1].first, "k9");
  EXPECT_EQ(outputs[1].second.shape(), (Shape{8, 2}));
}

TEST_F(Predict, PrintsEveryDigit) {
  const Tensor x = golden_array("dense", "input0");
  io::write_npy(path("x.npy"), x);
  const io::Json outputs = json_of("predict " + golden("dense.keras") + " --input " + path("x.npy"));
  const Tensor y = expected("dense", {x})[0];
  ASSERT_EQ(outputs.size(), 1u);
  const io::Json& rows = outputs.items().front().value;
  ASSERT_EQ(rows.size(), static_cast<std::size_t>(y.shape()[0]));
  const float* next = y.data<float>();
  for (const io::Json& row : rows) {
    ASSERT_EQ(row.size(), static_cast<std::size_t>(y.shape()[1]));
    for (const io::Json& value : row) EXPECT_EQ(value.as_double(), static_cast<double>(*next++));
  }
}

TEST_F(Predict, TakesAllNumbersOfNumPy) {
  // 5 samples of 6 numbers that every dtype can represent.
  std::vector<double> values;
  for (int i = 0; i < 30; ++i) values.push_back(i % 7);
  std::vector<double> by_columns;
  for (std::size_t column = 0; column < 6; ++column) {
    for (std::size_t row = 0; row < 5; ++row) by_columns.push_back(values[row * 6 + column]);
  }
  std::vector<float> floats(values.begin(), values.end());
  const Tensor y = expected("dense", {Tensor::from_data({5, 6}, floats)})[0];
  const auto little = std::endian::little;
  const auto big = std::endian::big;
  const std::vector<std::pair<std::string, std::string>> files = {
      {"|i1", stored<std::int8_t>(values, little)},   {"|u1", stored<std::uint8_t>(values, little)},
      {"<i2", stored<std::int16_t>(values, little)},  {">i2", stored<std::int16_t>(values, big)},
      {"<u2", stored<std::uint16_t>(values, little)}, {">u2", stored<std::uint16_t>(values, big)},
      {"<i4", stored<std::int32_t>(values, little)},  {">i4", stored<std::int32_t>(values, big)},
      {"<u4", stored<std::uint32_t>(values, little)}, {">u4", stored<std::uint32_t>(values, big)},
      {"<i8", stored<std::int64_t>(values, little)},  {">i8", stored<std::int64_t>(values, big)},
      {"<u8", stored<std::uint64_t>(values, little)}, {">u8", stored<std::uint64_t>(values, big)},
      {"<f4", stored<float>(values, little)},         {">f4", stored<float>(values, big)},
      {"<f8", stored<double>(values, little)},        {">f8", stored<double>(values, big)},
  };
  const auto predicted = [&](const std::string& file) {
    put(path("x.npy"), file);
    output_of("predict " + golden("dense.keras") + " --input " + path("x.npy") + " --output " + path("y.npy"));
    return io::read_npy(path("y.npy"));
  };
  for (const auto& [descr, elements] : files) {
    expect_same_tensor(predicted(npy_file(descr, false, "(5, 6)", elements)), y, descr);
  }
  expect_same_tensor(predicted(npy_file("<f4", true, "(5, 6)", stored<float>(by_columns, little))), y, "Fortran");
  expect_same_tensor(predicted(npy_file(">i2", true, "(5, 6)", stored<std::int16_t>(by_columns, big))), y, "both");
  // Half floats as NumPy writes them, and booleans.
  const Tensor halves = Tensor::from_data({5, 6}, floats).cast(float16);
  io::write_npy(path("halves.npy"), halves);
  output_of("predict " + golden("dense.keras") + " --input " + path("halves.npy") + " --output " + path("y.npy"));
  expect_same_tensor(io::read_npy(path("y.npy")), y, "float16");
  std::vector<float> ones(30);
  for (std::size_t i = 0; i < ones.size(); ++i) ones[i] = values[i] != 0 ? 1.0F : 0.0F;
  std::vector<double> truths(ones.begin(), ones.end());
  expect_same_tensor(predicted(npy_file("|b1", false, "(5, 6)", stored<std::uint8_t>(truths, little))),
                     expected("dense", {Tensor::from_data({5, 6}, ones)})[0], "bool");
}

TEST_F(Predict, RefusesWhatAreNoNumbers) {
  const std::string rest = " --output " + path("y.npy");
  for (const char* const descr : {"<c8", "<c16", "<f16", "|O", "<U3", "|S8", "<M8[ns]", "|V2"}) {
    put(path("x.npy"), npy_file(descr, false, "(5, 6)", std::string(480, '\0')));
    expect_failure("predict " + golden("dense.keras") + " --input " + path("x.npy") + rest, error, path("x.npy"));
    expect_failure("predict " + golden("dense.keras") + " --input " + path("x.npy") + rest, error, descr);
  }
  put(path("x.npy"), "no array");
  expect_failure("predict " + golden("dense.keras") + " --input " + path("x.npy") + rest, error, path("x.npy"));
  const std::string half = half_of(golden("dense.npz"), "half.npz");
  expect_failure("predict " + golden("dense.keras") + " --input " + half + rest, error, half);
  expect_failure("predict " + golden("dense.keras") + " --input " + path("none.npy") + rest, error, path("none.npy"));
  put(path("x.csv"), "1,2,3");
  expect_failure("predict " + golden("dense.keras") + " --input " + path("x.csv") + rest, error, path("x.csv"));
}

TEST_F(Predict, ShapesThatDoNotFitAreRefused) {
  io::write_npy(path("x.npy"), Tensor::zeros({5, 7}));
  expect_failure("predict " + golden("dense.keras") + " --input " + path("x.npy") + " --output " + path("y.npy"), error,
                 "dense");
  EXPECT_FALSE(std::filesystem::exists(path("y.npy")));
}

TEST_F(Predict, TakesSeveralInputsAndWritesSeveralOutputs) {
  const std::vector<Tensor> x = {golden_array("two_inputs", "input0"), golden_array("two_inputs", "input1")};
  const std::vector<Tensor> y = expected("two_inputs", x);
  io::write_npy(path("numbers.npy"), x[0]);
  io::write_npy(path("words.npy"), x[1]);
  io::write_npz(path("both.npz"), {{"words", x[1]}, {"unused", x[0]}, {"numbers", x[0]}});
  const std::string model = "predict " + golden("two_inputs.keras");
  for (const std::string& inputs : {
           "--input words=" + path("words.npy") + " --input numbers=" + path("numbers.npy"),
           "--input " + path("numbers.npy") + " --input " + path("words.npy"),
           "--input " + path("both.npz"),
           "--input " + path("both.npz") + ":numbers --input " + path("both.npz") + ":words",
           "--input words=" + path("both.npz") + " --input numbers=" + path("both.npz") + ":unused",
       }) {
    output_of(model + " " + inputs + " --output " + path("y.npz"));
    expect_same_tensor(io::read_npz(path("y.npz"), "value"), y[0], inputs);
    expect_same_tensor(io::read_npz(path("y.npz"), "kind"), y[1], inputs);
  }
  const io::Json printed = json_of(model + " --input " + path("both.npz"));
  EXPECT_EQ(printed["value"].size(), static_cast<std::size_t>(y[0].shape()[0]));
  EXPECT_EQ(printed["kind"][0][0].as_double(), static_cast<double>(y[1].data<float>()[0]));
}

TEST_F(Predict, SaysWhichInputIsWrong) {
  io::write_npy(path("x.npy"), golden_array("two_inputs", "input0"));
  io::write_npz(path("x.npz"), {{"numbers", golden_array("two_inputs", "input0")}, {"other", Tensor::zeros({1})}});
  const std::string model = "predict " + golden("two_inputs.keras");
  const std::string rest = " --output " + path("y.npz");
  expect_failure(model + " --input " + path("x.npy") + rest, error, "['numbers', 'words']");
  expect_failure(model + " --input numbers=" + path("x.npy") + rest, error, "'words'");
  expect_failure(model + " --input letters=" + path("x.npy") + rest, error, "'letters'");
  expect_failure(model + " --input numbers=" + path("x.npy") + " --input numbers=" + path("x.npy") + rest, error,
                 "'numbers'");
  expect_failure(model + " --input numbers=" + path("x.npy") + " --input " + path("x.npy") + rest, error,
                 "for all or for none");
  expect_failure(model + " --input " + path("x.npz") + rest, error, path("x.npz"));
  expect_failure(model + " --input " + path("x.npz") + rest, error, "['numbers', 'other']");
  expect_failure(model + " --input " + path("x.npy") + " --input " + path("x.npy") + " --output " + path("y.npy"),
                 error, path("y.npy"));
  expect_failure("predict " + golden("dense.keras") + " --input " + path("x.npz") + ":none" + rest, error,
                 "no array \"none\"");
}

}  // namespace
}  // namespace rhyton::test
