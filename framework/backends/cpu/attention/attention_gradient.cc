#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <rhyton/framework/backends/cpu/attention/geometry.h>
#include <rhyton/framework/backends/cpu/attention/kernels.h>
#include <rhyton/framework/backends/cpu/attention/products.h>
#include <rhyton/framework/backends/cpu/attention/scores.h>
#include <rhyton/framework/ops/attention.h>

namespace rhyton::cpu {
namespace {

/// Rows of one head, and of a block of keys.
template <class T>
struct BackwardScratch {
  T* queries = nullptr;
  T* gradients = nullptr;
  T* dqueries = nullptr;
  T* deltas = nullptr;
  T* keys = nullptr;
  T* keys_transposed = nullptr;
  T* values_transposed = nullptr;
  T* dkeys = nullptr;
  T* dvalues = nullptr;
  T* scores = nullptr;
  T* dscores = nullptr;
  T* slopes = nullptr;
  T* factors = nullptr;
  std::size_t bytes = 0;

  BackwardScratch(void* memory, const AttentionGeometry& geometry, bool is_limited) {
    WorkspaceCutter cutter(memory);
    if (geometry.samples == 0 || geometry.heads == 0) return;
    const std::int64_t size = row_stride<T>(geometry.size);
    const std::int64_t value_size = row_stride<T>(geometry.value_size);
    const std::int64_t rows = checked_multiply(geometry.group(), geometry.queries);
    queries = cutter.take<T>(checked_multiply(rows, size));
    gradients = cutter.take<T>(checked_multiply(rows, value_size));
    dqueries = cutter.take<T>(checked_multiply(rows, size));
    deltas = cutter.take<T>(rows);
    keys = cutter.take<T>(checked_multiply(key_block, size));
    keys_transposed = cutter.take<T>(checked_multiply(score_stride<T>, geometry.size));
    values_transposed = cutter.take<T>(checked_multiply(score_stride<T>, geometry.value_size));
    dkeys = cutter.take<T>(checked_multiply(key_block, size));
    dvalues = cutter.take<T>(checked_multiply(key_block, value_size));
    scores = cutter.take<T>(query_block * score_stride<T>);
    dscores = cutter.take<T>(query_block * score_stride<T>);
    slopes = cutter.take<T>(is_limited ? query_block * score_stride<T> : 0);
    factors = cutter.take<T>(score_stride<T>);
    bytes = cutter.used();
  }
};

/// One call of the kernel. The probabilities are computed again, for a block of keys and a block of queries at a time.
template <class T>
class Backward {
 public:
  explicit Backward(const KernelArguments& arguments)
      : arguments_(arguments),
        op_(arguments.attributes<AttentionGradOp>()),
        position_(op_.operands()),
        geometry_(arguments.inputs),
        rules_(op_, arguments, geometry_),
        scratch_(arguments.workspace, geometry_, rules_.is_limited()),
        size_columns_(whole_registers<T>(geometry_.size)),
        value_columns_(whole_registers<T>(geometry_.value_size)),
        size_stride_(row_stride<T>(geometry_.size)),
        value_stride_(row_stride<T>(geometry_.value_size)),
        sums_(view(position_.sums).template as<const T>()) {}

  void run() {
    const std::int64_t parts = geometry_.parts();
    const std::int64_t last = parts * (arguments_.piece + 1) / arguments_.pieces;
    for (std::int64_t part = parts * arguments_.piece / arguments_.pieces; part < last; ++part) {
      run_part(part / geometry_.key_heads, part % geometry_.key_heads);
    }
  }

 private:
  const TensorView& view(int i) const { return arguments_.inputs[static_cast<std::size_t>(i)]; }

  /// The row of a head's query in the scratch memory, where the heads of a group follow each other.
  std::int64_t row_of(std::int64_t head, std::int64_t query) const {
    return head % geometry_.group() * geometry_.queries + query;
  }
  RowMatrix<T> queries() const { return {scratch_.queries, size_stride_}; }
  RowMatrix<T> gradients() const { return {scratch_.gradients, value_stride_}; }
  RowMatrix<T> dqueries() const { return {scratch_.dqueries, size_stride_}; }

  template <class Function>
  void for_each_head(std::int64_t key_head, Function&& function) const {
    const std::int64_t group = geometry_.group();
    for (std::int64_t head = key_head * group; head < (key_head + 1) * group; ++head) function(head);
  }

  void run_part(std::int64_t sample, std::int64_t key_head) {
    for_each_head(key_head, [&](std::int64_t head) { begin_head(sample, head); });
    for (std::int64_t block = 0; block < geometry_.key_blocks(); ++block) run_keys(sample, key_head, block * key_block);
    for_each_head(key_head, [&](std::int64_t head) {
      const RowMatrix<T> from = dqueries().from_row(row_of(head, 0));
      const RowMatrix<T> to = rows_of_head<T>(arguments_.outputs[0], sample, head);
      const T scale = static_cast<T>(op_.attention.scale);
      for (std::int64_t query = 0; query < geometry_.queries; ++query) {
        for (std::int64_t i = 0; i < geometry_.size; ++i) to.row(query)[i] = from.row(query)[i] * scale;
      }
    });
  }

  void begin_head(std::int64_t sample, std::int64_t head) {
    const std::int64_t first = row_of(head, 0);
    const RowMatrix<const T> gradient = rows_of_head<const T>(view(position_.gradient), sample, head);
    const RowMatrix<const T> output = rows_of_head<const T>(view(position_.output), sample, head);
    copy_rows<T>(rows_of_head<const T>(view(position_.query), sample, head), geometry_.queries, geometry_.size,
                 static_cast<T>(op_.attention.scale), queries().from_row(first));
    copy_rows<T>(gradient, geometry_.queries, geometry_.value_size, T(1), gradients().from_row(first));
    for (std::int64_t query = 0; query < geometry_.queries; ++query) {
      std::fill_n(dqueries().row(first + query), size_columns_, T());
      scratch_.deltas[first + query] = dot_product<T>(gradient.row(query), output.row(query), geometry_.value_size);
    }
  }

  void run_keys(std::int64_t sample, std::int64_t key_head, std::int64_t first_key) {
    const std::int64_t keys = std::min(key_block, geometry_.keys - first_key);
    const RowMatrix<const T> key = rows_of_head<const T>(view(position_.key), sample, key_head).from_row(first_key);
    const RowMatrix<const T> value = rows_of_head<const T>(view(position_.value), sample, key_head).from_row(first_key);
    copy_rows<T>(key, keys, geometry_.size, T(1), {scratch_.keys, size_stride_});
    copy_transposed<T>(key, keys, geometry_.size, {scratch_.keys_transposed, score_stride<T>});
    copy_transposed<T>(value, keys, geometry_.value_size, {scratch_.values_transposed, score_stride<T>});
    std::fill_n(scratch_.dkeys, keys * size_stride_, T());
    std::fill_n(scratch_.dvalues, keys * value_stride_, T());
    for_each_head(key_head, [&](std::int64_t head) {
      for_each_tile(geometry_.queries, static_cast<int>(queries_together(geometry_, op_.attention.is_causal)),
                    [&](std::int64_t first, int count) { run_queries(sample, head, first, count, first_key); });
    });
    const RowMatrix<T> dkey = rows_of_head<T>(arguments_.outputs[1], sample, key_head).from_row(first_key);
    const RowMatrix<T> dvalue = rows_of_head<T>(arguments_.outputs[2], sample, key_head).from_row(first_key);
    store_rows({scratch_.dkeys, size_stride_}, keys, geometry_.size, dkey);
    store_rows({scratch_.dvalues, value_stride_}, keys, geometry_.value_size, dvalue);
  }

  static void store_rows(const RowMatrix<T>& from, std::int64_t rows, std::int64_t size, const RowMatrix<T>& to) {
    for (std::int64_t row = 0; row < rows; ++row) std::copy_n(from.row(row), size, to.row(row));
  }

  /// Whether one of these queries gets the mean of all values, also of those that its causal order hides.
  bool any_averages(const T* sums, int count) const {
    if (op_.attention.zero_where_hidden) return false;
    for (int row = 0; row < count; ++row) {
      if (sums[2 * row + 1] == T()) return true;
    }
    return false;
  }

  void run_queries(std::int64_t sample, std::int64_t head, std::int64_t first, int count, std::int64_t first_key) {
    const T* const sums = sums_ + 2 * ((sample * geometry_.heads + head) * geometry_.queries + first);
    const std::int64_t keys = any_averages(sums, count) ? std::min(key_block, geometry_.keys - first_key)
                                                        : rules_.visible_keys(sample, head, first, count, first_key);
    if (keys == 0) return;
    const std::int64_t whole = whole_registers<T>(keys);
    const std::int64_t first_row = row_of(head, first);
    const RowMatrix<T> scores = {scratch_.scores, score_stride<T>};
    const RowMatrix<T> dscores = {scratch_.dscores, score_stride<T>};
    const RowMatrix<T> query = queries().from_row(first_row);
    const RowMatrix<T> gradient = gradients().from_row(first_row);
    multiply<T>({query.data, query.stride}, count, geometry_.size, {scratch_.keys_transposed, score_stride<T>}, whole,
                scores, false);
    multiply<T>({gradient.data, gradient.stride}, count, geometry_.value_size,
                {scratch_.values_transposed, score_stride<T>}, whole, dscores, false);
    for (int row = 0; row < count; ++row) {
      T* const slopes = rules_.is_limited() ? scratch_.slopes + row * score_stride<T> : nullptr;
      rules_.apply(scores.row(row), sample, head, first + row, first_key, keys, slopes);
      if (rules_.drops()) rules_.draw_factors(scratch_.factors, sample, head, first + row, first_key, keys);
      differentiate(scores.row(row), dscores.row(row), keys, sums + 2 * row, scratch_.deltas[first_row + row], slopes);
    }
    add_transposed_product<T>(scores.data, offsets_, count, keys, {gradient.data, gradient.stride}, value_columns_,
                              {scratch_.dvalues, value_stride_});
    add_transposed_product<T>(dscores.data, offsets_, count, keys, {query.data, query.stride}, size_columns_,
                              {scratch_.dkeys, size_stride_});
    multiply<T>({dscores.data, dscores.stride}, count, keys, {scratch_.keys, size_stride_}, size_columns_,
                dqueries().from_row(first_row), true);
  }

  /// Scores become probabilities after dropout, gradients of probabilities become those of scores.
  void differentiate(T* scores, T* dscores, std::int64_t keys, const T* sums, T delta, const T* slopes) const {
    const std::int64_t whole = whole_registers<T>(keys);
    const T* const factors = rules_.drops() ? scratch_.factors : nullptr;
    if (sums[1] == T()) {
      const T mean = op_.attention.zero_where_hidden ? T() : T(1) / static_cast<T>(geometry_.keys);
      std::fill_n(scores, keys, mean);
      std::fill(scores + keys, scores + whole, T());
      if (factors != nullptr) multiply_row<T>(scores, factors, keys);
      std::fill_n(dscores, whole, T());
      return;
    }
    const T largest = sums[0];
    const T inverse_sum = T(1) / sums[1];
    for (std::int64_t i = 0; i < whole; i += vector_length<T>) {
      Vector<T> score;
      Vector<T> gradient;
      load<T>(score, scores + i);
      load<T>(gradient, dscores + i);
      Vector<T> probability = exponential_of<T>(score - largest) * inverse_sum;
      Vector<T> dropped = probability;
      if (factors != nullptr) {
        Vector<T> factor;
        load<T>(factor, factors + i);
        gradient *= factor;
        dropped *= factor;
      }
      gradient = probability * (gradient - delta);
      if (slopes != nullptr) {
        Vector<T> slope;
        load<T>(slope, slopes + i);
        gradient *= slope;
      }
      store<T>(scores + i, dropped);
      store<T>(dscores + i, gradient);
    }
  }

  const KernelArguments& arguments_;
  const AttentionGradOp& op_;
  const AttentionOperands position_;
  const AttentionGeometry geometry_;
  const ScoreRules<T> rules_;
  const BackwardScratch<T> scratch_;
  const ScoreOffsets<T> offsets_;
  const std::int64_t size_columns_;
  const std::int64_t value_columns_;
  const std::int64_t size_stride_;
  const std::int64_t value_stride_;
  const T* const sums_;
};

template <class T>
void run(const KernelArguments& arguments) {
  Backward<T>(arguments).run();
}

template <class T>
std::size_t workspace_bytes(const Op& op, Kernel::Specs inputs, Kernel::Specs) {
  const bool is_limited = static_cast<const AttentionGradOp&>(op).attention.soft_cap != 0;
  return BackwardScratch<T>(nullptr, AttentionGeometry(inputs), is_limited).bytes;
}

template <class T>
void register_for(KernelTable& table) {
  table.add("AttentionGrad", dtype_of<T>,
            {.run = &run<T>, .workspace_bytes = &workspace_bytes<T>, .pieces = &attention_pieces});
}

}  // namespace

void register_attention_gradient_kernels(KernelTable& table) {
  register_for<float>(table);
  register_for<double>(table);
}

}  // namespace rhyton::cpu
