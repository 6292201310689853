#pragma once

#include <string>
#include <vector>

#include <rhyton/framework/by_name.h>

namespace rhyton::datasets {

/// Arguments of `get_file` besides the URL. Fields in the order of Keras's signature.
struct GetFileOptions {
  ByName by_name = ByName();
  /// The name of the file in the cache; that in the URL if empty.
  std::string fname = {};
  /// The checksum of the file, 64 hexadecimal digits of SHA-256 or 32 of MD5; not checked if empty.
  std::string file_hash = {};
  /// The folder within `cache_dir`, or an absolute path.
  std::string cache_subdir = "datasets";
  /// "sha256", "md5", or "auto": by the length of `file_hash`.
  std::string hash_algorithm = "auto";
  /// Whether the file is an archive that is extracted; the result is then the path of the folder with its content: for
  /// "data.tgz" that of "data_extracted", for "data" of "data", where the archive is "data_archive".
  bool extract = false;
  /// The formats that are tried: "tar", plain or compressed by gzip, and "zip".
  std::vector<std::string> archive_format = {"tar", "zip"};
  /// `$KERAS_HOME`, else `~/.keras`, if empty; `/tmp/.keras` where that is not writable.
  std::string cache_dir = {};
  /// Whether the file is downloaded even if it is in the cache.
  bool force_download = false;
};

/// The path of a file that is downloaded from `origin` (`https://`, `http://`, `file://`) unless the cache has it
/// (`keras.utils.get_file`). A file in the cache whose checksum is another one is downloaded again. Progress is shown on
/// the standard output. Throws ValueError in Keras's words without `origin`, for a path as
/// `fname`, and for another `hash_algorithm`; IOError if the file cannot be downloaded or its checksum is wrong,
/// and what `io::extract_archive` throws; warns of a file that is no archive.
std::string get_file(const std::string& origin, const GetFileOptions& options = {});

}  // namespace rhyton::datasets
