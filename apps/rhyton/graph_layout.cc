#include <rhyton/apps/rhyton/graph_layout.h>

#include <algorithm>

namespace rhyton::tool {
namespace {

constexpr double row_gap = 36;
constexpr double box_gap = 28;
constexpr double margin = 16;
/// The width that an edge needs where it crosses a row.
constexpr double lane_width = 12;
constexpr int sweeps = 12;

using Edge = std::pair<std::size_t, std::size_t>;

/// A box, or the point where an edge crosses a row.
struct Item {
  Size size;
  std::size_t row = 0;
  double x = 0;  // of the centre
  std::vector<std::size_t> above;
  std::vector<std::size_t> below;
};

/// Reverses the edges that close cycles and returns true for those. Iterative depth-first search that visits each box
/// once.
std::vector<bool> reverse_cycles(std::size_t boxes, std::vector<Edge>& edges) {
  enum class State { fresh, open, done };
  std::vector<std::vector<std::size_t>> leaving(boxes);
  for (std::size_t i = 0; i < edges.size(); ++i) leaving[edges[i].first].push_back(i);
  std::vector<State> states(boxes, State::fresh);
  std::vector<std::size_t> next(boxes, 0);
  std::vector<bool> reversed(edges.size(), false);
  for (std::size_t start = 0; start < boxes; ++start) {
    if (states[start] != State::fresh) continue;
    std::vector<std::size_t> way = {start};
    states[start] = State::open;
    while (!way.empty()) {
      const std::size_t box = way.back();
      if (next[box] == leaving[box].size()) {
        states[box] = State::done;
        way.pop_back();
        continue;
      }
      const std::size_t edge = leaving[box][next[box]++];
      const std::size_t target = edges[edge].second;
      if (states[target] == State::open) {
        reversed[edge] = true;
      } else if (states[target] == State::fresh) {
        states[target] = State::open;
        way.push_back(target);
      }
    }
  }
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (reversed[i]) std::swap(edges[i].first, edges[i].second);
  }
  return reversed;
}

/// The row of each box: the longest path from a box without incoming edges; such boxes are directly above their
/// targets. Edges from a box to itself are skipped.
std::vector<std::size_t> rows_of(std::size_t boxes, const std::vector<Edge>& edges) {
  std::vector<std::vector<std::size_t>> targets(boxes);
  std::vector<std::size_t> missing(boxes, 0);
  for (const auto& [from, to] : edges) {
    if (from == to) continue;
    targets[from].push_back(to);
    ++missing[to];
  }
  const std::vector<std::size_t> sources = missing;
  std::vector<std::size_t> rows(boxes, 0);
  std::vector<std::size_t> ready;
  for (std::size_t box = 0; box < boxes; ++box) {
    if (missing[box] == 0) ready.push_back(box);
  }
  for (std::size_t i = 0; i < ready.size(); ++i) {
    for (const std::size_t target : targets[ready[i]]) {
      rows[target] = std::max(rows[target], rows[ready[i]] + 1);
      if (--missing[target] == 0) ready.push_back(target);
    }
  }
  for (std::size_t box = 0; box < boxes; ++box) {
    if (sources[box] != 0 || targets[box].empty()) continue;
    std::size_t nearest = rows[targets[box].front()];
    for (const std::size_t target : targets[box]) nearest = std::min(nearest, rows[target]);
    rows[box] = nearest - 1;
  }
  return rows;
}

class Rows {
 public:
  Rows(const std::vector<Size>& boxes, const std::vector<Edge>& edges) {
    const std::vector<std::size_t> rows = rows_of(boxes.size(), edges);
    for (std::size_t i = 0; i < boxes.size(); ++i) add({.size = boxes[i], .row = rows[i], .above = {}, .below = {}});
    for (const auto& [from, to] : edges) chains_.push_back(chain(from, to));
  }

  /// The items that each edge passes through, its ends included.
  const std::vector<std::vector<std::size_t>>& chains() const { return chains_; }
  const Item& item(std::size_t index) const { return items_[index]; }
  const std::vector<std::vector<std::size_t>>& rows() const { return rows_; }

  void order() {
    std::vector<std::vector<std::size_t>> best = rows_;
    std::size_t fewest = crossings();
    for (int sweep = 0; sweep < sweeps && fewest > 0; ++sweep) {
      sort_rows(sweep % 2 == 0);
      const std::size_t now = crossings();
      if (now < fewest) {
        fewest = now;
        best = rows_;
      }
    }
    rows_ = best;
  }

  void place() {
    for (auto& row : rows_) settle(row, nullptr);
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      const auto neighbours = sweep % 2 == 0 ? &Item::above : &Item::below;
      if (sweep % 2 == 0) {
        for (std::size_t row = 1; row < rows_.size(); ++row) settle(rows_[row], neighbours);
      } else {
        for (std::size_t row = rows_.size() - 1; row-- > 0;) settle(rows_[row], neighbours);
      }
    }
  }

 private:
  using Neighbours = std::vector<std::size_t> Item::*;

  std::size_t add(Item item) {
    if (item.row >= rows_.size()) rows_.resize(item.row + 1);
    rows_[item.row].push_back(items_.size());
    items_.push_back(std::move(item));
    return items_.size() - 1;
  }

  void connect(std::size_t upper, std::size_t lower) {
    items_[upper].below.push_back(lower);
    items_[lower].above.push_back(upper);
  }

  std::vector<std::size_t> chain(std::size_t from, std::size_t to) {
    std::vector<std::size_t> items = {from};
    if (from == to) return items;
    for (std::size_t row = items_[from].row + 1; row < items_[to].row; ++row) {
      const std::size_t lane = add({.size = {lane_width, 0}, .row = row, .above = {}, .below = {}});
      connect(items.back(), lane);
      items.push_back(lane);
    }
    connect(items.back(), to);
    items.push_back(to);
    return items;
  }

  std::vector<std::size_t> places() const {
    std::vector<std::size_t> places(items_.size());
    for (const auto& row : rows_) {
      for (std::size_t i = 0; i < row.size(); ++i) places[row[i]] = i;
    }
    return places;
  }

  std::size_t crossings() const {
    const std::vector<std::size_t> place = places();
    std::size_t count = 0;
    for (const auto& row : rows_) {
      std::vector<Edge> edges;
      for (const std::size_t upper : row) {
        for (const std::size_t lower : items_[upper].below) edges.emplace_back(place[upper], place[lower]);
      }
      for (std::size_t i = 0; i < edges.size(); ++i) {
        for (std::size_t k = i + 1; k < edges.size(); ++k) {
          const auto& [a, b] = edges[i];
          const auto& [c, d] = edges[k];
          count += (a < c && b > d) || (a > c && b < d) ? 1 : 0;
        }
      }
    }
    return count;
  }

  /// Orders each row by the mean position of the neighbours of its items in the row before.
  void sort_rows(bool downwards) {
    const auto neighbours = downwards ? &Item::above : &Item::below;
    for (std::size_t step = 1; step < rows_.size(); ++step) {
      std::vector<std::size_t>& row = rows_[downwards ? step : rows_.size() - 1 - step];
      const std::vector<std::size_t> place = places();
      std::vector<double> means(items_.size());
      for (const std::size_t index : row) {
        const std::vector<std::size_t>& others = items_[index].*neighbours;
        double sum = 0;
        for (const std::size_t other : others) sum += static_cast<double>(place[other]);
        means[index] = others.empty() ? static_cast<double>(place[index]) : sum / static_cast<double>(others.size());
      }
      std::stable_sort(row.begin(), row.end(), [&](std::size_t a, std::size_t b) { return means[a] < means[b]; });
    }
  }

  /// Places the items of a row as near as possible, by least squares, to the middle of their neighbours, in their order
  /// and without overlap: isotonic regression by pooling adjacent violators.
  void settle(const std::vector<std::size_t>& row, Neighbours neighbours) {
    struct Pool {
      double sum = 0;
      double weight = 0;
      std::size_t items = 0;
      double mean() const { return sum / weight; }
    };
    std::vector<Pool> pools;
    std::vector<double> offsets;
    double offset = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const Item& item = items_[row[i]];
      if (i > 0) offset += (items_[row[i - 1]].size.width + item.size.width) / 2 + box_gap;
      offsets.push_back(offset);
      const bool is_lane = item.size.height == 0;
      const double weight = is_lane ? 4 : 1;  // keeps long edges straight
      pools.push_back({.sum = weight * (wish(item, neighbours) - offset), .weight = weight, .items = 1});
      while (pools.size() > 1 && pools[pools.size() - 2].mean() > pools.back().mean()) {
        const Pool last = pools.back();
        pools.pop_back();
        pools.back().sum += last.sum;
        pools.back().weight += last.weight;
        pools.back().items += last.items;
      }
    }
    std::size_t i = 0;
    for (const Pool& pool : pools) {
      for (std::size_t k = 0; k < pool.items; ++k, ++i) items_[row[i]].x = pool.mean() + offsets[i];
    }
  }

  double wish(const Item& item, Neighbours neighbours) const {
    if (neighbours == nullptr) return 0;
    const std::vector<std::size_t>& others = item.*neighbours;
    if (others.empty()) return item.x;
    double sum = 0;
    for (const std::size_t other : others) sum += items_[other].x;
    return sum / static_cast<double>(others.size());
  }

  std::vector<Item> items_;
  std::vector<std::vector<std::size_t>> rows_;
  std::vector<std::vector<std::size_t>> chains_;
};

/// The vertical position and height of a row.
struct Band {
  double top = 0;
  double height = 0;
};

std::vector<Band> bands_of(const Rows& rows) {
  std::vector<Band> bands;
  double top = margin;
  for (const auto& row : rows.rows()) {
    double height = 0;
    for (const std::size_t index : row) height = std::max(height, rows.item(index).size.height);
    bands.push_back({.top = top, .height = height});
    top += height + row_gap;
  }
  return bands;
}

/// The path of an edge from a box to itself: out of its right side and back into it.
std::vector<Point> loop(Point corner, Size size) {
  const double right = corner.x + size.width;
  return {{right, corner.y + size.height * 0.75},
          {right + box_gap / 2, corner.y + size.height * 0.75},
          {right + box_gap / 2, corner.y + size.height * 0.25},
          {right, corner.y + size.height * 0.25}};
}

}  // namespace

GraphLayout lay_out(const std::vector<Size>& boxes, const std::vector<std::pair<std::size_t, std::size_t>>& edges) {
  GraphLayout layout;
  if (boxes.empty()) return {.corners = {}, .paths = {}, .size = {2 * margin, 2 * margin}};
  std::vector<Edge> downwards = edges;
  const std::vector<bool> reversed = reverse_cycles(boxes.size(), downwards);
  Rows rows(boxes, downwards);
  rows.order();
  rows.place();

  const std::vector<Band> bands = bands_of(rows);
  double left = 0;
  double right = 0;
  bool first = true;
  for (const auto& row : rows.rows()) {
    for (const std::size_t index : row) {
      const Item& item = rows.item(index);
      left = first ? item.x - item.size.width / 2 : std::min(left, item.x - item.size.width / 2);
      right = first ? item.x + item.size.width / 2 : std::max(right, item.x + item.size.width / 2);
      first = false;
    }
  }
  const double shift = margin - left;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const Item& item = rows.item(i);
    const Band& band = bands[item.row];
    layout.corners.push_back({item.x - item.size.width / 2 + shift, band.top + (band.height - item.size.height) / 2});
  }
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const std::vector<std::size_t>& chain = rows.chains()[i];
    const std::size_t from = chain.front();
    const std::size_t to = chain.back();
    if (from == to) {
      layout.paths.push_back(loop(layout.corners[from], boxes[from]));
      continue;
    }
    std::vector<Point> path = {{rows.item(from).x + shift, layout.corners[from].y + boxes[from].height}};
    for (std::size_t k = 1; k + 1 < chain.size(); ++k) {
      const Item& lane = rows.item(chain[k]);
      const Band& band = bands[lane.row];
      path.push_back({lane.x + shift, band.top});
      path.push_back({lane.x + shift, band.top + band.height});
    }
    path.push_back({rows.item(to).x + shift, layout.corners[to].y});
    if (reversed[i]) std::reverse(path.begin(), path.end());
    layout.paths.push_back(std::move(path));
  }
  layout.size = {right - left + 2 * margin, bands.back().top + bands.back().height + margin};
  return layout;
}

}  // namespace rhyton::tool
