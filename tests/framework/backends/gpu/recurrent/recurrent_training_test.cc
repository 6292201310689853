// Training of recurrent models on the GPU compared with the CPU: the same weights within rounding, in one recorded
// graph a step.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/context.h>
#include <rhyton/framework/device/config.h>
#include <rhyton/framework/device/device_scope.h>
#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/core/embedding.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/rnn/bidirectional.h>
#include <rhyton/layers/rnn/gru.h>
#include <rhyton/layers/rnn/lstm.h>
#include <rhyton/layers/rnn/simple_rnn.h>
#include <rhyton/models/losses/crossentropy.h>
#include <rhyton/models/sequential.h>
#include <rhyton/optimizers/sgd.h>
#include <rhyton/tests/framework/backends/gpu/gpus.h>
#include <rhyton/tests/support/random_tensor.h>

#ifdef RHYTON_CUDA_EMULATION
#include <emulator.h>
#endif

namespace rhyton::gpu::recurrent_training_tests {
namespace {

using models::Model;
using models::Sequential;
using test::random_tensor;

constexpr std::int64_t samples = 40;
constexpr std::int64_t steps = 7;
constexpr std::int64_t words = 12;
constexpr std::int64_t batch_size = 16;
constexpr std::int64_t batches = 3;  // the last one is shorter
constexpr int epochs = 3;

/// A classifier of sequences of words, of which 0 is masked if that is wanted.
Model classifier(const std::vector<layers::Layer>& recurrent, bool mask_zero) {
  std::vector<layers::Layer> all = {layers::Input({.shape = {steps}}),
                                    layers::Embedding(words, 5, {.mask_zero = mask_zero})};
  all.insert(all.end(), recurrent.begin(), recurrent.end());
  all.push_back(layers::Dense(3));
  return Sequential(all);
}

struct Named {
  std::string name;
  std::function<Model()> make;
};

std::vector<Named> classifiers() {
  const auto of = [](const std::string& name, const std::function<std::vector<layers::Layer>()>& recurrent,
                     bool mask_zero = false) {
    return Named{name, [=] { return classifier(recurrent(), mask_zero); }};
  };
  using List = std::vector<layers::Layer>;
  return {of("SimpleRNN", [] { return List{layers::SimpleRNN(6)}; }),
          of("LSTM", [] { return List{layers::LSTM(6)}; }),
          of("GRU", [] { return List{layers::GRU(6)}; }),
          of("GRU that resets before", [] { return List{layers::GRU(6, {.reset_after = false})}; }),
          of("stacked LSTM",
             [] {
               return List{layers::LSTM(6, {.return_sequences = true}), layers::LSTM(4)};
             }),
          of("Bidirectional LSTM", [] { return List{layers::Bidirectional(layers::LSTM(6))}; }),
          of(
              "masked LSTM", [] { return List{layers::LSTM(6)}; }, true),
          of(
              "masked GRU", [] { return List{layers::GRU(6)}; }, true),
          of(
              "masked Bidirectional GRU",
              [] {
                return List{layers::Bidirectional(layers::GRU(6, {.return_sequences = true})), layers::GRU(4)};
              },
              true)};
}

/// Sequences that end with up to all their words masked.
Tensor sentences() {
  Tensor x = random_tensor({samples, steps}, 1, 1.0, 11.99).cast(int32).to(cpu());
  for (std::int64_t i = 0; i < samples; ++i) {
    for (std::int64_t k = steps - i % (steps + 1); k < steps; ++k) x.mutable_data<std::int32_t>()[i * steps + k] = 0;
  }
  return x;
}

Tensor labels() { return random_tensor({samples}, 2, 0.0, 2.99).cast(int32).to(cpu()); }

/// Sets the dtype policy of all layers until the end of a scope.
class DtypePolicy {
 public:
  explicit DtypePolicy(const char* name) { config::set_dtype_policy(name); }
  ~DtypePolicy() { config::set_dtype_policy("float32"); }
  DtypePolicy(const DtypePolicy&) = delete;
  DtypePolicy& operator=(const DtypePolicy&) = delete;
};

/// Losses are computed in float32, unless another dtype is given.
void compile(const Model& model, const std::string& policy) {
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.3, .momentum = 0.8}),
                 .loss = losses::SparseCategoricalCrossentropy(
                     {.from_logits = true, .dtype = policy == "float64" ? "float64" : ""})});
}

void fit(const Model& model) {
  model.fit(sentences(), labels(), {.batch_size = batch_size, .epochs = epochs, .verbose = 0, .shuffle = false});
}

struct Trained {
  /// The changes of all weights, one after the other.
  std::vector<double> changes;
  std::vector<double> predictions;
};

/// The initial weights are the same for all policies and devices.
Trained train(const Named& named, LogicalDevice& target, const char* policy) {
  clear_session();
  const DtypePolicy whole_model(policy);
  std::vector<std::vector<double>> initial;
  Model model = [&] {
    const auto scope = device(cpu());
    Model made = named.make();
    std::uint64_t seed = 10;
    for (const Variable& weight : made.weights()) {
      weight.assign(random_tensor(weight.shape(), ++seed, -0.6, 0.6).cast(weight.dtype()));
      initial.push_back(weight.value().to_vector());
    }
    return made;
  }();
  const auto scope = device(target);
  compile(model, policy);
  fit(model);
  Trained trained;
  for (std::size_t i = 0; i < initial.size(); ++i) {
    const std::vector<double> weight = model.weights()[i].value().to_vector();
    for (std::size_t k = 0; k < weight.size(); ++k) trained.changes.push_back(weight[k] - initial[i][k]);
  }
  trained.predictions = model.predict(sentences(), {.batch_size = batch_size, .verbose = 0}).to_vector();
  return trained;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double difference = 0;
  double norm = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    difference += (a[i] - b[i]) * (a[i] - b[i]);
    norm += b[i] * b[i];
  }
  return std::sqrt(difference / norm);
}

double distance(const Trained& a, const Trained& b) {
  return std::max(distance(a.changes, b.changes), distance(a.predictions, b.predictions));
}

class RecurrentTrainingOnGpu : public ::testing::Test {
 protected:
  void SetUp() override { config::enable_tensor_float_32_execution(false); }
  void TearDown() override { config::enable_tensor_float_32_execution(true); }
};

TEST_F(RecurrentTrainingOnGpu, InDoublePrecisionItIsTheTrainingOfTheCpu) {
  for (const Named& named : classifiers()) {
    SCOPED_TRACE(named.name);
    EXPECT_LT(distance(train(named, first_gpu(), "float64"), train(named, cpu(), "float64")), 1e-12);
  }
}

// The training in float64 is exact beside the others. A GPU may round in other places than the CPU, but its errors are
// of the same size.
TEST_F(RecurrentTrainingOnGpu, InOtherPrecisionsItIsAsExactAsOnTheCpu) {
  for (const Named& named : classifiers()) {
    const Trained exact = train(named, cpu(), "float64");
    for (const char* policy : {"float32", "mixed_bfloat16"}) {
      SCOPED_TRACE(named.name + ", " + policy);
      const double of_cpu = distance(train(named, cpu(), policy), exact);
      const double of_gpu = distance(train(named, first_gpu(), policy), exact);
      EXPECT_LT(of_gpu, 3 * of_cpu);
      EXPECT_LT(of_gpu, std::string(policy) == "float32" ? 1e-5 : 0.03);
    }
  }
}

TEST_F(RecurrentTrainingOnGpu, NoOpRunsOnTheCpu) {
  for (const Named& named : classifiers()) {
    const Model model = named.make();
    const auto scope = device(first_gpu());
    compile(model, "float32");
    debugging::set_log_device_placement(true);
    ::testing::internal::CaptureStderr();
    fit(model);
    const std::string log = ::testing::internal::GetCapturedStderr();
    debugging::set_log_device_placement(false);
    EXPECT_NE(log.find("Executing op RecurrentGrad in device /job:localhost/replica:0/task:0/device:GPU:0\n"),
              std::string::npos)
        << named.name;
    EXPECT_EQ(log.find("in device /job:localhost/replica:0/task:0/device:CPU:0"), std::string::npos)
        << named.name << "\n"
        << log;
  }
}

#ifdef RHYTON_CUDA_EMULATION

TEST_F(RecurrentTrainingOnGpu, EachStepIsOneRecordedGraph) {
  for (const Named& named : classifiers()) {
    const Model model = named.make();
    const auto scope = device(first_gpu());
    compile(model, "float32");
    fit(model);
    const std::int64_t before = cuda_emulation::counters().graphs_launched;
    fit(model);
    EXPECT_EQ(cuda_emulation::counters().graphs_launched - before, epochs * batches) << named.name;
  }
}

#endif

}  // namespace
}  // namespace rhyton::gpu::recurrent_training_tests
