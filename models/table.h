#pragma once

#include <string>
#include <vector>

namespace rhyton::models {

/// A table of text with a heavy header and lines between all rows, with the layout of the Python library `rich`.
class Table {
 public:
  enum class Alignment { left, right, center };
  struct Column {
    std::string title;
    Alignment alignment = Alignment::left;
    /// Without the blank on either side.
    int width = 0;
  };

  /// `width` is the width of the whole table; the columns shrink or grow to fill it.
  Table(std::vector<Column> columns, int width);
  void add_row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  /// The lines, each truncated to `max_width` and ended by a line break.
  std::string text(int max_width) const;

 private:
  std::vector<Column> columns_;
  /// Including the blanks.
  std::vector<int> widths_;
  std::vector<std::vector<std::string>> rows_;
};

/// Breaks `text` between words into lines of at most `width` characters. A word that is too long is truncated and ends
/// in "…".
std::vector<std::string> wrap_text(const std::string& text, int width);

}  // namespace rhyton::models
