#include <rhyton/framework/ops/ctc.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <rhyton/framework/backends/cpu/registration.h>
#include <rhyton/framework/error.h>

namespace rhyton::cpu {
namespace {

constexpr double impossible = -std::numeric_limits<double>::infinity();
/// ln 1e-307 in float: TensorFlow's logarithm of 0 for the first and the last state.
constexpr double nearly_impossible = static_cast<float>(-706.893623549172);

double log_sum(double a, double b) {
  if (a < b) std::swap(a, b);
  return b == impossible ? a : a + std::log1p(std::exp(b - a));
}

double log_sum(double a, double b, double c) {
  const double largest = std::max(a, std::max(b, c));
  if (largest == impossible) return impossible;
  return largest + std::log(std::exp(a - largest) + std::exp(b - largest) + std::exp(c - largest));
}

/// ln Σ e^x
template <class T>
double log_total(const T* x, std::int64_t count) {
  const auto largest = static_cast<double>(*std::max_element(x, x + count));
  double total = 0;
  for (std::int64_t i = 0; i < count; ++i) total += std::exp(static_cast<double>(x[i]) - largest);
  return largest + std::log(total);
}

// --- Loss

/// What a state that stands for a label emits.
struct Emission {
  /// The class whose probability it has; -1 for the probability 1.
  std::int64_t emitted = -1;
  /// The class whose logit gets its gradient; -1 for none.
  std::int64_t learned = -1;
};

/// TensorFlow makes another blank class 0 and moves the classes below it by one, but labels only if they are below it.
std::int32_t moved_label(std::int32_t label, std::int64_t blank) {
  return blank != 0 && label < blank ? label + 1 : label;
}

Emission emission_of(std::int32_t moved, std::int64_t blank, std::int64_t classes) {
  if (moved == 0) return {blank, -1};
  if (moved < 0 || moved >= classes) return {};
  const std::int64_t original = moved <= blank ? moved - 1 : moved;
  return {original, original};
}

/// The states of an alignment of one sample. Label k of `labels` has the state k, the blank behind it the state
/// labels + 1 + k; k counts from 1, and 0 is the beginning.
class Alignment {
 public:
  Alignment(std::int64_t labels, std::int64_t classes, std::int64_t blank)
      : labels_(labels), classes_(classes), blank_(blank), emissions_(static_cast<std::size_t>(labels)) {
    follows_.resize(static_cast<std::size_t>(labels));
  }

  void set_labels(const std::int32_t* labels) {
    for (std::int64_t k = 0; k < labels_; ++k) {
      const auto i = static_cast<std::size_t>(k);
      const std::int32_t moved = moved_label(labels[k], blank_);
      emissions_[i] = emission_of(moved, blank_, classes_);
      follows_[i] = k == 0 || moved != moved_label(labels[k - 1], blank_);
    }
  }

  std::int64_t states() const { return 2 * (labels_ + 1); }

  /// The logarithms of the probabilities to be in each state after an output, from those before it.
  template <class T>
  void step_forwards(const T* logits, double normalizer, const double* before, double* after) const {
    const double* blanks_before = before + labels_ + 1;
    double* blanks_after = after + labels_ + 1;
    const double blank = static_cast<double>(logits[blank_]) - normalizer;
    after[0] = impossible;
    for (std::int64_t k = 1; k <= labels_; ++k) {
      const double from_label = follows_[static_cast<std::size_t>(k - 1)] ? before[k - 1] : impossible;
      after[k] = log_sum(before[k], blanks_before[k - 1], from_label) + emitted(k, logits, normalizer);
    }
    for (std::int64_t k = 0; k <= labels_; ++k) blanks_after[k] = log_sum(blanks_before[k], before[k]) + blank;
  }

  /// The logarithms of the probabilities of the rest, this output and those behind it, from each state before it.
  template <class T>
  void step_backwards(const T* logits, double normalizer, double* rest) const {
    double* blanks = rest + labels_ + 1;
    const double blank = static_cast<double>(logits[blank_]) - normalizer;
    rest[0] = impossible;
    for (std::int64_t k = 1; k <= labels_; ++k) rest[k] += emitted(k, logits, normalizer);
    for (std::int64_t k = 0; k <= labels_; ++k) blanks[k] += blank;
    for (std::int64_t k = 0; k < labels_; ++k) {
      const double to_label = follows_[static_cast<std::size_t>(k)] ? rest[k + 1] : impossible;
      rest[k] = log_sum(rest[k], blanks[k], to_label);
      blanks[k] = log_sum(blanks[k], rest[k + 1]);
    }
    rest[labels_] = log_sum(rest[labels_], blanks[labels_]);
    // TensorFlow lists the steps from the beginning to label 1 and to the first blank; without labels they are the same
    // one, and their probabilities are added.
    if (labels_ == 0) rest[0] += std::log(2.0);
  }

  /// Subtracts the probability of each class at an output, given the labels, from the gradient of its logit.
  template <class T>
  void subtract_occupancy(const double* forwards, const double* backwards, double* sums, T* gradient) const {
    double largest = impossible;
    for (std::int64_t s = 0; s < states(); ++s) {
      sums[s] = forwards[s] + backwards[s];
      largest = std::max(largest, sums[s]);
    }
    if (largest == impossible) return;
    double total = 0;
    for (std::int64_t s = 0; s < states(); ++s) total += sums[s] = std::exp(sums[s] - largest);
    double blank = 0;
    for (std::int64_t k = 0; k <= labels_; ++k) blank += sums[labels_ + 1 + k];
    gradient[blank_] -= static_cast<T>(blank / total);
    for (std::int64_t k = 1; k <= labels_; ++k) {
      const std::int64_t learned = emissions_[static_cast<std::size_t>(k - 1)].learned;
      if (learned >= 0) gradient[learned] -= static_cast<T>(sums[k] / total);
    }
  }

  void set_beginning(double* states) const {
    std::fill_n(states, this->states(), nearly_impossible);
    states[0] = 0;
  }
  /// An alignment ends with the last label or the blank behind it.
  void set_end(std::int64_t length, double* states) const {
    std::fill_n(states, this->states(), nearly_impossible);
    if (length < 0 || length > labels_) return;
    states[length] = 0;
    states[labels_ + 1 + length] = 0;
  }

 private:
  template <class T>
  double emitted(std::int64_t k, const T* logits, double normalizer) const {
    const std::int64_t emitted_class = emissions_[static_cast<std::size_t>(k - 1)].emitted;
    return emitted_class < 0 ? 0.0 : static_cast<double>(logits[emitted_class]) - normalizer;
  }

  std::int64_t labels_;
  std::int64_t classes_;
  std::int64_t blank_;
  std::vector<Emission> emissions_;
  /// Whether label k + 1 may directly follow the one before it.
  std::vector<bool> follows_;
};

/// Returns ln of the likelihood; `gradient` becomes that of -ln with respect to the logits.
template <class T>
double align(const Alignment& alignment, const T* logits, std::int64_t length, std::int64_t classes,
             std::int64_t label_length, double* workspace, T* gradient) {
  const std::int64_t states = alignment.states();
  double* forwards = workspace;
  double* backwards = forwards + (length + 1) * states;
  double* sums = backwards + states;
  double* normalizers = sums + states;
  alignment.set_beginning(forwards);
  for (std::int64_t t = 0; t < length; ++t) {
    normalizers[t] = log_total(logits + t * classes, classes);
    alignment.step_forwards(logits + t * classes, normalizers[t], forwards + t * states, forwards + (t + 1) * states);
  }
  alignment.set_end(label_length, backwards);
  for (std::int64_t t = length - 1; t >= 0; --t) {
    const T* row = logits + t * classes;
    T* slope = gradient + t * classes;
    for (std::int64_t i = 0; i < classes; ++i) {
      slope[i] = static_cast<T>(std::exp(static_cast<double>(row[i]) - normalizers[t]));
    }
    alignment.subtract_occupancy(forwards + (t + 1) * states, backwards, sums, slope);
    alignment.step_backwards(row, normalizers[t], backwards);
  }
  return backwards[0];
}

template <class T>
void run_ctc_loss(const KernelArguments& arguments) {
  const Shape& shape = arguments.inputs[0].shape();
  const std::int64_t length = shape[1];
  const std::int64_t classes = shape[2];
  const std::int64_t labels = arguments.inputs[1].shape()[1];
  const auto* target = arguments.inputs[1].as<const std::int32_t>();
  const auto* label_lengths = arguments.inputs[2].as<const std::int32_t>();
  const auto* lengths = arguments.inputs.size() > 3 ? arguments.inputs[3].as<const std::int32_t>() : nullptr;
  T* loss = arguments.outputs[0].as<T>();
  Alignment alignment(labels, classes, arguments.attributes<CtcLossOp>().mask_index);
  for (std::int64_t i = 0; i < shape[0]; ++i) {
    const T* logits = arguments.inputs[0].as<const T>() + i * length * classes;
    T* gradient = arguments.outputs[1].as<T>() + i * length * classes;
    const std::int64_t counted = lengths == nullptr ? length : std::clamp<std::int64_t>(lengths[i], 0, length);
    alignment.set_labels(target + i * labels);
    loss[i] = static_cast<T>(-align(alignment, logits, counted, classes, label_lengths[i],
                                    static_cast<double*>(arguments.workspace), gradient));
    std::fill(gradient + counted * classes, gradient + length * classes, T(0));
  }
}

std::size_t ctc_workspace(const Op&, Kernel::Specs inputs, Kernel::Specs) {
  const std::int64_t length = inputs[0].shape[1];
  const std::int64_t states = 2 * (inputs[1].shape[1] + 1);
  return static_cast<std::size_t>((length + 3) * states + length) * sizeof(double);
}

// --- Decoding

template <class T>
T decode_greedily(const CtcDecodeOp& op, const T* logits, std::int64_t length, std::int64_t classes,
                  std::int32_t* decoded) {
  T score = T(0);
  std::int64_t before = -1;
  for (std::int64_t t = 0; t < length; ++t, logits += classes) {
    const std::int64_t best = std::max_element(logits, logits + classes) - logits;
    score -= logits[best];
    if (best != op.mask_index && !(op.merge_repeated && best == before)) *decoded++ = static_cast<std::int32_t>(best);
    before = best;
  }
  return score;
}

/// The logarithms of the probabilities that the outputs so far stand for a sequence and end with its last label, with a
/// blank, or with either.
struct Likelihood {
  double label = impossible;
  double blank = impossible;
  double total = impossible;
};

/// A beginning of a sequence of labels: a node of the tree of all that were looked at.
struct Beginning {
  Beginning* parent = nullptr;
  std::int32_t label = -1;
  Likelihood before;
  Likelihood now;
  std::vector<std::unique_ptr<Beginning>> longer;

  bool is_kept() const { return now.total != impossible; }
  Beginning* find(std::int32_t next) const {
    for (const auto& child : longer) {
      if (child->label == next) return child.get();
    }
    return nullptr;
  }
};

/// The prefix beam search of TensorFlow's CTCBeamSearchDecoder.
class BeamSearch {
 public:
  BeamSearch(std::int64_t width, std::int64_t blank) : width_(static_cast<std::size_t>(width)), blank_(blank) {
    root_.now = {impossible, 0.0, 0.0};
    kept_.push_back(&root_);
  }

  template <class T>
  void step(const T* logits, std::int64_t classes) {
    const double normalizer = log_total(logits, classes);
    const auto probability = [&](std::int64_t label) { return static_cast<double>(logits[label]) - normalizer; };
    std::vector<Beginning*> branches = sorted();
    kept_.clear();
    for (Beginning* b : branches) b->before = b->now;
    for (Beginning* b : branches) {
      if (b->parent != nullptr) {
        if (b->parent->is_kept()) {
          const Likelihood& shorter = b->parent->before;
          b->now.label = log_sum(b->now.label, b->label == b->parent->label ? shorter.blank : shorter.total);
        }
        b->now.label += probability(b->label);
      }
      b->now.blank = b->before.total + probability(blank_);
      b->now.total = log_sum(b->now.blank, b->now.label);
      keep(b);
    }
    for (Beginning* b : branches) {
      if (!is_candidate(b->before)) continue;
      for (std::int64_t label = 0; label < classes; ++label) {
        if (label != blank_) grow(b, static_cast<std::int32_t>(label), probability(label));
      }
    }
  }

  /// The best first.
  std::vector<Beginning*> sorted() const {
    std::vector<Beginning*> result = kept_;
    std::stable_sort(result.begin(), result.end(), is_better);
    return result;
  }

 private:
  static bool is_better(const Beginning* a, const Beginning* b) { return a->now.total > b->now.total; }

  bool is_candidate(const Likelihood& likelihood) const {
    return likelihood.total > impossible && (kept_.size() < width_ || likelihood.total > kept_.front()->now.total);
  }

  void grow(Beginning* b, std::int32_t label, double probability) {
    Beginning* child = b->find(label);
    if (child != nullptr && child->is_kept()) return;
    const double likelihood = probability + (label == b->label ? b->before.blank : b->before.total);
    const Likelihood now{likelihood, impossible, likelihood};
    if (!is_candidate(now)) {
      // As TensorFlow does: one that was kept until now and lost its place in this step does not grow in it either.
      if (child != nullptr) child->before = {};
      return;
    }
    if (child == nullptr) {
      b->longer.push_back(std::make_unique<Beginning>());
      child = b->longer.back().get();
      child->parent = b;
      child->label = label;
    }
    child->now = now;
    if (kept_.size() == width_) {
      std::pop_heap(kept_.begin(), kept_.end(), is_better);
      kept_.back()->now = {};
      kept_.pop_back();
    }
    keep(child);
  }

  /// The worst is in front.
  void keep(Beginning* b) {
    kept_.push_back(b);
    std::push_heap(kept_.begin(), kept_.end(), is_better);
  }

  std::size_t width_;
  std::int64_t blank_;
  Beginning root_;
  std::vector<Beginning*> kept_;
};

void write_labels(const Beginning* b, std::int32_t* decoded) {
  std::vector<std::int32_t> labels;
  for (; b->parent != nullptr; b = b->parent) labels.push_back(b->label);
  std::copy(labels.rbegin(), labels.rend(), decoded);
}

template <class T>
void run_ctc_decode(const KernelArguments& arguments) {
  const auto& op = arguments.attributes<CtcDecodeOp>();
  const Shape& shape = arguments.inputs[0].shape();
  const std::int64_t length = shape[1];
  const std::int64_t classes = shape[2];
  const auto* lengths = arguments.inputs[1].as<const std::int32_t>();
  auto* decoded = arguments.outputs[0].as<std::int32_t>();
  T* scores = arguments.outputs[1].as<T>();
  std::fill_n(decoded, arguments.outputs[0].size(), -1);
  for (std::int64_t i = 0; i < shape[0]; ++i) {
    const T* logits = arguments.inputs[0].as<const T>() + i * length * classes;
    if (lengths[i] > length) {
      throw InvalidArgumentError("sequence_length(" + std::to_string(i) + ") <= " + std::to_string(length) +
                                 " [Op:CTCDecode]");
    }
    if (op.is_greedy) {
      scores[i] = decode_greedily(op, logits, lengths[i], classes, decoded + i * length);
      continue;
    }
    BeamSearch search(op.beam_width, op.mask_index);
    for (std::int64_t t = 0; t < lengths[i]; ++t) search.step(logits + t * classes, classes);
    const std::vector<Beginning*> best = search.sorted();
    if (static_cast<std::int64_t>(best.size()) < op.paths) {
      throw InvalidArgumentError("Less leaves in the beam search than requested. [Op:CTCDecode]");
    }
    for (std::int64_t path = 0; path < op.paths; ++path) {
      const Beginning* b = best[static_cast<std::size_t>(path)];
      write_labels(b, decoded + (path * shape[0] + i) * length);
      scores[i * op.paths + path] = static_cast<T>(b->now.total);
    }
  }
}

template <class... T>
void add_ctc(KernelTable& table) {
  (table.add("CTCLoss", dtype_of<T>,
             {.run = &run_ctc_loss<T>, .workspace_bytes = &ctc_workspace, .serves_narrow_types = false}),
   ...);
  (table.add("CTCDecode", dtype_of<T>, {.run = &run_ctc_decode<T>, .serves_narrow_types = false}), ...);
}

}  // namespace

void register_ctc_kernels(KernelTable& table) { add_ctc<float, double>(table); }

}  // namespace rhyton::cpu
