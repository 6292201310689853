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

/// The path of that file in `weights_folder`. Throws NotFoundError naming the file, its address and the folder if it is
/// not there: it is not downloaded. The checksum is not compared.
std::filesystem::path weights_file(const RemoteFile& file);

}  // namespace rhyton::applications
