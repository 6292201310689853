// `inspect` and `summary`: the contents of a file.

#include <regex>
#include <string>

#include <rhyton/tests/apps/rhyton/rhyton_tool.h>

namespace rhyton::test {
namespace {

using io::Json;
using ::testing::HasSubstr;

class Inspect : public RhytonTool {
 protected:
  /// The object at that path in an HDF5 file.
  static const Json& object(const Json& contents, const std::string& path) {
    for (const Json& entry : contents["objects"]) {
      if (entry["path"].as_string() == path) return entry;
    }
    throw NotFoundError(path);
  }
};

TEST_F(Inspect, KerasFiles) {
  const Json contents = json_of("inspect " + golden("dense.keras"));
  EXPECT_EQ(contents["format"].as_string(), "keras");
  EXPECT_EQ(contents["class_name"].as_string(), "Sequential");
  EXPECT_EQ(contents["name"].as_string(), "dense_net");
  EXPECT_TRUE(contents["metadata"]["keras_version"].as_string().starts_with("3."));
  ASSERT_EQ(contents["members"].size(), 3u);
  EXPECT_EQ(contents["members"][2]["name"].as_string(), "model.weights.h5");
  EXPECT_EQ(object(contents, "/layers/dense/vars")["attributes"]["name"].as_string(), "dense");
  const Json& kernel = object(contents, "/layers/dense/vars/0");
  EXPECT_EQ(kernel["shape"], Json::array({6, 8}));
  EXPECT_EQ(kernel["dtype"].as_string(), "float32");
  EXPECT_EQ(object(contents, "/optimizer/vars/0")["dtype"].as_string(), "int64");
  const std::string order = contents["objects"].dump();
  EXPECT_LT(order.find("/optimizer/vars/2\""), order.find("/optimizer/vars/10\"")) << "by number";

  const std::string text = output_of("inspect " + golden("dense.keras"));
  EXPECT_THAT(text, HasSubstr("Sequential \"dense_net\", keras_version 3."));
  EXPECT_THAT(text, HasSubstr("\nmodel.weights.h5  "));
  EXPECT_TRUE(std::regex_search(text, std::regex(R"(\n/layers/dense/vars/0 +\(6, 8\) +float32\n)"))) << text;
  EXPECT_THAT(text, HasSubstr("\n    @name = \"dense\"\n"));
}

TEST_F(Inspect, Hdf5FilesWithAllTheirAttributes) {
  io::Hdf5File file = io::Hdf5File::create(path("x.h5"));
  io::Hdf5Group root = file.root();
  root.write_string_attribute("model_config", "{" + std::string(200, 'x') + "}");
  root.write_int_attribute("count", 3);
  io::Hdf5Group group = root.create_group("a/b");
  group.write_string_list_attribute("weight_names", {"k", "bias"});
  group.write_bytes_attribute("backend", "tensorflow");
  group.write_dataset("bool", Tensor::zeros({2}, bool_));
  group.write_dataset("scalar", Tensor::scalar(1.5));
  file.commit();

  const Json contents = json_of("inspect " + path("x.h5"));
  EXPECT_EQ(contents["format"].as_string(), "h5");
  EXPECT_EQ(object(contents, "/")["attributes"]["model_config"].as_string().size(), 202u);
  EXPECT_EQ(object(contents, "/")["attributes"]["count"].as_int(), 3);
  EXPECT_EQ(object(contents, "/a/b")["attributes"]["weight_names"], Json::array({"k", "bias"}));
  EXPECT_EQ(object(contents, "/a/b")["attributes"]["backend"].as_string(), "tensorflow");
  EXPECT_EQ(object(contents, "/a/b/bool")["dtype"].as_string(), "bool");
  EXPECT_EQ(object(contents, "/a/b/scalar")["shape"], Json::array());
  EXPECT_THAT(output_of("inspect " + path("x.h5")), HasSubstr("(204 characters)\n"));
  EXPECT_THAT(output_of("inspect " + path("x.h5")), HasSubstr("@weight_names = [\"k\", \"bias\"]\n"));
  const std::string half = half_of(path("x.h5"), "half.h5");
  expect_failure("inspect " + half, error, half);
  expect_failure("inspect " + path("none.h5"), error, path("none.h5"));
}

TEST_F(Inspect, ATextThatIsNotUtf8NamesTheFile) {
  io::Hdf5File file = io::Hdf5File::create(path("x.h5"));
  file.root().write_string_list_attribute("weight_names", {"kernel", "bias\xfe"});
  file.commit();
  expect_failure("inspect " + path("x.h5"), error, path("x.h5"));
  expect_failure("inspect --json " + path("x.h5"), error, path("x.h5"));
}

TEST_F(Inspect, ArraysOfNumPy) {
  put(path("x.npy"), npy_file(">i2", true, "(2, 3)", std::string(12, '\0')));
  const Json array = json_of("inspect " + path("x.npy"));
  EXPECT_EQ(array["format"].as_string(), "npy");
  EXPECT_EQ(array["shape"], Json::array({2, 3}));
  EXPECT_EQ(array["dtype"].as_string(), ">i2");
  EXPECT_TRUE(array["fortran_order"].as_bool());
  EXPECT_EQ(output_of("inspect " + path("x.npy")), path("x.npy") + "  (2, 3)  >i2  Fortran order\n");
  // Also files that `predict` rejects.
  put(path("texts.npy"), npy_file("<U3", false, "(2,)", std::string(24, '\0')));
  EXPECT_EQ(json_of("inspect " + path("texts.npy"))["dtype"].as_string(), "<U3");
  put(path("short.npy"), npy_file("<f4", false, "(2, 3)", std::string(20, '\0')));
  expect_failure("inspect " + path("short.npy"), error, path("short.npy"));

  const io::NamedTensors expected = io::read_npz(golden("dense.npz"));
  const Json archive = json_of("inspect " + golden("dense.npz"));
  EXPECT_EQ(archive["format"].as_string(), "npz");
  ASSERT_EQ(archive["arrays"].size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(archive["arrays"][i]["name"].as_string(), expected[i].first);
    EXPECT_EQ(archive["arrays"][i]["shape"].size(), static_cast<std::size_t>(expected[i].second.rank()));
  }
  EXPECT_TRUE(
      std::regex_search(output_of("inspect " + golden("dense.npz")), std::regex(R"((^|\n)input0 +\(5, 6\) +<f4\n)")));
}

TEST_F(Inspect, NothingElse) {
  put(path("x.txt"), "a text");
  put(path("empty.npy"), "");
  for (const char* const name : {"x.txt", "empty.npy"}) expect_failure("inspect " + path(name), error, path(name));
  io::ZipWriter archive(path("x.zip"));
  archive.add_stored("readme.txt", "a text");
  archive.commit();
  expect_failure("inspect " + path("x.zip"), error, "config.json");
}

TEST_F(Inspect, NamesFromAFileDoNotReachTheTerminalAsTheyAre) {
  io::Hdf5File file = io::Hdf5File::create(path("x.h5"));
  file.root().create_group("red \x1b[31m group").write_string_attribute("a", "\x1b]0;title\x07");
  file.commit();
  EXPECT_EQ(output_of("inspect " + path("x.h5")).find('\x1b'), std::string::npos);
}

TEST_F(Inspect, SummaryIsThatOfTheLibrary) {
  const models::Model model = models::load_model(golden("two_inputs.keras"));
  EXPECT_EQ(run("rhyton summary " + golden("two_inputs.keras"), "COLUMNS=100").output,
            models::summary_text(model, {}, 100));
  EXPECT_EQ(run("rhyton summary --show-trainable --expand-nested " + golden("two_inputs.keras"), "COLUMNS=120").output,
            models::summary_text(model, {.expand_nested = true, .show_trainable = true}, 120));
}

TEST_F(Inspect, SummaryCountsInJson) {
  const models::Model model = models::load_model(golden("cnn.keras"));
  const Json summary = json_of("summary " + golden("cnn.keras"));
  EXPECT_EQ(summary["name"].as_string(), "small_cnn");
  EXPECT_EQ(summary["class_name"].as_string(), "Sequential");
  const std::vector<layers::Layer> layers = model.layers();
  ASSERT_EQ(summary["layers"].size(), layers.size());
  for (std::size_t i = 0; i < layers.size(); ++i) {
    EXPECT_EQ(summary["layers"][i]["name"].as_string(), layers[i].name());
    EXPECT_EQ(summary["layers"][i]["class_name"].as_string(), layers[i].class_name());
    EXPECT_EQ(summary["layers"][i]["params"].as_int(), layers[i].count_params());
  }
  EXPECT_EQ(summary["layers"][0]["output_shape"], Json::array({nullptr, 8, 8, 1}));
  std::int64_t optimizer = 0;
  for (const Variable& variable : model.optimizer().variables()) optimizer += variable.shape().size();
  EXPECT_EQ(summary["optimizer_params"].as_int(), optimizer);
  EXPECT_EQ(summary["total_params"].as_int(), model.count_params() + optimizer);
  EXPECT_EQ(summary["non_trainable_params"].as_int(), 8);
}

}  // namespace
}  // namespace rhyton::test
