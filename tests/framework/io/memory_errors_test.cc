#include <rhyton/framework/io/memory_errors.h>

#include <sys/resource.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <new>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/io/atomic_file.h>
#include <rhyton/framework/io/gzip.h>
#include <rhyton/framework/io/hdf5/hdf5.h>
#include <rhyton/tests/framework/io/temporary_folder.h>

namespace rhyton::io {
namespace {

using test::message_of;
using test::TemporaryFolder;

TEST(MemoryErrors, NameTheFile) {
  EXPECT_EQ(naming_memory_errors("a.npy", [] { return 7; }), 7);
  EXPECT_EQ(message_of<ResourceExhaustedError>([] { naming_memory_errors("a.npy", [] { throw std::bad_alloc(); }); }),
            "not enough memory to read \"a.npy\"");
  EXPECT_EQ(message_of<ResourceExhaustedError>(
                [] { naming_memory_errors("a.npy", [] { throw ResourceExhaustedError("OOM"); }); }),
            "not enough memory to read \"a.npy\": OOM");
  EXPECT_EQ(message_of<ResourceExhaustedError>(
                [] { naming_memory_errors("a.npy", [] { throw ResourceExhaustedError("\"a.npy\" is large"); }); }),
            "\"a.npy\" is large");
  EXPECT_THROW(naming_memory_errors("a.npy", [] { throw IOError("something else"); }), IOError);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool takes_addresses_at_will = true;
#else
constexpr bool takes_addresses_at_will = false;
#endif

/// Expects reading in a process with a memory limit to fail with a message that names the file.
void expect_named(const std::function<void()>& read, const std::string& name) {
  const auto read_with_little_memory = [&] {
    constexpr rlim_t some = rlim_t{1} << 30;
    const rlimit limit = {some, some};
    ::setrlimit(RLIMIT_AS, &limit);
    std::cerr << message_of<ResourceExhaustedError>(read) << std::endl;
    std::_Exit(0);
  };
  EXPECT_EXIT(read_with_little_memory(), testing::ExitedWithCode(0), "not enough memory to read \"" + name);
}

TEST(MemoryErrorsDeathTest, OfReadersNameTheFile) {
  if (takes_addresses_at_will) GTEST_SKIP() << "the sanitizer takes more addresses than the limit allows";
  const TemporaryFolder folder;
  constexpr std::uintmax_t large = std::uintmax_t{3} << 30;
  const std::string plain = folder / "plain.bin";
  test::put(plain, "x");
  std::filesystem::resize_file(plain, large);  // takes no space on the disk
  expect_named([&] { read_file(plain); }, plain);

  const std::string hdf5 = folder / "weights.h5";
  {
    Hdf5File file = Hdf5File::create(hdf5);
    file.root().write_dataset("numbers", Tensor::zeros({64, 1024, 1024}));
    file.commit();
  }
  std::filesystem::resize_file(hdf5, large);
  expect_named(
      [&] {
        std::vector<Tensor> several;
        for (int i = 0; i < 8; ++i) several.push_back(Hdf5File::open_read(hdf5).root().read_dataset("numbers"));
      },
      hdf5);
}

}  // namespace
}  // namespace rhyton::io
