#pragma once

#include <string>
#include <utility>
#include <vector>

#include <rhyton/framework/ops/pooling.h>
#include <rhyton/layers/image_layout.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/size2.h>

namespace rhyton::layers {

using PoolFunction = Tensor (*)(const Tensor&, const Pool2DAttributes&);

/// What the layers that pool images have in common.
class Pooling2DImpl final : public LayerImpl {
 public:
  template <class Options>
  Pooling2DImpl(std::string class_name, PoolFunction pool, const Options& options)
      : LayerImpl(base_options(options)),
        class_name_(std::move(class_name)),
        pool_(pool),
        pool_size_(options.pool_size),
        strides_(options.strides.is_given() ? options.strides : options.pool_size),
        padding_(window_padding(options.padding)),
        layout_(options.data_format) {
    pool_size_.require_positive("pool_size");
    strides_.require_positive("strides");
    mark_built();
  }

  std::string class_name() const override { return class_name_; }
  void check_inputs(const std::vector<Shape>& inputs) const override;
  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool training) override;
  io::Json get_config() const override;

 private:
  std::string class_name_;
  PoolFunction pool_;
  Size2 pool_size_;
  Size2 strides_;
  Padding padding_;
  ImageLayout layout_;
};

template <class Options>
Options with_pool_size(Options options, const Size2& pool_size) {
  options.pool_size = pool_size;
  return options;
}

template <class Options>
Options read_pooling_options(const std::string& class_name, const io::Json& config) {
  ConfigReader reader(class_name, config);
  Options options;
  reader.read_base(options);
  reader.read("pool_size", options.pool_size);
  reader.read("strides", options.strides);
  reader.read("padding", options.padding);
  reader.read("data_format", options.data_format);
  reader.finish();
  return options;
}

}  // namespace rhyton::layers
