#include <rhyton/models/callbacks/path_template.h>

#include <string>

#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/tests/models/golden_models.h>

namespace rhyton::callbacks {
namespace {

using models::golden_cases;

/// Python's exception class, and its message.
struct Failure {
  std::string exception;
  std::string message;
};

Failure failure_of(const std::string& path, const std::vector<PathField>& fields) {
  try {
    return {"", "gives " + format_path(path, fields)};
  } catch (const NotFoundError& error) {
    return {"KeyError", error.what()};
  } catch (const ValueError& error) {
    return {"ValueError", error.what()};
  }
}

TEST(PathTemplate, FormatsAsPythonDoes) {
  int texts = 0;
  int failures = 0;
  for (const io::Json& entry : golden_cases("path_formats")) {
    const std::string path = entry["name"].as_string();
    const std::string field = entry["field"].as_string();
    for (std::size_t i = 0; i < entry["values"].size(); ++i) {
      const io::Json& value = entry["values"][i];
      const io::Json& result = entry["results"][i];
      std::vector<PathField> fields;
      if (value.is_int()) {
        fields.push_back({field, value.as_int()});
      } else {
        fields.push_back({field, value.as_double()});
      }
      SCOPED_TRACE(path + " of " + value.dump());
      if (result["exception"].is_null()) {
        EXPECT_EQ(format_path(path, fields), result["text"].as_string());
        ++texts;
      } else {
        const Failure failure = failure_of(path, fields);
        EXPECT_EQ(failure.exception, result["exception"].as_string());
        EXPECT_EQ(failure.message, result["message"].as_string());
        ++failures;
      }
    }
  }
  EXPECT_GT(texts, 300);
  EXPECT_GT(failures, 50);
}

TEST(PathTemplate, RefusesWhatItDoesNotSupport) {
  const std::vector<PathField> fields = {{"epoch", std::int64_t{3}}, {"loss", 0.5}};
  for (const char* path : {"{}", "{0}", "{epoch!r}", "{epoch.real}", "{epoch[0]}", "{loss:,}", "{loss:_.2f}",
                           "{loss:#.0f}", "{epoch:{loss}}", "{epoch:300}", "{loss:.99999999999f}", "{epoch:"}) {
    EXPECT_THROW(format_path(path, fields), ValueError) << path;
  }
  EXPECT_THROW(format_path("{epoch:" + std::string(1'000'000, ' ') + "}", fields), ValueError);
}

}  // namespace
}  // namespace rhyton::callbacks
