#include <rhyton/tests/applications/all_applications.h>

#include <optional>

#include <rhyton/applications/applications.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/tensor/shape.h>

namespace rhyton::applications {
namespace {

using io::Json;

template <class Options>
Options options_of(const Json& arguments) {
  Options options;
  options.weights = std::nullopt;
  for (const auto& [key, value] : arguments.items()) {
    if (key == "weights") {
      options.weights = value.as_string();
    } else if (key == "include_top") {
      options.include_top = value.as_bool();
    } else if (key == "input_shape") {
      Shape shape;
      for (const Json& length : value) shape.push_back(length.as_int());
      options.input_shape = shape;
    } else if (key == "pooling") {
      options.pooling = value.as_string();
    } else if (key == "classes") {
      options.classes = value.as_int();
    } else if (key == "classifier_activation") {
      options.classifier_activation = value.is_null() ? "linear" : value.as_string();
    } else if (key == "name") {
      options.name = value.as_string();
    } else if (key != "data_format") {
      bool is_known = false;
      if constexpr (requires { options.alpha; }) {
        if (key == "alpha") options.alpha = value.as_double();
        is_known = is_known || key == "alpha";
      }
      if constexpr (requires { options.depth_multiplier; }) {
        if (key == "depth_multiplier") options.depth_multiplier = value.as_int();
        if (key == "dropout") options.dropout = value.as_double();
        is_known = is_known || key == "depth_multiplier" || key == "dropout";
      }
      if constexpr (requires { options.minimalistic; }) {
        if (key == "minimalistic") options.minimalistic = value.as_bool();
        if (key == "dropout_rate") options.dropout_rate = value.as_double();
        is_known = is_known || key == "minimalistic" || key == "dropout_rate";
      }
      if constexpr (requires { options.include_preprocessing; }) {
        if (key == "include_preprocessing") options.include_preprocessing = value.as_bool();
        is_known = is_known || key == "include_preprocessing";
      }
      if (!is_known) throw Error("There is no argument '" + key + "'");
    }
  }
  return options;
}

template <class Options>
MakeApplication maker(models::Model (*make)(const Options& options)) {
  return [make](const Json& arguments) { return make(options_of<Options>(arguments)); };
}

}  // namespace

const std::map<std::string, MakeApplication>& all_applications() {
  static const std::map<std::string, MakeApplication> models = {
      {"ConvNeXtBase", maker(ConvNeXtBase)},
      {"ConvNeXtLarge", maker(ConvNeXtLarge)},
      {"ConvNeXtSmall", maker(ConvNeXtSmall)},
      {"ConvNeXtTiny", maker(ConvNeXtTiny)},
      {"ConvNeXtXLarge", maker(ConvNeXtXLarge)},
      {"DenseNet121", maker(DenseNet121)},
      {"DenseNet169", maker(DenseNet169)},
      {"DenseNet201", maker(DenseNet201)},
      {"EfficientNetB0", maker(EfficientNetB0)},
      {"EfficientNetB1", maker(EfficientNetB1)},
      {"EfficientNetB2", maker(EfficientNetB2)},
      {"EfficientNetB3", maker(EfficientNetB3)},
      {"EfficientNetB4", maker(EfficientNetB4)},
      {"EfficientNetB5", maker(EfficientNetB5)},
      {"EfficientNetB6", maker(EfficientNetB6)},
      {"EfficientNetB7", maker(EfficientNetB7)},
      {"EfficientNetV2B0", maker(EfficientNetV2B0)},
      {"EfficientNetV2B1", maker(EfficientNetV2B1)},
      {"EfficientNetV2B2", maker(EfficientNetV2B2)},
      {"EfficientNetV2B3", maker(EfficientNetV2B3)},
      {"EfficientNetV2L", maker(EfficientNetV2L)},
      {"EfficientNetV2M", maker(EfficientNetV2M)},
      {"EfficientNetV2S", maker(EfficientNetV2S)},
      {"InceptionResNetV2", maker(InceptionResNetV2)},
      {"InceptionV3", maker(InceptionV3)},
      {"MobileNet", maker(MobileNet)},
      {"MobileNetV2", maker(MobileNetV2)},
      {"MobileNetV3Large", maker(MobileNetV3Large)},
      {"MobileNetV3Small", maker(MobileNetV3Small)},
      {"NASNetLarge", maker(NASNetLarge)},
      {"NASNetMobile", maker(NASNetMobile)},
      {"ResNet101", maker(ResNet101)},
      {"ResNet101V2", maker(ResNet101V2)},
      {"ResNet152", maker(ResNet152)},
      {"ResNet152V2", maker(ResNet152V2)},
      {"ResNet50", maker(ResNet50)},
      {"ResNet50V2", maker(ResNet50V2)},
      {"VGG16", maker(VGG16)},
      {"VGG19", maker(VGG19)},
      {"Xception", maker(Xception)},
  };
  return models;
}

}  // namespace rhyton::applications
