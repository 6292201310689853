#pragma once

#include <bit>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/rhyton.h>
#include <rhyton/tests/apps/programs.h>

namespace rhyton::test {

/// Runs `rhyton` on files saved by Keras.
class RhytonTool : public Programs {
 protected:
  static constexpr int error = 1;
  static constexpr int wrong_usage = 2;

  /// A file of tests/golden/keras_files.
  static std::string golden(const std::string& name) { return RHYTON_GOLDEN_DIR "/keras_files/" + name; }
  /// One of the arrays beside such a file.
  static Tensor golden_array(const std::string& model, const std::string& name) {
    return io::read_npz(golden(model + ".npz"), name);
  }

  Outcome rhyton(const std::string& arguments) const { return run("rhyton " + arguments); }
  /// The output of a command that must succeed.
  std::string output_of(const std::string& arguments) const {
    const Outcome outcome = rhyton(arguments);
    EXPECT_EQ(outcome.status, 0) << arguments << "\n" << outcome.errors;
    EXPECT_EQ(outcome.errors, "") << arguments;
    return outcome.output;
  }
  io::Json json_of(const std::string& arguments) const {
    const std::string output = output_of(arguments + " --json");
    EXPECT_EQ(lines_of(output).size(), 1u) << output;
    return io::Json::parse(output);
  }
  /// Expects the command to fail with that status and one line that contains `reason`.
  void expect_failure(const std::string& arguments, int status, const std::string& reason) const {
    const Outcome outcome = rhyton(arguments);
    EXPECT_EQ(outcome.status, status) << arguments << "\n" << outcome.errors;
    EXPECT_EQ(outcome.output, "") << arguments;
    EXPECT_EQ(lines_of(outcome.errors).size(), 1u) << arguments << "\n" << outcome.errors;
    EXPECT_TRUE(outcome.errors.starts_with("rhyton: ")) << outcome.errors;
    EXPECT_TRUE(outcome.errors.ends_with("\n")) << outcome.errors;
    EXPECT_THAT(outcome.errors, ::testing::HasSubstr(reason)) << arguments;
  }

  /// A file with the first half of another.
  std::string half_of(const std::string& file, const std::string& name) const {
    const std::string content = content_of(file);
    put(path(name), std::string_view(content).substr(0, content.size() / 2));
    return path(name);
  }
};

/// A .npy file as NumPy writes it.
inline std::string npy_file(const std::string& descr, bool fortran_order, const std::string& shape,
                            std::string_view elements) {
  std::string header = "{'descr': '" + descr + "', 'fortran_order': " + (fortran_order ? "True" : "False") +
                       ", 'shape': " + shape + ", }";
  header += std::string(63 - (10 + header.size()) % 64, ' ') + "\n";
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(header.size() & 0xff);
  file += static_cast<char>(header.size() >> 8);
  return file + header + std::string(elements);
}

/// Numbers in a file's byte order.
template <class T>
std::string stored(const std::vector<double>& values, std::endian order) {
  std::string bytes;
  for (const double value : values) {
    const auto element = static_cast<T>(value);
    std::string one(sizeof(T), '\0');
    std::memcpy(one.data(), &element, sizeof(T));
    if (order != std::endian::native) one = std::string(one.rbegin(), one.rend());
    bytes += one;
  }
  return bytes;
}

/// Compares shape, dtype and every bit.
inline void expect_same_tensor(const Tensor& a, const Tensor& b, const std::string& what = "") {
  ASSERT_EQ(a.shape(), b.shape()) << what;
  ASSERT_EQ(a.dtype(), b.dtype()) << what;
  EXPECT_EQ(std::memcmp(a.raw_data(), b.raw_data(), a.spec().bytes()), 0) << what;
}

}  // namespace rhyton::test
