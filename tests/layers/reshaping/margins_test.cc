// What the golden cases of zero padding and cropping do not show.

#include <cstdint>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/reshaping/cropping1d.h>
#include <rhyton/layers/reshaping/cropping2d.h>
#include <rhyton/layers/reshaping/cropping3d.h>
#include <rhyton/layers/reshaping/zero_padding1d.h>
#include <rhyton/layers/reshaping/zero_padding2d.h>
#include <rhyton/layers/reshaping/zero_padding3d.h>
#include <rhyton/tests/layers/golden_cases.h>
#include <rhyton/tests/support/message_of.h>
#include <rhyton/tests/support/random_tensor.h>

namespace rhyton::layers {
namespace {

using test::message_of;

std::string padding_of(const Layer& layer) { return layer.get_config()["padding"].dump(); }
std::string cropping_of(const Layer& layer) { return layer.get_config()["cropping"].dump(); }

/// Whether an error of this layer says that.
template <class Call>
bool says(const Call& call, const std::string& text) {
  const std::string message = message_of<ValueError>(call);
  if (message.find(text) != std::string::npos) return true;
  ADD_FAILURE() << message;
  return false;
}

TEST(Margins, HaveTheFormsOfKeras) {
  EXPECT_EQ(padding_of(ZeroPadding1D()), "[1, 1]");
  EXPECT_EQ(padding_of(ZeroPadding1D(2)), "[2, 2]");
  EXPECT_EQ(padding_of(ZeroPadding1D({1, 2})), "[1, 2]");
  EXPECT_EQ(padding_of(ZeroPadding2D()), "[[1, 1], [1, 1]]");
  EXPECT_EQ(padding_of(ZeroPadding2D(3)), "[[3, 3], [3, 3]]");
  EXPECT_EQ(padding_of(ZeroPadding2D({1, 2})), "[[1, 1], [2, 2]]");
  EXPECT_EQ(padding_of(ZeroPadding2D({{1, 2}, {3, 4}})), "[[1, 2], [3, 4]]");
  EXPECT_EQ(padding_of(ZeroPadding2D({.padding = {{1, 2}, {3, 4}}})), "[[1, 2], [3, 4]]");
  EXPECT_EQ(padding_of(ZeroPadding2D({.padding = {1, {3, 4}}})), "[[1, 1], [3, 4]]");
  EXPECT_EQ(padding_of(ZeroPadding3D({1, 2, 3})), "[[1, 1], [2, 2], [3, 3]]");
  EXPECT_EQ(padding_of(ZeroPadding3D({{1, 2}, {3, 4}, {5, 6}})), "[[1, 2], [3, 4], [5, 6]]");
  EXPECT_EQ(cropping_of(Cropping1D()), "[1, 1]");
  EXPECT_EQ(cropping_of(Cropping2D()), "[[0, 0], [0, 0]]");
  EXPECT_EQ(cropping_of(Cropping3D()), "[[1, 1], [1, 1], [1, 1]]");
  EXPECT_EQ(cropping_of(Cropping2D({.cropping = 2, .data_format = "channels_first"})), "[[2, 2], [2, 2]]");
}

TEST(Margins, ConfigurationsComeBack) {
  const ZeroPadding2D padding({{1, 2}, {3, 4}}, {.data_format = "channels_first", .name = "pad"});
  EXPECT_EQ(padding.get_config().dump(),
            R"({"name": "pad", "trainable": true, "dtype": "float32", "padding": [[1, 2], [3, 4]], "data_format": )"
            R"("channels_first"})");
  EXPECT_EQ(ZeroPadding2D::from_config(padding.get_config()).get_config(), padding.get_config());
  const auto read = [](const char* padding) {
    return padding_of(ZeroPadding2D::from_config(io::Json::object({{"padding", io::Json::parse(padding)}})));
  };
  EXPECT_EQ(read("2"), "[[2, 2], [2, 2]]");
  EXPECT_EQ(read("[1, 2]"), "[[1, 1], [2, 2]]");
  EXPECT_EQ(read("[1, [2, 3]]"), "[[1, 1], [2, 3]]");
}

TEST(ZeroPadding1D, ConfigIsReadByOlderVersions) {
  EXPECT_EQ(ZeroPadding1D(1, {.name = "p"}).get_config().dump(),
            R"({"name": "p", "trainable": true, "dtype": "float32", "padding": [1, 1]})");
  const ZeroPadding1D first(1, {.data_format = "channels_first"});
  EXPECT_EQ(first.get_config()["data_format"], io::Json("channels_first"));
  EXPECT_EQ(ZeroPadding1D::from_config(first.get_config()).get_config(), first.get_config());
  config::set_image_data_format("channels_first");
  // What other processes would read as "channels_first" is named.
  EXPECT_EQ(ZeroPadding1D(1, {.data_format = "channels_last"}).get_config()["data_format"], io::Json("channels_last"));
  // A configuration that does not name it is of a layer with the channels at the end.
  EXPECT_EQ(ZeroPadding1D::from_config(io::Json::object({{"padding", 1}})).get_config()["data_format"],
            io::Json("channels_last"));
  config::set_image_data_format("channels_last");
}

TEST(Margins, ErrorsAreThoseOfKeras) {
  const auto padded = [](const char* padding) {
    return [=] { ZeroPadding2D::from_config(io::Json::object({{"padding", io::Json::parse(padding)}})); };
  };
  EXPECT_TRUE(says(padded("[1, 2, 3]"), "`padding` should have two elements. Received: padding=[1, 2, 3]."));
  EXPECT_TRUE(says(padded("[1, [2, 3, 4]]"),
                   "The `2nd entry of padding` argument must be a tuple of 2 integers. Received 2nd entry of "
                   "padding=[2, 3, 4]"));
  EXPECT_TRUE(says(padded("[[1, -2], 3]"),
                   "The `1st entry of padding` argument must be a tuple of 2 integers. Received 1st entry of "
                   "padding=(1, -2), including values {-2} that do not satisfy `value >= 0`"));
  EXPECT_TRUE(says(
      [] {
        ZeroPadding1D({-1, 2});
      },
      "The `padding` argument must be a tuple of 2 integers. Received padding=(-1, 2), including values "
      "{-1} that do not satisfy `value >= 0`"));
  EXPECT_TRUE(says([] { Cropping2D(-1); }, "`cropping` cannot be negative. Received: cropping=-1."));
  EXPECT_THROW(padded("1.5")(), Error);
  EXPECT_THROW(padded("[[1, 2.5], 3]")(), Error);
  EXPECT_THROW(padded("{}")(), Error);
  EXPECT_TRUE(says(
      [] {
        Cropping3D::from_config(io::Json::object({{"cropping", io::Json::parse("[1, 2]")}}));
      },
      "`cropping` should have 3 elements. Received: [1, 2]."));
  EXPECT_THROW(ZeroPadding2D({.data_format = "first"}), ValueError);
  EXPECT_THROW(ZeroPadding2D()(Input({.shape = {3, 4}})), ValueError);
  EXPECT_THROW(Cropping3D()(Input({.shape = {3, 4, 5}})), ValueError);
}

TEST(Cropping, LeavesSomething) {
  EXPECT_TRUE(says(
      [] {
        Cropping1D({2, 1})(Input({.shape = {3, 4}}));
      },
      "`cropping` parameter of `Cropping1D` layer must be smaller than the input length. Received: "
      "input_shape=(None, 3, 4), cropping=(2, 1)"));
  EXPECT_TRUE(says(
      [] {
        Cropping1D({2, 1})(Tensor::zeros({2, 3, 4}));
      },
      "Received: inputs.shape=(2, 3, 4), cropping=(2, 1)"));
  EXPECT_TRUE(says(
      [] {
        Cropping2D({{0, 0}, {1, 3}}, {.data_format = "channels_first"})(Input({.shape = {9, 5, 4}}));
      },
      "Values in `cropping` argument should be smaller than the corresponding spatial dimension of the "
      "input. Received: input_shape=(None, 9, 5, 4), cropping=((0, 0), (1, 3))"));
  EXPECT_THROW(Cropping3D(1)(Input({.shape = {3, 2, 3, 1}})), ValueError);
  EXPECT_EQ(Cropping3D(1)(Input({.shape = {3, 3, 3, 1}})).shape(), (Shape{-1, 1, 1, 1, 1}));
}

TEST(Margins, ShapesOfUnknownLengths) {
  EXPECT_EQ(ZeroPadding2D({{1, 2}, {3, 4}})(Input({.shape = {-1, 5, 2}})).shape(), (Shape{-1, -1, 12, 2}));
  EXPECT_EQ(Cropping2D({{1, 2}, {3, 1}})(Input({.shape = {-1, 5, 2}})).shape(), (Shape{-1, -1, 1, 2}));
  // Longer than the lengths that stand in for unknown ones.
  for (const std::int64_t crop : {20, 300, 9000}) {
    EXPECT_EQ(Cropping1D(+crop)(Input({.shape = {-1, 2}})).shape(), (Shape{-1, -1, 2})) << crop;
    EXPECT_EQ(Cropping2D({crop, 0})(Input({.shape = {-1, -1, 2}})).shape(), (Shape{-1, -1, -1, 2})) << crop;
  }
}

TEST(Margins, RefuseLengthsThatOverflow) {
  constexpr std::int64_t large = std::numeric_limits<std::int64_t>::max();
  EXPECT_THROW(ZeroPadding1D({large, 1})(Input({.shape = {4, 2}})), ValueError);
  EXPECT_THROW(ZeroPadding2D(+large)(Input({.shape = {-1, 2, 3}})), ValueError);
  EXPECT_THROW(ZeroPadding3D(large / 2)(Tensor::zeros({1, 1, 1, 1, 1})), Error);
  EXPECT_THROW(Cropping1D(+large)(Input({.shape = {4, 2}})), ValueError);
  EXPECT_THROW(Cropping1D(+large)(Tensor::zeros({1, 4, 2})), ValueError);
  EXPECT_THROW(Cropping1D(+large)(Input({.shape = {-1, 2}})), ValueError);
}

TEST(Margins, KeepDtypesAndEmptyBatches) {
  EXPECT_EQ(ZeroPadding2D({.dtype = "mixed_float16"})(Tensor::zeros({1, 2, 2, 1})).dtype(), DType::float16);
  EXPECT_EQ(Cropping2D(1)(Tensor::zeros({1, 3, 3, 1}, DType::uint8)).dtype(), DType::uint8);
  EXPECT_EQ(ZeroPadding1D()(Tensor::zeros({0, 2, 1})).shape(), (Shape{0, 4, 1}));
  EXPECT_EQ(Cropping1D()(Tensor::zeros({0, 3, 1})).shape(), (Shape{0, 1, 1}));
}

TEST(Margins, EqualThemselvesWithChannelsFirst) {
  const Tensor x = test::random_tensor({2, 3, 6, 5}, 1, -1, 1);
  const Tensor last = transpose(x, {0, 2, 3, 1});
  const ZeroPadding2D padding({{1, 2}, {0, 3}}, {.data_format = "channels_first"});
  test::expect_close(transpose(padding(x), {0, 2, 3, 1}), ZeroPadding2D({{1, 2}, {0, 3}})(last), 0, "padding");
  const Cropping2D cropping({{1, 2}, {0, 3}}, {.data_format = "channels_first"});
  test::expect_close(transpose(cropping(x), {0, 2, 3, 1}), Cropping2D({{1, 2}, {0, 3}})(last), 0, "cropping");
}

}  // namespace
}  // namespace rhyton::layers
