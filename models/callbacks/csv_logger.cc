#include <rhyton/models/callbacks/csv_logger.h>

#include <cerrno>
#include <cmath>
#include <fstream>
#include <memory>
#include <system_error>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/io/file_size_signal.h>
#include <rhyton/framework/io/json/json.h>
#include <rhyton/models/callbacks/log_order.h>

namespace rhyton::callbacks {
namespace {

/// As Python's `str`.
std::string number_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return io::Json(value).dump();
}

/// A vector is the list of its elements in quotes, which Keras writes so that they are part of the field.
std::string value_text(const LogValue& value) {
  if (!value.is_vector()) return number_text(value);
  std::string text;
  for (const double element : value.elements()) text += (text.empty() ? "" : ", ") + number_text(element);
  return "\"\"\"[" + text + "]\"\"\"";
}

class CSVLoggerImpl : public CallbackImpl {
 public:
  CSVLoggerImpl(std::string filename, const CSVLoggerOptions& options)
      : filename_(std::move(filename)), options_(options) {}

  void on_train_begin(TrainingControl& training, Logs&) override {
    is_chief_ = training.is_chief();
    if (!is_chief_) return;
    columns_.clear();
    writes_header_ = true;
    if (options_.append) {
      std::ifstream existing(filename_, std::ios::binary);
      writes_header_ = !existing || existing.peek() == std::ifstream::traits_type::eof();
    }
    errno = 0;
    file_.open(filename_, std::ios::binary | (options_.append ? std::ios::app : std::ios::trunc));
    require_writable();
  }

  void on_epoch_end(TrainingControl&, int epoch, Logs& logs) override {
    if (!is_chief_) return;
    const io::NoFileSizeSignal errors_only;
    errno = 0;
    if (columns_.empty()) columns_ = csv_columns(logs);
    if (writes_header_) {
      file_ << "epoch";
      for (const std::string& name : columns_) file_ << options_.separator << name;
      file_ << "\r\n";
      writes_header_ = false;
    }
    file_ << epoch;
    for (const std::string& name : columns_) {
      file_ << options_.separator << (logs.contains(name) ? value_text(logs.value(name)) : "NA");
    }
    file_ << "\r\n" << std::flush;
    require_writable();
  }

  void on_train_end(TrainingControl&, Logs&) override { close(); }
  void on_train_interrupted(TrainingControl&, Logs&) override { close(); }

 private:
  void close() {
    const io::NoFileSizeSignal errors_only;
    file_.close();
  }

  void require_writable() const {
    if (file_) return;
    // Streams do not report the reason; the last error of the system is that of the write.
    const std::string reason = errno != 0 ? ": " + std::generic_category().message(errno) : ".";
    throw IOError("Cannot write the file '" + filename_ + "' of a CSVLogger" + reason);
  }

  std::string filename_;
  CSVLoggerOptions options_;
  std::ofstream file_;
  std::vector<std::string> columns_;
  bool writes_header_ = true;
  bool is_chief_ = true;
};

}  // namespace

CSVLogger::CSVLogger(const std::string& filename, const CSVLoggerOptions& options)
    : Callback(std::make_shared<CSVLoggerImpl>(filename, options)) {}

}  // namespace rhyton::callbacks
