#include <rhyton/tests/framework/ops/batch_rule_check.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <set>

#include <gtest/gtest.h>
#include <rhyton/framework/ops/kernel_table.h>

namespace rhyton::conformance {
namespace {

/// Copies elements [first, last) of an axis out of `whole`.
Tensor piece_of(const Tensor& whole, int axis, std::int64_t first, std::int64_t last) {
  Tensor piece = Tensor::uninitialized(whole.shape().with(axis, last - first), whole.dtype());
  const auto outer = static_cast<std::size_t>(whole.shape().slice(0, axis).size());
  const std::size_t inner =
      static_cast<std::size_t>(whole.shape().slice(axis + 1, whole.rank()).size()) * size_of(whole.dtype());
  const std::size_t length = static_cast<std::size_t>(whole.shape()[axis]) * inner;
  const std::size_t bytes = static_cast<std::size_t>(last - first) * inner;
  const auto* from = static_cast<const std::byte*>(whole.raw_data()) + static_cast<std::size_t>(first) * inner;
  auto* to = static_cast<std::byte*>(piece.mutable_raw_data());
  for (std::size_t i = 0; i < outer && bytes > 0; ++i) std::memcpy(to + i * bytes, from + i * length, bytes);
  return piece;
}

/// Outputs with garbage values, which reveal kernels that add to them by mistake.
Tensor rubbish(const TensorSpec& spec) {
  Tensor tensor = Tensor::uninitialized(spec.shape, spec.dtype);
  if (spec.bytes() > 0) std::memset(tensor.mutable_raw_data(), 0x7B, spec.bytes());
  return tensor;
}

bool same_bits(const Tensor& a, const Tensor& b) {
  return a.spec() == b.spec() && (a.size() == 0 || std::memcmp(a.raw_data(), b.raw_data(), a.spec().bytes()) == 0);
}

std::string describe(const RecordedCall& call, std::span<const int> axes) {
  std::string text = std::string(call.op->name()) + "(" + call.op->attributes() + ") on";
  for (std::size_t i = 0; i < axes.size(); ++i) {
    text += " " + call.inputs[i].shape().to_string() + " with the batch on " + std::to_string(axes[i]);
  }
  return text;
}

/// The allowed difference of sums of that dtype in different orders.
double epsilon_of(DType dtype) {
  switch (dtype) {
    case DType::float64:
      return 1e-12;
    case DType::float16:
      return 4e-3;
    case DType::bfloat16:
      return 3e-2;
    default:
      return 2e-5;
  }
}

class Check {
 public:
  Check(const RecordedCall& call, std::int64_t batch) : call_(call), batch_(batch) {
    for (const Tensor& input : call.inputs) specs_.push_back(input.spec());
  }

  void with_axes(const std::vector<int>& axes) {
    SCOPED_TRACE(describe(call_, axes));
    std::vector<BatchRule> rules;
    for (std::size_t i = 0; i < call_.outputs.size(); ++i) {
      rules.push_back(call_.op->output_batch_rule(i, specs_, axes));
      if (rules[i].effect == BatchEffect::mixes || !keeps_samples(rules[i], call_.outputs[i])) return;
    }
    const auto maps = [&](std::size_t i) { return rules[i].effect == BatchEffect::maps; };
    const bool any_sums =
        std::any_of(rules.begin(), rules.end(), [](const BatchRule& rule) { return rule.effect == BatchEffect::sums; });
    // The rows of one sample in an output.
    const auto rows = [&](std::size_t i) { return call_.outputs[i].shape()[rules[i].output_axis] / batch_; };
    for (std::size_t i = 0; i < rules.size(); ++i) {
      if (!maps(i)) continue;
      ASSERT_LT(rules[i].output_axis, call_.outputs[i].rank());
      ASSERT_GE(rules[i].output_axis, 0);
      if (!rules[i].regroups_rows) {
        ASSERT_EQ(call_.outputs[i].shape()[rules[i].output_axis], batch_);
      }
    }
    std::vector<Tensor> sums;
    for (const Tensor& output : call_.outputs) sums.push_back(rubbish(output.spec()));
    const std::int64_t step = batch_ < 4 ? 1 : batch_ / 2 - (batch_ % 2 == 0 ? 1 : 0);
    for (std::int64_t first = 0; first < batch_; first += step) {
      const std::int64_t last = std::min(batch_, first + step);
      std::vector<Tensor> inputs = call_.inputs;
      const auto carries = std::make_unique<bool[]>(axes.size());
      for (std::size_t i = 0; i < axes.size(); ++i) {
        carries[i] = axes[i] >= 0;
        if (carries[i]) inputs[i] = piece_of(inputs[i], axes[i], first, last);
      }
      std::vector<Tensor> outputs = sums;
      for (std::size_t i = 0; i < outputs.size(); ++i) {
        if (!maps(i)) continue;
        const std::int64_t length = (last - first) * rows(i);
        outputs[i] = rubbish({outputs[i].shape().with(rules[i].output_axis, length), outputs[i].dtype()});
      }
      run_kernel(*call_.op, inputs, {carries.get(), axes.size()}, outputs, first, any_sums && first > 0);
      for (std::size_t i = 0; i < outputs.size(); ++i) {
        if (!maps(i)) continue;
        const Tensor expected = piece_of(call_.outputs[i], rules[i].output_axis, first * rows(i), last * rows(i));
        EXPECT_TRUE(same_bits(outputs[i], expected))
            << "samples " << first << " to " << last << " of output " << i << ":\n"
            << outputs[i].to_string() << "\nin the whole:\n"
            << expected.to_string();
      }
    }
    for (std::size_t i = 0; i < sums.size(); ++i) {
      if (maps(i)) continue;
      const std::vector<double> parts = sums[i].to_vector();
      const std::vector<double> whole = call_.outputs[i].to_vector();
      const double epsilon = epsilon_of(sums[i].dtype());
      for (std::size_t k = 0; k < whole.size(); ++k) {
        EXPECT_NEAR(parts[k], whole[k], epsilon * std::max(1.0, std::abs(whole[k])))
            << "sum " << k << " of output " << i;
      }
    }
  }

  /// All choices of axes of the batch's length, from input number `axes.size()` on.
  void all_axes(std::vector<int> axes) {
    if (axes.size() == specs_.size()) {
      if (std::any_of(axes.begin(), axes.end(), [](int axis) { return axis >= 0; })) with_axes(axes);
      return;
    }
    const Shape& shape = specs_[axes.size()].shape;
    axes.push_back(-1);
    all_axes(axes);
    for (int axis = 0; axis < shape.rank(); ++axis) {
      if (shape[axis] != batch_) continue;
      axes.back() = axis;
      all_axes(axes);
    }
  }

 private:
  bool keeps_samples(const BatchRule& rule, const Tensor& output) const {
    return !rule.regroups_rows || output.shape()[0] % batch_ == 0;
  }

  const RecordedCall& call_;
  std::int64_t batch_;
  std::vector<TensorSpec> specs_;
};

}  // namespace

void run_kernel(const Op& op, std::span<const Tensor> inputs, std::span<const bool> carries_batch,
                std::span<Tensor> outputs, std::int64_t first_sample, bool accumulate) {
  std::vector<TensorSpec> input_specs;
  std::vector<TensorView> input_views;
  for (const Tensor& input : inputs) {
    input_specs.push_back(input.spec());
    input_views.push_back({const_cast<void*>(input.raw_data()), input.spec()});  // NOLINT: kernels only read inputs
  }
  std::vector<TensorSpec> output_specs;
  std::vector<TensorView> output_views;
  for (Tensor& output : outputs) {
    output_specs.push_back(output.spec());
    output_views.push_back({output.mutable_raw_data(), output.spec()});
  }
  const Kernel& kernel = cpu_kernels().get(op, input_specs);
  const auto bytes_for = [&](auto* function) {
    return function == nullptr ? 0 : function(op, Kernel::Specs(input_specs), Kernel::Specs(output_specs));
  };
  const std::size_t packed_bytes = bytes_for(kernel.packed_bytes);
  const std::shared_ptr<Storage> packed = Storage::allocate(std::max<std::size_t>(1, packed_bytes));
  if (packed_bytes > 0) {
    std::vector<TensorView> constant = input_views;
    for (std::size_t i = 0; i < constant.size(); ++i) {
      if (carries_batch[i]) constant[i].data = nullptr;
    }
    kernel.pack({.op = &op, .inputs = constant, .outputs = output_views, .workspace = packed->data()});
  }
  const std::shared_ptr<Storage> workspace =
      Storage::allocate(std::max<std::size_t>(1, bytes_for(kernel.workspace_bytes)));
  kernel.run({.op = &op,
              .inputs = input_views,
              .outputs = output_views,
              .workspace = workspace->data(),
              .packed = packed_bytes == 0 ? nullptr : packed->data(),
              .first_sample = first_sample,
              .accumulate = accumulate});
}

void check_batch_rules(const RecordedCall& call) {
  std::set<std::int64_t> lengths;
  for (const Tensor& input : call.inputs) {
    for (const std::int64_t length : input.shape()) {
      if (length >= 2) lengths.insert(length);
    }
  }
  for (const std::int64_t length : lengths) Check(call, length).all_axes({});
}

}  // namespace rhyton::conformance
