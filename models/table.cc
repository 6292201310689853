#include <rhyton/models/table.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <string_view>
#include <utility>

namespace rhyton::models {
namespace {

/// Text as characters instead of bytes.
using Characters = std::vector<std::string_view>;

Characters characters_of(std::string_view text) {
  Characters result;
  for (std::size_t start = 0; start < text.size();) {
    std::size_t end = start + 1;
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) ++end;
    result.push_back(text.substr(start, end - start));
    start = end;
  }
  return result;
}

int width_of(std::string_view text) { return static_cast<int>(characters_of(text).size()); }

std::string repeated(std::string_view text, int count) {
  std::string result;
  for (int i = 0; i < count; ++i) result += text;
  return result;
}

std::string cut(std::string_view text, int width) {
  const Characters characters = characters_of(text);
  std::string result;
  for (int i = 0; i < std::min(width, static_cast<int>(characters.size())); ++i) {
    result += characters[static_cast<std::size_t>(i)];
  }
  return result;
}

std::string padded(const std::string& text, int width, Table::Alignment alignment) {
  const int space = std::max(0, width - width_of(text));
  switch (alignment) {
    case Table::Alignment::left:
      return text + std::string(static_cast<std::size_t>(space), ' ');
    case Table::Alignment::right:
      return std::string(static_cast<std::size_t>(space), ' ') + text;
    case Table::Alignment::center:
      return std::string(static_cast<std::size_t>(space / 2), ' ') + text +
             std::string(static_cast<std::size_t>(space - space / 2), ' ');
  }
  return text;
}

/// Reduces the widths by `excess` in equal parts. Halves are rounded to even numbers, as Python does.
std::vector<int> shrunk(std::vector<int> widths, int excess) {
  int columns_left = static_cast<int>(widths.size());
  for (int& width : widths) {
    const int part = std::min(width, static_cast<int>(std::nearbyint(static_cast<double>(excess) / columns_left)));
    width -= part;
    excess -= part;
    --columns_left;
  }
  return widths;
}

/// Distributes `space` in proportion to the widths.
std::vector<int> grown(std::vector<int> widths, int space) {
  int total = std::accumulate(widths.begin(), widths.end(), 0);
  for (int& width : widths) {
    const int part = total > 0 ? static_cast<int>(std::ceil(static_cast<double>(width) * space / total)) : space;
    total -= width;
    space -= part;
    width += part;
  }
  return widths;
}

/// The four characters of a line.
struct Line {
  std::string_view left, filling, between, right;
};

std::string drawn(const Line& line, const std::vector<int>& widths) {
  std::string result(line.left);
  for (std::size_t i = 0; i < widths.size(); ++i) {
    result += repeated(line.filling, widths[i]);
    result += i + 1 < widths.size() ? line.between : line.right;
  }
  return result;
}

}  // namespace

std::vector<std::string> wrap_text(const std::string& text, int width) {
  // Words with the blanks after them; the first also with the blanks before it.
  std::vector<std::string> words;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t word = text.find_first_not_of(' ', start);
    std::size_t end = word == std::string::npos ? text.size() : text.find(' ', word);
    end = end == std::string::npos ? text.size() : text.find_first_not_of(' ', end);
    end = end == std::string::npos ? text.size() : end;
    words.push_back(text.substr(start, end - start));
    start = end;
  }
  std::vector<std::string> lines(1);
  for (const std::string& word : words) {
    const int length = width_of(word.substr(0, word.find_last_not_of(' ') + 1));
    if (!lines.back().empty() && width_of(lines.back()) + length > width) lines.emplace_back();
    lines.back() += word;
  }
  for (std::string& line : lines) {
    line.erase(line.find_last_not_of(' ') + 1);
    if (width_of(line) > width) line = cut(line, width - 1) + "…";
  }
  return lines;
}

Table::Table(std::vector<Column> columns, int width) : columns_(std::move(columns)) {
  for (const Column& column : columns_) widths_.push_back(column.width + 2);
  const int available = width - static_cast<int>(columns_.size()) - 1;
  const int wanted = std::accumulate(widths_.begin(), widths_.end(), 0);
  if (wanted > available) widths_ = shrunk(widths_, wanted - available);
  if (wanted < available) widths_ = grown(widths_, available - wanted);
}

std::string Table::text(int max_width) const {
  std::string result;
  const auto add_line = [&](const std::string& line) { result += cut(line, max_width) + "\n"; };
  // Titles of fewer lines than others are at the bottom, other cells at the top.
  const auto add_cells = [&](const std::vector<std::string>& cells, std::string_view border, bool are_titles) {
    std::vector<std::vector<std::string>> wrapped;
    std::size_t height = 1;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      wrapped.push_back(wrap_text(cells[i], widths_[i] - 2));
      height = std::max(height, wrapped.back().size());
    }
    for (std::size_t row = 0; row < height; ++row) {
      std::string line(border);
      for (std::size_t i = 0; i < columns_.size(); ++i) {
        const std::size_t first = are_titles ? height - wrapped[i].size() : 0;
        const bool is_there = row >= first && row - first < wrapped[i].size();
        const std::string cell = is_there ? wrapped[i][row - first] : "";
        line += " " + padded(cell, widths_[i] - 2, columns_[i].alignment) + " ";
        line += border;
      }
      add_line(line);
    }
  };

  std::vector<std::string> titles;
  for (const Column& column : columns_) titles.push_back(column.title);
  add_line(drawn({"┏", "━", "┳", "┓"}, widths_));
  add_cells(titles, "┃", true);
  add_line(drawn({"┡", "━", "╇", "┩"}, widths_));
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (i > 0) add_line(drawn({"├", "─", "┼", "┤"}, widths_));
    add_cells(rows_[i], "│", false);
  }
  add_line(drawn({"└", "─", "┴", "┘"}, widths_));
  return result;
}

}  // namespace rhyton::models
