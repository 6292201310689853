#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/context.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/listeners.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/seeded_random.h>
#include <rhyton/layers/activations/relu.h>
#include <rhyton/layers/attention/multi_head_attention.h>
#include <rhyton/layers/call_node.h>
#include <rhyton/layers/convolutional/conv2d.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/core/embedding.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/normalization/batch_normalization.h>
#include <rhyton/layers/pooling/max_pooling2d.h>
#include <rhyton/layers/regularization/dropout.h>
#include <rhyton/layers/reshaping/flatten.h>
#include <rhyton/models/model.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::layers {
namespace {

using test::message_of;

class LayerTest : public ::testing::Test {
 protected:
  void SetUp() override { clear_session(); }
};

/// Two dense layers with others between them, as a custom layer.
class Block final : public LayerImpl {
 public:
  explicit Block(const LayerOptions& options = {}) : LayerImpl(options) {}
  std::string class_name() const override { return "MyBlock2D"; }
  std::vector<Layer> sublayers() const override { return {first_, second_}; }

  void build(const std::vector<Shape>& inputs) override {
    scale_ = add_weight({.shape = {inputs[0].at(-1)}, .initializer = "ones", .trainable = false, .name = "scale"});
  }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool training) override {
    seen_training.push_back(training);
    add_loss(multiply(sum(inputs[0]), 0.5));
    return {second_(first_(multiply(inputs[0], scale_.value())))};
  }

  std::vector<bool> seen_training;

 private:
  Layer first_ = Dense(4, {.kernel_regularizer = regularizers::L2(0.5), .name = "first"});
  Layer second_ = BatchNormalization({.name = "second"});
  Variable scale_;
};

Block& block_of(const Layer& layer) { return *std::static_pointer_cast<Block>(layer.impl()); }

TEST_F(LayerTest, NamesCountAsTheyAreMade) {
  const Dense a(3);
  const MaxPooling2D pool;
  const Dense b(3);
  const Layer block = make_layer<Block>();
  EXPECT_EQ(a.name(), "dense");
  EXPECT_EQ(b.name(), "dense_1");
  EXPECT_EQ(pool.name(), "max_pooling2d");
  EXPECT_EQ(block.name(), "my_block2d");
  EXPECT_EQ(Conv2D(3, 3).name(), "conv2d");
  EXPECT_EQ(BatchNormalization().name(), "batch_normalization");
  EXPECT_EQ(ReLU().name(), "re_lu");
  EXPECT_EQ(Input({.shape = {3}}).name(), "input_layer");
}

TEST_F(LayerTest, WeightsHavePathsAndTheOrderOfKeras) {
  const Layer block = make_layer<Block>();
  block(Tensor::zeros({2, 3}));
  std::vector<std::string> paths;
  for (const Variable& weight : block.weights()) paths.push_back(weight.path());
  EXPECT_EQ(paths, (std::vector<std::string>{"my_block2d/scale", "my_block2d/first/kernel", "my_block2d/first/bias",
                                             "my_block2d/second/gamma", "my_block2d/second/beta",
                                             "my_block2d/second/moving_mean", "my_block2d/second/moving_variance"}));
  EXPECT_EQ(block.trainable_weights().size(), 4);
  EXPECT_EQ(block.non_trainable_weights().size(), 3);
  EXPECT_EQ(block.count_params(), 3 + 12 + 4 + 16);
  EXPECT_EQ(block.get_weights().size(), 7);

  block.set_trainable(false);
  EXPECT_TRUE(block.trainable_weights().empty());
  EXPECT_EQ(block.non_trainable_weights().size(), 7);
  EXPECT_FALSE(block.impl()->sublayers()[0].trainable());
  block.set_trainable(true);
  EXPECT_EQ(block.trainable_weights().size(), 4);
}

TEST_F(LayerTest, FrozenFromTheFirst) {
  const Dense dense(3, {.trainable = false});
  dense.build({-1, 2});
  EXPECT_TRUE(dense.trainable_weights().empty());
  EXPECT_EQ(dense.non_trainable_weights().size(), 2);
  EXPECT_FALSE(dense.weights()[0].trainable());
  dense.set_trainable(true);
  EXPECT_EQ(dense.trainable_weights().size(), 2);
}

TEST_F(LayerTest, TrainingIsArgumentThenCallerThenMode) {
  const Layer block = make_layer<Block>();
  const Tensor x = Tensor::full({2, 3}, 1.0);
  block(x);
  block(x, {.training = true});
  {
    const TrainingScope training(true);
    block(x);
    block(x, {.training = false});
  }
  block(x);
  EXPECT_EQ(block_of(block).seen_training, (std::vector<bool>{false, true, true, false, false}));

  // The inner batch normalization uses the mode of the block's call: it was updated twice.
  const Variable moving_mean = block.impl()->sublayers()[1].weights()[2];
  EXPECT_EQ(moving_mean.version(), 2);
}

TEST_F(LayerTest, LossesAreOwnOnesThenThoseOfWeights) {
  const Layer block = make_layer<Block>();
  const Tensor x = Tensor::full({2, 3}, 1.0);
  block(x);
  const Variable kernel = block.impl()->sublayers()[0].weights()[0];
  kernel.assign(Tensor::full({3, 4}, 1.0));
  ASSERT_EQ(block.losses().size(), 2);
  EXPECT_EQ(block.losses()[0].item(), 3);
  EXPECT_EQ(block.losses()[1].item(), 6);
  // Those of a call replace those of the one before.
  block(Tensor::full({2, 3}, 2.0));
  ASSERT_EQ(block.losses().size(), 2);
  EXPECT_EQ(block.losses()[0].item(), 6);
  block.clear_losses();
  EXPECT_EQ(block.losses().size(), 1);
  // Weights that are not trained have no penalty.
  block.set_trainable(false);
  EXPECT_TRUE(block.losses().empty());

  // The penalty is computed from the weight, so that it has a gradient.
  const Dense dense(2, {.use_bias = false, .kernel_initializer = "ones", .kernel_regularizer = regularizers::L2(0.5)});
  dense.build({-1, 2});
  GradientTape tape;
  const Tensor penalty = dense.losses()[0];
  EXPECT_EQ(tape.gradient(penalty, dense.weights()[0]).to_vector(), (std::vector<double>{1, 1, 1, 1}));
}

TEST_F(LayerTest, SymbolicCallsKeepTheirHistory) {
  const Input input({.shape = {28, 28, 1}});
  const SymbolicTensor x = input;
  EXPECT_TRUE(x.is_same(SymbolicTensor(input)));
  const Conv2D conv(8, 3);
  const SymbolicTensor y = conv(x);
  EXPECT_EQ(y.shape(), (Shape{-1, 26, 26, 8}));
  EXPECT_EQ(y.to_string(), "<KerasTensor shape=(None, 26, 26, 8), dtype=float32>");
  EXPECT_EQ(y.node()->layer, conv.impl());
  EXPECT_TRUE(y.node()->inputs[0].is_same(x));
  EXPECT_TRUE(y.node()->arguments.args.at(0).is_symbolic());
  EXPECT_TRUE(conv.is_built());
  EXPECT_EQ(Flatten()(MaxPooling2D()(y)).shape(), (Shape{-1, 13 * 13 * 8}));
  EXPECT_EQ(conv(x, {.training = false}).node()->training, false);

  // A known batch size is kept; unknown lengths are propagated.
  EXPECT_EQ(conv(Input({.shape = {28, 28, 1}, .batch_size = 4})).shape(), (Shape{4, 26, 26, 8}));
  EXPECT_EQ(conv(Input({.shape = {-1, -1, 1}})).shape(), (Shape{-1, -1, -1, 8}));
  EXPECT_EQ(MaxPooling2D(4)(Input({.shape = {-1, 8, 1}})).shape(), (Shape{-1, -1, 2, 1}));
  EXPECT_EQ(Embedding(10, 4)(Input({.shape = {-1}, .dtype = "int32"})).shape(), (Shape{-1, -1, 4}));
}

TEST_F(LayerTest, SymbolicCallsLeaveNoTrace) {
  const Layer block = make_layer<Block>();
  const SymbolicTensor y = block(Input({.shape = {3}}));
  EXPECT_EQ(y.shape(), (Shape{-1, 4}));
  EXPECT_EQ(block.losses().size(), 1);  // that of the kernel
  const Dropout dropout(0.5);
  const std::int64_t state = dropout.impl()->own_variables()[0].value().data<std::int64_t>()[0];
  const TrainingScope training(true);
  dropout(Input({.shape = {3}}));
  EXPECT_EQ(dropout.impl()->own_variables()[0].value().data<std::int64_t>()[0], state);
}

TEST_F(LayerTest, WeightsAreMadeEagerlyInsideATape) {
  const Dense dense(3);
  GradientTape tape;
  const Tensor y = dense(Tensor::full({2, 4}, 1.0));
  EXPECT_EQ(tape.watched_variables().size(), 2);
  EXPECT_EQ(tape.gradient(y, dense.weights()[1]).to_vector(), (std::vector<double>{2, 2, 2}));

  const Dense other(3);
  {
    ShapeInferenceScope scope;
    other(scope.placeholder({{2, 4}, DType::float32}));
  }
  EXPECT_EQ(other.get_weights()[0].size(), 12);
}

TEST_F(LayerTest, DtypePolicies) {
  const Dense doubles(3, {.dtype = "float64"});
  EXPECT_EQ(doubles(Tensor::zeros({2, 4})).dtype(), DType::float64);
  EXPECT_EQ(doubles.weights()[0].dtype(), DType::float64);
  EXPECT_EQ(doubles.get_config()["dtype"].as_string(), "float64");
  EXPECT_EQ(Dense(3)(Tensor::zeros({2, 4}, DType::uint8)).dtype(), DType::float32);
  const Dense mixed(3, {.dtype = "mixed_bfloat16"});
  mixed.build({-1, 4});
  EXPECT_EQ(mixed.weights()[0].dtype(), DType::float32);
  EXPECT_EQ(mixed.impl()->compute_dtype(), DType::bfloat16);
  EXPECT_EQ(Flatten()(Tensor::zeros({2, 2, 2}, DType::int32)).dtype(), DType::int32);
}

TEST_F(LayerTest, SharedLayersShareWeights) {
  const Dense dense(4);
  const Layer same = dense;
  dense(Tensor::zeros({2, 4}));
  same(Tensor::zeros({2, 4}));
  EXPECT_EQ(dense.weights().size(), 2);
  EXPECT_TRUE(dense.weights()[0].is_same(same.weights()[0]));
}

TEST_F(LayerTest, Dropout) {
  set_random_seed(3);
  const layers::Dropout dropout(0.25);
  const Tensor x = Tensor::full({100, 100}, 2.0);
  EXPECT_TRUE(dropout(x).is_same(x));
  const std::vector<double> first = dropout(x, {.training = true}).to_vector();
  const std::vector<double> second = dropout(x, {.training = true}).to_vector();
  EXPECT_NE(first, second);
  const auto dropped = std::count(first.begin(), first.end(), 0.0);
  EXPECT_NEAR(static_cast<double>(dropped), 2500, 5 * std::sqrt(10000 * 0.25 * 0.75));
  for (const double value : first) EXPECT_TRUE(value == 0 || std::abs(value - 2 / 0.75) < 1e-6);
  EXPECT_TRUE(dropout.weights().empty());

  // The gradient takes the path of the values.
  GradientTape tape;
  tape.watch(x);
  const Tensor y = dropout(x, {.training = true});
  EXPECT_EQ(multiply(tape.gradient(y, x), 2.0).to_vector(), y.to_vector());

  // The same seed and name give the same masks.
  const layers::Dropout a(0.5, {.seed = 1, .name = "twin"});
  const layers::Dropout b(0.5, {.seed = 1, .name = "twin"});
  const layers::Dropout c(0.5, {.seed = 2, .name = "twin"});
  const Tensor drawn = a(x, {.training = true});
  EXPECT_EQ(drawn.to_vector(), b(x, {.training = true}).to_vector());
  EXPECT_NE(drawn.to_vector(), c(x, {.training = true}).to_vector());
  // The state alone determines the next draw.
  c.impl()->own_variables()[0].assign(a.impl()->own_variables()[0].value());
  EXPECT_EQ(a(x, {.training = true}).to_vector(), c(x, {.training = true}).to_vector());
  EXPECT_EQ(layers::Dropout(1.0)(x, {.training = true}).to_vector(), std::vector<double>(10000, 0.0));

  const layers::Dropout rows(0.5, {.noise_shape = Shape{-1, 1}});
  const Tensor by_rows = rows(x, {.training = true});
  for (std::int64_t row = 0; row < 100; ++row) {
    EXPECT_EQ(by_rows[row].to_vector(), std::vector<double>(100, by_rows[row][0].item()));
  }
  EXPECT_THROW(layers::Dropout(0.5, {.noise_shape = Shape{7, 1}})(x, {.training = true}), ValueError);
}

TEST_F(LayerTest, BatchNormalizationCalledTwiceMovesTwice) {
  const BatchNormalization layer({.momentum = 0.5});
  const Tensor x = Tensor::from_data<float>({2, 1}, {1, 3});
  layer(x, {.training = true});
  layer(x, {.training = true});
  EXPECT_FLOAT_EQ(static_cast<float>(layer.get_weights()[2].item()), 1.5f);
  EXPECT_FLOAT_EQ(static_cast<float>(layer.get_weights()[3].item()), 1.0f);
}

TEST_F(LayerTest, WeightsHaveNames) {
  const Dense dense(4);
  EXPECT_NE(message_of<ValueError>([&] { dense.weight("kernel"); }).find("It is not built."), std::string::npos);
  dense(Tensor::zeros({2, 3}));
  EXPECT_TRUE(dense.weight("kernel").is_same(dense.weights()[0]));
  EXPECT_TRUE(dense.weight("bias").is_same(dense.weights()[1]));
  EXPECT_EQ(message_of<ValueError>([&] { dense.weight("gamma"); }),
            "Layer 'dense' has no weight 'gamma'. Its weights are: ['dense/kernel', 'dense/bias']");
  EXPECT_THROW(dense.weight("ernel"), ValueError);

  const Layer block = make_layer<Block>();
  block(Tensor::zeros({2, 3}));
  EXPECT_EQ(block.weight("scale").shape(), Shape({3}));
  EXPECT_EQ(block.weight("first/kernel").shape(), Shape({3, 4}));
  EXPECT_EQ(block.weight("gamma").shape(), Shape({4}));

  const MultiHeadAttention attention(2, 3);
  const Tensor x = Tensor::zeros({1, 4, 5});
  attention(x, x);
  EXPECT_EQ(attention.weight("query/kernel").shape(), Shape({5, 2, 3}));
  EXPECT_NE(message_of<ValueError>([&] { attention.weight("kernel"); }).find("has several weights 'kernel'"),
            std::string::npos);
}

TEST_F(LayerTest, TakesArgumentsByPosition) {
  set_random_seed(4);
  const MultiHeadAttention attention(2, 3, {.dropout = 0.5});
  const Tensor query = random::normal({2, 4, 5});
  const Tensor value = random::normal({2, 6, 5});
  const Tensor key = random::normal({2, 6, 5});
  EXPECT_EQ(attention(query, value).to_vector(), attention(query, {.args = {value}}).to_vector());
  EXPECT_EQ(attention(query, value, key).to_vector(), attention(query, {.args = {value, key}}).to_vector());
  EXPECT_EQ(attention(query, value, {.kwargs = {{"key", key}}}).to_vector(), attention(query, value, key).to_vector());
  EXPECT_NE(attention(query, value, {.training = true}).to_vector(), attention(query, value).to_vector());

  const SymbolicTensor of_query = Input({.shape = {4, 5}});
  const SymbolicTensor of_value = Input({.shape = {6, 5}});
  const models::Model model({.inputs = {of_query, of_value}, .outputs = attention(of_query, of_value)});
  EXPECT_EQ(model(std::vector{query, value}).to_vector(), attention(query, value).to_vector());
  EXPECT_NE(message_of<TypeError>([&] { Dense(2)(query, value); }).find("too many positional arguments"),
            std::string::npos);
}

}  // namespace
}  // namespace rhyton::layers
