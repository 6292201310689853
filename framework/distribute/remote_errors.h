#pragma once

#include <string>

#include <rhyton/framework/distribute/task_service.h>
#include <rhyton/framework/error.h>

namespace rhyton::distribute {

/// Calls `work`, and adds to its exceptions what it was ("op MatMul") and the device.
template <class Work>
auto with_device(const std::string& what, const std::string& device, const Work& work) {
  const std::string context = " This was " + what + " on device " + device + ".";
  try {
    return work();
  } catch (const UnavailableError& error) {
    throw UnavailableError(error.what() + context);
  } catch (const NotFoundError& error) {
    throw NotFoundError(error.what() + context);
  } catch (const ResourceExhaustedError& error) {
    throw ResourceExhaustedError(error.what() + context);
  } catch (const InvalidArgumentError& error) {
    throw InvalidArgumentError(error.what() + context);
  } catch (const NotImplementedError& error) {
    throw NotImplementedError(error.what() + context);
  } catch (const ValueError& error) {
    throw ValueError(error.what() + context);
  } catch (const RuntimeError& error) {
    throw RuntimeError(error.what() + context);
  }
}

}  // namespace rhyton::distribute
