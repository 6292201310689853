#pragma once

#include <filesystem>
#include <string>

namespace rhyton::applications {

/// A file that Keras downloads into the folder `models` of its cache.
struct RemoteFile {
  std::string name;
  std::string url;
  /// MD5 or SHA-256, in 32 or 64 hexadecimal digits; empty if Keras has none.
  std::string checksum = {};
};

/// Where Keras keeps the files of its applications: `$KERAS_HOME/models`, else `~/.keras/models`.
std::filesystem::path weights_folder();

/// The path of that file in `weights_folder`. If it is not there, or has another checksum, it is downloaded, with a
/// progress bar on the standard output; the environment variable `RHYTON_KERAS_STORAGE` is the address of a mirror of
/// `https://storage.googleapis.com`. Throws IOError naming the file, its address and the folder if that fails; a file
/// that was there stays.
std::filesystem::path weights_file(const RemoteFile& file);

}  // namespace rhyton::applications
