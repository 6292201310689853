// A custom training loop with a tape, a loss and an optimizer: logistic regression on two clusters of points.

#include <iostream>

#include <rhyton/rhyton.h>

using namespace rhyton;

int main() {
  set_random_seed(3);
  // 200 points around (-1, -1) with label 0, and 200 around (1, 1) with label 1.
  const Tensor noise = random_normal({400, 2}, /*key=*/11, /*counter=*/0);
  const Tensor labels = concatenate({Tensor::zeros({200, 1}), Tensor::full({200, 1}, 1.0)}, 0);
  const Tensor points = noise + (labels * 2.0 - 1.0);

  layers::Dense dense(1);
  const losses::BinaryCrossentropy loss_function({.from_logits = true});
  const metrics::BinaryAccuracy accuracy({.threshold = 0.0});
  const optimizers::SGD sgd({.learning_rate = 0.5});

  double last = 0;
  for (int step = 0; step < 100; ++step) {
    GradientTape tape;
    const Tensor logits = dense(points);
    const Tensor loss = loss_function(labels, logits);
    const std::vector<Variable> weights = dense.trainable_weights();
    sgd.apply(tape.gradient(loss, weights), weights);

    accuracy.reset_state();
    accuracy.update_state(labels, logits);
    last = loss.item();
    if (step % 20 == 0) std::cout << "step " << step << ": loss " << last << "\n";
  }
  std::cout << "accuracy " << accuracy.result().item() << "\n";
  return accuracy.result().item() > 0.85 ? 0 : 1;
}
