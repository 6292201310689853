#include <rhyton/framework/ops/attention.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include <rhyton/framework/backends/cpu/attention/geometry.h>
#include <rhyton/framework/backends/cpu/attention/kernels.h>
#include <rhyton/framework/backends/cpu/attention/products.h>
#include <rhyton/framework/backends/cpu/attention/scores.h>

namespace rhyton::cpu {
namespace {

/// The sum of exponentials of the scores so far, relative to the largest of them.
template <class T>
struct RunningSum {
  T largest = hidden_score<T>;
  T sum = T();

  bool is_hidden() const { return largest == hidden_score<T>; }
};

/// The larger of two.
constexpr auto larger = [](const auto& a, const auto& b) __attribute__((always_inline)) { return a <= b ? b : a; };
constexpr auto plus = [](const auto& a, const auto& b) __attribute__((always_inline)) { return a + b; };

/// Replaces scores by their exponentials relative to the largest score so far, and adds them up. Returns the factor of
/// what was summed up before. Written so that NaN stays NaN.
template <class T>
T exponentiate(T* scores, std::int64_t whole, RunningSum<T>& running) {
  Vector<T> maximum = Vector<T>{} + hidden_score<T>;
  for (std::int64_t i = 0; i < whole; i += vector_length<T>) {
    Vector<T> score;
    load<T>(score, scores + i);
    maximum = larger(score, maximum);
  }
  const T of_block = combine_elements<T, vector_length<T>>(maximum, larger);
  const T largest = of_block <= running.largest ? running.largest : of_block;
  if (largest == hidden_score<T>) {
    // NaN is not larger than a hidden score.
    if (std::any_of(scores, scores + whole, [](T score) { return std::isnan(score); })) {
      running = {.largest = T(), .sum = std::numeric_limits<T>::quiet_NaN()};
    }
    std::fill_n(scores, whole, T());
    return T(1);
  }
  const T factor = largest == running.largest ? T(1) : std::exp(running.largest - largest);
  Vector<T> sums{};
  for (std::int64_t i = 0; i < whole; i += vector_length<T>) {
    Vector<T> score;
    load<T>(score, scores + i);
    const Vector<T> power = exponential_of<T>(score - largest);
    store<T>(scores + i, power);
    sums += power;
  }
  running.largest = largest;
  running.sum = running.sum * factor + combine_elements<T, vector_length<T>>(sums, plus);
  return factor;
}

/// Keys and values are copied to where they are read fast if several blocks of queries read them.
template <class T>
struct ForwardScratch {
  T* queries = nullptr;
  T* keys = nullptr;
  T* values = nullptr;
  T* scores = nullptr;
  T* output = nullptr;
  T* factors = nullptr;
  std::size_t bytes = 0;

  ForwardScratch(void* memory, const AttentionGeometry& geometry) {
    WorkspaceCutter cutter(memory);
    if (geometry.is_empty()) return;
    const std::int64_t blocks = keeps_blocks(geometry) ? geometry.key_blocks() : 1;
    queries = cutter.take<T>(checked_multiply(query_block, row_stride<T>(geometry.size)));
    keys = cutter.take<T>(checked_multiply(blocks * score_stride<T>, geometry.size));
    values = cutter.take<T>(checked_multiply(blocks * key_block, row_stride<T>(geometry.value_size)));
    scores = cutter.take<T>(query_block * score_stride<T>);
    output = cutter.take<T>(checked_multiply(query_block, row_stride<T>(geometry.value_size)));
    factors = cutter.take<T>(score_stride<T>);
    bytes = cutter.used();
  }

  static bool keeps_blocks(const AttentionGeometry& geometry) {
    return geometry.group() > 1 || geometry.queries > query_block / 4;
  }
};

/// One call of the kernel.
template <class T>
class Forward {
 public:
  explicit Forward(const KernelArguments& arguments)
      : arguments_(arguments),
        op_(arguments.attributes<AttentionOp>()),
        geometry_(arguments.inputs),
        rules_(op_, arguments, geometry_),
        scratch_(arguments.workspace, geometry_),
        keeps_blocks_(ForwardScratch<T>::keeps_blocks(geometry_)),
        transposes_keys_(keeps_blocks_ || geometry_.queries > 1),
        query_stride_(row_stride<T>(geometry_.size)),
        value_stride_(row_stride<T>(geometry_.value_size)) {}

  void run() {
    if (geometry_.is_empty()) return;
    const std::int64_t parts = geometry_.parts();
    const std::int64_t last = parts * (arguments_.piece + 1) / arguments_.pieces;
    for (std::int64_t part = parts * arguments_.piece / arguments_.pieces; part < last; ++part) {
      run_part(part / geometry_.key_heads, part % geometry_.key_heads);
    }
  }

 private:
  void run_part(std::int64_t sample, std::int64_t key_head) {
    copied_blocks_ = 0;
    const std::int64_t group = geometry_.group();
    for (std::int64_t head = key_head * group; head < (key_head + 1) * group; ++head) {
      for_each_tile(geometry_.queries, static_cast<int>(queries_together(geometry_, op_.attention.is_causal)),
                    [&](std::int64_t first, int count) { run_queries(sample, key_head, head, first, count); });
    }
  }

  void run_queries(std::int64_t sample, std::int64_t key_head, std::int64_t head, std::int64_t first, int count) {
    const RowMatrix<T> queries = {scratch_.queries, query_stride_};
    copy_rows<T>(rows_of_head<const T>(arguments_.inputs[0], sample, head).from_row(first), count, geometry_.size,
                 static_cast<T>(op_.attention.scale), queries);
    std::array<RunningSum<T>, query_block> sums;
    const RowMatrix<T> scores = {scratch_.scores, score_stride<T>};
    const RowMatrix<T> output = {scratch_.output, value_stride_};
    const std::int64_t value_columns = whole_registers<T>(geometry_.value_size);
    for (std::int64_t row = 0; row < count; ++row) std::fill_n(output.row(row), value_columns, T());
    for (std::int64_t block = 0; block < geometry_.key_blocks(); ++block) {
      const std::int64_t first_key = block * key_block;
      const std::int64_t keys = rules_.visible_keys(sample, head, first, count, first_key);
      if (keys == 0) continue;
      read_block(sample, key_head, block, keys);
      compute_scores(sample, key_head, block, count, keys);
      for (int row = 0; row < count; ++row) {
        T* const of_row = scores.row(row);
        rules_.apply(of_row, sample, head, first + row, first_key, keys);
        const T factor = exponentiate<T>(of_row, whole_registers<T>(keys), sums[static_cast<std::size_t>(row)]);
        if (block > 0 && factor != T(1)) {
          for (std::int64_t i = 0; i < value_columns; ++i) output.row(row)[i] *= factor;
        }
        if (rules_.drops()) {
          rules_.draw_factors(scratch_.factors, sample, head, first + row, first_key, keys);
          multiply_row<T>(of_row, scratch_.factors, keys);
        }
      }
      multiply<T>({scores.data, scores.stride}, count, keys, values_, value_columns, output, true);
    }
    for (int row = 0; row < count; ++row) {
      finish(sample, head, first + row, sums[static_cast<std::size_t>(row)], output.row(row));
    }
  }

  /// The products of `count` queries with the first `keys` keys of a block.
  void compute_scores(std::int64_t sample, std::int64_t key_head, std::int64_t block, std::int64_t count,
                      std::int64_t keys) {
    if (!transposes_keys_) {
      multiply_by_rows<T>(scratch_.queries, geometry_.size,
                          rows_of_head<const T>(arguments_.inputs[1], sample, key_head).from_row(block * key_block),
                          keys, scratch_.scores);
      return;
    }
    multiply<T>({scratch_.queries, query_stride_}, count, geometry_.size, keys_of(block), whole_registers<T>(keys),
                {scratch_.scores, score_stride<T>}, false);
  }

  void finish(std::int64_t sample, std::int64_t head, std::int64_t query, const RunningSum<T>& running,
              const T* products) {
    T* const result = rows_of_head<T>(arguments_.outputs[0], sample, head).row(query);
    const std::int64_t row = (sample * geometry_.heads + head) * geometry_.queries + query;
    T* const sums = arguments_.outputs[1].as<T>() + 2 * row;
    if (running.is_hidden()) {
      sums[0] = sums[1] = T();
      average_values(sample, head, query, result);
      return;
    }
    sums[0] = running.largest;
    sums[1] = running.sum;
    const T factor = T(1) / running.sum;
    for (std::int64_t i = 0; i < geometry_.value_size; ++i) result[i] = products[i] * factor;
  }

  /// The result of a query that may use no key.
  void average_values(std::int64_t sample, std::int64_t head, std::int64_t query, T* result) {
    std::fill_n(result, geometry_.value_size, T());
    if (op_.attention.zero_where_hidden) return;
    const RowMatrix<const T> values = rows_of_head<const T>(arguments_.inputs[2], sample, head / geometry_.group());
    for (std::int64_t first = 0; first < geometry_.keys; first += key_block) {
      const std::int64_t count = std::min(key_block, geometry_.keys - first);
      std::fill_n(scratch_.factors, count, T(1));
      if (rules_.drops()) rules_.draw_factors(scratch_.factors, sample, head, query, first, count);
      for (std::int64_t key = 0; key < count; ++key) {
        const T factor = scratch_.factors[key] / static_cast<T>(geometry_.keys);
        for (std::int64_t i = 0; i < geometry_.value_size; ++i) result[i] += factor * values.row(first + key)[i];
      }
    }
  }

  /// Sets `values_`, copies the block where that is not done. A block that is not kept needs its first `keys` keys
  /// only.
  void read_block(std::int64_t sample, std::int64_t key_head, std::int64_t block, std::int64_t keys) {
    if (!keeps_blocks_) {
      copy_block(sample, key_head, block, keys);
      return;
    }
    for (; copied_blocks_ <= block; ++copied_blocks_) {
      copy_block(sample, key_head, copied_blocks_, std::min(key_block, geometry_.keys - copied_blocks_ * key_block));
    }
    values_ = {values_data(block), value_stride_};
  }

  /// The first `count` keys transposed, values as they are, where they are not read in place.
  void copy_block(std::int64_t sample, std::int64_t key_head, std::int64_t block, std::int64_t count) {
    const std::int64_t first = block * key_block;
    if (transposes_keys_) {
      copy_transposed<T>(rows_of_head<const T>(arguments_.inputs[1], sample, key_head).from_row(first), count,
                         geometry_.size, {keys_data(block), score_stride<T>});
    }
    const RowMatrix<const T> values = rows_of_head<const T>(arguments_.inputs[2], sample, key_head).from_row(first);
    // Values that are read once are read where they are.
    if (!keeps_blocks_ && geometry_.value_size == whole_registers<T>(geometry_.value_size)) {
      values_ = values;
      return;
    }
    copy_rows<T>(values, count, geometry_.value_size, T(1), {values_data(block), value_stride_});
    values_ = {values_data(block), value_stride_};
  }

  T* keys_data(std::int64_t block) const {
    return scratch_.keys + (keeps_blocks_ ? block : 0) * geometry_.size * score_stride<T>;
  }
  T* values_data(std::int64_t block) const {
    return scratch_.values + (keeps_blocks_ ? block : 0) * key_block * value_stride_;
  }
  RowMatrix<const T> keys_of(std::int64_t block) const { return {keys_data(block), score_stride<T>}; }

  const KernelArguments& arguments_;
  const AttentionOp& op_;
  const AttentionGeometry geometry_;
  const ScoreRules<T> rules_;
  const ForwardScratch<T> scratch_;
  const bool keeps_blocks_;
  /// A single query reads the rows of keys where they are.
  const bool transposes_keys_;
  const std::int64_t query_stride_;
  const std::int64_t value_stride_;
  std::int64_t copied_blocks_ = 0;
  /// The values of the block that is read.
  RowMatrix<const T> values_;
};

template <class T>
void run(const KernelArguments& arguments) {
  Forward<T>(arguments).run();
}

template <class T>
std::size_t workspace_bytes(const Op&, Kernel::Specs inputs, Kernel::Specs) {
  return ForwardScratch<T>(nullptr, AttentionGeometry(inputs)).bytes;
}

template <class T>
void register_for(KernelTable& table) {
  table.add("Attention", dtype_of<T>,
            {.run = &run<T>, .workspace_bytes = &workspace_bytes<T>, .pieces = &attention_pieces});
}

}  // namespace

void register_attention_kernels(KernelTable& table) {
  register_for<float>(table);
  register_for<double>(table);
  register_attention_gradient_kernels(table);
}

}  // namespace rhyton::cpu
