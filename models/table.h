#pragma once

#include <string>
#include <vector>

namespace rhyton::models {

/// A table of text with a heavy head and lines between all rows, laid out as the Python library `rich` lays it out.
class Table {
 public:
  enum class Alignment { left, right, center };
  struct Column {
    std::string title;
    Alignment alignment = Alignment::left;
    /// Without the blank on either side.
    int width = 0;
  };

  /// `width`: of the whole table; the columns shrink or grow to fill it.
  Table(std::vector<Column> columns, int width);
  void add_row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  /// The lines, each ended by "\n" and cut off at `max_width`.
  std::string text(int max_width) const;

 private:
  std::vector<Column> columns_;
  /// With the blanks.
  std::vector<int> widths_;
  std::vector<std::vector<std::string>> rows_;
};

/// `text` broken between words into lines of at most `width` characters. A word that is too long is cut off, and ends
/// in "…".
std::vector<std::string> wrap_text(const std::string& text, int width);

}  // namespace rhyton::models
