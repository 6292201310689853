#include <rhyton/layers/sequence_window.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <span>

#include <rhyton/framework/error.h>

namespace rhyton::layers {
namespace {

constexpr double pi = std::numbers::pi;

/// Factor `i` of `length`, which is at least 2.
using FactorFunction = double (*)(double i, double length);

/// Σ a_k cos(k φ), where φ goes from -π to π.
double sum_of_cosines(double i, double length, std::initializer_list<double> coefficients) {
  const double angle = i == length - 1 ? pi : -pi + i * (2 * pi / (length - 1));
  double sum = 0;
  double k = 0;
  for (const double coefficient : coefficients) sum += coefficient * std::cos(k++ * angle);
  return sum;
}

/// The distance from the middle: 0 there, 1 at both ends.
double distance_from_middle(double i, double length) { return std::abs(2 * i / (length - 1) - 1); }

double barthann(double i, double length) {
  const double distance = std::abs(i / (length - 1) - 0.5);
  return 0.62 - 0.48 * distance + 0.38 * std::cos(2 * pi * distance);
}

double bartlett(double i, double length) {
  const double rise = 2 * i / (length - 1);
  return i <= (length - 1) / 2 ? rise : 2 - rise;
}

double blackman(double i, double length) { return sum_of_cosines(i, length, {0.42, 0.5, 0.08}); }

double blackman_harris(double i, double length) {
  return sum_of_cosines(i, length, {0.35875, 0.48829, 0.14128, 0.01168});
}

double bohman(double i, double length) {
  if (i == 0 || i == length - 1) return 0;
  const double distance = distance_from_middle(i, length);
  return (1 - distance) * std::cos(pi * distance) + std::sin(pi * distance) / pi;
}

double boxcar(double /*i*/, double /*length*/) { return 1; }

double cosine(double i, double length) { return std::sin(pi / length * (i + 0.5)); }

double exponential_decay(double i, double length) { return std::exp(-std::abs(i - (length - 1) / 2)); }

double flat_top(double i, double length) {
  return sum_of_cosines(i, length, {0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368});
}

double hamming(double i, double length) { return sum_of_cosines(i, length, {0.54, 1.0 - 0.54}); }

double hann(double i, double length) { return sum_of_cosines(i, length, {0.5, 0.5}); }

double lanczos(double i, double length) {
  const double x = pi * distance_from_middle(i, length);
  return x == 0 ? 1 : std::sin(x) / x;
}

double nuttall(double i, double length) {
  return sum_of_cosines(i, length, {0.3635819, 0.4891775, 0.1365995, 0.0106411});
}

double parzen(double i, double length) {
  const double n = std::abs(i - (length - 1) / 2);
  const double share = n / (length / 2);
  if (n <= (length - 1) / 4) return 1 - 6 * share * share + 6 * share * share * share;
  return 2 * std::pow(1 - share, 3);
}

/// With SciPy's defaults: four nearly equal side lobes of -30 dB.
double taylor(double i, double length) {
  constexpr double equal_lobes = 4;
  constexpr double decibels = 30;
  const double a = std::acosh(std::pow(10, decibels / 20)) / pi;
  const double scale = equal_lobes * equal_lobes / (a * a + (equal_lobes - 0.5) * (equal_lobes - 0.5));
  const auto coefficient = [&](double m) {
    double numerator = std::fmod(m, 2) == 1 ? 1 : -1;
    double denominator = 2;
    for (double k = 1; k < equal_lobes; ++k) {
      numerator *= 1 - m * m / scale / (a * a + (k - 0.5) * (k - 0.5));
      if (k != m) denominator *= 1 - m * m / (k * k);
    }
    return numerator / denominator;
  };
  const auto value = [&](double n) {
    double sum = 1;
    for (double m = 1; m < equal_lobes; ++m) {
      sum += 2 * coefficient(m) * std::cos(2 * pi * m * (n - length / 2 + 0.5) / length);
    }
    return sum;
  };
  return value(i) / value((length - 1) / 2);
}

double triangle(double i, double length) {
  const double n = std::min(i, length - 1 - i) + 1;
  return std::fmod(length, 2) == 0 ? (2 * n - 1) / length : 2 * n / (length + 1);
}

/// With SciPy's default: half of the window is tapered.
double tukey(double i, double length) {
  constexpr double tapered = 0.5;
  const double width = std::floor(tapered * (length - 1) / 2);
  const double position = 2 * i / tapered / (length - 1);
  if (i <= width) return 0.5 * (1 + std::cos(pi * (-1 + position)));
  if (i < length - width - 1) return 1;
  return 0.5 * (1 + std::cos(pi * (-2 / tapered + 1 + position)));
}

struct NamedWindow {
  std::array<std::string_view, 5> names;
  /// Null for a window that has parameters.
  FactorFunction factor;
};

constexpr NamedWindow windows[] = {
    {{"barthann", "brthan", "bth"}, barthann},
    {{"bartlett", "bart", "brt"}, bartlett},
    {{"blackman", "black", "blk"}, blackman},
    {{"blackmanharris", "blackharr", "bkh"}, blackman_harris},
    {{"bohman", "bman", "bmn"}, bohman},
    {{"boxcar", "box", "ones", "rect", "rectangular"}, boxcar},
    {{"chebwin", "cheb"}, nullptr},
    {{"cosine", "halfcosine"}, cosine},
    {{"dpss"}, nullptr},
    {{"exponential", "poisson"}, exponential_decay},
    {{"flattop", "flat", "flt"}, flat_top},
    {{"gaussian", "gauss", "gss"}, nullptr},
    {{"general cosine", "general_cosine"}, nullptr},
    {{"general gaussian", "general_gaussian", "general gauss", "general_gauss", "ggs"}, nullptr},
    {{"general hamming", "general_hamming"}, nullptr},
    {{"hamming", "hamm", "ham"}, hamming},
    {{"hann", "han"}, hann},
    {{"kaiser", "ksr"}, nullptr},
    {{"kaiser bessel derived", "kaiser_bessel_derived", "kbd"}, nullptr},
    {{"lanczos", "sinc"}, lanczos},
    {{"nuttall", "nutl", "nut"}, nuttall},
    {{"parzen", "parz", "par"}, parzen},
    {{"taylor", "taylorwin"}, taylor},
    {{"triangle", "triang", "tri"}, triangle},
    {{"tukey", "tuk"}, tukey},
};

/// A name without its ending, and what that says.
struct WindowName {
  explicit WindowName(std::string_view given) : name(given) {
    for (const auto& [ending, periodic] : {std::pair("_symmetric", false), std::pair("_periodic", true)}) {
      if (!name.ends_with(ending)) continue;
      name.remove_suffix(std::string_view(ending).size());
      is_periodic = periodic;
      return;
    }
  }

  std::string_view name;
  std::optional<bool> is_periodic;
};

FactorFunction find_window(const std::string& given) {
  const std::string name(WindowName(given).name);
  for (const NamedWindow& window : windows) {
    if (name.empty() || std::ranges::find(window.names, name) == window.names.end()) continue;
    if (window.factor != nullptr) return window.factor;
    throw ValueError("'" + name + "' must have parameters, but window='" + given + "'!");
  }
  throw ValueError("Invalid window name '" + name + "' in parameter window='" + given + "'!");
}

/// The list in the forms of Keras: itself, a tuple, an array of NumPy or a tensor.
const io::Json& list_in(const io::Json& config) {
  if (!config.is_object()) return config;
  if (const io::Json* const items = config.find("items")) return *items;
  return config["config"]["value"];
}

}  // namespace

io::Json WindowFactors::to_config() const { return is_name() ? io::Json(name()) : io::Json::array_from(numbers()); }

WindowFactors WindowFactors::from_config(const io::Json& config) {
  if (config.is_string()) return WindowFactors(config.as_string());
  std::vector<double> numbers;
  for (const io::Json& number : list_in(config)) numbers.push_back(number.as_double());
  return WindowFactors(std::move(numbers));
}

SequenceWindowArgument::SequenceWindowArgument(const Tensor& numbers) {
  if (numbers.rank() != 1) {
    throw ValueError("A `window` must be a vector. Received: window shape=" + numbers.shape().to_string());
  }
  value_ = WindowFactors(numbers.to_vector());
}

void require_window_name(const std::string& name) { find_window(name); }

std::vector<double> window_factors(const std::string& name, std::int64_t length, bool is_periodic) {
  const FactorFunction factor = find_window(name);
  if (length < 1) throw ValueError("Parameter Nx=" + std::to_string(length) + " is not a positive integer");
  std::vector<double> factors(static_cast<std::size_t>(length), 1.0);
  if (length == 1) return factors;
  const auto period = static_cast<double>(WindowName(name).is_periodic.value_or(is_periodic) ? length + 1 : length);
  for (std::size_t i = 0; i < factors.size(); ++i) factors[i] = factor(static_cast<double>(i), period);
  return factors;
}

}  // namespace rhyton::layers
