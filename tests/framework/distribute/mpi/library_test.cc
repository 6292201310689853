#include <rhyton/framework/distribute/mpi/library.h>

#include <optional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/tests/support/environment_variable.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::distribute {
namespace {

using test::EnvironmentVariable;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

/// The message of the RuntimeError with which that file is rejected.
std::string refusal_of(const std::string& file) {
  const EnvironmentVariable library("RHYTON_MPI_LIBRARY", file);
  return test::message_of<RuntimeError>([] { const MpiLibrary loaded; });
}

TEST(MpiLibrary, SaysWhatIsMissingAndWhatToInstall) {
  EXPECT_THAT(refusal_of("/nowhere/libmpi.so"),
              AllOf(StartsWith("Training with several processes needs Open MPI, which was not found: "),
                    HasSubstr("/nowhere/libmpi.so"), HasSubstr("apt-get install openmpi-bin"),
                    HasSubstr("RHYTON_MPI_LIBRARY")));
}

TEST(MpiLibrary, NamesAnMpiThatIsNotOpenMpi) {
  EXPECT_THAT(refusal_of(RHYTON_OTHER_MPI),
              AllOf(HasSubstr("is not Open MPI, which Rhyton needs, but 'MPICH Version:\t4.0.2'"),
                    HasSubstr("RHYTON_MPI_LIBRARY")));
}

TEST(MpiLibrary, NamesALibraryThatIsNoMpi) {
  EXPECT_THAT(refusal_of("libm.so.6"),
              AllOf(HasSubstr("'libm.so.6' lacks 'MPI_Get_library_version'"), HasSubstr("Open MPI")));
}

TEST(MpiLibrary, FindsOpenMpi) {
  const EnvironmentVariable unset("RHYTON_MPI_LIBRARY", std::nullopt);
  std::optional<MpiLibrary> library;
  try {
    library.emplace();
  } catch (const RuntimeError& error) {
    GTEST_SKIP() << error.what();
  }
  EXPECT_THAT(library->version(), StartsWith("Open MPI v"));
  int is_initialized = -1;
  EXPECT_EQ(library->initialized(&is_initialized), mpi::success);
  EXPECT_EQ(is_initialized, 0) << "loading it must not start it";
  EXPECT_NE(library->world, library->self);
}

}  // namespace
}  // namespace rhyton::distribute
