#include <rhyton/framework/ops/op_tables.h>

#include <algorithm>
#include <limits>
#include <utility>

#include <rhyton/framework/ops/attention.h>
#include <rhyton/framework/ops/batch_normalization.h>
#include <rhyton/framework/ops/batches.h>
#include <rhyton/framework/ops/bitcast.h>
#include <rhyton/framework/ops/category_counts.h>
#include <rhyton/framework/ops/conv.h>
#include <rhyton/framework/ops/ctc.h>
#include <rhyton/framework/ops/cumulative.h>
#include <rhyton/framework/ops/dynamic_slice.h>
#include <rhyton/framework/ops/fourier.h>
#include <rhyton/framework/ops/gather.h>
#include <rhyton/framework/ops/image/projective_transform.h>
#include <rhyton/framework/ops/indexing.h>
#include <rhyton/framework/ops/linear_algebra.h>
#include <rhyton/framework/ops/linear_systems.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/ops/normalization.h>
#include <rhyton/framework/ops/parametric_elementwise.h>
#include <rhyton/framework/ops/pooling.h>
#include <rhyton/framework/ops/scatter.h>
#include <rhyton/framework/ops/segments.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/ops/sorting.h>

namespace rhyton {
namespace {

constexpr std::size_t any_number_of_inputs = std::numeric_limits<std::size_t>::max();

/// Names of attributes, as template arguments.
namespace attribute_names {
constexpr char negative_slope[] = "negative_slope";
constexpr char alpha[] = "alpha";
constexpr char value[] = "value";
constexpr char epsilon[] = "epsilon";
constexpr char approximate[] = "approximate";
constexpr char inverse[] = "inverse";
constexpr char throws[] = "throws";
constexpr char transpose[] = "transpose";
constexpr char size[] = "size";
constexpr char kernel_size[] = "kernel_size";
}  // namespace attribute_names

/// That of transforms of images, which have no "mirror".
image::FillMode fill_mode_of(const OpDescription& op) {
  const std::optional<image::FillMode> mode = image::find_fill_mode(op.attributes.word("fill_mode"));
  op.require(mode && *mode != image::FillMode::mirror, "a fill mode of transforms");
  return *mode;
}

/// An op that is made from one number.
template <class O, const auto& name>
OpEntry numbered(std::string_view op_name, std::size_t inputs) {
  return {op_name, inputs, inputs,
          [](const OpDescription& op) -> OpPtr { return std::make_shared<const O>(op.attributes.number(name)); }};
}

/// An op that is made from two bounds.
template <class O>
OpEntry limited(std::string_view op_name, std::size_t inputs) {
  return {op_name, inputs, inputs, [](const OpDescription& op) -> OpPtr {
            const double lowest = op.attributes.number("lowest");
            return std::make_shared<const O>(lowest, op.attributes.number("highest"));
          }};
}

template <class O, const auto& name>
OpEntry flagged(std::string_view op_name, std::size_t inputs) {
  return {op_name, inputs, inputs, [](const OpDescription& op) -> OpPtr {
            op.require_same_dtype();
            return std::make_shared<const O>(op.attributes.flag(name));
          }};
}

/// An op that is made from one axis of its first input.
template <class O>
OpEntry with_axis(std::string_view op_name, std::size_t inputs) {
  return {op_name, inputs, inputs, [](const OpDescription& op) -> OpPtr {
            return std::make_shared<const O>(op.attributes.axis("axis", op.rank()));
          }};
}

Padding padding_of(AttributeReader& attributes) {
  const std::string_view text = attributes.word("padding");
  if (text != "same" && text != "valid") attributes.fail("'padding' must be valid or same");
  return text == "same" ? Padding::same : Padding::valid;
}

std::array<std::int64_t, 2> pair_of(AttributeReader& attributes, std::string_view name) {
  const auto [first, second] = attributes.pair(name);
  return {first, second};
}

Conv2DAttributes convolution_of(AttributeReader& attributes) {
  return {.strides = pair_of(attributes, "strides"),
          .padding = padding_of(attributes),
          .dilation_rate = pair_of(attributes, "dilation_rate"),
          .groups = attributes.integer("groups", 1, longest_window)};
}

Pool2DAttributes pooling_of(AttributeReader& attributes) {
  return {.pool_size = pair_of(attributes, "pool_size"),
          .strides = pair_of(attributes, "strides"),
          .padding = padding_of(attributes)};
}

template <class O>
OpEntry pooling(std::string_view name, std::size_t inputs) {
  return {name, inputs, inputs,
          [](const OpDescription& op) -> OpPtr { return std::make_shared<const O>(pooling_of(op.attributes)); }};
}

/// "size": of the images, whose sides may have no pixels.
std::pair<std::int64_t, std::int64_t> size_of_images(AttributeReader& attributes, std::string_view name) {
  const std::string_view text = attributes.word(name);
  const std::size_t comma = std::min(text.find(','), text.size());
  // Read as attributes of their own, which checks them.
  const std::string both = "height=" + std::string(text.substr(0, comma)) +
                           (comma == text.size() ? "" : ", width=" + std::string(text.substr(comma + 1)));
  AttributeReader reader(name, both);
  return {reader.integer("height", 0, longest_window), reader.integer("width", 0, longest_window)};
}

template <class O>
OpEntry pooling_gradient(std::string_view name, std::size_t inputs) {
  return {name, inputs, inputs, [](const OpDescription& op) -> OpPtr {
            const auto [height, width] = size_of_images(op.attributes, "size");
            return std::make_shared<const O>(height, width, pooling_of(op.attributes));
          }};
}

template <class O, const auto& size>
OpEntry convolution_gradient(std::string_view name) {
  return {name, 2, 2, [](const OpDescription& op) -> OpPtr {
            const auto [height, width] = size_of_images(op.attributes, size);
            return std::make_shared<const O>(height, width, convolution_of(op.attributes));
          }};
}

template <ScatterReduction reduction>
OpEntry scattered(std::string_view name) {
  return {name, 3, 3, [](const OpDescription& op) -> OpPtr {
            const bool fit = op.rank(0) == 2 && op.rank(1) == 1 && op.rank(2) == 2 &&
                             op.shape(1)[0] == op.shape(2)[0] && op.shape(0)[1] == op.shape(2)[1];
            op.require(fit, "a table [R, C], rows [N] and updates [N, C]");
            return std::make_shared<const ScatterRowsOp>(reduction);
          }};
}

template <SegmentReduceOp::Kind kind>
OpEntry segmented(std::string_view name) {
  return {name, 2, 2, [](const OpDescription& op) -> OpPtr {
            op.require(op.rank(0) >= 1 && op.rank(1) == 1 && op.shape(0)[0] == op.shape(1)[0],
                       "data [N, ...] and ids [N]");
            return std::make_shared<const SegmentReduceOp>(kind, op.attributes.length("segments"));
          }};
}

template <CumulativeOp::Kind kind>
OpEntry accumulated(std::string_view name) {
  return {name, 1, 1, [](const OpDescription& op) -> OpPtr {
            const int axis = op.attributes.axis("axis", op.rank());
            return std::make_shared<const CumulativeOp>(kind, axis, op.attributes.flag("reverse"));
          }};
}

AttentionAttributes attention_of(AttributeReader& attributes) {
  AttentionAttributes result;
  result.scale = attributes.number("scale");
  result.is_causal = attributes.flag("is_causal");
  result.soft_cap = attributes.number("soft_cap");
  result.zero_where_hidden = attributes.flag("zero_where_hidden");
  result.dropout.rate = attributes.number("rate");
  result.dropout.key = attributes.key("key");
  result.dropout.first_sample = attributes.length("first_sample");
  return result;
}

template <class O>
OpEntry attending(std::string_view name, std::size_t least) {
  return {name, least, least + 3, [](const OpDescription& op) -> OpPtr {
            const AttentionAttributes attributes = attention_of(op.attributes);
            const OptionalAttentionInputs options = {.has_bias = op.attributes.flag("has_bias"),
                                                     .has_mask = op.attributes.flag("has_mask"),
                                                     .has_draw = op.attributes.flag("has_draw")};
            const auto made = std::make_shared<const O>(attributes, options);
            const AttentionOperands at = made->operands();
            op.require_inputs(1U + static_cast<std::size_t>(std::max(
                                       {at.value, at.output, at.sums, at.gradient, at.bias, at.mask, at.draw})));
            return made;
          }};
}

/// Of inputs with the same spec.
template <class O>
OpEntry matrices(std::size_t inputs) {
  return {O().name(), inputs, inputs, [](const OpDescription& op) -> OpPtr {
            op.require_same_dtype();
            return std::make_shared<const O>();
          }};
}

}  // namespace

OpTable parametric_elementwise_table() {
  return {
      numbered<LeakyReluOp, attribute_names::negative_slope>("LeakyRelu", 1),
      numbered<LeakyReluGradOp, attribute_names::negative_slope>("LeakyReluGrad", 2),
      plain_op<SoftsignOp>(1),
      numbered<EluOp, attribute_names::alpha>("Elu", 1),
      numbered<EluGradOp, attribute_names::alpha>("EluGrad", 2),
      flagged<GeluOp, attribute_names::approximate>("Gelu", 1),
      flagged<GeluGradOp, attribute_names::approximate>("GeluGrad", 2),
      limited<ClipByValueOp>("ClipByValue", 1),
      limited<ClipByValueGradOp>("ClipByValueGrad", 2),
      numbered<FullLikeOp, attribute_names::value>("FullLike", 1),
  };
}

OpTable shaping_table() {
  return {
      {"Reshape", 1, 1,
       [](const OpDescription& op) -> OpPtr {
         return std::make_shared<const ReshapeOp>(op.attributes.shape("shape"));
       }},
      {"Transpose", 1, 1,
       [](const OpDescription& op) -> OpPtr {
         return std::make_shared<const TransposeOp>(op.attributes.permutation("axes", op.rank()));
       }},
      {"ReverseV2", 1, 1,
       [](const OpDescription& op) -> OpPtr {
         return std::make_shared<const ReverseOp>(op.attributes.axes("axes", op.rank()));
       }},
      {"ConcatV2", 1, any_number_of_inputs,
       [](const OpDescription& op) -> OpPtr {
         return std::make_shared<const ConcatenateOp>(op.attributes.axis("axis", op.rank()));
       }},
      {"SplitV", 1, 1,
       [](const OpDescription& op) -> OpPtr {
         const int axis = op.attributes.axis("axis", op.rank());
         std::vector<std::int64_t> lengths = op.attributes.lengths("lengths");
         op.require(!lengths.empty(), "one length or more");
         return std::make_shared<const SplitOp>(axis, std::move(lengths));
       }},
      {"StridedSlice", 1, 1,
       [](const OpDescription& op) -> OpPtr {
         const auto rank = static_cast<std::size_t>(op.rank());
         std::vector<std::int64_t> begin = op.attributes.lengths("begin");
         std::vector<std::int64_t> sizes = op.attributes.lengths("sizes");
         std::vector<std::int64_t> steps = op.attributes.integers("steps", 1, AttributeReader::max_length);
         op.require(begin.size() == rank && sizes.size() == rank && steps.size() == rank,
                    "begin, sizes and steps for each axis");
         return std::make_shared<const SliceOp>(std::move(begin), std::move(sizes), std::move(steps));
       }},
      {"PadV2", 1, 1,
       [](const OpDescription& op) -> OpPtr {
         const auto rank = static_cast<std::size_t>(op.rank());
         std::vector<std::int64_t> before = op.attributes.lengths("before");
         std::vector<std::int64_t> after = op.attributes.lengths("after");
         std::vector<std::int64_t> steps = op.attributes.integers("steps", 1, AttributeReader::max_length);
         op.require(before.size() == rank && after.size() == rank && steps.size() == rank,
                    "before, after and steps for each axis");
         return std::make_shared<const PadOp>(std::move(before), std::move(after), std::move(steps),
                                              op.attributes.number("value"));
       }},
      {"Bitcast", 1, 1,
       [](const OpDescription& op) -> OpPtr {
         const DType dtype = op.attributes.dtype("dtype");
         op.require(dtype != DType::bool_, "another dtype than bool");
         return std::make_shared<const BitcastOp>(dtype);
       }},
  };
}

OpTable indexing_table() {
  return {
      {"ImageProjectiveTransformV3", 2, 2,
       [](const OpDescription& op) -> OpPtr {
         const image::FillMode mode = fill_mode_of(op);
         return std::make_shared<const image::ProjectiveTransformOp>(op.attributes.flag("bilinear"), mode,
                                                                     op.attributes.number("fill_value"));
       }},
      {"ImageProjectiveTransformGrad", 2, 2,
       [](const OpDescription& op) -> OpPtr {
         const image::FillMode mode = fill_mode_of(op);
         return std::make_shared<const image::ProjectiveTransformGradOp>(op.attributes.flag("bilinear"), mode);
       }},
      with_axis<GatherOp>("GatherV2", 2),
      {"GatherGrad", 2, 2,
       [](const OpDescription& op) -> OpPtr {
         const Shape params = op.attributes.shape("params_shape");
         return std::make_shared<const GatherGradOp>(params, op.attributes.axis("axis", params.rank()));
       }},
      {"GatherRowsGrad", 3, 3,
       [](const OpDescription& op) -> OpPtr {
         op.require(op.rank() >= 1 && op.inputs[0].dtype == op.inputs[1].dtype, "a table and gradients of its dtype");
         return std::make_shared<const GatherRowsGradOp>();
       }},
      {"OneHot", 1, 1,
       [](const OpDescription& op) -> OpPtr {
         const std::int64_t depth = op.attributes.length("depth");
         return std::make_shared<const OneHotOp>(depth, op.attributes.dtype("dtype"));
       }},
      with_axis<TakeAlongAxisOp>("TakeAlongAxis", 2),
      {"TakeAlongAxisGrad", 2, 2,
       [](const OpDescription& op) -> OpPtr {
         const int axis = op.attributes.axis("axis", op.rank());
         return std::make_shared<const TakeAlongAxisGradOp>(axis, op.attributes.length("length"));
       }},
      {"DynamicSlice", 2, 2,
       [](const OpDescription& op) -> OpPtr {
         std::vector<std::int64_t> sizes = op.attributes.lengths("sizes");
         return std::make_shared<const DynamicSliceOp>(std::move(sizes), op.attributes.flag("is_moved"));
       }},
      plain_op<DynamicUpdateSliceOp>(3),
      {"RavelIndices", 1, 1,
       [](const OpDescription& op) -> OpPtr {
         const Shape whole = op.attributes.shape("whole");
         op.require(op.rank() >= 1 && op.shape(0).at(-1) <= whole.rank(), "indices for the first axes of a table");
         return std::make_shared<const RavelIndicesOp>(whole);
       }},
      scattered<ScatterReduction::update>("ScatterRowsUpdate"),
      scattered<ScatterReduction::max>("ScatterRowsMax"),
      scattered<ScatterReduction::min>("ScatterRowsMin"),
      scattered<ScatterReduction::mul>("ScatterRowsMul"),
      segmented<SegmentReduceOp::Kind::sum>("UnsortedSegmentSum"),
      segmented<SegmentReduceOp::Kind::max>("UnsortedSegmentMax"),
      segmented<SegmentReduceOp::Kind::min>("UnsortedSegmentMin"),
      segmented<SegmentReduceOp::Kind::prod>("UnsortedSegmentProd"),
      {"Sort", 1, 1,
       [](const OpDescription& op) -> OpPtr {
         const int axis = op.attributes.axis("axis", op.rank());
         const std::int64_t count = op.attributes.integer("count", 0, op.shape(0)[axis]);
         return std::make_shared<const SortOp>(axis, count, op.attributes.flag("descending"));
       }},
      {"SearchSorted", 2, 2,
       [](const OpDescription& op) -> OpPtr {
         op.require(op.rank() == 1 && op.shape(0)[0] <= std::numeric_limits<std::int32_t>::max(), "a sequence [N]");
         return std::make_shared<const SearchSortedOp>(op.attributes.flag("right") ? SearchSide::right
                                                                                   : SearchSide::left);
       }},
      {"DenseBincount", 1, 2,
       [](const OpDescription& op) -> OpPtr {
         const std::int64_t depth = op.attributes.length("size");
         const DType dtype = op.attributes.dtype("dtype");
         op.require(op.inputs.size() < 2 || op.inputs[1].dtype == dtype, "weights of the dtype of the counts");
         const auto counting =
             op.attributes.flag("binary_output") ? CategoryCounting::presence : CategoryCounting::occurrences;
         const auto negative =
             op.attributes.flag("refuses_negative") ? NegativeCategories::refused : NegativeCategories::ignored;
         return std::make_shared<const CategoryCountsOp>(depth, dtype, counting, negative);
       }},
      {"GatherSamples", 3, 3,
       [](const OpDescription& op) -> OpPtr {
         return std::make_shared<const GatherSamplesOp>(op.attributes.length("count"));
       }},
      accumulated<CumulativeOp::Kind::sum>("Cumsum"),
      accumulated<CumulativeOp::Kind::prod>("Cumprod"),
  };
}

OpTable product_table() {
  return {
      {"MatMul", 2, 2,
       [](const OpDescription& op) -> OpPtr {
         const bool transpose_a = op.attributes.flag("transpose_a");
         return std::make_shared<const MatMulOp>(transpose_a, op.attributes.flag("transpose_b"));
       }},
      plain_op<MatMulKernelGradientOp>(2),
      {"Conv2D", 2, 2,
       [](const OpDescription& op) -> OpPtr {
         return std::make_shared<const Conv2DOp>(convolution_of(op.attributes));
       }},
      convolution_gradient<Conv2DInputGradientOp, attribute_names::size>("Conv2DInputGradient"),
      convolution_gradient<Conv2DKernelGradientOp, attribute_names::kernel_size>("Conv2DKernelGradient"),
      pooling<MaxPool2DOp>("MaxPool2D", 1),
      pooling_gradient<MaxPool2DGradientOp>("MaxPool2DGradient", 2),
      pooling<MaxPool2DSelectOp>("MaxPool2DSelect", 2),
      pooling<AveragePool2DOp>("AveragePool2D", 1),
      pooling_gradient<AveragePool2DGradientOp>("AveragePool2DGradient", 1),
      attending<AttentionOp>("Attention", 3),
      attending<AttentionGradOp>("AttentionGrad", 6),
  };
}

OpTable normalization_table() {
  return {
      numbered<LayerNormalizationOp, attribute_names::epsilon>("LayerNormalization", 3),
      numbered<LayerNormalizationGradOp, attribute_names::epsilon>("LayerNormalizationGrad", 3),
      numbered<LayerNormalizationInputGradOp, attribute_names::epsilon>("LayerNormalizationInputGrad", 3),
      {"LayerNormalizationParameterGrad", 2, 2,
       [](const OpDescription& op) -> OpPtr {
         const double number = op.attributes.number("epsilon");
         const auto axes = static_cast<int>(op.attributes.integer("axes", 1, op.rank(1)));
         return std::make_shared<const LayerNormalizationParameterGradOp>(number, axes);
       }},
      plain_op<ChannelMomentsOp>(1),
      plain_op<SquaredDeviationOp>(2),
      numbered<BatchNormalizationOp, attribute_names::epsilon>("BatchNormalization", 5),
      plain_op<BatchNormalizationSumsOp>(3),
      {"BatchNormalizationInputGradient", 7, 7,
       [](const OpDescription& op) -> OpPtr {
         const double number = op.attributes.number("epsilon");
         return std::make_shared<const BatchNormalizationInputGradientOp>(number, op.attributes.number("count"));
       }},
  };
}

OpTable linear_algebra_table() {
  return {
      {"Qr", 1, 1,
       [](const OpDescription& op) -> OpPtr {
         return std::make_shared<const QrOp>(op.attributes.flag("full_matrices") ? QrMode::complete : QrMode::reduced);
       }},
      flagged<CholeskyOp, attribute_names::throws>("Cholesky", 1),
      matrices<LuOp>(1),
      matrices<SelfAdjointEigenOp>(1),
      matrices<EigenOp>(1),
      {"Svd", 1, 1,
       [](const OpDescription& op) -> OpPtr {
         const bool full = op.attributes.flag("full_matrices");
         return std::make_shared<const SvdOp>(full, op.attributes.flag("compute_uv"));
       }},
      flagged<SolveOp, attribute_names::transpose>("MatrixSolve", 2),
      {"MatrixTriangularSolve", 2, 2,
       [](const OpDescription& op) -> OpPtr {
         op.require_same_dtype();
         const bool lower = op.attributes.flag("lower");
         return std::make_shared<const TriangularSolveOp>(lower, op.attributes.flag("transpose"));
       }},
      matrices<InverseOp>(1),
      {"PseudoInverse", 1, 1,
       [](const OpDescription& op) -> OpPtr {
         const double rcond = op.attributes.number("rcond");
         return std::make_shared<const PseudoInverseOp>(rcond, op.attributes.flag("keeps_limit"));
       }},
      matrices<DeterminantOp>(1),
      matrices<LogDeterminantOp>(1),
      flagged<FftOp, attribute_names::inverse>("FFT", 2),
      {"RFFT", 1, 2, [](const OpDescription&) -> OpPtr { return std::make_shared<const RfftOp>(); }},
      {"IRFFT", 2, 2,
       [](const OpDescription& op) -> OpPtr {
         return std::make_shared<const IrfftOp>(op.attributes.length("length"));
       }},
  };
}

OpTable sequence_table() {
  return {
      {"CTCLoss", 3, 4,
       [](const OpDescription& op) -> OpPtr {
         op.require(op.rank(0) == 3 && op.rank(1) == 2, "logits [B, T, C] and labels [B, L]");
         const std::int64_t batch = op.shape(0)[0];
         op.require(op.shape(1)[0] == batch && op.inputs[1].dtype == DType::int32, "int32 labels for each sample");
         for (const TensorSpec& lengths : op.inputs.subspan(2)) {
           op.require(lengths == TensorSpec{{batch}, DType::int32}, "an int32 length for each sample");
         }
         return std::make_shared<const CtcLossOp>(static_cast<int>(
             op.attributes.integer("blank_index", 0, std::min<std::int64_t>(op.shape(0)[2], 1 << 30) - 1)));
       }},
      {"CTCDecode", 2, 2,
       [](const OpDescription& op) -> OpPtr {
         op.require(op.rank(0) == 3, "logits [B, T, C]");
         op.require(op.inputs[1] == TensorSpec{{op.shape(0)[0]}, DType::int32}, "an int32 length for each sample");
         const bool is_greedy = op.attributes.flag("greedy");
         const std::int64_t width = op.attributes.integer("beam_width", 1, is_greedy ? 1 : 1 << 20);
         const std::int64_t paths = op.attributes.integer("top_paths", 1, width);
         const bool merges = op.attributes.flag("merge_repeated");
         const std::int64_t blank =
             op.attributes.integer("blank_index", 0, std::min<std::int64_t>(op.shape(0)[2], 1 << 30) - 1);
         return std::make_shared<const CtcDecodeOp>(is_greedy, width, paths, merges, static_cast<int>(blank));
       }},
  };
}

}  // namespace rhyton
