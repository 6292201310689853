#include <rhyton/datasets/windows.h>

#include <algorithm>
#include <deque>
#include <vector>

#include <rhyton/datasets/flattening.h>
#include <rhyton/datasets/pipeline_stage.h>
#include <rhyton/framework/error.h>

namespace rhyton::datasets {
namespace {

/// The elements of one window.
class Window final : public Stage {
 public:
  Window(const Dataset& source, std::vector<Batch> elements) : Stage(source), elements_(std::move(elements)) {}
  Cardinality cardinality() const override { return static_cast<std::int64_t>(elements_.size()); }
  Elements iterator(std::uint64_t /*pass*/) const override {
    return elements([all = elements_, next = std::size_t{0}]() mutable -> std::optional<Batch> {
      if (next == all.size()) return std::nullopt;
      return all[next++];
    });
  }

 private:
  std::vector<Batch> elements_;
};

}  // namespace

class Windows::Impl {
 public:
  Impl(Pipeline source, std::int64_t size, const PipelineWindowOptions& options)
      : source_(std::move(source)),
        size_(size),
        shift_(options.shift.value_or(size)),
        stride_(options.stride),
        drops_remainder_(options.drop_remainder) {
    require_positive("size", size_);
    require_positive("shift", shift_);
    require_positive("stride", stride_);
  }

  const Pipeline& source() const { return source_; }

  Cardinality cardinality() const {
    const Cardinality count = source_.cardinality();
    if (!count || *count == infinite_cardinality) return count;
    if (!drops_remainder_) return *count / shift_ + (*count % shift_ == 0 ? 0 : 1);
    const std::int64_t behind_first = *count - ((size_ - 1) * stride_ + 1);
    return behind_first < 0 ? 0 : behind_first / shift_ + 1;
  }

  NestedDatasets begin(std::unique_ptr<BatchIterator> elements) const {
    return [from = shared(std::move(elements)), source = source_, reach = (size_ - 1) * stride_ + 1, shift = shift_,
            stride = stride_, drops = drops_remainder_,
            buffer = std::deque<Batch>()]() mutable -> std::optional<Pipeline> {
      const auto read = [&]() -> std::optional<Batch> {
        if (from == nullptr) return std::nullopt;
        std::optional<Batch> element = from->next();
        if (!element) from = nullptr;
        return element;
      };
      const auto buffered = [&] { return static_cast<std::int64_t>(buffer.size()); };
      while (buffered() < reach) {
        std::optional<Batch> element = read();
        if (!element) break;
        buffer.push_back(*std::move(element));
      }
      if (buffer.empty() || (drops && buffered() < reach)) return std::nullopt;
      std::vector<Batch> window;
      for (std::int64_t i = 0; i < buffered(); i += stride) window.push_back(buffer[static_cast<std::size_t>(i)]);
      for (std::int64_t i = buffered(); i < shift && read(); ++i) continue;
      buffer.erase(buffer.begin(), buffer.begin() + std::min(shift, buffered()));
      return pipeline<Window>(source, std::move(window));
    };
  }

 private:
  Pipeline source_;
  std::int64_t size_;
  std::int64_t shift_;
  std::int64_t stride_;
  bool drops_remainder_;
};

Pipeline Windows::Function::x_of(const Pipeline& window) {
  return window.map([](const Batch& element) { return Batch{.x = element.x, .x_names = element.x_names}; });
}

Pipeline Windows::Function::y_of(const Pipeline& window) {
  return window.map([](const Batch& element) {
    if (element.y.empty()) throw TypeError("The function takes the windows of x and of y, but elements have no y.");
    return Batch{.x = element.y, .x_names = element.y_names};
  });
}

Windows::Windows(Pipeline source, std::int64_t size, const PipelineWindowOptions& options)
    : impl_(std::make_shared<const Impl>(std::move(source), size, options)) {}

Pipeline Windows::flat_map(const Function& function) const { return interleave(function, {.cycle_length = 1}); }

Pipeline Windows::interleave(const Function& function, const PipelineInterleaveOptions& options) const {
  const auto begin = [impl = impl_, function](std::uint64_t pass) -> NestedDatasets {
    return [windows = impl->begin(impl->source().iterator(pass)), function]() mutable -> std::optional<Pipeline> {
      const std::optional<Pipeline> window = windows();
      if (!window) return std::nullopt;
      return function(*window);
    };
  };
  return flattened({.begin = begin,
                    .spec_of_none = [impl = impl_] { return impl->source().element_spec(); },
                    .cycle_length = options.cycle_length,
                    .block_length = options.block_length});
}

std::optional<std::int64_t> Windows::cardinality() const { return impl_->cardinality(); }

Windows::Iterator Windows::begin() const { return Iterator(impl_->begin(impl_->source().iterator())); }

Windows Pipeline::window(std::int64_t size, const PipelineWindowOptions& options) const {
  return {*this, size, options};
}

}  // namespace rhyton::datasets
