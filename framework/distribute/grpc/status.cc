#include <rhyton/framework/distribute/grpc/status.h>

#include <exception>
#include <new>

#include <rhyton/framework/distribute/task_service.h>
#include <rhyton/framework/error.h>

namespace rhyton::distribute::grpc_module {
namespace {

/// Messages travel in headers, whose size is limited.
grpc::Status with_message(grpc::StatusCode code, const std::exception& error) {
  return {code, std::string(error.what()).substr(0, 4000)};
}

}  // namespace

grpc::Status status_of_exception() {
  try {
    throw;
  } catch (const ValueError& error) {
    return with_message(grpc::StatusCode::INVALID_ARGUMENT, error);
  } catch (const InvalidArgumentError& error) {
    return with_message(grpc::StatusCode::OUT_OF_RANGE, error);
  } catch (const NotFoundError& error) {
    return with_message(grpc::StatusCode::NOT_FOUND, error);
  } catch (const ResourceExhaustedError& error) {
    return with_message(grpc::StatusCode::RESOURCE_EXHAUSTED, error);
  } catch (const std::bad_alloc& error) {
    return with_message(grpc::StatusCode::RESOURCE_EXHAUSTED, error);
  } catch (const NotImplementedError& error) {
    return with_message(grpc::StatusCode::ABORTED, error);  // UNIMPLEMENTED is gRPC's own, for unknown calls
  } catch (const RuntimeError& error) {
    return with_message(grpc::StatusCode::FAILED_PRECONDITION, error);
  } catch (const std::exception& error) {
    return with_message(grpc::StatusCode::INTERNAL, error);
  }
}

void throw_unless_ok(const grpc::Status& status, const std::string& task) {
  if (status.ok()) return;
  const std::string message = task + ": " + status.error_message();
  switch (status.error_code()) {
    case grpc::StatusCode::INVALID_ARGUMENT:
      throw ValueError(message);
    case grpc::StatusCode::OUT_OF_RANGE:
      throw InvalidArgumentError(message);
    case grpc::StatusCode::NOT_FOUND:
      throw NotFoundError(message);
    case grpc::StatusCode::RESOURCE_EXHAUSTED:
      throw ResourceExhaustedError(message);
    case grpc::StatusCode::ABORTED:
      throw NotImplementedError(message);
    case grpc::StatusCode::DEADLINE_EXCEEDED:
      throw UnavailableError(task + " has not answered in time: " + status.error_message() + ".");
    case grpc::StatusCode::UNAVAILABLE:
    case grpc::StatusCode::CANCELLED:
      throw UnavailableError(task + " cannot be reached: " + status.error_message() + ".");
    default:
      throw RuntimeError(message);
  }
}

}  // namespace rhyton::distribute::grpc_module
