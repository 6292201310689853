#include <rhyton/framework/snake_case.h>

#include <gtest/gtest.h>

namespace rhyton {
namespace {

// Expected names: keras.src.utils.naming.to_snake_case of Keras 3.15.

TEST(SnakeCase, BeginsAWordWhereASmallLetterFollowsOrPrecedesACapital) {
  EXPECT_EQ(snake_case("MeanSquaredError"), "mean_squared_error");
  EXPECT_EQ(snake_case("KLDivergence"), "kl_divergence");
  EXPECT_EQ(snake_case("MaxPooling2D"), "max_pooling2d");
  EXPECT_EQ(snake_case("LSTMCell"), "lstm_cell");
  EXPECT_EQ(snake_case("RMSprop"), "rm_sprop");
  EXPECT_EQ(snake_case("AdamW"), "adam_w");
  EXPECT_EQ(snake_case("HTTPServer2D"), "http_server2d");
  EXPECT_EQ(snake_case("K9Dog"), "k9_dog");
  EXPECT_EQ(snake_case("ABCdEF"), "ab_cd_ef");
}

TEST(SnakeCase, KeepsUnderscores) {
  EXPECT_EQ(snake_case("My_Layer"), "my__layer");
  EXPECT_EQ(snake_case("_Private"), "__private");
  EXPECT_EQ(snake_case("A_B"), "a_b");
}

TEST(SnakeCase, LeavesOutWhatIsNoWord) {
  EXPECT_EQ(snake_case("X-Ray"), "x_ray");
  EXPECT_EQ(snake_case("My Layer"), "my_layer");
  EXPECT_EQ(snake_case("a-B"), "a_b");
  EXPECT_EQ(snake_case(""), "");
}

TEST(SnakeCase, KeepsLettersBeyondAscii) { EXPECT_EQ(snake_case("Gr\u00f6\u00dfe"), "gr\u00f6\u00dfe"); }

}  // namespace
}  // namespace rhyton
