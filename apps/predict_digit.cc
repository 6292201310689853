// Classifies a drawn digit: an image file, dark on light or light on dark, and a model trained on MNIST.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <rhyton/rhyton.h>

using namespace rhyton;

namespace {

/// Ink from 0 (paper) to 1, row by row.
struct Drawing {
  std::int64_t height = 0;
  std::int64_t width = 0;
  std::vector<float> ink;

  float at(std::int64_t row, std::int64_t column) const { return ink[static_cast<std::size_t>(row * width + column)]; }
};

// The border is paper: pixels that differ from it are ink.
Drawing read_drawing(const std::string& path) {
  const Tensor image = datasets::load_img(path, {.color_mode = "grayscale"});
  const std::uint8_t* const levels = image.data<std::uint8_t>();
  Drawing drawing = {.height = image.shape()[0], .width = image.shape()[1], .ink = {}};
  std::vector<std::uint8_t> border;
  for (std::int64_t i = 0; i < drawing.height * drawing.width; ++i) {
    const std::int64_t row = i / drawing.width;
    const std::int64_t column = i % drawing.width;
    if (row == 0 || column == 0 || row == drawing.height - 1 || column == drawing.width - 1)
      border.push_back(levels[i]);
  }
  std::nth_element(border.begin(), border.begin() + static_cast<std::ptrdiff_t>(border.size() / 2), border.end());
  const float paper = border[border.size() / 2];
  const bool is_dark_on_light = paper >= 128;
  float strongest = 0;
  for (std::int64_t i = 0; i < drawing.height * drawing.width; ++i) {
    const float difference = is_dark_on_light ? paper - levels[i] : levels[i] - paper;
    drawing.ink.push_back(std::max(0.0F, difference));
    strongest = std::max(strongest, drawing.ink.back());
  }
  constexpr float visible = 16;
  if (strongest < visible) throw ValueError("\"" + path + "\" is blank: all pixels are equally bright");
  // Removes the noise of the paper.
  for (float& ink : drawing.ink) ink = ink / strongest < 0.2F ? 0 : ink / strongest;
  return drawing;
}

// The smallest part that contains all ink.
Drawing cropped(const Drawing& drawing) {
  std::int64_t top = drawing.height;
  std::int64_t left = drawing.width;
  std::int64_t bottom = -1;
  std::int64_t right = -1;
  for (std::int64_t row = 0; row < drawing.height; ++row) {
    for (std::int64_t column = 0; column < drawing.width; ++column) {
      if (drawing.at(row, column) == 0) continue;
      top = std::min(top, row);
      bottom = std::max(bottom, row);
      left = std::min(left, column);
      right = std::max(right, column);
    }
  }
  Drawing part = {.height = bottom - top + 1, .width = right - left + 1, .ink = {}};
  for (std::int64_t row = top; row <= bottom; ++row) {
    for (std::int64_t column = left; column <= right; ++column) part.ink.push_back(drawing.at(row, column));
  }
  return part;
}

// Each pixel becomes the mean of the pixels that it covers.
Drawing scaled(const Drawing& drawing, std::int64_t height, std::int64_t width) {
  Drawing result = {.height = height, .width = width, .ink = {}};
  const auto covered = [](std::int64_t pixel, std::int64_t from, std::int64_t to) {
    const double scale = static_cast<double>(from) / static_cast<double>(to);
    return std::pair(static_cast<double>(pixel) * scale, static_cast<double>(pixel + 1) * scale);
  };
  for (std::int64_t row = 0; row < height; ++row) {
    const auto [top, bottom] = covered(row, drawing.height, height);
    for (std::int64_t column = 0; column < width; ++column) {
      const auto [left, right] = covered(column, drawing.width, width);
      double sum = 0;
      for (auto y = static_cast<std::int64_t>(top); y < drawing.height && static_cast<double>(y) < bottom; ++y) {
        const double part = std::min(bottom, static_cast<double>(y + 1)) - std::max(top, static_cast<double>(y));
        for (auto x = static_cast<std::int64_t>(left); x < drawing.width && static_cast<double>(x) < right; ++x) {
          sum += part * (std::min(right, static_cast<double>(x + 1)) - std::max(left, static_cast<double>(x))) *
                 static_cast<double>(drawing.at(y, x));
        }
      }
      result.ink.push_back(static_cast<float>(sum / ((bottom - top) * (right - left))));
    }
  }
  return result;
}

// Converts the drawing in the same way as MNIST: 20 pixels on the longer side, in a frame of 28 × 28 with the centre of
// mass in the middle.
Tensor as_mnist(const Drawing& drawing) {
  constexpr std::int64_t digit_side = 20;
  constexpr std::int64_t frame_side = 28;
  const std::int64_t longer = std::max(drawing.height, drawing.width);
  const auto side = [&](std::int64_t length) { return std::max<std::int64_t>(1, length * digit_side / longer); };
  const Drawing digit = scaled(drawing, side(drawing.height), side(drawing.width));
  double mass = 0;
  double row_mass = 0;
  double column_mass = 0;
  for (std::int64_t row = 0; row < digit.height; ++row) {
    for (std::int64_t column = 0; column < digit.width; ++column) {
      const auto ink = static_cast<double>(digit.at(row, column));
      mass += ink;
      row_mass += ink * (static_cast<double>(row) + 0.5);
      column_mass += ink * (static_cast<double>(column) + 0.5);
    }
  }
  const auto margin = [&](double moment, std::int64_t length) {
    const auto middle = std::lround(static_cast<double>(frame_side) / 2 - moment / mass);
    return std::clamp<std::int64_t>(middle, 0, frame_side - length);
  };
  const std::int64_t top = margin(row_mass, digit.height);
  const std::int64_t left = margin(column_mass, digit.width);
  // Downscaling makes fine strokes pale, unlike those of MNIST.
  const float strongest = *std::max_element(digit.ink.begin(), digit.ink.end());
  Tensor frame = Tensor::zeros({1, frame_side, frame_side, 1});
  for (std::int64_t row = 0; row < digit.height; ++row) {
    for (std::int64_t column = 0; column < digit.width; ++column) {
      frame.mutable_data<float>()[(top + row) * frame_side + left + column] = digit.at(row, column) / strongest;
    }
  }
  return frame;
}

// Applies the softmax if the model ends in logits, as those of mnist_cnn do.
std::vector<double> probabilities(const Tensor& output) {
  std::vector<double> values = output.to_vector();
  double sum = 0;
  for (const double value : values) sum += value;
  const bool are_probabilities =
      std::abs(sum - 1) < 1e-3 && std::all_of(values.begin(), values.end(), [](double value) { return value >= 0; });
  return are_probabilities ? values : softmax(output).to_vector();
}

std::string bar(double probability) {
  constexpr int cells = 40;
  std::string text;
  for (int cell = 0; cell < std::lround(probability * cells); ++cell) text += "█";
  return text;
}

// The value of full ink for the model: 255, as in the files of MNIST, if it scales its input itself, else 1.
double full_ink(const models::Model& model) {
  const std::vector<layers::Layer> layers = model.layers();
  return std::any_of(layers.begin(), layers.end(),
                     [](const layers::Layer& layer) { return layer.class_name() == "Rescaling"; })
             ? 255.0
             : 1.0;
}

void run(const std::string& model_path, const std::vector<std::string>& images) {
  const models::Model model = models::load_model(model_path, {.compile = false});
  const double ink = full_ink(model);
  for (const std::string& path : images) {
    const Tensor output = model.predict(as_mnist(cropped(read_drawing(path))) * ink, {.verbose = 0});
    if (output.size() != 10) {
      throw ValueError("\"" + model_path + "\" is not a model for ten digits: its output has the shape " +
                       output.shape().to_string());
    }
    const std::vector<double> classes = probabilities(output);
    std::cout << path << ": " << std::max_element(classes.begin(), classes.end()) - classes.begin() << "\n";
    for (std::size_t digit = 0; digit < classes.size(); ++digit) {
      const std::string percent = std::to_string(std::lround(1000 * classes[digit]));
      const std::string padded = std::string(percent.size() < 2 ? 1 : 0, '0') + percent;
      const std::string text = padded.substr(0, padded.size() - 1) + "." + padded.back() + " %";
      std::cout << "  " << digit << std::string(9 - text.size(), ' ') << text << "  " << bar(classes[digit]) << "\n";
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::string model;
  std::vector<std::string> images;
  CLI::App app("Classifies drawn digits.");
  app.add_option("MODEL", model, "A model trained on MNIST: mnist_cnn --save digits.keras makes one")->required();
  app.add_option("IMAGE", images, "PNG, JPEG, BMP or GIF files, one digit each, dark on light or light on dark")
      ->required();
  CLI11_PARSE(app, argc, argv);
  try {
    run(model, images);
  } catch (const std::exception& error) {
    std::cerr << "predict_digit: " << error.what() << "\n";
    return 1;
  }
}
