#include <rhyton/framework/distribute/transport.h>

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/tests/support/environment_variable.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::distribute {
namespace {

TEST(TransportSecurity, IsNotNeededOnLoopback) {
  for (const char* const address : {"localhost:1", "127.0.0.1:1", "127.5.4.3:65535", "[::1]:1"}) {
    EXPECT_TRUE(is_loopback(address)) << address;
    EXPECT_NO_THROW(require_security(address, {})) << address;
  }
}

TEST(TransportSecurity, IsNeededBeyondLoopback) {
  for (const char* const address :
       {"10.0.0.1:1", "0.0.0.0:1", "[::]:1", "127.example.com:1", "localhost.example.com:1", "node1:1"}) {
    EXPECT_FALSE(is_loopback(address)) << address;
    EXPECT_THROW(require_security(address, {}), ValueError) << address;
    EXPECT_NO_THROW(require_security(address, {.insecure = true})) << address;
    EXPECT_NO_THROW(
        require_security(address, {.certificate_file = "task.pem", .key_file = "task.key", .root_file = "root.pem"}))
        << address;
  }
  EXPECT_EQ(
      test::message_of<ValueError>([] { require_security("node1:2222", {}); }),
      "The address 'node1:2222' is not on the loopback interface: expected TLS files (certificate_file, key_file, "
      "root_file), or insecure = true for a network that nobody else can use, got neither.");
}

TEST(TransportSecurity, NeedsAllThreeFiles) {
  EXPECT_THROW(require_security("127.0.0.1:1", {.key_file = "task.key"}), ValueError);
  EXPECT_THROW(require_security("node1:1", {.certificate_file = "task.pem", .root_file = "root.pem"}), ValueError);
}

TEST(GrpcTransport, SaysWhatToInstallWhereItIsMissing) {
  const test::EnvironmentVariable module("RHYTON_GRPC_MODULE", "/nowhere/librhyton_grpc.so");
  EXPECT_THAT(test::message_of<RuntimeError>([] { grpc_transport(); }),
              testing::AllOf(testing::StartsWith("Clusters of tasks need gRPC, which was not found: there is no module "
                                                 "'/nowhere/librhyton_grpc.so', so Rhyton was built without gRPC."),
                             testing::HasSubstr("apt-get install libgrpc++-dev")));
}

}  // namespace
}  // namespace rhyton::distribute
