// Files that exceed the size limit of the process (`ulimit -f`).

#include <rhyton/framework/io/file_size_signal.h>

#include <sys/resource.h>

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/io/atomic_file.h>
#include <rhyton/framework/io/hdf5/hdf5.h>
#include <rhyton/framework/io/npy.h>
#include <rhyton/framework/io/zip/zip.h>
#include <rhyton/tests/framework/io/temporary_folder.h>

namespace rhyton::io {
namespace {

using test::message_of;
using test::TemporaryFolder;
using ::testing::IsEmpty;

/// During its lifetime, files cannot grow.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() { ::setrlimit(RLIMIT_FSIZE, &before_); }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
};

bool is_blocked() {
  sigset_t signals;
  ::pthread_sigmask(SIG_BLOCK, nullptr, &signals);
  return sigismember(&signals, SIGXFSZ) == 1;
}

/// Expects writing to `path` to fail with the reason, and to leave no file.
template <class Write>
void expect_too_large(const std::string& name, Write write) {
  const TemporaryFolder folder;
  const std::string path = folder / name;
  std::string message;
  {
    const FileSizeLimit limit(20000);
    message = message_of<IOError>([&] { write(path); });
  }
  EXPECT_EQ(message, "cannot write \"" + path + "\": File too large");
  EXPECT_THAT(folder.names(), IsEmpty());
  EXPECT_FALSE(is_blocked());
}

TEST(FileSizeSignal, IsAnErrorOfTheWriteForEveryKindOfFile) {
  const Tensor numbers = Tensor::zeros({100, 100});
  expect_too_large("numbers.bin", [&](const std::string& path) { write_file(path, std::string(40000, 'x')); });
  expect_too_large("numbers.npy", [&](const std::string& path) { write_npy(path, numbers); });
  expect_too_large("numbers.h5", [&](const std::string& path) {
    Hdf5File file = Hdf5File::create(path);
    file.root().write_dataset("numbers", numbers);
    file.commit();
  });
  expect_too_large("many.h5", [&](const std::string& path) {
    Hdf5File file = Hdf5File::create(path);
    for (int i = 0; i < 2000; ++i) file.root().create_group("a_group_of_some_name_" + std::to_string(i));
    file.commit();
  });
  expect_too_large("numbers.zip", [&](const std::string& path) {
    ZipWriter archive{std::filesystem::path(path)};
    archive.add_stored("text", std::string(30000, 'x'));
    archive.commit();
  });
  expect_too_large("numbers.keras", [&](const std::string& path) {
    ZipWriter archive{std::filesystem::path(path)};
    archive.add_stored("text", "x");
    archive.begin_hdf5("weights.h5").root().write_dataset("numbers", numbers);
    archive.commit();
  });
}

TEST(FileSizeSignal, IsLeftAsItWas) {
  EXPECT_FALSE(is_blocked());
  {
    const NoFileSizeSignal outer;
    {
      const NoFileSizeSignal inner;
      EXPECT_TRUE(is_blocked());
    }
    EXPECT_TRUE(is_blocked());
    ::raise(SIGXFSZ);
  }
  EXPECT_FALSE(is_blocked());
}

}  // namespace
}  // namespace rhyton::io
